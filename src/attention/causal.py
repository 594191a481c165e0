"""Causal attention as a module: projections, mask, dropout, batch, and any length up to a block."""

from collections.abc import Collection
from difflib import get_close_matches

from jaxtyping import Float
from torch import Tensor, nn

from attention.heads import attention_scores, attention_weights
from attention.masks import causal_mask


class CausalAttention(nn.Module):
    """One head of self-attention in which no position sees its future.

    The mask is a buffer: it moves with the module to another device, is no parameter, and stays
    out of the `state_dict` (`persistent=False`), since it can always be made anew. Dropout acts on
    the weights, in training only (Srivastava et al., 2014); a row then sums to 1 only on average.
    """

    def __init__(self, n_embd: int, head_size: int, block_size: int, dropout: float = 0.0):
        super().__init__()
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.dropout = nn.Dropout(check_dropout(dropout))
        self.register_buffer("mask", causal_mask(block_size), persistent=False)

    def weights(self, x: Float[Tensor, "B T C"]) -> Float[Tensor, "B T T"]:
        """The attention weights before dropout, to look at."""
        T = check_positions(x, self.query.in_features, self.mask.shape[0])
        return attention_weights(attention_scores(self.query(x), self.key(x)), self.mask[:T, :T])

    def forward(self, x: Float[Tensor, "B T C"]) -> Float[Tensor, "B T D"]:
        """For each position, a weighted mean of the values of its past and itself."""
        return self.dropout(self.weights(x)) @ self.value(x)  # (B, T, T) @ (B, T, D)


def choose(name: str, value: str, among: Collection[str]) -> str:
    """The value itself. Raises ValueError, with the names that there are, if it is none of them."""
    if value not in among:
        near = get_close_matches(str(value), among, n=1)
        raise ValueError(
            f"{name}: expected one of {', '.join(sorted(among))}, got {value!r}; "
            + (f"did you mean {near[0]!r}?" if near else "write one of these")
        )
    return value


def check_dropout(dropout: float) -> float:
    """The probability itself. Raises ValueError unless it is 0 or more and below 1."""
    if not 0 <= dropout < 1:
        raise ValueError(
            f"dropout: expected a probability from 0 to below 1, got {dropout}; 0 turns it off"
        )
    return dropout


def check_positions(x: Tensor, n_embd: int, block_size: int) -> int:
    """The number of positions of x. Raises ValueError unless x is (B, T, n_embd), T <= block."""
    if x.ndim != 3 or x.shape[-1] != n_embd:
        raise ValueError(
            f"x: expected shape (B, T, {n_embd}), got {tuple(x.shape)}; one sequence becomes a "
            f"batch of one by x[None]"
        )
    if x.shape[1] > block_size:
        raise ValueError(
            f"x: expected at most {block_size} positions (the block size), got {x.shape[1]}; keep "
            f"the last ones, x[:, -{block_size}:], or build the module with a larger block"
        )
    return x.shape[1]
