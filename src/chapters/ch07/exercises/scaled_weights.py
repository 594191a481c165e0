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
E.slip(f" * {SCALE}", "", """you don't scale at all. Shapes are right and rows sum to 1, which is
    why this is so easy to miss; only the size of the scores tells.""")
E.slip("k.s", "x.s", """you scale by the size of x, the embedding. How many products does one score
    add up? It is the size of a key that counts.""")
E.slip("-0.5", "0.5", """you multiply by sqrt(d), as dividing by 1 / sqrt(d) does: the scores get
    larger. Which power of d makes 4 times as many products give scores of the same size?""")
E.slip("-0.5", "-1.0", """you scale by 1 / d, without the root (or by it twice, in q and in k), and
    the weights are nearly equal. The variance grows with d. How does a score's size?""")
E.slip("[-1]", "[-2]", """you scale by the number of positions. A score knows nothing of the length
    of the sequence: it adds up d products.""")
E.slip("k.shape[-1]", "len(k)", """you scale by the first axis of k, its number of positions, or of
    sequences if there is a batch. The numbers of one key lie along the last axis.""")
E.slip(" ** -0.5", "", "you multiply by d. That makes large scores larger still.")
E.slip("-0.5", "-0.25", """you take the root twice, which leaves a standard deviation of d ** 0.25.
    If you scale q and k each by d ** -0.25, then both have to be scaled.""")
E.slip(f" * {SCALE}\n    return", f"\n    return {SCALE} *", """you scale after the softmax. Each
    row then sums to 1 / sqrt(d), as sharp as before: it is the scores that are too large.""")
E.slip(SCALE, "(q @ k.mT).std() ** -1", """you divide by the scores' own standard deviation. Then
    each weight depends on all of the batch and on the future. The scale is one fixed number.""")
E.slip("dim=-1", "dim=-2", "your columns sum to 1, not your rows: softmax over which axis?")
E.slip("dim=-1", "dim=0", """your softmax runs over the first axis: down the columns of a matrix,
    across the sequences of a batch. The shares of one query lie along the last axis.""")
E.slip("q @ k", "k @ q", "the roles are swapped: your rows are the keys'. Who asks gets a row.")
TURNED = """right for one matrix. In a batch only the last two axes of k may change places, and the
    batch has to stay where it is: `k.transpose(-2, -1)`."""
for turned in ("T", "t()", "transpose(0, 1)"):
    E.slip("transpose(-2, -1)", turned, TURNED)
E.slip("(-2, -1)", "(1, 2)", "right for a batch; one matrix has no axis 2. Count from the end.")
E.slip("torch.softmax(scores, dim=-1)", "scores", "what turns these scaled scores into weights?")
E.slip("scores, ", "scores + torch.full_like(scores, -torch.inf).triu(1), ", """your weights have a
    causal mask: nothing above the diagonal. Here every position may look at all others.""")

E.law(rows_sum_to_1)
E.hint("Project, score, scale, softmax. Which size stands under the root?")
E.hint("One score adds up as many products as a key has numbers: `k.shape[-1]`.")
E.hint("`scores = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5`, then softmax along the rows.")
