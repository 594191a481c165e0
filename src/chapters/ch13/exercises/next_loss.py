"""The mean loss, in nats, of a model that read `ids` and gave `logits` for what follows each of them."""

import torch
import torch.nn.functional as F

from course.learn.draws import quarters
from course.learn.record import Exercise


def given(B, T, V, seed):
    draw = torch.Generator().manual_seed(seed)
    return quarters(B, T, V, seed=seed), torch.randint(V, (B, T), generator=draw)

GIVEN = [given(1, 3, 4, 1), given(2, 5, 7, 2), given(3, 4, 11, 3), given(2, 3, 3, 5)]

def drawn(d):
    B, T, V = d.sizes(3, least=3)
    return d.tensor(B, T, V, scales=(1, 4)), d.whole(0, V, B, T)

E = Exercise(__name__, GIVEN, drawn)

@E.answer
def next_loss(logits, ids):
    guesses = logits[:, :-1]
    happened = ids[:, 1:]
    return F.cross_entropy(guesses.flatten(0, 1), happened.flatten())

SHIFTED = "guesses = logits[:, :-1]\n    happened = ids[:, 1:]"
CALL = "F.cross_entropy(guesses.flatten(0, 1), happened.flatten())"
E.slip("logits[:, :-1]", "logits[:, :-2]\n    ids = ids[:, 1:]", """you shifted twice, so each
    guess is judged by the id two positions later. The same happens if the targets are already
    shifted and a model's own loss shifts them again. Here `ids` are the ids that the model read,
    so shift once.""")
E.slip(SHIFTED, "guesses = logits\n    happened = ids", """you judge each guess by the id that the
    model had just read. A model that copies its input would have a loss of 0. Which id is the
    guess at position t about?""")
E.slip(SHIFTED, "guesses = logits[:, 1:]\n    happened = ids[:, :-1]", """you shifted the wrong
    way, so each guess is judged by the previous id. The guess at position t is about id t + 1.""")
E.slip(SHIFTED, "guesses = logits\n    happened = ids.roll(-1, dims=1)", """`roll` moves the first
    id to the end, so the last guess is judged by it. The last guess has no target here, so leave
    it out.""")
E.slip(SHIFTED, "guesses = logits[:-1]\n    happened = ids[1:]", """you shifted along the batch, so
    each sequence is judged by the ids of the next one. Which axis holds the positions?""")
E.slip(CALL, "F.cross_entropy(guesses.flatten(0, 1), happened.flatten(), reduction='sum')", """you
    returned the sum. Divide it by the number of guesses.""")
E.slip(CALL,
       "F.cross_entropy(guesses.flatten(0, 1), happened.flatten(), reduction='sum') / ids.numel()",
    """you divide by all B T ids, but only T - 1 guesses of each sequence are judged.""")
E.slip(CALL, "F.cross_entropy(guesses.softmax(-1).flatten(0, 1), happened.flatten())", """you apply
    a softmax, but `F.cross_entropy` does that itself. Give it the logits.""")
E.slip(CALL, "F.cross_entropy(guesses[:, -1], happened[:, -1])", """you judge only one guess of
    each sequence. Every position but the last has a target.""")

@E.law
def one_mean_not_negative(loss, logits, ids):
    """the loss has to be one number that isn't negative"""
    return loss.shape == () and bool(loss >= 0)

E.hint("The guess at position t is about id t + 1. Which guess has no such id?")
E.hint("Leave out the last position of the logits, and the first of the ids.")
E.hint("""`logits[:, :-1]` is (B, T - 1, V), and `ids[:, 1:]` is (B, T - 1). Flatten them for
    `F.cross_entropy`, to (N, V) and (N,).""")
