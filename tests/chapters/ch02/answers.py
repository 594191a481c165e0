"""Answers to the exercises of chapter 02, written from its page alone."""

import torch

from attention.batches import cut_blocks, get_batch
from tests.chapters.answers import right, slips

block_size = 8

train_ids = torch.arange(100)


@right("02.hold_back")
def holdout_split_sizes(ids, train_fraction):
    n = int(train_fraction * len(ids))
    return tuple(torch.split(ids, [n, len(ids) - n]))


@right("02.hold_back")
def holdout_by_mask(ids, train_fraction):
    early = torch.arange(len(ids)) < int(train_fraction * len(ids))
    return ids[early], ids[~early]


slips(holdout_split_sizes)("""
holdout_refuses_empty_parts: raises an error where one part is rightly empty
    n = int(train_fraction * len(ids))
    if n == 0 or n == len(ids):
        raise ValueError("one of the parts is empty")
    return ids[:n], ids[n:]
holdout_rounds_to_nearest: rounds the cut to the nearest whole number instead of cutting off with int
    n = round(train_fraction * len(ids))
    return ids[:n], ids[n:]
holdout_negative_slice: cuts at minus the length of the rest, so an empty rest (-0) turns the two parts around
    rest = len(ids) - int(train_fraction * len(ids))
    return ids[:-rest], ids[-rest:]
holdout_shuffles: shuffles the ids before the cut
    n = int(train_fraction * len(ids))
    order = torch.randperm(len(ids), generator=torch.Generator().manual_seed(1337))
    return ids[order[:n]], ids[order[n:]]
holdout_overlaps_by_one: takes one id too many into the first part, so it is in both
    tuple(torch.split(ids, [n, len(ids) - n])) -> ids[: n + 1], ids[n:]
holdout_whole_percents: cuts the fraction down to whole percents first
    n = len(ids) * int(train_fraction * 100) // 100
    return ids[:n], ids[n:]
holdout_plain_lists: returns Python lists instead of tensors
    return tuple(torch.split(ids, [n, len(ids) - n])) -> return ids[:n].tolist(), ids[n:].tolist()
""")


@right("02.examples")
def pairs_comprehension(x, y):
    return [
        (row[: t + 1], target)
        for row, targets in zip(x.tolist(), y.tolist())
        for t, target in enumerate(targets)
    ]


@right("02.examples")
def pairs_divmod(x, y):
    B, T = x.shape
    out = []
    for i in range(B * T):
        b, t = divmod(i, T)
        out.append(([int(v) for v in x[b][: t + 1]], int(y[b][t])))
    return out


slips(pairs_comprehension)("""
pairs_position_first: runs through the positions outside and the sequences inside
    out = []
    for t in range(x.shape[1]):
        for b in range(x.shape[0]):
            out.append((x[b, : t + 1].tolist(), y[b, t].item()))
    return out
pairs_as_dict_items: keys a dict by the context, so a context that comes twice is kept once
    found = {}
    for row, out in zip(x.tolist(), y.tolist()):
        for t in range(len(row)):
            found[tuple(row[: t + 1])] = out[t]
    return [(list(c), t) for c, t in found.items()]
pairs_without_repeats: leaves out an example that was already listed
    out = []
    for row, nxt in zip(x.tolist(), y.tolist()):
        for t in range(len(row)):
            pair = (row[: t + 1], nxt[t])
            if pair not in out:
                out.append(pair)
    return out
pairs_context_runs_on: flattens the batch, so a context runs on from one sequence into the next
    xs, ys = x.flatten().tolist(), y.flatten().tolist()
    return [(xs[: i + 1], ys[i]) for i in range(len(xs))]
pairs_first_axis_sliced_too: slices all sequences for each context, so it is right for a batch of one only
    B, T = x.shape
    return [(x[:, : t + 1].flatten().tolist(), y[b, t].item()) for b in range(B) for t in range(T)]
pairs_only_first_sequence: lists the examples of sequence 0 only
    xs, ys = x[0].tolist(), y[0].tolist()
    return [(xs[: t + 1], ys[t]) for t in range(len(xs))]
pairs_sorted: sorts the examples by their ids instead of keeping the order of the sequences
    B, T = x.shape
    return sorted((x[b, : t + 1].tolist(), y[b, t].item()) for b in range(B) for t in range(T))
""")


@right("02.cut")
def cut_range(ids, start, block_size):
    if start not in range(len(ids) - block_size):
        raise ValueError(f"start {start}")
    window = ids[start:][: block_size + 1]
    return window[:-1], window[1:]


@right("02.cut")
def cut_in_bounds(ids, start, block_size):
    if not 0 <= start < len(ids) - block_size:
        raise ValueError("no such block")
    return ids[start : start + block_size], ids[start + 1 : start + block_size + 1]


slips(cut_in_bounds)("""
cut_measures_the_targets: looks only at the lengths, which are full for many negative starts
    x, y = ids[start : start + block_size], ids[start + 1 : start + block_size + 1]
    if len(x) != block_size or len(y) != block_size:
        raise ValueError("short block")
    return x, y
cut_compares_the_lengths: compares the two lengths with each other, which are both 0 beyond the end
    if start < 0:
        raise ValueError("negative")
    x, y = ids[start : start + block_size], ids[start + 1 : start + block_size + 1]
    if len(x) != len(y):
        raise ValueError("a target is missing")
    return x, y
cut_python_negative_start: takes a negative start for a place counted from the end
    if start < 0:
        start += len(ids)
    if start < 0 or start + block_size + 1 > len(ids):
        raise ValueError("no such block")
    return ids[start : start + block_size], ids[start + 1 : start + block_size + 1]
cut_without_looking: checks nothing, so short and empty blocks come back in silence
    return ids[start : start + block_size], ids[start + 1 : start + 1 + block_size]
cut_upper_end_only: doesn't refuse a negative start, which Python counts from the end
    not 0 <= start < len(ids) - block_size -> start + block_size + 1 > len(ids)
cut_index_error: raises an IndexError where a ValueError is asked for
    ValueError("no such block") -> IndexError(f"start {start} out of range")
cut_asserts: asserts, which raises an AssertionError and no ValueError
    assert 0 <= start < len(ids) - block_size, "no such block"
    return ids[start : start + block_size], ids[start + 1 : start + block_size + 1]
""")


@right("02.strided_blocks")
def blocks_unfold(ids, block_size, stride):
    windows = ids.unfold(0, block_size + 1, stride)
    return windows[:, :-1], windows[:, 1:]


@right("02.strided_blocks")
def blocks_stacked(ids, block_size, stride):
    starts = range(0, len(ids) - block_size, stride)
    x = torch.stack([ids[s : s + block_size] for s in starts])
    y = torch.stack([ids[s + 1 : s + block_size + 1] for s in starts])
    return x, y


slips(blocks_stacked)("""
blocks_one_too_many: goes one start too far, so the targets of the last block may be short and can't be stacked
    - block_size, stride -> - block_size + 1, stride
blocks_by_view: folds the row into lines of block_size and takes every (stride // block_size)-th of them
    n = (len(ids) - 1) // block_size
    step = max(1, stride // block_size)
    x = ids[: n * block_size].view(n, block_size)[::step]
    y = ids[1 : n * block_size + 1].view(n, block_size)[::step]
    return x, y
blocks_counted_by_stride: counts the blocks as (len - 1) // stride, right for stride = block_size only
    n = (len(ids) - 1) // stride
    x = torch.stack([ids[i * stride : i * stride + block_size] for i in range(n)])
    y = torch.stack([ids[i * stride + 1 : i * stride + block_size + 1] for i in range(n)])
    return x, y
blocks_counted_by_size: counts the blocks as (len - 1) // block_size but moves on by stride, never past the end
    range(0, len(ids) - block_size, stride) -> [i * stride for i in range((len(ids) - 1) // block_size) if i * stride + block_size < len(ids)]
blocks_with_a_last_one: adds a block at the very end so that no id is lost
    last = len(ids) - block_size - 1
    starts = list(range(0, last + 1, stride))
    if starts[-1] != last:
        starts.append(last)
    return cut_blocks(ids, torch.tensor(starts), block_size)
blocks_padded: pads the text with zeros so that every start gets a block
    starts = range(0, len(ids) - 1, stride)
    padded = torch.cat([ids, ids.new_zeros(block_size + 1)])
    x = torch.stack([padded[s : s + block_size] for s in starts])
    y = torch.stack([padded[s + 1 : s + block_size + 1] for s in starts])
    return x, y
blocks_unfold_all: unfolds the inputs from all ids, so there may be one input block without targets
    return ids.unfold(0, block_size, stride), ids[1:].unfold(0, block_size, stride)
""")


@right("02.printed")
def printed_by_running_it():
    generator = torch.Generator().manual_seed(1337)
    x = train_ids[:8]
    xb, yb = get_batch(train_ids, 4, 8, generator)
    clean = tuple(x.shape)
    x, y = get_batch(train_ids, 4, 8, generator)
    xb, yb = get_batch(train_ids, 4, 8, generator)
    return clean, tuple(x.shape), x is xb


@right("02.printed")
def printed_with_names():
    after_restart = tuple([8])
    after_deleted_cell = tuple([4, 8])
    same = not True
    return after_restart, after_deleted_cell, same


slips(printed_by_running_it)("""
printed_x_taken_for_xb: takes x for the batch xb that the line above has drawn, in both cases
    return (4, 8), (4, 8), True
printed_same_batch: believes that the deleted cell's x is the batch that cell 2 has drawn
    return (8,), (4, 8), True
printed_cases_swapped: gives the two cases in the wrong order
    return (4, 8), (8,), False
printed_positions_first: writes positions before sequences
    return (8,), (8, 4), False
printed_block_as_batch_of_one: takes a slice of eight ids for a batch of one
    return (1, 8), (4, 8), False
printed_flat_batch: believes that the batch is flat, 32 ids
    return (8,), (32,), False
printed_nine_ids: counts nine ids in a slice of eight, as a block with its targets needs
    return (9,), (4, 8), False
""")


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


@right("02.is_right")
def trial_all_windows(get_batch):
    ids = torch.randperm(60, generator=generator(5))[:14] * 3  # all different, in no order
    row = ids.tolist()
    wanted = {(tuple(row[s : s + 4]), tuple(row[s + 1 : s + 5])) for s in range(10)}
    try:
        x, y = get_batch(ids, 4000, 4, generator(1))
        blocks = [(tuple(a), tuple(b)) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    except Exception:
        return False
    neighbours = set(zip(blocks[::2], blocks[1::2]))  # any block may stand by any other
    return len(blocks) == 4000 and set(blocks) == wanted and len(neighbours) == 10 * 10


@right("02.is_right")
def over_several_batches(get_batch):
    ids, starts = torch.arange(11), set()
    for seed in range(50):
        x, y = get_batch(ids, 20, 3, torch.Generator().manual_seed(seed))
        if x.shape != (20, 3) or not torch.equal(y, x + 1) or len(x.unique(dim=0)) == 1:
            return False
        starts |= set(x[:, 0].tolist())
    return starts == set(range(8))


@right("02.is_right")
def trial_counts_starts(get_batch):
    try:
        x, y = get_batch(torch.arange(9), 3000, 2, generator(3))
    except (RuntimeError, ValueError, IndexError):
        return False
    if tuple(x.shape) != (3000, 2) or tuple(y.shape) != (3000, 2):
        return False
    for a, b in zip(x.tolist(), y.tolist()):
        if not (a[1] == a[0] + 1 == b[0] and b[1] == b[0] + 1):
            return False
    pairs = torch.zeros(7, 7, dtype=torch.long)
    pairs[x[::2, 0], x[1::2, 0]] = 1
    return bool(pairs.all())


slips(trial_all_windows)("""
trial_one_at_a_time: draws batches of one, so it can't see that all blocks of a batch are the same
    g, starts = generator(), set()
    for _ in range(1000):
        x, y = get_batch(torch.arange(11), 1, 3, g)
        if not torch.equal(y, x + 1):
            return False
        starts.add(x[0, 0].item())
    return starts == set(range(8))
trial_many_small_batches: gathers the starts of many batches, so one start for a whole batch isn't seen
    g, starts, ids = generator(1337), set(), torch.arange(20)
    for _ in range(500):
        x, y = get_batch(ids, 4, 8, g)
        if x.shape != (4, 8) or not torch.equal(y, x + 1):
            return False
        starts |= set(x[:, 0].tolist())
    return starts == set(range(12))
trial_first_batch_row: looks at the first block of each batch only
    g = generator(2)
    starts = set()
    for _ in range(300):
        x, y = get_batch(torch.arange(11), 5, 3, g)
        if y[0].tolist() != [i + 1 for i in x[0].tolist()]:
            return False
        starts.add(int(x[0, 0]))
    return starts == set(range(8))
trial_targets_only: tests only that targets follow, not which starts come up
    x, y = get_batch(torch.arange(11), 1000, 3, generator())
    return torch.equal(y, x + 1)
trial_last_id_only: tests that the last id is reached, but not the first, so a missing start 0 isn't seen
    x, y = get_batch(torch.arange(11), 1000, 3, generator())
    return torch.equal(y, x + 1) and y.max().item() == 10
trial_starts_are_allowed: tests that no start is too late but not that all of them come up
    x, y = get_batch(torch.arange(11), 1000, 3, generator())
    return bool((y == x + 1).all()) and set(x[:, 0].tolist()) <= set(range(8))
trial_targets_larger: tests only that targets are larger and that 0 and 10 occur, so a shift by two passes
    x, y = get_batch(torch.arange(11), 1000, 3, generator())
    return bool((y > x).all()) and x.min().item() == 0 and y.max().item() == 10
trial_sum_of_the_steps: compares the sum of all steps, in which two errors cancel
    x, y = get_batch(torch.arange(11), 1000, 3, generator())
    return bool((y - x).sum() == x.numel()) and set(x[:, 0].tolist()) == set(range(8))
""")
