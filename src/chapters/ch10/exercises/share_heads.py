"""Repeat the n_kv heads of kv, (B, n_kv, T, D), so that each of n_head query heads has its own."""

import torch

from course.learn.record import Exercise

SHAPES = ((1, 2, 1, 1), 6), ((1, 1, 2, 2), 3), ((1, 2, 3, 1), 2), ((2, 3, 2, 3), 6)
GIVEN = [(torch.arange(float(torch.Size(s).numel())).view(s), n_head) for s, n_head in SHAPES]

def drawn(d):
    B, n_kv, T, D, group = d.sizes(5)
    return d.tensor(B, n_kv, T, D, scales=(1, 100)), n_kv * group

E = Exercise(__name__, GIVEN, drawn)

@E.answer
def share_heads(kv, n_head):
    group = n_head // kv.shape[1]  # query heads that share one
    return kv.repeat_interleave(group, dim=1)

REPEAT = "kv.repeat_interleave(group, dim=1)"
E.slip(REPEAT, "kv.repeat(1, group, 1, 1)", """your heads alternate: 0, 1, 0, 1. Here neighbours
    share: 0, 0, 1, 1. `repeat` and `torch.cat` append all the heads again; so does an `expand`
    whose new axis comes before the heads.""")
E.slip(", dim=1", "", """you get all numbers in one long row: without `dim`, `repeat_interleave`
    flattens first. Which axis holds the heads?""")
E.slip("dim=1", "dim=2", """you repeat positions: axis 2 is T. In (B, n_kv, T, D) the heads are axis
    1.""")
E.slip("dim=1)", "dim=2).reshape(len(kv), n_head, *kv.shape[2:])", """your shape is right, but the
    positions are mixed: each is repeated several times in a row, so head 0 holds only the first
    ones. Repeat heads, axis 1, not positions.""")
E.slip("(group", "(n_head", """each of your heads appears n_head times, which makes n_kv times as
    many as asked for. How many query heads share one?""")
E.slip("(group", "(kv.shape[1]", """each of your heads appears n_kv times. But n_kv is the number of
    different heads; n_head / n_kv query heads share one.""")
E.slip(REPEAT, "kv[:, :1].repeat(1, n_head, 1, 1)", """all of your query heads use head 0, whatever
    n_kv is. Only the first group should.""")
E.slip(REPEAT, "kv[:, :, None].repeat(1, 1, group, 1, 1)", """your numbers are right, but there is
    one axis too many, (B, n_kv, group, T, D). Join the heads and their copies into one axis.""")

@E.law
def first_group_has_head_0_last_head_the_last(out, kv, n_head):
    """in each sequence, the first n_head / n_kv heads have to equal head 0 of kv, number by
    number, and the last head has to equal the last head of kv"""
    first = out[:, : n_head // kv.shape[1]]
    return bool((first == kv[:, :1]).all() and (out[:, -1] == kv[:, -1]).all())

E.hint("With n_head = 6 and n_kv = 2: which head of kv does each of the six query heads use?")
E.hint("They use 0, 0, 0, 1, 1, 1. `repeat` would give 0, 1, 0, 1, 0, 1. Use `repeat_interleave`.")
E.hint("Compute `group = n_head // kv.shape[1]`, and return `kv.repeat_interleave(group, dim=1)`.")
