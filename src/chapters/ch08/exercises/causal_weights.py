"""Turn scores (..., T, T) into weights in which no position sees its future."""

import torch

from chapters.laws import close, nothing_ahead, rows_sum_to_1
from course.learn.record import Exercise

E = Exercise(__name__,
    inputs=[(torch.tensor([[1.0, 2.0], [0.0, 1.0]]),), (torch.tensor([[-100.0, 100.0]] * 2),)],
    draw=lambda d: (d.tensor(*(s := d.sizes(d.randint(1, 3))), s[-1], scales=(1, 1, 100)),))

@E.answer
def causal_weights(scores):
    T = scores.shape[-1]
    mask = torch.tril(torch.ones(T, T, dtype=torch.bool))
    masked = scores.masked_fill(~mask, float("-inf"))
    return masked.softmax(dim=-1)

E.slip("masked.", "scores.", """your scores aren't masked, so row 0 gives weight to every later
    position. (`masked_fill` returns a new tensor. Do you use it?)""")
E.slip('float("-inf")', "0.0", """your forbidden scores became 0, but a score of 0 still gives a
    weight, because exp(0) is 1. (Multiplying the scores by `tril` does the same. So does `float ==
    ("-inf")`: this comparison is False, which is filled in as 0.)""")
E.mistake(lambda s: s.softmax(-1).tril(), """you masked after softmax. The upper triangle is 0, but
    the rows sum to less than 1, because the sum they were divided by still includes the future
    positions.""")
E.slip("masked.s", "masked - scores + scores.s", """you put -inf into the weights. Softmax turns a
    score of -inf into a weight of 0, so fill it in before softmax.""")
E.mistake(lambda s: (s + (1 - torch.ones_like(s).tril()) * -torch.inf).softmax(-1), """you multiply
    by -inf, but 0 times -inf is nan, so the allowed scores also became nan. Write -inf only where
    the mask forbids looking, as `masked_fill` does.""")
E.slip(", dtype=torch.bool", "", """`~` inverts booleans, but your triangle holds floats. Give it
    `dtype=torch.bool`, or use `== 0` instead of `~`.""")
E.slip('float("-inf")', 'float("inf")', """you fill with +inf, so every row that has a future
    becomes nan: the exponential of inf is infinite, and inf / inf is nan. With which sign does the
    exponential become 0?""")
E.slip("tril", "triu", """you kept the upper triangle, so each position sees itself and its future.
    `tril` keeps the lower triangle, `triu` the upper one.""")
E.slip("~mask", "mask", """your mask is inverted: you fill the allowed cells, so only the future is
    left. The last row has no future, so it becomes nan.""")
E.slip("=torch.bool))", "=torch.bool), 1)", """your triangle reaches one step too far, so each
    position sees the next one, the very word it has to predict. Look at row 0, column 1.""")
E.slip("=torch.bool))", "=torch.bool), -1)", """you leave out the diagonal, so no position sees
    itself. Row 0 doesn't see any word, so it becomes nan.""")
E.slip("dim=-1", "dim=-2", """your columns sum to 1, not your rows: which axis does softmax run
    over? Each row belongs to a query, whose weights have to sum to 1.""")
E.slip("dim=-1", "dim=1", """your answer is right for one matrix, but wrong for a batch: `dim=1` is
    the last axis only in a (T, T) matrix. Count from the end.""")
E.slip("dim=-1", "dim=0", """you use `dim=0`, which runs down the columns of a matrix, and across
    the sequences of a batch. The keys are always the last axis.""")
E.slip("shape[-1]", "shape[0]", """your answer is right for one matrix. But the first axis of a
    batch isn't the length. `shape[-1]` is the number of positions.""")
E.mistake(lambda s: s.tril() / s.tril().sum(-1, True), """you divided each row of scores by its
    sum, so your weights can be negative. Weights are made from the exponentials of the scores.""")
E.mistake(lambda s: (e := s.exp().tril()) / e.sum(-1, True), """your answer is right for small
    scores. But exp(100) is too large for a float, and inf / inf is nan. `softmax` subtracts the
    largest score first.""")
E.mistake(lambda s: (w := s.softmax(-1).tril()) / w.sum(-1, True), """your answer is right unless a
    future score is much higher than the past ones. Then the share of the past becomes 0, and 0 / 0
    is nan. Mask before softmax.""")
E.slip(".softmax(dim=-1)", "", "you returned the masked scores. The softmax is still missing.")
E.slip("masked_fill", "masked_fill_", """you wrote into the scores you were given, as `masked_fill_`
    with its underscore does, so the caller has lost them. Make a new tensor.""")

E.law(nothing_ahead, rows_sum_to_1)

@E.law
def last_row_is_plain_softmax(weights, scores):
    """the last row may look at all words, so it has to be the plain softmax of its scores"""
    return close(weights[..., -1, :], torch.softmax(scores[..., -1, :], dim=-1))

E.hint("What score does softmax turn into a weight of exactly 0?")
E.hint("""Make a (T, T) mask of booleans with `torch.tril`. It broadcasts over all axes before the
    last two.""")
E.hint('Use `scores.masked_fill(~mask, float("-inf"))`, and then softmax over the last axis.')
