"""Subtract from every vector of x, shape (B, T, C), the mean of its own channels."""

import torch

from course.learn.draws import quarters
from course.learn.laws import TOLERANCE
from course.learn.record import Exercise

INPUTS = [torch.tensor([[[1.0, 3.0], [4.0, 8.0]]]), torch.tensor([[[5.0]]]), quarters(1, 3, 3), quarters(3, 3, 3)]
E = Exercise(__name__, [(x,) for x in INPUTS],
    draw=lambda d: (d.tensor(*d.sizes(3), scales=(1, 100, 1 / 16)) + d.choice((0, 5)),))

@E.answer
def centre(x):
    return x - x.mean(dim=-1, keepdim=True)

ALL = "x - x.mean(dim=-1, keepdim=True)"
E.slip(", keepdim=True", "", """without `keepdim=True` the means have the shape (B, T). Lined up
    from the right, their T meets the channels of x: where T = C, or a size is 1, that can run and
    be wrong; elsewhere it raises.""")
E.slip("dim=-1", "dim=1", """you averaged over the positions: each channel loses its mean over the
    sequence. Which axis holds the numbers of one vector?""")
E.slip("dim=-1", "dim=0", """you averaged over the batch, so one sequence changes the other. Axis 0
    should pass through untouched.""")
E.slip("dim=-1, keepdim=True", "", """`x.mean()` is one number for the whole tensor. Every vector
    has a mean of its own: say along which axis.""")
E.slip("x - ", "", "these are the means. They still have to be subtracted from x.")
E.slip("mean", "sum", "you subtracted the sum of the vector, not its mean.")
E.slip("x - ", "x / ", "you divided by the mean. After subtracting it, every vector's mean is 0.")
E.slip(ALL, "x.sub_(x.mean(2, True))", """the numbers are right, but the tensor that came in has
    changed (`-=` writes into it), and its owner still needs it. Return a new one: `x - ...`.""")
for normed in "torch.layer_norm(x, x.shape[-1:])", f"({ALL}) / x.std(dim=-1, keepdim=True)":
    E.slip(ALL, normed, "the spread of every vector has become 1 too. Only the mean was to go.")
E.slip("dim=-1", "dim=(1, 2)", "each sequence loses one mean. Every vector has one of its own.")
E.slip(ALL, "x - x.median(-1, True).values", "you subtracted the median, not the mean.")
E.slip("x - x", "x - x[0]", "every sequence loses the first one's means. Use each one's own.")

@E.law
def every_mean_is_0(out, x):
    """the channels of every vector have to have the mean 0"""
    return bool((out.mean(dim=-1).abs() <= TOLERANCE * max(1.0, float(x.abs().max()))).all())

E.hint("What shape do the means have, if each of the (B, T) vectors has one?")
E.hint("""To be subtracted they must line up with (B, T, C): an axis of size 1 has to stand where
    the channels were.""")
E.hint("`x.mean(dim=-1, keepdim=True)` has the shape (B, T, 1) and is stretched along C.")
