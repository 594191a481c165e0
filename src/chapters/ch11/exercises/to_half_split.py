"""Reorder the rows of an interleaved W_q or W_k, head by head, for half-split code."""

import torch

from chapters.laws import close
from course.learn.draws import quarters
from course.learn.record import Exercise

GIVEN = [(torch.arange(4.0)[:, None], 1), (torch.arange(6.0)[:, None], 1),
         (torch.arange(12.0)[:, None], 2), (quarters(16, 3), 2)]
def drawn(d):
    H = d.size()
    return d.tensor(H * 2 * d.size(2), d.size()), H

E = Exercise(__name__, GIVEN, drawn)

@E.answer
def to_half_split(weight, n_head):
    pairs = weight.view(n_head, -1, 2, weight.shape[1])  # head, pair, which of the two, column
    return pairs.transpose(1, 2).reshape(weight.shape)

E.slip("view(n_head, -1, 2, weight.shape[1])", "view(n_head, 2, -1, weight.shape[1])", """your function goes
    the opposite way: it makes half-split weights interleaved. Channels 0, 2, 4 ... have to come first.""")
E.mistake(lambda w, n_head: torch.cat([w[0::2], w[1::2]]), """your answer is right for a single
    head. With several heads, the even rows of *all* heads come first, so the heads are mixed. Cut
    the rows into heads first.""")
E.mistake(lambda w, n_head: torch.cat([w[1::2], w[0::2]]), """you take the rows of all heads at once, and the
    odd ones first. Within each head, the even ones have to come first.""")
E.slip("pairs.transpose(1, 2)", "pairs.flip(2).transpose(1, 2)", """your odd channels come first. A pair's
    first channel, an even one, belongs to the first half.""")
E.slip("pairs.transpose(1, 2)", "pairs", "you return the rows in their old order.")
E.mistake(lambda w, n_head: torch.cat([w[:, 0::2], w[:, 1::2]], 1), """you moved columns. A column belongs to
    a channel of x, but the channels of the queries are the rows.""")
E.slip("view(n_head, -1, 2", "view(-1, n_head, 2", """you cut the rows in the wrong order. Head 0 has the
    first D rows, so the heads are the first axis.""")
E.slip("(weight.shape)", "(n_head, -1, weight.shape[1])", """your rows are right, but there is one axis too
    many. Return (H D, C).""")
E.slip("transpose(1, 2)", "transpose(0, 2)", """you swapped the heads with the two channels of a pair. The
    heads should stay first.""")

@E.law
def heads_keep_their_first_row(out, weight, n_head):
    """the first row of each head has to stay where it is"""
    D = len(weight) // n_head
    return close(out[::D], weight[::D])

E.hint("Take one head of six rows. In which order do rows 0 to 5 have to be?")
E.hint("""The order is 0, 2, 4, 1, 3, 5, and the same in each head. Cut the rows into heads, pairs, and the
    two rows of a pair.""")
E.hint("Use `weight.view(n_head, -1, 2, C)`, swap the two axes in the middle, and go back to the old shape.")
