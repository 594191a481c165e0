"""The loss of logits, a loop of training steps, and an honest evaluation."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn
from tqdm import tqdm

from attention.batches import Ids, cut_blocks, get_batch


def token_losses(
    logits: Float[Tensor, "B T V"], targets: Int[Tensor, "B T"]
) -> Float[Tensor, "B T"]:
    """-log p(target) for each target, in nats."""
    if logits.shape[:-1] != targets.shape:
        raise ValueError(
            f"logits, targets: expected (B, T, V) and (B, T), got {tuple(logits.shape)} and "
            f"{tuple(targets.shape)}; the targets are the ids one position further"
        )
    if not targets.numel():
        raise ValueError(f"targets: expected at least one, got the shape {tuple(targets.shape)}")
    log_probabilities = F.log_softmax(logits, dim=-1)  # (B, T, V)
    return -log_probabilities.gather(-1, targets[..., None])[..., 0]  # (B, T)


def cross_entropy(
    logits: Float[Tensor, "B T V"], targets: Int[Tensor, "B T"], padding: int | None = None
) -> Float[Tensor, ""]:
    """The mean of -log p(target), in nats per token.

    A model that gives every one of V ids the same probability has the loss log(V). Targets that equal
    `padding` don't count, neither in the sum nor in the count that divides it.
    """
    if padding is None:
        return token_losses(logits, targets).mean()
    real = targets != padding
    if not real.any():
        raise ValueError(
            f"targets: expected at least one that is not padding ({padding}), got none of "
            f"{targets.numel()}; a mean of nothing is nan"
        )
    return token_losses(logits[real][None], targets[real][None]).mean()


def batch_loss(
    model: nn.Module, ids: Ids, batch_size: int, block_size: int, generator: torch.Generator
) -> Float[Tensor, ""]:
    """The model's loss on a random batch of blocks."""
    x, y = get_batch(ids, batch_size, block_size, generator)
    return cross_entropy(model(x), y)


def minimize(
    loss: Callable[[], Float[Tensor, ""]],
    parameters: Iterable[Tensor],
    optimizers: Sequence[torch.optim.Optimizer],
    n_steps: int,
    *,
    schedule: Callable[[int], float] = lambda step: 1.0,
    clip: float | None = None,
) -> Iterator[float]:
    """Move the parameters against the gradient of loss(), step by step; each loss before its step.

    loss() may draw another batch each time. At step n the optimizers' learning
    rates are multiplied by schedule(n); a gradient longer than `clip` is shortened to it.
    """
    if n_steps < 1:
        raise ValueError(f"n_steps: expected 1 or more, got {n_steps}")
    parameters = list(parameters)
    groups = [group for optimizer in optimizers for group in optimizer.param_groups]
    rates = [group["lr"] for group in groups]
    for step in range(n_steps):
        for group, rate in zip(groups, rates, strict=True):
            group["lr"] = rate * schedule(step)
        for parameter in parameters:
            parameter.grad = None
        now = loss()
        now.backward()
        if clip is not None:
            nn.utils.clip_grad_norm_(parameters, clip)
        for optimizer in optimizers:
            optimizer.step()
        yield now.item()


def train(
    model: nn.Module,
    ids: Ids,
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
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    loss = partial(batch_loss, model, ids, batch_size, block_size, generator)
    steps = minimize(loss, model.parameters(), [optimizer], n_steps)
    model.train()
    return list(tqdm(steps, "training", n_steps, file=sys.stdout))  # stderr looks like an error


class Estimate(NamedTuple):
    """A mean and its standard error, both in nats per token."""

    mean: float
    standard_error: float


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Without dropout and gradients; afterwards the model is in its old mode again."""
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train(was_training)


def evaluate(model: nn.Module, ids: Ids, block_size: int, batch_size: int = 64) -> Estimate:
    """The model's loss on all of the ids, cut into blocks that follow one another.

    Every block counts once; a shorter rest is left out. The standard error is that
    of the mean over blocks, as if these were independent draws.
    """
    last = max(1, len(ids) - block_size)  # from 1 on: cut_blocks says what is too short
    starts = torch.arange(0, last, block_size)  # (number of blocks,)
    losses = []
    with evaluating(model):
        for some in starts.split(batch_size):
            x, y = cut_blocks(ids, some, block_size)
            losses.append(token_losses(model(x), y).mean(dim=1))  # (up to batch_size,)
    each = torch.cat(losses).double()  # (number of blocks,)
    spread = each.std().item() if len(each) > 1 else float("nan")
    return Estimate(each.mean().item(), spread / len(each) ** 0.5)
