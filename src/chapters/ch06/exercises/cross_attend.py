"""Attend from the positions of x, which ask, to those of memory, which answer."""

import torch

from chapters.ch06.exercises.attend import between_the_values
from course.learn.draws import quarters
from course.learn.record import Exercise

SIZES = ((2, 3), (2, 3), (3, 2), (3, 2), (3, 2)), ((1, 2), (3, 1), (2, 2), (1, 2), (1, 3))
GIVEN = [tuple(quarters(*size, seed=n) for n, size in enumerate(sizes, 5)) for sizes in SIZES]

def drawn(d):
    Tq, Tk, C, M, D, Dv, B = d.sizes(7)
    D, M, batch = D if d.n % 3 else 1, M if d.n % 4 > 1 else C, (B,) * (d.n % 2)
    x, memory = (d.tensor(*batch, *size, scales=(1, 0.25)) for size in ((Tq, C), (Tk, M)))
    W_q, W_k = d.tensor(C, D), d.tensor(M, D)
    if D == 1:  # scores from 128 to 256, whose exp is inf; the root of 1 rounds none of them
        W_q = W_q.ldexp(8 - (x @ W_q @ (memory @ W_k).mT).abs().max().frexp().exponent)
    return x, memory, W_q, W_k, d.tensor(M, Dv)

E = Exercise(__name__, GIVEN, drawn, without=("attention",))

@E.answer
def cross_attend(x, memory, W_q, W_k, W_v):
    q = x @ W_q
    k, v = memory @ W_k, memory @ W_v
    scores = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ v

for first in ("", "x @ W_k, x @ W_v; "):
    E.slip("q = x", f"{first}x, memory = memory, x\n    q = x", """the roles are swapped: your
        queries come from the memory. Each position that asks has a row in the output, and here x
        asks.""")
E.slip("k, v =", "memory = x\n    k, v =", """you return the self-attention of x, without the
    memory. Where do keys and values come from?""")
E.slip("q = x", "q = memory", "you return the self-attention of the memory, but x has to ask.")
E.slip("memory @ W_v", "x @ W_v", """your keys come from the memory and your values from x. A
    weight belongs to the position whose key was looked at, so its value must come from the same
    position.""")
E.slip("memory @ W_k", "x @ W_k", """your values come from the memory and your keys from x. A
    position that is looked at shows its key and gives its value, so both come from the memory.""")
E.slip("k, v", "memory = torch.cat((x, memory), -2); k, v", """your positions look at themselves as
    well as at the memory. In cross-attention all keys and values come from the memory.""")
E.slip("dim=-1", "dim=-2", """your softmax runs over the queries, so each column sums to 1. The
    weights of each query, a row, have to sum to 1.""")
for turned in ("T", "transpose(0, 1)"):
    E.slip("transpose(-2, -1)", turned, """your answer is right for one sequence, but not for a
        batch: `.T` reverses all axes, and `transpose(0, 1)` swaps the batch with the positions.
        Swap the last two.""")
E.slip("k.shape[-1]", "k.shape[-2]", """you scaled by the number of keys. The scale is the square
    root of the size of a key, `k.shape[-1]`.""")

E.law(between_the_values)
E.hint("""Which sequence asks, and which one is looked at? Write down where each of q, k, v comes
    from.""")
E.hint("Only the query comes from x. The scores are then a rectangle, (Tq, Tk).")
E.hint("Use `q = x @ W_q`, `k = memory @ W_k` and `v = memory @ W_v`. The rest is as in `attend`.")
