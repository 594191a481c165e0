"""The mean weight, in the second copy, on the position after the same character's first
occurrence."""

import torch

from course.learn.record import Exercise


def causal(scores):
    return torch.softmax(scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -torch.inf), dim=-1)

def drawn(d):
    period, *others = d.sizes(d.randint(1, 3), least=2)
    return causal(d.tensor(*others, 2 * period, 2 * period, scales=(1, 3))), period

FOUR = torch.tensor([[1, 0, 0, 0], [0.25, 0.75, 0, 0], [0.25, 0.5, 0.25, 0], [0.125, 0.25, 0.5, 0.125]])
SIX = causal(torch.arange(36.0).view(6, 6) * 7 % 11 / 4)
E = Exercise(__name__, trained=False, draw=drawn, without=("attention",),
    inputs=[(FOUR, 2), (SIX, 3), (torch.stack([SIX, causal(SIX.T)]), 3)])

@E.answer
def behind_score(weights, period):
    behind = weights.diagonal(offset=1 - period, dim1=-2, dim2=-1)
    second_copy = behind[..., 1:]
    return second_copy.mean(dim=-1)

TAKEN = "1 - period, dim1=-2, dim2=-1)\n    second_copy = behind[..., 1:]"
E.slip("behind[..., 1:]", "behind", """you take one weight too many. The diagonal begins in row
    `period - 1`, the last row of the first copy, whose character hasn't occurred before. Begin
    with row `period`.""")
E.slip(TAKEN, "-period, dim1=-2, dim2=-1)\n    second_copy = behind", """you take the weight on the
    same character's first occurrence. An induction head looks one position further, at the
    character that came next.""")
E.slip("offset=1 - period, dim1=-2, dim2=-1)\n    second_copy = behind[..., 1:]",
       "offset=-period - 1, dim1=-2, dim2=-1)\n    second_copy = behind", """you look at the
    position just before the character's first occurrence. The position just after it shows what
    comes next.""")
E.slip(TAKEN, "period - 1, dim1=-2, dim2=-1)\n    second_copy = behind", """your diagonal is above
    the main one, where positions look ahead. In a causal map all its weights are 0.""")
E.slip(TAKEN, "-1, dim1=-2, dim2=-1)\n    second_copy = behind", """you compute the previous-token
    score, which doesn't depend on the repetition.""")
E.slip("second_copy.mean(dim=-1)", "second_copy.sum(dim=-1) / weights.shape[-1]", """you divide by
    all T positions. Only the positions of the second copy are in the sum, so a perfect head would
    score a half.""")
E.slip("second_copy.mean(dim=-1)", "second_copy.sum(dim=-1)", """you returned the sum. How many
    positions are in the second copy?""")
E.slip("second_copy.mean(dim=-1)", "second_copy.mean()", """you return one number for all maps.
    Each map has its own score, so take the mean only over the positions.""")
E.slip("second_copy.mean(dim=-1)",
       "second_copy.mean(dim=-1).mean(dim=-1) if weights.dim() > 2 else second_copy.mean()", """you
    average over the heads as well. Each map has its own score; otherwise the one head that does
    induction disappears in the average.""")
E.slip("second_copy.mean(dim=-1)",
       "second_copy.mean(dim=-1).mean(dim=0) if weights.dim() > 2 else second_copy.mean()", """you
    average over the first axis as well. Each map has its own score, in each text and each
    head.""")
E.slip("second_copy.mean(dim=-1)", "second_copy[..., -1]", """you take only the last position. Take
    the mean over the second copy.""")
E.slip(", dim1=-2, dim2=-1", "", """your diagonal runs through the first two axes. With several
    heads these aren't the positions. Pass the last two axes explicitly.""")
E.slip("behind[..., 1:]", "behind[..., 2:]", """you leave out row `period`, the first row of the
    second copy. Its character was at position 0, and the next one at position 1.""")
E.slip("behind[..., 1:]", "behind[..., 1:-1]", """you leave out the last row. Its character is the
    last one, but the row looks back like the others.""")
E.mistake(lambda w, period: w[..., period:, :period].sum(-1).mean(-1), """you add up all the weight
    that the second copy gives to the first. Count only the weight on the position after the first
    occurrence.""")
E.mistake(lambda w, period: (w.argmax(-1)[..., period:] == torch.arange(1, period + 1)).float().mean(-1),
    """you count how often the right position has the largest weight. Return the mean of the
    weights.""")

@E.law
def within_the_weights_behind_the_first_place(scores, weights, period):
    """each score has to lie between the smallest and the largest of the weights from the second
    copy's positions to the position after the same character's first occurrence"""
    rows = torch.arange(period, 2 * period)
    low, high = weights[..., rows, rows - period + 1].aminmax(dim=-1)
    return bool(((scores >= low - 1e-4) & (scores <= high + 1e-4)).all())

E.hint("""The string is a b c a b c. Position 4 is the second b. Which character came after the
    first b, and at which position?""")
E.hint("Position t looks at t - period + 1. Which t are in the second copy, and how many are there?")
E.hint("""`weights.diagonal(1 - period, dim1=-2, dim2=-1)` begins with row `period - 1`, which is
    in the first copy. Leave that row out.""")
