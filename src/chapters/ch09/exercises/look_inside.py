"""Return the scaled scores before the mask, and the masked weights, as a pair."""

import torch

from chapters.laws import nothing_forbidden, rows_sum_to_1
from course.learn.draws import quarters
from course.learn.record import Exercise

TRIL = torch.ones(2, 2).tril().bool()
E = Exercise(__name__,
    inputs=[(quarters(1, 2, 2, seed=1), quarters(1, 2, 2, seed=2), TRIL),
            (quarters(2, 3, 2, seed=5), quarters(2, 3, 2, seed=6), ~torch.eye(3).bool()),
            (torch.full((1, 2, 4), 50.0), torch.tensor([[[1.0] * 4, [3.0] * 4]]), TRIL)],
    draw=lambda d: (d.tensor(*(s := d.sizes(3)), scales=(64,) if s[2] in (1, 4) else (1, 4)),
                    d.tensor(*s), d.mask(s[1], s[1])))

@E.answer
def look_inside(q, k, mask):
    scores = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
    masked = scores.masked_fill(~mask, float("-inf"))
    return scores, masked.softmax(dim=-1)

E.slip("return scores", "return masked", """your scores hold -inf, so they are the masked ones. A
    function whose name ends in `_` writes into the tensor you give it, as `scores[...] = ...`
    does. After `scores = ...` the name means the new tensor. Return the scores from before the
    mask.""")
E.slip("n s", "n mask * s", """your scores are 0 where the mask forbids looking. Return them as
    they are before the mask.""")
E.slip("masked.", "scores.", "your weights aren't masked: every forbidden weight has to be 0.")
E.slip("~mask", "mask", """your mask is inverted: you fill where it is True, but True means that a
    position may look.""")
E.slip("-0.5", "0", """your scores aren't scaled, so your weights are wrong as well. Divide by the
    root of the size of a key.""")
E.slip("n scores", "n q @ k.mT", """your weights are right, but the scores you return aren't scaled
    yet.""")
E.mistake(lambda *x: look_inside(*x)[::-1], """you swapped the two. Return first the scores, then
    the weights.""")
E.slip("shape[-1]", "shape[1]", """you scaled by the number of positions. What counts is the size
    of a key.""")
E.slip("-0.5", "-1.0", "you divided by the size of a key. Divide by its root.")
E.slip("q @ k", "k @ q", """you swapped queries and keys. Each row belongs to a query, so q is on
    the left.""")
E.slip("dim=-1", "dim=1", """your softmax runs down the columns. The weights of each query, a row,
    have to sum to 1.""")
E.slip("masked.s", "mask * scores.s", """you masked after the softmax, so your rows sum to less
    than 1.""")
E.slip('float("-inf")', "0.0", """you fill in a score of 0, but exp(0) is 1, so the forbidden
    weights aren't 0. Fill in -inf.""")

@E.law
def second_sums_to_1(pair, q, k, mask):
    """every row of the weights, the second tensor, has to sum to 1"""
    return rows_sum_to_1(pair[1])

@E.law
def second_is_masked(pair, q, k, mask):
    """every forbidden weight, in the second tensor, has to be 0"""
    return nothing_forbidden(pair[1], q, mask)

@E.law
def first_is_finite(pair, q, k, mask):
    """the scores have to be finite, even where the mask forbids looking"""
    return bool(pair[0].isfinite().all())

E.hint("After you apply the mask, do you still have a tensor without it?")
E.hint("`masked_fill` returns a new tensor; `masked_fill_` changes the old one.")
E.hint("""Use two names, `scores` and `masked = scores.masked_fill(~mask, ...)`, and apply softmax
    to the second.""")
