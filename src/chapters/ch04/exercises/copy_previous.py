"""(T, T) scores, each 0 or -inf, whose softmax copies the previous row; row 0 copies itself."""

import torch

from chapters.laws import close
from course.learn.record import Exercise

E = Exercise(__name__, inputs=[(2,), (3,), (5,), (1,)], n_drawn=9,
             draw=lambda d: (d.randint(6, 9 if d.n < 3 else 90),))

@E.answer
def copy_previous(T):
    scores = torch.full((T, T), float("-inf"))
    for t in range(T):
        source = max(t - 1, 0)
        scores[t, source] = 0.0
    return scores

E.slip("max(t - 1, 0)", "t - 1", """row 0 copies the last row, a look into the future: `-1` counts
    from the end, and so does `roll`. Whom can row 0 copy, if nothing comes before it?""")
E.slip("max(t - 1, 0)", "min(t + 1, T - 1)", """your rows copy the next one, which lies in the
    future. Rows are those that look, columns those that are looked at.""")
E.slip("max(t - 1, 0)", "t", "each row copies itself. One column to the left is the row before.")
E.slip("scores[t, source]", "scores[source, t]", """rows and columns have changed places: the row
    is the position that looks, the column the one that is copied.""")
E.slip('float("-inf")', "0.0", """all scores are 0, so softmax gives equal shares. What score gives
    a share of nothing?""")
E.slip("source] = 0.0", ": t] = 0.0", """each row gets the mean of all rows before it, and row 0
    may look nowhere, which is nan. Only one column of each row may be open.""")
E.slip("range(T)", "range(1, T)", """row 0 is closed everywhere, and the softmax of -inf alone is
    nan. What shall it copy?""")
E.slip("source] = 0.0", "source:] = 0.0", """in each row everything from the previous position on
    is open, the future too. Only one column of each row may be open.""")
E.slip("source] = 0.0", "source : t + 1] = 0.0", """each row gets the mean of itself and the row
    before. To copy is to give one column everything.""")
E.slip("source] = 0.0", "source] = 1.0", """the softmax of yours copies the right rows, for a
    single score that is not -inf takes all. But the scores asked for are 0 or -inf.""")

@E.mistake
def weights_instead(T):
    """these are the weights, 1 and 0, not scores. As scores they don't copy: exp(0) is 1,
    not 0. Which score becomes a weight of 0?"""
    weights = torch.eye(T).roll(-1, dims=1).tril()
    weights[0, 0] = 1.0
    return weights

@E.law
def no_row_is_closed(scores, T):
    """every row has to have a score that isn't -inf, or its softmax is nan"""
    return bool((scores > -torch.inf).any(dim=-1).all())

@E.law
def nothing_ahead_is_open(scores, T):
    """every score above the diagonal has to be -inf: it is of the future"""
    return bool((scores.triu(1)[torch.ones(T, T).triu(1).bool()] == -torch.inf).all())

@E.law
def copies_the_row_before(scores, T):
    """softmax of the scores has to give row t the row t - 1, and row 0 itself"""
    x = torch.arange(float(T))
    return close(torch.softmax(scores, dim=-1) @ x, (x - 1).clamp(min=0))

E.hint("Which column should row 3 look at, and with what share? And row 0?")
E.hint("""Softmax gives a single score that isn't -inf the weight 1. So in every row one score is
    0, and all others are -inf.""")
E.hint("""Start from `torch.full((T, T), float("-inf"))`, and write 0 at `scores[t, max(t - 1, 0)]`
    for every t.""")
