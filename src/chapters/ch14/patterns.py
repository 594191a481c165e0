"""What a map shows, as a number: how much of a head's weight lies where a known pattern has it.

Each score is a mean of weights, from 0 to 1. A head with uniform weights does not get 0:
compare with the score of `uniform_weights`.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention.averaging import mean_past_tril


def mean_weight(
    weights: Float[Tensor, "*B T T"], rows: Int[Tensor, " N"], keys: Int[Tensor, " N"]
) -> Float[Tensor, "*B"]:
    """The mean of the weights at these entries: what query rows[n] gives to key keys[n]."""
    if not len(rows):
        raise ValueError(
            f"weights: expected a map with at least one entry of the pattern, got none in "
            f"{tuple(weights.shape)}; read a longer text"
        )
    return weights[..., rows, keys].mean(dim=-1)


def previous_token_score(weights: Float[Tensor, "*B T T"]) -> Float[Tensor, "*B"]:
    """The mean weight that a position gives to the one before it (Olsson et al., 2022).

    Position 0 has none before it and doesn't count.
    """
    rows = torch.arange(1, weights.shape[-1])
    return mean_weight(weights, rows, rows - 1)


def induction_score(
    weights: Float[Tensor, "*B T T"], period: int, first: int = 0
) -> Float[Tensor, "*B"]:
    """The mean weight on what followed the same id, one period ago (Olsson et al., 2022).

    The string that is repeated begins at position `first`: row t gives it to key t - period + 1.
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

    The map has 2 n - 1 rows for a string of n ids. Rows from n - 1 on count: row t, key 2 (n - 1) - t.
    """
    end = weights.shape[-1] - 1
    rows = torch.arange(end // 2, end + 1)
    return mean_weight(weights, rows, end - rows)


def sink_score(weights: Float[Tensor, "*B T T"], first_row: int = 1) -> Float[Tensor, "*B"]:
    """The mean weight of the first column, of the rows from `first_row` on (Xiao et al., 2024).

    Row 0 has no other key, and the rows after it have few: leave them out for a fair number.
    """
    rows = torch.arange(first_row, weights.shape[-1])
    return mean_weight(weights, rows, torch.zeros_like(rows))


def by_distance(weights: Float[Tensor, "*B T T"]) -> Float[Tensor, "*B T"]:
    """The mean weight at each distance: on the key itself, on the one before it, and so on.

    Number 1 is the previous-token score. A head that bets on a distance has a peak there.
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
    """What each key gets on average from the rows that attend to it: its column's sum / their number.

    Even so columns of a causal map can't be compared: the rows that attend to a late key have more keys
    to choose from. Divide by what `uniform_weights` gives.
    """
    T = weights.shape[-1]
    return weights.sum(dim=-2) / (T - torch.arange(T))
