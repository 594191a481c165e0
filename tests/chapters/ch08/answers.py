"""Answers to the exercises of chapter 08, written from its page alone."""

import numpy as np
import torch
import torch.nn.functional as F

from tests.chapters.answers import right, slips

INF = float("-inf")


@right("08.mask_weights")
def mask_weights_row_by_row(weights, mask):
    weights, mask = torch.broadcast_tensors(weights, mask)
    rows = []
    for w, m in zip(
        weights.reshape(-1, weights.shape[-1]).tolist(), mask.reshape(-1, mask.shape[-1]).tolist()
    ):
        total = sum(a for a, ok in zip(w, m) if ok)
        rows.append([a / total if ok else 0.0 for a, ok in zip(w, m)])
    return torch.tensor(rows, dtype=weights.dtype).reshape(weights.shape)


@right("08.mask_weights")
def logs_and_softmax(weights, mask):
    return torch.softmax(
        torch.where(mask, weights.log(), torch.tensor(INF, dtype=weights.dtype)), -1
    )


slips(mask_weights_row_by_row)("""
past_of_each_row: cuts each row at its own mask count, which fits only masks that are open from the left
    out = torch.zeros_like(weights)
    mask = mask.expand_as(weights)
    for i in np.ndindex(*weights.shape[:-1]):
        n = int(mask[i].sum())
        out[i][:n] = weights[i][:n] / weights[i][:n].sum()
    return out
sum_over_axis_one: sums over axis 1, which is the keys only while there is no batch axis
    kept = weights * mask
    return kept / kept.sum(1, keepdim=True)
always_a_triangle: cuts by the causal triangle and ignores the mask that it was given
    kept = weights.tril()
    return kept / kept.sum(-1, keepdim=True)
lost_share_dealt_equally: hands the lost share out in equal parts instead of in proportion to the kept weights
    kept = weights * mask
    lost = 1 - kept.sum(-1, keepdim=True)
    return kept + mask * lost / mask.sum(-1, keepdim=True)
lost_share_to_itself: gives all of the lost share to the diagonal
    kept = weights * mask
    return kept + torch.diag_embed(1 - kept.sum(-1))
divides_by_the_number_of_open_keys: divides by how many keys are open, not by what they hold
    return weights * mask / mask.sum(-1, keepdim=True)
unit_length_rows: F.normalize with its default p=2 makes rows of length 1, not of sum 1
    return F.normalize(weights * mask, dim=-1)
""")


@right("08.causal_weights")
def log_of_the_triangle(scores):
    T = scores.shape[-1]
    return (scores + torch.ones(T, T, dtype=scores.dtype).tril().log()).softmax(-1)


@right("08.causal_weights")
def prefix_softmaxes(scores):
    T = scores.shape[-1]
    rows = [F.pad(scores[..., t, : t + 1].softmax(-1), (0, T - 1 - t)) for t in range(T)]
    return torch.stack(rows, dim=-2)


slips(log_of_the_triangle)("""
rows_of_a_single_matrix: walks over the first axis, which is the rows only for a single matrix
    out = torch.zeros_like(scores)
    for t in range(scores.shape[0]):
        out[t, : t + 1] = F.softmax(scores[t, : t + 1], dim=-1)
    return out
first_way: softmax first and shared out again: 0 / 0 when a future score is far above the past
    kept = F.softmax(scores, dim=-1).tril()
    return kept / kept.sum(dim=-1, keepdim=True)
one_maximum_for_all: subtracts one maximum of all scores, so a row far below it becomes 0 / 0
    e = (scores - scores.max()).exp().tril()
    return e / e.sum(-1, keepdim=True)
fills_with_minus_100: -100 isn't low enough: beside scores of -100 the future gets a share
    T = scores.shape[-1]
    return F.softmax(scores.masked_fill(torch.ones(T, T).triu(1).bool(), -100.0), -1)
softmax_over_dim_one: softmax over axis 1, which is the keys only for a single matrix
    T = scores.shape[-1]
    return F.softmax(scores.masked_fill(torch.ones(T, T).tril() == 0, INF), dim=1)
length_from_axis_one: takes T from axis 1, which is the heads in a batch of heads
    T = scores.shape[1]
    mask = torch.tril(torch.ones(T, T, dtype=torch.bool))
    return F.softmax(scores.masked_fill(~mask, INF), dim=-1)
clamped_for_safety: clamps the scores to +-50, which makes 100 and 60 equal
    T = scores.shape[-1]
    s = scores.clamp(-50, 50).masked_fill(torch.ones(T, T).triu(1) > 0, INF)
    return s.softmax(-1)
""")


@right("08.as_allowed")
def table_of_readers(mask, convention):
    read = {
        "sdpa": torch.clone,
        "mha": torch.logical_not,
        "additive": lambda m: m > -1,
        "ones": torch.Tensor.bool,
    }
    return read[convention](mask)


@right("08.as_allowed")
def one_after_the_other(mask, convention):
    if convention == "mha":
        return ~mask
    if convention == "additive":
        return mask == 0
    return mask.bool()


slips(one_after_the_other)("""
forbidden_is_minus_inf_alone: knows only -inf as forbidden, so -1e9 counts as allowed
    mask == 0 -> mask != INF
not_low_enough: calls forbidden only what is below -1e6, so half precision's -65504 counts as allowed
    mask == 0 -> mask > -1e6
exactly_minus_1e9: knows only -inf and -1e9, and no other huge negative number
    mask == 0 -> ~((mask == INF) | (mask == -1e9))
ones_with_a_tilde: ~ on integers flips their bits, so 1 and 0 become -2 and -1, all True as booleans
    if convention == "sdpa":
        return mask
    if convention == "additive":
        return mask == 0
    if convention == "ones":
        return (~mask).bool()
    return ~mask
ones_left_as_integers: gives the mask of ones back as integers, not booleans
    .bool() ->
guesses_by_the_first_cell: turns a boolean mask so that its first cell is open, which fits a causal mask alone
    if mask.dtype == torch.bool:
        return mask if mask.flatten()[0] else ~mask
    return mask == 0 if convention == "additive" else mask == 1
makes_a_causal_mask: returns the causal triangle of that size whatever the mask says
    return torch.ones(mask.shape).bool().tril()
""")


@right("08.joint_mask")
def three_loops(lengths, T):
    cells = [[[j <= i and j < n for j in range(T)] for i in range(T)] for n in lengths.tolist()]
    return torch.tensor(cells, dtype=torch.bool)


@right("08.joint_mask")
def clone_and_close_columns(lengths, T):
    mask = torch.tril(torch.ones(len(lengths), T, T)).bool()
    for b, n in enumerate(lengths):
        mask[b, :, int(n) :] = False
    return mask


slips(three_loops)("""
pads_closed_as_queries_too: closes the rows of the padding as well, so they may look nowhere
    position = torch.arange(T)
    real = position < lengths[:, None]
    return (position <= position[:, None]) & real[:, None, :] & real[:, :, None]
tril_with_one: tril(diagonal=1) opens the next word
    past = torch.ones(T, T, dtype=torch.bool).tril(diagonal=1)
    real = torch.arange(T) < lengths.unsqueeze(1)
    return past & real.unsqueeze(1)
only_the_padding: masks the padding and forgets the future
    real = torch.arange(T) < lengths[:, None]
    return real[:, None, :].expand(-1, T, -1)
ones_and_zeros: returns integers instead of booleans
    past = torch.ones(T, T).tril()
    real = (torch.arange(T) < lengths[:, None]).float()
    return (past * real[:, None, :]).int()
as_long_as_the_longest: uses the longest sequence instead of T, so the mask is too small if all are padded
    T = int(lengths.max())
    position = torch.arange(T)
    return (position <= position[:, None]) & (position < lengths[:, None])[:, None, :]
shortest_for_all: closes everything behind the shortest sequence in all of them
    past = torch.ones(T, T, dtype=torch.bool).tril()
    real = torch.arange(T) < lengths.min()
    return (past & real).expand(len(lengths), T, T)
longest_first: sorts the lengths, so that the masks belong to other sequences
    lengths = lengths.sort(descending=True).values
    past = torch.ones(T, T, dtype=torch.bool).tril()
    return past & (torch.arange(T) < lengths[:, None])[:, None, :]
""")


@right("08.safe_weights")
def repaired_by_nan_to_num(scores, mask):
    return torch.nan_to_num(torch.softmax(torch.where(mask, scores, INF), dim=1), nan=0.0)


@right("08.safe_weights")
def open_rows_only(scores, mask):
    out = torch.zeros_like(scores)
    for i, row in enumerate(mask):
        if row.any():
            out[i, row] = scores[i, row].softmax(0)
    return out


slips(repaired_by_nan_to_num)("""
only_the_first_row: repairs row 0 only
    w = F.softmax(scores.masked_fill(~mask, INF), dim=-1)
    if not mask[0].any():
        w[0] = 0.0
    return w
plain_softmax: a closed row is nan
    return F.softmax(scores.masked_fill(~mask, INF), dim=-1)
cut_and_share_with_clamp: shares out after softmax: an open row underflows to 0 when a forbidden score is far above
    kept = F.softmax(scores, dim=-1) * mask
    return kept / kept.sum(-1, keepdim=True).clamp(min=1e-9)
cut_and_share: shares out after softmax with no care for closed rows: 0 / 0
    kept = F.softmax(scores, dim=-1) * mask
    return kept / kept.sum(-1, keepdim=True)
bare_exp: exp without a maximum overflows at large scores and gives nan
    e = torch.where(mask, scores.exp(), 0.0)
    total = e.sum(-1, keepdim=True)
    return e / torch.where(total == 0, 1.0, total)
epsilon_in_the_denominator: two faults: 1e-6 in the sum swallows an open row of low scores, and scores are clipped at 80
    e = torch.exp(scores.clamp(max=80)) * mask
    return e / (e.sum(-1, keepdim=True) + 1e-6)
softmax_of_columns_repaired: softmax over the queries instead of the keys
    return F.softmax(scores.masked_fill(~mask, INF), dim=0).nan_to_num(0.0)
""")


def _other(x, seed=0):
    return x + 3 * torch.randn(x.shape, generator=torch.Generator().manual_seed(seed))


@right("08.no_future_leak")
def all_cuts_in_one_expression(forward, x):
    before = forward(x.clone())
    return all(
        bool(
            (
                (forward(torch.cat((x[:, :c], y[:, c:]), 1))[:, :c] - before[:, :c]).abs() <= 1e-5
            ).all()
        )
        for y in (1 - x, _other(x))
        for c in range(1, x.shape[1])
    )


@right("08.no_future_leak")
def cut_by_cut(forward, x):
    before = forward(x)
    for cut in range(1, x.shape[1]):
        changed = x.clone()
        changed[:, cut:] = 1 - changed[:, cut:]
        if not ((forward(changed) - before)[:, :cut].abs() <= 1e-5).all():
            return False
    return True


slips(cut_by_cut)("""
nan_is_no_leak: asks whether any difference is above the limit, which nan never is
    not ((forward(changed) - before)[:, :cut].abs() <= 1e-5).all() -> ((forward(changed) - before)[:, :cut].abs() > 1e-5).any()
nan_equals_nan: allclose with equal_nan lets nan pass
    not ((forward(changed) - before)[:, :cut].abs() <= 1e-5).all() -> not torch.allclose(forward(changed)[:, :cut], before[:, :cut], 0, 1e-5, equal_nan=True)
last_word_only: changes the last word only, and so misses leaks from the words between
    changed = x.clone()
    changed[:, -1] = 1 - changed[:, -1]
    difference = (forward(changed) - forward(x))[:, :-1].abs()
    return bool((difference <= 1e-5).all())
neighbour_only: looks only at the output right before the changed word, and misses holes further away
    changed[:, cut:] = 1 - changed[:, cut:] -> changed[:, cut] = 1 - changed[:, cut]
    [:, :cut] -> [:, cut - 1]
one_output_too_many: looks at the changed position itself, which may change, so a clean attention is refused
    [:, :cut] -> [:, : cut + 1]
not_one_bit: asks for equality to the bit, so a clean attention with rounding below 1e-5 is refused
    not ((forward(changed) - before)[:, :cut].abs() <= 1e-5).all() -> not torch.equal(forward(changed)[:, :cut], before[:, :cut])
sums_the_channels of nan_is_no_leak: sums the changes over the channels, in which they can cancel
    [:, :cut].abs() -> [:, :cut].sum(-1).abs()
last_word_and_nan_passes: two faults: only the last word is changed, and nan counts as no change
    changed = x.clone()
    changed[:, -1] += 1
    return not bool(((forward(changed) - forward(x))[:, :-1].abs() > 1e-5).any())
""")
