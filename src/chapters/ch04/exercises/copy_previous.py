"""Return (T, T) scores, 0 or -inf, whose softmax copies the previous row (row 0 copies itself)."""

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

E.slip("max(t - 1, 0)", "t - 1", """your row 0 copies the last row, which is in the future. The
    index `-1` counts from the end, and `roll` moves the end to the front. Nothing comes before row
    0, so which row can it copy?""")
E.slip("max(t - 1, 0)", "min(t + 1, T - 1)", """each of your rows copies the row after it, which
    is in the future. A row is the position that looks, and a column is the position that it looks
    at.""")
E.slip("max(t - 1, 0)", "t", """each of your rows copies itself. The row before is one column
    to the left.""")
E.slip("scores[t, source]", "scores[source, t]", """you swapped rows and columns. The row is
    the position that looks, and the column is the position that it copies.""")
E.slip('float("-inf")', "0.0", """all your scores are 0, so softmax gives equal shares. Which score
    gives a share of 0?""")
E.slip("source] = 0.0", ": t] = 0.0", """each of your rows is the mean of all rows before it, and
    row 0 has only scores of -inf, so its softmax is nan. In each row, only one score can be 0.""")
E.slip("range(T)", "range(1, T)", """your row 0 has only scores of -inf, and their softmax is
    nan. Which row should it copy?""")
E.slip("source] = 0.0", "source:] = 0.0", """in each of your rows, every score from the previous
    position on is 0, even in the future. Only one score of each row can be 0.""")
E.slip("source] = 0.0", "source : t + 1] = 0.0", """each of your rows is the mean of itself
    and the row before. To copy a row, give its column a share of 1.""")
E.slip("source] = 0.0", "source] = 1.0", """your scores copy the right rows, because softmax gives
    the weight 1 to the only score above -inf. But each score has to be 0 or -inf.""")

@E.mistake
def weights_instead(T):
    """you return the weights, 1 and 0, not the scores. As scores they don't copy: exp(0) is 1,
    not 0. Which score becomes a weight of 0?"""
    weights = torch.eye(T).roll(-1, dims=1).tril()
    weights[0, 0] = 1.0
    return weights

@E.law
def no_row_is_closed(scores, T):
    """every row has to have a score that isn't -inf, because otherwise its softmax is nan"""
    return bool((scores > -torch.inf).any(dim=-1).all())

@E.law
def nothing_ahead_is_open(scores, T):
    """every score above the diagonal has to be -inf, because it is in the future"""
    return bool((scores.triu(1)[torch.ones(T, T).triu(1).bool()] == -torch.inf).all())

@E.law
def copies_the_row_before(scores, T):
    """softmax of the scores has to copy row t - 1 into row t, and row 0 into itself"""
    x = torch.arange(float(T))
    return close(torch.softmax(scores, dim=-1) @ x, (x - 1).clamp(min=0))

E.hint("Which column should row 3 look at, and with what share? And row 0?")
E.hint("""If only one score of a row isn't -inf, softmax gives it the weight 1. So in every row one
    score is 0, and all others are -inf.""")
E.hint("""Start from `torch.full((T, T), float("-inf"))`, and write 0 at `scores[t, max(t - 1, 0)]`
    for every t.""")
