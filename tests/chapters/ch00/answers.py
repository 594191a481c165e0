"""Answers to the exercises of chapter 00, written from its page alone."""

from itertools import accumulate
from math import prod
from operator import mul

import torch

from tests.chapters.answers import right, slips


@right("00.six_shapes")
def shapes_asked_of_torch():
    x, column, w = torch.zeros(2, 5, 3), torch.zeros(5, 1), torch.zeros(3, 4)
    made = x[1], x.sum(1), x.mean(-1, keepdim=True), x + column, x @ w, x @ x.mT
    return [tuple(one.shape) for one in made]


@right("00.six_shapes")
def torch_sizes_in_a_list():
    x = torch.randn(2, 5, 3)
    out = [x[1].size(), x.sum(dim=1).size(), x.mean(dim=-1, keepdim=True).size()]
    out += [(x + torch.randn(5, 1)).size(), (x @ torch.randn(3, 4)).size()]
    return out + [(x @ x.transpose(-2, -1)).size()]


slips(shapes_asked_of_torch)("""
index_keeps_the_axis: takes the index x[1] for a slice that keeps the batch axis with size 1
    return [(1, 5, 3), (2, 3), (2, 5, 1), (2, 5, 3), (2, 5, 4), (2, 5, 5)]
index_takes_a_position: takes x[1] for x[:, 1], one position of every sequence
    return [(2, 3), (2, 3), (2, 5, 1), (2, 5, 3), (2, 5, 4), (2, 5, 5)]
sum_and_mean_both_wrong: gives the keepdim of the mean to the sum: two wrong shapes
    return [(5, 3), (2, 1, 3), (2, 5), (2, 5, 3), (2, 5, 4), (2, 5, 5)]
product_loses_the_batch: forgets the batch axis in both products
    return [(5, 3), (2, 3), (2, 5, 1), (2, 5, 3), (5, 4), (5, 5)]
product_keeps_the_inner_size: keeps the inner size 3 in x @ w as in an outer product
    return [(5, 3), (2, 3), (2, 5, 1), (2, 5, 3), (2, 5, 3, 4), (2, 5, 5)]
transpose_of_everything: ends the last product in the batch size, as if the transpose reversed all three axes
    return [(5, 3), (2, 3), (2, 5, 1), (2, 5, 3), (2, 5, 4), (2, 5, 2)]
last_two_exchanged: gives the shapes of items 5 and 6 in the wrong order
    return [(5, 3), (2, 3), (2, 5, 1), (2, 5, 3), (2, 5, 5), (2, 5, 4)]
""")


@right("00.centre")
def centre_with_unsqueeze(x):
    return torch.sub(x, x.mean(2).unsqueeze(2))


@right("00.centre")
def centre_vector_by_vector(x):
    out = torch.empty_like(x)
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            out[b, t] = x[b, t] - sum(x[b, t]) / x.shape[2]
    return out


slips(centre_with_unsqueeze)("""
no_keepdim: without keepdim the means lie along T and don't fit, or fit the wrong axis
    return x - x.mean(dim=-1)
unsqueezed_in_the_wrong_place: puts the lost axis back at 1, so with T = C the mean of row c goes to column c
    return x - x.mean(-1).unsqueeze(1)
sum_over_the_number_of_positions: divides the sum of the channels by T, right where T = C
    return x - x.sum(dim=-1, keepdim=True) / x.shape[1]
means_of_the_first_sequence: subtracts the means of sequence 0 from all sequences, right for a batch of one
    return x - x[0].mean(-1, keepdim=True)
whole_means_only: floors the mean, right where the means are whole numbers
    return x - x.sum(-1, keepdim=True) // x.shape[-1]
mean_of_magnitudes: takes the mean of the absolute values, right for positive numbers
    return x - x.abs().mean(-1, keepdim=True)
middle_of_the_range: subtracts the middle between the smallest and the largest channel
    return x - (x.amax(-1, keepdim=True) + x.amin(-1, keepdim=True)) / 2
""")


@right("00.swap_last_two")
def swapped_by_permute(x):
    return x.permute(0, 2, 1)


@right("00.swap_last_two")
def swapped_by_einsum(x):
    return torch.einsum("btc->bct", x)


slips(swapped_by_permute)("""
viewed: view keeps the order of memory and only breaks the lines elsewhere
    B, T, C = x.shape
    return x.contiguous().view(B, C, T)
outer_two_swapped_then_viewed: two faults: swaps the axes 0 and 2 and then forces the shape with reshape
    B, T, C = x.shape
    return x.transpose(0, 2).reshape(B, C, T)
concatenated_sequences: glues the transposed sequences together along C and loses the batch axis
    return torch.cat([s.T for s in x])
only_the_first_sequence: transposes sequence 0 only, right for a batch of one
    return x[0].T.unsqueeze(0)
squeezed_first: squeezes first, so axes of size 1 are lost
    return x.squeeze().transpose(-2, -1)
square_left_alone: leaves x as it is where the shape is already (B, C, T)
    return x if x.shape[1] == x.shape[2] else x.transpose(1, 2)
swapped_and_cut_back: transposes, then forces the old shape back with reshape
    return x.transpose(-2, -1).reshape(x.shape)
""")


@right("00.repaired")
def repaired_with_triu(data, T):
    n = int(0.9 * len(data))
    train, validation = data[:n], data[n:]
    whole = len(train) + len(validation) == len(data)
    return whole, torch.zeros(T, T).masked_fill(torch.ones(T, T).triu(1).bool(), -torch.inf)


@right("00.repaired")
def repaired_with_log(data, T):
    n = int(0.9 * len(data))
    parts = [data[:n], data[n:]]
    scores = torch.ones(T, T).tril().log()
    return sum(map(len, parts)) == len(data), scores


slips(repaired_with_triu)("""
old_names_left: still takes the old train and validation from the notebook's memory, right for 10 ids
    n = int(0.9 * len(data))
    train_data, validation_data = data[:n], data[n:]
    whole = len(train) + len(validation) == len(data)
    tril = torch.tril(torch.ones(T, T))
    return whole, torch.zeros(T, T).masked_fill(tril == 0, float("-inf"))
half_renamed of old_names_left: repairs train but takes the old validation from memory, right for up to 10 ids
    train_data, validation_data = data[:n], data[n:] -> train_data = data[:n]
    (train) -> (train_data)
triangle_not_kept: doesn't give the triangle its name
    n = int(0.9 * len(data))
    train_data, validation_data = data[:n], data[n:]
    whole = len(train_data) + len(validation_data) == len(data)
    torch.tril(torch.ones(T, T))
    return whole, torch.zeros(T, T).masked_fill(tril == 0, float("-inf"))  # noqa: F821
triangle_from_memory: uses a triangle made outside, which has room for T = 3 only
    n = int(0.9 * len(data))
    train_data, validation_data = data[:n], data[n:]
    whole = len(train_data) + len(validation_data) == len(data)
    return whole, torch.zeros(T, T).masked_fill(stale_tril == 0, float("-inf"))
tuple_turned_round: returns (scores, whole)
    n = int(0.9 * len(data))
    whole = len(data[:n]) + len(data[n:]) == len(data)
    tril = torch.tril(torch.ones(T, T))
    return torch.zeros(T, T).masked_fill(tril == 0, float("-inf")), whole
validation_by_its_own_tenth: rounds the two lengths down separately, right where len(data) divides by 10
    n, m = int(0.9 * len(data)), int(0.1 * len(data))
    train_data, validation_data = data[:n], data[n : n + m]
    whole = len(train_data) + len(validation_data) == len(data)
    tril = torch.tril(torch.ones(T, T))
    return whole, torch.zeros(T, T).masked_fill(tril == 0, float("-inf"))
whole_means_not_empty of old_names_left: asks whether both parts hold something, False for a single id
    (train) + len(validation) == len(data) -> (train_data) > 0 and len(validation_data) > 0
""")


train, validation = list(range(9)), [9]


stale_tril = torch.tril(torch.ones(3, 3))


@right("00.close")
def close_in_plain_python(a, b, rtol, atol):
    pairs = zip(a.flatten().tolist(), b.flatten().tolist(), strict=True)
    return all(abs(p - q) <= atol + rtol * abs(q) for p, q in pairs)


@right("00.close")
def close_counted(a, b, rtol, atol):
    good = torch.le(torch.abs(b - a), torch.abs(b) * rtol + atol)
    return torch.count_nonzero(good).item() == a.numel()


slips(close_in_plain_python)("""
last_pair_decides: overwrites the verdict at every pair, so the last one decides
    good = True
    for p, q in zip(a.flatten().tolist(), b.flatten().tolist(), strict=True):
        good = abs(p - q) <= atol + rtol * abs(q)
    return good
relative_to_the_larger: takes rtol times the larger of |a| and |b|
    return bool(((a - b).abs() <= atol + rtol * torch.maximum(a.abs(), b.abs())).all())
abs_before_the_difference: takes the difference of the absolute values, right for equal signs
    return bool(((a.abs() - b.abs()).abs() <= atol + rtol * b.abs()).all())
larger_of_both_tolerances: takes the larger tolerance instead of their sum, as math.isclose does
    return bool(((a - b).abs() <= (rtol * b.abs()).clamp(min=atol)).all())
mean_difference: compares means, so one large difference is averaged away; right for one number
    return bool((a - b).abs().mean() <= atol + rtol * b.abs().mean())
one_bound_for_all: compares the largest difference with the bound of the largest b
    return bool((a - b).abs().max() <= atol + rtol * b.abs().max())
norm_of_the_difference: compares the norms of the whole tensors, not element by element
    return bool(torch.linalg.norm(a - b) <= atol + rtol * torch.linalg.norm(b))
""")


@right("00.can_view")
def addresses_compared(shape, strides, new_shape):
    places = [0]
    for size, stride in zip(shape, strides, strict=True):
        places = [p + i * stride for p in places for i in range(size)]
    new, block = [0], 1
    for size in reversed(new_shape):
        step = places[block] if size > 1 else 0
        new = [i * step + p for i in range(size) for p in new]
        block *= size
    return new == places


@right("00.can_view")
def runs_from_the_right(shape, strides, new_shape):
    if not shape:
        return True
    d, numel, view_numel, base = len(new_shape) - 1, 1, 1, strides[-1]
    for i in range(len(shape) - 1, -1, -1):
        numel *= shape[i]
        if i == 0 or (shape[i - 1] != 1 and strides[i - 1] != numel * base):
            while d >= 0 and (view_numel < numel or new_shape[d] == 1):
                view_numel *= new_shape[d]
                d -= 1
            if view_numel != numel:
                return False
            if i > 0:
                base, numel, view_numel = strides[i - 1], 1, 1
    return d == -1


slips(addresses_compared)("""
ones_not_skipped: lets an axis of size 1, whose stride doesn't matter, end a run
    runs = []
    for size, stride in zip(shape, strides, strict=True):
        if runs and runs[-1][1] == size * stride:
            runs[-1] = [runs[-1][0] * size, stride]
        else:
            runs.append([size, stride])
    ends = set(accumulate(new_shape, mul))
    return all(end in ends for end in accumulate((size for size, _ in runs), mul))
axes_never_cut: allows joining axes but never cutting one
    runs = [size for size, _ in _runs(shape, strides)]
    return set(accumulate(new_shape, mul)) <= {1, *accumulate(shape, mul)} and all(
        end in set(accumulate(new_shape, mul)) for end in accumulate(runs, mul)
    )
repeated_axes_refused: refuses every tensor with a stride 0
    if 0 in strides:
        return False
    ends = set(accumulate(new_shape, mul))
    return all(end in ends for end in accumulate((n for n, _ in _runs(shape, strides)), mul))
repeated_axes_are_free: leaves repeated axes out as if they were of size 1
    moving = [(n, s) for n, s in zip(shape, strides, strict=True) if s]
    runs = _runs([n for n, _ in moving], [s for _, s in moving])
    ends = set(accumulate(new_shape, mul))
    return all(end in ends for end in accumulate((n for n, _ in runs), mul))
contiguous_only: allows only contiguous tensors
    return tuple(strides) == _row_major(shape)
runs_in_any_order: compares the new sizes with the run lengths without regard to their order
    sizes = sorted(n for n, _ in _runs(shape, strides))
    news = sorted(n for n in new_shape if n > 1)
    return sizes == news or len(sizes) <= 1
fewer_axes_need_contiguity: believes that only fewer axes need a contiguous tensor
    return len(new_shape) >= len(shape) or strides == _row_major(shape)
""")


def _row_major(shape):
    return tuple(prod(shape[i + 1 :]) for i in range(len(shape)))


def _runs(shape, strides):
    runs = []
    for size, stride in zip(shape, strides, strict=True):
        if runs and runs[-1][1] == size * stride:
            runs[-1] = [runs[-1][0] * size, stride]
        elif size > 1:
            runs.append([size, stride])
    return runs
