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
E.slip("dim=1", "dim=0", """your columns sum to 1, not your rows, so your shares show what came
    *before* each character. The table must show what follows.""")
E.slip(", keepdim=True", "", """you divide column j by the sum of row j: without `keepdim=True` the
    row sums have only one axis, which counts as a row. Keep them as a column.""")
E.slip(LOSS, "-torch.xlogy(shares, shares).sum(dim=1).mean()", """your mean gives every row the same
    weight. But a row whose character occurs more often stands for more guesses.""")
E.slip(LOSS, "-shares[happened].log().mean()", """your mean counts every pair once. But a pair that
    occurred 9 times is 9 guesses.""")
E.slip("dim=1, keepdim=True", "", """you divide by the sum of the whole table, so you return the
    cost of guessing both characters of a pair. But the first one is given, so divide each row by
    its own sum.""")
E.slip("counts > 0", "counts > -1", """your function is right until a count is 0. Then it computes 0
    times minus infinity, which is nan. A pair that never occurred has no cost, so leave it
    out.""")
E.slip(SHARES, "(counts + 1.0).log().softmax(-1)", """you return the loss of the table with 1
    added to each count. That table is good for new text, but it isn't the best for these pairs.""")
E.slip(" / counts.sum())", ")", """you return the cost of all pairs. Divide it by the number of
    pairs.""")
E.slip(".log()", ".log2()", "your loss is in bits. The unit here is the nat.")
E.slip(SHARES, "(counts.sum(0) + 0 * counts).double() / counts.sum()", """you return the
    loss of a table that knows only the frequencies. But the last character is known, so each row
    has its own shares.""")
SOFTMAX = """you apply softmax to the counts, as if they were logits. But a share is a count
    divided by the sum of its row."""
E.slip("shares[happened].log()", "torch.log_softmax(counts.double(), dim=-1)[happened]", SOFTMAX)
E.slip(SHARES, "torch.softmax(counts.double(), dim=-1)", SOFTMAX)

E.law(no_loss_is_negative)

@E.law
def no_higher_than_frequencies(loss, counts):
    """the loss mustn't be higher than that of a table that knows only the frequencies"""
    times = counts.sum(dim=0).double()
    return loss <= -torch.xlogy(times, times / times.sum()).sum() / times.sum() + 1e-4

@E.law
def no_lower_than_all_likeliest(loss, counts):
    """the loss can't be lower than if each pair were the most frequent one of its row"""
    rows, largest = counts.sum(dim=1).double(), counts.amax(dim=1)
    return loss >= -(rows * (largest / rows).log()).sum() / rows.sum() - 1e-4

E.hint("The best table gives each row its own shares. What does one pair cost with these shares?")
E.hint("""The shares are `counts / counts.sum(dim=1, keepdim=True)`. Each pair costs minus the
    logarithm of its share, and it occurred `counts` times.""")
E.hint("""Keep only the pairs that occurred (`counts > 0`), add up their `-counts * shares.log()`,
    and divide by `counts.sum()`.""")
