"""Blockwise attention, as in FlashAttention: one block of keys at a time, with the same output.

Softmax needs the largest score of a row and the sum of its exponentials. Both can be updated block by
block ("online softmax", Milakov and Gimelshein, 2018), and so can the output (Dao et al., 2022). For
the gradients it keeps one number per row, the log of that sum (Dao, 2023; the first version kept two),
and computes the weights again.
"""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

MaskMod = Callable[[Tensor, Tensor], Tensor]  # positions of queries and of keys -> booleans


def block_scores(
    q: Float[Tensor, "*B Tq D"],
    k: Float[Tensor, "*B Tk D"],
    mask_mod: MaskMod | None = None,
    at: tuple[int, int] = (0, 0),
) -> Float[Tensor, "*B Tq Tk"]:
    """Scaled scores, -inf where the mask is False; `at` holds the first positions of queries and keys."""
    scores = q @ k.mT * q.shape[-1] ** -0.5  # (*B, Tq, Tk)
    if mask_mod is None:
        return scores
    queries = torch.arange(at[0], at[0] + q.shape[-2], device=q.device)
    keys = torch.arange(at[1], at[1] + k.shape[-2], device=q.device)
    return scores.masked_fill(~mask_mod(queries[:, None], keys), float("-inf"))


def attend_in_blocks(
    q: Float[Tensor, "*B Tq D"],
    k: Float[Tensor, "*B Tk D"],
    v: Float[Tensor, "*B Tk Dv"],
    block_size: int,
    mask_mod: MaskMod | None = None,
) -> tuple[Float[Tensor, "*B Tq Dv"], Float[Tensor, "*B Tq 1"]]:
    """The output of attention, and the log of the sum of exponentials of each row."""
    largest = q.new_full((*q.shape[:-1], 1), float("-inf"))  # (*B, Tq, 1), of the keys so far
    total, out = torch.zeros_like(largest), q.new_zeros(*q.shape[:-1], v.shape[-1])
    for start in range(0, k.shape[-2], block_size):
        block = slice(start, start + block_size)
        scores = block_scores(q, k[..., block, :], mask_mod, (0, start))
        new = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        base = new.masked_fill(new == float("-inf"), 0.0)  # of a row that has seen no key yet
        shares, shrink = torch.exp(scores - base), torch.exp(largest - base)
        total = total * shrink + shares.sum(dim=-1, keepdim=True)
        out = out * shrink + shares @ v[..., block, :]
        largest = new
    if bool((total == 0).any()):
        raise ValueError(
            "mask_mod: expected a key to attend to for every query, got a row without any; let each "
            "position attend at least to itself"
        )
    return out / total, largest + total.log()


def merge(
    one: tuple[Float[Tensor, "*B Tq Dv"], Float[Tensor, "*B Tq 1"]],
    other: tuple[Float[Tensor, "*B Tq Dv"], Float[Tensor, "*B Tq 1"]],
) -> tuple[Float[Tensor, "*B Tq Dv"], Float[Tensor, "*B Tq 1"]]:
    """The output and log-sum over all keys, from the outputs and log-sums over two parts of the keys."""
    log_sum = torch.logaddexp(one[1], other[1])  # (*B, Tq, 1)
    return sum(out * torch.exp(part - log_sum) for out, part in (one, other)), log_sum


def block_gradients(
    q: Float[Tensor, "*B Tq D"],
    k: Float[Tensor, "*B Tk D"],
    v: Float[Tensor, "*B Tk Dv"],
    scores: Float[Tensor, "*B Tq Tk"],
    log_sum: Float[Tensor, "*B Tq 1"],
    out: Float[Tensor, "*B Tq Dv"],
    d_out: Float[Tensor, "*B Tq Dv"],
) -> tuple[Float[Tensor, "*B Tq D"], Float[Tensor, "*B Tk D"], Float[Tensor, "*B Tk Dv"]]:
    """The part of these keys in the gradient of q, and the gradients of the keys and their values.

    `log_sum` and `out` belong to all keys, so exp(scores - log_sum) are the weights.
    """
    weights = torch.exp(scores - log_sum)  # (*B, Tq, Tk)
    d_weights = d_out @ v.mT
    # softmax: each weight times (its gradient - the row's mean gradient, which is d_out . out)
    d_scores = weights * (d_weights - (d_out * out).sum(dim=-1, keepdim=True))
    d_scores = d_scores * q.shape[-1] ** -0.5
    return d_scores @ k, d_scores.mT @ q, weights.mT @ d_out


class _InBlocks(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, block_size, mask_mod):
        out, log_sum = attend_in_blocks(q, k, v, block_size, mask_mod)
        ctx.save_for_backward(q, k, v, out, log_sum)  # one number per row, and no weights
        ctx.block_size, ctx.mask_mod = block_size, mask_mod
        return out

    @staticmethod
    def backward(ctx, d_out):
        q, k, v, out, log_sum = ctx.saved_tensors
        d_q, d_k, d_v = torch.zeros_like(q), torch.empty_like(k), torch.empty_like(v)
        for start in range(0, k.shape[-2], ctx.block_size):
            block = slice(start, start + ctx.block_size)
            keys, values = k[..., block, :], v[..., block, :]
            scores = block_scores(q, keys, ctx.mask_mod, (0, start))
            added, d_k[..., block, :], d_v[..., block, :] = block_gradients(
                q, keys, values, scores, log_sum, out, d_out
            )
            d_q += added
        return d_q, d_k, d_v, None, None


def blockwise_attention(
    q: Float[Tensor, "*B Tq D"],
    k: Float[Tensor, "*B Tk D"],
    v: Float[Tensor, "*B Tk Dv"],
    block_size: int,
    mask_mod: MaskMod | None = None,
) -> Float[Tensor, "*B Tq Dv"]:
    """Scaled dot-product attention that holds at most Tq times `block_size` weights, in both passes.

    `mask_mod(i, j)` receives positions of queries and of keys and is True where query i attends to key
    j, for example `lambda i, j: j <= i`. It is FlexAttention's `mask_mod` without batch and head.
    """
    if block_size < 1:
        raise ValueError(f"block_size: expected 1 or more keys in a block, got {block_size}")
    if k.shape[:-1] != v.shape[:-1] or q.shape[:-2] != k.shape[:-2] or q.shape[-1] != k.shape[-1]:
        raise ValueError(
            f"q, k, v: expected the same axes before the last two, a value for every key, and "
            f"queries as wide as keys, got {tuple(q.shape)}, {tuple(k.shape)} and "
            f"{tuple(v.shape)}; repeat_interleave gives every query head its keys"
        )
    return _InBlocks.apply(q, k, v, block_size, mask_mod)
