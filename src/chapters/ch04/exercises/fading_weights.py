"""Return weights that fade by a factor of decay with each step into the past; rows sum to 1."""

import torch

from chapters.laws import close, nothing_ahead, rows_sum_to_1
from course.learn.record import Exercise

E = Exercise(__name__, inputs=[(2, 0.5), (3, 0.5), (4, 0.9), (3, 1.0), (80, 1.0), (400, 0.1)],
             draw=lambda d: (d.size(), d.choice([0.01, 1.0, round(d.random(), 4) + 0.01])))

@E.answer
def fading_weights(T, decay):
    position = torch.arange(T)
    age = position[:, None] - position[None, :]  # (T, T): how long ago, negative ahead
    shares = torch.tril(decay ** age.clamp(min=0).float())
    return shares / shares.sum(dim=1, keepdim=True)

E.slip(" / shares.sum(dim=1, keepdim=True)", "", """your shares fade correctly, but your rows don't
    sum to 1 yet. Divide each row by its own sum.""")
E.slip("age.clamp(min=0).float()", "position.expand(T, T)", """your shares fade the wrong way,
    because your exponent counts from the start of the sequence. It should count back from the
    position that looks: t minus the column.""")
E.slip("torch.tril(decay ** age.clamp(min=0).float())", "decay ** age.abs().float()", """your
    weights fade into the future too, but there they have to be 0. Keep only the lower triangle
    before you normalise.""")
E.slip("dim=1", "dim=0", """your columns sum to 1, not your rows: which axis does your sum run
    over?""")
E.slip(", keepdim=True", "", """you divide column j by the sum of row j: without `keepdim=True` the
    row sums have only one axis, which counts as a row. Keep them as a column.""")
E.slip("torch.tril(decay ** age.clamp(min=0).float())", "decay ** age.float() * (age >= 0)", """
    your weights are right for short sequences. But for future positions the ages are negative, so
    in long sequences `decay ** age` can be inf, and inf times 0 is nan. Clamp the ages, or use
    `torch.tril(decay ** age)`.""")
E.slip("decay **", "torch.eye(T) + decay *", """you multiply `decay` by the age, so your shares
    grow with the age. But each step into the past multiplies a share by `decay`, so the age belongs
    in the exponent.""")
E.slip("decay **", "1 **", "your shares are equal: they don't depend on `decay`.")

E.law(rows_sum_to_1, nothing_ahead)

@E.law
def shares_fade(weights, T, decay):
    """each share left of the diagonal has to be decay times the share to its right"""
    return all(close(weights[t, :t], decay * weights[t, 1 : t + 1]) for t in range(1, T))

E.hint("How old is column j for position t? Write the matrix of ages for T = 3 by hand.")
E.hint("""`torch.arange(T)[:, None] - torch.arange(T)` gives the ages. Raise `decay` to them, remove
    the upper triangle, and normalise.""")
E.hint("""Negative ages are the future, so clamp them. Then apply `torch.tril` to
    `decay ** age.float()`, and divide by the row sums with `keepdim=True`.""")
