"""Cut x, (B, T, C), into heads of neighbouring channels: (B, H, T, D) with D = C / H."""

import torch

from chapters.laws import close
from course.learn.record import Exercise

GIVEN = [(torch.arange(8.0).view(1, 2, 4), 2), (torch.arange(18.0).view(1, 3, 6), 3)]

def drawn(d):
    B, T, H, D = d.sizes(4)
    if d.n % 3 == 2:  # queries, keys or values, as `chunk` cuts them off: no row of memory
        return d.tensor(B, T, 3 * H * D).chunk(3, dim=-1)[d.n % 2], H
    return d.tensor(B, T, H * D, scales=(1, 100)), H

E = Exercise(__name__, GIVEN, drawn)

@E.answer
def split_heads(x, n_head):
    B, T, C = x.shape
    return x.view(B, T, n_head, C // n_head).transpose(1, 2)

VIEW = "view(B, T, n_head, C // n_head).transpose(1, 2)"
E.slip(VIEW, "reshape(B, n_head, T, C // n_head)", """your shape is right, but the positions are
    mixed: row 1 of head 0 holds numbers of position 0. A view never moves a number; it only cuts
    the memory in different places. First split the channels where they are, then move the axes.""")
E.slip(".transpose(1, 2)", "", """your cut is right, but the axes are (B, T, H, D). The heads have
    to come before the positions; otherwise the scores compare heads with heads.""")
E.slip("(1, 2)", "(2, 3)", """you swapped the last two axes. Write down the names of the four axes
    that you have, and of the four that you want.""")
E.slip(VIEW, "view(B, T, -1, n_head).movedim(3, 1)", """your head 0 takes every H-th channel. Here a
    head takes neighbouring channels: head 0 has the first D. Which axis has to be the last one when
    you cut, H or D?""")
E.slip("n_head, C // n_head", "-1, n_head", """you swapped H and D: you have D heads with H channels
    each. The channels of one head are neighbours, so D is the last axis.""")
E.slip(VIEW, "view(n_head, B, T, -1).transpose(0, 1)", """you cut the entire batch into heads, so
    your heads mix positions, and with several sequences they also mix sequences. The batch has to
    stay the first axis.""")
E.slip(f"x.{VIEW}", "x[:, None].expand(B, n_head, T, C)", """each of your heads has all C channels.
    The heads should share them, D = C / H for each.""")
E.slip("(1, 2)", "(1, 2).flatten(0, 1)", """your numbers are right, but batch and heads are one
    axis, (B H, T, D). Return four axes.""")
E.slip(f"x.{VIEW}", "torch.stack(x.chunk(n_head, dim=-1))", """your numbers are right, but the heads
    come before the batch, (H, B, T, D). Which axis should the heads be?""")

@E.law
def heads_are_the_channels_in_order(heads, x, n_head):
    """row t of head h has to be channels `h * D : (h + 1) * D` of position t, in each sequence"""
    return close(heads.transpose(1, 2).flatten(2), x)

E.hint("""There are two steps: one axis becomes two, then two axes are swapped. Which of these
    steps can move a number to a different position?""")
E.hint("`view(B, T, H, D)` only cuts the last axis, so no position is touched.")
E.hint("Return `x.view(B, T, n_head, C // n_head).transpose(1, 2)`.")
