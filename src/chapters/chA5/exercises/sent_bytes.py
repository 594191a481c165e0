"""Count the bytes that a process sends while keys and values go round, in the forward pass of one
layer."""

from course.learn.record import Exercise

E = Exercise(__name__, without=("attention",),
    inputs=[(12, 8, 3, 2), (12, 8, 1, 2), (12, 5, 2, 4), (8, 3, 4, 2), (7, 2, 7, 1)],
    draw=lambda d: (lambda size, part: (size * part, d.size(), size, d.size()))(d.size(), d.size()))

@E.answer
def sent_bytes(n_tokens, width, size, number_bytes):
    part = n_tokens // size
    return 2 * part * width * (size - 1) * number_bytes

E.slip("(size - 1)", "size", """you send once too often. After size - 1 steps every process has had
    all parts.""")
E.slip("2 * part", "part", """you count only the keys or only the values. Both go round.""")
E.slip("n_tokens // size", "n_tokens", """you count the entire text. In each step a process sends
    only one part.""")
E.slip(" * (size - 1)", "", """you count only one step. A part is passed on until every process has
    had it.""")
E.slip("2 * part", "3 * part", """you count the queries as well. They stay; only keys and values go
    round.""")
E.slip(" * number_bytes", "", """you count numbers, not bytes.""")

E.hint("How many tokens does one process hold? Which tensors for these tokens does it send?")
E.hint("How many steps does it take until each process has had all parts? Try it with two processes.")
E.hint("""Multiply 2 (keys and values), the tokens of a part, the width, the steps and the bytes of a
    number.""")
