"""The mean weight, in the second copy, to the position behind the same character's first place."""

import torch

from course.learn.record import Exercise


def causal(scores):
    return torch.softmax(scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -torch.inf), dim=-1)

def drawn(d):
    period, *others = d.sizes(d.randint(1, 3), least=2)
    return causal(d.tensor(*others, 2 * period, 2 * period, scales=(1, 3))), period

FOUR = torch.tensor([[1, 0, 0, 0], [0.25, 0.75, 0, 0], [0.25, 0.5, 0.25, 0], [0.125, 0.25, 0.5, 0.125]])
SIX = causal(torch.arange(36.0).view(6, 6) * 7 % 11 / 4)
E = Exercise(
    __name__, trained=False,
    inputs=[(FOUR, 2), (SIX, 3), (torch.stack([SIX, causal(SIX.T)]), 3)],
    draw=drawn,
    without=("attention",),
)

@E.answer
def behind_score(weights, period):
    behind = weights.diagonal(offset=1 - period, dim1=-2, dim2=-1)
    second_copy = behind[..., 1:]
    return second_copy.mean(dim=-1)

E.slip("behind[..., 1:]", "behind", """one weight too many. The diagonal begins in row `period - 1`, the
    last one of the first copy: its character hasn't stood anywhere before. Begin with row `period`.""")
E.slip("1 - period, dim1=-2, dim2=-1)\n    second_copy = behind[..., 1:]",
       "-period, dim1=-2, dim2=-1)\n    second_copy = behind", """that is the weight to the same character's
    first place. What an induction head wants stands one further on: the character that came next.""")
E.slip("offset=1 - period, dim1=-2, dim2=-1)\n    second_copy = behind[..., 1:]",
       "offset=-period - 1, dim1=-2, dim2=-1)\n    second_copy = behind", """you go one place back from
    the same character's first place: to the one before it. The one behind it says what comes next.""")
E.slip("1 - period, dim1=-2, dim2=-1)\n    second_copy = behind[..., 1:]",
       "period - 1, dim1=-2, dim2=-1)\n    second_copy = behind", """your diagonal is above the main one,
    where positions look ahead. In a causal map all of it is 0.""")
E.slip("1 - period, dim1=-2, dim2=-1)\n    second_copy = behind[..., 1:]",
       "-1, dim1=-2, dim2=-1)\n    second_copy = behind", """that is the previous-token score, which has
    no need of a repetition.""")
E.slip("second_copy.mean(dim=-1)", "second_copy.sum(dim=-1) / weights.shape[-1]", """you divide by all T
    positions. Those of the second copy alone are in the sum, so a perfect head would get a half.""")
E.slip("second_copy.mean(dim=-1)", "second_copy.sum(dim=-1)", """that is the sum. How many positions has
    the second copy?""")
E.slip("second_copy.mean(dim=-1)", "second_copy.mean()", """one number for all maps. Each map has its own
    score: take the mean over the positions alone.""")
E.slip("second_copy.mean(dim=-1)",
       "second_copy.mean(dim=-1).mean(dim=-1) if weights.dim() > 2 else second_copy.mean()", """the heads
    are averaged, too. Each map has its own score, or the one head that does it is lost.""")
E.slip("second_copy.mean(dim=-1)",
       "second_copy.mean(dim=-1).mean(dim=0) if weights.dim() > 2 else second_copy.mean()", """the first
    axis is averaged, too. Each map has its own score, in each text and each head.""")
E.slip("second_copy.mean(dim=-1)", "second_copy[..., -1]", """that is the last position alone. Take the mean
    over the second copy.""")
E.slip(", dim1=-2, dim2=-1", "", """your diagonal runs through the first two axes. With several heads these
    are no positions: name the last two.""")
E.slip("behind[..., 1:]", "behind[..., 2:]", """you leave out row `period`, the first one of the second
    copy. Its character has stood at position 0, and what came next at position 1.""")
E.slip("behind[..., 1:]", "behind[..., 1:-1]", """you leave out the last row. It has nothing more to guess,
    but it looks back like the others.""")
E.mistake(lambda w, period: w[..., period:, :period].sum(-1).mean(-1), """you add up all that the second
    copy gives to the first one, wherever it looks there.""")
E.mistake(lambda w, period: (w.argmax(-1)[..., period:] == torch.arange(1, period + 1)).float().mean(-1),
    """you count how often that position gets the largest weight. Asked for is the mean of the weights.""")

@E.law
def within_the_weights_behind_the_first_place(scores, weights, period):
    """each score has to lie between the smallest and the largest of the weights that it is the mean of:
    from the second copy's positions to the one behind the same character's first place"""
    rows = torch.arange(period, 2 * period)
    low, high = weights[..., rows, rows - period + 1].aminmax(dim=-1)
    return bool(((scores >= low - 1e-4) & (scores <= high + 1e-4)).all())

E.hint("The string is a b c a b c. Position 4 is the second b. What stood behind the first b, and where?")
E.hint("Position t looks at t - period + 1. Which t are in the second copy, and how many are there?")
E.hint("""`weights.diagonal(1 - period, dim1=-2, dim2=-1)` begins with row `period - 1`, which is in the
    first copy: leave that one out.""")
