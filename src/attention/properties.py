"""Checks that find a wrong attention by what it does. The shape of its output shows nothing.

`forward` is a causal attention as a function of x, (B, T, C) -> (B, T, D); `weights` are its
attention weights. Each check returns True or False; the `..._by` ones return how much.
"""

from collections.abc import Callable

import torch
from torch import Tensor

Forward = Callable[[Tensor], Tensor]


def rows_sum_to_1(weights: Tensor, atol: float = 1e-5) -> bool:
    """True if each query shares out exactly its whole attention; nan counts as wrong."""
    return bool(((weights.sum(dim=-1) - 1).abs() <= atol).all())


def leaks_by(forward: Forward, x: Tensor, cut: int) -> float:
    """The largest change of the outputs before `cut` when the inputs from `cut` on change."""
    if not 0 < cut < x.shape[1]:
        raise ValueError(
            f"cut: expected a position from 1 to {x.shape[1] - 1}, so that there is a past and a "
            f"future, got {cut}"
        )
    changed = x.clone()
    changed[:, cut:] = -changed[:, cut:].flip(-1) + 1
    return (forward(changed)[:, :cut] - forward(x)[:, :cut]).abs().max().item()


def no_future_leak(forward: Forward, x: Tensor, atol: float = 1e-5) -> bool:
    """True if no output changes when anything after it does, tried at every place to cut."""
    return all(leaks_by(forward, x, cut) <= atol for cut in range(1, x.shape[1]))


def batch_independent(forward: Forward, x: Tensor, atol: float = 1e-5) -> bool:
    """True if each sequence alone gives what it gives in the batch."""
    alone = torch.cat([forward(x[b : b + 1]) for b in range(len(x))])
    return bool(((alone - forward(x)).abs() <= atol).all())


def keys_may_be_permuted(
    attend: Callable[[Tensor, Tensor, Tensor], Tensor],
    q: Tensor,
    k: Tensor,
    v: Tensor,
    atol: float = 1e-5,
) -> bool:
    """True if another order of the keys, with their values, changes nothing (without a mask)."""
    order = torch.arange(k.shape[-2]).roll(1)
    changed = attend(q, k[..., order, :], v[..., order, :])
    return bool(((changed - attend(q, k, v)).abs() <= atol).all())


def gradients_reach(forward: Forward, x: Tensor, *parameters: Tensor) -> bool:
    """True if the loss pulls at every one of the parameters (those of q and k, say)."""
    grads = torch.autograd.grad(
        forward(x).square().sum(), parameters, allow_unused=True, materialize_grads=False
    )
    return all(grad is not None and bool((grad != 0).any()) for grad in grads)


def equals(forward: Forward, reference: Forward, x: Tensor, atol: float = 1e-5) -> bool:
    """True if two attentions agree on x; nan counts as wrong."""
    return bool(((forward(x) - reference(x)).abs() <= atol).all())
