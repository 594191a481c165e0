"""Change the output of a head, and see what happens to the model: ablation and patching.

A head's output is the weighted mean of its values, before the output projection. Both `forward` and
`forward_with_weights` of the attention pass it on, so a hook at that point changes both.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attention.multi_head import merge_heads, split_heads
from attention.training import evaluating

Edit = Callable[[int, Float[Tensor, "B H T D"]], Float[Tensor, "B H T D"]]


@contextmanager
def edited(model: nn.Module, edit: Edit) -> Iterator[None]:
    """In this context, edit(layer, outputs) replaces the outputs of all heads of each layer."""

    def hook_of(layer: int, n_head: int):
        def hook(_, arguments):
            return (merge_heads(edit(layer, split_heads(arguments[0], n_head))),)

        return hook

    handles = [
        block.attention.out.register_forward_pre_hook(hook_of(layer, block.attention.n_head))
        for layer, block in enumerate(model.blocks)
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def head_outputs(model: nn.Module, ids: Int[Tensor, "B T"]) -> Float[Tensor, "L B H T D"]:
    """The output of every head (often called z) in a run: activations that you can patch with."""
    kept = []

    def keep(layer: int, outputs: Tensor) -> Tensor:
        kept.append(outputs)
        return outputs

    with evaluating(model), edited(model, keep):
        model(ids)
    return torch.stack(kept)


def mean_head_outputs(model: nn.Module, ids: Int[Tensor, "B T"]) -> Float[Tensor, "L 1 H 1 D"]:
    """The heads' mean outputs on these ids, the same for every position."""
    return head_outputs(model, ids).mean(dim=(1, 3), keepdim=True)


@contextmanager
def patched(
    model: nn.Module,
    layer: int,
    head: int,
    outputs: Float[Tensor, "L B H T D"],
    positions: slice | Int[Tensor, " N"] = slice(None),
) -> Iterator[None]:
    """In this context, a head returns its part of `outputs` at these positions (Vig et al., 2020).

    `outputs` comes from `head_outputs`, for a different run of the same length.
    """
    check_head(model, layer, head)

    def put(at: int, own: Tensor) -> Tensor:
        if at == layer:
            own = own.clone()
            own[:, head, positions] = outputs[layer].expand_as(own)[:, head, positions]
        return own

    with edited(model, put):
        yield


@contextmanager
def ablated(
    model: nn.Module, layer: int, head: int, mean: Float[Tensor, "L 1 H 1 D"] | None = None
) -> Iterator[None]:
    """In this context, the head returns 0, or always its mean output, if that is given."""
    check_head(model, layer, head)
    attention = model.blocks[layer].attention
    shape = (len(model.blocks), 1, attention.n_head, 1, attention.head_size)
    zeros = attention.out.weight.new_zeros(shape)
    with patched(model, layer, head, zeros if mean is None else mean):
        yield


def ablation_effects(
    model: nn.Module,
    measure: Callable[[], float],
    mean: Float[Tensor, "L 1 H 1 D"] | None = None,
) -> Float[Tensor, "L H"]:
    """measure() with each head ablated in turn, minus measure() with all heads."""
    whole, found = measure(), []
    for layer, block in enumerate(model.blocks):
        for head in range(block.attention.n_head):
            with ablated(model, layer, head, mean):
                found.append(measure() - whole)
    return torch.tensor(found).view(len(model.blocks), -1)


def check_head(model: nn.Module, layer: int, head: int) -> None:
    """Raise ValueError unless the model has this head in this layer."""
    n_layer = len(model.blocks)
    if not 0 <= layer < n_layer:
        raise ValueError(f"layer: expected 0 to {n_layer - 1}, got {layer}")
    n_head = model.blocks[layer].attention.n_head
    if not 0 <= head < n_head:
        raise ValueError(f"head: expected 0 to {n_head - 1}, got {head}")
