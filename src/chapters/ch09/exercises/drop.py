"""Drop the weights that are not kept, as nn.Dropout does; `training` decides whether."""

import torch

from course.learn.record import Exercise

HALVES = torch.tensor([[1.0, 0.0], [0.5, 0.5]])
ONE_LEFT = torch.tensor([[False, True], [True, False]])
E = Exercise(__name__,
    inputs=[(HALVES, ONE_LEFT, 0.5, True), (HALVES, ONE_LEFT, 0.5, False),
            (HALVES, HALVES < 0, 1.0, True), (HALVES, HALVES > 0, 0.95, True),
            (HALVES, HALVES < 0, 1.0, False)],
    draw=lambda d: (d.shares(*(s := d.sizes(d.randint(2, 4)))), d.whole(0, 100, *s) >= 100 * (
        p := d.choice([0.0, 0.1, 0.25, 0.5, 0.75, 0.99, 1.0])), p, d.random() < 0.7))

@E.answer
def drop(weights, kept, p, training):
    if not training:
        return weights
    return torch.where(kept, weights / (1 - p), 0.0)

LAST = "torch.where(kept, weights / (1 - p), 0.0)"
E.slip(LAST, "weights * kept / (1 - p)", """your answer is right unless p is 1. Then 1 - p is 0,
    and both 0 / 0 and inf times 0 are nan. All weights should be 0 then, so write the zeros after
    the division.""")
E.slip(LAST, "weights * kept / (weights * kept).sum(-1, True)", """you made every row sum to 1.
    With dropout, rows sum to 1 only on average, and a row that lost all its weights stays 0. What
    do you have to divide by?""")
E.slip("weights / (1 - p)", "weights", """you drop weights, but you don't change the others, so a
    row sums to less than 1 on average. A share of 1 - p is kept. By which factor do the kept
    weights have to grow?""")
E.slip("/ (", "* (", """you made the kept weights smaller. They have to make up for the missing
    ones.""")
E.slip("/ (1 - p)", "* 2", """you doubled the kept weights, which is right for p = 0.5. What about
    a different p?""")
E.slip(LAST, "weights * kept / kept.float().mean()", """you divided by the share that happened to
    be kept. Dropout divides by the share kept on average, which depends only on p.""")
E.slip("(1 - p)", "p", """you divided by p, the share that is dropped. How large is the share that
    is kept?""")
E.slip("(k", "(~k", """you dropped the weights that should stay: `kept` is True where a weight is
    kept.""")
for wrong in (lambda w, k, p, on: drop(w, k, p, True), lambda w, k, p, on: w * k / (1 - p)):
    E.mistake(wrong, """your answer is right in training, but you also drop weights in evaluation. Look at
        the last argument.""")
E.mistake(lambda w, k, p, on: w * k if on else w * (1 - p), """you shrink the weights in
    evaluation, to make up for training. The first form of dropout did this. PyTorch increases the
    kept weights in training instead.""")
for wrong in (lambda w, k, p, t: drop(w, k, p, not t), lambda w, k, p, t: [w * k / (1 - p), w][t]):
    E.mistake(wrong, "your answer is reversed: it drops in evaluation and not in training.")
E.slip(LAST, "weights", """you never change the weights, but in training some of them have to
    become 0.""")
E.mistake(lambda w, kept, p, on: torch.dropout(w, p, on), """you draw which weights to drop, as
    `nn.Dropout` and `F.dropout` do. Here they are already drawn: `kept` says which ones stay.""")

@E.law
def evaluation_changes_nothing(out, weights, kept, p, training):
    """in evaluation the weights must not change"""
    return training or torch.equal(out, weights)

@E.law
def dropped_are_0(out, weights, kept, p, training):
    """in training, every weight that isn't kept has to be 0 (don't draw at random: `kept` says
    which ones stay)"""
    return not training or bool((out[~kept] == 0).all())

E.hint("There are two cases. In one of them the weights don't change at all.")
E.hint("""`weights * kept` puts a 0 where kept is False. How much of a row is then missing on
    average?""")
E.hint("A share of 1 - p is kept, so divide the kept weights by 1 - p.")
