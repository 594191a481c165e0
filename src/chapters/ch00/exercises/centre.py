"""Subtract the mean of its own channels from every vector of x, which has shape (B, T, C)."""

import torch

from chapters.laws import TOLERANCE
from course.learn.draws import quarters
from course.learn.record import Exercise

INPUTS = [torch.tensor([[[1.0, 3.0], [4.0, 8.0]]]), torch.tensor([[[5.0]]]), quarters(1, 3, 3), quarters(3, 3, 3)]
E = Exercise(__name__, [(x,) for x in INPUTS],
    draw=lambda d: (d.tensor(*d.sizes(3), scales=(1, 100, 1 / 16)) + d.choice((0, 5)),))

@E.answer
def centre(x):
    return x - x.mean(dim=-1, keepdim=True)

ALL = "x - x.mean(dim=-1, keepdim=True)"
E.slip(", keepdim=True", "", """without `keepdim=True` the means have the shape (B, T). Lined up
    from the right, their T meets the channels of x. If T = C, or if a size is 1, that can run and
    give a wrong result; otherwise it raises an error.""")
E.slip("dim=-1", "dim=1", """you averaged over the positions: each channel loses its mean over the
    sequence. Which axis holds the numbers of one vector?""")
E.slip("dim=-1", "dim=0", """you averaged over the batch, so each sequence depends on the others. Which
    axis holds the numbers of one vector?""")
E.slip("dim=-1, keepdim=True", "", """`x.mean()` is a single mean of the whole tensor, but every
    vector has its own mean. Along which axis do you have to average?""")
E.slip("x - ", "", "you return the means. You still have to subtract them from x.")
E.slip("mean", "sum", "you subtracted the sum of the vector, not its mean.")
E.slip("x - ", "x / ", "you divided by the mean. Subtract it instead, so that every vector's mean becomes 0.")
E.slip(ALL, "x.sub_(x.mean(2, True))", """your numbers are right, but you changed `x` itself (`-=`
    writes into it), and the caller may still need it. Return a new tensor: `x - ...`.""")
for normed in "torch.layer_norm(x, x.shape[-1:])", f"({ALL}) / x.std(dim=-1, keepdim=True)":
    E.slip(ALL, normed, "you also made the spread of every vector 1. Subtract only the mean.")
E.slip("dim=-1", "dim=(1, 2)", "you subtract one mean from each sequence. But every vector has its own mean.")
E.slip(ALL, "x - x.median(-1, True).values", "you subtracted the median, not the mean.")
E.slip("x - x", "x - x[0]", "you subtract the first sequence's means from every sequence. Use each sequence's own.")

@E.law
def every_mean_is_0(out, x):
    """the mean of every vector's channels has to be 0"""
    return bool((out.mean(dim=-1).abs() <= TOLERANCE * max(1.0, float(x.abs().max()))).all())

E.hint("What shape do the means have, if each of the (B, T) vectors has one?")
E.hint("""To be subtracted, the means must line up with (B, T, C). So they need an axis of size 1 in
    place of the channels.""")
E.hint("`x.mean(dim=-1, keepdim=True)` has the shape (B, T, 1), so it is repeated along C.")
