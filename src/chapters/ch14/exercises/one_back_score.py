"""The mean weight, in each map, from a position to the one before it."""

import torch

from course.learn.draws import shares
from course.learn.record import Exercise

SMALL = torch.tensor([[1, 0, 0], [0.75, 0.25, 0], [0.125, 0.25, 0.625]])

def drawn(d):
    T, *others = d.sizes(d.randint(1, 3), least=2)
    if d.n % 2:
        return (d.shares(*others, T, T),)
    hidden = torch.ones(T, T).triu(1).bool()
    return (torch.softmax(d.tensor(*others, T, T).masked_fill(hidden, -torch.inf), dim=-1),)

E = Exercise(__name__, trained=False, draw=drawn, without=("attention",),
    inputs=[(SMALL[:2, :2],), (SMALL,), (shares(3, 3, seed=1),), (shares(2, 3, 4, 4, seed=2),)])

@E.answer
def one_back_score(weights):
    before = weights.diagonal(offset=-1, dim1=-2, dim2=-1)
    return before.mean(dim=-1)

E.slip("offset=-1", "offset=1", """you take the weight from each position to the one *after* it.
    Rows look and columns are looked at, so take row t and column t - 1.""")
E.slip("offset=-1", "offset=0", "you measure how much each position looks at itself.")
E.slip("before.mean(dim=-1)", "before.sum(dim=-1) / weights.shape[-1]", """you divide by T. There is
    no position before 0, so there are only T - 1 weights, and a perfect head would score less than
    1.""")
E.slip("before.mean(dim=-1)", "before.sum(dim=-1)", """you returned the sum. How many weights are in
    it?""")
E.slip("before.mean(dim=-1)", "before.mean()", """you return one number for all maps. Each map has
    its own score, so take the mean only over the positions. A mean over the heads hides the one
    that looks back.""")
E.slip("before.mean(dim=-1)", "before.mean(dim=-1).mean(dim=-1) if before.dim() > 1 else before.mean()",
    """you average over the heads as well. Each map has its own score; otherwise the one head that
    looks back disappears in the average.""")
E.slip("before.mean(dim=-1)", "before.mean(dim=-1).mean(dim=0) if before.dim() > 1 else before.mean()",
    """you average over the first axis as well. Each map has its own score, in each text and each
    head.""")
E.slip(", dim1=-2, dim2=-1", "", """your diagonal runs through the first two axes. With several
    heads these aren't the positions. Pass the last two axes explicitly.""")
E.slip("before.mean(dim=-1)", "before.amax(dim=-1)", """you take the largest of the weights, so a
    single position is enough for a high score. Take the mean.""")
E.slip("before = weights.diagonal(offset=-1, dim1=-2, dim2=-1)",
       "before = torch.softmax(weights, dim=-1).diagonal(offset=-1, dim1=-2, dim2=-1)", """you
    apply a softmax to the weights, which are already shares. That makes them too similar.""")
E.slip("before = weights.diagonal(offset=-1, dim1=-2, dim2=-1)", "before = weights[..., 1:, 0]",
    """you take the first column, which shows how much the later positions look at position 0.""")
E.mistake(lambda weights: weights[..., torch.arange(T := weights.shape[-1]), torch.arange(T) - 1].mean(-1),
    """your position 0 looks at column -1, which is the last one. There is no position before 0, so
    leave it out.""")
E.mistake(lambda w: (w.diagonal(-1, -2, -1).sum(-1) + w[..., 0, 0]) / w.shape[-1], """you count the
    weight that position 0 gives to itself. There is no position before 0, so leave it out.""")
E.mistake(lambda w: (w.argmax(-1)[..., 1:] == torch.arange(w.shape[-1] - 1)).float().mean(-1), """
    you count how often the position before has the largest weight. Return the mean of the weights,
    so that a weight of 0.9 counts more than one of 0.4.""")

@E.law
def within_the_weights_to_the_one_before(scores, weights):
    """each score has to lie between the smallest and the largest of its map's weights to the position
    before"""
    rows = torch.arange(1, weights.shape[-1])
    low, high = weights[..., rows, rows - 1].aminmax(dim=-1)
    return bool(((scores >= low - 1e-4) & (scores <= high + 1e-4)).all())

E.hint("""Where in a (4, 4) map is the weight from position 3 to position 2? And where are the other
    weights to the position before?""")
E.hint("""They lie on the diagonal below the main one, which has T - 1 numbers, for the rows from 1
    on.""")
E.hint("""`weights.diagonal(-1, dim1=-2, dim2=-1)` has the positions as its last axis, whatever axes
    come before.""")
