"""Answers to the exercises of chapter 15, written from its page alone."""

import torch
import torch.nn.functional as F

from attention.positions import rotary_angles, rotate
from tests.chapters.answers import right, slips


def _turn(x, position):
    return rotate(x, rotary_angles(torch.tensor([float(position)]), x.shape[-1]))


def _attend(q, k, v):
    return (q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5).softmax(-1) @ v


@right("15.decode_step")
def word_by_word(q, k, v, past_k, past_v):
    n = past_k.shape[-2]
    keys = [*past_k.unbind(2), _turn(k, n)[:, :, 0]]
    values = [*past_v.unbind(2), v[:, :, 0]]
    turned = _turn(q, n)[:, :, 0]
    scores = torch.stack([(turned * key).sum(-1) for key in keys], -1) / q.shape[-1] ** 0.5
    shares = scores.softmax(-1).unbind(-1)
    out = sum(share[..., None] * value for share, value in zip(shares, values))
    return out[:, :, None], torch.stack(keys, 2), torch.stack(values, 2)


@right("15.decode_step")
def pytorchs_own_without_a_mask(q, k, v, past_k, past_v):
    n = past_k.size(2)
    k, v = torch.cat((past_k, _turn(k, n)), dim=2), torch.cat((past_v, v), dim=2)
    return F.scaled_dot_product_attention(_turn(q, n), k, v), k, v


slips(pytorchs_own_without_a_mask)("""
turns_all_keys_again: turns the kept keys a second time
    n = past_k.shape[2]
    k, v = torch.cat([past_k, k], 2), torch.cat([past_v, v], 2)
    k = rotate(k, rotary_angles(torch.arange(n + 1), k.shape[-1]))
    return _attend(_turn(q, n), k, v), k, v
position_one_too_far: counts the new word among those before it
    k, v = torch.cat([past_k, k], 2), torch.cat([past_v, v], 2)
    n = k.shape[2]
    k = torch.cat([past_k, _turn(k[:, :, -1:], n)], 2)
    return _attend(_turn(q, n), k, v), k, v
forgets_itself: looks at the kept words only (at itself if there are none)
    n = past_k.shape[2]
    keys, values = torch.cat([past_k, _turn(k, n)], 2), torch.cat([past_v, v], 2)
    if n == 0:
        return v, keys, values
    return _attend(_turn(q, n), past_k, past_v), keys, values
keeps_the_key_unturned: the output is right, and the key is kept before it was turned
    n = past_k.shape[2]
    values = torch.cat([past_v, v], 2)
    out = _attend(_turn(q, n), torch.cat([past_k, _turn(k, n)], 2), values)
    return out, torch.cat([past_k, k], 2), values
position_counted_from_the_heads: takes the number of heads for the number of kept words
    size(2) -> size(1)
each_call_begins_at_0: positions of the words that came in now, arange(1)
    angles = rotary_angles(torch.arange(q.shape[2]), q.shape[-1])
    k, v = torch.cat([past_k, rotate(k, angles)], 2), torch.cat([past_v, v], 2)
    return _attend(rotate(q, angles), k, v), k, v
causal_in_pytorch: is_causal=True shows the one query the first key alone
    _turn(q, n), k, v -> _turn(q, n), k, v, is_causal=True
""")


@right("15.join")
def with_where(one, other):
    first = one[0] >= other[0]
    big = [torch.where(first, a, b) for a, b in zip(one, other)]
    small = [torch.where(first, b, a) for a, b in zip(one, other)]
    shrink = torch.exp(small[0] - big[0])
    return big[0], big[1] + small[1] * shrink, big[2] + small[2] * shrink


@right("15.join")
def row_by_row(one, other):
    rows = []
    for m, s, x, n, t, y in zip(*one, *other):
        new = torch.max(m, n)
        rows.append(
            (
                new,
                s * (m - new).exp() + t * (n - new).exp(),
                x * (m - new).exp() + y * (n - new).exp(),
            )
        )
    return tuple(torch.stack(part) for part in zip(*rows))


slips(with_where)("""
divides_the_mix: returns the mean in place of the mix
    new = torch.maximum(one[0], other[0])
    a, b = (one[0] - new).exp(), (other[0] - new).exp()
    total = one[1] * a + other[1] * b
    return new, total, (one[2] * a + other[2] * b) / total
averages_the_means: takes the mean of both blocks' means, as if both counted alike
    new = torch.maximum(one[0], other[0])
    total = one[1] * (one[0] - new).exp() + other[1] * (other[0] - new).exp()
    mean = (one[2] / one[1].clamp(min=1e-9) + other[2] / other[1].clamp(min=1e-9)) / 2
    return new, total, mean * total
back_to_plain_exponentials: multiplies by e^m, which is infinite for scores near 100
    a, b = one[0].exp(), other[0].exp()
    new = torch.maximum(one[0], other[0])
    total, mix = one[1] * a + other[1] * b, one[2] * a + other[2] * b
    return new, total / new.exp(), mix / new.exp()
logaddexp_for_the_largest: gives the log of the sum where the largest score is asked for
    a, b = one[0] + one[1].log(), other[0] + other[1].log()
    new = torch.logaddexp(a, b)
    mix = one[2] * (one[0] - new).exp() + other[2] * (other[0] - new).exp()
    return new, torch.ones_like(new), mix
adds_what_it_gets: adds sums that are relative to different scores
    return torch.maximum(one[0], other[0]), one[1] + other[1], one[2] + other[2]
swaps_the_factors: multiplies each block by the other's factor
    new = torch.maximum(one[0], other[0])
    a, b = (other[0] - new).exp(), (one[0] - new).exp()
    return new, one[1] * a + other[1] * b, one[2] * a + other[2] * b
rescales_the_first_only: as in the loop of the page, where the second block is relative to the new largest already
    new = torch.maximum(one[0], other[0])
    shrink = (one[0] - new).exp()
    return new, one[1] * shrink + other[1], one[2] * shrink + other[2]
""")


@right("15.cache_mask")
def last_rows_of_the_square(n_new, n_kept):
    n = n_kept + n_new
    return torch.ones(n, n).tril().bool()[n_kept:]


@right("15.cache_mask")
def compare_positions(n_new, n_kept):
    rows = [[j <= n_kept + i for j in range(n_kept + n_new)] for i in range(n_new)]
    return torch.tensor(rows, dtype=torch.bool).view(n_new, n_kept + n_new)


slips(last_rows_of_the_square)("""
plain_triangle: no offset: the corner is at the top left
    return torch.tril(torch.ones(n_new, n_kept + n_new)).bool()
everything_is_past: right for one new word, a leak for more
    return torch.ones(n_new, n_kept + n_new, dtype=torch.bool)
strictly_before: nobody sees itself
    i = torch.arange(n_kept, n_kept + n_new)[:, None]
    return torch.arange(n_kept + n_new) < i
one_too_far: offset n_kept + 1: everyone sees the next word
    return torch.ones(n_new, n_kept + n_new).tril(n_kept + 1).bool()
kept_then_square_of_ones: hides the kept words and leaves the triangle of the new ones
    kept = torch.zeros(n_new, n_kept, dtype=torch.bool)
    return torch.cat([kept, torch.ones(n_new, n_new).tril().bool()], dim=1)
all_the_rows: rows for the kept words, too
    return torch.ones(n_kept + n_new, n_kept + n_new).tril().bool()
floats: ones and zeros as floats
    return torch.ones(n_new, n_kept + n_new).tril(n_kept)
""")


@right("15.packed")
def block_diagonal(lengths):
    mask = torch.block_diag(*[torch.ones(n, n).tril() for n in lengths]).bool()
    return torch.cat([torch.arange(n) for n in lengths]), mask


@right("15.packed")
def by_loops(lengths):
    where = [(d, p) for d, n in enumerate(lengths) for p in range(n)]
    mask = [[a == c and b >= e for c, e in where] for a, b in where]
    return torch.tensor([p for _, p in where]), torch.tensor(mask, dtype=torch.bool)


slips(block_diagonal)("""
causal_alone: restarts the positions and lets documents hear each other
    T = sum(lengths)
    return torch.cat([torch.arange(n) for n in lengths]), torch.ones(T, T).tril().bool()
positions_go_on: a right mask, and positions that don't restart
    ids = torch.repeat_interleave(torch.arange(len(lengths)), torch.tensor(lengths))
    return torch.arange(sum(lengths)), (ids[:, None] == ids).tril()
not_causal: documents are apart, and each sees its own future
    ids = torch.repeat_interleave(torch.arange(len(lengths)), torch.tensor(lengths))
    return torch.cat([torch.arange(n) for n in lengths]), ids[:, None] == ids
window_of_the_longest: a window as long as the longest document crosses the borders
    T = sum(lengths)
    mask = torch.ones(T, T).tril().triu(1 - max(lengths)).bool()
    return torch.cat([torch.arange(n) for n in lengths]), mask
same_place_instead_of_same_document: compares positions, not documents
    at = torch.cat([torch.arange(n) for n in lengths])
    return at, (at[:, None] >= at).tril()
from_1: positions begin at 1
    (n) -> (1, n + 1)
not_itself: nobody sees itself
    tril() -> tril(-1)
""")


@right("15.grouped")
def head_by_head(q, k, v):
    n = q.shape[1] // k.shape[1]
    heads = [_attend(q[:, h], k[:, h // n], v[:, h // n]) for h in range(q.shape[1])]
    return torch.stack(heads, 1)


@right("15.grouped")
def by_index(q, k, v):
    of = torch.arange(q.shape[1]) * k.shape[1] // q.shape[1]
    return _attend(q, k[:, of], v[:, of])


slips(head_by_head)("""
hides_the_future_if_square: a causal mask wherever there are as many queries as keys
    n = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(n, 1), v.repeat_interleave(n, 1)
    scores = q @ k.mT * q.shape[-1] ** -0.5
    if q.shape[2] == k.shape[2]:
        scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -torch.inf)
    return scores.softmax(-1) @ v
repeats_in_rounds: repeat in place of repeat_interleave
    n = q.shape[1] // k.shape[1]
    return _attend(q, k.repeat(1, n, 1, 1), v.repeat(1, n, 1, 1))
view_with_the_copies_in_front: views q as (B, group, n_kv, ...), which pairs the heads in rounds
    B, H, T, D = q.shape
    groups = q.view(B, H // k.shape[1], k.shape[1], T, D)
    return _attend(groups, k[:, None], v[:, None]).reshape(B, H, T, -1)
values_in_rounds: keys by neighbours, values in rounds
    n = q.shape[1] // k.shape[1]
    return _attend(q, k.repeat_interleave(n, 1), v.repeat(1, n, 1, 1))
first_head_for_all: broadcasts head 0, as multi-query attention does
    return _attend(q, k[:, :1], v[:, :1])
scale_by_all_heads: scales by the width of all heads
    n = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(n, 1), v.repeat_interleave(n, 1)
    return (q @ k.mT / (q.shape[1] * q.shape[-1]) ** 0.5).softmax(-1) @ v
repeats_positions: repeats axis 2, the positions, so head 0 holds the first ones several times
    n = q.shape[1] // k.shape[1]
    k, v = (x.repeat_interleave(n, 2).reshape(len(x), q.shape[1], *x.shape[2:]) for x in (k, v))
    return _attend(q, k, v)
no_scale: forgets to scale
    n = q.shape[1] // k.shape[1]
    return (q @ k.repeat_interleave(n, 1).mT).softmax(-1) @ v.repeat_interleave(n, 1)
""")
