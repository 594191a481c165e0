"""`means`, (B, T, C), holds in row t the mean of rows 0 to t of some x. Return that x."""

import torch

from chapters.laws import close
from course.learn.draws import quarters
from course.learn.record import Exercise

SMALL = torch.tensor([[[2.0], [3.0]]]), torch.tensor([[[6.0, 1.0], [3.0, 1.0], [5.0, 1.0]]])
E = Exercise(__name__, inputs=[(SMALL[0],), (SMALL[1],), (quarters(2, 5, 3, seed=2),)],
             draw=lambda d: (d.tensor(*(d.sizes(3) if d.n else (1, 40, 1)), scales=(1, 100)),))

@E.answer
def rows_from_means(means):
    count = torch.arange(1, means.shape[1] + 1)[:, None]  # (T, 1): rows that each mean holds
    sums = means * count
    rows = sums.clone()
    rows[:, 1:] = sums[:, 1:] - sums[:, :-1]
    return rows

E.slip("means * count", "means", """you take each mean from the next. The difference of two sums
    is the new row; that of two means is not, since each is of another number of rows. Make sums of
    the means first.""")
E.slip("    rows[:, 1:] = sums[:, 1:] - sums[:, :-1]\n", "", """these are the running sums. Row t
    is what was added last: one sum less the sum before it.""")
E.slip("rows[:, 1:]", "rows = sums.roll(1, dims=1)\n    rows[:, 1:]", """row 0 of yours is the last
    running sum: `roll` brings the end round to the front. The first mean is row 0 itself.""")
E.slip("(1, means.shape[1] + 1)", "(means.shape[1])", """your counts begin at 0, but the mean in
    row 0 holds one row already, and the mean in row t holds t + 1.""")
E.slip("arange(1, means.shape[1] + 1)[:, None]", "tensor(means.shape[1])", """you multiply every
    mean by T, but the mean in row t holds t + 1 rows, not T.""")
E.slip("sums[:, 1:] - sums[:, :-1]", "sums[:, :-1] - sums[:, 1:]", """the signs of all rows but the
    first are turned: which of the two sums is the longer one?""")
E.slip("rows = sums.clone()\n", "return sums[:, 1:] - sums[:, :-1]\n    rows = sums\n", """the rows
    are right, but the first is missing: T sums have only T - 1 differences. Row 0 is the first
    mean itself.""")

@E.mistake
def averaged_again(means):
    """you average the means once more. Here the way is back: from the means to the rows."""
    return means.cumsum(dim=1) / torch.arange(1, means.shape[1] + 1)[:, None]

@E.mistake
def in_place(means):
    """the rows are right, but the means that came in are overwritten. Make a new tensor."""
    means *= torch.arange(1, means.shape[1] + 1)[:, None]
    return torch.diff(means, dim=1, prepend=torch.zeros_like(means[:, :1]))

@E.law
def means_come_back(rows, means):
    """averaged again, the rows have to give the means that came in"""
    count = torch.arange(1, means.shape[1] + 1)[:, None]
    return close(rows.cumsum(dim=1) / count, means)

E.hint("The mean of t + 1 rows is known. What is their sum? And the sum of the t rows before?")
E.hint("Multiply the mean in row t by t + 1. Row t is that sum less the sum one row above.")
E.hint("""`count = torch.arange(1, T + 1)[:, None]` and `sums = means * count`. Then `sums[:, 1:] -
    sums[:, :-1]` are the rows from 1 on, and row 0 is `sums[:, 0]`.""")
