"""Return True if the row is one of weights: no entry below 0 or nan, sum 1 to within 1e-5."""

import torch
from torch import inf, nan, tensor

from course.learn.record import Exercise

OFF = (0, 0, 1e-6, 8e-6, 1.6e-5, 2.6e-5, 4e-5, 7e-5, 5e-4, 5e-3, 0.05)  # from a sum of 1
ROWS = (
    [0.5, 0.5], [1.5, -0.5], [0.25, 0.25], [1.0, 0.0], [1.0], [-1.0], [0.9, 0.3, -0.2], [nan, 1.0],
    [1.0, nan], [1.0, 1.0, 1.0], [inf, -inf], [1.0, inf], [0.1] * 6 + [0.4 + 5e-7],
    [1.0, -0.5, 1.0, -0.5], [0.5, 0.5, -1e-9], [0.5, 0.5, -1e-11], [1.000005, 0.0],
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

E.slip("bool((row >= 0).all()) and ", "", """[1.5, -0.5] sums to 1 too, and you let it pass. A
    share below 0 is none: check all single entries as well.""")
E.slip(" and sums_to_1", "", "you check the signs only: [0.25, 0.25] passes. What is its sum?")
EXACT = """you ask for a sum of exactly 1, or nearly so. In floating point a correct row may sum to
    0.9999999: allow a small difference, 1e-5 here."""
for tolerance in ("1e-20", "5e-6", "9e-7"):
    E.slip("1e-5", tolerance, EXACT)
WIDE = "your tolerance is too wide: a row whose sum is off by 0.00003 passes. Allow 1e-5, no more."
for tolerance in ("5e-5", "1e-4", "1e-3", "1e-2"):
    E.slip("1e-5", tolerance, WIDE)
E.slip(">=", ">", """you refuse a weight of 0, but [1, 0] is a fair row: it listens to one only.
    Which comparison lets 0 in?""")
E.slip(">= 0", "<= 1", """you check that no entry is above 1, which [0.9, 0.3, -0.2] passes. Check
    the other side: what is the smallest share there is?""")
E.slip(">= 0", ">= -1e-5", """an entry a little below 0 passes. The sum is rounded, so it needs a
    tolerance; an entry is what it is, and 0 is the least it may be.""")
E.mistake(lambda row: bool((row >= 0).all()) and torch.allclose(row / row.sum(), row), """you compare
    each weight with what it would be if the sum were 1. Of many small weights each is nearly right where the sum is
    not. Compare the sum.""")
E.slip("abs", "", "the sum may be too small as well: [0.25, 0.25] is 0.5 below 1. Take `abs`.")
E.mistake(lambda row: not ((row < 0).any() or abs(float(row.sum()) - 1) > 1e-5), """right for
    numbers, but a row with nan in it passes. A comparison with nan is False, so it isn't found by what you
    refuse. Ask what has to hold, `>= 0` and `< 1e-5`, instead.""")
E.mistake(lambda row: tensor(is_weights(row)), """right, but your answer is a tensor of one
    element. `bool(...)` makes a plain True or False of it.""")

E.hint("Two things make a row of weights. Which does [1.5, -0.5] break, which [0.25, 0.25]?")
E.hint("`(row >= 0).all()` answers one, the distance of `row.sum()` from 1 the other.")
E.hint("`bool((row >= 0).all())` and `abs(float(row.sum()) - 1) < 1e-5`. nan fails both.")
