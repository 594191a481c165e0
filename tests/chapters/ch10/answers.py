"""Answers to the exercises of chapter 10, written from its page alone."""

import math

import torch

from tests.chapters.answers import right, slips


@right("10.split_heads")
def stacks_the_slices(x, n_head):
    return torch.stack(x.chunk(n_head, dim=-1), dim=1)


@right("10.split_heads")
def slices_by_hand(x, n_head):
    D = x.shape[2] // n_head
    heads = []
    for h in range(n_head):
        heads.append(x[:, :, h * D : (h + 1) * D].unsqueeze(1))
    return torch.cat(heads, 1)


slips(stacks_the_slices)("""
view_at_once: cuts the memory between words: no transpose, straight to (B, H, T, D)
    B, T, C = x.shape
    return x.reshape(B, n_head, T, C // n_head)
positions_last: ends with (B, H, D, T), as one would want for the keys
    B, T, C = x.shape
    return x.view(B, T, n_head, C // n_head).permute(0, 2, 3, 1)
list_of_heads: returns a list of H tensors
    return list(x.split(x.shape[-1] // n_head, dim=-1))
cat_of_heads_viewed: lays the heads below the batch and views: mixes sequences unless there is only one
    B, T, C = x.shape
    return torch.cat(x.chunk(n_head, dim=-1), dim=0).view(B, n_head, T, C // n_head)
n_head_is_the_size: takes n_head for the size of a head, which agrees only if C = H * H
    B, T, C = x.shape
    return x.view(B, T, C // n_head, n_head).transpose(1, 2)
always_two_heads: cuts into two halves whatever n_head is
    C = x.shape[-1]
    return torch.stack((x[..., : C // 2], x[..., C // 2 :]), dim=1)
first_sequence_for_all: every sequence of the batch gets the first one's heads
    B, T, C = x.shape
    return x[0].view(T, n_head, C // n_head).transpose(0, 1).repeat(B, 1, 1, 1)
""")


@right("10.widths")
def by_a_dict_call(d_out, n_head):
    size, rest = divmod(d_out, n_head)
    return dict(wrapper=(d_out, n_head * d_out), fused=(size, d_out))


@right("10.widths")
def counted_in_ranges(d_out, n_head):
    return {
        "fused": (len(range(0, d_out, n_head)), d_out),
        "wrapper": (d_out, sum(d_out for _ in range(n_head))),
    }


slips(by_a_dict_call)("""
meanings_exchanged: takes the wrapper's d_out for the whole and the fused one's for each head
    return {"wrapper": (d_out // n_head, d_out), "fused": (d_out, d_out * n_head)}
width_before_size: both tuples name the output first
    return {"wrapper": (d_out * n_head, d_out), "fused": (d_out, d_out // n_head)}
two_and_two_is_four: adds n_head instead of multiplying, which the book's 2 and 2 do not show
    return {"wrapper": (d_out, d_out + n_head), "fused": (d_out // n_head, d_out)}
two_to_the_two: raises d_out to the power n_head, right for 2 and 2
    return {"wrapper": (d_out, d_out**n_head), "fused": (d_out // n_head, d_out)}
always_a_half: divides by 2 whatever n_head is
    return {"wrapper": (d_out, 2 * d_out), "fused": (d_out // 2, d_out)}
shifts_instead: shifts by bits, right only if n_head is a power of two
    bits = n_head.bit_length() - 1
    return {"wrapper": (d_out, d_out << bits), "fused": (d_out >> bits, d_out)}
one_head_is_no_module: refuses a single head
    if n_head < 2:
        raise ValueError("multi-head attention needs more than one head")
    return {"wrapper": (d_out, d_out * n_head), "fused": (d_out // n_head, d_out)}
""")


@right("10.count_parameters")
def four_squares(n_embd, n_head):
    return n_embd * (4 * n_embd + 1)


@right("10.count_parameters")
def head_after_head(n_embd, n_head):
    D = n_embd // n_head
    total = n_embd
    for _ in range(n_head):
        total += 3 * D * n_embd
        total += n_embd * D
    return total


slips(four_squares)("""
biases_everywhere: gives q, k and v a bias too, as GPT-2 does
    return 4 * (n_embd * n_embd + n_embd)
biases_nowhere: forgets W_O's bias
    return 4 * n_embd**2
heads_of_64: takes GPT-2's head size of 64
    return 3 * n_embd * (64 * n_head) + n_embd * (64 * n_head) + n_embd
gpt2_by_heart: returns the number printed on the page
    return 2360064
no_values: counts queries, keys and W_O only
    return 2 * n_embd * n_embd + n_embd * n_embd + n_embd
matrices_as_many_as_heads: counts one square matrix a head, right for four heads
    return n_head * n_embd * n_embd + n_embd
two_heads_in_mind: each head gets half of the width, right for two heads
    return n_head * 3 * (n_embd // 2) * n_embd + n_embd * n_embd + n_embd
""")


@right("10.pack")
def adds_the_lists(w_q, w_k, w_v):
    return torch.cat(w_q + w_k + w_v, dim=0)


@right("10.pack")
def rows_in_a_row(w_q, w_k, w_v):
    return torch.stack([row for part in (w_q, w_k, w_v) for head in part for row in head])


slips(adds_the_lists)("""
head_by_head: packs q, k, v of head 0, then of head 1, and so on: right for one head
    return torch.cat([w for head in zip(w_q, w_k, w_v) for w in head])
columns_reshaped: joins along the inputs and reshapes: the rows of all heads are mixed unless D = 1
    return torch.cat([*w_q, *w_k, *w_v], dim=1).reshape(-1, w_q[0].shape[1])
channels_before_heads: within each third, channel 0 of all heads comes first, then channel 1
    return torch.cat([torch.stack(part, dim=1).flatten(0, 1) for part in (w_q, w_k, w_v)])
head_zero_only: forgets all heads but the first
    return torch.cat([w_q[0], w_k[0], w_v[0]])
heads_backwards: the heads of each part in reverse order
    return torch.cat([*w_q[::-1], *w_k[::-1], *w_v[::-1]])
mean_of_the_heads: averages the heads: (3 D, C)
    return torch.cat([sum(part) / len(part) for part in (w_q, w_k, w_v)])
square_weights_turned: transposes every head's weight before it reshapes
    C = w_q[0].shape[1]
    return torch.cat([w.T.reshape(-1, C) for w in [*w_q, *w_k, *w_v]])
""")


@right("10.share_heads")
def index_of_each(kv, n_head):
    n_kv = kv.shape[1]
    return kv[:, [h * n_kv // n_head for h in range(n_head)]]


@right("10.share_heads")
def new_axis_expanded(kv, n_head):
    B, n_kv, T, D = kv.shape
    return kv[:, :, None].expand(B, n_kv, n_head // n_kv, T, D).reshape(B, n_head, T, D)


slips(index_of_each)("""
tiled: 0, 1, 0, 1 instead of 0, 0, 1, 1
    return kv.repeat(1, n_head // kv.shape[1], 1, 1)
expands_one_head: expand works for one key head or for n_head of them
    B, _, T, D = kv.shape
    return kv.expand(B, n_head, T, D)
two_groups: first and last key head only, right for two
    half = n_head // 2
    parts = [kv[:, :1]] * half + [kv[:, -1:]] * (n_head - half)
    return torch.cat(parts, dim=1)
evenly_spread_and_rounded: rounds evenly spread places: the groups can be unequal once they hold three or more
    places = torch.linspace(0, kv.shape[1] - 1, n_head).round().long()
    return kv[:, places]
repeats_channels_and_reshapes: repeats single numbers along the channels and reshapes
    B, n_kv, T, D = kv.shape
    return kv.repeat_interleave(n_head // n_kv, dim=-1).reshape(B, n_head, T, D)
repeats_rows_and_reshapes: repeats every position and reshapes, right for T = 1
    B, n_kv, T, D = kv.shape
    return kv.repeat_interleave(n_head // n_kv, dim=2).reshape(B, n_head, T, D)
same_batch_for_all: takes the first sequence's keys for the whole batch
    group = n_head // kv.shape[1]
    return kv[:1].repeat_interleave(group, dim=1).repeat(len(kv), 1, 1, 1)
""")


def _attend(q, k, v, scale=None, fill=float("-inf"), diagonal=1):
    T = q.shape[-2]
    scores = q @ k.transpose(-2, -1) * (q.shape[-1] ** -0.5 if scale is None else scale)
    future = torch.ones(T, T, dtype=torch.bool).triu(diagonal)
    return scores.masked_fill(future, fill).softmax(dim=-1) @ v


def _cut(x, n_head):
    return x.unflatten(-1, (n_head, -1)).transpose(1, 2)


def _join(x):
    return x.transpose(1, 2).flatten(2)


@right("10.multi_head")
def by_einsum_alone(x, w_qkv, w_out, n_head):
    B, T, C = x.shape
    D = C // n_head
    q, k, v = torch.einsum("btc,phdc->pbhtd", x, w_qkv.reshape(3, n_head, D, C))
    scores = torch.einsum("bhtd,bhsd->bhts", q, k).div(math.sqrt(D))
    past = torch.tril(torch.ones(T, T)) > 0
    weights = torch.where(past, scores, torch.tensor(-torch.inf, dtype=x.dtype)).softmax(-1)
    return torch.einsum("bhts,bhsd,chd->btc", weights, v, w_out.reshape(C, n_head, D))


@right("10.multi_head")
def sum_over_heads(x, w_qkv, w_out, n_head):
    C = x.shape[-1]
    D = C // n_head
    out = torch.zeros_like(x)
    for h in range(n_head):
        own = slice(h * D, (h + 1) * D)
        q = x @ w_qkv[:C][own].T
        k = x @ w_qkv[C : 2 * C][own].T
        v = x @ w_qkv[2 * C :][own].T
        scores = q @ k.mT / D**0.5
        scores = scores + torch.full_like(scores[0], -torch.inf).triu(1)
        out = out + scores.softmax(-1) @ v @ w_out[:, own].T
    return out


slips(by_einsum_alone)("""
mask_forbids_zero_scores: takes every score of exactly 0 for a forbidden one
    q, k, v = (_cut(p, n_head) for p in (x @ w_qkv.T).chunk(3, dim=-1))
    scores = (q @ k.mT / q.shape[-1] ** 0.5).tril()
    weights = scores.masked_fill(scores == 0, float("-inf")).softmax(-1)
    return _join(weights @ v) @ w_out.T
softmax_with_one_maximum: subtracts the largest of all scores, so rows far below it underflow to 0 / 0
    q, k, v = (_cut(p, n_head) for p in (x @ w_qkv.T).chunk(3, dim=-1))
    scores = q @ k.mT / q.shape[-1] ** 0.5
    e = torch.exp(scores - scores.max()).tril()
    return _join(e / e.sum(-1, keepdim=True) @ v) @ w_out.T
channels_interleaved: gives head h every H-th channel, on the way there and back
    B, T, C = x.shape
    q, k, v = (
        p.reshape(B, T, C // n_head, n_head).permute(0, 3, 1, 2)
        for p in (x @ w_qkv.T).chunk(3, dim=-1)
    )
    return _attend(q, k, v).permute(0, 2, 3, 1).reshape(B, T, C) @ w_out.T
keys_of_the_first_sequence: every sequence is compared with the keys of the first
    q, k, v = (_cut(p, n_head) for p in (x @ w_qkv.T).chunk(3, dim=-1))
    scores = q @ k.permute(0, 1, 3, 2)[0] / q.shape[-1] ** 0.5
    T = x.shape[1]
    weights = scores.masked_fill(torch.ones(T, T).triu(1).bool(), -torch.inf).softmax(-1)
    return _join(weights @ v) @ w_out.T
without_scale: the scores are not divided by the root of D
    q, k, v = (_cut(p, n_head) for p in (x @ w_qkv.T).chunk(3, dim=-1))
    return _join(_attend(q, k, v, scale=1.0)) @ w_out.T
softmax_without_the_maximum: exponentiates the bare scores, which overflow when they are large
    q, k, v = (_cut(p, n_head) for p in (x @ w_qkv.T).chunk(3, dim=-1))
    e = torch.exp(q @ k.mT / q.shape[-1] ** 0.5).tril()
    return _join(e / e.sum(-1, keepdim=True) @ v) @ w_out.T
shares_of_the_first_sequence: uses the first sequence's queries and keys for the whole batch, right for a batch of one
    q, k, v = (_cut(p, n_head) for p in (x @ w_qkv.T).chunk(3, dim=-1))
    return _join(_attend(q[:1], k[:1], v)) @ w_out.T
""")
