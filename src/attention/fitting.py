"""Training with care: a rate that rises and falls, short steps, and the best weights kept.

`training.train` is the plain loop. This one has what every GPT is trained with: a schedule, clipped
gradients, and looks at text that is held back, of which the best decides.
"""

import copy
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor, nn

from attention.batches import get_batch
from attention.muon import Muon
from attention.training import cross_entropy, evaluate


def warm_up_and_cosine(step: int, n_steps: int, warm_up: int) -> float:
    """The share of the learning rate at this step: up along a line, then down along half a cosine.

    It is 1 after `warm_up` steps and reaches 0 after `n_steps` (Loshchilov & Hutter, 2017, equation 5,
    without restarts).

    >>> [round(warm_up_and_cosine(step, 8, 2), 2) for step in range(9)]
    [0.5, 1.0, 1.0, 0.93, 0.75, 0.5, 0.25, 0.07, 0.0]
    """
    if not 0 <= warm_up < n_steps:
        raise ValueError(
            f"warm_up: expected 0 or more steps, fewer than the {n_steps} of the training, got "
            f"{warm_up}; a tenth of them is usual"
        )
    if step < warm_up:
        return (step + 1) / warm_up
    return (1 + math.cos(math.pi * (step - warm_up) / (n_steps - warm_up))) / 2


def adamw(model: nn.Module, learning_rate: float) -> list[torch.optim.Optimizer]:
    """AdamW for all parameters (Loshchilov & Hutter, 2019)."""
    return [torch.optim.AdamW(model.parameters(), lr=learning_rate)]


def muon(
    model: nn.Module, learning_rate: float, times: float = 10.0
) -> list[torch.optim.Optimizer]:
    """Muon for the matrices between embedding and logits, AdamW for the rest (Jordan et al., 2024).

    Muon turns each step of a matrix into one that is equally long in every direction. Its own rate
    is so many `times` the one that is given.
    """
    inner = [p for name, p in model.named_parameters() if "blocks" in name and p.ndim == 2]
    rest = [p for p in model.parameters() if all(p is not other for other in inner)]
    return [
        Muon(inner, lr=times * learning_rate),
        torch.optim.AdamW(rest, lr=learning_rate),
    ]


class Look(NamedTuple):
    """After this many steps: the mean loss of the batches since the last look, and on held-out ids."""

    step: int
    train: float
    validation: float


def fit(
    model: nn.Module,
    train_ids: Int[Tensor, " N"],
    validation_ids: Int[Tensor, " M"],
    *,
    n_steps: int,
    batch_size: int,
    block_size: int,
    learning_rate: float,
    generator: torch.Generator,
    warm_up: int = 0,
    clip: float = 1.0,
    look_every: int = 100,
    watch: Callable[[Look], None] = lambda look: None,
    optimizers: Callable[[nn.Module, float], Sequence[torch.optim.Optimizer]] = adamw,
    schedule: Callable[[int, int, int], float] = warm_up_and_cosine,
) -> list[Look]:
    """Train, and leave the model with the weights whose validation loss was lowest.

    Each step uses the schedule's share of the learning rate; a gradient longer than `clip` is
    shortened to it. `watch` is shown every look as it is made. Since the validation loss has chosen
    the weights, it flatters them a little: judge the model on ids that chose nothing.
    """
    if n_steps < 1 or look_every < 1:
        raise ValueError(
            f"n_steps, look_every: expected 1 or more of both, got {n_steps} and {look_every}"
        )
    parts = optimizers(model, learning_rate)
    rates = [group["lr"] for part in parts for group in part.param_groups]
    losses, looks, best = [], [], copy.deepcopy(model.state_dict())
    model.train()
    for step in range(n_steps):
        groups = [group for part in parts for group in part.param_groups]
        for group, rate in zip(groups, rates, strict=True):
            group["lr"] = rate * schedule(step, n_steps, warm_up)
        x, y = get_batch(train_ids, batch_size, block_size, generator)
        loss = cross_entropy(model(x), y)
        model.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        for part in parts:
            part.step()
        losses.append(loss.item())
        if (step + 1) % look_every == 0 or step + 1 == n_steps:
            held = evaluate(model, validation_ids, block_size).mean
            look = Look(step + 1, sum(losses) / len(losses), held)
            if not looks or held < min(earlier.validation for earlier in looks):
                best = copy.deepcopy(model.state_dict())
            losses = []
            looks.append(look)
            watch(look)
    model.load_state_dict(best)
    return looks
