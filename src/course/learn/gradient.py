"""Whether a right answer could also be trained: compare its gradient with the reference's."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn

from course.learn.attempt import Gone, Outcome
from course.learn.record import Exercise
from course.learn.sentences import raised
from course.learn.values import TENSORS, exactly, is_a
from course.learn.words import listed

ENOUGH = 4  # inputs to try; a fault counts only if each of them shows it
CLOSE = 1e-3  # tolerance, relative to the largest number in the gradient

CUT = (
    "Your values are right, but no gradient flows back to {names}: something like `detach`, `.data`, "
    "`no_grad`, `.item()` or numpy cuts it. In training, nothing that comes before your function would learn."
)
PART = (
    "Your values are right, but a part of the gradient for {names} is missing: something like `detach`, "
    "`.data`, `no_grad`, `.item()` or numpy cuts it. Training would follow a wrong slope."
)
STOPS = (
    "Your values are right, but training would stop: with gradients your function raises {error}."
)


def fault(exercise: Exercise, function: Callable, run: Callable[..., Outcome]) -> str:
    """Return a sentence on what goes wrong when a right answer is trained; "" if nothing does."""
    pairs = []
    for n, inputs in enumerate(exercise.inputs[: exercise.n_shown]):
        if not any(True for _ in _floats(exercise.reference.outcome(n).value)):
            continue
        right = run(_gradients, (exercise.reference.function, inputs)).value
        if right is None or not any(map(_tells, right)):
            continue
        ours = run(_gradients, (function, inputs))
        if is_a(ours.error, Gone):
            return ""  # whether it finishes depends on the machine
        if ours.error is not None:
            return STOPS.format(error=raised(ours))
        pairs.append((ours.value, right))
        if len(pairs) == ENOUGH:
            break
    names = [f"`{name}`" for name in inspect.signature(exercise.reference.function).parameters]
    for sentence, is_wrong in ((CUT, _is_cut), (PART, _differs)):
        found = [names[k] for k in range(len(names)) if _always(is_wrong, k, pairs)]
        if found:
            return sentence.format(names=listed(found))
    return ""


def _gradients(function: Callable, inputs: tuple) -> list[Tensor]:
    """Return for each argument the gradient of a weighted sum of all results, as one row."""
    leaves = [[part.requires_grad_() for part in _floats(given)] for given in inputs]
    out = [part for part in _floats(function(*inputs)) if part.requires_grad]
    total = sum(((part * _weights(part)).sum() for part in out), torch.zeros(()))
    flat = [leaf for given in leaves for leaf in given]
    found = torch.autograd.grad(total, flat, allow_unused=True) if out else [None] * len(flat)
    rows = iter(found)
    zero = torch.zeros_like
    return [
        torch.cat([torch.zeros(0), *(_row(next(rows), zero(leaf)) for leaf in given)])
        for given in leaves
    ]


def _row(gradient: Tensor | None, zero: Tensor) -> Tensor:
    return (zero if gradient is None else gradient).detach().flatten().float()


def _weights(part: Tensor) -> Tensor:
    """Weights of many sizes and both signs: with equal ones, rows that sum to 1 have no gradient."""
    return torch.arange(1.0, part.numel() + 1).cos().reshape(part.shape).to(part.dtype)


def _floats(value: Any) -> Iterator[Tensor]:
    """Yield a value's floating-point tensors: itself, in containers, or a module's parameters."""
    if exactly(value, *TENSORS) and value.is_floating_point():
        yield value
    elif is_a(value, nn.Module):
        yield from value.parameters()
    elif exactly(value, list, tuple):
        for part in value:
            yield from _floats(part)
    elif exactly(value, dict):
        yield from _floats(list(value.values()))


def _tells(gradient: Tensor) -> bool:
    return bool(gradient.any() and gradient.isfinite().all())


def _always(is_wrong: Callable, k: int, pairs: list[tuple[list[Tensor], list[Tensor]]]) -> bool:
    """Whether argument k's gradient is wrong on every input where the reference has a usable one."""
    told = [(ours[k], right[k]) for ours, right in pairs if _tells(right[k])]
    return bool(told) and all(is_wrong(*both) for both in told)


def _is_cut(ours: Tensor, right: Tensor) -> bool:
    return not ours.any()


def _differs(ours: Tensor, right: Tensor) -> bool:
    return bool((ours - right).abs().max() > CLOSE * right.abs().max())
