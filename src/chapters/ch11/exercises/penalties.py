"""What ALiBi adds for queries from position `start` on, (H, n_queries, start + n_queries)."""

import torch

from chapters.laws import close
from course.learn.record import Exercise

GIVEN = [(torch.tensor([0.5]), 0, 2), (torch.tensor([0.5]), 3, 1), (torch.tensor([0.5, 0.25]), 2, 3)]
E = Exercise(__name__, GIVEN, lambda d: (d.whole(1, 9, d.size()) / 8, d.randint(0, 4), d.size()))

@E.answer
def penalties(slopes, start, n_queries):
    queries = torch.arange(start, start + n_queries)[:, None]
    keys = torch.arange(start + n_queries)
    distance = (queries - keys).clamp(min=0)
    return -slopes[:, None, None] * distance

E.slip("torch.arange(start, start + n_queries)", "torch.arange(n_queries)", """you count a query's
    distance from its row, as if the first query stood at 0. It stands at `start`: while a model writes
    there is one row, and yours takes nothing off. (KerasHub's Falcon did this.)""")
E.slip("keys = torch.arange(start + n_queries)", "keys = torch.arange(start, start + n_queries)", """you
    leave out the keys before `start`. The queries look back at all of them.""")
E.slip(".clamp(min=0)", "", """a key after the query gets something *added*: its distance is negative.
    It should get 0; the causal mask closes it anyway.""")
E.slip(".clamp(min=0)", ".abs()", "a key after the query should get 0, and yours loses score.")
E.slip(".clamp(min=0)", ".clamp(max=0)", """you kept the keys after the query and dropped those before
    it: which of the two signs does the distance of an earlier key have?""")
E.slip("(queries - keys)", "(keys - queries)", """the distance is turned round: it is the query's
    position minus the key's, and positive for an earlier key.""")
E.slip("-slopes", "slopes", "you add for each step back. A distant key has to lose score.")
E.slip("-slopes[:, None, None] * distance", "(-slopes[:, None, None] * distance).masked_fill(queries < keys, -torch.inf)",
       "you put -inf on the keys after the query. That is the mask's work; ALiBi adds 0 there.")
E.slip("-slopes[:, None, None]", "-slopes.mean()", "each head has a slope of its own: the result is (H, Tq, Tk).")
E.slip("-slopes[:, None, None]", "-2 ** -slopes[:, None, None]", "`slopes` are given as they are: nothing to raise.")
E.slip("slopes[:, None, None] * distance", "(slopes[:, None, None] * distance).transpose(1, 2)", """rows
    and columns have changed places: a row for each query, a column for each key.""")

@E.law
def one_step_back_costs_the_slope(bias, slopes, start, n_queries):
    """the key right before a query has to lose the slope, and the query's own key nothing"""
    rows = torch.arange(n_queries)
    own, before = bias[:, rows, start + rows], bias[:, rows, (start + rows - 1).clamp(min=0)]
    steps = (start + rows > 0) * -slopes[:, None]
    return close(own, torch.zeros_like(own)) and close(before, steps)

E.hint("At which position does the query in row 0 stand? And the last one?")
E.hint("Make the queries' positions as a column and the keys' as a row, and subtract.")
E.hint("`torch.arange(start, start + n_queries)[:, None]` minus `torch.arange(start + n_queries)`; below 0 becomes 0.")
