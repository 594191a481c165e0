"""Causal attention as a module: projections, mask, dropout, batch, and any length up to a block."""

from jaxtyping import Float
from torch import Tensor, nn

from attention.checks import check_dropout, check_positions
from attention.heads import attention_scores, attention_weights
from attention.masks import causal_mask


class CausalAttention(nn.Module):
    """One head of self-attention in which no position attends to its future.

    The mask is a buffer: it moves with the module to another device, is not a parameter, and stays
    out of the `state_dict` (`persistent=False`), since it can always be made again. Dropout acts on
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
        """The attention weights before dropout."""
        T = check_positions(x, self.query.in_features, self.mask.shape[0])
        return attention_weights(attention_scores(self.query(x), self.key(x)), self.mask[:T, :T])

    def forward(self, x: Float[Tensor, "B T C"]) -> Float[Tensor, "B T D"]:
        """For each position, a weighted mean of the values of its past and itself."""
        return self.dropout(self.weights(x)) @ self.value(x)  # (B, T, T) @ (B, T, D)
