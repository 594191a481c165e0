"""Measure patterns in a map: how much of a head's weight lies where a known pattern has its weight.

Each score is a mean of weights, from 0 to 1. A head with uniform weights doesn't score 0, so compare
with the score of `uniform_weights`.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention.averaging import mean_past_tril


def mean_weight(
    weights: Float[Tensor, "*B T T"], rows: Int[Tensor, " N"], keys: Int[Tensor, " N"]
) -> Float[Tensor, "*B"]:
    """The mean of the weights that query rows[n] gives to key keys[n]."""
    if not len(rows):
        raise ValueError(
            f"weights: expected a map with at least one cell of the pattern, got none in "
            f"{tuple(weights.shape)}; read a longer text"
        )
    return weights[..., rows, keys].mean(dim=-1)


def previous_token_score(weights: Float[Tensor, "*B T T"]) -> Float[Tensor, "*B"]:
    """The mean weight that a position gives to the one before it (Olsson et al., 2022).

    Position 0 doesn't count, because there is no position before it.
    """
    rows = torch.arange(1, weights.shape[-1])
    return mean_weight(weights, rows, rows - 1)


def induction_score(
    weights: Float[Tensor, "*B T T"], period: int, first: int = 0
) -> Float[Tensor, "*B"]:
    """The mean weight on the id that followed the same id, one period ago (Olsson et al., 2022).

    The repeated string begins at position `first`, and row t should look at key t - period + 1.
    """
    if period < 1 or first < 0:
        raise ValueError(
            f"period, first: expected 1 or more, and 0 or more, got {period} and {first}; the period "
            f"is the number of ids until they come again"
        )
    rows = torch.arange(first + period, weights.shape[-1])
    return mean_weight(weights, rows, rows - period + 1)


def reversal_score(weights: Float[Tensor, "*B T T"]) -> Float[Tensor, "*B"]:
    """The mean weight on the key whose id comes next when a string is read backwards.

    The map has 2 n - 1 rows for a string of n ids. Rows from n - 1 on count; row t should look at key
    2 (n - 1) - t.
    """
    end = weights.shape[-1] - 1
    rows = torch.arange(end // 2, end + 1)
    return mean_weight(weights, rows, end - rows)


def sink_score(weights: Float[Tensor, "*B T T"], first_row: int = 1) -> Float[Tensor, "*B"]:
    """The mean weight of the first column, over the rows from `first_row` on (Xiao et al., 2023).

    Row 0 has no other key, and the rows after it have few, so leave these out for a fair number.
    """
    rows = torch.arange(first_row, weights.shape[-1])
    return mean_weight(weights, rows, torch.zeros_like(rows))


def by_distance(weights: Float[Tensor, "*B T T"]) -> Float[Tensor, "*B T"]:
    """The mean weight at each distance: on the key itself, on the one before it, and so on.

    Entry 1 is the previous-token score. A head that bets on a distance has a peak at that distance.
    """
    T = weights.shape[-1]
    means = [weights.diagonal(-back, dim1=-2, dim2=-1).mean(dim=-1) for back in range(T)]
    return torch.stack(means, dim=-1)


def uniform_weights(T: int) -> Float[Tensor, "T T"]:
    """The map of a causal head that knows nothing: row t gives 1 / (t + 1) to each key up to t.

    >>> uniform_weights(2)
    tensor([[1.0000, 0.0000],
            [0.5000, 0.5000]])
    """
    return mean_past_tril(torch.eye(T))


def received(weights: Float[Tensor, "*B T T"]) -> Float[Tensor, "*B T"]:
    """The mean weight that each key receives from the rows that may attend to it.

    Even so you can't compare columns of a causal map, because the rows that attend to a late key have more
    keys to choose from. Divide by the result for `uniform_weights`.
    """
    T = weights.shape[-1]
    return weights.sum(dim=-2) / (T - torch.arange(T))
