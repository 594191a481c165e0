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

E.slip("torch.arange(start, start + n_queries)", "torch.arange(n_queries)", """you take the row
    number as a query's position, as if the first query were at 0. It is at `start`. While a model
    writes, there is only one row, and your function subtracts nothing from its scores. (KerasHub's
    Falcon did this.)""")
E.slip("keys = torch.arange(start + n_queries)", "keys = torch.arange(start, start + n_queries)", """you leave
    out the keys before `start`, but the queries look back at all of them.""")
E.slip(".clamp(min=0)", "", """you *add* something for a key after the query, because its distance is
    negative. Add 0 there; the causal mask hides that key anyway.""")
E.slip(".clamp(min=0)", ".abs()", "you lower the score of a key after the query. Add 0 there.")
E.slip(".clamp(min=0)", ".clamp(max=0)", """you keep the distances of keys after the query, and drop those of
    keys before it. Which sign does the distance of an earlier key have?""")
E.slip("(queries - keys)", "(keys - queries)", """your distance is reversed. Take the query's
    position minus the key's, which is positive for an earlier key.""")
E.slip("-slopes", "slopes", "you add something for each step back, but a distant key should get a lower score.")
E.slip("-slopes[:, None, None] * distance", "(-slopes[:, None, None] * distance).masked_fill(queries < keys, -torch.inf)",
       "you add -inf for the keys after the query. That is the task of the mask; ALiBi adds 0 there.")
E.slip("-slopes[:, None, None]", "-slopes.mean()", """you use one slope for all heads. Each head
    has its own, so the result is (H, n_queries, number of keys).""")
E.slip("-slopes[:, None, None]", "-2 ** -slopes[:, None, None]", """you raise 2 to a power. Use the
    `slopes` exactly as given.""")
E.slip("slopes[:, None, None] * distance", "(slopes[:, None, None] * distance).transpose(1, 2)", """you
    swapped rows and columns. Make a row for each query and a column for each key.""")

@E.law
def one_step_back_costs_the_slope(bias, slopes, start, n_queries):
    """the number has to be minus the slope for the key right before a query, and 0 for the query's
    own key"""
    rows = torch.arange(n_queries)
    own, before = bias[:, rows, start + rows], bias[:, rows, (start + rows - 1).clamp(min=0)]
    steps = (start + rows > 0) * -slopes[:, None]
    return close(own, torch.zeros_like(own)) and close(before, steps)

E.hint("At which position is the query in row 0? And the query in the last row?")
E.hint("Make a column of the queries' positions and a row of the keys' positions, and subtract.")
E.hint("""`torch.arange(start, start + n_queries)[:, None]` minus `torch.arange(start + n_queries)` gives the
    distances. Set the negative ones to 0.""")
