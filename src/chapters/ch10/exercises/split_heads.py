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
E.slip(VIEW, "reshape(B, n_head, T, C // n_head)", """the shape is right, and the positions are
    mixed: row 1 of head 0 holds numbers of position 0. A view never moves a number, it only cuts
    the memory elsewhere. Split the channels first, where they are, and move the axes then.""")
E.slip(".transpose(1, 2)", "", """cut rightly, but the axes are (B, T, H, D). The heads have to
    stand before the positions, or the scores will compare heads with heads.""")
E.slip("(1, 2)", "(2, 3)", """you swapped the last two axes. Write down the names of the four axes
    that you have, and of the four that you want.""")
E.slip(VIEW, "view(B, T, -1, n_head).movedim(3, 1)", """your head 0 takes every H-th channel. Here
    a head is a run of neighbours: head 0 has the first D. Which axis has to be faster, H or D?""")
E.slip("n_head, C // n_head", "-1, n_head", """H and D have changed places: you have D heads with H
    channels each. The channels of one head are neighbours, so D is the last axis.""")
E.slip(VIEW, "view(n_head, B, T, -1).transpose(0, 1)", """with a batch of one this would look like
    the wrong view; with two sequences your heads also mix sequences. The batch has to stay in
    front, untouched.""")
E.slip(f"x.{VIEW}", "x[:, None].expand(B, n_head, T, C)", """each of your heads has all C channels.
    Heads share them out: D = C / H each.""")
E.slip("(1, 2)", "(1, 2).flatten(0, 1)", """right numbers, but batch and heads are one axis, (B H,
    T, D). Four axes are asked for.""")
E.slip(f"x.{VIEW}", "torch.stack(x.chunk(n_head, dim=-1))", """right numbers, but the heads stand
    in front of the batch, (H, B, T, D). Which axis should they be?""")

@E.law
def heads_are_the_channels_in_order(heads, x, n_head):
    """row t of head h has to be channels `h * D : (h + 1) * D` of position t, in each sequence"""
    return close(heads.transpose(1, 2).flatten(2), x)

E.hint("""Two steps: one axis becomes two, then two axes change places. Which step may move a
    number to another position?""")
E.hint("`view(B, T, H, D)` only cuts the last axis, so no position is touched.")
E.hint("`x.view(B, T, n_head, C // n_head).transpose(1, 2)`.")
