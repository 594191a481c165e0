"""Answers to the exercises of chapter 06, written from its page alone."""

import copy
import math

import torch
import torch.nn.functional as F

from tests.chapters.answers import right, slips


def _shapes(B, Tq, Tk, C, D, Dv):
    return {
        "W_q": (C, D),
        "W_v": (C, Dv),
        "q": (B, Tq, D),
        "k": (B, Tk, D),
        "v": (B, Tk, Dv),
        "scores": (B, Tq, Tk),
        "weights": (B, Tq, Tk),
        "out": (B, Tq, Dv),
    }


@right("06.shapes")
def shapes_by_computing(B, Tq, Tk, C, D, Dv):
    x, memory = torch.zeros(B, Tq, C), torch.zeros(B, Tk, C)
    t = {"W_q": torch.zeros(C, D), "W_v": torch.zeros(C, Dv)}
    t["q"] = x @ t["W_q"]
    t["k"] = memory @ torch.zeros(C, D)
    t["v"] = memory @ t["W_v"]
    t["scores"] = t["q"] @ t["k"].mT
    t["weights"] = t["scores"].softmax(-1)
    t["out"] = t["weights"] @ t["v"]
    return {name: tuple(value.shape) for name, value in t.items()}


@right("06.shapes")
def shapes_from_one_string(B, Tq, Tk, C, D, Dv):
    sizes = {"B": B, "q": Tq, "k": Tk, "C": C, "D": D, "V": Dv}
    plan = "W_q:CD W_v:CV q:BqD k:BkD v:BkV scores:Bqk weights:Bqk out:BqV"
    pairs = (entry.split(":") for entry in plan.split())
    return {name: tuple(sizes[axis] for axis in axes) for name, axes in pairs}


slips(shapes_by_computing)("""
shapes_of_linear_weights: gives W_q and W_v as nn.Linear stores them, outputs by inputs
    return _shapes(B, Tq, Tk, C, D, Dv) | {"W_q": (D, C), "W_v": (Dv, C)}
shapes_scores_key_by_query: turns scores and weights round: a row for each key instead of each query
    return _shapes(B, Tq, Tk, C, D, Dv) | {"scores": (B, Tk, Tq), "weights": (B, Tk, Tq)}
shapes_of_self_attention: is self-attention: keys, values and columns of the scores have the length Tq
    return _shapes(B, Tq, Tq, C, D, Dv)
shapes_without_a_batch: leaves the batch axis out of everything
    return {name: shape[-2:] for name, shape in _shapes(B, Tq, Tk, C, D, Dv).items()}
shapes_as_lists: gives lists instead of tuples
    return {name: list(shape) for name, shape in _shapes(B, Tq, Tk, C, D, Dv).items()}
shapes_weights_summed_away: thinks softmax takes away the last axis of the scores
    return _shapes(B, Tq, Tk, C, D, Dv) | {"weights": (B, Tq)}
shapes_two_slips: gives W_v as (C, D) and the keys the length Tq
    return _shapes(B, Tq, Tk, C, D, Dv) | {"W_v": (C, D), "k": (B, Tq, D)}
""")


@right("06.one_matrix")
def matrix_by_einsum(q_weight, k_weight):
    return torch.einsum("di,dj->ij", q_weight, k_weight)


@right("06.one_matrix")
def matrix_as_sum_of_outers(q_weight, k_weight):
    return sum(torch.outer(q, k) for q, k in zip(q_weight, k_weight))


slips(matrix_by_einsum)("""
matrix_scaled: scales by the root of the head size
    return q_weight.T @ k_weight / q_weight.shape[0] ** 0.5
matrix_symmetric: makes M symmetric, right only for the score of a position with itself
    M = q_weight.T @ k_weight
    return (M + M.T) / 2
matrix_first_row_only: uses only the first number of query and key, right for a head size of 1
    return torch.outer(q_weight[0], k_weight[0])
matrix_of_elementwise_products: sums the elementwise products to the diagonal of M alone
    return torch.diag((q_weight * k_weight).sum(dim=0))
matrix_squeezed: squeezes the result, so that C = 1 gives no matrix
    return (q_weight.T @ k_weight).squeeze()
matrix_two_slips: multiplies in the other order and scales as well
    return (k_weight.T @ q_weight) * q_weight.shape[0] ** -0.5
matrix_by_reshape: reshapes q_weight to (C, D) instead of transposing it
    return q_weight.reshape(q_weight.shape[1], -1) @ k_weight
""")


@right("06.attend")
def attend_by_einsum(x, W_q, W_k, W_v):
    q, k, v = (torch.einsum("...tc,cd->...td", x, W) for W in (W_q, W_k, W_v))
    scores = torch.einsum("...td,...sd->...ts", q, k) / math.sqrt(q.size(-1))
    return torch.einsum("...ts,...sd->...td", torch.softmax(scores, -1), v)


@right("06.attend")
def attend_row_by_row(x, W_q, W_k, W_v):
    if x.dim() == 3:
        return torch.stack([attend_row_by_row(one, W_q, W_k, W_v) for one in x])
    k, v = x @ W_k, x @ W_v
    rows = []
    for word in x:
        scores = k @ (word @ W_q) / len(W_q.T) ** 0.5
        shares = (scores - scores.max()).exp()
        rows.append((shares / shares.sum()) @ v)
    return torch.stack(rows)


slips(attend_by_einsum)("""
attend_no_keepdim: divides by row sums without keepdim, so each column is divided by another row's sum
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    scores = q @ k.mT / k.shape[-1] ** 0.5
    e = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return e / e.sum(dim=-1) @ v
attend_dot_T: turns all axes of the keys round by .T, batch included
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    return F.softmax(q @ k.T / k.shape[-1] ** 0.5, dim=-1) @ v
attend_unpacks_three: unpacks x.shape into B, T, C, which fails for one sequence
    B, T, C = x.shape
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    return F.softmax(q @ k.mT * W_k.shape[1] ** -0.5, dim=-1) @ v
attend_softmax_dim_1: takes softmax along axis 1, which is the row only for one sequence
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    return F.softmax(q @ k.mT / k.shape[-1] ** 0.5, dim=1) @ v
attend_root_of_two: divides by the root of 2, the head size of the page's example
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    return F.softmax(q @ k.mT / 2**0.5, dim=-1) @ v
attend_naive_exp: takes exp of the bare scores, which overflows to nan for large ones
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    e = torch.exp(q @ k.mT / k.shape[-1] ** 0.5)
    return e / e.sum(dim=-1, keepdim=True) @ v
attend_squeezed: squeezes away every axis of length 1
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    return (F.softmax(q @ k.mT / k.shape[-1] ** 0.5, dim=-1) @ v).squeeze()
""")


@right("06.cross_attend")
def cross_by_einsum(x, memory, W_q, W_k, W_v):
    q, k, v = x @ W_q, memory @ W_k, memory @ W_v
    weights = (torch.einsum("...id,...jd->...ij", q, k) * q.shape[-1] ** -0.5).softmax(-1)
    return torch.einsum("...ij,...jv->...iv", weights, v)


@right("06.cross_attend")
def cross_by_broadcast(x, memory, W_q, W_k, W_v):
    q, k, v = x.matmul(W_q), memory.matmul(W_k), memory.matmul(W_v)
    scores = (q.unsqueeze(-2) * k.unsqueeze(-3)).sum(-1) / math.sqrt(W_k.size(1))
    weights = torch.log_softmax(scores, -1).exp()
    return (weights.unsqueeze(-1) * v.unsqueeze(-3)).sum(-2)


slips(cross_by_einsum)("""
cross_scaled_by_length: takes the root of the memory's length, shape[-2], instead of the key size
    q, k, v = x @ W_q, memory @ W_k, memory @ W_v
    return F.softmax(q @ k.mT / k.shape[-2] ** 0.5, dim=-1) @ v
cross_scaled_by_memory_size: scales by the root of the memory's channels
    q, k, v = x @ W_q, memory @ W_k, memory @ W_v
    return F.softmax(q @ k.mT / memory.shape[-1] ** 0.5, dim=-1) @ v
cross_scaled_by_value_size: scales by the root of the value size, right where Dv = D
    q, k, v = x @ W_q, memory @ W_k, memory @ W_v
    return F.softmax(q @ k.mT / W_v.shape[-1] ** 0.5, dim=-1) @ v
cross_einsum_batched_only: names a batch axis in einsum, so two single sequences fail
    q, k, v = x @ W_q, memory @ W_k, memory @ W_v
    weights = F.softmax(torch.einsum("bid,bjd->bij", q, k) / k.shape[-1] ** 0.5, dim=-1)
    return torch.einsum("bij,bjd->bid", weights, v)
cross_transposes_first_axes: swaps axes 0 and 1 of the keys, right only without a batch
    q, k, v = x @ W_q, memory @ W_k, memory @ W_v
    return F.softmax(q @ k.transpose(0, 1) / k.shape[-1] ** 0.5, dim=-1) @ v
cross_reshapes_the_keys: turns the keys round by reshape, which mixes up their numbers
    q, k, v = x @ W_q, memory @ W_k, memory @ W_v
    kT = k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])
    return F.softmax(q @ kT / k.shape[-1] ** 0.5, dim=-1) @ v
cross_cuts_to_one_length: cuts the memory to the length of x
    memory = memory[..., : x.shape[-2], :]
    q, k, v = x @ W_q, memory @ W_k, memory @ W_v
    return F.softmax(q @ k.mT / k.shape[-1] ** 0.5, dim=-1) @ v
""")


@right("06.transplant")
def transplant_functional_call(head, W_q, W_k, W_v, x):
    new = {"query.weight": W_q.T, "key.weight": W_k.T, "value.weight": W_v.T}
    return torch.func.functional_call(head, new, (x,)), head(x)


@right("06.transplant")
def transplant_copy(head, W_q, W_k, W_v, x):
    twin = copy.deepcopy(head)
    with torch.no_grad():
        twin.query.weight.copy_(W_q.T)
        twin.key.weight.copy_(W_k.T)
        twin.value.weight.copy_(W_v.T)
    return twin(x), head(x)


slips(transplant_copy)("""
transplant_second_name: twin is a second name for head, so head is overwritten
    copy.deepcopy(head) -> head
transplant_output_saved_first: saves head's output, then writes into head itself and leaves it changed
    before = head(x).detach().clone()
    head.query.weight.data = W_q.T.clone()
    head.key.weight.data = W_k.T.clone()
    head.value.weight.data = W_v.T.clone()
    return head(x), before
transplant_adds: adds the matrices to the old weights instead of replacing them
    twin.query.weight.copy_(W_q.T) -> twin.query.weight += W_q.T
    twin.key.weight.copy_(W_k.T) -> twin.key.weight += W_k.T
    twin.value.weight.copy_(W_v.T) -> twin.value.weight += W_v.T
transplant_stacked: returns one stacked tensor instead of a tuple of two
    twin(x), head(x) -> torch.stack((twin(x), head(x)))
transplant_two_slips: swaps the matrices of query and key, and leaves the value layer as it was
    query.weight.copy_(W_q.T) -> query.weight.copy_(W_k.T)
    key.weight.copy_(W_k.T) -> key.weight.copy_(W_q.T)
    twin.value.weight.copy_(W_v.T) ->
transplant_harms_the_matrices: copies the wrong way: the twin's weights into the matrices
    twin.query.weight.copy_(W_q.T) -> W_q.copy_(twin.query.weight.T)
    twin.key.weight.copy_(W_k.T) -> W_k.copy_(twin.key.weight.T)
    twin.value.weight.copy_(W_v.T) -> W_v.copy_(twin.value.weight.T)
transplant_shallow_copy: makes a shallow copy, whose layers are those of head, so head is overwritten
    deepcopy -> copy
""")


@right("06.is_deaf")
def deaf_by_loop(attend, q, k, v):
    out = attend(q, k, v)
    for seed in range(6):
        g = torch.Generator().manual_seed(seed)
        q2 = torch.randn(q.shape, generator=g, dtype=q.dtype)
        k2 = torch.randn(k.shape, generator=g, dtype=k.dtype)
        if (attend(q2, k2, v) - out).abs().max().item() > 1e-5:
            return False
    return True


@right("06.is_deaf")
def deaf_by_spread(attend, q, k, v):
    outs = [attend(q, k, v).detach()]
    for _ in range(5):
        outs.append(attend(torch.randn_like(q), torch.randn_like(k), v).detach())
    outs = torch.stack(outs)
    return bool((outs.amax(0) - outs.amin(0) < 1e-5).all())


slips(deaf_by_loop)("""
deaf_if_gradient_none: takes a gradient of None for deafness: wrong for scores times 0, and for detached scores
    q_grad, k_grad = _gradients(attend, q, k, v)
    return q_grad is None and k_grad is None
deaf_if_gradient_zero: takes a missing or zero gradient for deafness: wrong for hard or detached attention
    return all(g is None or bool((g == 0).all()) for g in _gradients(attend, q, k, v))
deaf_if_running_mean: compares with the running mean of the values: a deaf head needn't have the tril mask
    steps = torch.arange(1, v.shape[-2] + 1).unsqueeze(-1)
    return _close(attend(q, k, v), v.cumsum(dim=-2) / steps)
deaf_if_swappable: swaps q and k, which a head with symmetric scores doesn't notice
    return _close(attend(q, k, v), attend(k, q, v))
deaf_across_the_batch: gives each sequence another one's q and k, which changes nothing for a batch of one
    return _close(attend(q, k, v), attend(q.roll(1, 0), k.roll(1, 0), v))
deaf_first_position: looks at the first position's output only, which hears just itself under a mask
    other = attend(torch.randn_like(q), torch.randn_like(k), v)
    return _close(attend(q, k, v)[..., 0, :], other[..., 0, :])
deaf_anywhere: asks whether any number stays the same instead of all
    other = attend(torch.randn_like(q), torch.randn_like(k), v)
    return bool(torch.isclose(attend(q, k, v), other, atol=1e-5).any())
compares_the_last_position: looks at the last position only
    change = attend(q, k, v) - attend(torch.randn_like(q), torch.randn_like(k), v)
    return bool(change[..., -1, :].abs().max() < 1e-5)
""")


def _close(a, b):
    return torch.allclose(a, b, atol=1e-5)


def _gradients(attend, q, k, v):
    q, k, v = (t.detach().clone().requires_grad_() for t in (q, k, v))
    out = attend(q, k, v).sum()
    if out.requires_grad:
        out.backward()
    return q.grad, k.grad
