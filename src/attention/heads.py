"""Attention: scores from queries and keys, weights from scores, a weighted mean of the values.

Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V (Vaswani et al., 2017, equation 1).
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn


def attention_scores(
    q: Float[Tensor, "*B Tq D"], k: Float[Tensor, "*B Tk D"], scale: float | None = None
) -> Float[Tensor, "*B Tq Tk"]:
    """How well each query fits each key: their dot products, times `scale`.

    The scale is 1 / sqrt(D) unless given; 1.0 leaves the dot products as they are.

    >>> attention_scores(torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0]]), scale=1.0)
    tensor([[11.]])
    """
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(
            f"q, k: expected vectors of one size, got {q.shape[-1]} and {k.shape[-1]}; project "
            f"both to the same head size"
        )
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    return q @ k.transpose(-2, -1) * scale  # (Tq, D) @ (D, Tk) -> (Tq, Tk)


def attention_weights(
    scores: Float[Tensor, "*B Tq Tk"], mask: Bool[Tensor, "*#B Tq Tk"] | None = None
) -> Float[Tensor, "*B Tq Tk"]:
    """Softmax along each row: the weights with which a query attends to the keys, which sum to 1.

    Where `mask` is False the score becomes -inf and the weight 0.

    Raises ValueError for a mask that is not boolean, has more axes than the scores, or has a row
    without a True.
    """
    if mask is not None:
        if mask.dtype != torch.bool:
            raise ValueError(
                f"mask: expected booleans, True where a query attends to a key, got {mask.dtype}; write "
                f"mask.bool(), or mask == 0 if 0 stood for allowed"
            )
        if mask.ndim > scores.ndim:
            raise ValueError(
                f"mask: expected at most the {scores.ndim} axes of the scores, "
                f"{tuple(scores.shape)}, got {tuple(mask.shape)}; the result would have its axes, too"
            )
        empty = ~mask.any(dim=-1)  # (*B, Tq)
        if empty.any():
            raise ValueError(
                f"mask: expected a key to attend to in every row, got none in row "
                f"{empty.nonzero()[0].tolist()}; let each position attend to itself at least"
            )
        scores = scores.masked_fill(~mask, float("-inf"))  # (*B, Tq, Tk)
    return torch.softmax(scores, dim=-1)


def scaled_dot_product_attention(
    q: Float[Tensor, "*B Tq D"],
    k: Float[Tensor, "*B Tk D"],
    v: Float[Tensor, "*B Tk Dv"],
    mask: Bool[Tensor, "*#B Tq Tk"] | None = None,
    scale: float | None = None,
) -> Float[Tensor, "*B Tq Dv"]:
    """For each query, the mean of the values, weighted by how well their keys fit it."""
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(
            f"k, v: expected a value for every key, got {k.shape[-2]} keys and {v.shape[-2]} "
            f"values; both come from the same positions"
        )
    weights = attention_weights(attention_scores(q, k, scale), mask)  # (*B, Tq, Tk)
    return weights @ v  # (*B, Tq, Dv)


class Head(nn.Module):
    """One attention head: three projections without bias around the formula above.

    Self-attention when called with x alone; cross-attention when the keys and values come from
    another sequence, `memory`. `value_size` is `head_size` unless given, and `memory_size`, the
    width of the memory, is `n_embd`.
    """

    def __init__(
        self,
        n_embd: int,
        head_size: int,
        value_size: int | None = None,
        memory_size: int | None = None,
    ):
        super().__init__()
        memory_size = n_embd if memory_size is None else memory_size
        value_size = head_size if value_size is None else value_size
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.key = nn.Linear(memory_size, head_size, bias=False)
        self.value = nn.Linear(memory_size, value_size, bias=False)

    def project(self, x: Tensor, memory: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
        """The queries of x, and the keys and values of the memory (x itself if there is none)."""
        memory = x if memory is None else memory
        for name, tensor, layer in (("x", x, self.query), ("memory", memory, self.key)):
            if tensor.shape[-1] != layer.in_features:
                raise ValueError(
                    f"{name}: expected vectors of size {layer.in_features}, got shape "
                    f"{tuple(tensor.shape)}; the last axis holds the channels"
                )
        return self.query(x), self.key(memory), self.value(memory)

    def weights(
        self,
        x: Float[Tensor, "*B Tq C"],
        memory: Float[Tensor, "*B Tk M"] | None = None,
        mask: Bool[Tensor, "*#B Tq Tk"] | None = None,
    ) -> Float[Tensor, "*B Tq Tk"]:
        """Only the attention weights."""
        q, k, _ = self.project(x, memory)
        return attention_weights(attention_scores(q, k), mask)

    def forward(
        self,
        x: Float[Tensor, "*B Tq C"],
        memory: Float[Tensor, "*B Tk M"] | None = None,
        mask: Bool[Tensor, "*#B Tq Tk"] | None = None,
    ) -> Float[Tensor, "*B Tq Dv"]:
        """For each position of x, a weighted mean of the values."""
        return scaled_dot_product_attention(*self.project(x, memory), mask)
