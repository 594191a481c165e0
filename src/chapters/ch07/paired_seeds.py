"""Train many small models at once, in pairs that differ in only one setting."""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state

from attention.batches import get_batch
from attention.training import cross_entropy, minimize


def paired_losses(
    make: Callable[[], nn.Module],
    settings: Sequence[float],
    seeds: Sequence[int],
    train_ids: Int[Tensor, " N"],
    held_out: tuple[Int[Tensor, "B T"], Int[Tensor, "B T"]],
    eval_steps: Sequence[int],
    batch_size: int = 16,
    learning_rate: float = 3e-3,
) -> Float[Tensor, "steps settings seeds"]:
    """The loss on the held-out blocks after each of `eval_steps`, for each setting and seed, in nats.

    A model is called as `model(ids, setting)`. Its seed decides its first weights and its batches, so these
    are the same for every setting. `torch.vmap` trains all models together, each as if it were alone.
    """
    block_size = held_out[0].shape[1]
    models, draws = [], []
    for seed in seeds:
        torch.manual_seed(seed)
        models.append(make())
        draws.append(torch.Generator().manual_seed(seed))
    parameters, _ = stack_module_state(models * len(settings))  # each one (settings * seeds, ...)
    factors = torch.tensor(settings).repeat_interleave(len(seeds))  # (settings * seeds,)
    optimizer = torch.optim.AdamW(parameters.values(), lr=learning_rate)

    def loss(own: dict[str, Tensor], setting: Tensor, x: Tensor, y: Tensor) -> Tensor:
        return cross_entropy(functional_call(models[0], own, (x, setting)), y)

    side_by_side = torch.vmap(loss)
    on_held_out = torch.vmap(loss, in_dims=(0, 0, None, None), chunk_size=2)

    def next_loss() -> Tensor:
        batches = [get_batch(train_ids, batch_size, block_size, draw) for draw in draws]
        x, y = (torch.stack(part * len(settings)) for part in zip(*batches, strict=True))
        return side_by_side(parameters, factors, x, y).sum()

    found = []
    for step, _ in enumerate(minimize(next_loss, parameters.values(), [optimizer], max(eval_steps)), 1):
        if step in eval_steps:
            with torch.no_grad():
                found.append(on_held_out(parameters, factors, *held_out))
    return torch.stack(found).view(len(eval_steps), len(settings), len(seeds))
