"""Return a mask (B, T, T), True where the key is not ahead and not padding."""

import torch

from course.learn.record import Exercise

E = Exercise(__name__, without=("attention",),
    inputs=[(torch.tensor([1]), 2), (torch.tensor([2, 3]), 3), (torch.tensor([2, 1]), 2)],
    draw=lambda d: (d.whole(1, (T := d.size()) + 1, d.choice([T, d.size()])), T))

@E.answer
def joint_mask(lengths, T):
    position = torch.arange(T)
    past = position[None, :] <= position[:, None]  # (T, T)
    real = position < lengths[:, None]  # (B, T)
    return past & real[:, None, :]  # (T, T) & (B, 1, T) -> (B, T, T)

E.slip("< l", "< T + l", """your mask is only the causal mask, so the rows of the padding still
    look at padding.""")
E.slip("<=", "< T +", """your mask hides the padding, but not the future. Combine the two
    conditions.""")
E.slip(", None, :]", ", :, None]", """you closed the rows of the padding, so they are nan after
    softmax. Close its columns, which are the keys. Its rows can stay open, because their outputs
    aren't used.""")
E.slip("< l", "<= l", """your mask allows one position too many: a sequence of length 2 has the
    positions 0 and 1.""")
E.slip("< l", "< -1 + l", """your mask allows one position too few: each sequence has lost its last
    word.""")
E.slip("& real", "& ~real", """you kept the padding and hid the words. True means that a query may
    look.""")
E.slip("past &", "past |", """you use `|`, which opens a cell even if only one condition holds.
    Both have to hold.""")
for new in ("past & real ", "real & past "):
    E.slip("past & real[:, None, :]", new, """you combine (T, T) with (B, T), so B is lined up with
        the rows. That raises an error or, if B is 1 or T, gives a wrong mask without an error.
        Give the padding an axis for the queries: (B, 1, T).""")
E.slip("< l", ">= T - l", "you hid the start of each sequence. Here the padding is on the right.")
E.mistake(lambda *x: ~joint_mask(*x), """your mask is inverted: here True means that a query may
    look.""")
E.slip("<=", ">=", """in your mask each position looks at its future. Rows look, and columns are
    looked at.""")
E.slip("<=", "<", """in your mask no position looks at itself, so row 0 is closed, and softmax makes
    it nan.""")

@E.law
def nobody_looks_ahead(mask, lengths, T):
    """no query may look ahead"""
    return not bool(mask.triu(1).any())

@E.law
def nobody_looks_at_padding(mask, lengths, T):
    """no query may look at padding"""
    return not any(bool(mask[b, :, n:].any()) for b, n in enumerate(lengths.tolist()))

@E.law
def every_row_is_open(mask, lengths, T):
    """every row has to be True for at least one key"""
    return bool(mask.any(dim=-1).all())

E.hint("There are two conditions on a key: it isn't after the query, and it is within the length.")
E.hint("""The first is a (T, T) matrix, the same for all sequences. The second is (B, T), the same
    for all queries. Which axis is missing in the second?""")
E.hint("""`torch.arange(T) < lengths[:, None]` is (B, T). Index it with `[:, None, :]`, and combine
    both conditions with `&`.""")
