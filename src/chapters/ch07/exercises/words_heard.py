"""Of each row of weights: the number that is n for n equal ones, computed from the entropy."""

import torch

from course.learn.record import Exercise

SMALL = [0.5, 0.5], [1.0, 0.0, 0.0], [1.0], [[0.25, 0.25, 0.5], [1.0, 0.0, 0.0]]
E = Exercise(__name__, trained=False, inputs=[(torch.tensor(weights),) for weights in SMALL],
             draw=lambda d: (d.shares(*d.sizes(d.randint(1, 4)), d.choice([1, 2, d.size(), 30])),))


@E.answer
def words_heard(weights):
    entropy = -torch.xlogy(weights, weights).sum(dim=-1)
    return entropy.exp()


E.slip(".exp()", "", "this is the entropy: 0 for one-hot, ln n for n equal. What makes n of ln n?")
E.mistake(lambda w: (-w * w.log()).sum(dim=-1).exp(), """a weight of exactly 0 gives 0 * log(0) = 0
    * -inf = nan. It should count as 0, as in `torch.xlogy`: saturated rows are full of it.""")
E.slip(".exp()", " / torch.tensor(2.0).log()", """these are bits, an entropy from a logarithm of
    base 2: 0 for a one-hot row. What makes n of the logarithm of n?""")
E.slip("entropy.exp()", "2**entropy", "you raise 2 to nats. These are of base e: raise that.")
E.slip("-torch", "torch", """the sign is wrong: the logarithm of a share is 0 or less, and an
    entropy 0 or more. Of n equal weights yours makes 1 / n.""")
E.slip("dim=-1", "", "you added up all rows. Each query has weights, and an entropy, of its own.")
E.slip("sum(", "mean(", "entropy is the sum of the terms, not their mean: ln 4 for four equal.")
E.slip("-1", "0", "you summed down the columns. A query's shares lie along a row, the last axis.")
E.slip("-1", "1", """right for a matrix only: axis 1 is its last one. A row has no such axis, and
    in a batch another comes behind it. Count from the end.""")
E.slip("entropy =", "weights = torch.softmax(weights, dim=-1)\n    entropy =", """you put softmax
    on numbers that are weights already, which makes them more equal.""")
E.slip("entropy.exp()", "1 / (weights**2).sum(dim=-1)", """this is 1 / the sum of the squares,
    another measure: also n for n equal weights. In between it differs from the entropy's.""")
E.slip("entropy.exp()", "1 / weights.amax(dim=-1)", """this is 1 / the largest weight: also n for n
    equal weights, but it knows nothing of the others, and the entropy plays no part.""")
COUNTED = "you count the weights above 0: the faintest word counts as much as the loudest."
E.slip("entropy.exp()", "(weights > 0).sum(dim=-1)", COUNTED)
E.slip("entropy.exp()", "(weights > 0).sum(dim=-1).float()", COUNTED)
E.slip("-1", "-1, keepdim=True", "right numbers, with an axis too many: `keepdim=True` does that.")

@E.law
def from_1_to_all_words(answer, weights):
    """no row hears fewer than 1 word, or more words than it has weights"""
    return bool(((answer >= 1 - 1e-4) & (answer <= weights.shape[-1] * (1 + 1e-4))).all())

E.hint("Which axis is a query's? What is 0 times the logarithm of 0? What makes n of ln n?")
E.hint("Entropy is the sum of -w ln(w) along a row: ln n of n equal weights. Undo the logarithm.")
E.hint("`torch.xlogy(weights, weights)` is w ln(w), with 0 where w is 0. And `exp` undoes ln.")
