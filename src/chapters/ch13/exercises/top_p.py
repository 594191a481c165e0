"""The probabilities (V,) of the most likely ids that together have p, rescaled to sum to 1."""

import torch

from course.learn.draws import shares
from course.learn.record import Exercise

MANY = torch.tensor([*range(114, 213), 247]).roll(37) / 2**14  # a hundred ids; their sums are exact

GIVEN = [(torch.tensor([0.1, 0.4, 0.2, 0.3]), 0.5), (torch.tensor([0.1, 0.4, 0.2, 0.3]), 0.85),
         (torch.tensor([0.6, 0.15, 0.25]), 0.3), (torch.tensor([0.25, 0.5, 0.25]), 1.0),
         (torch.tensor([0.05, 0.15, 0.8]), 0.9), (shares(7, seed=1), 0.7),
         *((torch.tensor([0.125, 0.5, 0.375]), p) for p in (0.5, 0.875, 0.4995, 0.5005)),
         (torch.tensor([0.25, 0.5, 0.21875, 0.0234375, 0.0078125]), 0.99), (torch.tensor([0.5, 0.49609375, 0.00390625]), 0.997),
         (torch.tensor([0.5, 0.4990234375, 0.0009765625]), 0.9995),
         *((torch.tensor([0.5 - less, 0.25 + less, 0.25]), 0.5 - less + above)
           for less, above in ((2**-10, 5e-4), (2**-12, 1.5e-4), (2**-15, 1.5e-5))), (torch.tensor([0.5, 0.125, 0.375]), 0.50003),
         (MANY, 0.7), (MANY, 0.95)]

def drawn(d):
    return d.shares(d.size(2) + 1), d.choice((0.2, 0.45, 0.63, 0.77, 0.92, 0.99, 0.998, 1.0))

E = Exercise(__name__, GIVEN, drawn, trained=False)

@E.answer
def top_p(probabilities, p):
    values, ids = probabilities.sort(descending=True)
    before = values.cumsum(dim=0) - values
    kept = torch.where(before < p, values, 0)
    kept = kept / kept.sum()
    return torch.zeros_like(probabilities).scatter(0, ids, kept)

E.slip("    kept = kept / kept.sum()\n", "", """the remaining probabilities don't sum to 1. Divide
    them by their sum.""")
E.slip("before < p", "before + values < p", """you drop the id with which the sum reaches p. It has
    to stay: without it the rest has less than p, and if the first id is very likely, nothing is
    left.""")
E.slip("before < p", "before + values <= p", """you drop the id that takes the sum above p. It has
    to stay: without it the rest has less than p, and if the first id is very likely, nothing is
    left.""")
E.slip("return torch.zeros_like(probabilities).scatter(0, ids, kept)", "return kept", """your
    numbers are right, but in the order of their size. Put each back at its id.""")
E.slip("descending=True", "descending=False", """you keep the least likely ids. Sort in descending
    order.""")
E.slip("before < p", "values >= p", """you keep the ids whose own probability is p or more. But it
    is their sum that has to reach p.""")
E.slip("before < p", "values >= 1 - p", """you compare each probability with 1 - p. But it is the
    sum of the most likely ones that has to reach p.""")
E.slip("kept = kept / kept.sum()", "kept = torch.softmax(kept, dim=0)", """your softmax gives a
    share to the ids that you took out. Divide by the sum instead.""")
E.slip("values, ids = probabilities.sort(descending=True)",
       "values, ids = probabilities, torch.arange(len(probabilities))", """you add up the ids in the
           order of the vocabulary. The most likely have to come first, so sort.""")
E.slip("before < p", "torch.arange(len(values)) < p * len(values)", """you keep a share p of the
    *ids*. Keep a share p of the *probability*. Often a few ids are enough for that.""")

E.slip("before < p", "before <= p", """where the sum is exactly p, you keep one id too many. It is
    enough if the probabilities sum to p.""")
for off in ("+ 1e-3", "- 1e-3"):
    E.slip("before < p", f"before < p {off}", """you compare with a number slightly different from
        p, so the cut is wrong where a sum is near p. Compare with p itself.""")

E.slip("before < p", "before < min(p, 0.99)", """your answer is right up to p = 0.99. Where p is
    larger, you keep too few ids.""")
for n in (2, 3, 4):
    E.slip("values.cumsum(dim=0) - values", f"(values.cumsum(dim=0) - values).round(decimals={n})", """
        your answer is right where the sums are far from p. Do you round them? A sum just below p
        may no longer be below it after rounding.""")

E.slip("before < p", "(before < p) & (torch.arange(len(values)) < 50)", """you keep at most 50 ids.
    Sometimes it takes more ids to reach p.""")

@E.law
def has_p_and_not_one_id_more(out, probabilities, p):
    """the given probabilities of the ids that stay have to sum to p or more, and to less than p
    without the smallest of them; the result has to sum to 1"""
    left = probabilities[out > 0]
    short = bool(left.sum() >= p - 1e-4) and (len(left) < 2 or bool(left.sum() - left.min() < p + 1e-4))
    return short and abs(float(out.sum()) - 1) < 1e-4

E.hint("""Sort from the most likely to the least. For each id, what is the sum of the probabilities
    before it?""")
E.hint("An id stays if the ids before it sum to less than p. So the first one always stays.")
E.hint("""`cumsum - values` is the sum before each id. Then divide by the sum of the kept ones, and
    `scatter` each number back to its id.""")
