"""Return the attention weights of x, (T, C) or (B, T, C), scaled as in the paper, no mask."""

import torch

from chapters.laws import rows_sum_to_1
from course.learn.draws import normal
from course.learn.record import Exercise


def drawn(d):
    *batch, T, C, D = d.sizes(d.randint(3, 4))
    far, D = (10, 16) if d.n % 4 == 1 else (1, D)  # scores of hundreds, with an exact scale
    W_q, W_k = (d.tensor(C, D, scales=(0.5, 0.5, 1)) for _ in "qk")
    return d.tensor(*batch, T, C, scales=(far,)), W_q, W_k

CUBE, ROW = normal(3, 3, 3, seed=7), torch.tensor([[1.0, 0.0, -1.0, 2.0]])
SMALL = [(torch.tensor([[1.0], [2.0]]), ROW, ROW.flip(1)), (*CUBE,), (CUBE, *CUBE[:2])]
E = Exercise(__name__, inputs=SMALL, draw=drawn, without=("attention",))

@E.answer
def scaled_weights(x, W_q, W_k):
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
    return torch.softmax(scores, dim=-1)

SCALE = "k.shape[-1] ** -0.5"
E.slip(f" * {SCALE}", "", """you don't scale the scores. The shapes are right and the rows sum to
    1, so this is easy to miss. Only the size of the scores shows it.""")
E.slip("k.s", "x.s", """you scale by the size of x, the embedding. How many products does one score
    add up? What counts is the size of a key.""")
E.slip("-0.5", "0.5", """you multiply by sqrt(d), or divide by 1 / sqrt(d), which is the same, so
    the scores become larger. By which power of d must you divide so that 4 times as many products
    give scores of the same size?""")
E.slip("-0.5", "-1.0", """you scale by 1 / d, without the root (or with the root twice, in q and in
    k), so the weights are nearly equal. The variance grows with d. How does the size of a score
    grow?""")
E.slip("[-1]", "[-2]", """you scale by the number of positions. A score doesn't depend on the
    length of the sequence: it adds up d products.""")
E.slip("k.shape[-1]", "len(k)", """you scale by the first axis of k, its number of positions, or of
    sequences if there is a batch. The numbers of one key are on the last axis.""")
E.slip(" ** -0.5", "", "you multiply by d, which makes large scores even larger.")
E.slip("-0.5", "-0.25", """you take the root twice, which leaves a standard deviation of d ** 0.25.
    If you use d ** -0.25, you have to scale both q and k by it.""")
E.slip(f" * {SCALE}\n    return", f"\n    return {SCALE} *", """you scale after the softmax. Then
    each row sums to 1 / sqrt(d), but is as sharp as before. Scale the scores instead.""")
E.slip(SCALE, "(q @ k.mT).std() ** -1", """you divide by the scores' own standard deviation. Then
    each weight depends on the entire batch and on the future. The scale has to be one fixed
    number.""")
E.slip("dim=-1", "dim=-2", """your columns sum to 1, not your rows. Which axis does your softmax
    run over?""")
E.slip("dim=-1", "dim=0", """your softmax runs over the first axis, down the columns of a matrix or
    across the sequences of a batch. The shares of one query are on the last axis.""")
E.slip("q @ k", "k @ q", "you swapped queries and keys. Each row has to belong to a query.")
TURNED = """your answer is right for one matrix. In a batch, swap only the last two axes of k, and
    leave the batch where it is: `k.transpose(-2, -1)`."""
for turned in ("T", "t()", "transpose(0, 1)"):
    E.slip("transpose(-2, -1)", turned, TURNED)
E.slip("(-2, -1)", "(1, 2)", """your answer is right for a batch, but a single matrix has no axis
    2. Count from the end.""")
E.slip("torch.softmax(scores, dim=-1)", "scores", """you returned the scaled scores. What turns
    them into weights?""")
E.slip("scores, ", "scores + torch.full_like(scores, -torch.inf).triu(1), ", """you use a causal
    mask, so your weights above the diagonal are 0. Here every position may look at all others.""")

E.law(rows_sum_to_1)
E.hint("Project, score, scale, softmax. Which size is under the root?")
E.hint("One score adds up as many products as a key has numbers: `k.shape[-1]`.")
E.hint("""Compute `scores = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5`, then apply softmax along
    the rows.""")
