"""Pack the heads' (D, C) weights into one (3 H D, C): all queries, all keys, all values."""

import torch

from chapters.laws import close
from course.learn.draws import quarters
from course.learn.record import Exercise


def made(seed, H, D, C):  # for q, k and v a list of H weights as nn.Linear stores them
    return tuple([quarters(D, C, seed=seed + 50 * n + h) for h in range(H)] for n in range(3))

GIVEN = [made(100, 1, 1, 2), made(200, 2, 1, 3), made(300, 3, 2, 5)]
E = Exercise(__name__, GIVEN, lambda d: made(d.getrandbits(30), *d.sizes(3)), n_drawn=16)

@E.answer
def pack(w_q, w_k, w_v):
    return torch.cat([*w_q, *w_k, *w_v])

ALL = "*w_q, *w_k, *w_v"
E.slip(ALL, "w for head in zip(w_q, w_k, w_v) for w in head", """you packed head by head: q, k, v of
    head 0, then of head 1. The first third, which `chunk(3)` takes for the queries, then also holds
    keys. (Some models do pack this way, and cut accordingly; here all queries come first.)""")
E.slip("*w_q, *w_k", "*w_k, *w_q", """you put the keys first. The shape doesn't show it, but
    `chunk(3)` takes the first third for the queries.""")
E.slip("*w_k, *w_v", "*w_v, *w_k", """you swapped keys and values, so the scores would be computed
    with the values.""")
E.slip(ALL, "*w_v, *w_k, *w_q", "your order is values, keys, queries: exactly backwards.")
E.slip("v])", "v], dim=1)", """you put the weights side by side. The rows of a Linear's weight are
    its outputs, and we want more outputs, so put each weight below the previous one.""")
AXIS = "your numbers are right, but there is one axis too many: a Linear's weight has two."
E.slip("v])", "v]).reshape(3, -1, w_q[0].shape[1])", AXIS)
E.slip("cat", "stack", AXIS)
E.slip("v])", "v]).T", """your numbers are right, but transposed, (C, 3 H D): the rows of a Linear's
    weight are its outputs.""")
E.slip(ALL, "torch.stack(w, 1).flatten(0, 1) for w in (w_q, w_k, w_v)", """in your matrix the rows
    of the heads alternate. `split_heads` expects the rows of head 0 together, then those of head
    1.""")
E.slip(ALL, "w_q[0], w_k[0], w_v[0]", """your matrix holds only head 0. The lists hold one weight
    for each head.""")

@E.law
def queries_begin_keys_are_the_second_third(w, w_q, w_k, w_v):
    """w_q[0] has to come first, and the second third of the rows has to be w_k, head after head"""
    keys = zip(w.chunk(3)[1].split(len(w_k[0])), w_k, strict=False)
    return close(w[: len(w_q[0])], w_q[0]) and all(close(rows, key) for rows, key in keys)

E.hint("One row of a Linear's weight makes one output. In which order do you want the outputs?")
E.hint("""`qkv.chunk(3, dim=-1)` gives all queries, all keys, all values; `split_heads` cuts each
    of them head after head.""")
E.hint("Use `torch.cat` on one flat list: the weights in w_q, then in w_k, then in w_v.")
