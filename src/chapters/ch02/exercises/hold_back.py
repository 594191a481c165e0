"""Return the first int(train_fraction * len(ids)) ids, and the rest."""

import torch

from course.learn.record import Exercise


def drawn(d):
    fractions = (0, 1, 0.0, 1.0, 1 / 3, d.random(), d.randint(1, 99) / 100, d.randint(1, 9) / 10)
    return d.whole(0, d.choice((5, 50_000)), d.size(1 + d.n // 2)), fractions[d.n % 8]

ROW = torch.arange(1, 400, 7) % 50
CASES = ((3, 0.5), (7, 0.6), (3, 1), (3, 0.0), (11, 0.9), (10, 0.9), (10, 0.7), (50, 0.58))
E = Exercise(__name__, [(ROW[:size], fraction) for size, fraction in CASES], drawn)

@E.answer
def hold_back(ids, train_fraction):
    n = int(train_fraction * len(ids))
    return ids[:n], ids[n:]

BOTH, N = "ids[:n], ids[n:]", "int(train_fraction * len(ids))"
E.slip(BOTH, "ids[n:], ids[:n]", """the two parts come in the wrong order: the part to train on
    first, then the rest.""")
E.slip("ids[n:]", "ids[n - 1 :]", """the two parts share an id: the one at place n - 1 is in both.
    A slice stops before its end, so the second part begins where the first one stopped.""")
E.slip(BOTH, "ids.split(n)", """`split` with one number cuts pieces of that size, as many as it
    takes. Give it both lengths: `[n, len(ids) - n]`.""")
E.slip("ids[n:]", "ids[n + 1 :]", """one id is in neither part: the one at place n. A slice
    includes its beginning.""")
E.slip(BOTH, "ids[len(ids) - n :], ids[: len(ids) - n]", """you hold back the beginning of the
    text. The sizes are right; train on the beginning and hold back the end.""")
E.slip("int(train_fraction", "int((1 - train_fraction)", """`train_fraction` is the share to train
    on; you used it for the part that is held back.""")
E.slip("int(", "round(", """`round` goes up as well as down. The rule asked for is `int`, which
    drops what stands behind the point.""")
E.slip(N, "-int(-train_fraction * len(ids) // 1)", """your first part is rounded up. The rule asked
    for is `int`, which drops what stands behind the point.""")
E.slip(N, "len(ids) - int((1 - train_fraction) * len(ids))", """what is dropped behind the point is
    missing from your second part. The rule asked for rounds the first part down.""")
E.slip("train_fraction * len", "0.9 * len", """you always train on nine tenths: `train_fraction`
    plays no part in it.""")
for wrong in ("ids[:n], ids[-(len(ids) - n) :]", "ids[: n - len(ids)], ids[n - len(ids) :]"):
    E.slip(BOTH, wrong, """right as long as something is held back. At a fraction of 1 nothing is,
        and places counted from the end fail: `-0` is 0, the beginning. Count n from the front.""")

@E.law
def lengths_add_up(parts, ids, train_fraction):
    """no id may be lost or used twice: the lengths have to add up"""
    return sum(len(part) for part in parts) == len(ids)

@E.law
def parts_are_the_text(parts, ids, train_fraction):
    """the two parts, one behind the other, have to be the text again"""
    return torch.equal(torch.cat(parts), ids)

E.hint("How many ids are in the first part? Work that number out, and call it n.")
E.hint("n is `int(train_fraction * len(ids))`. Both parts are slices, cut at the same place.")
E.hint("`ids[:n]` and `ids[n:]`, returned together.")
