"""The mean of the past, four ways: a loop, a running sum, a `tril` product, a softmax of -inf.

Each function takes x with the positions on its second-to-last axis and returns a tensor of the
same shape whose row t is the mean of the rows 0 ... t. The last form is attention's own, with
every score equal to 0.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from attention.masks import causal_mask


def mean_past_loop(x: Float[Tensor, "B T C"]) -> Float[Tensor, "B T C"]:
    """The mean of the past by two loops: slow, but easy to check."""
    _check_positions(x)
    out = torch.empty_like(x)  # (B, T, C)
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            past = x[b, : t + 1]  # (t+1, C)
            out[b, t] = past.mean(dim=0)  # (C,)
    return out


def mean_past_running_sum(x: Float[Tensor, "*B T C"]) -> Float[Tensor, "*B T C"]:
    """The mean of the past as a running sum divided by how many rows it holds."""
    _check_positions(x)
    count = torch.arange(1, x.shape[-2] + 1, dtype=x.dtype, device=x.device)  # (T,)
    return x.cumsum(dim=-2) / count[:, None]  # (B, T, C) / (T, 1)


def mean_past_tril(x: Float[Tensor, "*B T C"]) -> Float[Tensor, "*B T C"]:
    """The mean of the past as one matrix product: (T, T) @ (B, T, C) -> (B, T, C).

    Each row of ones on and below the diagonal is divided by its sum, so that it sums to 1.
    """
    _check_positions(x)
    ones = causal_mask(x.shape[-2]).to(x)  # (T, T)
    weights = ones / ones.sum(dim=-1, keepdim=True)  # (T, T) / (T, 1)
    return weights @ x  # (T, T) @ (B, T, C) -> (B, T, C)


def mean_past_softmax(x: Float[Tensor, "*B T C"]) -> Float[Tensor, "*B T C"]:
    """The mean of the past as attention computes it: scores, mask, softmax, product.

    All scores are 0 and those of the future -inf; exp(0) = 1 and exp(-inf) = 0, so softmax gives
    equal weights to the whole past.
    """
    _check_positions(x)
    mask = causal_mask(x.shape[-2]).to(x.device)  # (T, T)
    scores = torch.zeros(mask.shape, dtype=x.dtype, device=x.device)  # (T, T)
    weights = F.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)  # (T, T)
    return weights @ x  # (B, T, C)


def _check_positions(x: Tensor) -> None:
    if x.ndim < 2 or x.shape[-2] < 1 or not x.is_floating_point():
        raise ValueError(
            f"x: expected floating-point numbers of shape (B, T, C) with T of 1 or more, got "
            f"{x.dtype} of shape {tuple(x.shape)}; x.float() and x[None] often fix this"
        )
