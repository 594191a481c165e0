"""Return the matrix M, (C, C), for which x @ M @ x.mT are the unscaled scores of a head."""

from chapters.laws import close
from course.learn.draws import quarters
from course.learn.record import Exercise

SIZES = (1, 2), (2, 2), (2, 3), (5, 3)
GIVEN = [tuple(quarters(*size, seed=2 * n + k) for k in (1, 2)) for n, size in enumerate(SIZES)]

def drawn(d):
    D, C = d.sizes(2) if d.n % 3 else [d.size(2)] * 2  # every third time square
    return d.tensor(D, C, scales=(1, 100)), d.tensor(D, C)

E = Exercise(__name__, GIVEN, drawn)

@E.answer
def one_matrix(q_weight, k_weight):
    return q_weight.T @ k_weight  # q kT = x Wq (x Wk)T = x (Wq WkT) xT, and Wq is q_weight.T

M, TO_IN_OUT = "q_weight.T @ k_weight", "reshape(k_weight.shape[::-1])"
E.slip(M, "q_weight @ k_weight.T", """you return `W_q @ W_k.T`, but with the weights as they are
    stored, (out, in), so your matrix is (D, D). Square weights hide that. What turns (out, in) into
    (in, out)?""")
E.slip(M, "k_weight.T @ q_weight", """you swapped queries and keys: row t of `x @ M @ x.mT` shows
    how all positions look at position t. Which of the two belongs on the left?""")
E.slip(M, "q_weight @ k_weight", """you multiply (D, C) by (D, C), which doesn't fit unless both
    are square. Write the shapes below `x @ W_q @ (x @ W_k).T`. Which of the two weights do you
    have to transpose?""")
E.slip(M, f"{M}.T", """you transposed the keys' weight once too often: the transpose of `x @ W_k`
    begins with `W_k.T`, and that is the weight as it is stored.""")
for keys in ("k_weight", f"k_weight.{TO_IN_OUT}.T"):
    E.slip(M, f"q_weight.{TO_IN_OUT} @ {keys}", """your shape is right, but the numbers aren't,
        because you reshape to (in, out). A reshape keeps the order. A transpose turns rows into
        columns.""")
for axis in (0, 1):
    E.slip(M, f"{M} / q_weight.shape[{axis}] ** 0.5", "you scaled the result. Leave it unscaled.")
E.slip(M, "q_weight.T @ q_weight", """your M uses only the queries' weight, and `k_weight` plays no
    part in it. So the scores are symmetric again, because M is its own transpose.""")

@E.law
def row_0_is_channel_0_against_all(M, q_weight, k_weight):
    """row 0, column j of M has to be the dot product of column 0 of q_weight and column j of k_weight"""
    return close(M[0], q_weight[:, 0] @ k_weight)

E.hint("Write `q @ k.mT` with `x @ W_q` for q and `x @ W_k` for k. Which part has no x in it?")
E.hint("The transpose of `x @ W_k` is `W_k.T @ x.T`, so `W_q @ W_k.T` is between x and x.T.")
E.hint("A Linear stores `W_q.T` and `W_k.T`, (out, in). So M is `q_weight.T @ k_weight`.")
