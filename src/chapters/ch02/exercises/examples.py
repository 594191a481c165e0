"""Return all examples of a batch, each as a tuple (list of context ids, target id)."""

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

E.slip(": t + 1]", ":t]", """your contexts stop one id early, and the first one is empty. `x[b, :t]`
    leaves out x[b, t], because a slice stops before its end.""")
E.slip("y[b, t].item()", "x[b, t].item()", """each target is the last id of its own context, so
    there is nothing to guess. The target of position t is in y.""")
OUTER, INNER = "b in range(x.shape[0])", "t in range(x.shape[1])"
LOOPS = OUTER + ":\n        for " + INNER
TURNED = "b in range(x.shape[1]):\n        for t in range(x.shape[0])"
for old, new in (("y[b, t]", "y[b, t + 1]"), (LOOPS, TURNED)):
    E.slip(old, new, """an index is past the end. The targets are already shifted: y[b, t] is the
        target of x[b, t], so you don't need t + 1. Let b run over `range(x.shape[0])`, and t
        over `range(x.shape[1])`.""")
E.slip(INNER, "t in [x.shape[1] - 1]", """you return only the longest context of each
    sequence. Every position gives an example, even the first, whose context is one id.""")
E.slip(OUTER, "b in range(1)", """you return only the examples of the first sequence. How many examples
    does a batch of shape (B, T) give?""")
E.slip(INNER, "t in range(x.shape[1] - 1)", """you leave out the last position of each
    sequence. `range(T)` already stops before T, and y has a target for all T positions.""")
E.slip(LOOPS, INNER + ":\n        for " + OUTER, """you return all
    examples, but position by position. First return all examples of sequence 0, then all of
    sequence 1. Make the loop over the sequences the outer loop.""")
E.slip("x[b, : t + 1]", "x.flatten()[: b * x.shape[1] + t + 1]", """your contexts run from one
    sequence into the next. But the sequences come from different places in the text, so a context
    begins where its own sequence begins.""")
E.slip("x[b, : t + 1].tolist(), y[b, t].item()", "x[b, : t + 1], y[b, t]", """your pairs are
    right, but they hold tensors. `.tolist()` turns the context into a list, and `.item()` turns the
    target into a number.""")
E.slip("x[b, : t + 1]", "x[b]", """each of your contexts is the whole sequence, including the future. (If
    you append to one list, the same list is in all pairs. Make a new list for each pair.)""")

@E.law
def one_pair_per_position(pairs, x, y):
    """there have to be B * T pairs"""
    return len(pairs) == x.numel()

@E.law
def contexts_fit_a_block(pairs, x, y):
    """no context is allowed to be empty or longer than a block"""
    return all(1 <= len(context) <= x.shape[1] for context, _ in pairs)

@E.law
def targets_are_y(pairs, x, y):
    """the targets have to be the numbers of y, row by row"""
    return [target for _, target in pairs] == y.flatten().tolist()

E.hint("Write two loops, over the sequences b and the positions t. What can position t see?")
E.hint("The context of position t is `x[b, : t + 1]`, which has t + 1 ids. Its target is `y[b, t]`.")
E.hint("Inside both loops, write `pairs.append((x[b, : t + 1].tolist(), y[b, t].item()))`.")
