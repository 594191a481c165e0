"""Return the k that, added to all counts of one text, gives the lowest loss on another text."""

import torch

from course.learn.record import Exercise


def drawn(d):
    """Texts for which one k is clearly best, but not the first, last, smallest or largest."""
    V = 2 + d.size()
    while True:
        often = d.whole(0, d.choice((4, 30)), V, V) * d.whole(0, 2, V, V)
        train, val = (often * d.whole(0, 3, V, V) * d.whole(0, 3, V, 1) for _ in range(2))
        train, val = train + d.whole(0, 2, V, V), val + d.whole(0, 2, V, V)
        train[d.randrange(V)] *= d.n % 3 != 0  # never the last character: its row is all k
        if d.n % 3 == 1:  # texts so different that every table is worse than knowing nothing
            train[0] += 10_000 + 1_000_000 * (val[0] == 0)
            val[0] *= 9
        ks = d.sample((0.01, 0.05, 0.25, 1.0, 4.0, 15.0, 60.0, 250.0), d.randint(3, 6))
        tables = train + torch.tensor(ks).double()[:, None, None]
        costs = val * (tables.sum(dim=-1, keepdim=True) / tables).log()
        losses, places = (costs.sum(dim=(1, 2)) / val.sum()).sort()
        clear = losses[1] > losses[0] + 0.005 and losses[0].exp() > V * (d.n % 3 == 1)
        if clear and ks[places[0]] not in (ks[0], ks[-1], min(ks), max(ks)):
            return train, val, ks

SMALL = torch.tensor([[3, 1], [0, 2]]), torch.tensor([[2, 1], [1, 3]]), [4.0, 1.0, 0.05]
LARGER = torch.tensor([[6, 1], [1, 8]]), torch.tensor([[2, 1], [2, 4]]), [60.0, 8.0, 6.0, 1.0]
TWO, ONE = (*SMALL[:2], [4.0, 1.0]), (*SMALL[:2], [4.0])
UNLIKE = torch.tensor([[900, 100], [0, 2]]), torch.tensor([[0, 4], [2, 8]]), [60.0, 1.0, 0.25, 4.0]
E = Exercise(__name__, [SMALL, LARGER, UNLIKE, TWO, ONE], drawn)

@E.answer
def best_smoothing(train_counts, val_counts, ks):
    losses = []
    for k in ks:
        table = train_counts.double() + k
        shares = table / table.sum(dim=1, keepdim=True)
        losses.append(float(-(val_counts * shares.log()).sum() / val_counts.sum()))
    best = losses.index(min(losses))
    return ks[best]

E.slip("ks[best]", "min(ks)", """you always return the smallest k, which is the best k for the
    pairs of the first text. Judge the tables on the pairs of the second text.""")
for old, new in (("ks[best]", "max(ks)"), ("table.sum(dim=1", "train_counts.sum(dim=1")):
    E.slip(old, new, """you nearly always return the largest k. Do the rows of your tables still
        sum to 1 after you add k to every count? And does each pair count as often as
        it occurred?""")
E.slip("ks[best]", "best", """you return the index of the best k in `ks`. Return the k at that
    index.""")
E.slip("min(losses)", "max(losses)", "you return the k with the highest loss. Is a sign wrong?")
E.slip("ks[best]", "ks[0]", """you always return the first number of `ks`. Do you compare the losses
    of all of them, and does each loss depend on its k?""")
E.mistake(lambda train, val, ks: best_smoothing(val, train, ks), """you swapped the texts: the
    counts of the first text make the table, and you judge that table on the second text.""")
E.slip("dim=1", "dim=0", """your columns sum to 1, not your rows, so your shares show what came
    before each character. The table must show what follows.""")
E.slip(", keepdim=True", "", """you divide column j by the sum of row j: without `keepdim=True` the
    row sums have only one axis, which counts as a row. Keep them as a column.""")
E.slip("val_counts * s", "(val_counts > 0) * s", """your mean counts every pair once. But a
    pair that occurred 9 times is 9 guesses.""")
E.slip("() + k", "() + sum(ks[: len(losses) + 1])", """you add each k to counts that already
    contain the ks before it. Start each round from the original counts.""")

@E.law
def one_of_the_ks(k, train_counts, val_counts, ks):
    """the answer has to be one of the numbers in ks"""
    return any(abs(k - other) <= 1e-4 * other for other in ks)

E.hint("Begin with one k: what is the loss of its table on the second text?")
E.hint("""Its table is `train_counts + k`, each row divided by its sum. A pair costs minus the
    logarithm of its share, and it occurred `val_counts` times.""")
E.hint("""Put the losses of all ks into a list, in their order. `losses.index(min(losses))` is the
    index of the lowest, and the best k has the same index in `ks`.""")
