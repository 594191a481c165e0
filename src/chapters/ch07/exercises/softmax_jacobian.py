"""For one row of scores, return the matrix of how weight i changes with score j."""

import torch

from course.learn.record import Exercise

SMALL = [0.0, 0.0], [1.0, 0.0, -0.5], [60.0, 0.0, -60.0], [-2.0]
E = Exercise(__name__, inputs=[(torch.tensor(scores),) for scores in SMALL],
             draw=lambda d: (d.tensor(d.size(), scales=(0.25, 1, 10)) + d.choice([0, -200, 200]),))

@E.answer
def softmax_jacobian(scores):
    w = torch.softmax(scores, dim=-1)
    return torch.diag(w) - torch.outer(w, w)

JACOBIAN = "torch.diag(w) - torch.outer(w, w)"
E.slip(JACOBIAN, "torch.diag(w * (1 - w))", """your diagonal is right, but the rest isn't 0: if one
    score rises, the weights of all others fall, because they sum to 1.""")
E.slip(JACOBIAN, "w * (1 - w)", """you returned only the diagonal, which says how each weight
    changes with its own score. There are T weights and T scores, so the matrix has T * T
    entries.""")
E.slip("torch.diag(w) -", "-", """your diagonal is wrong, and the rest is right. A weight grows
    with its own score.""")
E.slip("- t", "+ t", """one of your signs is wrong. If the score of one word rises, the weights of
    all other words have to fall.""")
E.slip("torch.outer(w, w)", "w @ w", """you use `w @ w`. For a row that is the dot product of w
    with itself, one number. The formula needs the matrix of all products w_i * w_j,
    `torch.outer`.""")
E.slip("torch.outer(w, w)", "w * w", """you use `w * w`, a row of squares, which broadcasting
    subtracts from every row. The formula needs the matrix of all products w_i * w_j,
    `torch.outer`.""")
E.mistake(lambda s: -softmax_jacobian(s), """all your signs are wrong: a higher score gives a
    larger weight.""")
E.slip("torch.diag(w)", "torch.eye(len(w))", "your diagonal starts from 1 instead of the weight.")
E.slip("torch.softmax(scores, dim=-1)", "scores", """you use the scores, but the formula needs the
    weights. Apply softmax first.""")
E.slip("torch.diag(w)", "w", """you add the row w to every row of the matrix. Add the weights only
    on the diagonal: which function turns a row into a diagonal matrix?""")
E.slip(JACOBIAN, "torch.eye(len(w)) - w", """you returned the slope of log_softmax. Multiply row i
    by w_i.""")
E.slip("torch.diag(w) -", "", """every entry of your matrix is positive. But if one weight rises,
    the others must fall.""")
E.mistake(lambda s: softmax_jacobian(s.softmax(-1)), "you applied softmax twice. Apply it once.")

@E.law
def columns_sum_to_0(jacobian, scores):
    """every column has to sum to 0, because the weights always sum to 1, and no number on the
    diagonal may be negative"""
    return bool((jacobian.sum(dim=0).abs() < 1e-4).all() and (jacobian.diagonal() >= -1e-6).all())

E.hint("""There are two cases: a weight and its own score, and a weight and the score of another
    key.""")
E.hint("The entry is w_i - w_i * w_i on the diagonal, and -w_i * w_j elsewhere.")
E.hint("""`torch.diag(w)` makes a diagonal matrix, and `torch.outer(w, w)` gives all products w_i *
    w_j.""")
