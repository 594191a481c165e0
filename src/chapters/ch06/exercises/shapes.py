"""Give the shape of each tensor in a head, for any sizes."""

from course.learn.record import Exercise

E = Exercise(__name__, [(1, 2, 3, 5, 7, 11), (2, 7, 5, 11, 3, 13)], lambda d: tuple(d.sizes(6)))

@E.answer
def shapes(B, Tq, Tk, C, D, Dv):
    return {
        "W_q": (C, D), "W_v": (C, Dv),
        "q": (B, Tq, D), "k": (B, Tk, D), "v": (B, Tk, Dv),
        "scores": (B, Tq, Tk), "weights": (B, Tq, Tk), "out": (B, Tq, Dv),
    }

E.slip("}", '"weights": (C, D)}', """you gave the attention weights the shape of a weight matrix.
    The attention weights are what softmax makes of the scores: one for each query and key.""")
E.slip("}", '"scores": (B, Tk, Tq), "weights": (B, Tk, Tq)}', """your scores have a row for each
    key. Rows are queries: each query gets a row, and softmax runs along it.""")
E.slip("}", '"v": (B, Tk, D)}', """your values have the size of the keys. The projection of the
    values has a size of its own; which one is left over?""")
E.slip("}", '"v": (B, Tq, Dv)}', """your values come one for each query. Keys and values are two
    faces of the same positions: one value for every key.""")
for n in ("Dv", "D"):
    E.slip("}", f'"W_v": (C, {n}), "v": (B, Tk, D), "out": (B, Tq, D)}}', """you gave values and
        output the size of queries and keys. Common, but not necessary: theirs is Dv here.""")
E.slip("}", '"k": (B, Tq, D)}', """your keys come one for each query. Keys are made from the
    memory, one for each of its Tk positions.""")
E.slip("}", '"k": (B, D, Tk)}', """(B, D, Tk) is how the keys enter the product, after the
    transpose. What shape does `memory @ W_k` have?""")
E.slip("}", '"scores": (B, Tq, Tq), "weights": (B, Tq, Tq)}', """your scores are square, as in
    self-attention. Here the columns are the keys of the memory, Tk of them.""")
E.slip("}", '"W_q": (B, C, D), "W_v": (B, C, Dv)}', """your weight matrices have a batch axis. They
    are parameters: all sequences share them.""")
E.slip("}", '"out": (B, Tk, Dv)}', """your output has a row for each key. Whoever asks gets the
    answer: one row for each query.""")
E.slip("}", '"out": (B, Tq, C)}', """your output has the channels of x. What is mixed is the
    values, not x, so the output has the size of a value.""")
E.slip("}", '"out": (B, Tq, D)}', """your output has the size of a query. But what is mixed is the
    values, so the output has the size of a value.""")
E.slip("}", '"W_q": (D, C), "W_v": (Dv, C)}', """your weight matrices are the way `nn.Linear`
    stores them. Here they stand on the right of `x @ W`, so the channels of x come first.""")

@E.law
def both_pair_queries_with_keys(answer, *sizes):
    """the sizes of "q", "k", "scores" and "weights" have to fit: a row for each position of q, a
    column for each of k"""
    both = {tuple(answer[name][-2:]) for name in ("scores", "weights")}
    return both == {(answer["q"][-2], answer["k"][-2])}

E.hint("Start from x, (B, Tq, C), and write every product of the head with its shapes.")
E.hint("`x @ W_q` turns C into D; `q @ k.transpose(-2, -1)` pairs every query with every key.")
E.hint("""Queries give the rows, keys the columns of scores and weights. `weights @ v` replaces the
    columns by what a value holds, Dv numbers.""")
