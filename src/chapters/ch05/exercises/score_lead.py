"""Return how much higher one score must be if its weight is `ratio` times the other weight."""

import math

import torch

from course.learn.record import Exercise

E = Exercise(__name__, inputs=[(2.0,), (1.0,), (10.0,), (0.5,), (math.e,), (0.001,), (1.5,), (1e6,), (1e-9,)], n_drawn=12,
             draw=lambda d: (round(math.exp(d.uniform(-6, 4)), 3),))

@E.answer
def score_lead(ratio):
    return math.log(ratio)

E.slip("math.log(ratio)", "ratio", """a lead of 2 makes the weight exp(2) times as large, about
    7.4 times, not twice. The lead is in the exponent. What undoes `exp`?""")
E.slip("math.log(ratio)", "ratio - 1", """for a ratio of 1 your 0 is right, because equal scores
    give equal weights. But ratios come from `exp`, so they don't grow evenly with the lead.""")
E.slip("log", "exp", "you went the wrong way: `exp` turns leads into ratios. You want the lead.")
E.slip("log", "log10", "your logarithm has the base 10, but softmax computes powers of e.")
E.slip("log", "log2", "your logarithm has the base 2, but softmax computes powers of e.")
E.slip("math", "-math", "your sign is wrong: the word with the larger weight has the higher score.")
E.slip("log", "log1p", "`log1p(ratio)` is log(1 + ratio). For a ratio of 1 the lead has to be 0.")
BELOW = """your function is right for a ratio of 1 or more. Below 1 the first word has the smaller
    weight, so it has the lower score, and its lead is negative."""
E.slip("math.log(ratio)", "abs(math.log(ratio))", BELOW)
E.slip("math.log(ratio)", "max(math.log(ratio), 0.0)", BELOW)
E.slip("log(ratio)", "log(ratio / (1 + ratio))", """you return the logarithm of the first of two
    weights. The lead is the difference of two scores, so subtract the logarithm of the other
    weight.""")

@E.law
def exp_is_the_ratio(lead, ratio):
    """exp(lead) has to be the ratio"""
    return abs(float(torch.tensor(lead).exp()) / ratio - 1) < 1e-3

E.hint("Divide one weight by the other. What happens to the sum that softmax divides by?")
E.hint("The ratio of two weights is exp(a) / exp(b) = exp(a - b). You want a - b.")
E.hint("The inverse of `exp` is the natural logarithm, `math.log`.")
