"""Count the bytes that a process sends while keys and values go round, in the forward of one layer."""

from course.learn.record import Exercise

E = Exercise(
    __name__,
    inputs=[(12, 8, 3, 2), (12, 8, 1, 2), (12, 5, 2, 4), (8, 3, 4, 2), (7, 2, 7, 1)],
    draw=lambda d: (lambda size, part: (size * part, d.size(), size, d.size()))(d.size(), d.size()),
    without=("attention",),
)


@E.answer
def sent_bytes(n_tokens, width, size, number_bytes):
    part = n_tokens // size
    return 2 * part * width * (size - 1) * number_bytes


E.slip("(size - 1)", "size", """you hand on once too often. After size - 1 hand-ons every process has had
    all parts.""")
E.slip("2 * part", "part", """you send the keys or the values. Both go round.""")
E.slip("n_tokens // size", "n_tokens", """you count the whole text. That is what all processes send together, or what
    one would send that hands on everything each time; a process hands on one part.""")
E.slip(" * (size - 1)", "", """that is one hand-on. A part goes on until every process has had it.""")
E.slip("2 * part", "3 * part", """queries stay where they are: only keys and values go round.""")
E.slip(" * number_bytes", "", """those are numbers, not bytes.""")

E.hint("How many words does one process hold? What of them does it hand on?")
E.hint("How many hand-ons are there, until each process has had all parts? Try it with two.")
E.hint("2 (keys and values) times words of a part, width, hand-ons and bytes of a number.")
