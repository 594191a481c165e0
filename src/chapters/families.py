"""Functions that are almost right, for exercises in which a learner tests functions.

`almost(right, wrong, keep)` adds to the output of `right` a part of its difference from `wrong`: in one
sequence, in one number, as two errors that cancel, as a turn that changes no length, or hardly above
the tolerance of 1e-5. A test that looks only at one row, at means, at norms or at signed differences, or
that is coarse, lets one of them pass. `rights` differ by less than the tolerance, or are far from 0, and
have to pass. `PARTS` is for functions that notice only some changes of their input, so that a test which
changes the input in only one way can miss them.
"""

from collections.abc import Callable

import torch
from torch import Tensor


def almost(right: Callable, wrong: Callable, keep: Callable, name: str) -> Callable:
    """The right function plus the part of the difference that `keep` leaves. Learners see its `name`."""

    def function(*given):
        out = right(*given)
        return out + keep(wrong(*given) - out, out)

    return called(name, function)


def called(name: str, function: Callable, like: str = "function") -> Callable:
    """Give the function this name, which is shown; messages of its errors call it `like`."""
    function.__name__, function.__qualname__ = name.replace(" ", "_"), like
    return function


def at(dim: int, *places: int) -> Callable[[Tensor], Tensor]:
    """Keep the difference only at these positions of an axis, if it has them; -1 is the last one."""

    def keep(off, out=None):
        n = off.shape[dim]
        kept = torch.tensor([i in places or i - n in places for i in range(n)])
        return torch.where(kept.view(-1, *[1] * (-1 - dim)), off, 0.0)

    return keep


def by(share: float) -> Callable[[Tensor], Tensor]:
    """Keep a share of the difference everywhere."""
    return lambda off, out=None: share * off


def faint(size: float) -> Callable[[Tensor], Tensor]:
    """Replace the difference by one of at most `size`, by a different rule in each channel, so that two
    inputs hardly ever give the same; 0 stays 0."""
    return lambda off, out=None: size * ((40 + 7 * torch.arange(off.shape[-1])) * off).sin()


def far(keep: Callable[[Tensor], Tensor]) -> Callable[[Tensor, Tensor], Tensor]:
    """Like `keep`, but with an output near 100, where a relative tolerance allows a hundred times as much."""
    return lambda off, out: 100 + keep(off)


def one_number(off: Tensor, out: Tensor | None = None) -> Tensor:
    """Keep the difference in only one number, divided by 100, so that a mean hardly changes."""
    return at(-1, 1)(one_word(off)) / 100


def one_word(off: Tensor, out: Tensor | None = None) -> Tensor:
    """Keep the difference in four numbers of one word."""
    return at(-3, 1)(at(-2, 1)(at(-1, 0, 1, 2, 3)(off)))


def turned(off: Tensor, out: Tensor) -> Tensor:
    """Rotate two channels into each other, by the first one's difference as the angle: no length changes."""
    if out.shape[-1] < 2:
        return 0 * off
    x, y, angle = out[..., 0], out[..., 1], off[..., 0]
    moved = torch.stack([x * angle.cos() - y * angle.sin(), x * angle.sin() + y * angle.cos()], -1)
    return torch.cat([moved - out[..., :2], torch.zeros_like(out[..., 2:])], dim=-1)


def cancelling(dim: int) -> Callable[[Tensor], Tensor]:
    """Keep the first difference along an axis, and put its opposite at the next position, so they cancel."""

    def keep(off, out=None):
        first = off.narrow(dim, 0, 1)
        rest = torch.zeros_like(off.narrow(dim, 0, max(off.shape[dim] - 2, 0)))
        return torch.cat([first, -first, rest], dim) if off.shape[dim] > 1 else 0 * off

    return keep


def upwards(off: Tensor, out: Tensor | None = None) -> Tensor:
    """Make all differences positive, so that no number shrinks."""
    return off.abs()


def downwards(off: Tensor, out: Tensor | None = None) -> Tensor:
    """Make all differences negative, so that no number grows."""
    return -off.abs()


FAMILY = {  # for functions of (B, T, C): {name that is shown: what is kept of the difference}
    "only in the first sequence": at(-3, 0),
    "only in the second sequence": at(-3, 1),
    "only in the last sequence": at(-3, -1),
    "only in the first channel": at(-1, 0),
    "only in the second channel": at(-1, 1),
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
    "only in one number": one_number,
    "only faintly in one word": lambda off, out: faint(6e-5)(one_word(off)),
    "only by a turn": turned,
    "only by a thousandth": by(1e-3),
    "only faintly": faint(3e-5),
    "only faintly far from 0": far(faint(6e-5)),
}
RIGHT = {"but for rounding": faint(4e-6), "far from 0": far(by(0.0))}

PARTS = {  # {name: what a function notices of an input (..., T, C)}; each is blind to some change
    "directions": lambda x: torch.nn.functional.normalize(x, dim=-1),
    "centred words": lambda x: x - x.mean(dim=-1, keepdim=True),
    "signs": torch.sign,
    "squares": torch.square,
    "numbers below 0": lambda x: x.clamp(max=0),
    "numbers above 0": lambda x: x.clamp(min=0),
    "sums of channels": lambda x: x.mean(dim=-1, keepdim=True).expand_as(x),
    "the first channel": at(-1, 0),
    "the last channel": at(-1, -1),
}


def family(right: Callable, wrong: Callable, what: str, *without: str) -> list[Callable]:
    """An almost right function of each kind, except kinds whose names end with a word in `without`."""
    kinds = (kind for kind in FAMILY if not any(kind.endswith(word) for word in without))
    return [almost(right, wrong, FAMILY[kind], f"{what} {kind}") for kind in kinds]


def rights(right: Callable, wrong: Callable, what: str) -> list[Callable]:
    """Two right functions: one differs by less than the tolerance, and one has an output far from 0."""
    return [almost(right, wrong, keep, f"{what} {kind}") for kind, keep in RIGHT.items()]
