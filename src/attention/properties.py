"""Checks that find a wrong attention by what it does, where the shape of its output doesn't.

`forward` is a causal attention as a function of x, (B, T, C) -> (B, T, D); `weights` are its
attention weights. Each check returns True or False; the `..._by` ones return how much.
"""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

Forward = Callable[[Float[Tensor, "B T C"]], Float[Tensor, "B T D"]]


def rows_sum_to_1(weights: Float[Tensor, "*B Tq Tk"], atol: float = 1e-5) -> bool:
    """True if the weights of each query sum to 1; nan counts as wrong."""
    return bool(((weights.sum(dim=-1) - 1).abs() <= atol).all())


def another_future(x: Float[Tensor, "B T C"], cut: int) -> Float[Tensor, "B T C"]:
    """A copy of x that is the same before position `cut` and different from there on."""
    if not 0 < cut < x.shape[1]:
        raise ValueError(
            f"cut: expected a position from 1 to {x.shape[1] - 1}, so that there is a past and a "
            f"future, got {cut}"
        )
    changed = x.clone()
    changed[:, cut:] = -changed[:, cut:].flip(-1) + 1
    return changed


def leaks_by(forward: Forward, x: Float[Tensor, "B T C"], cut: int) -> float:
    """The largest change of the outputs before `cut` when the inputs from `cut` on change."""
    change = forward(another_future(x, cut)) - forward(x)  # (B, T, D)
    return change[:, :cut].abs().max().item()


def ripples(
    forward: Callable[[Float[Tensor, "T C"]], Float[Tensor, "T D"]], x: Float[Tensor, "T C"]
) -> Float[Tensor, "T T"]:
    """Row i, column j: the largest change of output i when input j becomes 1 minus itself."""
    columns = []
    for j in range(len(x)):
        changed = x.clone()
        changed[j] = 1 - changed[j]
        columns.append((forward(changed) - forward(x)).abs().amax(dim=-1))  # (T,)
    return torch.stack(columns, dim=-1)  # (T, T)


def no_future_leak(forward: Forward, x: Float[Tensor, "B T C"], atol: float = 1e-5) -> bool:
    """True if no output changes when anything after it does, tried at every position."""
    return all(leaks_by(forward, x, cut) <= atol for cut in range(1, x.shape[1]))


def knows_order(forward: Forward, x: Float[Tensor, "B T C"], atol: float = 1e-5) -> bool:
    """True if the last output changes when two neighbours before it are swapped.

    False proves nothing more: a function of this x may still notice several swaps together.
    """
    before = forward(x)[:, -1]  # (B, D)
    for t in range(x.shape[1] - 2):
        order = list(range(x.shape[1]))
        order[t], order[t + 1] = t + 1, t
        if not ((forward(x[:, order])[:, -1] - before).abs() <= atol).all():
            return True
    return False


def batch_independent(forward: Forward, x: Float[Tensor, "B T C"], atol: float = 1e-5) -> bool:
    """True if each sequence gives the same output alone as in the batch."""
    alone = torch.cat([forward(x[b : b + 1]) for b in range(len(x))])  # (B, T, D)
    return bool(((alone - forward(x)).abs() <= atol).all())


def keys_may_be_permuted(
    attend: Callable[[Tensor, Tensor, Tensor], Tensor],
    q: Float[Tensor, "*B Tq D"],
    k: Float[Tensor, "*B Tk D"],
    v: Float[Tensor, "*B Tk Dv"],
    atol: float = 1e-5,
) -> bool:
    """True if another order of the keys and values doesn't change the output (without a mask)."""
    order = torch.arange(k.shape[-2]).roll(1)  # (Tk,)
    changed = attend(q, k[..., order, :], v[..., order, :])
    return bool(((changed - attend(q, k, v)).abs() <= atol).all())


def gradients_reach(forward: Forward, x: Float[Tensor, "B T C"], *parameters: Tensor) -> bool:
    """True if each of the parameters (those of q and k, say) gets a gradient that is not 0."""
    grads = torch.autograd.grad(
        forward(x).square().sum(), parameters, allow_unused=True, materialize_grads=False
    )
    return all(grad is not None and bool((grad != 0).any()) for grad in grads)


def equals(
    forward: Forward, reference: Forward, x: Float[Tensor, "B T C"], atol: float = 1e-5
) -> bool:
    """True if two attentions agree on x; nan counts as wrong."""
    return bool(((forward(x) - reference(x)).abs() <= atol).all())
