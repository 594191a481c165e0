"""Return inputs and targets, both (N, block_size), of the blocks at 0, stride, 2 * stride, ..."""

import torch

from chapters.ch02.exercises.cut import targets_follow_inputs
from course.learn.record import Exercise


def drawn(d):
    block_size, stride = d.size(), d.size()
    left_over = d.choice((0, stride - 1, d.randrange(stride)))
    length = d.randint(0, d.most) * stride + block_size + 1 + left_over
    return d.whole(0, d.choice((3, 50_000)), length), block_size, stride

ROW = torch.tensor([5, 2, 9, 4, 7, 1, 8])
CASES = [(ROW[:5], 2, 2), (ROW[:6], 2, 3), (ROW, 3, 2), (ROW[:4], 3, 1), (ROW, 1, 4)]
E = Exercise(__name__, CASES, drawn)

@E.answer
def strided_blocks(ids, block_size, stride):
    last = len(ids) - block_size - 1  # the last start whose targets fit
    starts = range(0, last + 1, stride)
    x = torch.stack([ids[start : start + block_size] for start in starts])
    y = torch.stack([ids[start + 1 : start + block_size + 1] for start in starts])
    return x, y

for end in ("last + 2", "len(ids)"):
    E.slip("last + 1", end, """`torch.stack` needs rows of equal length, but your last rows are
        short, because a slice past the end raises no error. What is the last start that fits?""")
E.mistake(lambda ids, *sizes: (ids.unfold(0, *sizes), ids[1:].unfold(0, *sizes)), """on some texts
    you have one row of inputs too many. No input can be the last id, because it has no target.""")
E.slip("    x = ", "    starts = sorted({*starts, last})\n    x = ", """if some ids are left
    over, you add a block whose start isn't a multiple of the stride.""")
E.slip("last + 1", "last", """you leave out the last block that fits. Its last target is the last
    id. `range` stops before its end.""")
E.slip("1, stride", "1, block_size", """your blocks lie end to end. The stride is the distance from
    one start to the next, so blocks can overlap or leave gaps.""")
E.slip("1, stride", "1", "your blocks begin at every id, as if the stride were 1.")
E.slip("start + 1 : start + block_size + 1", "start : start + block_size", """you return the
    inputs as targets. The target of a position is the id that follows it.""")

@E.law
def rows_begin_at_multiples(both, ids, block_size, stride):
    """row n of the inputs has to begin with the id at index n * stride"""
    return torch.equal(both[0][:, 0], ids[: len(both[0]) * stride : stride])

E.law(targets_follow_inputs)
E.hint("With 7 ids, blocks of 2 and stride 3, which blocks fit together with their targets?")
E.hint("""A block needs block_size + 1 ids, so the last start that fits is `len(ids) - block_size -
    1`. Which multiples of the stride are at most that?""")
E.hint("""Let `starts = range(0, len(ids) - block_size, stride)`. Then use `torch.stack` on the
    slices of inputs, and on the slices of targets, which begin one id later.""")
