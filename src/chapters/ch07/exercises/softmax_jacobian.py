"""Return the matrix of how weight i changes with score j, for one row of scores."""

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
E.slip(JACOBIAN, "torch.diag(w * (1 - w))", """the diagonal is right, but the rest isn't 0: raising
    one score also takes from the weights of all others, since they share out 1.""")
E.slip(JACOBIAN, "w * (1 - w)", """this is the diagonal alone, how each weight changes with its own
    score. There are T weights and T scores, so T * T answers.""")
E.slip("torch.diag(w) -", "-", "only the diagonal is wrong: a weight grows with its own score.")
E.slip("- t", "+ t", "one sign is wrong: if another word's score rises, this weight has to fall.")
E.slip("torch.outer(w, w)", "w @ w", """for a row, `w @ w.T` is the dot product of w with itself,
    one number. The formula wants all products w_i * w_j, a matrix: `torch.outer`.""")
E.slip("torch.outer(w, w)", "w * w", """`w * w` is a row of squares, and broadcasting took it from
    every row. The formula wants all products w_i * w_j, a matrix: `torch.outer`.""")
E.mistake(lambda s: -softmax_jacobian(s), "all signs are wrong: a higher score, a larger weight.")
E.slip("torch.diag(w)", "torch.eye(len(w))", "your diagonal starts from 1, not from the weight.")
E.slip("torch.softmax(scores, dim=-1)", "scores", "the formula wants the weights: softmax first.")
E.slip("torch.diag(w)", "w", """you took the row w away from every row of the matrix. Only the
    diagonal gets a weight added: which function makes a diagonal matrix of a row?""")
E.slip(JACOBIAN, "torch.eye(len(w)) - w", "this is log_softmax's slope. Multiply row i by w_i.")
E.slip("torch.diag(w) -", "", "all of yours is positive. If one weight rises, the others pay.")
E.mistake(lambda s: softmax_jacobian(s.softmax(-1)), "softmax ran twice. Once will do.")

@E.law
def columns_sum_to_0(jacobian, scores):
    """every column has to sum to 0, because the weights always sum to 1, and no number on the
    diagonal may be negative"""
    return bool((jacobian.sum(dim=0).abs() < 1e-4).all() and (jacobian.diagonal() >= -1e-6).all())

E.hint("Two cases: a weight and its own score, a weight and another's score.")
E.hint("On the diagonal w_i - w_i * w_i, elsewhere -w_i * w_j.")
E.hint("`torch.diag(w)` makes a diagonal matrix, and `torch.outer(w, w)` all products w_i * w_j.")
