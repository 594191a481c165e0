"""Return the self-attention of x, (T, C) or (B, T, C), with these three weight matrices."""

import torch.nn.functional as F

from course.learn.draws import quarters
from course.learn.record import Exercise

SIZES = ((2, 2), (2, 3), (2, 3), (2, 2)), ((2, 7, 3), (3, 5), (3, 5), (3, 2))
GIVEN = [tuple(quarters(*size, seed=n) for n, size in enumerate(sizes, 1)) for sizes in SIZES]

def drawn(d):
    T, C, D, Dv, B = d.sizes(5)
    D, batch = D if d.n % 3 else 1, (B,) * (d.n % 2)  # with a batch, without
    x, W_q, W_k = d.tensor(*batch, T, C, scales=(1, 0.25)), d.tensor(C, D), d.tensor(C, D)
    if D == 1:  # scores from 128 to 256, whose exp is inf; the root of 1 rounds none of them
        W_q = W_q.ldexp(8 - (x @ W_q @ (x @ W_k).mT).abs().max().frexp().exponent)
    return x, W_q, W_k, d.tensor(C, Dv)

E = Exercise(__name__, GIVEN, drawn, without=("attention",))

@E.answer
def attend(x, W_q, W_k, W_v):
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    scores = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5
    return F.softmax(scores, dim=-1) @ v

E.slip("q @ k", "0 * q @ k", """your output is the plain mean of the values, and the scores play no
    part in it. Does a line overwrite them before the softmax?""")
for turned in ("T", "transpose(0, 1)", "t()"):
    E.slip("transpose(-2, -1)", turned, """your answer is right for one sequence, but not for a
        batch: `.T` reverses all axes, and `transpose(0, 1)` swaps the batch with the positions.
        Swap the last two.""")
E.slip("(-2, -1)", "(1, 2)", """your answer is right for a batch, but one sequence has no axis 2.
    Count from the end: -2 and -1 are the last two axes, with and without a batch.""")
E.slip(" / k.shape[-1] ** 0.5", "", """your scores aren't scaled. Divide them by the square root of
    the head size before the softmax.""")
E.slip(" ** 0.5", "", "you divided by the head size itself. Divide by its square root, `** 0.5`.")
E.slip("/ k", "* k", "you multiplied by the root of the head size. Divide, so that scores shrink.")
E.slip("k.shape[-1]", "16", """you divided by 4, the root of the notebook's `head_size`, which is
    16. Your function has to take the size from its arguments: `k.shape[-1]`.""")
E.slip("/ k", "\n    v = v / k", """you divide too late: the softmax sees unscaled scores, and
    the root only shrinks the output. Divide the scores before the softmax.""")
E.slip("/ k", "/ x", """you scaled by the size of x. Scores are products of q and k, so use the size
    of a key.""")
E.slip("/ k", "/ v", """you scaled by the size of a value. The scores don't contain values, so use
    the size of a key.""")
E.slip("dim=-1", "dim=-2", """your softmax runs down the columns. The weights of each query, a row,
    have to sum to 1.""")
for axis in (", dim=1", ""):
    E.slip(", dim=-1", axis, """your answer is right for one sequence, but in a batch your softmax
        runs over a different axis. The keys are the last axis, -1.""")
E.slip("q, k, v =", "k, q, v =", """you swapped queries and keys: row t shows how all positions
    look at position t. Which of the two belongs on the left?""")
E.slip("@ v", "@ x", "you mix x itself. x is private: a word gives its value, `x @ W_v`.")
E.slip("(scores,", "(scores + (0 * scores - 1e9).triu(1),", """your positions look only at
    themselves and their past, so you use a causal mask. Here each position may look at all
    positions.""")

@E.law
def between_the_values(out, *inputs):
    """every number has to lie between the smallest and the largest value of its channel"""
    low, high = (inputs[-4] @ inputs[-1]).aminmax(dim=-2, keepdim=True)  # of x or the memory
    return bool(((out >= low - 1e-4) & (out <= high + 1e-4)).all())
E.hint("Three lines are enough: project, score, mix. Write down the shape after each.")
E.hint("The scores are `q @ k.transpose(-2, -1)`, divided by the square root of `k.shape[-1]`.")
E.hint("""Apply softmax along the last axis, then multiply by v with `@ v`. This works with or
    without a batch axis.""")
