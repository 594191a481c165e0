"""For each row of weights, compute from its entropy the number that is n for n equal weights."""

import torch

from course.learn.record import Exercise

SMALL = [0.5, 0.5], [1.0, 0.0, 0.0], [1.0], [[0.25, 0.25, 0.5], [1.0, 0.0, 0.0]]
E = Exercise(__name__, trained=False, inputs=[(torch.tensor(weights),) for weights in SMALL],
             draw=lambda d: (d.shares(*d.sizes(d.randint(1, 4)), d.choice([1, 2, d.size(), 30])),))

@E.answer
def words_heard(weights):
    entropy = -torch.xlogy(weights, weights).sum(dim=-1)
    return entropy.exp()

E.slip(".exp()", "", """you returned the entropy, which is 0 for one-hot and ln n for n equal
    weights. What turns ln n into n?""")
E.mistake(lambda w: (-w * w.log()).sum(dim=-1).exp(), """for a weight of exactly 0 you compute 0 *
    log(0) = 0 * -inf = nan. This term has to be 0, as in `torch.xlogy`. Saturated rows are full of
    zeros.""")
E.slip(".exp()", " / torch.tensor(2.0).log()", """you returned the entropy in bits, with logarithms
    of base 2, which is 0 for a one-hot row. What turns the logarithm of n into n?""")
E.slip("entropy.exp()", "2**entropy", """you raise 2 to the power of the entropy, but the entropy
    is in nats, of base e. Raise e to it.""")
E.slip("-torch", "torch", """your sign is wrong: the logarithm of a share is 0 or less, and an
    entropy is 0 or more. For n equal weights your function returns 1 / n.""")
E.slip("dim=-1", "", "you added up all rows. Each query has its own weights and its own entropy.")
E.slip("sum(", "mean(", """you use the mean of the terms. Entropy is their sum: ln 4 for four equal
    weights.""")
E.slip("-1", "0", """you summed down the columns. The shares of a query are in a row, along the
    last axis.""")
E.slip("-1", "1", """your answer is right only for a matrix, whose last axis is axis 1. A row has
    no such axis, and in a batch there is another axis after it. Count from the end.""")
E.slip("entropy =", "weights = torch.softmax(weights, dim=-1)\n    entropy =", """you apply softmax
    to numbers that are already weights, which makes them more equal.""")
E.slip("entropy.exp()", "1 / (weights**2).sum(dim=-1)", """you returned 1 / the sum of the squares,
    a different measure. It also gives n for n equal weights, but for other weights it
    differs from the number that the entropy gives.""")
E.slip("entropy.exp()", "1 / weights.amax(dim=-1)", """you returned 1 / the largest weight. It also
    gives n for n equal weights, but it doesn't depend on the other weights or on the entropy.""")
COUNTED = "you count the weights above 0, so the faintest word counts as much as the loudest."
E.slip("entropy.exp()", "(weights > 0).sum(dim=-1)", COUNTED)
E.slip("entropy.exp()", "(weights > 0).sum(dim=-1).float()", COUNTED)
E.slip("-1", "-1, keepdim=True", """your numbers are right, but `keepdim=True` leaves one axis too
    many.""")

@E.law
def from_1_to_all_words(answer, weights):
    """a row can't hear fewer than 1 word, or more words than it has weights"""
    return bool(((answer >= 1 - 1e-4) & (answer <= weights.shape[-1] * (1 + 1e-4))).all())

E.hint("""Which axis belongs to a query? What is 0 times the logarithm of 0? What turns ln n into
    n?""")
E.hint("""Entropy is the sum of -w ln(w) along a row, which is ln n for n equal weights. Undo the
    logarithm.""")
E.hint("`torch.xlogy(weights, weights)` is w ln(w), and it is 0 where w is 0. `exp` undoes ln.")
