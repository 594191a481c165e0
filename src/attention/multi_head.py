"""Multi-head attention: several heads side by side, first as a list, then as one product.

MultiHead(x) = concat(head_1, ..., head_H) W_O (Vaswani et al., 2017, section 3.2.2).
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Shaped
from torch import Tensor, nn

from attention.causal import CausalAttention
from attention.checks import check_divides, check_dropout, check_positions
from attention.heads import attention_scores, attention_weights
from attention.masks import causal_mask


def split_heads(x: Shaped[Tensor, "B T C"], n_head: int) -> Shaped[Tensor, "B H T D"]:
    """Split the channels into heads, and move the heads before the positions.

    First view, then transpose: a view straight to (B, H, T, D) would cut the memory elsewhere and
    mix positions.
    """
    B, T, C = x.shape
    check_divides("n_head", n_head, "n_embd", C)
    return x.view(B, T, n_head, C // n_head).transpose(1, 2)  # (B, T, H, D) -> (B, H, T, D)


def merge_heads(x: Shaped[Tensor, "B H T D"]) -> Shaped[Tensor, "B T C"]:
    """Undo split_heads: concatenate the channels of the heads."""
    B, H, T, D = x.shape
    return x.transpose(1, 2).reshape(B, T, H * D)  # (B, T, H, D) -> (B, T, C)


class MultiHeadWrapper(nn.Module):
    """Heads in a list, each with its own projections, and their outputs concatenated.

    `head_size` is the width of one head; the output is n_head * head_size wide. (In the
    literature, d_out means sometimes the one and sometimes the other.)
    """

    def __init__(
        self, n_embd: int, n_head: int, head_size: int, block_size: int, dropout: float = 0.0
    ):
        super().__init__()
        self.heads = nn.ModuleList(
            CausalAttention(n_embd, head_size, block_size, dropout) for _ in range(n_head)
        )

    def forward(self, x: Float[Tensor, "B T C"]) -> Float[Tensor, "B T D"]:
        """The heads' outputs, one after the other along the channels."""
        return torch.cat([head(x) for head in self.heads], dim=-1)  # (B, T, H * head_size)


class MultiHeadAttention(nn.Module):
    """Causal attention with all heads in one projection, and an output projection that mixes them.

    `forward` uses PyTorch's fused function; `forward_with_weights` computes the same output step by
    step, and returns the weights of every head too.
    """

    def __init__(
        self,
        n_embd: int,
        n_head: int,
        block_size: int,
        dropout: float = 0.0,
        qkv_bias: bool = False,
    ):
        super().__init__()
        check_divides("n_head", n_head, "n_embd", n_embd)
        self.n_head = n_head
        self.qkv = nn.Linear(n_embd, 3 * n_embd, bias=qkv_bias)
        self.out = nn.Linear(n_embd, n_embd)
        self.dropout = nn.Dropout(check_dropout(dropout))
        self.block_size = block_size  # no mask is kept: the fused way needs none

    def project(self, x: Float[Tensor, "B T C"]) -> list[Float[Tensor, "B H T D"]]:
        """Queries, keys and values of every head."""
        check_positions(x, self.out.in_features, self.block_size)
        parts = self.qkv(x).chunk(3, dim=-1)  # (B, T, 3 * C) -> three of (B, T, C)
        return [split_heads(part, self.n_head) for part in parts]  # three of (B, H, T, D)

    def forward(self, x: Float[Tensor, "B T C"]) -> Float[Tensor, "B T C"]:
        """For each position a weighted mean of its past, by all heads, and the output projection."""
        q, k, v = self.project(x)
        dropout = self.dropout.p if self.training else 0.0  # the function has no train mode
        heads = F.scaled_dot_product_attention(q, k, v, dropout_p=dropout, is_causal=True)
        return self.out(merge_heads(heads))  # (B, H, T, D) -> (B, T, C)

    def forward_with_weights(
        self, x: Float[Tensor, "B T C"]
    ) -> tuple[Float[Tensor, "B T C"], Float[Tensor, "B H T T"]]:
        """The output as `forward` gives it, and the weights of every head before dropout."""
        q, k, v = self.project(x)
        mask = causal_mask(x.shape[1]).to(x.device)  # (T, T)
        weights = attention_weights(attention_scores(q, k), mask)  # (B, H, T, T)
        return self.out(merge_heads(self.dropout(weights) @ v)), weights
