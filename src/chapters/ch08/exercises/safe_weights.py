"""Masked softmax in which a row that may look nowhere gets weights of 0."""

import torch

from attention.heads import attention_weights
from chapters.laws import nothing_forbidden, rows_sum_to_1
from course.learn.record import Exercise

E = Exercise(
    __name__,
    inputs=[(torch.tensor([[1.0, 2.0], [0.0, 1.0]]), torch.ones(2, 2).tril(-1).bool()),
            (torch.tensor([[-100.0, 100.0], [1.0, 2.0]]), torch.ones(2, 2).tril().bool()),
            (torch.zeros(2, 2), torch.zeros(2, 2).bool())],
    draw=lambda d: (d.tensor(T := d.size(), T, scales=(1, 1, 100)),
                    d.mask(T, T) & (torch.arange(T) != d.randrange(T + T // 2 + 1))[:, None]),
)


@E.answer
def safe_weights(scores, mask):
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
    return weights.masked_fill(~mask, 0.0)


E.slip("weights.masked_fill(~mask, 0.0)", "weights", """the closed row is nan: something divides 0
    by 0. Multiplying by the mask doesn't help, for nan times 0 is nan; and `==` finds no
    nan, for it equals nothing, itself neither. Write zeros wherever the mask forbids.""")
E.mistake(lambda s, mask: s.masked_fill(~mask, -1e9).softmax(-1), """no nan, but look at the closed
    row: all its scores are equal, so each key gets the same share, the forbidden ones too.""")
E.mistake(lambda s, mask: (s * mask).softmax(-1), """your forbidden scores became 0, and exp(0) is
    1: every row looks where it must not.""")
E.slip('float("-inf")', "0.0", """the forbidden weights are 0, but their share is lost: as scores
    of 0 they had their part in the row's sum, for exp(0) is 1.""")
E.mistake(lambda s, mask: s.softmax(-1) * mask, """you masked after softmax: the forbidden scores
    have had their part in the row's sum, and the rows come out short.""")
E.mistake(lambda s, m: safe_weights(s, m | ~m.any(-1, True)), """you opened the closed row
    everywhere. It looks at all that it was forbidden.""")
E.mistake(lambda s, m: safe_weights(s, m | ~m.any(-1, True) & torch.eye(len(s)).bool()), """you let
    the closed row look at itself: a way out when you make the mask, but here it forbids that.""")
E.mistake(attention_weights, """raising an error is what the helper package does, and often best.
    This function is asked for zeros instead.""")
E.slip("weights.masked_fill(~mask, 0.0)", "weights[mask.any(dim=-1)]", """the closed row is gone,
    so all rows below have moved up. Keep the shape.""")
E.slip("dim=-1", "dim=0", "your columns sum to 1, not your rows: softmax runs over which axis?")
E.mistake(lambda s, mask: ((w := s.softmax(-1) * mask) / w.sum(-1, True)).nan_to_num(), """right
    until the forbidden scores far higher: what is allowed becomes 0. Mask before softmax.""")

E.law(nothing_forbidden)

@E.law
def open_rows_sum_to_1(out, scores, mask):
    """a row that may look somewhere has to sum to 1"""
    return rows_sum_to_1(out[mask.any(dim=-1)])

E.hint("What does softmax make of a row of -inf alone? And what should stand there?")
E.hint("Compute the masked softmax as usual. Then set every forbidden weight to 0, nan or not.")
E.hint("`masked_fill` writes over nan as over any number: use it again, on the weights, with 0.")
