"""Return the mean of the past of every position of x, shape (B, T, C)."""

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

E.slip(" / weights.sum(dim=1, keepdim=True)", "", """these are running sums, not means: row t still
    has to be divided by the number of rows it holds, t + 1.""")
E.slip("(T, T))", "(T, T), diagonal=-1)", """position t is missing from its own past, and at t = 0
    nothing is left, whose mean is nan. A slice that begins the past has to end at `t + 1`, a
    triangle has to keep its diagonal.""")
E.slip("torch.tril(torch.ones(T, T))", "torch.ones(T, T)", """every row of yours is the mean of the
    whole sequence, so each position sees its future. Which rows may position 0 use?""")
E.slip("tril", "triu", """yours is the mean of the future: ones on and above the diagonal give
    that. `tril` keeps the lower triangle, `triu` the upper one.""")
E.slip("weights.sum(dim=1, keepdim=True)", "T", """you divide every running sum by T, but row t
    holds only t + 1 rows: row 0 should stay as it is.""")
E.slip("dim=1", "dim=0", """your weights' columns sum to 1, not their rows: which axis does your
    sum run over? Row 0 of the result should be x's own row 0.""")
E.slip(", keepdim=True", "", """in your weights column j is divided by row j's sum: without
    `keepdim=True` the row sums have one axis and count as a row. Keep them as a column.""")
E.slip("(T, T))", "(T, T), diagonal=1)", """each position of yours also averages the next one,
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
    """row 0 of each sequence has to stay as it is: it has no other past"""
    return close(out[:, 0], x[:, 0])

@E.law
def last_row_is_the_mean_of_all(out, x):
    """the last row has to be the mean of all rows"""
    return close(out[:, -1], x.mean(dim=1))

E.hint("Which rows of x does row t of the result need? Write them as a slice.")
E.hint("""The slice is `x[b, : t + 1]`. Average it over its first axis, or build the (T, T) matrix
    whose row t holds t + 1 equal shares.""")
E.hint("""`weights = torch.tril(torch.ones(T, T))`, divided by its row sums with `keepdim=True`,
    then `weights @ x`.""")
