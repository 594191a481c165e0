"""The mean of a - b over the seeds that both dictionaries have, and its standard error."""

import torch

from course.learn.record import Exercise


def drawn(d):
    seeds, n = d.sample([*range(15), 42, 1337], 15), d.size(least=2)
    losses = {seed: d.uniform(1.5, 4) for seed in seeds}  # lucky or not, in both
    runs = ([*seeds[:n], *d.sample(seeds[i : i + 2], d.randint(0, 2))] for i in (n, n + 2))
    return tuple({s: round(losses[s] + d.gauss(0, 0.3), 2) for s in d.shuffled(x)} for x in runs)


E = Exercise(__name__, draw=drawn, inputs=[
    ({1: 2.0, 2: 3.0}, {1: 1.0, 2: 1.0}), ({0: 2.5, 1: 2.75}, {1: 2.0, 0: 2.25}),
    ({3: 2.5, 1: 2.0, 7: 4.0}, {7: 3.0, 3: 2.0}), ({7: 3.0, 3: 2.5}, {1: 9.0, 3: 0.0, 7: 2.0}),
    ({2: 0.0, 5: 1.0, 9: 3.0}, {9: 2.0, 4: 1.0, 2: 3.0}),
])


@E.answer
def paired_difference(a, b):
    both = [seed for seed in a if seed in b]
    difference = torch.tensor([a[seed] - b[seed] for seed in both], dtype=torch.float64)
    error = difference.std() / len(difference) ** 0.5
    return difference.mean().item(), error.item()


BOTH, ALL = "[seed for seed in a if seed in b]", "a[seed] - b[seed] for seed in both"
MISSING = """some runs have crashed: a seed that only one of the two has gives a KeyError in yours.
    Which seeds can be compared?"""
for seeds in ("list(a)", "list(b)", "list({**a, **b})", "sorted({**a, **b})"):
    E.slip(BOTH, seeds, MISSING)
E.mistake(lambda a, b: a - b, """Python knows no `-` between dictionaries. Take the losses out of
    them, seed by seed, and subtract those.""")
ZERO = """a run that crashed has no loss, and in yours it counts as a loss of 0. Leave out a seed
    that only one of the two has."""
E.slip(ALL, "a.get(s, 0.0) - b.get(s, 0.0) for s in {**a, **b}", ZERO)
E.slip(ALL, "a[s] - b.get(s, 0.0) for s in a", ZERO)
IN_ORDER = """your pairs go by the order of the losses, not by their seeds, and the seeds stand in
    any order: look each loss up by its seed."""
E.slip(ALL, "x - y for x, y in zip(a.values(), b.values())", IN_ORDER)
E.slip(ALL, "a[s] - b[t] for s, t in zip(a, b, strict=True)", IN_ORDER)
E.slip(ALL, "x - y for x, y in zip([a[s] for s in both], [b[s] for s in b if s in a])", IN_ORDER)
E.slip(f"torch.tensor([{ALL}], dtype=torch.float64)",
       "torch.tensor([*a.values()]) - torch.tensor([*b.values()])", IN_ORDER)
E.slip(ALL, "a[s] - b[t] for s, t in zip(sorted(a), sorted(b))", """right until a seed is missing:
    from there on, your pairs have different seeds. Look each loss up by its seed.""")
N = "you divide by a number of runs. What counts is the number of seeds that both have."
for runs in ("len(a)", "len(b)", "min(len(a), len(b))", "len({**a, **b})"):
    E.slip("len(difference)", runs, N)
E.slip("difference.mean().item()", "difference.sum().item() / len(a)", N)
E.slip("difference.std()", "sum(torch.tensor([x[s] for s in both]).var() for x in (a, b))**.5", """
    you let the spread of a and that of b count in full. But both runs of a seed share their start
    and their batches: take the differences first, then their spread.""")
E.slip(" / len(difference) ** 0.5", "", """this is the spread of single differences. Their mean is
    surer than one of them, the more so the more seeds there are.""")
E.slip(" ** 0.5", "", "you divide by the number of seeds. A mean of n is surer by the root of n.")
E.slip("len(difference)", "(len(difference) - 1)", """you divide by the root of n - 1. The n - 1
    stands in the standard deviation already; their mean is surer by the root of n.""")
E.slip("std() / len(difference) ** 0.5", "var() / len(difference)", """this is the square of the
    standard error: you used the variance. The standard deviation is its root.""")
E.mistake(lambda a, b: paired_difference(b, a), "right size, wrong sign: a - b was asked for.")
E.slip("a[seed] - b[seed]", "abs(a[seed] - b[seed])", """you dropped the signs. Then pure noise
    looks like a difference: a positive and a negative difference have to
    cancel.""")
E.slip("std()", "std(correction=0)", """the spread is a little too small: estimated from n numbers,
    it divides by n - 1 (`correction=1`, the default).""")
E.slip("difference.mean()", "difference[0]", "this is the first seed's. Which is the right one?")
E.mistake(lambda a, b: paired_difference(a, b)[::-1], "right, but swapped: the mean comes first.")
TENSOR = "right, but these are tensors of one element. `.item()` makes a float of each."
E.slip("difference.mean().item(), error.item()", "difference.mean(), error", TENSOR)
E.mistake(lambda a, b: tuple(map(torch.tensor, paired_difference(a, b))), TENSOR)

@E.law
def mean_within_the_differences(answer, a, b):
    """the mean has to lie between the smallest and the largest difference of the seeds that both
    have, and the standard error mustn't be negative"""
    differences = [a[seed] - b[seed] for seed in a if seed in b]
    return min(differences) - 1e-6 <= answer[0] <= max(differences) + 1e-6 and answer[1] >= 0

E.hint("There is one difference for each seed that both have. Their mean? Their spread?")
E.hint("The standard error of a mean of n numbers is their standard deviation over the root of n.")
E.hint("""`both = [seed for seed in a if seed in b]`, and `a[seed] - b[seed]` for these, as a
    tensor: then `difference.mean()` and `difference.std() / n**0.5`.""")
