"""The (length, length) corner of a (block, block) mask; a ValueError if it is too small."""

import torch

from course.learn.record import Exercise

TRIL = torch.ones(7, 7).tril().bool()
E = Exercise(__name__, trained=False,
    inputs=[(TRIL[:2, :2], 1), (TRIL[:3, :3], 3), (TRIL, 5), (TRIL[:6, :6], 7)],
    draw=lambda d: (d.choice([mask := d.mask(n := d.size(2), n), torch.where(mask, 0, -1e9)]),
                    d.randint(1, n + 2)))

@E.answer
def mask_for(mask, length):
    if length > mask.shape[0]:
        raise ValueError(f"expected at most {mask.shape[0]} positions, got {length}")
    return mask[:length, :length]

E.slip("length > mask.shape[0]", "False", """you return the mask for six positions when seven are
    asked for: a slice that goes beyond the end is cut short without an error. Raise a
    ValueError.""")
E.slip("ValueError", "AssertionError", """you reject a sequence that is too long, but with
    `assert`, which `python -O` switches off. Raise a ValueError that says what was expected.""")
E.mistake(lambda mask, n: torch.ones(n, n).tril().bool(), """you made a new mask. Then no sequence
    is ever too long, and the given mask, which can be of any kind, is ignored. Return a part of
    the given mask.""")
E.slip(", :length]", "]", """you cut only the rows. A mask for five positions has five rows and
    five columns. Cut both in one pair of brackets, because a second pair would cut the rows
    again.""")
E.slip("h >", "h >=", """a sequence of exactly the block's length is allowed, but your function
    refuses it.""")
E.slip("[:length, :length]", "", "you return the full mask even for a shorter sequence. Cut it.")
E.slip(", :length", ", -length:", "you take the last columns. Take the upper left corner.")

E.hint("First decide whether the sequence is too long, then cut.")
E.hint("`mask[:length]` cuts rows. How do you cut rows and columns at once?")
E.hint("""Write `if length > mask.shape[0]: raise ValueError(...)`, then return `mask[:length,
    :length]`.""")
