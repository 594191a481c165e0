"""Laws that hold for many exercises: law(answer, *inputs) is True for every right answer.

The docstring is the sentence that a learner sees when the law is broken, after the call that broke
it and before the answer. A law reads the answer and the inputs, never a reference. A law that holds
for only one exercise is in that exercise's file.
"""

import torch
from torch import Tensor

TOLERANCE = 1e-4


def close(a: Tensor, b: Tensor) -> bool:
    """Not a law: equal within the tolerance, relative to the largest number."""
    largest = max(1.0, float(b.abs().max())) if b.numel() else 1.0
    return a.shape == b.shape and bool(((a - b).abs() <= TOLERANCE * largest).all())


def rows_sum_to_1(weights, *inputs):
    """every row has to sum to 1"""
    return close(weights.sum(dim=-1), torch.ones(weights.shape[:-1]))


def nothing_ahead(weights, *inputs):
    """everything above the diagonal has to be 0"""
    return bool((weights.triu(1) == 0).all())


def no_loss_is_negative(loss, *inputs):
    """no loss may be negative, or nan"""
    return bool((torch.as_tensor(loss) >= -1e-5).all())


def nothing_forbidden(out, scores, mask):
    """every forbidden weight has to be 0"""
    return bool((out.masked_fill(mask, 0) == 0).all())
