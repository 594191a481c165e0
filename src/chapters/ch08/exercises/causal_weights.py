"""Turn scores (..., T, T) into weights in which no position sees its future."""

import torch

from chapters.laws import close, nothing_ahead, rows_sum_to_1
from course.learn.record import Exercise

E = Exercise(
    __name__,
    inputs=[(torch.tensor([[1.0, 2.0], [0.0, 1.0]]),), (torch.tensor([[-100.0, 100.0]] * 2),)],
    draw=lambda d: (d.tensor(*(s := d.sizes(d.randint(1, 3))), s[-1], scales=(1, 1, 100)),),
)


@E.answer
def causal_weights(scores):
    T = scores.shape[-1]
    mask = torch.tril(torch.ones(T, T, dtype=torch.bool))
    masked = scores.masked_fill(~mask, float("-inf"))
    return masked.softmax(dim=-1)


E.slip("masked.", "scores.", """nothing is masked: row 0 gives weight to every later position.
    (`masked_fill` makes a new tensor: is it used?)""")
E.slip('float("-inf")', "0.0", """your forbidden scores became 0, and a score of 0 is a score like
    any other: exp(0) is 1. (`float == ("-inf")` does that too: it is a comparison, its value is
    False, and False is filled in as 0. So does multiplying the scores by `tril`.)""")
E.mistake(lambda s: s.softmax(-1).tril(), """you masked after softmax. The upper triangle is 0, but
    the rows sum to less than 1, and the sum they were divided by still holds the future.""")
E.slip("masked.s", "masked - scores + scores.s", """you put -inf among the weights. -inf is a score
    that says never; softmax turns it into a weight of 0, so it has to be there before softmax.""")
E.mistake(lambda s: (s + (1 - torch.ones_like(s).tril()) * -torch.inf).softmax(-1), """0 times
    -inf is nan, so what is allowed became nan too. Write -inf where the mask forbids, and nothing
    elsewhere: `masked_fill` does that.""")
E.slip(", dtype=torch.bool", "", """`~` turns booleans round, and your triangle is made of floats: give
    it `dtype=torch.bool`, or ask where it `== 0`.""")
E.slip('float("-inf")', 'float("inf")', """your rows hold nan: filling with +inf does that, for its
    exponential is infinite, and inf / inf is not a number. Which sign says never?""")
E.slip("tril", "triu", """you kept the upper triangle: each position sees itself and its future.
    `tril` keeps the lower one, `triu` the upper one.""")
E.slip("~mask", "mask", """your mask is turned round: what is allowed is filled, so only the future
    is left. The last row has no future, and is nan.""")
E.slip("=torch.bool))", "=torch.bool), 1)", """your triangle reaches one step too far: each
    position sees the next one, the very word it has to predict. Look at row 0, column 1.""")
E.slip("=torch.bool))", "=torch.bool), -1)", """the diagonal is missing, so no position sees
    itself, and row 0 sees nobody: it is nan.""")
E.slip("dim=-1", "dim=-2", """your columns sum to 1, not your rows: which axis does softmax run
    over? The row belongs to the query, which shares out its own attention.""")
E.slip("dim=-1", "dim=1", """right for one matrix, wrong for a batch: `dim=1` is the last axis of a
    (T, T) matrix only. Count from the end.""")
E.slip("dim=-1", "dim=0", """`dim=0` runs down the columns of a matrix, and across the sequences of
    a batch. The keys are the last axis, whatever comes before.""")
E.slip("shape[-1]", "shape[0]", """right for one matrix. The first axis of a batch isn't the
    length: the positions are counted by `shape[-1]`.""")
E.mistake(lambda s: s.tril() / s.tril().sum(-1, True), """you divided the scores by their sum.
    Weights are exponentials of scores: raw scores, made to sum to 1, may be negative.""")
E.mistake(lambda s: (e := s.exp().tril()) / e.sum(-1, True), """right for small scores. But
    exp(100) is too much for a float: inf / inf is nan. `softmax` subtracts the largest first.""")
E.mistake(lambda s: (w := s.softmax(-1).tril()) / w.sum(-1, True), """right until the future scores
    far higher: the past's share then becomes 0, and 0 / 0 is nan. Mask before softmax.""")
E.slip(".softmax(dim=-1)", "", "these are masked scores. The softmax is still missing.")
E.slip("masked_fill", "masked_fill_", """you wrote into the scores you were given, as
    `masked_fill_`, with the underscore, does, and the caller has lost them. Make a new tensor.""")

E.law(nothing_ahead, rows_sum_to_1)

@E.law
def last_row_is_plain_softmax(weights, scores):
    """the last row may look everywhere, so it has to be the plain softmax of its scores"""
    return close(weights[..., -1, :], torch.softmax(scores[..., -1, :], dim=-1))

E.hint("What score does softmax turn into a weight of exactly 0?")
E.hint("Make a (T, T) mask of booleans by `torch.tril`; it broadcasts over all axes before.")
E.hint('`scores.masked_fill(~mask, float("-inf"))`, and then softmax over the last axis.')
