"""Training with care: a rate that rises and falls, short steps, and the best weights kept.

`training.train` is plain. `fit` has what every GPT is trained with: a schedule, clipped gradients, and
evaluations on text that is held out, and keeps the best weights.
"""

import copy
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attention.muon import Muon
from attention.training import minimize


def warm_up_and_cosine(step: int, n_steps: int, warm_up: int) -> float:
    """The factor of the learning rate at this step: up along a line, then down along half a cosine.

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

    Muon makes each step of a matrix equally long in every direction. Its learning rate is `times` the
    given one.
    """
    inner = [p for name, p in model.named_parameters() if "blocks" in name and p.ndim == 2]
    rest = [p for p in model.parameters() if all(p is not other for other in inner)]
    return [
        Muon(inner, lr=times * learning_rate),
        torch.optim.AdamW(rest, lr=learning_rate),
    ]


class Evaluation(NamedTuple):
    """After so many steps: the mean loss of the batches since the last one, and on held-out ids."""

    step: int
    train: float
    validation: float


def fit(
    model: nn.Module,
    loss: Callable[[], Float[Tensor, ""]],
    held_out: Callable[[], float],
    *,
    n_steps: int,
    learning_rate: float,
    warm_up: int = 0,
    clip: float = 1.0,
    eval_every: int = 100,
    on_eval: Callable[[Evaluation], None] = lambda evaluation: None,
    optimizers: Callable[[nn.Module, float], Sequence[torch.optim.Optimizer]] = adamw,
    schedule: Callable[[int, int, int], float] = warm_up_and_cosine,
) -> list[Evaluation]:
    """Train on loss(), and leave the model with the weights for which held_out() was lowest.

    loss() may draw another batch each time; held_out() is the loss on text that is not trained on.
    Each step multiplies the learning rate by the schedule; a gradient longer than `clip` is
    shortened to it. `on_eval` is called with each evaluation. Because the held-out loss chose the
    weights, it is a little too low: judge the model on other ids.
    """
    if eval_every < 1:
        raise ValueError(f"eval_every: expected 1 or more steps, got {eval_every}")
    steps = minimize(
        loss,
        model.parameters(),
        optimizers(model, learning_rate),
        n_steps,
        schedule=lambda step: schedule(step, n_steps, warm_up),
        clip=clip,
    )
    losses, history, best, lowest = [], [], None, math.inf
    model.train()
    for step, now in enumerate(steps, 1):
        losses.append(now)
        if step % eval_every == 0 or step == n_steps:
            validation = held_out()
            if best is None or validation < lowest:
                best, lowest = copy.deepcopy(model.state_dict()), validation
            history.append(Evaluation(step, sum(losses) / len(losses), validation))
            on_eval(history[-1])
            losses = []
    model.load_state_dict(best)
    return history
