"""Tokens in a deep stack of blocks: their size, their diversity, and the gradient that comes back.

A block can be wired in several ways. The output of a part is added to the stream, or replaces it. A
normalisation comes before each part, after each sum, or not at all.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attention.cache import Cache
from attention.checks import choose
from attention.gpt import Block

PLACES = ("before", "after", "none")


def residual_wiring(
    x: Float[Tensor, "B T C"],
    part: Callable[[Tensor], Tensor],
    norm: Callable[[Tensor], Tensor],
    residual: bool = True,
    place: str = "before",
) -> Float[Tensor, "B T C"]:
    """The stream after a part: x + part(norm(x)), or norm(x + part(x)) with `place` "after".

    The first is Xiong and others' (2020) figure 1b, the second Vaswani and others' (2017, section
    3.1). Without a residual there is no "x +".
    """
    choose("place", place, PLACES)
    made = part(norm(x) if place == "before" else x)
    made = x + made if residual else made
    return norm(made) if place == "after" else made


class WiredBlock(Block):
    """A block whose residuals can be missing, and whose norms can come later or be missing."""

    def __init__(
        self,
        attention: nn.Module,
        mlp: nn.Module,
        n_embd: int,
        *,
        residual: bool = True,
        place: str = "before",
    ):
        norm = "none" if choose("place", place, PLACES) == "none" else "rms"
        super().__init__(attention, mlp, n_embd, norm)
        self.how = {"residual": residual, "place": place}

    def forward(
        self, x: Float[Tensor, "B T C"], cache: Cache | None = None
    ) -> Float[Tensor, "B T C"]:
        """The stream after both parts."""
        x = residual_wiring(x, lambda y: self.attention(y, cache), self.norm_1, **self.how)
        return residual_wiring(x, self.mlp, self.norm_2, **self.how)


@torch.no_grad()
def scale_outputs(block: Block, factor: float) -> None:
    """Multiply by `factor` everything that the block adds to the stream.

    GPT-2 starts with 1 / sqrt(2 L) for L blocks (Radford et al., 2019, section 2.3).
    """
    for layer in (block.attention.out, block.mlp.out):
        layer.weight.mul_(factor)
        if layer.bias is not None:
            layer.bias.mul_(factor)


def rms(x: Float[Tensor, "*B"]) -> Float[Tensor, ""]:
    """The size of a typical number: the root of the mean of the squares."""
    return x.square().mean().sqrt()


def token_diversity(x: Float[Tensor, "*B T C"]) -> Float[Tensor, ""]:
    """The RMS of the tokens without their mean, as a fraction of their RMS.

    It is 1 if their mean is 0, and 0 if all tokens are the same (Dong et al., 2021, section 2).

    >>> token_diversity(torch.tensor([[3.0, 4.0], [3.0, 4.0]])).item()
    0.0
    """
    return rms(x - x.mean(dim=-2, keepdim=True)) / rms(x)


class Propagation(NamedTuple):
    """The stream at each depth, from input to output: each field has L + 1 entries."""

    signal: Float[Tensor, " L+1"]  # the size of a number
    gradient: Float[Tensor, " L+1"]  # the size of the gradient that comes back from the end
    diversity: Float[Tensor, " L+1"]  # of the tokens
    streams: list[Tensor]  # the tokens themselves, each (B, T, C)


def propagate(
    blocks: Sequence[Callable[[Tensor], Tensor]],
    x: Float[Tensor, "B T C"],
    direction: Float[Tensor, "B T C"],
) -> Propagation:
    """Send tokens through the blocks, and send `direction` back as the gradient of the output."""
    if x.shape != direction.shape:
        raise ValueError(
            f"direction: expected the shape of x, {tuple(x.shape)}, because it is the gradient of "
            f"the output, got {tuple(direction.shape)}"
        )
    streams = [x.detach().requires_grad_()]
    for block in blocks:
        streams.append(block(streams[-1]))
    gradients = torch.autograd.grad(streams[-1], streams, direction)
    streams = [stream.detach() for stream in streams]
    return Propagation(
        torch.stack([rms(stream) for stream in streams]),
        torch.stack([rms(gradient) for gradient in gradients]),
        torch.stack([token_diversity(stream) for stream in streams]),
        streams,
    )
