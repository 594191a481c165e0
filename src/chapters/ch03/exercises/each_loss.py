"""Return the cross-entropy of each guess, shape (B, T)."""

import torch.nn.functional as F

from chapters.ch03.exercises.batch_loss import ONE, SIX, drawn
from chapters.laws import no_loss_is_negative
from course.learn.record import Exercise

E = Exercise(__name__, [ONE, SIX], drawn)

@E.answer
def each_loss(logits, targets):
    return F.cross_entropy(logits.permute(0, 2, 1), targets, reduction="none")

E.slip("permute(0, 2, 1)", "view(len(logits), -1, logits.shape[1])", """`view(B, V, T)` doesn't
    move an axis. It only divides the memory differently. When the classes move to axis 1, each
    number has to keep its b, its t and its v.""")
E.slip(".permute(0, 2, 1)", "", """your classes are still on the last axis. `F.cross_entropy`
    expects them on axis 1.""")
E.slip(', reduction="none"', "", """you return the mean over all guesses. `reduction="none"` keeps
    their losses separate.""")
E.slip('"none")', '"none").view(-1)', """your losses are right, but they are in one long row. Which
    shape should they have?""")
E.slip("logits.permute(0, 2, 1), targets", "logits.permute(1, 2, 0), targets.T", """your result has
    the shape (T, B), because you swapped the batch axis and the time axis. Don't move axis 0.""")
E.slip('"none")', '"none").mean(dim=1)', """you return one loss per sequence. But every position
    is a guess, with its own loss.""")
E.slip('"none")', '"none")[..., None]', """your losses are right, but their shape is (B, T, 1), as
    after `gather`. `squeeze(-1)` removes the last axis.""")
E.slip("return F", "return -F", "your sign is wrong: a cost can't be negative.")
E.slip('"none")', '"none").neg().exp()', """you return the probabilities of the targets. The
    costs are minus their logarithms.""")
E.slip("logits.permute", "logits.softmax(-1).permute", """you apply softmax twice:
    `F.cross_entropy` takes logits and applies softmax itself.""")
E.slip("permute(0, 2, 1), targets", "mT[..., :-1], targets[:, 1:]", """you shift the targets again,
    so you lose a position. They are already shifted.""")
E.mistake(lambda a, i: -a.log_softmax(1).gather(-1, i[..., None])[..., 0], """your softmax runs
    over the positions, which are axis 1 of (B, T, V). The classes are the last axis.""")

E.law(no_loss_is_negative)

@E.law
def mean_is_the_loss_of_the_batch(losses, logits, targets):
    """the mean of the losses has to be the loss of the batch"""
    costs = logits.logsumexp(dim=-1) - logits.gather(-1, targets[..., None])[..., 0]
    return bool((losses.mean() - costs.mean()).abs() <= 1e-4 * costs.max().clamp(min=1))

E.hint("Which axis holds the classes now, and where does `F.cross_entropy` look for them?")
E.hint("`permute` lists the old axes in their new order. (B, T, V) should become (B, V, T).")
E.hint("""Use `logits.permute(0, 2, 1)`, the unchanged targets, and `reduction="none"`.""")
