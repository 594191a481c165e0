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
MISSING = """some runs have crashed, so some seeds are in only one of the two dictionaries, and
    your function raises a KeyError for them. Which seeds can you compare?"""
for seeds in ("list(a)", "list(b)", "list({**a, **b})", "sorted({**a, **b})"):
    E.slip(BOTH, seeds, MISSING)
E.mistake(lambda a, b: a - b, """Python can't subtract dictionaries. Take the losses out of them,
    seed by seed, and subtract those.""")
ZERO = """you count a run that crashed as a loss of 0, but it has no loss. Leave out every seed
    that only one of the two has."""
E.slip(ALL, "a.get(s, 0.0) - b.get(s, 0.0) for s in {**a, **b}", ZERO)
E.slip(ALL, "a[s] - b.get(s, 0.0) for s in a", ZERO)
IN_ORDER = """you pair the losses by their order instead of their seeds, but the seeds can come in
    any order. Look up each loss by its seed."""
E.slip(ALL, "x - y for x, y in zip(a.values(), b.values())", IN_ORDER)
E.slip(ALL, "a[s] - b[t] for s, t in zip(a, b, strict=True)", IN_ORDER)
E.slip(ALL, "x - y for x, y in zip([a[s] for s in both], [b[s] for s in b if s in a])", IN_ORDER)
E.slip(f"torch.tensor([{ALL}], dtype=torch.float64)",
       "torch.tensor([*a.values()]) - torch.tensor([*b.values()])", IN_ORDER)
E.slip(ALL, "a[s] - b[t] for s, t in zip(sorted(a), sorted(b))", """your answer is right until a
    seed is missing. From that seed on, your pairs have different seeds. Look up each loss by its
    seed.""")
N = "you divide by the wrong number of runs. What counts is the number of seeds that both have."
for runs in ("len(a)", "len(b)", "min(len(a), len(b))", "len({**a, **b})"):
    E.slip("len(difference)", runs, N)
E.slip("difference.mean().item()", "difference.sum().item() / len(a)", N)
E.slip("difference.std()", "sum(torch.tensor([x[s] for s in both]).var() for x in (a, b))**.5", """you
    add up the full spreads of a and of b. But both runs of a seed share their start and their
    batches. First take the differences, then their spread.""")
E.slip(" / len(difference) ** 0.5", "", """you returned the spread of single differences. The
    mean is more certain than a single difference, and more seeds make it even more certain.""")
E.slip(" ** 0.5", "", """you divide by the number of seeds. For the error of a mean of n numbers,
    divide by the root of n.""")
E.slip("len(difference)", "(len(difference) - 1)", """you divide by the root of n - 1. The standard
    deviation already contains the n - 1. For the error of the mean, divide by the root of n.""")
E.slip("std() / len(difference) ** 0.5", "var() / len(difference)", """you returned the square of
    the standard error, because you used the variance. The standard deviation is its root.""")
E.mistake(lambda a, b: paired_difference(b, a), """your size is right, but the sign is wrong. Take
    a - b.""")
E.slip("a[seed] - b[seed]", "abs(a[seed] - b[seed])", """you dropped the signs. Then pure noise
    looks like a difference, because a positive and a negative difference no longer cancel.""")
E.slip("std()", "std(correction=0)", """your spread is a little too small. An estimate from n
    numbers divides by n - 1 (`correction=1`, the default).""")
E.slip("difference.mean()", "difference[0]", """you returned the difference of the first seed. How
    do you combine all of them?""")
E.mistake(lambda a, b: paired_difference(a, b)[::-1], """your numbers are right, but swapped. The
    mean comes first.""")
TENSOR = """your numbers are right, but they are tensors of one element. `.item()` turns each into
    a float."""
E.slip("difference.mean().item(), error.item()", "difference.mean(), error", TENSOR)
E.mistake(lambda a, b: tuple(map(torch.tensor, paired_difference(a, b))), TENSOR)

@E.law
def mean_within_the_differences(answer, a, b):
    """the mean has to lie between the smallest and the largest difference of the seeds that both
    have, and the standard error must not be negative"""
    differences = [a[seed] - b[seed] for seed in a if seed in b]
    return min(differences) - 1e-6 <= answer[0] <= max(differences) + 1e-6 and answer[1] >= 0

E.hint("""There is one difference for each seed that both have. What is their mean, and what is
    their spread?""")
E.hint("""The standard error of a mean of n numbers is their standard deviation divided by the root
    of n.""")
E.hint("""With `both = [seed for seed in a if seed in b]`, make a tensor of `a[seed] - b[seed]`.
    Then use `difference.mean()` and `difference.std() / n**0.5`.""")
