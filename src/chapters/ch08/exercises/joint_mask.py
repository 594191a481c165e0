"""Return a mask (B, T, T), True where the key is not ahead and not padding."""

import torch

from course.learn.record import Exercise

E = Exercise(
    __name__,
    inputs=[(torch.tensor([1]), 2), (torch.tensor([2, 3]), 3), (torch.tensor([2, 1]), 2)],
    draw=lambda d: (d.whole(1, (T := d.size()) + 1, d.choice([T, d.size()])), T),
    without=("attention",),
)


@E.answer
def joint_mask(lengths, T):
    position = torch.arange(T)
    past = position[None, :] <= position[:, None]  # (T, T)
    real = position < lengths[:, None]  # (B, T)
    return past & real[:, None, :]  # (T, T) & (B, 1, T) -> (B, T, T)


E.slip("< l", "< T + l", "this is the causal mask alone: the last rows still look at padding.")
E.slip("<=", "< T +", "padding is hidden, but the future is not. Join both conditions.")
E.slip(", None, :]", ", :, None]", """you closed the rows of the padding, which are nan after
    softmax then. A mask is over keys, the columns; the output of a padding row is not read.""")
E.slip("< l", "<= l", "one place too many: a sequence of length 2 has the positions 0 and 1.")
E.slip("< l", "< -1 + l", "one place too few: each sequence has lost its last word.")
E.slip("& real", "& ~real", "you kept the padding and hid the words. True means may look.")
E.slip("past &", "past |", "`|` opens a cell if one condition holds, but both have to.")
for new in ("past & real ", "real & past "):
    E.slip("past & real[:, None, :]", new, """(T, T) & (B, T) lines B up with the rows: an error,
        or, worse, none where B is 1 or T. Give the padding an axis for the queries: (B, 1, T).""")
E.slip("< l", ">= T - l", "you hid the start of each sequence. Here padding stands on the right.")
E.mistake(lambda *x: ~joint_mask(*x), "yours is True where not to look. Here True means may look.")
E.slip("<=", ">=", "each position looks at its future: rows look, columns are looked at.")
E.slip("<=", "<", "no position looks at itself, so row 0 is closed, and softmax makes it nan.")

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
    """every row has to be open somewhere"""
    return bool(mask.any(dim=-1).all())

E.hint("Two conditions on a key: it is not after the query, and it is within the length.")
E.hint("""The first is a (T, T) matrix, the same for all sequences. The second is (B, T), the same
    for all queries. Which axis is the second one missing?""")
E.hint("`torch.arange(T) < lengths[:, None]` is (B, T). Index it by `[:, None, :]`, join by `&`.")
