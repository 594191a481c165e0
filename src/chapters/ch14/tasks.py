"""Tasks whose right map is known: read a string backwards, or continue a repeated string.

The next id can be known only at some positions. `counts` says at which; the others are neither judged
nor trained.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attention.fitting import muon, warm_up_and_cosine
from attention.training import cross_entropy, evaluating, minimize

START = 0  # the id that every repeated string begins with


class Task(NamedTuple):
    """The ids that are read, the next id at each position, and the positions where it can be known."""

    x: Int[Tensor, "B T"]
    y: Int[Tensor, "B T"]
    counts: Bool[Tensor, " T"]


def reversed_strings(
    n_strings: int, length: int, vocab_size: int, generator: torch.Generator
) -> Task:
    """Random strings, each followed by itself read backwards.

    From position `length` - 1 on, the next id at position t is the one at 2 * (length - 1) - t.
    """
    if length < 2:
        raise ValueError(f"length: expected 2 or more ids to reverse, got {length}")
    there = torch.randint(vocab_size, (n_strings, length), generator=generator)
    ids = torch.cat([there, there.flip(1)], dim=1)  # (B, 2 * length)
    return _next(ids, length - 1)


def repeated_strings(
    n_strings: int, period: int, vocab_size: int, generator: torch.Generator
) -> Task:
    """The id START, then a random string, then the same string again (Olsson et al., 2022).

    No id occurs twice within a string, so each id has one successor: at position t > `period` the next
    id is the one at t - `period` + 1.
    """
    if not 2 <= period < vocab_size:
        raise ValueError(
            f"period: expected 2 to {vocab_size - 1} ids, because none of the {vocab_size - 1} ids "
            f"other than START occurs twice in a string, got {period}"
        )
    order = torch.rand(n_strings, vocab_size - 1, generator=generator).argsort(dim=1) + 1
    once, start = order[:, :period], torch.full((n_strings, 1), START)
    return _next(torch.cat([start, once, once], dim=1), period + 1)


def _next(ids: Int[Tensor, "B N"], first: int) -> Task:
    """The task of guessing the next id, in which the positions from `first` on count."""
    return Task(ids[:, :-1], ids[:, 1:], torch.arange(ids.shape[1] - 1) >= first)


def task_loss(model: nn.Module, task: Task) -> Float[Tensor, ""]:
    """The mean cost of the positions that count, in nats."""
    return cross_entropy(model(task.x)[:, task.counts], task.y[:, task.counts])


def accuracy(model: nn.Module, tasks: Sequence[Task]) -> float:
    """The fraction of the positions that count at which the most likely id is the right one."""
    if not tasks:
        raise ValueError("tasks: expected at least one, got none")
    right = []
    with evaluating(model):
        for x, y, counts in tasks:
            right.append((model(x).argmax(dim=-1) == y)[:, counts].flatten())
    return torch.cat(right).float().mean().item()


def fit_task(
    model: nn.Module,
    draw: Callable[[], Task],
    *,
    n_steps: int,
    learning_rate: float,
    optimizers: Callable[[nn.Module, float], Sequence[torch.optim.Optimizer]] = muon,
    on_step: Callable[[nn.Module, int], None] = lambda model, step: None,
) -> list[float]:
    """Train on new strings at every step, with a rate that rises and falls; return each batch's loss.

    `on_step` is given the model before the first step, as step 0, and after each.
    """
    model.train()
    steps = minimize(
        lambda: task_loss(model, draw()),
        model.parameters(),
        optimizers(model, learning_rate),
        n_steps,
        schedule=lambda step: warm_up_and_cosine(step, n_steps, n_steps // 10),
    )
    losses = []
    on_step(model, 0)
    for loss in steps:
        losses.append(loss)
        on_step(model, len(losses))
    return losses
