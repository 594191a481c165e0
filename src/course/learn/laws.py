"""Laws of right answers: law(answer, *inputs) is True for every right one.

The docstring is the sentence a learner sees when the law is broken, after the call it was broken
on and before what came back. A law looks at the answer and the inputs alone, never at a reference.
"""

import torch
from torch import Tensor

TOLERANCE = 1e-4

def close(a: Tensor, b: Tensor) -> bool:
    """Not a law: equal within the tolerance, relative to the largest number."""
    largest = max(1.0, float(b.abs().max())) if b.numel() else 1.0
    return a.shape == b.shape and bool(((a - b).abs() <= TOLERANCE * largest).all())

def rows_sum_to_1(weights, *inputs):
    """every row has to sum to 1"""
    return close(weights.sum(dim=-1), torch.ones(weights.shape[:-1]))

def nothing_ahead(weights, *inputs):
    """everything above the diagonal has to be 0"""
    return bool((weights.triu(1) == 0).all())

# ---- 00

X = torch.zeros(2, 5, 3)
SIX = {
    "which axis does one index take away?": X[1],
    "`dim` names the axis that disappears": X.sum(dim=1),
    "`keepdim=True` leaves the axis in its place, with one number": X[:, :, :1],
    "line the shapes up from the right; a size of 1 is stretched to fit": X + torch.zeros(5, 1),
    "the last two axes are multiplied, the batch passes through": X @ torch.zeros(3, 4),
    "what is the shape of the operand on the right-hand side?": X @ X.transpose(-2, -1),
}

def six_of_them(shapes):
    """there have to be six shapes"""
    return len(shapes) == 6

def all_are_tuples(shapes):
    """every shape has to be a tuple, such as `(5, 3)` or `(3,)`"""
    return all(isinstance(shape, tuple) for shape in shapes)

SIX_SHAPES = [lambda s, n=n, x=x: tuple(s[n]) == x.shape for n, x in enumerate(SIX.values())]
for law, (n, words) in zip(SIX_SHAPES, enumerate(SIX, 1), strict=True):
    law.__doc__ = f"shape {n} isn't right: {words}"

def every_mean_is_0(out, x):
    """the channels of every vector have to have the mean 0"""
    return bool((out.mean(dim=-1).abs() <= TOLERANCE * max(1.0, float(x.abs().max()))).all())

def row_c_is_channel_c(out, x):
    """row c of the result has to hold channel c of all positions"""
    return all(bool((out[:, c] == x[:, :, c]).all()) for c in range(x.shape[2]))

def whole_is_true(out, data, T):
    """`whole` has to be True, whatever the length of data"""
    return bool(out[0])

def zeros_then_minus_inf(out, data, T):
    """row t of the scores has to begin with t + 1 zeros, and the rest has to be -inf"""
    rows = enumerate(out[1])
    return all((row[: t + 1] == 0).all() and (row[t + 1 :] == -torch.inf).all() for t, row in rows)

def equal_is_close(answer, a, b, rtol, atol):
    """a and b are equal, so they are close under any tolerances"""
    return answer or not torch.equal(a, b)

def contiguous_is_allowed(answer, shape, strides, new_shape):
    """the numbers follow each other in memory without a gap, so every shape is allowed"""
    return answer or strides != torch.empty(shape).stride()

def one_axis_has_one_step(answer, shape, strides, new_shape):
    """one axis has one stride, and the numbers here aren't at equal steps: it has to be False"""
    steps = torch.arange(99_999).as_strided(shape, strides).flatten().diff().unique()
    return not answer or len(new_shape) > 1 or len(steps) < 2

# ---- 01

def one_id_per_character(ids, text, vocab):
    """there has to be one id per character"""
    return len(ids) == len(text)

def ids_give_the_text(ids, text, vocab):
    """looking the ids up in vocab has to give the text back"""
    return "".join(vocab[i] for i in ids) == text

def unknown_is_len_vocab(ids, text, vocab):
    """every unknown character has to get the id len(vocab)"""
    return all(i == len(vocab) for i, c in zip(ids, text, strict=True) if c not in vocab)

def parts_give_the_text(parts, text, special):
    """the parts joined have to be the text again"""
    return "".join(parts) == text

def no_part_is_empty(parts, text, special):
    """no part may be empty"""
    return all(parts)

def no_pair_is_left(merged, ids, pair, new_id):
    """the pair mustn't stand in the result any more"""
    return pair not in zip(merged, merged[1:], strict=False)

def written_back(merged, ids, pair, new_id):
    """writing the pair back for new_id has to give the ids again"""
    return [i for m in merged for i in (pair if m == new_id else (m,))] == ids

def all_are_whole(ids, text, n_merges):
    """all ids have to be whole numbers: `list(text.encode())` is where to start"""
    return all(type(i) is int for i in ids)

def no_id_is_too_large(ids, text, n_merges):
    """no id may be 256 + n_merges or more"""
    return all(i < 256 + n_merges for i in ids)

def each_merge_shortens(ids, text, n_merges):
    """each merge has to make the list shorter, as long as there is a pair"""
    return len(ids) <= max(1, len(text.encode()) - n_merges)

# ---- 02

def lengths_add_up(parts, ids, train_fraction):
    """no id may be lost or used twice: the lengths have to add up"""
    return sum(len(part) for part in parts) == len(ids)

def parts_are_the_text(parts, ids, train_fraction):
    """the two parts, one behind the other, have to be the text again"""
    return torch.equal(torch.cat(parts), ids)

def one_pair_per_position(pairs, x, y):
    """there have to be B * T pairs"""
    return len(pairs) == x.numel()

def contexts_fit_a_block(pairs, x, y):
    """no context may be empty or longer than a block"""
    return all(1 <= len(context) <= x.shape[1] for context, _ in pairs)

def targets_are_y(pairs, x, y):
    """the targets, in order, have to be y row by row"""
    return [target for _, target in pairs] == y.flatten().tolist()

def both_hold_a_block(both, ids, start, block_size):
    """inputs and targets both need block_size ids"""
    return len(both[0]) == len(both[1]) == block_size

def targets_follow_inputs(both, ids, *others):
    """the targets have to be the inputs moved on by one"""
    return torch.equal(both[0][..., 1:], both[1][..., :-1])

def rows_begin_at_multiples(both, ids, block_size, stride):
    """row n of the inputs has to begin with the id at place n * stride"""
    return torch.equal(both[0][:, 0], ids[: len(both[0]) * stride : stride])

def two_shapes_and_a_bool(answer):
    """the answer has to be two shapes, each written like (2, 3), and True or False"""
    return [type(part) for part in answer] == [tuple, tuple, bool]

def clean_run_shows_cell_1(answer):
    """on a clean run `x` is what cell 1 made, `train_ids[:8]`"""
    return answer[0] == (8,)

def deleted_cell_has_run(answer):
    """in the second case `x` is a whole batch, sequences first, and no later cell changes it"""
    return answer[1] == (4, 8)

def two_batches_are_two_draws(answer):
    """the two batches are two draws"""
    return answer[2] is False

# ---- 03

def no_loss_is_negative(loss, *inputs):
    """no loss may be negative, or nan"""
    return bool((torch.as_tensor(loss) >= -1e-5).all())

def between_cheapest_and_dearest(loss, logits, targets):
    """the loss has to lie between the lowest and the highest cost of a guess: it is the mean of all"""
    costs = -torch.log_softmax(logits, dim=-1).gather(-1, targets[..., None])
    return bool(0.9999 * costs.min() - 1e-4 <= loss <= 1.0001 * costs.max() + 1e-4)

def mean_is_the_loss_of_the_batch(losses, logits, targets):
    """the mean of the losses has to be the loss of the batch"""
    costs = logits.logsumexp(dim=-1) - logits.gather(-1, targets[..., None])[..., 0]
    return bool((losses.mean() - costs.mean()).abs() <= 1e-4 * costs.max().clamp(min=1))

def no_higher_than_frequencies(loss, counts):
    """the loss has to be no higher than that of a table that only knows the frequencies"""
    times = counts.sum(dim=0).double()
    return loss <= -torch.xlogy(times, times / times.sum()).sum() / times.sum() + 1e-4

def no_lower_than_all_likeliest(loss, counts):
    """no table can reach less than if each pair cost as little as its row's most frequent one"""
    rows, largest = counts.sum(dim=1).double(), counts.amax(dim=1)
    return loss >= -(rows * (largest / rows).log()).sum() / rows.sum() - 1e-4

def whole_and_at_least_1(n, spread, wanted):
    """the number has to be whole and at least 1"""
    return isinstance(n, int) and n >= 1

def small_enough(n, spread, wanted):
    """this many batches have to bring the standard error down to `wanted`"""
    return spread / n**0.5 <= wanted * (1 + 1e-9)

def one_fewer_is_too_few(n, spread, wanted):
    """one batch fewer has to be too few for `wanted`"""
    return n == 1 or spread / (n - 1) ** 0.5 > wanted * (1 + 1e-9)

def four_booleans(claims):
    """there has to be a tuple of four booleans"""
    return isinstance(claims, tuple) and [type(claim) for claim in claims] == [bool] * 4

def claim(n, by):  # not a law: makes that of claim n
    def law(claims):
        return claims[n] == (n in (0, 3))

    law.__doc__ = f"the {['first', 'second', 'third', 'fourth'][n]} claim isn't judged right: {by}"
    return law

def one_of_the_ks(k, train_counts, val_counts, ks):
    """the answer has to be one of the numbers in ks"""
    return any(abs(k - other) <= 1e-4 * other for other in ks)

# ---- 04

def row_0_is_its_own_mean(out, x):
    """row 0 of each sequence has to stay as it is: it has no other past"""
    return close(out[:, 0], x[:, 0])

def last_row_is_the_mean_of_all(out, x):
    """the last row has to be the mean of all rows"""
    return close(out[:, -1], x.mean(dim=1))

def forbidden_weights_are_0(weights, mask):
    """every forbidden column has to get the weight 0"""
    return bool((weights[~mask] == 0).all())

def shares_fade(weights, T, decay):
    """each share has to be decay times the share of the next younger position"""
    return all(close(weights[t, :t], decay * weights[t, 1 : t + 1]) for t in range(1, T))

def means_come_back(rows, means):
    """averaged again, the rows have to give the means that came in"""
    count = torch.arange(1, means.shape[1] + 1)[:, None]
    return close(rows.cumsum(dim=1) / count, means)

def no_row_is_closed(scores, T):
    """every row has to have a score that isn't -inf, or its softmax is nan"""
    return bool((scores > -torch.inf).any(dim=-1).all())

def nothing_ahead_is_open(scores, T):
    """every score above the diagonal has to be -inf: it is of the future"""
    return bool((scores.triu(1)[torch.ones(T, T).triu(1).bool()] == -torch.inf).all())

def copies_the_row_before(scores, T):
    """softmax of the scores has to give row t the row t - 1, and row 0 itself"""
    x = torch.arange(float(T))
    return close(torch.softmax(scores, dim=-1) @ x, (x - 1).clamp(min=0))

# ---- 05

def at_most_both_lengths(answer, a, b):
    """in size it can be no more than the length of a times the length of b"""
    return answer**2 <= sum(x * x for x in a) * sum(y * y for y in b) * (1 + 1e-6)

def exp_is_the_ratio(lead, ratio):
    """exp(lead) has to be the ratio"""
    return abs(float(torch.tensor(lead).exp()) / ratio - 1) < 1e-3

def shares_from_0_to_1(weights, scores):
    """every weight has to be a number from 0 to 1"""
    return bool(((weights >= 0) & (weights <= 1)).all())

def true_if_one_of_360_wins(answer, keys, j):
    """it has to be True exactly when one of 360 queries, a degree apart, scores key j highest"""
    around = torch.arange(360.0).deg2rad()
    queries = torch.stack([around.cos(), around.sin()], dim=-1)
    return answer == (j in (queries @ keys.T).argmax(dim=-1))

# ---- 06

def both_pair_queries_with_keys(answer, *sizes):
    """the sizes of "q", "k", "scores" and "weights" have to fit: a row for each position of q, a
    column for each of k"""
    both = {tuple(answer[name][-2:]) for name in ("scores", "weights")}
    return both == {(answer["q"][-2], answer["k"][-2])}

def row_0_is_channel_0_against_all(M, q_weight, k_weight):
    """row 0, column j of M has to be the dot product of column 0 of q_weight and column j of k_weight"""
    return close(M[0], q_weight[:, 0] @ k_weight)

def between_the_values(out, *inputs):
    """every number has to lie between the smallest and the largest value of its channel"""
    low, high = (inputs[-4] @ inputs[-1]).aminmax(dim=-2, keepdim=True)  # of x or the memory
    return bool(((out >= low - 1e-4) & (out <= high + 1e-4)).all())

def the_head_is_unharmed(outputs, head, W_q, W_k, W_v, x):
    """the second output has to be that of the head as it came in"""
    return close(outputs[1], head(x).detach())

def deaf_if_zeros_change_nothing(answer, attend, q, k, v):
    """it has to be True exactly when zeros for q and k leave this head's output as it was"""
    return answer == bool(((attend(0 * q, 0 * k, v) - attend(q, k, v)).abs() <= 1e-5).all())

# ---- 07

def root_d_gives_the_product(answer, d, q_variance, k_variance, scale):
    """a scale of 1 / sqrt(d) has to give the product of the two variances"""
    return abs(scale * d**0.5 - 1) > 1e-6 or abs(answer / q_variance / k_variance - 1) < 1e-3

def variance_1_gives_a_ninth(answer, x_variance, n_embd, head_size):
    """an x of variance 1 has to give head_size / 9, as measured above"""
    return x_variance != 1 or abs(answer / head_size * 9 - 1) < 1e-3

def columns_sum_to_0(jacobian, scores):
    """every column has to sum to 0, because the weights always sum to 1, and no number on the
    diagonal may be negative"""
    return bool((jacobian.sum(dim=0).abs() < 1e-4).all() and (jacobian.diagonal() >= -1e-6).all())

def from_1_to_all_words(answer, weights):
    """no row hears fewer than 1 word, or more words than it has weights"""
    return bool(((answer >= 1 - 1e-4) & (answer <= weights.shape[-1] * (1 + 1e-4))).all())

def mean_within_the_differences(answer, a, b):
    """the mean has to lie between the smallest and the largest difference of the seeds that both
    have, and the standard error mustn't be negative"""
    differences = [a[seed] - b[seed] for seed in a if seed in b]
    return min(differences) - 1e-6 <= answer[0] <= max(differences) + 1e-6 and answer[1] >= 0

# ---- 08

def nothing_forbidden(out, scores, mask):
    """every forbidden weight has to be 0"""
    return bool((out.masked_fill(mask, 0) == 0).all())

def last_row_is_plain_softmax(weights, scores):
    """the last row may look everywhere, so it has to be the plain softmax of its scores"""
    return close(weights[..., -1, :], torch.softmax(scores[..., -1, :], dim=-1))

def true_just_when_nothing_leaks(answer, f, x):
    """it has to be False if an output changes with a later word or is nan, else True"""
    words = enumerate(torch.eye(x.shape[1])[:, :, None])  # one more at each, and the rest turned over
    others = ((j, x + w * (1 - 2 * x)) for j, w in words)
    return answer == all(((f(other) - f(x))[:, :j].abs() <= 1e-5).all() for j, other in others)

def adds_0_where_allowed(allowed, mask, convention):
    """an additive mask allows where it adds 0"""
    return convention != "additive" or torch.equal(allowed, mask == 0)

def nobody_looks_ahead(mask, lengths, T):
    """no query may look ahead"""
    return not bool(mask.triu(1).any())

def nobody_looks_at_padding(mask, lengths, T):
    """no query may look at padding"""
    return not any(bool(mask[b, :, n:].any()) for b, n in enumerate(lengths.tolist()))

def every_row_is_open(mask, lengths, T):
    """every row has to be open somewhere"""
    return bool(mask.any(dim=-1).all())

def open_rows_sum_to_1(out, scores, mask):
    """a row that may look somewhere has to sum to 1"""
    return rows_sum_to_1(out[mask.any(dim=-1)])

# ---- 09

def evaluation_changes_nothing(out, weights, kept, p, training):
    """in evaluation nothing may change"""
    return training or torch.equal(out, weights)

def dropped_are_0(out, weights, kept, p, training):
    """in training, what is not kept has to be 0 (don't draw: `kept` says what stays)"""
    return not training or bool((out[~kept] == 0).all())

def second_sums_to_1(pair, q, k, mask):
    """every row of the second, the weights, has to sum to 1"""
    return rows_sum_to_1(pair[1])

def second_is_masked(pair, q, k, mask):
    """every forbidden weight, in the second of the two, has to be 0"""
    return nothing_forbidden(pair[1], q, mask)

def first_is_finite(pair, q, k, mask):
    """the scores have to be finite, also where the mask forbids to look"""
    return bool(pair[0].isfinite().all())

def row_0_is_its_own_value(out, module, x):
    """in evaluation, row 0 has to be position 0's own value"""
    return module.training or close(out[:, 0], module.value(x)[:, 0])

def alone_tells(answer, attend, x):
    """it has to be True exactly when some sequence gives something else if it is alone"""
    moves = (attend(x[b : b + 1]) - attend(x)[b : b + 1] for b in range(len(x)))
    return answer == any((move.abs() > 1e-5).any() for move in moves)

def only_the_buffer_saves(answer, *sizes):
    """`direct_logit_attribution` and `buffer, persistent=False` have to be equal: neither saves the mask"""
    return answer["direct_logit_attribution"] == answer["buffer, persistent=False"]

# ---- 10

def heads_are_the_channels_in_order(heads, x, n_head):
    """row t of head h has to be channels `h * D : (h + 1) * D` of position t, in each sequence"""
    return close(heads.transpose(1, 2).flatten(2), x)

def queries_begin_keys_are_the_second_third(w, w_q, w_k, w_v):
    """w_q[0] has to come first, and the second third of the rows has to be w_k, head after head"""
    keys = zip(w.chunk(3)[1].split(len(w_k[0])), w_k, strict=False)
    return close(w[: len(w_q[0])], w_q[0]) and all(close(rows, key) for rows, key in keys)

def first_group_has_head_0_last_head_the_last(out, kv, n_head):
    """in each sequence, the first n_head / n_kv heads have to equal its head 0, number by number,
    and the last one its last head"""
    first = out[:, : n_head // kv.shape[1]]
    return bool((first == kv[:, :1]).all() and (out[:, -1] == kv[:, -1]).all())

def output_0_is_its_own_value(out, x, w_qkv, w_out, n_head):
    """output 0 has to be position 0's own value put through `w_out`: it may look nowhere else"""
    return close(out[:, 0], x[:, 0] @ w_qkv.chunk(3)[2].T @ w_out.T)

def one_bias_remains(n, n_embd, n_head):
    """it has to be whole matrices, n_embd ** 2 numbers each, and one bias, n_embd numbers"""
    return n % n_embd**2 == n_embd

def sizes_add_up(answer, d_out, n_head):
    """n_head times the head size has to be the width of the output"""
    return all(size * n_head == width for size, width in answer.values())

# ---- 11

def true_just_when_a_swap_moves_the_last(answer, f, x):
    """it has to be True if two words before the last can change places and move the last output by
    more than 1e-5, else False"""
    last, T = f(x)[:, -1], x.shape[1]
    swaps = ([{t: s, s: t}.get(n, n) for n in range(T)] for t in range(T - 1) for s in range(t))
    return answer == any(((f(x[:, swap])[:, -1] - last).abs() > 1e-5).any() for swap in swaps)

def output_0_is_value_0(out, q, k, v):
    """output 0 has to be v[0]: it may look nowhere else, and values are not turned"""
    return close(out[0], v[0])

def true_just_when_moving_changes_nothing(answer, score, n):
    """it has to be False if two scores of one distance differ by more than 1e-4, else True"""
    pairs = ((i, j, s) for i in range(n) for j in range(n) for s in range(1, n - max(i, j)))
    return answer == all(abs(score(i + s, j + s) - score(i, j)) <= 1e-4 for i, j, s in pairs)

def one_step_back_costs_the_slope(bias, slopes, start, n_queries):
    """the key right before a query has to lose the slope, and the query's own key nothing"""
    rows = torch.arange(n_queries)
    own, before = bias[:, rows, start + rows], bias[:, rows, (start + rows - 1).clamp(min=0)]
    steps = (start + rows > 0) * -slopes[:, None]
    return close(own, torch.zeros_like(own)) and close(before, steps)

def ends_stay_ends(out, table, T):
    """the first row has to be the table's first, and the last one its last"""
    return close(out[0], table[0]) and close(out[-1], table[-1])

def heads_keep_their_first_row(out, weight, n_head):
    """the first row of each head has to stay its first"""
    D = len(weight) // n_head
    return close(out[::D], weight[::D])


# ---- 13

def one_mean_not_negative(loss, logits, ids):
    """it has to be one number that isn't negative"""
    return loss.shape == () and bool(loss >= 0)

def begins_with_the_ids(out, model, ids, n_new, block_size):
    """the result has to begin with all the ids that came in, and to have n_new more"""
    B, T = ids.shape
    return out.shape == (B, T + n_new) and torch.equal(out[:, :T], ids)

def perplexity_of_one_number(answer, costs):
    """it has to lie between the exponentials of the lowest and the highest cost"""
    low, high = torch.cat(costs).aminmax()
    return bool(low.exp() - 1e-4 <= answer <= high.exp() * (1 + 1e-4))

def has_p_and_not_one_id_more(out, probabilities, p):
    """the ids that are left have to have p between them, and without the least likely of them less;
    the whole has to sum to 1"""
    left = probabilities[out > 0]
    short = bool(left.sum() >= p - 1e-4) and (len(left) < 2 or bool(left.sum() - left.min() < p + 1e-4))
    return short and abs(float(out.sum()) - 1) < 1e-4

def padding_moves_nothing(loss, logits, targets, lengths):
    """it has to be one number, at most the largest cost of a real target"""
    costs = -torch.log_softmax(logits, -1).gather(-1, targets[..., None])[..., 0]
    real = torch.arange(targets.shape[1]) < lengths[:, None]
    return loss.shape == () and bool(loss <= costs[real].max() + 1e-4)

def two_for_every_weight(answer, n_tokens, T, n_layer, n_embd, vocab_size):
    """for each word, every weight takes a multiplication and an addition: 12 C C weights in each
    layer, and C V for the logits"""
    return answer >= 2 * n_tokens * n_embd * (12 * n_layer * n_embd + vocab_size)


# ---- 14

def within_the_weights_to_the_one_before(scores, weights):
    """each score has to lie between the smallest and the largest of its map's weights to the position
    before"""
    rows = torch.arange(1, weights.shape[-1])
    low, high = weights[..., rows, rows - 1].aminmax(dim=-1)
    return bool(((scores >= low - 1e-4) & (scores <= high + 1e-4)).all())

def within_the_weights_behind_the_first_place(scores, weights, period):
    """each score has to lie between the smallest and the largest of the weights that it is the mean of:
    from the second copy's positions to the one behind the same character's first place"""
    rows = torch.arange(period, 2 * period)
    low, high = weights[..., rows, rows - period + 1].aminmax(dim=-1)
    return bool(((scores >= low - 1e-4) & (scores <= high + 1e-4)).all())

def equal_activations_bring_nothing(shares, rest, clean, corrupted):
    """where both runs have the same activation, the share has to be 0"""
    return bool((shares[(clean == corrupted).all(dim=-1)] == 0).all())

def the_only_difference_brings_all(shares, rest, clean, corrupted):
    """where the runs differ at one position alone, its share has to be 1"""
    differ = (clean != corrupted).any(dim=-1)
    return differ.sum() != 1 or abs(float(shares[differ]) - 1) < 1e-4

def equal_shares_give_1(answer, weights):
    """where every row shares out equally, every position has to get 1"""
    T = len(weights)
    equal = torch.tensor([[(s <= t) / (t + 1) for s in range(T)] for t in range(T)])
    return not close(weights, equal) or close(answer, torch.ones(T))

def together_all_that_was_shared_out(answer, weights):
    """times what equal shares would give, the numbers have to sum to T, one for each row"""
    T = len(weights)
    given = [sum(1 / (t + 1) for t in range(s, T)) for s in range(T)]
    return abs(sum(a * g for a, g in zip(answer.tolist(), given, strict=True)) - T) < 1e-3

def heads_add_up_to_the_logits(parts, head_outputs, w_out, w_logits):
    """the parts of all heads have to sum to the logits: merged heads, times `w_out.T`, times `w_logits.T`"""
    merged = head_outputs.transpose(1, 2).flatten(2)
    return close(parts.sum(dim=1), merged @ w_out.T @ w_logits.T)

def a_head_of_zeros_adds_nothing(parts, head_outputs, w_out, w_logits):
    """a head whose outputs are 0 everywhere has to have the part 0"""
    silent = (head_outputs == 0).all(-1).all(-1)
    return bool((parts[silent] == 0).all())


# ---- 15

def all_that_was_kept_comes_first(answer, q, k, v, past_k, past_v):
    """the second and third result have to begin with the kept keys and values, as they are, with one
    more of each behind them"""
    n = past_k.shape[-2]
    kept = ((answer[1], past_k), (answer[2], past_v))
    return all(a.shape[-2] == n + 1 and close(a[..., :n, :], b) for a, b in kept)

def mixed_from_all_values(answer, q, k, v, past_k, past_v):
    """every number of the output has to lie between the smallest and the largest value of its channel"""
    low, high = torch.cat([past_v, v], dim=-2).aminmax(dim=-2, keepdim=True)
    return bool(((answer[0] >= low - 1e-4) & (answer[0] <= high + 1e-4)).all())

def order_of_the_blocks_is_nothing(answer, one, other):
    """the largest score has to be the larger one of the two, row by row, whichever block it is in"""
    return close(answer[0], torch.maximum(one[0], other[0]))

def means_lie_between(answer, one, other):
    """mix / sum has to lie between that of the one block and that of the other"""
    a, b = ((mix / total).nan_to_num(0) for _, total, mix in (one, other))
    low, high = torch.minimum(a, b), torch.maximum(a, b)
    mean = answer[2] / answer[1]
    return bool(((mean >= low - 1e-3) & (mean <= high + 1e-3)).all())

def first_head_asks_the_first(out, q, k, v):
    """each query head has to ask its own head of keys: the last one's is the last, and yours asks another"""
    def end(n):  # what the last query head gives if it asks head n
        return (q[:, -1] @ k[:, n].mT * q.shape[-1] ** -0.5).softmax(-1) @ v[:, n]
    others = (end(n) for n in range(k.shape[1] - 1))
    return close(out[:, -1], end(-1)) or not any(close(out[:, -1], other) for other in others)

def last_new_word_sees_all(mask, n_new, n_kept):
    """the last new word may look at every key"""
    return mask.shape == (n_new, n_kept + n_new) and bool(mask[-1].all())

def one_key_more_in_each_row(mask, n_new, n_kept):
    """row t has to be open for the kept words and t + 1 new ones"""
    return mask.sum(-1).tolist() == [n_kept + t + 1 for t in range(n_new)]

def every_document_begins_at_0(answer, lengths):
    """there has to be a position 0 for each document"""
    return (answer[0] == 0).sum() == len(lengths)

def no_row_crosses(answer, lengths):
    """row t of a document has to be open for t + 1 keys"""
    return answer[1].sum(-1).tolist() == [t + 1 for length in lengths for t in range(length)]

# ---- 16

def nobody_who_answers_otherwise(left, found, table):
    """every suspect has to answer the spent checks as found"""
    return all(table[fault][name] == said for fault in left for name, said in found.items())

def one_of_the_checks(name, suspects, table, checks):
    """it has to be the name of one of the checks"""
    return name in checks
