"""Return the x whose running means are `means`, (B, T, C): row t is the mean of rows 0 to t."""

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

E.slip("means * count", "means", """you subtract each mean from the next one. The difference of
    two sums is the new row, but the difference of two means isn't, because they are means of
    different numbers of rows. Turn the means into sums first.""")
E.slip("    rows[:, 1:] = sums[:, 1:] - sums[:, :-1]\n", "", """you return the running sums. Row
    t is the last row added, which is one sum minus the sum before it.""")
E.slip("rows[:, 1:]", "rows = sums.roll(1, dims=1)\n    rows[:, 1:]", """your row 0 is the last
    running sum, because `roll` moves the end to the front. The first mean is row 0 itself.""")
E.slip("(1, means.shape[1] + 1)", "(means.shape[1])", """your counts begin at 0, but the mean in
    row 0 is of one row, and the mean in row t is of t + 1.""")
E.slip("arange(1, means.shape[1] + 1)[:, None]", "tensor(means.shape[1])", """you multiply every
    mean by T, but the mean in row t is of t + 1 rows, not T.""")
E.slip("sums[:, 1:] - sums[:, :-1]", "sums[:, :-1] - sums[:, 1:]", """the signs of all your rows
    except the first are wrong. Which of the two sums adds more rows?""")
E.slip("rows = sums.clone()\n", "return sums[:, 1:] - sums[:, :-1]\n    rows = sums\n", """your
    rows are right, but the first is missing, because T sums have only T - 1 differences. Row 0 is
    the first mean itself.""")

@E.mistake
def averaged_again(means):
    """you averaged the means again. Do the reverse: compute the rows from their means."""
    return means.cumsum(dim=1) / torch.arange(1, means.shape[1] + 1)[:, None]

@E.mistake
def in_place(means):
    """your rows are right, but you overwrite the input `means`. Make a new tensor."""
    means *= torch.arange(1, means.shape[1] + 1)[:, None]
    return torch.diff(means, dim=1, prepend=torch.zeros_like(means[:, :1]))

@E.law
def means_come_back(rows, means):
    """the running means of the rows have to be `means`"""
    count = torch.arange(1, means.shape[1] + 1)[:, None]
    return close(rows.cumsum(dim=1) / count, means)

E.hint("You know the mean of t + 1 rows. What is their sum? And the sum of the first t rows?")
E.hint("Multiply the mean in row t by t + 1. Row t is that sum minus the sum one row above.")
E.hint("""`count = torch.arange(1, T + 1)[:, None]` and `sums = means * count`. Then `sums[:, 1:] -
    sums[:, :-1]` are the rows from 1 on, and row 0 is `sums[:, 0]`.""")
