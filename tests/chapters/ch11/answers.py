"""Answers to the exercises of chapter 11, written from its page alone."""

import math

import torch
import torch.nn.functional as F

from tests.chapters.answers import right, slips


def past_in_order(x, order):
    return torch.cat([x[:, :-1][:, order], x[:, -1:]], dim=1)


@right("11.knows_order")
def all_pairs(forward, x):
    before, T = forward(x)[:, -1], x.shape[1]
    for a in range(T - 1):
        for b in range(a):
            order = list(range(T))
            order[a], order[b] = b, a
            if (forward(x[:, order])[:, -1] - before).abs().max() > 1e-5:
                return True
    return False


@right("11.knows_order")
def rotations_and_swaps(forward, x):
    n = x.shape[1] - 1
    orders = [torch.arange(n).roll(k) for k in range(1, n)]
    for t in range(n - 1):
        order = torch.arange(n)
        order[[t, t + 1]] = order[[t + 1, t]]
        orders.append(order)
    before = forward(x)[:, -1]
    moves = [(forward(past_in_order(x, order))[:, -1] - before).abs().max() for order in orders]
    return any(float(move) > 1e-5 for move in moves)


slips(all_pairs)("""
first_and_second: exchanges only the first two words
    if x.shape[1] < 3:
        return False
    order = [1, 0, *range(2, x.shape[1] - 1)]
    moved = forward(past_in_order(x, order))[:, -1] - forward(x)[:, -1]
    return bool((moved.abs() > 1e-5).any())
compares_exactly: calls rounding a sense of order
    for t in range(x.shape[1] - 2):
        y = x.clone()
        y[:, [t, t + 1]] = x[:, [t + 1, t]]
        if not torch.equal(forward(y)[:, -1], forward(x)[:, -1]):
            return True
    return False
first_sequence of compares_exactly: looks at the first sequence alone
    not torch.equal(forward(y)[:, -1], forward(x)[:, -1]) -> ((forward(y) - forward(x))[0, -1].abs() > 1e-5).any()
one_rotation: moves the whole sequence round by one, the last word too
    return not torch.allclose(forward(x.roll(1, dims=1))[:, -1], forward(x)[:, -1], atol=1e-5)
equivariance: asks whether outputs move with the words, which a causal mask breaks without positions
    order = list(range(x.shape[1] - 2, -1, -1)) + [x.shape[1] - 1]
    return bool(((forward(x[:, order]) - forward(x)[:, order]).abs() > 1e-5).any())
past_turned_round: only turns the past round, which a symmetric preference survives
    order = list(range(x.shape[1] - 2, -1, -1))
    moved = forward(past_in_order(x, order))[:, -1] - forward(x)[:, -1]
    return bool((moved.abs() > 1e-5).any())
other_words: changes the words instead of their order
    y = x.clone()
    y[:, :-1] += 1
    return bool(((forward(y) - forward(x))[:, -1].abs() > 1e-5).any())
""")


def causal(q, k, v):
    scores = (q @ k.T / q.shape[1] ** 0.5).masked_fill(
        torch.ones(len(q), len(q)).triu(1) > 0, -torch.inf
    )
    return F.softmax(scores, dim=-1) @ v


def turn(x, sign=1.0, base=10_000.0, start=0):
    T, D = x.shape
    angles = sign * torch.arange(start, start + T)[:, None] * base ** (-torch.arange(0, D, 2) / D)
    a, b = x[:, : D // 2], x[:, D // 2 :]
    return torch.cat([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], 1)


@right("11.rotary_attention")
def rotary_from_position_5(q, k, v):
    return causal(turn(q, start=5), turn(k, start=5), v)  # the law: only distances count


@right("11.rotary_attention")
def rotary_by_loops(q, k, v):
    T, D = q.shape
    rows = []
    for t in range(T):
        scores = torch.zeros(t + 1)
        for s in range(t + 1):
            for i in range(D // 2):
                angle = (t - s) * 10_000 ** (-2 * i / D)
                dot = q[t, i] * k[s, i] + q[t, i + D // 2] * k[s, i + D // 2]
                cross = q[t, i] * k[s, i + D // 2] - q[t, i + D // 2] * k[s, i]
                scores[s] += dot * math.cos(angle) + cross * math.sin(angle)
        rows.append(F.softmax(scores / D**0.5, dim=0) @ v[: t + 1])
    return torch.stack(rows)


slips(rotary_from_position_5)("""
interleaved_pairs: pairs neighbours
    T, D = q.shape
    angles = torch.arange(T)[:, None] * 10_000 ** (-torch.arange(0, D, 2) / D)
    z = [torch.view_as_complex(x.reshape(T, D // 2, 2).contiguous()) for x in (q, k)]
    q, k = (torch.view_as_real(x * torch.exp(1j * angles)).flatten(1) for x in z)
    return causal(q, k, v)
added_waves: adds sinusoids to q and k instead of turning them
    T, D = q.shape
    angles = torch.arange(T)[:, None] * 10_000 ** (-torch.arange(0, D, 2) / D)
    waves = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
    return causal(q + waves, k + waves, v)
values_too: turns the values too
    return causal(turn(q), turn(k), turn(v))
keys_backwards: turns the keys the other way, so that the score depends on the sum of the positions
    return causal(turn(q), turn(k, -1), v)
another_base: uses the base 1,000
    return causal(turn(q, base=1000.0), turn(k, base=1000.0), v)
one_position_apart: counts the queries from 1 and the keys from 0
    return causal(turn(q, start=1), turn(k), v)
everybody_hears_all: forgets the mask
    return F.softmax(turn(q) @ turn(k).T / math.sqrt(q.shape[1]), dim=-1) @ v
""")


@right("11.relative_only")
def by_distance(score, n):
    by = {}
    for i in range(n):
        for j in range(n):
            by.setdefault(i - j, []).append(score(i, j))
    return all(max(each) - min(each) <= 1e-4 for each in by.values())


@right("11.relative_only")
def diagonals(score, n):
    table = torch.tensor([[score(i, j) for j in range(n)] for i in range(n)], dtype=torch.float64)
    each = (table.diagonal(k) for k in range(1 - n, n))
    return all(bool(scores.max() - scores.min() <= 1e-4) for scores in each)


slips(by_distance)("""
sign_dropped: takes the distances 2 and -2 for the same
    i - j -> abs(i - j)
past_keys_only: never lets the key stand after the query
    return all(
        abs(score(i + 1, j + 1) - score(i, j)) <= 1e-4 for i in range(n - 1) for j in range(i + 1)
    )
one_pair: moves one pair only
    return abs(score(2, 1) - score(1, 0)) <= 1e-4
symmetric: asks whether query and key may change places
    return all(abs(score(i, j) - score(j, i)) <= 1e-4 for i in range(n) for j in range(n))
exactly: compares without a tolerance
    return len({(i - j, score(i, j)) for i in range(n) for j in range(n)}) == 2 * n - 1
mean_of_the_diagonals: compares means, in which two differences may cancel
    first = sum(score(i, i) for i in range(n)) / n
    return all(abs(first - score(i, i)) <= 1e-4 for i in range(n))
first_row_and_column: only moves pairs away from the edge, by one
    pairs = [(0, j) for j in range(n - 1)]
    return all(abs(score(i + 1, j + 1) - score(i, j)) <= 1e-4 for i, j in pairs)
toeplitz: compares neighbours only, so a drift adds up
    table = torch.tensor([[float(score(i, j)) for j in range(n)] for i in range(n)])
    return bool(((table[1:, 1:] - table[:-1, :-1]).abs() <= 1e-4).all())
allows_a_thousandth: a tolerance of 1e-3, under which a slow drift passes
    pairs = [(i, j) for i in range(n - 1) for j in range(n - 1)]
    return all(abs(score(i + 1, j + 1) - score(i, j)) <= 1e-3 for i, j in pairs)
""")


@right("11.penalties")
def last_rows_of_all(slopes, start, n_queries):
    at = torch.arange(start + n_queries)
    whole = -slopes.view(-1, 1, 1) * (at[:, None] - at).clamp(min=0)
    return whole[:, start:]


@right("11.penalties")
def penalties_by_loops(slopes, start, n_queries):
    n = start + n_queries
    return torch.tensor(
        [
            [[-s * max(start + r - j, 0) for j in range(n)] for r in range(n_queries)]
            for s in slopes.tolist()
        ]
    )


slips(last_rows_of_all)("""
gains: adds instead of taking off
    queries = start + torch.arange(n_queries)
    return slopes.view(-1, 1, 1) * (queries[:, None] - torch.arange(start + n_queries)).clamp(
        min=0
    )
from_row_0: counts distances from the row
    rows, keys = torch.arange(n_queries)[:, None], torch.arange(start + n_queries)
    return -slopes.view(-1, 1, 1) * (rows - keys).clamp(min=0)
of_the_new_words_only: makes the bias of the new words alone, which broadcasts if there is one
    at = torch.arange(n_queries)
    return -slopes.view(-1, 1, 1) * (at[:, None] - at).clamp(min=0)
by_key_position: gives a key its position times the slope, as some libraries do: equal in softmax, not here
    keys = torch.arange(start + n_queries)
    return (slopes.view(-1, 1, 1) * keys).expand(-1, n_queries, -1)
both_directions: takes off for later keys too
    queries = start + torch.arange(n_queries)
    return -slopes.view(-1, 1, 1) * (queries[:, None] - torch.arange(start + n_queries)).abs()
one_head: gives all heads the first slope
    queries = start + torch.arange(n_queries)
    distance = (queries[:, None] - torch.arange(start + n_queries)).clamp(min=0)
    return -slopes[0] * distance.expand(len(slopes), -1, -1)
one_position_off: lets the first query stand at start + 1
    queries = start + 1 + torch.arange(n_queries)
    distance = (queries[:, None] - torch.arange(start + n_queries)).clamp(min=0)
    return -slopes.view(-1, 1, 1) * distance
""")


@right("11.laid_apart")
def laid_by_interpolate(table, T):
    return F.interpolate(table.T[None], size=T, mode="linear", align_corners=True)[0].T


@right("11.laid_apart")
def laid_by_lerp(table, T):
    rows = []
    for t in range(T):
        whole, rest = divmod(t * (len(table) - 1), T - 1)
        after = min(whole + 1, len(table) - 1)
        rows.append(torch.lerp(table[whole], table[after], rest / (T - 1)))
    return torch.stack(rows)


slips(laid_by_interpolate)("""
n_over_T: goes by n / T
    places = (torch.arange(T) * len(table) / T).clamp(max=len(table) - 1)
    low = places.long()
    high = (low + 1).clamp(max=len(table) - 1)
    return torch.lerp(table[low], table[high], (places - low)[:, None])
last_row_again: clips the position
    return table[[min(t, len(table) - 1) for t in range(T)]]
round_and_round: begins again at row 0
    return table[torch.arange(T).remainder(len(table))]
nearest: takes the nearest row without a mix
    return table[torch.linspace(0, len(table) - 1, T).round().long()]
row_before: takes the row before without a mix
    return table[torch.linspace(0, len(table) - 1, T).long()]
pixels: interpolates as images are, with flat ends
    True -> False
each_repeated: repeats each row as often as it fits
    return table.repeat_interleave(-(-T // len(table)), dim=0)[:T]
""")


@right("11.to_half_split")
def head_after_head(weight, n_head):
    return torch.cat([torch.cat([h[::2], h[1::2]]) for h in weight.chunk(n_head)])


@right("11.to_half_split")
def by_an_order(weight, n_head):
    D = len(weight) // n_head
    order = [h * D + c for h in range(n_head) for c in [*range(0, D, 2), *range(1, D, 2)]]
    return weight[order]


slips(head_after_head)("""
all_heads_at_once: takes the even rows over all heads
    return torch.cat([weight[::2], weight[1::2]])
the_way_back: makes half-split weights interleaved
    halves = weight.view(n_head, 2, -1, weight.shape[1])
    return halves.transpose(1, 2).reshape(weight.shape)
columns: moves columns
    return torch.cat([weight[:, ::2], weight[:, 1::2]], dim=1)
odd_first: puts the odd channels first
    return torch.cat([p for h in weight.chunk(n_head) for p in (h[1::2], h[::2])])
as_it_came: moves nothing
    return weight.clone()
heads_stacked: leaves the heads in an axis of their own
    return torch.stack([torch.cat([h[::2], h[1::2]]) for h in weight.chunk(n_head)])
heads_alternate: takes every n_head-th row for a head
    rows = weight.view(-1, n_head, weight.shape[1]).transpose(0, 1)
    return torch.cat([torch.cat([h[::2], h[1::2]]) for h in rows])
""")
