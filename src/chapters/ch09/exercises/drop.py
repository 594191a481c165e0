"""Drop the weights that are not kept, as nn.Dropout does; `training` decides whether."""

import torch

from course.learn.record import Exercise

HALVES = torch.tensor([[1.0, 0.0], [0.5, 0.5]])
ONE_LEFT = torch.tensor([[False, True], [True, False]])
E = Exercise(
    __name__,
    inputs=[(HALVES, ONE_LEFT, 0.5, True), (HALVES, ONE_LEFT, 0.5, False),
            (HALVES, HALVES < 0, 1.0, True), (HALVES, HALVES > 0, 0.95, True),
            (HALVES, HALVES < 0, 1.0, False)],
    draw=lambda d: (d.shares(*(s := d.sizes(d.randint(2, 4)))), d.whole(0, 100, *s) >= 100 * (
        p := d.choice([0.0, 0.1, 0.25, 0.5, 0.75, 0.99, 1.0])), p, d.random() < 0.7),
)


@E.answer
def drop(weights, kept, p, training):
    if not training:
        return weights
    return torch.where(kept, weights / (1 - p), 0.0)


LAST = "torch.where(kept, weights / (1 - p), 0.0)"
E.slip(LAST, "weights * kept / (1 - p)", """right until p = 1, where 1 - p is 0: 0 / 0 is nan, and
    so is inf times 0. Nothing is kept then, so all is 0: write the zeros last.""")
E.slip(LAST, "weights * kept / (weights * kept).sum(-1, True)", """you made the rows sum to 1.
    Dropout doesn't: an empty row would be 0/0; sums are right only on average. Divide by what?""")
E.slip("weights / (1 - p)", "weights", """you drop, but the rest stays as it is, so a row sums to
    less than 1 on average. By what has what is kept to grow, if a share of 1 - p is kept?""")
E.slip("/ (", "* (", "you made the kept weights smaller. They have to make up for those missing.")
E.slip("/ (1 - p)", "* 2", "you doubled what is kept, right for p = 0.5. What about another p?")
E.slip(LAST, "weights * kept / kept.float().mean()", """you divided by the share that happened to
    be kept. Dropout divides by the share kept on average, which depends on p alone.""")
E.slip("(1 - p)", "p", "you divided by p, the share dropped. How large is the share kept?")
E.slip("(k", "(~k", "you dropped what should stay: `kept` is True where a weight stays.")
for wrong in (lambda w, k, p, on: drop(w, k, p, True), lambda w, k, p, on: w * k / (1 - p)):
    E.mistake(wrong, "right in training, but you drop in evaluation too: see the last argument.")
E.mistake(lambda w, k, p, on: w * k if on else w * (1 - p), """you let evaluation make up for
    training. That was dropout's first form; PyTorch grows what is kept, in training.""")
for wrong in (lambda w, k, p, t: drop(w, k, p, not t), lambda w, k, p, t: [w * k / (1 - p), w][t]):
    E.mistake(wrong, "yours is the wrong way round: it drops in evaluation, not in training.")
E.slip(LAST, "weights", "your weights are never changed: in training some have to go.")
E.mistake(lambda w, kept, p, on: torch.dropout(w, p, on), """you draw which weights go, as
    `nn.Dropout` and `F.dropout` do. Here they are drawn already: `kept` says which stay.""")

@E.law
def evaluation_changes_nothing(out, weights, kept, p, training):
    """in evaluation nothing may change"""
    return training or torch.equal(out, weights)

@E.law
def dropped_are_0(out, weights, kept, p, training):
    """in training, what is not kept has to be 0 (don't draw: `kept` says what stays)"""
    return not training or bool((out[~kept] == 0).all())

E.hint("Two cases: in one of them nothing happens at all.")
E.hint("`weights * kept` puts a 0 where kept is False. What is missing on average?")
E.hint("A share of 1 - p stays, so what stays is divided by 1 - p.")
