"""Return the mean of each position's past, for x of shape (B, T, C)."""

import torch

from chapters.laws import close
from course.learn.draws import quarters
from course.learn.record import Exercise

SMALL = quarters(1, 2, 1), quarters(1, 3, 2, seed=1), quarters(2, 5, 3, seed=2)
E = Exercise(__name__, inputs=[(x,) for x in SMALL],
             draw=lambda d: (d.tensor(*(d.sizes(3) if d.n else (1, 40, 1)), scales=(1, 100)),))

@E.answer
def mean_past(x):
    T = x.shape[1]
    weights = torch.tril(torch.ones(T, T))
    weights = weights / weights.sum(dim=1, keepdim=True)
    return weights @ x

E.slip(" / weights.sum(dim=1, keepdim=True)", "", """you return running sums, not means. Divide row
    t by t + 1, the number of rows that it adds.""")
E.slip("(T, T))", "(T, T), diagonal=-1)", """you leave position t out of its own past. At t = 0 no
    row is left, and the mean of no rows is nan. A slice has to end at `t + 1`, and a triangle has
    to keep its diagonal.""")
E.slip("torch.tril(torch.ones(T, T))", "torch.ones(T, T)", """each of your rows is the mean of the
    whole sequence, so each position sees its future. Which rows may position 0 use?""")
E.slip("tril", "triu", """each of your rows is the mean of itself and its future. `tril` keeps the
    lower triangle, and `triu` keeps the upper one.""")
E.slip("weights.sum(dim=1, keepdim=True)", "T", """you divide every running sum by T, but row t
    adds only t + 1 rows. Row 0, for example, shouldn't change.""")
E.slip("dim=1", "dim=0", """the columns of your weights sum to 1, not the rows. Which axis does your
    sum run over? Row 0 of the result should be x's row 0.""")
E.slip(", keepdim=True", "", """in your weights you divide column j by the sum of row j: without
    `keepdim=True` the row sums have only one axis, which counts as a row. Keep them as a
    column.""")
E.slip("(T, T))", "(T, T), diagonal=1)", """each of your positions also averages the next one,
    which it has to predict. Where does its past end?""")

@E.mistake
def along_the_channels(x):
    """you average along the channels. In (B, T, C) the positions are axis 1, or -2."""
    return x.cumsum(dim=2) / torch.arange(1, x.shape[2] + 1)

@E.mistake
def in_place(x):
    """you write the means into x itself, so that later rows average rows that are already
    averages. Make a new tensor for the result."""
    for t in range(x.shape[1]):
        x[:, t] = x[:, : t + 1].mean(dim=1)
    return x

@E.law
def row_0_is_its_own_mean(out, x):
    """row 0 of each sequence has to stay unchanged, because its past is only itself"""
    return close(out[:, 0], x[:, 0])

@E.law
def last_row_is_the_mean_of_all(out, x):
    """the last row has to be the mean of all rows"""
    return close(out[:, -1], x.mean(dim=1))

E.hint("Which rows of x does row t of the result need? Write them as a slice.")
E.hint("""The slice is `x[b, : t + 1]`. Average it over its first axis, or build the (T, T) matrix
    whose row t holds t + 1 equal shares.""")
E.hint("""Let `weights = torch.tril(torch.ones(T, T))`, and divide it by its row sums with
    `keepdim=True`. Then return `weights @ x`.""")
