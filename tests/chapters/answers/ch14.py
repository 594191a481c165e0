"""Answers to the exercises of chapter 14, written from its page alone."""

import torch

from tests.chapters.answers import right, wrong

# ---- one_back_score


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


@wrong("14.one_back_score")
def one_after(weights):
    """the diagonal above"""
    return torch.diagonal(weights, 1, -2, -1).mean(-1)


@wrong("14.one_back_score")
def keys_in_the_rows(weights):
    """takes rows for keys: the weight from t - 1 to t"""
    T = weights.shape[-1]
    return sum(weights[..., t - 1, t] for t in range(1, T)) / (T - 1)


@wrong("14.one_back_score")
def over_all_positions(weights):
    """divides by T"""
    T = weights.shape[-1]
    return sum(weights[..., t, t - 1] for t in range(1, T)) / T


@wrong("14.one_back_score")
def wraps_round(weights):
    """counts position 0, whose one before is index -1"""
    T = weights.shape[-1]
    return sum(weights[..., t, t - 1] for t in range(T)) / T


@wrong("14.one_back_score")
def default_axes(weights):
    """torch.diagonal without axes takes the first two"""
    return torch.diagonal(weights, -1).mean(-1)


@wrong("14.one_back_score")
def a_number_for_all(weights):
    """the mean over the heads, too"""
    return weights.diagonal(-1, -2, -1).mean()


@wrong("14.one_back_score")
def over_the_texts(weights):
    """(B, H, T, T) to (H,): averages the batch"""
    score = weights.diagonal(-1, -2, -1).mean(-1)
    return score.mean(0) if score.dim() > 1 else score


@wrong("14.one_back_score")
def how_often_the_largest(weights):
    """counts the rows whose largest weight is on the one before"""
    t = torch.arange(1, weights.shape[-1])
    return (weights[..., 1:, :].argmax(-1) == t - 1).float().mean(-1)


@wrong("14.one_back_score")
def share_of_the_map(weights):
    """divides by the sum of all weights, which is T"""
    return weights.diagonal(-1, -2, -1).sum(-1) / weights.sum((-2, -1))


@wrong("14.one_back_score")
def leaves_row_1_out(weights):
    """begins at position 2"""
    return weights[..., 1:, :].diagonal(-1, -2, -1).mean(-1)


@wrong("14.one_back_score")
def a_python_number(weights):
    """ends with item()"""
    return weights.diagonal(-1, -2, -1).mean().item()


# ---- behind_score


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


@wrong("14.behind_score")
def whole_diagonal(weights, period):
    """the diagonal at 1 - period, with the row of the first copy on it"""
    return weights.diagonal(1 - period, -2, -1).mean(-1)


@wrong("14.behind_score")
def same_character(weights, period):
    """looks at the same character's first place"""
    return weights.diagonal(-period, -2, -1).mean(-1)


@wrong("14.behind_score")
def one_too_far_back(weights, period):
    """the sign of the 1"""
    t = torch.arange(period + 1, 2 * period)
    return weights[..., t, t - period - 1].mean(-1)


@wrong("14.behind_score")
def over_the_whole_string(weights, period):
    """divides the second copy's sum by T"""
    t = torch.arange(period, weights.shape[-1])
    return weights[..., t, t - period + 1].sum(-1) / weights.shape[-1]


@wrong("14.behind_score")
def other_side(weights, period):
    """the diagonal of the wrong side"""
    return weights.diagonal(period - 1, -2, -1).mean(-1)


@wrong("14.behind_score")
def same_diagonal_as_before(weights, period):
    """the previous-token score again"""
    return weights.diagonal(-1, -2, -1).mean(-1)


@wrong("14.behind_score")
def anywhere_in_the_first_copy(weights, period):
    """sums all that goes to the first copy"""
    return weights[..., period:, :period].sum(-1).mean(-1)


@wrong("14.behind_score")
def all_heads_at_once(weights, period):
    """one number"""
    t = torch.arange(period, 2 * period)
    return weights[..., t, t - period + 1].mean()


@wrong("14.behind_score")
def without_the_last(weights, period):
    """stops one row before the end, as the last character has nothing to guess"""
    t = torch.arange(period, 2 * period - 1)
    return weights[..., t, t - period + 1].mean(-1)


@wrong("14.behind_score")
def keeps_the_positions(weights, period):
    """forgets the mean"""
    t = torch.arange(period, 2 * period)
    return weights[..., t, t - period + 1]


@wrong("14.behind_score")
def a_block_instead_of_a_diagonal(weights, period):
    """slices rows and columns and takes the mean of the block"""
    return weights[..., period:, 1 : period + 1].mean(dim=(-2, -1))


# ---- restored


@right("14.restored")
def where_it_is_t(rest, clean, corrupted):
    T = len(clean)
    here = torch.eye(T)[:, :, None] > 0
    number = torch.stack([rest(torch.where(here[t], clean, corrupted)) for t in range(T)])
    return (number - rest(corrupted)) / (rest(clean) - rest(corrupted))


@right("14.restored")
def glued(rest, clean, corrupted):
    bad, good = float(rest(corrupted)), float(rest(clean))
    out = torch.zeros(clean.shape[0])
    for t in range(clean.shape[0]):
        x = torch.cat([corrupted[:t], clean[t : t + 1], corrupted[t + 1 :]])
        out[t] = (float(rest(x)) - bad) / (good - bad)
    return out


@right("14.restored")
def adds_the_difference(rest, clean, corrupted):
    low = rest(corrupted)
    numbers = []
    for t, delta in enumerate(clean - corrupted):
        x = corrupted.clone()
        x[t] += delta
        numbers.append(rest(x))
    return 1 - (rest(clean) - torch.stack(numbers)) / (rest(clean) - low)


@wrong("14.restored")
def in_place(rest, clean, corrupted):
    """writes into the corrupted run"""
    low, high = rest(corrupted), rest(clean)
    shares = []
    for t in range(len(clean)):
        corrupted[t] = clean[t]
        shares.append((rest(corrupted) - low) / (high - low))
    return torch.stack(shares)


@wrong("14.restored")
def puts_it_back_afterwards(rest, clean, corrupted):
    """keeps a view, not a copy, of the old row, so nothing is put back"""
    low, high = rest(corrupted), rest(clean)
    shares = []
    for t in range(len(clean)):
        old = corrupted[t]
        corrupted[t] = clean[t]
        shares.append((rest(corrupted) - low) / (high - low))
        corrupted[t] = old
    return torch.stack(shares)


@wrong("14.restored")
def one_copy(rest, clean, corrupted):
    """copies once, before the loop"""
    low, high = rest(corrupted), rest(clean)
    x, shares = corrupted.clone(), []
    for t in range(len(clean)):
        x[t] = clean[t]
        shares.append((rest(x) - low) / (high - low))
    return torch.stack(shares)


@wrong("14.restored")
def prefixes(rest, clean, corrupted):
    """all positions up to t"""
    low, high = rest(corrupted), rest(clean)
    parts = [torch.cat([clean[: t + 1], corrupted[t + 1 :]]) for t in range(len(clean))]
    return torch.stack([(rest(x) - low) / (high - low) for x in parts])


@wrong("14.restored")
def breaks_the_clean_one(rest, clean, corrupted):
    """the other direction"""
    low, high = rest(corrupted), rest(clean)
    shares = []
    for t in range(len(clean)):
        x = clean.clone()
        x[t] = corrupted[t]
        shares.append((high - rest(x)) / (high - low))
    return torch.stack(shares)


@wrong("14.restored")
def ends_exchanged(rest, clean, corrupted):
    """0 is the clean run"""
    low, high = rest(clean), rest(corrupted)
    shares = []
    for t in range(len(clean)):
        x = corrupted.clone()
        x[t] = clean[t]
        shares.append((rest(x) - low) / (high - low))
    return torch.stack(shares)


@wrong("14.restored")
def only_the_difference(rest, clean, corrupted):
    """not divided"""
    shares = []
    for t in range(len(clean)):
        x = corrupted.clone()
        x[t] = clean[t]
        shares.append(rest(x) - rest(corrupted))
    return torch.stack(shares)


@wrong("14.restored")
def of_the_clean_number(rest, clean, corrupted):
    """compares with the clean run alone"""
    shares = []
    for t in range(len(clean)):
        x = corrupted.clone()
        x[t] = clean[t]
        shares.append(rest(x) / rest(clean))
    return torch.stack(shares)


@wrong("14.restored")
def one_row_alone(rest, clean, corrupted):
    """gives the rest one position and not all of them"""
    low, high = rest(corrupted), rest(clean)
    return torch.stack([(rest(clean[t : t + 1]) - low) / (high - low) for t in range(len(clean))])


@wrong("14.restored")
def others_are_zero(rest, clean, corrupted):
    """zeroes the other positions in place of leaving them corrupted"""
    low, high = rest(corrupted), rest(clean)
    shares = []
    for t in range(len(clean)):
        x = torch.zeros_like(clean)
        x[t] = clean[t]
        shares.append((rest(x) - low) / (high - low))
    return torch.stack(shares)


@wrong("14.restored")
def a_list_of_numbers(rest, clean, corrupted):
    """returns a list"""
    low, high = rest(corrupted), rest(clean)
    shares = []
    for t in range(len(clean)):
        x = corrupted.clone()
        x[t] = clean[t]
        shares.append(float((rest(x) - low) / (high - low)))
    return shares


# ---- times_equal


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
def softmax_of_zeros(weights):
    hidden = torch.ones_like(weights).triu(1) > 0
    equal = torch.zeros_like(weights).masked_fill(hidden, float("-inf")).softmax(-1)
    return torch.einsum("ts->s", weights) / torch.einsum("ts->s", equal)


@wrong("14.times_equal")
def column_sums(weights):
    """the sums that can't be compared"""
    return weights.sum(dim=0)


@wrong("14.times_equal")
def column_means(weights):
    """divides by T"""
    return weights.mean(dim=0)


@wrong("14.times_equal")
def by_those_who_see_it(weights):
    """divides by the number of rows that see the column"""
    T = len(weights)
    return weights.sum(0) / (T - torch.arange(T))


@wrong("14.times_equal")
def mean_of_ratios(weights):
    """first a quotient for each weight, then the mean of the column"""
    T = len(weights)
    times = weights * torch.arange(1, T + 1)[:, None]
    return times.sum(0) / torch.arange(T, 0, -1)


@wrong("14.times_equal")
def along_rows(weights):
    """adds up the wrong axis"""
    T = len(weights)
    equal = torch.tril(torch.ones(T, T)) / torch.arange(1, T + 1).view(-1, 1)
    return weights.sum(1) / equal.sum(1)


@wrong("14.times_equal")
def mixed_axes(weights):
    """columns of the map, rows of the equal shares: divides by 1"""
    T = len(weights)
    equal = torch.tril(torch.ones(T, T)) / torch.arange(1, T + 1).view(-1, 1)
    return weights.sum(0) / equal.sum(1)


@wrong("14.times_equal")
def equal_over_t(weights):
    """takes 1 / T for every row's equal share"""
    T = len(weights)
    return weights.sum(0) / (torch.ones(T, T).tril() / T).sum(0)


@wrong("14.times_equal")
def divides_cell_by_cell(weights):
    """0 / 0 above the diagonal"""
    T = len(weights)
    equal = torch.tril(torch.ones(T, T)) / torch.arange(1, T + 1).view(-1, 1)
    return (weights / equal).mean(0)


@wrong("14.times_equal")
def difference(weights):
    """what is above the equal shares, not how many times"""
    T = len(weights)
    equal = torch.tril(torch.ones(T, T)) / torch.arange(1, T + 1).view(-1, 1)
    return weights.sum(0) - equal.sum(0)


@wrong("14.times_equal")
def brought_to_a_sum_of_1(weights):
    """shares of all that is looked at"""
    return weights.sum(0) / weights.sum()


# ---- head_parts


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


@wrong("14.head_parts")
def splits_the_rows(head_outputs, w_out, w_logits):
    """splits the output channels among the heads, not the inputs"""
    _, H, _, D = head_outputs.shape
    return torch.stack(
        [head_outputs[:, h] @ w_out[h * D : (h + 1) * D] @ w_logits.T for h in range(H)], 1
    )


@wrong("14.head_parts")
def heads_run_fast(head_outputs, w_out, w_logits):
    """views the columns as (D, H)"""
    _, H, _, D = head_outputs.shape
    return torch.einsum("bhtd,cdh,vc->bhtv", head_outputs, w_out.view(-1, D, H), w_logits)


@wrong("14.head_parts")
def all_together(head_outputs, w_out, w_logits):
    """the logits"""
    return head_outputs.transpose(1, 2).flatten(2) @ w_out.T @ w_logits.T


@wrong("14.head_parts")
def merged_without_a_transpose(head_outputs, w_out, w_logits):
    """views (B, H, T, D) as (B, T, H D), which mixes positions and heads"""
    B, H, T, D = head_outputs.shape
    out = []
    for h in range(H):
        alone = torch.zeros_like(head_outputs)
        alone[:, h] = head_outputs[:, h]
        out.append(alone.reshape(B, T, H * D) @ w_out.T @ w_logits.T)
    return torch.stack(out, 1)


@wrong("14.head_parts")
def no_unembedding(head_outputs, w_out, w_logits):
    """what each head writes, in channels"""
    _, H, _, D = head_outputs.shape
    return torch.einsum("bhtd,chd->bhtc", head_outputs, w_out.view(-1, H, D))


@wrong("14.head_parts")
def the_rest_without_it(head_outputs, w_out, w_logits):
    """the logits of the other heads"""
    B, H, T, D = head_outputs.shape
    out = []
    for h in range(H):
        without = head_outputs.clone()
        without[:, h] = 0
        out.append(without.transpose(1, 2).reshape(B, T, H * D) @ w_out.T @ w_logits.T)
    return torch.stack(out, 1)


@wrong("14.head_parts")
def an_equal_part_each(head_outputs, w_out, w_logits):
    """divides the logits by the number of heads"""
    H = head_outputs.shape[1]
    logits = head_outputs.transpose(1, 2).flatten(2) @ w_out.T @ w_logits.T
    return logits[:, None].expand(-1, H, -1, -1) / H


@wrong("14.head_parts")
def heads_before_the_batch(head_outputs, w_out, w_logits):
    """(H, B, T, V)"""
    _, H, _, D = head_outputs.shape
    return torch.einsum("bhtd,chd,vc->hbtv", head_outputs, w_out.view(-1, H, D), w_logits)


@wrong("14.head_parts")
def as_if_not_transposed(head_outputs, w_out, w_logits):
    """multiplies by `w_logits` as it stands"""
    _, H, _, D = head_outputs.shape
    return torch.einsum("bhtd,chd->bhtc", head_outputs, w_out.view(-1, H, D)) @ w_logits


@wrong("14.head_parts")
def in_probabilities(head_outputs, w_out, w_logits):
    """parts of probabilities"""
    parts = one_einsum(head_outputs, w_out, w_logits)
    whole = parts.sum(1, keepdim=True).softmax(-1)
    return whole * parts / parts.sum(1, keepdim=True)
