"""Share each row equally among the columns that `mask`, (..., Tq, Tk), allows: scores, softmax."""

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

E.slip('float("-inf")', "0.0", """forbidden columns still get a full share: with a score of 0 in
    them all scores are equal, and exp(0) is 1. What number has an exponential of 0?""")
E.slip("softmax(scores", "softmax(mask.float()", """your weights are the softmax of the mask
    itself. True becomes 1 and False 0, and exp(0) = 1 is far from nothing. Forbidden scores have
    to be -inf.""")
E.slip("dim=-1", "dim=0", """your columns sum to 1, not your rows: which axis does softmax run
    over? Each row is one position's shares, so `dim=-1`.""")
E.slip("dim=-1", "dim=1", """right for one matrix, wrong for a batch: the columns of a row are the
    last axis, whatever comes before. Count from the end.""")
E.slip("~mask", "mask", """this is the mask upside down: you share among the columns that are
    forbidden. True means may look, so fill where the mask is False, `~mask`.""")
E.slip("(scores, dim=-1)", "(torch.zeros(mask.shape), dim=-1) * mask", """the forbidden shares are
    gone, but the rest of the row was never scaled up, so it sums to less than 1: that is what a
    mask after softmax does.""")

@E.mistake
def always_a_triangle(mask):
    """right for the triangle, but you never look at `mask`: another mask needs other weights."""
    triangle = torch.tril(torch.ones(mask.shape[0], mask.shape[0]))
    return triangle / triangle.sum(dim=-1, keepdim=True)

E.law(rows_sum_to_1)

@E.law
def forbidden_weights_are_0(weights, mask):
    """every forbidden column has to get the weight 0"""
    return bool((weights[~mask] == 0).all())

E.hint("No preference means equal scores, for instance all 0. What score means never?")
E.hint("""`scores.masked_fill(where, value)` writes the value where its first argument is True;
    `~mask` is True where looking is forbidden.""")
E.hint('Fill with `float("-inf")`, then `F.softmax(scores, dim=-1)`.')
