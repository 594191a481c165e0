"""Return every example of a batch as a tuple (list of context ids, target id)."""

import torch

from course.learn.record import Exercise


def drawn(d):
    B, T = d.sizes(2)
    x, y = (d.whole(-100, d.choice((3, 50_000)), B, T + 1)[:, n:] for n in (0, 1))  # no copies
    x = x[:, :-1]
    if d.n % 3 == 1:  # a sequence that comes twice
        x[-1], y[-1] = x[0], y[0]
    return x, y

SHORT = torch.tensor([[5, 2]]), torch.tensor([[2, 9]])
ALIKE = torch.tensor([[4], [4], [1], [4]]), torch.tensor([[8], [4], [0], [8]])
E = Exercise(__name__, [SHORT, ALIKE], drawn)

@E.answer
def examples(x, y):
    pairs = []
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            pairs.append((x[b, : t + 1].tolist(), y[b, t].item()))
    return pairs

E.slip(": t + 1]", ":t]", """your contexts stop one id early, and the first one is empty: `x[b,
    :t]` leaves out x[b, t]. A slice stops before its end.""")
E.slip("y[b, t].item()", "x[b, t].item()", """your target is the last id of its own context, which
    needs no guessing. The target of position t stands in y.""")
OUTER, INNER = "b in range(x.shape[0])", "t in range(x.shape[1])"
LOOPS = OUTER + ":\n        for " + INNER
TURNED = "b in range(x.shape[1]):\n        for t in range(x.shape[0])"
for old, new in (("y[b, t]", "y[b, t + 1]"), (LOOPS, TURNED)):
    E.slip(old, new, """an index runs past the end. The targets are shifted already: y[b, t] is the
        target of x[b, t], so no t + 1 is needed. And the loops end at `x.shape[0]` and
        `x.shape[1]`, not at the sizes of another batch.""")
E.slip(INNER, "t in [x.shape[1] - 1]", """only the longest context of each sequence is left. Every
    position asks a question of its own, also with a context of one id.""")
E.slip(OUTER, "b in range(1)", """only the first sequence is there. How many examples should a
    batch of shape (B, T) give? Count yours.""")
E.slip(INNER, "t in range(x.shape[1] - 1)", """the last position of each sequence is missing:
    `range(T)` already stops before T, and y has a target for all T positions.""")
E.slip(LOOPS, INNER + ":\n        for " + OUTER, """all the examples are there, but yours
    go position by position. Wanted is first all of sequence 0, then all of sequence 1: make the
    loop over the sequences the outer one.""")
E.slip("x[b, : t + 1]", "x.flatten()[: b * x.shape[1] + t + 1]", """your contexts run from one
    sequence into the next. The sequences come from different places of the text: a context begins
    where its own sequence begins.""")
E.slip("x[b, : t + 1].tolist(), y[b, t].item()", "x[b, : t + 1], y[b, t]", """the right pairs, but
    as tensors: `.tolist()` makes the context a list, `.item()` makes the target a number.""")
E.slip("x[b, : t + 1]", "x[b]", """each of your contexts is the whole sequence, its own future too.
    (If you let one list grow: it stands in all pairs. Each needs a list of its own.)""")

@E.law
def one_pair_per_position(pairs, x, y):
    """there have to be B * T pairs"""
    return len(pairs) == x.numel()

@E.law
def contexts_fit_a_block(pairs, x, y):
    """no context may be empty or longer than a block"""
    return all(1 <= len(context) <= x.shape[1] for context, _ in pairs)

@E.law
def targets_are_y(pairs, x, y):
    """the targets, in order, have to be y row by row"""
    return [target for _, target in pairs] == y.flatten().tolist()

E.hint("Two loops: over the sequences b and over the positions t. What may position t see?")
E.hint("The context of position t is `x[b, : t + 1]`: t + 1 ids. Its target is `y[b, t]`.")
E.hint("Inside both loops: `pairs.append((x[b, : t + 1].tolist(), y[b, t].item()))`.")
