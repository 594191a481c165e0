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
    """Cut the channels into heads and put the heads before the positions.

    First view, then transpose: a view straight to (B, H, T, D) would cut the memory elsewhere and
    mix positions.
    """
    B, T, C = x.shape
    check_divides("n_head", n_head, "n_embd", C)
    return x.view(B, T, n_head, C // n_head).transpose(1, 2)  # (B, T, H, D) -> (B, H, T, D)


def merge_heads(x: Shaped[Tensor, "B H T D"]) -> Shaped[Tensor, "B T C"]:
    """Undo split_heads: put the heads' channels side by side again."""
    B, H, T, D = x.shape
    return x.transpose(1, 2).reshape(B, T, H * D)  # (B, T, H, D) -> (B, T, C)


class MultiHeadWrapper(nn.Module):
    """Heads in a list, each with projections of its own, and their outputs side by side.

    `head_size` is the width of one head; the output is n_head * head_size wide. (The literature's
    d_out means the one here, the other there.)
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
    """All heads in one projection, causal, with an output projection that lets the heads talk.

    `forward` goes PyTorch's fused way; `forward_with_weights` returns the same output by the explicit way,
    with the weights of every head.
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
        """Each position's mix of its past, by all heads, through the output projection."""
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


@torch.no_grad()
def copy_wrapper_to_fused(wrapper: MultiHeadWrapper, fused: MultiHeadAttention) -> None:
    """Give the fused module the heads of the wrapper, and an output projection that is I.

    Rows of a Linear's weight are its outputs, so the heads' weights stand below each other: all
    queries, then all keys, then all values.
    """
    parts = [[getattr(head, name).weight for head in wrapper.heads] for name in _NAMES]
    stacked = torch.cat([weight for part in parts for weight in part])  # (3 * C, C)
    if stacked.shape != fused.qkv.weight.shape or fused.n_head != len(wrapper.heads):
        raise ValueError(
            f"wrapper, fused: expected the same heads, got {len(wrapper.heads)} with "
            f"{tuple(stacked.shape)} weights and {fused.n_head} with "
            f"{tuple(fused.qkv.weight.shape)}; n_head * head_size has to be n_embd"
        )
    fused.qkv.weight.copy_(stacked)
    fused.out.weight.copy_(torch.eye(len(fused.out.weight)))
    fused.out.bias.zero_()
    if fused.qkv.bias is not None:
        fused.qkv.bias.zero_()


@torch.no_grad()
def copy_fused_to_torch(fused: MultiHeadAttention, theirs: nn.MultiheadAttention) -> None:
    """Give PyTorch's own module the weights of ours; it stacks q, k and v in the same order."""
    if (theirs.embed_dim, theirs.num_heads) != (fused.out.in_features, fused.n_head):
        raise ValueError(
            f"theirs: expected embed_dim {fused.out.in_features} and num_heads {fused.n_head}, "
            f"got {theirs.embed_dim} and {theirs.num_heads}"
        )
    if theirs.in_proj_bias is None:
        raise ValueError("theirs: expected a module with biases, got one without; pass bias=True")
    theirs.in_proj_weight.copy_(fused.qkv.weight)
    theirs.in_proj_bias.copy_(torch.zeros(()) if fused.qkv.bias is None else fused.qkv.bias)
    theirs.out_proj.weight.copy_(fused.out.weight)
    theirs.out_proj.bias.copy_(fused.out.bias)


_NAMES = ("query", "key", "value")
