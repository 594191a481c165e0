"""Return whether it is a row of weights: no entry below 0 or nan, and a sum of 1 within 1e-5."""

import torch
from torch import inf, nan, tensor

from course.learn.record import Exercise

OFF = (0, 0, 1e-6, 8e-6, 1.6e-5, 2.6e-5, 4e-5, 7e-5, 5e-4, 5e-3, 0.05)  # from a sum of 1
ROWS = (
    [0.5, 0.5], [1.5, -0.5], [0.25, 0.25], [1.0, 0.0], [1.0], [-1.0], [0.9, 0.3, -0.2], [nan, 1.0],
    [1.0, nan], [1.0, 1.0, 1.0], [inf, -inf], [1.0, inf], [0.1] * 6 + [0.4 + 5e-7],
    [-0.5, 1.5], [0.125] * 8 + [-0.25, 0.25], [-0.0, 1.0], [1 - 6e-6], [1.0, -0.5, 1.0, -0.5], [0.5, 0.5, -1e-9], [0.5, 0.5, -1e-11], [1.000005, 0.0],
    *([2**-14 * sum] * 2**14 for sum in (1, 1 + 2**-13)),  # many small weights
    *([0.5, 0.5 - off] for off in OFF[2:]),
)

def drawn(d):
    row = d.shares(d.choice([2, 3, d.size(least=2), 300]))
    row[row.argmin()] += d.choice(OFF)
    if d.n % 4 == 0:  # the same sum, with an entry below 0
        less = d.choice([1.0, 0.25, 1e-9])
        row[0], row[1] = row[0] + row[1] + less, -less
    return (row,)

E = Exercise(__name__, inputs=[(tensor(row),) for row in ROWS], draw=drawn, n_drawn=32)

@E.answer
def is_weights(row):
    sums_to_1 = abs(float(row.sum()) - 1) < 1e-5
    return bool((row >= 0).all()) and sums_to_1

E.slip("bool((row >= 0).all()) and ", "", """you return True for [1.5, -0.5], which sums to 1.
    But a share can't be below 0, so check every entry as well.""")
E.slip(" and sums_to_1", "", "you check only the signs, but what is the sum of [0.25, 0.25]?")
EXACT = """you ask for a sum of exactly 1, or almost exactly 1. In floating point, a correct row can
    sum to 0.9999999, so allow a small difference, 1e-5 here."""
for tolerance in ("1e-20", "5e-6", "9e-7"):
    E.slip("1e-5", tolerance, EXACT)
WIDE = "your tolerance is too large: you accept a sum that is off by 0.00003. Allow at most 1e-5."
for tolerance in ("5e-5", "1e-4", "1e-3", "1e-2"):
    E.slip("1e-5", tolerance, WIDE)
E.slip(">=", ">", """you reject a weight of 0, but [1, 0] is a correct row: it listens to only one
    word. Which comparison allows 0?""")
E.slip(">= 0", "<= 1", """you check that no entry is above 1, so you return True for [0.9, 0.3,
    -0.2]. Check the other side. What is the smallest possible share?""")
E.slip(">= 0", ">= -1e-5", """you accept an entry a little below 0. The sum is rounded, so it needs
    a tolerance. A single entry isn't, so it has to be at least 0.""")
E.mistake(lambda row: bool((row >= 0).all()) and torch.allclose(row / row.sum(), row), """you
    compare each weight with its share of the sum. If there are many small weights, each can be
    nearly right although the sum is wrong. Compare the sum itself with 1.""")
E.slip("abs", "", """you accept a sum that is too small: the sum of [0.25, 0.25] is 0.5 below 1.
    Take `abs`.""")
E.mistake(lambda row: not ((row < 0).any() or abs(float(row.sum()) - 1) > 1e-5), """your answers
    are right for numbers, but you accept a row with nan. A comparison such as `nan < 0`
    is False, so your tests for bad values don't find nan. Instead, test for what must be true,
    `>= 0` and `< 1e-5`.""")
E.mistake(lambda row: tensor(is_weights(row)), """your answer is right, but it is a tensor.
    `bool(...)` turns it into a plain True or False.""")

E.hint("""A row of weights has to meet two conditions. Which one does [1.5, -0.5] break, and which
    one does [0.25, 0.25] break?""")
E.hint("""`(row >= 0).all()` checks one condition. The distance of `row.sum()` from 1 checks the
    other.""")
E.hint("Use `bool((row >= 0).all())` and `abs(float(row.sum()) - 1) < 1e-5`. nan fails both.")
