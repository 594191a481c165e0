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
E.slip(BOTH, "ids[n:], ids[:n]", """you return the two parts in the wrong order. First return the
    part to train on, then the rest.""")
E.slip("ids[n:]", "ids[n - 1 :]", """the id at index n - 1 is in both of your parts. A slice stops
    before its end, so the second part begins at n.""")
E.slip(BOTH, "ids.split(n)", """`split` with one number cuts the whole text into pieces of that size.
    Give it both lengths: `[n, len(ids) - n]`.""")
E.slip("ids[n:]", "ids[n + 1 :]", """the id at index n is in neither of your parts. A slice
    includes its start.""")
E.slip(BOTH, "ids[len(ids) - n :], ids[: len(ids) - n]", """your sizes are right, but you
    hold back the beginning of the text. Train on the beginning and hold back the end.""")
E.slip("int(train_fraction", "int((1 - train_fraction)", """you use `train_fraction` for the
    part that is held back, but it is the share to train on.""")
E.slip("int(", "round(", """you use `round`, which can also round up. The exercise asks for `int`,
    which drops the digits after the decimal point.""")
E.slip(N, "-int(-train_fraction * len(ids) // 1)", """you round the length of your first part up.
    The exercise asks for `int`, which drops the digits after the decimal point.""")
E.slip(N, "len(ids) - int((1 - train_fraction) * len(ids))", """you round the length of
    the second part down. The exercise asks you to round the length of the first part down.""")
E.slip("train_fraction * len", "0.9 * len", """you always train on nine tenths, and don't use
    `train_fraction`.""")
for wrong in ("ids[:n], ids[-(len(ids) - n) :]", "ids[: n - len(ids)], ids[n - len(ids) :]"):
    E.slip(BOTH, wrong, """your function is right as long as the second part has ids. With a
        fraction of 1 it has none, and counting from the end fails, because `-0` is 0, the
        beginning. Count n from the beginning.""")

@E.law
def lengths_add_up(parts, ids, train_fraction):
    """the lengths of the two parts have to add up to len(ids), so that no id is lost or used
    twice"""
    return sum(len(part) for part in parts) == len(ids)

@E.law
def parts_are_the_text(parts, ids, train_fraction):
    """joining the two parts has to give back the text"""
    return torch.equal(torch.cat(parts), ids)

E.hint("How many ids are in the first part? Compute that number, and call it n.")
E.hint("n is `int(train_fraction * len(ids))`. Both parts are slices, cut at the same place.")
E.hint("Return `ids[:n]` and `ids[n:]` together.")
