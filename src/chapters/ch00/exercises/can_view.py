"""Say from sizes and strides whether a tensor may be viewed in a new shape, as a Python bool."""

import math

import torch

from course.learn.record import Exercise


def drawn(d):
    """Neighbours that join, skip, repeat or overlap, in any order; every other view works."""
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
E.slip(LAST, "True", """yours is True for every tensor. The product of the sizes always fits; what
    decides is where the numbers lie.""")
E.slip(LAST, "[*strides] == [math.prod(shape[n + 1 :]) for n in range(len(shape))]", """you allow
    tensors whose numbers lie in one row without a gap, and no others. But a transpose keeps the
    axes that it leaves alone, and any axis can be cut in two.""")
E.slip(LAST, "list(strides) == sorted(strides, reverse=True)", """you ask whether the strides fall.
    In a slice they do, and it has gaps; where no axes are joined they needn't.""")
E.slip("runs[-1][1] == size * stride", "stride and runs[-1][1] % stride == 0", """you join two axes
    if the first stride is a multiple of the second. Which multiple has it to be?""")
E.slip("runs and", "0 and", "you cut axes and never join any. When may two neighbours become one?")
E.slip("    return", """    old = {math.prod(shape[:n]) for n in range(len(shape) + 1)}
    return ends <= old and""", "you join axes and never cut any. Any axis may be cut in two.")
E.slip("elif size > 1:", "else:", """an axis of size 1 is in your way. Nobody ever takes a step
    along it: the axes on both sides of it are neighbours.""")
E.slip("size * stride", "runs[-1][0] * stride", """two axes join if a step along the first is as
    long as a whole walk along the second. Whose size tells how long that walk is?""")

@E.law
def contiguous_is_allowed(answer, shape, strides, new_shape):
    """the numbers follow each other in memory without a gap, so every shape is allowed"""
    return answer or strides != torch.empty(shape).stride()

@E.law
def one_axis_has_one_step(answer, shape, strides, new_shape):
    """one axis has one stride, and the numbers here aren't at equal steps: it has to be False"""
    steps = torch.arange(99_999).as_strided(shape, strides).flatten().diff().unique()
    return not answer or len(new_shape) > 1 or len(steps) < 2

E.hint("""A new axis may hold two old neighbours if one stride can do for both. How long has a step
    along the first to be, compared with a whole walk along the second?""")
E.hint("""First join all that can be joined: stride equals next size times next stride. What is
    left can be cut anywhere, but no new axis may reach over an end.""")
E.hint("""In z above, sizes (2, 5, 3), nothing can be joined: its axes end after 2 and 10, and both
    have to be among the products `math.prod(new_shape[:n])`. For (2, 15) these are 1, 2, 30.""")
