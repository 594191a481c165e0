"""Return weights that share each row equally among the columns that `mask` allows."""

import torch
import torch.nn.functional as F

from chapters.laws import rows_sum_to_1
from course.learn.record import Exercise

SMALL = torch.tensor([[True, False], [True, True]])
ODD = torch.tensor([[True, False, True], [True, True, False], [False, True, True]])
WINDOW = torch.ones(5, 5).tril().triu(-1).bool()

MASKS = SMALL, ODD, WINDOW, torch.ones(4, 4).tril().bool(), ODD[:2]
E = Exercise(__name__, inputs=[(mask,) for mask in MASKS],
             draw=lambda d: (d.mask(*d.sizes(d.randint(2, 4))),))

@E.answer
def weights_from_mask(mask):
    scores = torch.zeros(mask.shape)
    scores = scores.masked_fill(~mask, float("-inf"))
    return F.softmax(scores, dim=-1)

E.slip('float("-inf")', "0.0", """your forbidden columns still have a full share. With a score of 0
    in them, all scores are equal, and exp(0) is 1. Which score has an exponential of 0?""")
E.slip("softmax(scores", "softmax(mask.float()", """you take the softmax of the mask itself. True
    becomes 1 and False 0, but exp(0) is 1, not 0. Forbidden scores have to be -inf.""")
E.slip("dim=-1", "dim=0", """your columns sum to 1, not your rows. Which axis does softmax run
    over? Each row has the shares of one position, so use `dim=-1`.""")
E.slip("dim=-1", "dim=1", """your function is right for one matrix, but wrong for a batch. The
    columns are the last axis, whatever comes before it, so count from the end.""")
E.slip("~mask", "mask", """your mask is inverted: you share each row among the forbidden columns.
    True means that the row may look, so fill where the mask is False, `~mask`.""")
E.slip("(scores, dim=-1)", "(torch.zeros(mask.shape), dim=-1) * mask", """your forbidden shares are
    0, but you didn't scale up the rest of the row, so the row sums to less than 1. Did you apply
    the mask after softmax?""")

@E.mistake
def always_a_triangle(mask):
    """your weights are right for a triangle, but they don't depend on `mask`. A different mask
    needs different weights."""
    triangle = torch.tril(torch.ones(mask.shape[0], mask.shape[0]))
    return triangle / triangle.sum(dim=-1, keepdim=True)

E.law(rows_sum_to_1)

@E.law
def forbidden_weights_are_0(weights, mask):
    """every forbidden column has to have the weight 0"""
    return bool((weights[~mask] == 0).all())

E.hint("Equal scores, all 0 for example, mean no preference. Which score means never?")
E.hint("""`scores.masked_fill(where, value)` writes the value where its first argument is True.
    `~mask` is True where looking is forbidden.""")
E.hint('Fill with `float("-inf")`, then `F.softmax(scores, dim=-1)`.')
