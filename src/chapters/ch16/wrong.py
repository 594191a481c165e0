"""Eighteen ways to get causal attention wrong: in each, one step of a right one is exchanged.

All give an output of the right shape. `properties` tells them from a right one.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention.multi_head import MultiHeadAttention, merge_heads, split_heads

INF = float("inf")


def lower(scores: Float[Tensor, "*B T T"], diagonal: int = 0) -> Bool[Tensor, "T T"]:
    """True on and below a diagonal: 0 is the causal mask, 1 lets the next position in too."""
    return torch.ones(scores.shape[-2:], dtype=torch.bool).tril(diagonal)


def fill(value: float | bool, diagonal: int = 0, axis: int = -1) -> Callable[[Tensor], Tensor]:
    """Softmax along an axis, after every score above a diagonal has got a value."""
    return lambda scores: scores.masked_fill(~lower(scores, diagonal), value).softmax(axis)


def fill_lower(diagonal: int) -> Callable[[Tensor], Tensor]:
    """Softmax after -inf has gone to the wrong side: on and below a diagonal."""
    return lambda scores: scores.masked_fill(lower(scores, diagonal), -INF).softmax(-1)


def renormalised(scores: Float[Tensor, "*B T T"]) -> Float[Tensor, "*B T T"]:
    """Softmax, then zeros, then every row divided by its sum: as good as -inf before softmax."""
    weights = scores.softmax(-1) * lower(scores)
    return weights / weights.sum(dim=-1, keepdim=True)  # (*B, T, T) / (*B, T, 1)


class Steps(NamedTuple):
    """The steps of a multi-head attention that are easily got wrong; these are right."""

    scale: Callable[[int, int], float] = lambda n_embd, head_size: head_size**-0.5
    weigh: Callable[[Tensor], Tensor] = fill(-INF)
    split: Callable[[Tensor, int], Tensor] = split_heads
    merge: Callable[[Tensor], Tensor] = merge_heads


RIGHT = {
    "-inf before softmax": Steps(),
    "-1e9 before softmax": Steps(weigh=fill(-1e9)),
    "mask after softmax, renormalised": Steps(weigh=renormalised),
}
WRONG = {
    "no mask": Steps(weigh=lambda scores: scores.softmax(-1)),
    "float==('-inf')": Steps(weigh=fill(float == ("-inf"))),  # noqa: E721  (False, which is 0)
    "fill 0": Steps(weigh=fill(0.0)),
    "times tril before softmax": Steps(weigh=lambda scores: (scores * lower(scores)).softmax(-1)),
    "mask after softmax": Steps(weigh=lambda scores: scores.softmax(-1) * lower(scores)),
    "+inf fill": Steps(weigh=fill(INF)),
    "triu kept": Steps(weigh=fill_lower(-1)),
    "inverted comparison": Steps(weigh=fill_lower(0)),
    "tril(diagonal=1)": Steps(weigh=fill(-INF, diagonal=1)),
    "tril(diagonal=-1)": Steps(weigh=fill(-INF, diagonal=-1)),
    "softmax dim=-2": Steps(weigh=fill(-INF, axis=-2)),
    "softmax dim=1": Steps(weigh=fill(-INF, axis=1)),
    "no scale": Steps(scale=lambda n_embd, head_size: 1.0),
    "scale by C": Steps(scale=lambda n_embd, head_size: n_embd**-0.5),
    "divide by head size": Steps(scale=lambda n_embd, head_size: 1 / head_size),
    "view without transpose": Steps(split=lambda x, n: x.reshape(len(x), n, x.shape[1], -1)),
    "merge without transpose": Steps(merge=lambda x: x.reshape(len(x), x.shape[2], -1)),
    "scores overwritten by zeros": Steps(weigh=lambda scores: fill(-INF)(scores * 0)),
}


def attend(
    layers: MultiHeadAttention, steps: Steps, x: Float[Tensor, "B T C"]
) -> tuple[Float[Tensor, "B T C"], Float[Tensor, "B H T T"]]:
    """The output and the weights of an attention that takes these steps with these projections."""
    n_embd = x.shape[-1]
    q, k, v = (steps.split(part, layers.n_head) for part in layers.qkv(x).chunk(3, dim=-1))
    weights = steps.weigh(q @ k.mT * steps.scale(n_embd, n_embd // layers.n_head))  # (B, H, T, T)
    return layers.out(steps.merge(weights @ v)), weights
