"""Join what two blocks of keys know of each row: largest score, sum of exponentials, mix."""

import torch

from course.learn.laws import close
from course.learn.record import Exercise


def seen(scores, values):
    """What a block knows: (Tq, 1), (Tq, 1) and (Tq, D)."""
    largest = scores.amax(dim=-1, keepdim=True)
    shares = torch.exp(scores - largest.clamp(min=-1e30))
    return largest, shares.sum(dim=-1, keepdim=True), shares @ values


def drawn(d):
    T, D, one, other = d.sizes(4)
    scores = d.tensor(T, one + other, scales=(1, 1, 40))
    if d.n % 3 == 2:  # a row that may look at nothing in one of the blocks
        scores[0, :one] = -torch.inf
        scores[-1, one:] = -torch.inf if T > 1 else scores[-1, one:]
    values = d.tensor(one + other, D)
    return seen(scores[:, :one], values[:one]), seen(scores[:, one:], values[one:])


def tiny(*rows):
    return tuple(torch.tensor([row]) for row in rows)


E = Exercise(
    __name__,
    inputs=[(tiny([3.0], [1.0], [2.0]), tiny([3.0], [1.0], [4.0])),
            (tiny([1.0], [1.0], [2.0]), tiny([3.0], [2.0], [8.0])),
            (tiny([3.0], [2.0], [8.0]), tiny([1.0], [1.0], [2.0])),
            (seen(torch.tensor([[1.0], [4.0]]), torch.tensor([[2.0]])),
             seen(torch.tensor([[2.0], [0.0]]), torch.tensor([[6.0]])))],
    draw=drawn,
)


@E.answer
def join(one, other):
    largest = torch.maximum(one[0], other[0])
    shrink_one, shrink_other = torch.exp(one[0] - largest), torch.exp(other[0] - largest)
    total = one[1] * shrink_one + other[1] * shrink_other
    mix = one[2] * shrink_one + other[2] * shrink_other
    return largest, total, mix


BOTH = "torch.exp(one[0] - largest), torch.exp(other[0] - largest)"
E.slip(BOTH, "1.0, 1.0", """you add up sums that have different bases: one is of exp(score - one's
    largest), the other of exp(score - the other's). Before you add, bring both to the new largest.
    It goes unnoticed where both largest scores are equal.""")
E.slip(BOTH, "torch.exp(largest - one[0]), torch.exp(largest - other[0])", """you grow where you have
    to shrink: exp(s - new) is exp(s - old) times exp(old - new), and old - new is never above 0.""")
E.slip(BOTH, "torch.exp(other[0] - largest), torch.exp(one[0] - largest)", """each block got the
    other's factor: the one with the larger scores has shrunk, and the other hasn't.""")
E.slip(BOTH, "torch.exp(one[0] - largest), 1.0", """you rescale the first block alone. That is right
    while each new block holds the larger score; here the first may hold it.""")
E.slip(BOTH, "torch.exp(one[0]), torch.exp(other[0])", """you went back to exp(score), which is too much
    for a float when scores are near 100. Keep the sums relative to the largest.""")
E.slip("one[2] * shrink_one + other[2] * shrink_other", "one[2] + other[2]", """the sums are rescaled
    and the mixes aren't. Both hold exponentials of the same scores, so both shrink alike.""")
E.slip("one[1] * shrink_one + other[1] * shrink_other", "one[1] + other[1]", """the mixes are rescaled
    and the sums aren't. Both hold exponentials of the same scores, so both shrink alike.""")
E.slip("torch.maximum(one[0], other[0])", "other[0]", """you take the second block's largest for
    that of all. The first may hold a larger one, and then its exponentials grow.""")
E.slip("torch.maximum(one[0], other[0])", "torch.maximum(one[0], other[0]).max().expand_as(one[0])",
    """you take one largest score for all rows. A row whose scores are far below it becomes 0 in all
    its sums. Each row has its own.""")
E.slip("return largest, total, mix", "return largest, total, mix / total", """the mix is divided
    already. Then the next block can't be joined to it: divide once, when all blocks are in.""")
E.slip("return largest, total, mix", "return mix / total", """that is the output of both blocks. To
    join a third one, all three are needed: (largest, sum, mix).""")

@E.law
def order_of_the_blocks_is_nothing(answer, one, other):
    """the largest score has to be the larger one of the two, row by row, whichever block it is in"""
    return close(answer[0], torch.maximum(one[0], other[0]))

@E.law
def means_lie_between(answer, one, other):
    """mix / sum has to lie between that of the one block and that of the other"""
    a, b = ((mix / total).nan_to_num(0) for _, total, mix in (one, other))
    low, high = torch.minimum(a, b), torch.maximum(a, b)
    mean = answer[2] / answer[1]
    return bool(((mean >= low - 1e-3) & (mean <= high + 1e-3)).all())

E.hint("What is the largest score of both blocks together? Row by row.")
E.hint("A sum of exp(s - old) becomes a sum of exp(s - new) by one factor. Which?")
E.hint("""The factor is exp(old - new), one for each block, and both its sum and its mix get it. Then
    add.""")
