"""Decide from sizes and strides whether a tensor can be viewed in a new shape, as a Python bool."""

import math

import torch

from course.learn.record import Exercise


def drawn(d):
    """Axes that join, skip, repeat or overlap, in any order; every second view works."""
    while True:
        axes, walk = [], 1
        for size in d.choices((1, 2, 2, 3, 4, 6), k=d.randint(2, 5)):
            axes.append((size, d.choice((walk, walk, walk, 2 * walk, walk + 1, 0, 1))))
            walk = size * axes[-1][1] if size > 1 else walk
        shape, strides = zip(*d.choice((axes[::-1], d.shuffled(axes))), strict=True)
        new = [*shape] if d.random() < 0.7 else [math.prod(shape)]
        for _ in range(d.randint(1, 4)):  # join two, cut one, or both
            n, k = d.randrange(len(new)), d.randint(1, 2)
            whole = math.prod(new[n : n + k])
            factor = d.choice([f for f in range(1, whole + 1) if whole % f == 0])
            new[n : n + k] = d.choice(([whole], [factor, whole // factor]))
        if math.prod(new) <= 300 and can_view(shape, strides, new) == bool(d.n % 2):
            return shape, strides, tuple(new)

INPUTS = [((2, 3), (3, 1), (6,)), ((3, 2), (1, 3), (6,)), ((3, 2), (1, 3), (3, 2))]
INPUTS += [((2, 3), (4, 1), (6,)), ((6,), (2,), (2, 3)), ((2, 1, 3), (3, 6, 1), (6,))]
INPUTS += [((2, 3), (0, 0), (6,)), ((4, 3), (3, 1), (2, 6)), ((2, 5, 3), (15, 3, 1), (2, 15))]
INPUTS += [((2, 5, 3), (15, 1, 5), (2, 15)), ((2, 3, 2, 2), (9, 4, 2, 0), (2, 6, 2)), ((), (), (1,)), ((1, 1), (5, 7), ())]
# Transposed: the last number is where it would be in a view, and no place is left out.
INPUTS += [((2, 2, 2), (2, 4, 1), (8,)), ((2, 3, 2), (2, 4, 1), (12,))]
E = Exercise(__name__, INPUTS, draw=drawn, n_drawn=60, without=("torch",))

@E.answer
def can_view(shape, strides, new_shape):
    runs = []  # axes that lie in memory like one: [size, stride]
    for size, stride in zip(shape, strides, strict=True):
        if runs and runs[-1][1] == size * stride:
            runs[-1] = [runs[-1][0] * size, stride]
        elif size > 1:
            runs.append([size, stride])
    sizes = [size for size, _ in runs]
    ends = {math.prod(new_shape[:n]) for n in range(len(new_shape) + 1)}
    return all(math.prod(sizes[:n]) in ends for n in range(len(sizes)))

LAST = "all(math.prod(sizes[:n]) in ends for n in range(len(sizes)))"
E.slip(LAST, "True", """your function returns True for every tensor. The product of the sizes always fits,
    so it can't decide. Where do the numbers lie in memory?""")
E.slip(LAST, "[*strides] == [math.prod(shape[n + 1 :]) for n in range(len(shape))]", """you allow
    only tensors whose numbers lie in memory in reading order without a gap. But other tensors can
    be viewed as well: two axes stay if you don't join them, and any axis can be cut in two.""")
E.slip(LAST, "list(strides) == sorted(strides, reverse=True)", """you ask whether the strides
    decrease. They do in a slice, although it has gaps, and where no axes are joined they needn't.""")
E.slip("runs[-1][1] == size * stride", "stride and runs[-1][1] % stride == 0", """you join two axes
    if the first stride is a multiple of the second. Which multiple must it be?""")
E.slip("runs and", "0 and", "you cut axes but never join any. When can two neighbouring axes become one?")
E.slip("    return", """    old = {math.prod(shape[:n]) for n in range(len(shape) + 1)}
    return ends <= old and""", "you join axes but never cut any. Any axis can be cut in two.")
E.slip("elif size > 1:", "else:", """an axis of size 1 keeps you from joining others. No step is
    ever taken along it, so its stride doesn't matter, and the axes on both sides are neighbours.""")
E.slip("size * stride", "runs[-1][0] * stride", """two axes join if a step along the first is as
    long as a walk along all of the second. Which axis's size gives the length of that walk?""")

@E.law
def contiguous_is_allowed(answer, shape, strides, new_shape):
    """the numbers lie in memory in reading order without a gap, so every new shape is allowed"""
    return answer or strides != torch.empty(shape).stride()

@E.law
def one_axis_has_one_step(answer, shape, strides, new_shape):
    """one axis has one stride, but these numbers aren't equally far apart, so it has to be False"""
    steps = torch.arange(99_999).as_strided(shape, strides).flatten().diff().unique()
    return not answer or len(new_shape) > 1 or len(steps) < 2

E.hint("""A new axis can hold two old neighbours if one stride is enough for both. How long must a
    step along the first axis be, compared with a walk along all of the second?""")
E.hint("""First join all neighbouring axes that you can: the first one's stride must equal the
    second one's size times its stride. Each joined axis can be cut anywhere, but no new axis can
    reach across its end.""")
E.hint("""In z above, with sizes (2, 5, 3), no axes can be joined. Its first two axes end after 2
    and 10, so 2 and 10 must be among the products `math.prod(new_shape[:n])`. For (2, 15) these
    products are 1, 2 and 30.""")
