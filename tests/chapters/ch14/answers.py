"""Answers to the exercises of chapter 14, written from its page alone."""

import torch

from tests.chapters.answers import right, slips


@right("14.one_back_score")
def by_places(weights):
    t = torch.arange(1, weights.shape[-1])
    return weights[..., t, t - 1].mean(-1)


@right("14.one_back_score")
def a_trace(weights):
    T = weights.shape[-1]
    return torch.einsum("...ii->...", weights[..., 1:, :-1]) / (T - 1)


@right("14.one_back_score")
def a_loop_over_rows(weights):
    total = torch.zeros(weights.shape[:-2])
    for t in range(1, weights.shape[-1]):
        total = total + weights[..., t, t - 1]
    return total / (weights.shape[-1] - 1)


@right("14.one_back_score")
def times_a_shifted_identity(weights):
    T = weights.shape[-1]
    wanted = torch.eye(T).roll(-1, 1).tril()
    return (weights * wanted).sum(dim=(-2, -1)) / wanted.sum()


slips(by_places)("""
one_after: the diagonal above
    return torch.diagonal(weights, 1, -2, -1).mean(-1)
keys_in_the_rows: takes rows for keys: the weight from t - 1 to t
    T = weights.shape[-1]
    return sum(weights[..., t - 1, t] for t in range(1, T)) / (T - 1)
over_all_positions: divides by T
    T = weights.shape[-1]
    return sum(weights[..., t, t - 1] for t in range(1, T)) / T
wraps_round: counts position 0, whose one before is index -1
    T = weights.shape[-1]
    return sum(weights[..., t, t - 1] for t in range(T)) / T
default_axes: torch.diagonal without axes takes the first two
    return torch.diagonal(weights, -1).mean(-1)
a_number_for_all: the mean over the heads, too
    return weights.diagonal(-1, -2, -1).mean()
over_the_texts: (B, H, T, T) to (H,): averages the batch
    score = weights.diagonal(-1, -2, -1).mean(-1)
    return score.mean(0) if score.dim() > 1 else score
how_often_the_largest: counts the rows whose largest weight is on the one before
    t = torch.arange(1, weights.shape[-1])
    return (weights[..., 1:, :].argmax(-1) == t - 1).float().mean(-1)
share_of_the_map: divides by the sum of all weights, which is T
    return weights.diagonal(-1, -2, -1).sum(-1) / weights.sum((-2, -1))
leaves_row_1_out: begins at position 2
    return weights[..., 1:, :].diagonal(-1, -2, -1).mean(-1)
a_python_number: ends with item()
    return weights.diagonal(-1, -2, -1).mean().item()
""")


@right("14.behind_score")
def picks_the_places(weights, period):
    t = torch.arange(period, 2 * period)
    return weights[..., t, t - period + 1].mean(dim=-1)


@right("14.behind_score")
def a_trace_of_a_part(weights, period):
    part = weights[..., period:, 1 : period + 1]
    return torch.einsum("...ii->...", part) / period


@right("14.behind_score")
def gathers(weights, period):
    places = torch.arange(1, period + 1).expand(*weights.shape[:-2], period)[..., None]
    return weights[..., period:, :].gather(-1, places)[..., 0].mean(-1)


@right("14.behind_score")
def half_of_the_length(weights, period):
    half = weights.shape[-1] // 2
    return weights[..., -half:, 1:].diagonal(0, -2, -1).mean(-1)


slips(picks_the_places)("""
whole_diagonal: the diagonal at 1 - period, with the row of the first copy on it
    return weights.diagonal(1 - period, -2, -1).mean(-1)
same_character: looks at the same character's first place
    return weights.diagonal(-period, -2, -1).mean(-1)
one_too_far_back: the sign of the 1
    t = torch.arange(period + 1, 2 * period)
    return weights[..., t, t - period - 1].mean(-1)
over_the_whole_string: divides the second copy's sum by T
    t = torch.arange(period, weights.shape[-1])
    return weights[..., t, t - period + 1].sum(-1) / weights.shape[-1]
other_side: the diagonal of the wrong side
    return weights.diagonal(period - 1, -2, -1).mean(-1)
same_diagonal_as_before: the previous-token score again
    return weights.diagonal(-1, -2, -1).mean(-1)
anywhere_in_the_first_copy: sums all that goes to the first copy
    return weights[..., period:, :period].sum(-1).mean(-1)
all_heads_at_once: one number
    dim=-1 ->
without_the_last: stops one row before the end, as the last character has nothing to guess
    t = torch.arange(period, 2 * period - 1)
    return weights[..., t, t - period + 1].mean(-1)
keeps_the_positions: forgets the mean
    .mean(dim=-1) ->
a_block_instead_of_a_diagonal: slices rows and columns and takes the mean of the block
    return weights[..., period:, 1 : period + 1].mean(dim=(-2, -1))
""")


@right("14.restored")
def where_it_is_t(rest, clean, corrupted):
    T = len(clean)
    here = torch.eye(T)[:, :, None] > 0
    number = torch.stack([rest(torch.where(here[t], clean, corrupted)) for t in range(T)])
    return (number - rest(corrupted)) / (rest(clean) - rest(corrupted))


@right("14.restored")
def one_row_copied(rest, clean, corrupted):
    low, high = rest(corrupted), rest(clean)
    shares = []
    for t in range(len(clean)):
        x = corrupted.clone()
        x[t] = clean[t]
        shares.append((rest(x) - low) / (high - low))
    return torch.stack(shares)


@right("14.restored")
def adds_the_difference(rest, clean, corrupted):
    low = rest(corrupted)
    numbers = []
    for t, delta in enumerate(clean - corrupted):
        x = corrupted.clone()
        x[t] += delta
        numbers.append(rest(x))
    return 1 - (rest(clean) - torch.stack(numbers)) / (rest(clean) - low)


slips(one_row_copied)("""
puts_it_back_afterwards: keeps a view, not a copy, of the old row, so nothing is put back
    low, high = rest(corrupted), rest(clean)
    shares = []
    for t in range(len(clean)):
        old = corrupted[t]
        corrupted[t] = clean[t]
        shares.append((rest(corrupted) - low) / (high - low))
        corrupted[t] = old
    return torch.stack(shares)
breaks_the_clean_one: the other direction
    corrupted.clone() -> clean.clone()
    x[t] = clean[t] -> x[t] = corrupted[t]
    rest(x) - low -> high - rest(x)
ends_exchanged: 0 is the clean run
    low, high = -> high, low =
only_the_difference: not divided
    (rest(x) - low) / (high - low) -> rest(x) - low
others_are_zero: zeroes the other positions in place of leaving them corrupted
    corrupted.clone() -> torch.zeros_like(clean)
a_list_of_numbers: returns a list
    ((rest(x) - low) / (high - low)) -> (float((rest(x) - low) / (high - low)))
    torch.stack(shares) -> shares
in_place: writes into the corrupted run
    corrupted.clone() -> corrupted
prefixes: all positions up to t
    x[t] = clean[t] -> x[: t + 1] = clean[: t + 1]
one_row_alone: gives the rest one position and not all of them
    low, high = rest(corrupted), rest(clean)
    return torch.stack([(rest(clean[t : t + 1]) - low) / (high - low) for t in range(len(clean))])
one_copy: copies once, before the loop
    shares = [] -> x, shares = corrupted.clone(), []
    x = corrupted.clone() ->
of_the_clean_number: compares with the clean run alone
    (rest(x) - low) / (high - low) -> rest(x) / high
""")


@right("14.times_equal")
def by_loops(weights):
    T = len(weights)
    out = []
    for s in range(T):
        got = sum(float(weights[t, s]) for t in range(s, T))
        out.append(got / sum(1 / (t + 1) for t in range(s, T)))
    return torch.tensor(out)


@right("14.times_equal")
def by_a_running_sum(weights):
    shares = 1 / torch.arange(1.0, len(weights) + 1)
    return weights.sum(0) / shares.flip(0).cumsum(0).flip(0)


@right("14.times_equal")
def by_equal_shares(weights):
    T = len(weights)
    equal = torch.tril(torch.ones(T, T)) / torch.arange(1, T + 1).view(-1, 1)
    return weights.sum(0) / equal.sum(0)


slips(by_equal_shares)("""
column_sums: the sums that can't be compared
    return weights.sum(dim=0)
column_means: divides by T
    return weights.mean(dim=0)
by_those_who_see_it: divides by the number of rows that see the column
    T = len(weights)
    return weights.sum(0) / (T - torch.arange(T))
mean_of_ratios: first a quotient for each weight, then the mean of the column
    T = len(weights)
    times = weights * torch.arange(1, T + 1)[:, None]
    return times.sum(0) / torch.arange(T, 0, -1)
along_rows: adds up the wrong axis
    weights.sum(0) / equal.sum(0) -> weights.sum(1) / equal.sum(1)
mixed_axes: columns of the map, rows of the equal shares: divides by 1
    equal.sum(0) -> equal.sum(1)
equal_over_t: takes 1 / T for every row's equal share
    T = len(weights)
    return weights.sum(0) / (torch.ones(T, T).tril() / T).sum(0)
divides_cell_by_cell: 0 / 0 above the diagonal
    weights.sum(0) / equal.sum(0) -> (weights / equal).mean(0)
difference: what is above the equal shares, not how many times
    / equal.sum -> - equal.sum
brought_to_a_sum_of_1: shares of all that is looked at
    return weights.sum(0) / weights.sum()
""")


@right("14.head_parts")
def one_head_at_a_time(head_outputs, w_out, w_logits):
    B, H, T, D = head_outputs.shape
    out = []
    for h in range(H):
        alone = torch.zeros_like(head_outputs)
        alone[:, h] = head_outputs[:, h]
        merged = alone.transpose(1, 2).reshape(B, T, H * D)
        out.append(merged @ w_out.T @ w_logits.T)
    return torch.stack(out, 1)


@right("14.head_parts")
def one_einsum(head_outputs, w_out, w_logits):
    _, H, _, D = head_outputs.shape
    return torch.einsum("bhtd,chd,vc->bhtv", head_outputs, w_out.view(-1, H, D), w_logits)


@right("14.head_parts")
def what_is_lost_without_it(head_outputs, w_out, w_logits):
    def logits(x):
        return x.transpose(1, 2).flatten(2) @ (w_logits @ w_out).T

    parts = []
    for h in range(head_outputs.shape[1]):
        without = head_outputs.clone()
        without[:, h] = 0
        parts.append(logits(head_outputs) - logits(without))
    return torch.stack(parts, dim=1)


slips(one_head_at_a_time)("""
splits_the_rows: splits the output channels among the heads, not the inputs
    _, H, _, D = head_outputs.shape
    return torch.stack(
        [head_outputs[:, h] @ w_out[h * D : (h + 1) * D] @ w_logits.T for h in range(H)], 1
    )
merged_without_a_transpose: views (B, H, T, D) as (B, T, H D), which mixes positions and heads
    merged = alone.transpose(1, 2).reshape(B, T, H * D) -> out.append(alone.reshape(B, T, H * D) @ w_out.T @ w_logits.T)
    out.append(merged @ w_out.T @ w_logits.T) ->
the_rest_without_it: the logits of the other heads
    B, H, T, D = head_outputs.shape
    out = []
    for h in range(H):
        without = head_outputs.clone()
        without[:, h] = 0
        out.append(without.transpose(1, 2).reshape(B, T, H * D) @ w_out.T @ w_logits.T)
    return torch.stack(out, 1)
heads_run_fast: views the columns as (D, H)
    _, H, _, D = head_outputs.shape
    return torch.einsum("bhtd,cdh,vc->bhtv", head_outputs, w_out.view(-1, D, H), w_logits)
all_together: the logits
    return head_outputs.transpose(1, 2).flatten(2) @ w_out.T @ w_logits.T
no_unembedding: what each head writes, in channels
    _, H, _, D = head_outputs.shape
    return torch.einsum("bhtd,chd->bhtc", head_outputs, w_out.view(-1, H, D))
an_equal_part_each: divides the logits by the number of heads
    H = head_outputs.shape[1]
    logits = head_outputs.transpose(1, 2).flatten(2) @ w_out.T @ w_logits.T
    return logits[:, None].expand(-1, H, -1, -1) / H
heads_before_the_batch of one_einsum: (H, B, T, V)
    "bhtd,chd,vc->bhtv" -> "bhtd,chd,vc->hbtv"
as_if_not_transposed: multiplies by `w_logits` as it stands
    _, H, _, D = head_outputs.shape
    return torch.einsum("bhtd,chd->bhtc", head_outputs, w_out.view(-1, H, D)) @ w_logits
in_probabilities: parts of probabilities
    parts = one_einsum(head_outputs, w_out, w_logits)
    whole = parts.sum(1, keepdim=True).softmax(-1)
    return whole * parts / parts.sum(1, keepdim=True)
""")
