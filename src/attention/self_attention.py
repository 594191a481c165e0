"""The attention of a GPT: chapter 10's, with positions in it, shared keys, and a cache.

Queries and keys may be turned by rotary positions or lose score with distance (`positions`), may be
normalised (Henry et al., 2020), and several query heads may share one head of keys and values
(Shazeer, 2019; Ainslie et al., 2023).
"""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from attention.cache import Cache
from attention.causal import check_dropout, choose
from attention.heads import attention_scores
from attention.multi_head import merge_heads, split_heads
from attention.positions import POSITIONS, alibi_bias, rotary_angles, rotate


class CausalSelfAttention(nn.Module):
    """Causal multi-head attention; `n_kv_head` heads of keys and values serve `n_head` queries.

    `positions` are those of a `Config`: only "rotary" and "alibi" are done in here. `rotary_base` and
    `rotary_stretch` may be set on a trained module, to read further than it was trained. `explain`
    gives the same output as `forward`, and the weights of every head, by the explicit way.
    """

    def __init__(
        self,
        n_embd: int,
        n_head: int,
        n_kv_head: int | None = None,
        *,
        positions: str = "none",
        qk_norm: bool = False,
        bias: bool = False,
        dropout: float = 0.0,
    ):
        super().__init__()
        n_kv_head = n_head if n_kv_head is None else n_kv_head
        for name, n, of in (("n_head", n_head, n_embd), ("n_kv_head", n_kv_head, n_head)):
            if n < 1 or of % n:
                raise ValueError(
                    f"{name}: expected a number that divides {of}, got {n}; n_head divides n_embd, "
                    f"and n_kv_head divides n_head"
                )
        self.n_head, self.n_kv_head, self.head_size = n_head, n_kv_head, n_embd // n_head
        self.positions, self.qk_norm = choose("positions", positions, POSITIONS), qk_norm
        self.rotary_base, self.rotary_stretch = 10_000.0, 1.0
        if positions == "rotary":
            rotary_angles(torch.arange(1), self.head_size)  # refuses an odd head size
        self.qkv = nn.Linear(n_embd, (n_head + 2 * n_kv_head) * self.head_size, bias=bias)
        self.out = nn.Linear(n_embd, n_embd, bias=bias)
        self.dropout = nn.Dropout(check_dropout(dropout))

    def project(
        self, x: Float[Tensor, "B T C"], start: int = 0
    ) -> tuple[Float[Tensor, "B H T D"], Float[Tensor, "B Hkv T D"], Float[Tensor, "B Hkv T D"]]:
        """Queries, keys and values of all heads, for words that stand from position `start` on."""
        heads = (self.n_head, self.n_kv_head, self.n_kv_head)
        parts = self.qkv(x).split([n * self.head_size for n in heads], dim=-1)
        q, k, v = (split_heads(part, n) for part, n in zip(parts, heads, strict=True))
        if self.qk_norm:
            q, k = F.rms_norm(q, (self.head_size,)), F.rms_norm(k, (self.head_size,))
        if self.positions == "rotary":
            where = torch.arange(start, start + x.shape[1], device=x.device)
            angles = rotary_angles(where / self.rotary_stretch, self.head_size, self.rotary_base)
            q, k = rotate(q, angles), rotate(k, angles)
        return q, k, v

    def added(self, n_queries: int, n_keys: int, x: Tensor) -> Float[Tensor, "#H Tq Tk"]:
        """What is added to the scores: -inf for the future, and ALiBi's penalties."""
        bias = x.new_zeros(1, n_queries, n_keys)
        if self.positions == "alibi":
            bias = alibi_bias(self.n_head, n_queries, n_keys).to(x)
        return bias.masked_fill(~last_rows_causal(n_queries, n_keys).to(x.device), float("-inf"))

    def forward(
        self, x: Float[Tensor, "B T C"], cache: Cache | None = None
    ) -> Float[Tensor, "B T C"]:
        """Each position's mix of its past; with a cache, the past is what the cache holds too."""
        q, k, v = self.project(x, 0 if cache is None else cache.seen)
        if cache is not None:
            k, v = cache.append(k, v)
        plain = self.positions != "alibi" and q.shape[2] == k.shape[2]  # only the causal mask
        mixed = F.scaled_dot_product_attention(
            q,
            k,
            v,
            attn_mask=None if plain else self.added(q.shape[2], k.shape[2], x),
            is_causal=plain,
            dropout_p=self.dropout.p if self.training else 0.0,
            enable_gqa=self.n_kv_head != self.n_head,
        )  # (B, H, T, D)
        return self.out(merge_heads(mixed))

    def explain(
        self, x: Float[Tensor, "B T C"]
    ) -> tuple[Float[Tensor, "B T C"], Float[Tensor, "B H T T"]]:
        """The output as `forward` gives it, and the weights of every head before dropout."""
        q, k, v = self.project(x)
        k, v = (part.repeat_interleave(self.n_head // self.n_kv_head, dim=1) for part in (k, v))
        scores = attention_scores(q, k) + self.added(q.shape[2], k.shape[2], x)  # (B, H, T, T)
        weights = scores.softmax(dim=-1)
        return self.out(merge_heads(self.dropout(weights) @ v)), weights


def last_rows_causal(n_queries: int, n_keys: int) -> Bool[Tensor, "Tq Tk"]:
    """The causal mask of the last `n_queries` of `n_keys` positions.

    >>> last_rows_causal(2, 4).int().tolist()
    [[1, 1, 1, 0], [1, 1, 1, 1]]
    """
    return torch.ones(n_queries, n_keys, dtype=torch.bool).tril(n_keys - n_queries)
