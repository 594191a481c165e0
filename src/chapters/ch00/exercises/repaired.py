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

E.slip("tril = torch", "torch", "`tril` has no value, because its line makes a triangle but doesn't give it a name.")
E.slip("torch.tril", "torch.triu", """you kept the upper triangle, as `triu` does. The line that
    was shown but not kept says `tril`.""")
E.slip("ones", "zeros", """all your scores are -inf. Did you make the triangle from zeros, so that
    `tril == 0` is true everywhere? The notebook makes it from ones.""")
E.slip("tril == 0", "tril == 1", """you filled where `tril` is 1. The condition `tril == 0` was
    right; only the missing name needs a repair.""")
E.slip('float("-inf")', "0.0", """none of your scores is -inf. Fill with `float("-inf")`, and keep
    the tensor that `masked_fill` returns.""")
E.slip("torch.zeros(T, T)", "tril", """your scores are 1 where they should be 0. Did you fill the
    triangle itself, so that its ones are still there? Start from `torch.zeros(T, T)`.""")
for part in " + len(validation_data)", "len(train_data) + ":
    E.slip(part, "", "your `whole` is False. Is every id in one of the two parts, and do you count both parts?")
E.slip("== len(data)", "", """`whole` should say whether the two lengths add up to `len(data)`,
    True or False. You returned a length.""")
BOTH = "whole, scores"
E.slip(BOTH, "scores, whole", "your values are right, but in the wrong order. Return first `whole`, then `scores`.")
E.slip(BOTH, "scores", "you return only the scores. Return both: `return whole, scores`.")
E.slip("(T, T))", "(T, T), -1)", "your triangle leaves out the diagonal, so row 0 is -inf everywhere.")

@E.law
def whole_is_true(out, data, T):
    """`whole` has to be True, whatever the length of data"""
    return bool(out[0])

@E.law
def zeros_then_minus_inf(out, data, T):
    """row t of the scores has to begin with t + 1 zeros, and the rest of it has to be -inf"""
    rows = enumerate(out[1])
    return all((row[: t + 1] == 0).all() and (row[t + 1 :] == -torch.inf).all() for t, row in rows)

E.hint("""Go through the lines from the top and tick off each name when it is given a value. Three
    of the names are used without ever being given one.""")
E.hint("""Two of the three are old names of things that now have new ones. The third belongs to a
    tensor that one line computes but doesn't keep.""")
E.hint("""`train` and `validation` are now called `train_data` and `validation_data`. The line that
    makes the triangle has to begin with `tril = `.""")
