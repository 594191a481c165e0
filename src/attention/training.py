"""Logits to loss, and a model that gets better: one step, a loop of steps, an honest evaluation."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn
from tqdm import tqdm

from attention.batches import cut_blocks, get_batch


def costs(logits: Float[Tensor, "B T V"], targets: Int[Tensor, "B T"]) -> Float[Tensor, "B T"]:
    """-log p(target) for each target, in nats."""
    if logits.shape[:-1] != targets.shape:
        raise ValueError(
            f"logits, targets: expected (B, T, V) and (B, T), got {tuple(logits.shape)} and "
            f"{tuple(targets.shape)}; the targets are the ids one position further"
        )
    if not targets.numel():
        raise ValueError(f"targets: expected at least one, got the shape {tuple(targets.shape)}")
    log_probabilities = F.log_softmax(logits, dim=-1)  # (B, T, V)
    chosen = log_probabilities.gather(-1, targets[..., None])  # (B, T, 1)
    return -chosen[..., 0]  # (B, T)


def cross_entropy(
    logits: Float[Tensor, "B T V"], targets: Int[Tensor, "B T"], padding: int | None = None
) -> Float[Tensor, ""]:
    """The mean of -log p(target), in nats per token.

    A model that gives every one of V ids the same probability has the loss log(V). Targets that equal
    `padding` don't count, neither in the sum nor in the number that it is divided by.
    """
    if padding is None:
        return costs(logits, targets).mean()
    real = targets != padding
    if not real.any():
        raise ValueError(
            f"targets: expected at least one that is not padding ({padding}), got none of "
            f"{targets.numel()}; a mean of nothing is nan"
        )
    return costs(logits[real][None], targets[real][None]).mean()


def train_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    x: Int[Tensor, "B T"],
    y: Int[Tensor, "B T"],
) -> float:
    """Move the parameters once against the gradient; the loss of this batch before the move."""
    loss = cross_entropy(model(x), y)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    return loss.item()


def train(
    model: nn.Module,
    ids: Int[Tensor, " N"],
    *,
    n_steps: int,
    batch_size: int,
    block_size: int,
    learning_rate: float,
    generator: torch.Generator,
) -> list[float]:
    """Train with AdamW (Loshchilov & Hutter, 2019) on random batches; each batch's loss.

    A batch's loss is a noisy guess of the model's loss: judge the model by `evaluate`.
    """
    if n_steps < 1:
        raise ValueError(f"n_steps: expected 1 or more, got {n_steps}")
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    model.train()
    losses = []
    for _ in tqdm(range(n_steps), desc="training", file=sys.stdout):  # stderr looks like an error
        x, y = get_batch(ids, batch_size, block_size, generator)
        losses.append(train_step(model, optimizer, x, y))
    return losses


class Estimate(NamedTuple):
    """A mean and its standard error, both in nats per token."""

    mean: float
    standard_error: float


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Without dropout and gradients; afterwards the model is in the mode in which it came."""
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train(was_training)


def evaluate(
    model: nn.Module, ids: Int[Tensor, " N"], block_size: int, batch_size: int = 64
) -> Estimate:
    """The model's loss on all of the ids, cut into blocks that follow one another.

    Every block counts once; a rest shorter than a block is left out. The standard error is that
    of the mean over blocks, as if these were independent draws.
    """
    starts = torch.arange(0, len(ids) - block_size, block_size)  # (number of blocks,)
    if len(starts) == 0:
        starts = torch.tensor([0])  # cut_blocks says what is too short
    losses = []
    with evaluating(model):
        for some in starts.split(batch_size):
            x, y = cut_blocks(ids, some, block_size)
            losses.append(costs(model(x), y).mean(dim=1))  # (up to batch_size,)
    each = torch.cat(losses).double()  # (number of blocks,)
    spread = each.std().item() if len(each) > 1 else float("nan")
    return Estimate(each.mean().item(), spread / len(each) ** 0.5)
