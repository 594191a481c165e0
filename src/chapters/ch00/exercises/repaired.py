"""Make the five lines run on their own, and return (whole, scores)."""

import torch

from course.learn.record import Exercise

INPUTS = [(torch.arange(n), T) for n, T in ((10, 2), (23, 3), (7, 5), (300, 1), (1, 2), (40, 40))]
E = Exercise(__name__, INPUTS, draw=lambda d: (d.whole(0, 50, d.n), d.size()), n_drawn=12)


@E.answer
def repaired(data, T):
    n = int(0.9 * len(data))
    train_data, validation_data = data[:n], data[n:]
    whole = len(train_data) + len(validation_data) == len(data)
    tril = torch.tril(torch.ones(T, T))
    scores = torch.zeros(T, T).masked_fill(tril == 0, float("-inf"))
    return whole, scores


E.slip("tril = torch", "torch", "`tril` has no value: its line makes a triangle, but gives it no name.")
E.slip("torch.tril", "torch.triu", """you kept the upper triangle, as `triu` does. The line that
    was shown but not kept says `tril`.""")
E.slip("ones", "zeros", """every score is -inf: was your triangle cut out of zeros, so that `tril
    == 0` is true everywhere? It is cut out of ones.""")
E.slip("tril == 0", "tril == 1", """you filled where `tril` is 1. Only the missing name needs a
    repair; the line that fills was right: `tril == 0`.""")
E.slip('float("-inf")', "0.0", """no score is -inf: the fill has to stay `float("-inf")`, and what
    `masked_fill` returns has to be kept.""")
E.slip("torch.zeros(T, T)", "tril", """the scores that should be 0 are 1: did you fill the triangle
    itself? Its ones are left then. The scores start as `torch.zeros(T, T)`.""")
for part in " + len(validation_data)", "len(train_data) + ":
    E.slip(part, "", "`whole` is False: is every id in one of the two parts, and are both of them counted?")
E.slip("== len(data)", "", """`whole` should say whether the two lengths add up to `len(data)`,
    True or False. You returned a length.""")
BOTH = "whole, scores"
E.slip(BOTH, "scores, whole", "right values in the wrong order: first `whole`, then `scores`.")
E.slip(BOTH, "scores", "only the scores came back. Return both: `return whole, scores`.")
E.slip("(T, T))", "(T, T), -1)", "the diagonal is missing, so row 0 is -inf everywhere.")

@E.law
def whole_is_true(out, data, T):
    """`whole` has to be True, whatever the length of data"""
    return bool(out[0])

@E.law
def zeros_then_minus_inf(out, data, T):
    """row t of the scores has to begin with t + 1 zeros, and the rest has to be -inf"""
    rows = enumerate(out[1])
    return all((row[: t + 1] == 0).all() and (row[t + 1 :] == -torch.inf).all() for t, row in rows)

E.hint("""Go through the lines from the top and tick off each name when it gets a value. Three
    names are used that never got one.""")
E.hint("""Two of them are old names for something that exists. The third is the result of a line
    that computes it and lets it go.""")
E.hint("""`train` and `validation` are called `train_data` and `validation_data` now. The triangle
    needs `tril = ` in front.""")
