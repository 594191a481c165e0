"""The mean cost of the real targets of a padded batch: the first lengths[b] of row b."""

import torch
import torch.nn.functional as F

from course.learn.draws import quarters
from course.learn.record import Exercise


def given(lengths, T, V, seed):
    draw = torch.Generator().manual_seed(seed)
    B = len(lengths)
    targets = torch.randint(V, (B, T), generator=draw)
    return quarters(B, T, V, seed=seed), targets, torch.tensor(lengths)

GIVEN = [given([3, 1], 3, 4, 1), given([2, 5, 4], 5, 7, 2), given([1, 1, 6], 6, 3, 3), given([4, 4], 4, 5, 4)]

def drawn(d):
    B, T, V = d.sizes(3, least=2)
    return given([d.randint(1, T) for _ in range(B)], T, V, d.getrandbits(20))

E = Exercise(__name__, GIVEN, drawn)

@E.answer
def padded_loss(logits, targets, lengths):
    costs = F.cross_entropy(logits.mT, targets, reduction="none")
    real = torch.arange(targets.shape[1]) < lengths[:, None]
    return (costs * real).sum() / real.sum()

E.slip("(costs * real).sum() / real.sum()", "costs.mean()", """your mean also counts the padding. A
    model that learns to guess padding would then look good.""")
E.slip("real.sum()", "real.numel()", """you left the costs of the padding out of the sum, but still
    divide by the number of all targets. The more padding there is, the lower your loss becomes.""")
E.slip("(costs * real).sum() / real.sum()", "((costs * real).sum(1) / real.sum(1)).mean()", """you
    took the mean of each sequence, and then the mean of these means. So a character of a short
    sequence counts more than one of a long one. Add up all costs, and divide once.""")
E.slip(" / real.sum()", "", "you returned the sum. Divide it by the number of real targets.")
E.slip("real.sum()", "len(lengths)", "you divide by the number of sequences. How many targets are real?")
E.slip("< lengths[:, None]", ">= lengths[:, None]", """you kept the padding and left out the text.
    (If there is no padding, this gives 0 / 0, which is nan.)""")
E.slip("< lengths[:, None]", "<= lengths[:, None]", """you count one target too many in each
    sequence. The real targets are at positions 0 to length - 1.""")
E.slip("< lengths[:, None]", "< lengths[:, None] - 1", """you count one target too few in each
    sequence. (If every length is 1, no target is left.)""")
E.slip("(costs * real).sum() / real.sum()", "((costs * real).sum(0) / real.sum(0).clamp(min=1)).mean()",
    """you took the mean of each position, over the sequences that reach it, and then the mean of
    these means. The last positions have few targets, but count as much as the first.""")

@E.law
def padding_moves_nothing(loss, logits, targets, lengths):
    """the loss has to be one number, and at most the largest cost of a real target"""
    costs = -torch.log_softmax(logits, -1).gather(-1, targets[..., None])[..., 0]
    real = torch.arange(targets.shape[1]) < lengths[:, None]
    return loss.shape == () and bool(loss <= costs[real].max() + 1e-4)

E.hint("Two things can go wrong: the sum of the costs, and the number that you divide it by.")
E.hint("`torch.arange(T) < lengths[:, None]` is True where a target is real.")
E.hint("""`F.cross_entropy(logits.mT, targets, reduction="none")` gives the cost of each target,
    (B, T). Set the costs of the padding to 0, add up, and divide by the number of real
    targets.""")
