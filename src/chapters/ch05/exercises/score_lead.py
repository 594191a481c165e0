"""How much higher must one score be for its weight to be ratio times the other weight?"""

import math

import torch

from course.learn.record import Exercise

E = Exercise(__name__, inputs=[(2.0,), (1.0,), (10.0,), (0.5,), (math.e,), (0.001,), (1.5,), (1e6,), (1e-9,)], n_drawn=12,
             draw=lambda d: (round(math.exp(d.uniform(-6, 4)), 3),))

@E.answer
def score_lead(ratio):
    return math.log(ratio)

E.slip("math.log(ratio)", "ratio", """a lead of 2 makes the weight exp(2), about 7.4 times as
    large, and not twice. The lead stands in the exponent: what undoes `exp`?""")
E.slip("math.log(ratio)", "ratio - 1", """for a ratio of 1 your 0 is right: equal scores, equal
    weights. But ratios come from `exp`, so they don't grow evenly with the lead.""")
E.slip("log", "exp", "you went the wrong way: `exp` makes ratios of leads. Look for the lead.")
E.slip("log", "log10", "this logarithm has the base 10, but softmax raises e to the scores.")
E.slip("log", "log2", "this logarithm has the base 2, but softmax raises e to the scores.")
E.slip("math", "-math", "right size, wrong sign: the heavier word has to have the higher score.")
E.slip("log", "log1p", "`log1p(ratio)` is log(1 + ratio). For a ratio of 1 the lead has to be 0.")
BELOW = """right for a ratio of 1 or more. Below 1 the first word gets the smaller weight, so its
    score is the lower one: its lead is negative."""
E.slip("math.log(ratio)", "abs(math.log(ratio))", BELOW)
E.slip("math.log(ratio)", "max(math.log(ratio), 0.0)", BELOW)
E.slip("log(ratio)", "log(ratio / (1 + ratio))", """this is the logarithm of the first weight, if
    there are but two. The scores differ by the lead: take the other's logarithm away.""")

@E.law
def exp_is_the_ratio(lead, ratio):
    """exp(lead) has to be the ratio"""
    return abs(float(torch.tensor(lead).exp()) / ratio - 1) < 1e-3

E.hint("Divide one weight by the other. What is left of the sum below the line?")
E.hint("The ratio of two weights is exp(a) / exp(b) = exp(a - b). You look for a - b.")
E.hint("The inverse of `exp` is the natural logarithm, `math.log`.")
