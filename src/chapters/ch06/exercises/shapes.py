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
    Softmax turns the scores into attention weights, one for each query and key.""")
E.slip("}", '"scores": (B, Tk, Tq), "weights": (B, Tk, Tq)}', """your scores have a row for each
    key. Each row belongs to a query, and softmax runs along it.""")
E.slip("}", '"v": (B, Tk, D)}', """your values have the size of the keys. The matrix W_v gives the
    values their own size. Which size is that?""")
E.slip("}", '"v": (B, Tq, Dv)}', """you have one value for each query. Keys and values are made
    from the same positions, so there is one value for every key.""")
for n in ("Dv", "D"):
    E.slip("}", f'"W_v": (C, {n}), "v": (B, Tk, D), "out": (B, Tq, D)}}', """you gave values and
        output the size of queries and keys. That is common, but here their size is Dv.""")
E.slip("}", '"k": (B, Tq, D)}', """you have one key for each query. Keys are made from the memory,
    one for each of its Tk positions.""")
E.slip("}", '"k": (B, D, Tk)}', """you give the keys the shape that they have in the product, after
    the transpose, (B, D, Tk). What shape does `memory @ W_k` have?""")
E.slip("}", '"scores": (B, Tq, Tq), "weights": (B, Tq, Tq)}', """your scores are square, as in
    self-attention. Here the columns are the keys of the memory, Tk of them.""")
E.slip("}", '"W_q": (B, C, D), "W_v": (B, C, Dv)}', """your weight matrices have a batch axis. They
    are parameters: all sequences share them.""")
E.slip("}", '"out": (B, Tk, Dv)}', """your output has a row for each key. The queries ask, so there
    is one row for each query.""")
E.slip("}", '"out": (B, Tq, C)}', """your output has the channels of x. The weights mix values, not
    x, so the output has the size of a value.""")
E.slip("}", '"out": (B, Tq, D)}', """your output has the size of a query. But the weights mix
    values, so the output has the size of a value.""")
E.slip("}", '"W_q": (D, C), "W_v": (Dv, C)}', """your weight matrices have the shape in which
    `nn.Linear` stores them. Here they are on the right in `x @ W`, so the channels of x come
    first.""")

@E.law
def both_pair_queries_with_keys(answer, *sizes):
    """the sizes of "q", "k", "scores" and "weights" have to fit: a row for each position of q, and
    a column for each position of k"""
    both = {tuple(answer[name][-2:]) for name in ("scores", "weights")}
    return both == {(answer["q"][-2], answer["k"][-2])}

E.hint("Start from x, (B, Tq, C), and write down every product of the head with its shapes.")
E.hint("`x @ W_q` turns C into D. `q @ k.transpose(-2, -1)` pairs every query with every key.")
E.hint("""Queries give the rows of scores and weights, and keys give the columns. In `weights @ v`,
    the last axis becomes the size of a value, Dv.""")
