"""Return the (T, T) weights that make every position the average of its past."""

import torch

from chapters.laws import nothing_ahead, rows_sum_to_1
from course.learn.record import Exercise

E = Exercise(__name__, inputs=[(2,), (3,), (5,), (1,)], n_drawn=9,
             draw=lambda d: (d.randint(6, 9 if d.n < 3 else 90),))

@E.answer
def averaging_weights(T):
    ones = torch.tril(torch.ones(T, T))
    return ones / ones.sum(dim=1, keepdim=True)

E.slip("dim=1", "dim=0", """your columns sum to 1, not your rows: `dim=0` sums down the columns. A
    position's shares are its row, so each row has to sum to 1.""")
E.slip(", keepdim=True", "", """you divide column j by the sum of row j: without `keepdim=True` the
    row sums have only one axis, which counts as a row. Keep them as a column.""")
E.slip("ones / ones.sum(dim=1, keepdim=True)", "ones", """you haven't divided yet, so row t sums
    to t + 1. Divide each row by its sum.""")
E.slip("torch.tril(torch.ones(T, T))", "torch.ones(T, T)", """each of your rows averages the whole
    sequence, so every position sees its future. Keep the lower triangle before you normalise.""")
E.slip("ones.sum(dim=1, keepdim=True)", "T", """you divided by T, so only the last row sums to 1.
    Divide each row by the number of ones left in it after `tril`.""")
E.slip("tril", "triu", """you kept the upper triangle, so each position averages itself and
    its future.""")
E.slip("(T, T))", "(T, T), diagonal=-1)", """your diagonal is missing, so no position takes anything
    from itself, and row 0 is 0 / 0 = nan. `torch.tril` keeps the diagonal unless you tell it not
    to.""")
E.slip("(T, T))", "(T, T), diagonal=1)", """your triangle reaches one step too far, as with
    `diagonal=1`. So every position sees the next one, which it has to predict.""")

E.law(rows_sum_to_1, nothing_ahead)
E.hint("Row t has t + 1 equal shares and then zeros. What is one share?")
E.hint("Start from ones on and below the diagonal (`torch.tril`), and look at each row's sum.")
E.hint("""Divide by `ones.sum(dim=1, keepdim=True)`. Without `keepdim` the sums would lie along the
    wrong axis.""")
