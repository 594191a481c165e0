"""Return the cross-entropy of every single guess, shape (B, T)."""

import torch.nn.functional as F

from chapters.ch03.exercises.batch_loss import ONE, SIX, drawn
from chapters.laws import no_loss_is_negative
from course.learn.record import Exercise

E = Exercise(__name__, [ONE, SIX], drawn)

@E.answer
def each_loss(logits, targets):
    return F.cross_entropy(logits.permute(0, 2, 1), targets, reduction="none")

E.slip("permute(0, 2, 1)", "view(len(logits), -1, logits.shape[1])", """`view(B, V, T)` doesn't
    move an axis, it only cuts the memory in other places. To move the classes to axis 1, each
    number has to keep its b, its t and its v.""")
E.slip(".permute(0, 2, 1)", "", """the classes are still on the last axis. `F.cross_entropy` wants
    them on axis 1.""")
E.slip(', reduction="none"', "", """this is the mean over all guesses. `reduction="none"` keeps
    them apart.""")
E.slip('"none")', '"none").view(-1)', """the losses are right, but they lie in one long row. Which
    shape should they have?""")
E.slip("logits.permute(0, 2, 1), targets", "logits.permute(1, 2, 0), targets.T", """your result is
    (T, B): the batch axis and the time axis have changed places. Leave axis 0 where it is.""")
E.slip('"none")', '"none").mean(dim=1)', """this is one loss per sequence. Every position of it is
    a guess of its own.""")
E.slip('"none")', '"none")[..., None]', """the losses are right, with an axis too many, as `gather`
    leaves it: (B, T, 1). `squeeze(-1)` takes it away.""")
E.slip("return F", "return -F", "the sign is turned: a cost can't be negative.")
E.slip('"none")', '"none").neg().exp()', """these are the probabilities of the targets. The cost is
    minus their logarithm.""")
E.slip("logits.permute", "logits.softmax(-1).permute", """softmax ran twice: `F.cross_entropy`
    takes logits and does its own softmax.""")
E.slip("permute(0, 2, 1), targets", "mT[..., :-1], targets[:, 1:]", """you shift once more, and
    lose a position. The targets are shifted already.""")
E.mistake(lambda a, i: -a.log_softmax(1).gather(-1, i[..., None])[..., 0], """your softmax runs
    over the positions: in (B, T, V) they are axis 1. The classes are the last axis.""")

E.law(no_loss_is_negative)

@E.law
def mean_is_the_loss_of_the_batch(losses, logits, targets):
    """the mean of the losses has to be the loss of the batch"""
    costs = logits.logsumexp(dim=-1) - logits.gather(-1, targets[..., None])[..., 0]
    return bool((losses.mean() - costs.mean()).abs() <= 1e-4 * costs.max().clamp(min=1))

E.hint("Which axis holds the classes now, and where does `F.cross_entropy` look for them?")
E.hint("`permute` lists the old axes in their new order. (B, T, V) should become (B, V, T).")
E.hint("""`logits.permute(0, 2, 1)` with the targets as they are, and `reduction="none"`.""")
