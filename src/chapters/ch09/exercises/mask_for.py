"""The (length, length) corner of a (block, block) mask; a ValueError if it is too small."""

import torch

from course.learn.record import Exercise

TRIL = torch.ones(7, 7).tril().bool()
E = Exercise(
    __name__, trained=False,
    inputs=[(TRIL[:2, :2], 1), (TRIL[:3, :3], 3), (TRIL, 5), (TRIL[:6, :6], 7)],
    draw=lambda d: (d.choice([mask := d.mask(n := d.size(2), n), torch.where(mask, 0, -1e9)]),
                    d.randint(1, n + 2)),
)


@E.answer
def mask_for(mask, length):
    if length > mask.shape[0]:
        raise ValueError(f"expected at most {mask.shape[0]} positions, got {length}")
    return mask[:length, :length]


E.slip("length > mask.shape[0]", "False", """seven positions get the mask for six: a slice beyond
    the end is simply shorter, without a word. Raise a ValueError.""")
E.slip("ValueError", "AssertionError", """you refuse too long a sequence, but by `assert`, which
    `python -O` switches off. Raise a ValueError that says what was expected.""")
E.mistake(lambda mask, n: torch.ones(n, n).tril().bool(), """you made a new mask. Then nothing is
    ever too long, and a mask of another kind is ignored: take a part of the one given.""")
E.slip(", :length]", "]", """you cut the rows only. A mask for five positions has five rows and
    five columns, cut in one pair of brackets: a second pair would cut the rows once more.""")
E.slip("h >", "h >=", "a sequence of exactly the block's length is allowed, and yours refuses it.")
E.slip("[:length, :length]", "", "you return the whole mask even for a shorter sequence: cut it.")
E.slip(", :length", ", -length:", "your columns are the last ones. Take the upper left corner.")

E.hint("First decide whether the sequence is too long, and then cut.")
E.hint("`mask[:length]` cuts rows. How do you cut rows and columns at once?")
E.hint("`if length > mask.shape[0]: raise ValueError(...)`, then `mask[:length, :length]`.")
