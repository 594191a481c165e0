"""Return the mean cross-entropy in nats of logits (B, T, V) and targets (B, T)."""

import torch
import torch.nn.functional as F

from chapters.laws import no_loss_is_negative
from course.learn.draws import quarters
from course.learn.record import Exercise

ONE = quarters(1, 1, 2, seed=1), torch.tensor([[1]])
SIX = quarters(2, 3, 5, seed=2), torch.tensor([[4, 0, 1], [2, 2, 3]])

def drawn(d):
    B, T, V = d.sizes(3)
    return d.tensor(B, T, V, scales=(0.25, 1, 1, 8, 1000)), d.whole(0, V, B, T)

E = Exercise(__name__, [ONE, SIX], drawn)

@E.answer
def batch_loss(logits, targets):
    B, T, V = logits.shape
    return F.cross_entropy(logits.view(B * T, V), targets.view(B * T))

CALL = "F.cross_entropy(logits.view(B * T, V), targets.view(B * T))"
for wrong in ("(B, V, T), targets", "(V, B * T).T, targets.view(B * T)"):
    E.slip("(B * T, V), targets.view(B * T)", wrong, """your `view` gives the right shape,
        but the wrong contents. It regroups the numbers in their order in memory, so each
        distribution mixes several rows. Keep V as the last axis when you use `view`.""")
E.slip(CALL, "F.cross_entropy(logits, targets)", """`F.cross_entropy` looks for the classes on axis
    1, but your axis 1 has the positions. Which two axes can you join so that the classes move to
    axis 1? (If you have already joined them: V differs from input to input, so take it from
    `logits.shape`.)""")
E.slip("logits.v", "logits.softmax(-1).v", """you apply softmax twice: `F.cross_entropy` takes
    logits and applies softmax itself. If you give it probabilities, the loss can't come near
    0.""")
E.slip("(B * T))", "(B * T), reduction='sum')", """you return the sum over all guesses, which grows
    with the batch. You can compare batches only by their mean.""")
E.slip(CALL, "F.cross_entropy(logits[:, -1], targets[:, -1])", """you count only the last position
    of each sequence. Every position is a guess, so there are B * T guesses.""")
E.slip(CALL, "-logits.softmax(-1).gather(-1, targets[..., None]).mean()", """you return minus the
    mean probability. But a guess costs minus the logarithm of the target's probability.""")
E.slip("F.cross_entropy", "F.nll_loss", """your cost is minus the logit. But one logit means nothing
    by itself: softmax compares it with the others in its row.""")
E.slip("targets.view", "targets.T.reshape", """you flatten the logits sequence by sequence, but the
    targets position by position, so they no longer match. Flatten both in the same order.""")
E.slip("(B * T))", "(B * T)) / 0.6931472", """your loss is in bits. The unit here is the nat, so
    don't divide by ln 2.""")
E.slip(CALL, "-logits.log_softmax(1).gather(-1, targets[..., None]).mean()", """your softmax runs
    over the positions, which are axis 1 of (B, T, V). The classes are the last axis.""")

E.law(no_loss_is_negative)

@E.law
def between_cheapest_and_dearest(loss, logits, targets):
    """the loss is the mean cost of a guess, so it has to lie between the lowest and the highest
    cost"""
    costs = -torch.log_softmax(logits, dim=-1).gather(-1, targets[..., None])
    return bool(0.9999 * costs.min() - 1e-4 <= loss <= 1.0001 * costs.max() + 1e-4)

E.hint("How many guesses are there in the batch? Each has V scores and one target.")
E.hint("""`F.cross_entropy` accepts scores of shape (N, V) and targets of shape (N,). What is N
    here?""")
E.hint("Take `logits.view(B * T, V)` and `targets.view(B * T)`, with `B, T, V = logits.shape`.")
