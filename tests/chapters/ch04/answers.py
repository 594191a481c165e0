"""Answers to the exercises of chapter 04, written from its page alone."""

import torch
import torch.nn.functional as F

from attention.masks import causal_mask
from tests.chapters.answers import right, slips


@right("04.mean_past")
def mean_of_every_slice(x):
    return torch.stack([x[:, : t + 1].mean(dim=1) for t in range(x.shape[1])], dim=1)


@right("04.mean_past")
def running_mean_update(x):
    out = x.clone()
    for t in range(1, x.shape[1]):
        out[:, t] = out[:, t - 1] + (x[:, t] - out[:, t - 1]) / (t + 1)
    return out


slips(mean_of_every_slice)("""
halves_with_the_mean_so_far: averages the new row with the mean so far half and half, right only up to T = 2
    rows = [x[:, 0]]
    for t in range(1, x.shape[1]):
        rows.append((rows[-1] + x[:, t]) / 2)
    return torch.stack(rows, dim=1)
one_long_sequence: flattens the batch into one sequence, so sequences mix whenever B > 1
    B, T, C = x.shape
    flat = x.reshape(B * T, C)
    n = torch.arange(1, B * T + 1)[:, None]
    return (flat.cumsum(0) / n).reshape(B, T, C)
doubles_and_triples_lost: averages the distinct values of the past, so repeated values count once
    out = torch.empty_like(x)
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            for c in range(x.shape[2]):
                out[b, t, c] = x[b, : t + 1, c].unique().mean()
    return out
divides_by_the_length: divides every running sum by T instead of t + 1
    return x.cumsum(1) / x.shape[1]
column_sums_in_the_weights: divides the triangle by its column sums instead of its row sums
    w = torch.tril(torch.ones(x.shape[1], x.shape[1]))
    return (w / w.sum(dim=0, keepdim=True)) @ x
window_of_eight: averages at most the last eight rows, wrong for T > 8
    T = x.shape[1]
    return torch.stack([x[:, max(0, t - 7) : t + 1].mean(1) for t in range(T)], dim=1)
first_sequence_for_all: averages the first sequence and repeats it for the whole batch
    n = torch.arange(1, x.shape[1] + 1)[:, None]
    return (x[0].cumsum(0) / n).expand(x.shape).clone()
""")


@right("04.averaging_weights")
def rows_as_lists(T):
    return torch.tensor([[1 / (t + 1)] * (t + 1) + [0.0] * (T - t - 1) for t in range(T)])


@right("04.averaging_weights")
def causal_softmax_weights(T):
    return torch.zeros(T, T).masked_fill(~causal_mask(T), float("-inf")).softmax(dim=-1)


slips(rows_as_lists)("""
halves_recursively: each row halves the row before and adds one half, right only up to T = 2
    w = torch.zeros(T, T)
    w[0, 0] = 1.0
    for t in range(1, T):
        w[t] = w[t - 1] / 2
        w[t, t] = 0.5
    return w
no_keepdim: forgets keepdim, so the row sums divide the columns
    w = torch.tril(torch.ones(T, T))
    return w / w.sum(dim=1)
columns_sum_to_one: divides by the column sums, so columns sum to 1 instead of rows
    w = torch.tril(torch.ones(T, T))
    return w / w.sum(dim=0, keepdim=True)
past_without_itself: leaves the position itself out of its past, with row 0 looking at itself
    w = torch.tril(torch.ones(T, T), diagonal=-1)
    w[0, 0] = 1.0
    return w / w.sum(dim=1, keepdim=True)
squeezed_weights: squeezes, so T = 1 gives a scalar instead of a (1, 1) matrix
    w = torch.tril(torch.ones(T, T))
    return (w / w.sum(dim=1, keepdim=True)).squeeze()
typed_from_the_printout: cuts the shares to the four printed decimals, so rows do not sum to 1
    w = torch.tril(torch.ones(T, T))
    return torch.round(w / w.sum(dim=1, keepdim=True), decimals=4)
capped_at_eight_positions: looks back at most eight positions, right only up to T = 8
    w = torch.tril(torch.ones(T, T)).triu(-7)
    return w / w.sum(dim=1, keepdim=True)
""")


@right("04.weights_from_mask")
def divide_the_mask(mask):
    return mask.float() / mask.sum(dim=-1, keepdim=True)


@right("04.weights_from_mask")
def recursion_over_axes(mask):
    if mask.dim() == 1:
        n = sum(mask.tolist())
        return torch.tensor([1 / n if allowed else 0.0 for allowed in mask.tolist()])
    return torch.stack([recursion_over_axes(m) for m in mask])


slips(divide_the_mask)("""
two_axes_only: unpacks two axes, so a batch fails
    Tq, Tk = mask.shape
    w = torch.zeros(Tq, Tk)
    for q in range(Tq):
        w[q] = mask[q] / mask[q].sum()
    return w
forgets_the_tilde: fills -inf where the mask is True, so it forbids what is allowed
    return F.softmax(torch.zeros(mask.shape).masked_fill(mask, float("-inf")), dim=-1)
softmax_over_axis_1: softmax along dim=1, right for a matrix, wrong with a batch in front
    return F.softmax(torch.zeros(mask.shape).masked_fill(~mask, float("-inf")), dim=1)
square_scores: makes (Tk, Tk) scores, so a mask that is not square fails
    T = mask.shape[-1]
    return torch.zeros(T, T).masked_fill(~mask, float("-inf")).softmax(-1)
assumes_a_triangle: ignores what the mask holds and returns the causal weights
    w = torch.tril(torch.ones(mask.shape))
    return w / w.sum(-1, keepdim=True)
counts_of_the_first_in_batch: takes the row counts of the first mask of the batch for all
    first = mask if mask.dim() == 2 else mask[0]
    return mask.float() / first.sum(-1, keepdim=True)
squeezes_a_batch_of_one: squeezes, so a batch of one or a single query or key loses its axis
    return (mask.float() / mask.sum(-1, keepdim=True)).squeeze()
""")


@right("04.rows_from_means")
def diff_with_a_zero_row(means):
    count = torch.arange(1, means.shape[1] + 1)[:, None]
    return torch.diff(means * count, dim=1, prepend=torch.zeros_like(means[:, :1]))


@right("04.rows_from_means")
def solve_the_triangle(means):
    T = means.shape[1]
    w = torch.tril(torch.ones(T, T)) / torch.arange(1, T + 1)[:, None]
    return torch.linalg.solve_triangular(w.expand(len(means), T, T), means, upper=False)


slips(diff_with_a_zero_row)("""
subtracts_the_last_row_only: subtracts the row found last instead of all rows so far, right only up to T = 2
    out = means * torch.arange(1, means.shape[1] + 1)[:, None]
    for t in range(1, means.shape[1]):
        out[:, t] -= out[:, t - 1]
    return out
differences_of_the_means: subtracts neighbouring means without turning them into sums first
    out = means.clone()
    out[:, 1:] = means[:, 1:] - means[:, :-1]
    return out
loses_the_first_row: returns the differences only, so row 0 is missing
    sums = means * torch.arange(1, means.shape[1] + 1)[:, None]
    return torch.diff(sums, dim=1)
writes_backwards_into_means: right rows, but written into means instead of a new tensor
    for t in range(means.shape[1] - 1, 0, -1):
        means[:, t] = (t + 1) * means[:, t] - t * means[:, t - 1]
    return means
never_negative: clamps the rows at 0, right only for an x without negative numbers
    sums = means * torch.arange(1, means.shape[1] + 1)[:, None]
    return torch.cat([sums[:, :1], sums.diff(dim=1)], dim=1).clamp(min=0)
whole_rows_only: rounds the rows, right only for an x of whole numbers
    sums = means * torch.arange(1, means.shape[1] + 1)[:, None]
    return torch.cat([sums[:, :1], sums.diff(dim=1)], dim=1).round()
only_the_first_sequence: undoes the first sequence and repeats it, right for a batch of one
    sums = means[0] * torch.arange(1, means.shape[1] + 1)[:, None]
    rows = torch.cat([sums[:1], sums.diff(dim=0)])
    return rows.expand(means.shape).clone()
""")


@right("04.fading_weights")
def powers_in_lists(T, decay):
    rows = []
    for t in range(T):
        shares = [float(decay) ** (t - s) for s in range(t + 1)]
        rows.append([w / sum(shares) for w in shares] + [0.0] * (T - t - 1))
    return torch.tensor(rows)


@right("04.fading_weights")
def by_age(T, decay):
    age = (torch.arange(T)[:, None] - torch.arange(T)).clamp(min=0).float()
    w = torch.tril(decay**age)
    return w / w.sum(dim=1, keepdim=True)


slips(by_age)("""
geometric_formula: uses the closed sum (1 - d^n) / (1 - d), which is 0 / 0 for decay = 1
    age = (torch.arange(T)[:, None] - torch.arange(T)).clamp(min=0)
    n = torch.arange(1, T + 1)[:, None]
    one = torch.tensor(1.0)
    total = (one - float(decay) ** n) / (one - decay)
    return torch.tril(float(decay) ** age) / total
refuses_decay_from_one_up: raises for decay >= 1 although any number above 0 is allowed
    if not 0 < decay < 1:
        raise ValueError("decay must lie between 0 and 1")
    return by_age(T, decay)
three_positions_at_most: knows only the shares 1, decay and decay ** 2, nothing for older positions
    eye = torch.eye(T)
    w = eye.clone()
    for k in (1, 2):
        w += decay**k * torch.tril(torch.ones(T, T), -k) * torch.triu(torch.ones(T, T), -k)
    return w / w.sum(dim=1, keepdim=True)
squares_too_early: doubles the exponent at each step: 1, decay, decay ** 2, decay ** 4
    w = torch.zeros(T, T)
    for t in range(T):
        share, factor = 1.0, decay
        for s in range(t, -1, -1):
            w[t, s] = share
            share, factor = (factor, factor * factor)
    return w / w.sum(1, keepdim=True)
oldest_counts_most: raises decay to the column, so position 0 gets 1 and the position itself least
    w = torch.tril((float(decay) ** torch.arange(T)).expand(T, T))
    return w / w.sum(dim=1, keepdim=True)
always_one_half: fades by 0.5 whatever decay is
    decay**age -> 0.5**age
infinity_times_zero: powers of negative ages overflow for a small decay or a long past, and inf * 0 is nan
    .clamp(min=0) ->
    torch.tril(decay**age) -> decay**age * torch.tril(torch.ones(T, T))
""")


@right("04.copy_previous")
def log_of_a_shifted_identity(T):
    w = torch.diag(torch.ones(T - 1), -1)
    w[0, 0] = 1.0
    return w.log()


@right("04.copy_previous")
def cells_in_a_comprehension(T):
    inf = float("inf")
    return torch.tensor(
        [[0.0 if j == max(i - 1, 0) else -inf for j in range(T)] for i in range(T)]
    )


slips(log_of_a_shifted_identity)("""
first_row_looks_everywhere: row 0 is all zeros, so it averages the whole sequence
    s = torch.full((T, T), float("-inf"))
    s[0] = 0.0
    for t in range(1, T):
        s[t, t - 1] = 0.0
    return s
two_back: looks two rows back instead of one, right up to T = 2
    s = torch.full((T, T), float("-inf"))
    for t in range(T):
        s[t, max(t - 2, 0)] = 0.0
    return s
weights_not_scores: returns the weights of 0 and 1 instead of scores
    return w.log() -> return w
first_row_forbidden of first_row_looks_everywhere: leaves row 0 all -inf, which softmax turns into nan
    s[0] = 0.0 ->
whole_past_before: opens the whole strict past, so from row 2 on it averages
    s = torch.zeros(T, T).masked_fill(~torch.ones(T, T).tril(-1).bool(), float("-inf"))
    s[0, 0] = 0.0
    return s
fails_for_one_position of first_row_looks_everywhere: writes row 1 in any case, so T = 1 raises
    s[0] = 0.0 -> s[0, 0] = s[1, 0] = 0.0
    in range(1, T) -> in range(2, T)
large_but_finite of two_back: uses -1e9 where the statement asks for -inf
    float("-inf") -> -1e9
    s[t, max(t - 2, 0)] = 0.0 -> s[t, max(t - 1, 0)] = 0.0
""")
