"""Softmax along the last axis of scores of any shape and size, without torch.softmax."""

import torch

from chapters.laws import rows_sum_to_1
from course.learn.draws import normal
from course.learn.record import Exercise


def drawn(d):
    scores = d.tensor(*d.sizes(d.randint(1, 4)), scales=(1, 1, 10))
    like = scores if d.n % 4 == 2 else scores[..., :1]  # levels of single scores, or of rows
    levels = torch.tensor(d.choices([0.0, 1000.0, -1000.0, 90.0], k=like.numel()))
    return (scores + levels.view(like.shape),)


SMALL = ([1.0, 2.0], [1000.0, 1001.0], [1000.0, -1000.0], [-1000.0],
         [[1.0, 2.0, 3.0], [0.5, -0.5, 0.0]], [[1000.0, 999.0], [-1000.0, -1001.0]])
INPUTS = [*map(torch.tensor, SMALL), normal(3, 3, seed=1), normal(3, 3, 3, seed=3)]
E = Exercise(__name__, [(scores,) for scores in INPUTS], drawn, without=("softmax", "softmin", "scaled_dot"))


@E.answer
def stable_softmax(scores):
    shifted = scores - scores.amax(dim=-1, keepdim=True)
    shares = torch.exp(shifted)
    return shares / shares.sum(dim=-1, keepdim=True)


TOP, SUM = "scores.amax(dim=-1, keepdim=True)", "shares.sum(dim=-1, keepdim=True)"
E.slip(f" - {TOP}", "", """right for small scores, but exp(1000) is inf in float32, and inf / inf
    is nan. What can you take away from a row without changing its weights?""")
E.mistake(lambda s: s.exp() / s.exp().sum(dim=0), """two things: exp(1000) is inf, and inf / inf is
    nan; and on a matrix your columns sum to 1, not your rows: the sum runs over `dim=0`.""")
COLUMNS = """on a matrix your columns sum to 1, not your rows: which axis does softmax run over? It
    should be the last one, whatever the number of axes."""
E.mistake(lambda scores: torch.softmax(scores, dim=0), COLUMNS)
E.slip(SUM, "shares.sum(dim=0)", COLUMNS)
SECOND = """right for a matrix only: axis 1 is its last one. A row has no such axis, and in a batch
    another comes behind it. Count from the end."""
E.mistake(lambda scores: torch.softmax(scores, dim=1), SECOND)
E.slip("sum(dim=-1", "sum(dim=1", SECOND)
LYING = """right for a single row. In a matrix, without `keepdim=True`, the row sums have only one
    axis and count as a row: where it is square, column j is silently divided by row j's sum;
    otherwise the shapes mostly don't fit."""
E.slip(SUM, "shares.sum(dim=-1)", LYING)
E.slip(f"{TOP}\n", "scores.max()\n    return shifted.exp() / shifted.exp().sum(dim=-1)\n", LYING)
E.slip(TOP, "scores.amax(dim=-1)", """right for a single row. In a matrix, without
    `keepdim=True`, the maxima have only one axis and count as a row: where it is square, row j's
    maximum is taken from column j; otherwise the shapes mostly don't fit.""")
WHOLE = "all your numbers together sum to 1. Each row, one word's attention, has to by itself."
E.slip(SUM, "shares.sum()", WHOLE)
E.mistake(lambda scores: torch.softmax(scores.flatten(), dim=0).view(scores.shape), WHOLE)
E.slip(TOP, "scores.max()", """you took away the largest score of the whole tensor. A row far below
    it becomes exp(-2000) = 0 all along, and 0 / 0 is nan: each row needs its own maximum.""")
E.slip("amax", "mean", """you took away the mean. In [1000, -1000] it is 0, and exp(1000) is inf as
    before: which number leaves no exponent above 0?""")
E.slip("amax", "amin", "you took away the smallest score, and exp(2000) is inf. Which is better?")
LEADS = """you cut large scores off, and with them their leads: 1000 and 1001 get equal weights.
    What is taken from a whole row leaves its leads as they are."""
E.slip(f" - {TOP}", ".clamp(max=80)", LEADS)
E.slip(f" - {TOP}", ".clamp(-80, 80)", LEADS)
E.slip("scores -", "scores /", "dividing by the largest changes the leads: take it away instead.")
E.mistake(lambda scores: scores / scores.sum(dim=-1, keepdim=True), """you divide the scores by
    their sum. Negative scores then give negative weights: they have to become positive first.""")
E.slip(f" / {SUM}", "", "these are shares of the largest, which is 1. Divide each row by its sum.")
E.slip("shifted = scores -", "shifted = scores\n    shifted -=", """the weights are right, but the
    scores that came in, which others may need, are changed, as by `-=`. Name the shifted ones.""")

@E.law
def shares_from_0_to_1(weights, scores):
    """every weight has to be a number from 0 to 1"""
    return bool(((weights >= 0) & (weights <= 1)).all())

E.law(rows_sum_to_1)
E.hint("Shift each row so that its largest is 0, exponentiate, divide. Which axis is a row's?")
E.hint("`scores.amax(dim=-1, keepdim=True)` is each row's maximum as a column. Use `sum` alike.")
E.hint("`torch.exp(scores - scores.amax(dim=-1, keepdim=True))`, divided by its sums as a column.")
