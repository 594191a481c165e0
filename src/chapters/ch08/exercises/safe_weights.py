"""Masked softmax in which a row that may not look at anything has weights of 0."""

import torch

from attention.heads import attention_weights
from chapters.laws import nothing_forbidden, rows_sum_to_1
from course.learn.record import Exercise

E = Exercise(__name__,
    inputs=[(torch.tensor([[1.0, 2.0], [0.0, 1.0]]), torch.ones(2, 2).tril(-1).bool()),
            (torch.tensor([[-100.0, 100.0], [1.0, 2.0]]), torch.ones(2, 2).tril().bool()),
            (torch.zeros(2, 2), torch.zeros(2, 2).bool())],
    draw=lambda d: (d.tensor(T := d.size(), T, scales=(1, 1, 100)),
                    d.mask(T, T) & (torch.arange(T) != d.randrange(T + T // 2 + 1))[:, None]))

@E.answer
def safe_weights(scores, mask):
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
    return weights.masked_fill(~mask, 0.0)

E.slip("weights.masked_fill(~mask, 0.0)", "weights", """your closed row is nan, because softmax
    divides 0 by 0. Multiplying by the mask doesn't help, because nan times 0 is nan. Nor does `==`
    find nan, because nan isn't equal to itself. Write 0 wherever the mask forbids looking.""")
E.mistake(lambda s, mask: s.masked_fill(~mask, -1e9).softmax(-1), """your result has no nan, but
    look at the closed row: all its scores are equal, so each key has the same share, although all
    of them are forbidden.""")
E.mistake(lambda s, mask: (s * mask).softmax(-1), """your forbidden scores became 0, and exp(0) is
    1, so your rows also look where they must not.""")
E.slip('float("-inf")', "0.0", """your forbidden weights are 0, but their share is lost: with scores
    of 0 they still counted in the row's sum, because exp(0) is 1.""")
E.mistake(lambda s, mask: s.softmax(-1) * mask, """you masked after softmax. The forbidden scores
    still counted in the row's sum, so your rows sum to less than 1.""")
E.mistake(lambda s, m: safe_weights(s, m | ~m.any(-1, True)), """you opened the closed row
    everywhere, so it looks at all keys, although it may not look at any.""")
E.mistake(lambda s, m: safe_weights(s, m | ~m.any(-1, True) & torch.eye(len(s)).bool()), """you let
    the closed row look at itself. That is a solution if you make the mask yourself, but here the
    given mask forbids it.""")
E.mistake(attention_weights, """you raise an error, as the package does, and that is often best. But
    here you are asked to return zeros.""")
E.slip("weights.masked_fill(~mask, 0.0)", "weights[mask.any(dim=-1)]", """your result has lost the
    closed row, so all rows below it have moved up. Keep the shape.""")
E.slip("dim=-1", "dim=0", """your columns sum to 1, not your rows. Which axis does your softmax run
    over?""")
E.mistake(lambda s, mask: ((w := s.softmax(-1) * mask) / w.sum(-1, True)).nan_to_num(), """your
    answer is right unless a forbidden score is much higher than the others. Then the allowed
    weights become 0. Mask before softmax.""")

E.law(nothing_forbidden)

@E.law
def open_rows_sum_to_1(out, scores, mask):
    """every row that may look at a key has to sum to 1"""
    return rows_sum_to_1(out[mask.any(dim=-1)])

E.hint("What does softmax give for a row that is all -inf, and what should it give instead?")
E.hint("""Compute the masked softmax as usual. Then set every forbidden weight to 0, whether it is
    nan or not.""")
E.hint("`masked_fill` also overwrites nan. Use it again, on the weights, with 0.")
