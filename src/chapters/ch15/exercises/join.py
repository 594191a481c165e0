"""Join the results of two blocks of keys for each row: largest score, sum of exponentials, mix."""

import torch

from chapters.laws import close
from course.learn.record import Exercise


def seen(scores, values):
    """The result of one block: (Tq, 1), (Tq, 1) and (Tq, D)."""
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

E = Exercise(__name__, draw=drawn,
    inputs=[(tiny([3.0], [1.0], [2.0]), tiny([3.0], [1.0], [4.0])),
            (tiny([1.0], [1.0], [2.0]), tiny([3.0], [2.0], [8.0])),
            (tiny([3.0], [2.0], [8.0]), tiny([1.0], [1.0], [2.0])),
            (seen(torch.tensor([[1.0], [4.0]]), torch.tensor([[2.0]])),
             seen(torch.tensor([[2.0], [0.0]]), torch.tensor([[6.0]])))])

@E.answer
def join(one, other):
    largest = torch.maximum(one[0], other[0])
    shrink_one, shrink_other = torch.exp(one[0] - largest), torch.exp(other[0] - largest)
    total = one[1] * shrink_one + other[1] * shrink_other
    mix = one[2] * shrink_one + other[2] * shrink_other
    return largest, total, mix

BOTH = "torch.exp(one[0] - largest), torch.exp(other[0] - largest)"
E.slip(BOTH, "1.0, 1.0", """you add up sums that have different bases: each block sums exp(score -
    its own largest score). Before you add, bring both to the new largest. You don't notice this
    where both largest scores are equal.""")
E.slip(BOTH, "torch.exp(largest - one[0]), torch.exp(largest - other[0])", """your factors grow
    where they have to shrink: exp(s - new) is exp(s - old) times exp(old - new), and old - new is
    never above 0.""")
E.slip(BOTH, "torch.exp(other[0] - largest), torch.exp(one[0] - largest)", """you swapped the
    factors of the two blocks: the block with the larger scores shrank, and the other didn't.""")
E.slip(BOTH, "torch.exp(one[0] - largest), 1.0", """you rescale only the first block. That is right
    if the new block holds the largest score, but the first block may hold it.""")
E.slip(BOTH, "torch.exp(one[0]), torch.exp(other[0])", """you went back to exp(score), which is too
    large for a float when scores are near 100. Keep the sums relative to the largest.""")
E.slip("one[2] * shrink_one + other[2] * shrink_other", "one[2] + other[2]", """you rescale the
    sums, but not the mixes. Both hold exponentials of the same scores, so both need the same
    factor.""")
E.slip("one[1] * shrink_one + other[1] * shrink_other", "one[1] + other[1]", """you rescale the
    mixes, but not the sums. Both hold exponentials of the same scores, so both need the same
    factor.""")
E.slip("torch.maximum(one[0], other[0])", "other[0]", """you take the second block's largest score
    as the largest of all. The first can hold a larger one, and then its exponentials grow.""")
E.slip("torch.maximum(one[0], other[0])", "torch.maximum(one[0], other[0]).max().expand_as(one[0])",
    """you take one largest score for all rows. If the scores of a row are far below it, all its
    sums become 0. Each row has its own largest score.""")
E.slip("return largest, total, mix", "return largest, total, mix / total", """you already divided
    the mix. Then you can't join the next block to it. Divide once, after all blocks are joined.""")
E.slip("return largest, total, mix", "return mix / total", """you return the output of both blocks.
    To join a third one, you need all three: (largest, sum, mix).""")

@E.law
def order_of_the_blocks_is_nothing(answer, one, other):
    """the largest score has to be the larger one of the two, row by row, whichever block it is in"""
    return close(answer[0], torch.maximum(one[0], other[0]))

@E.law
def means_lie_between(answer, one, other):
    """mix / sum has to lie between the mix / sum of `one` and the mix / sum of `other`"""
    a, b = ((mix / total).nan_to_num(0) for _, total, mix in (one, other))
    low, high = torch.minimum(a, b), torch.maximum(a, b)
    mean = answer[2] / answer[1]
    return bool(((mean >= low - 1e-3) & (mean <= high + 1e-3)).all())

E.hint("For each row, what is the largest score in the two blocks together?")
E.hint("One factor turns a sum of exp(s - old) into a sum of exp(s - new). Which one?")
E.hint("""The factor is exp(old - new), one for each block. Multiply both its sum and its mix by it.
    Then add.""")
