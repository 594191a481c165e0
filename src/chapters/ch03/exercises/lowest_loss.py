"""Return the lowest mean loss, in nats, that any table can have on these counted pairs."""

import torch

from chapters.laws import no_loss_is_negative
from course.learn.record import Exercise


def drawn(d):
    V = d.size()
    counts = d.whole(0, d.choice((3, 10, 5000)), V, V) * d.mask(V, V)
    counts[:, d.randrange(V)] += 1  # every row has some
    return (counts * d.choice((1, 1, 1000)),)

TABLES = [[2, 1], [1, 4]], [[3]], [[0, 5], [2, 0]], [[1, 0, 5], [2, 2, 2], [0, 7, 0]]
E = Exercise(__name__, [(torch.tensor(table),) for table in TABLES], drawn)

@E.answer
def lowest_loss(counts):
    shares = counts.double() / counts.sum(dim=1, keepdim=True)
    happened = counts > 0  # 0 * log 0 would be nan
    return float(-(counts[happened] * shares[happened].log()).sum() / counts.sum())

SHARES = "counts.double() / counts.sum(dim=1, keepdim=True)"
LOSS = "-(counts[happened] * shares[happened].log()).sum() / counts.sum()"
E.slip("dim=1", "dim=0", """your columns sum to 1, not your rows: these shares say what came
    *before* each character. The table must say what follows.""")
E.slip(", keepdim=True", "", """column j is divided by row j's sum: without `keepdim=True` the row
    sums have one axis and count as a row. Keep them as a column.""")
E.slip(LOSS, "-torch.xlogy(shares, shares).sum(dim=1).mean()", """every row counts alike in your
    mean. A row whose character occurs more often has more guesses in it and weighs more.""")
E.slip(LOSS, "-shares[happened].log().mean()", """every pair counts once in your mean. A pair that
    occurred 9 times is 9 guesses.""")
E.slip("dim=1, keepdim=True", "", """with shares of the whole table this is the cost of guessing
    both characters of a pair. The first one is given: each row has its own sum.""")
E.slip("counts > 0", "counts > -1", """right while no count is 0. Elsewhere this is 0 times minus
    infinity, which is nan. A pair that never occurred has no cost: leave it out.""")
E.slip(SHARES, "(counts + 1.0).log().softmax(-1)", """this is the loss of the table with 1 added to
    each count. That is a good table for new text, but not the best one for these pairs.""")
E.slip(" / counts.sum())", ")", """this is the cost of all pairs together. Divide by how many there
    are.""")
E.slip(".log()", ".log2()", "this loss is in bits. The unit here is the nat.")
E.slip(SHARES, "(counts.sum(0) + 0 * counts).double() / counts.sum()", """this is the loss of
    knowing the frequencies only. The last character is known too: each row has its own shares.""")
SOFTMAX = """this is the loss after a softmax over the counts, as if they were logits. Their shares
    are just each count divided by the sum of its row."""
E.slip("shares[happened].log()", "torch.log_softmax(counts.double(), dim=-1)[happened]", SOFTMAX)
E.slip(SHARES, "torch.softmax(counts.double(), dim=-1)", SOFTMAX)

E.law(no_loss_is_negative)

@E.law
def no_higher_than_frequencies(loss, counts):
    """the loss has to be no higher than that of a table that only knows the frequencies"""
    times = counts.sum(dim=0).double()
    return loss <= -torch.xlogy(times, times / times.sum()).sum() / times.sum() + 1e-4

@E.law
def no_lower_than_all_likeliest(loss, counts):
    """no table can reach less than if each pair cost as little as its row's most frequent one"""
    rows, largest = counts.sum(dim=1).double(), counts.amax(dim=1)
    return loss >= -(rows * (largest / rows).log()).sum() / rows.sum() - 1e-4

E.hint("The best table gives each row its own shares. What does one pair cost under them?")
E.hint("""The shares are `counts / counts.sum(dim=1, keepdim=True)`. Each pair costs minus the
    logarithm of its share, and it occurred `counts` times.""")
E.hint("""Keep what happened (`counts > 0`), add up `-counts * shares.log()` there, and divide by
    `counts.sum()`.""")
