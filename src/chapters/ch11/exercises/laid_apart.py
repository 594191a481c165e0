"""Spread the n rows of a learned table over T positions, with linear mixes between them."""

import torch
import torch.nn.functional as F

from chapters.laws import close
from course.learn.record import Exercise

GIVEN = [(torch.tensor([[0.0], [1.0]]), 3), (torch.tensor([[0.0], [4.0], [2.0]]), 5),
         (torch.tensor([[0.0, 3.0], [6.0, 0.0]]), 4)]
def drawn(d):
    n = d.size(2)
    return d.tensor(n, d.size()), n + d.randint(1, 2 * n)

E = Exercise(__name__, GIVEN, drawn)

@E.answer
def laid_apart(table, T):
    n = len(table)
    rows = torch.arange(T) * (n - 1) / (T - 1)  # from 0 to n - 1
    before = rows.floor().long().clamp(max=n - 2)
    share = (rows - before)[:, None]
    return (1 - share) * table[before] + share * table[before + 1]

E.mistake(lambda table, T: table[torch.arange(T).clamp(max=len(table) - 1)], """you repeat the last row for
    all new positions (clipping). Here all rows move apart, so the last one becomes row T - 1.""")
E.mistake(lambda table, T: table[torch.arange(T) % len(table)], """you begin again with row 0 when
    the table ends. Then positions that are far apart have the same row. Spread the rows out
    instead.""")
E.slip("(n - 1) / (T - 1)", "n / T", """your positions advance by n / T, so they reach the last row too early.
    T - 1 steps have to cover n - 1 steps of the table.""")
E.slip("(T - 1)", "T", """your last position doesn't reach the last row, because from 0 to T - 1 there are T -
    1 steps.""")
E.slip("share = (rows - before)[:, None]", "share = (rows - before)[:, None].round()", """you take the
    nearer of the two rows. Mix them, with shares that change evenly.""")
E.slip("share = (rows - before)[:, None]", "share = (rows >= n - 1)[:, None].float()", """you take the row
    just before each position. If a position lies between two rows, mix both.""")
E.slip("(1 - share) * table[before] + share", "share * table[before] + (1 - share)", """you swapped
    the two shares: if a position is close to the row before it, it has to take most from that
    row.""")
E.slip("(1 - share) * table[before] + share * table[before + 1]", "(table[before] + table[before + 1]) / 2",
       "you take the mean of two rows everywhere. The shares depend on where the position lies between them.")
E.mistake(lambda table, T: F.interpolate(table.T[None], T, mode="linear")[0].T, """your ends are flat, because
    PyTorch's `interpolate` puts positions in the middle of cells. With `align_corners=True` the first and the
    last row stay the ends.""")
E.mistake(lambda table, T: F.interpolate(table[None], T, mode="linear", align_corners=True)[0]
    if table.shape[1] < T else F.interpolate(table[None], T, mode="linear", align_corners=True)[0],
    "you stretched the channels instead of the positions: the rows are axis 0.")
E.mistake(lambda table, T: torch.cat([table, torch.zeros(T - len(table), table.shape[1])]), """your new
    positions have rows of zeros, so they are all alike. Spread the rows out instead.""")

@E.law
def ends_stay_ends(out, table, T):
    """the first row has to be the table's first, and the last row the table's last"""
    return close(out[0], table[0]) and close(out[-1], table[-1])

E.hint("Position T - 1 has to be given row n - 1. Where in the table is position t?")
E.hint("It is at t (n - 1) / (T - 1), which is rarely an integer. Which two rows are its neighbours?")
E.hint("""`floor` gives the row before it (at most n - 2). The remainder is the share of the row after it, and
    the row before has the rest.""")
