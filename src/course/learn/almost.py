"""Functions that are almost right, for exercises in which a learner tests functions.

`almost(right, wrong, keep)` does what `right` does, and of the difference that `wrong` makes it
keeps only a part: one sequence, one channel, two errors that cancel, a thousandth. So a test that
looks at one row, at means, at signed differences or coarsely lets one of them pass.
"""

from collections.abc import Callable

import torch
from torch import Tensor


def almost(right: Callable, wrong: Callable, keep: Callable, name: str) -> Callable:
    """Right, but for the part of the difference that `keep` leaves; shown to a learner by this name."""

    def function(*given):
        out = right(*given)
        return out + keep(wrong(*given) - out)

    return called(name, function)


def called(name: str, function: Callable, like: str = "function") -> Callable:
    """The function, shown by this name; in the messages of its errors it has the name `like`."""
    function.__name__, function.__qualname__ = name.replace(" ", "_"), like
    return function


def at(dim: int, *places: int) -> Callable[[Tensor], Tensor]:
    """Only at these places of an axis, counted from its end if below 0, where there are such."""

    def keep(off):
        n = off.shape[dim]
        kept = torch.tensor([i in places or i - n in places for i in range(n)])
        return torch.where(kept.view(-1, *[1] * (-1 - dim)), off, 0.0)

    return keep


def by(share: float) -> Callable[[Tensor], Tensor]:
    """A share of the difference everywhere."""
    return lambda off: share * off


def cancelling(dim: int) -> Callable[[Tensor], Tensor]:
    """The first difference of an axis, there and with its sign turned at the next place."""

    def keep(off):
        first = off.narrow(dim, 0, 1)
        rest = torch.zeros_like(off.narrow(dim, 0, max(off.shape[dim] - 2, 0)))
        return torch.cat([first, -first, rest], dim) if off.shape[dim] > 1 else 0 * off

    return keep


def upwards(off: Tensor) -> Tensor:
    """No number shrinks."""
    return off.abs()


def downwards(off: Tensor) -> Tensor:
    """No number grows."""
    return -off.abs()


FAMILY = {  # of functions of (B, T, C): what each keeps, said as it is shown
    "only in the first sequence": at(-3, 0),
    "only in the second sequence": at(-3, 1),
    "only in the last sequence": at(-3, -1),
    "only in the first channel": at(-1, 0),
    "only in the last channel": at(-1, -1),
    "only at the first position": at(-2, 0),
    "only at the second position": at(-2, 1),
    "only at the last position but one": at(-2, -2),
    "only at the last position": at(-2, -1),
    "cancels between sequences": cancelling(-3),
    "cancels between positions": cancelling(-2),
    "cancels between channels": cancelling(-1),
    "only upwards": upwards,
    "only downwards": downwards,
    "only by a thousandth": by(1e-3),
}


def family(right: Callable, wrong: Callable, what: str, *without: str) -> list[Callable]:
    """Almost right functions of each kind, but for those named in `without`."""
    kinds = (kind for kind in FAMILY if not any(kind.endswith(word) for word in without))
    return [almost(right, wrong, FAMILY[kind], f"{what} {kind}") for kind in kinds]
