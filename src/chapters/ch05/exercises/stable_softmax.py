"""Return the softmax of scores of any shape and size along the last axis, without torch's."""

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
E.slip(f" - {TOP}", "", """your function is right for small scores, but exp(1000) is inf in float32,
    and inf / inf is nan. What can you subtract from a row without changing its weights?""")
E.mistake(lambda s: s.exp() / s.exp().sum(dim=0), """your function has two bugs. exp(1000) is inf,
    and inf / inf is nan. And for a matrix your columns sum to 1, not your rows, because your sum
    runs over `dim=0`.""")
COLUMNS = """for a matrix your columns sum to 1, not your rows. Which axis does your softmax run
    over? It should be the last one, whatever the number of axes."""
E.mistake(lambda scores: torch.softmax(scores, dim=0), COLUMNS)
E.slip(SUM, "shares.sum(dim=0)", COLUMNS)
SECOND = """your function is right only for a matrix, whose last axis is axis 1. A row has no axis
    1, and in a batch another axis follows it. Count from the end."""
E.mistake(lambda scores: torch.softmax(scores, dim=1), SECOND)
E.slip("sum(dim=-1", "sum(dim=1", SECOND)
LYING = """your function is right only for a single row. In a matrix, without `keepdim=True`, the
    row sums have only one axis, which counts as a row. If the matrix is square, you divide
    column j by the sum of row j without an error. Otherwise the shapes mostly don't fit."""
E.slip(SUM, "shares.sum(dim=-1)", LYING)
E.slip(f"{TOP}\n", "scores.max()\n    return shifted.exp() / shifted.exp().sum(dim=-1)\n", LYING)
E.slip(TOP, "scores.amax(dim=-1)", """your function is right only for a single row. In a
    matrix, without `keepdim=True`, the maxima have only one axis, which counts as a row. If the
    matrix is square, you subtract the maximum of row j from column j. Otherwise the shapes
    mostly don't fit.""")
WHOLE = "all your numbers together sum to 1. But each row, one word's attention, has to sum to 1."
E.slip(SUM, "shares.sum()", WHOLE)
E.mistake(lambda scores: torch.softmax(scores.flatten(), dim=0).view(scores.shape), WHOLE)
E.slip(TOP, "scores.max()", """you subtract the largest score of the whole tensor. A row far below
    it becomes exp(-2000) = 0 everywhere, and 0 / 0 is nan. Each row needs its own maximum.""")
E.slip("amax", "mean", """you subtract the mean. In [1000, -1000] it is 0, so exp(1000) is still
    inf. Which number leaves no exponent above 0?""")
E.slip("amax", "amin", "you subtract the smallest score, and exp(2000) is inf. Which score should you subtract?")
LEADS = """you cut off large scores, so you lose their leads: 1000 and 1001 get equal weights. If
    you subtract the same number from a whole row, its leads don't change."""
E.slip(f" - {TOP}", ".clamp(max=80)", LEADS)
E.slip(f" - {TOP}", ".clamp(-80, 80)", LEADS)
E.slip("scores -", "scores /", "dividing by the largest score changes the leads. Subtract it.")
E.mistake(lambda scores: scores / scores.sum(dim=-1, keepdim=True), """you divide the scores by
    their sum, so negative scores can give negative weights. Make all scores positive first.""")
E.slip(f" / {SUM}", "", "your largest weight is always 1. Divide each row by its sum.")
E.slip("shifted = scores -", "shifted = scores\n    shifted -=", """you changed the input scores
    (with `-=`, perhaps), and the caller may still need them. Give the shifted scores their own
    name.""")

@E.law
def shares_from_0_to_1(weights, scores):
    """every weight has to be a number from 0 to 1"""
    return bool(((weights >= 0) & (weights <= 1)).all())

E.law(rows_sum_to_1)
E.hint("""Shift each row so that its largest score is 0, take exp, and divide by the row's sum.
    Which axis do you sum over?""")
E.hint("""`scores.amax(dim=-1, keepdim=True)` is each row's maximum as a column. Use `sum` in the
    same way.""")
E.hint("""Take `torch.exp(scores - scores.amax(dim=-1, keepdim=True))`, and divide it by its row
    sums, kept as a column.""")
