"""Set the forbidden weights to 0 and divide each row by its sum, so that it sums to 1."""

import torch

from chapters.laws import nothing_forbidden, rows_sum_to_1
from course.learn.record import Exercise

E = Exercise(__name__,
    inputs=[(torch.tensor([[0.5, 0.5], [0.25, 0.75]]), torch.ones(2, 2).tril().bool()),
            (torch.tensor([[0.5, 0.25, 0.25]] * 3), ~torch.eye(3).bool())],
    draw=lambda d: (d.tensor(*(s := d.sizes(d.choice([2, 3, 3]), least=2))).softmax(dim=-1),
                    d.mask(*s[-2:])))

@E.answer
def mask_weights(weights, mask):
    kept = weights * mask
    return kept / kept.sum(dim=-1, keepdim=True)

E.slip(" / kept.sum(dim=-1, keepdim=True)", "", """your forbidden weights are 0, but their share is
    lost, so your rows sum to less than 1. Divide what is left in each row by its sum.""")
E.slip(", keepdim=True", "", """without `keepdim=True` your row sums are treated as a row, so
    column j is divided by the sum of row j. Keep the sums as a column.""")
E.slip("dim=-1", "dim=-2", """your columns sum to 1, not your rows: which axis does your sum run
    over? A row belongs to the position that looks.""")
E.slip("dim=-1", "dim=1", """your answer is right for one matrix, but wrong for a batch. The keys
    are always the last axis, so count from the end.""")
E.slip("dim=-1", "dim=0", """you use `dim=0`, which runs down the columns of a matrix, and across
    the sequences of a batch. A row belongs to the position that looks, so sum over the last axis,
    the keys.""")
E.slip("dim=-1, keepdim=True", "", "you divide everything by one sum. Each row needs its own.")
E.mistake(lambda w, mask: (w * mask).softmax(dim=-1), """your second softmax gives the forbidden
    keys weight again, because their weight is 0 and exp(0) is 1. Divide by the sum instead.""")
E.slip("s * m", "s.exp() * m", """you ran softmax over weights that came from a softmax. That keeps
    the forbidden ones at 0, but makes the others too similar. The ratios of the weights must not
    change.""")
E.slip("* m", "* ~m", """you kept the forbidden weights instead of the allowed ones: True means that
    a query may look.""")
E.slip("weights * mask", "weights.tril()", """your answer is right only if the mask is a triangle.
    Do you use the mask?""")
E.slip("weights * mask", "weights.mul_(mask)", """you overwrote the weights you were given, so the
    caller has lost them. (`*=` writes into its left side.) Make a new tensor.""")

E.law(rows_sum_to_1, nothing_forbidden)
E.hint("""There are two steps. What does a forbidden weight become, and what does the row then sum
    to?""")
E.hint("Multiply by the mask. Then divide each row by its own sum.")
E.hint("Use `kept = weights * mask`. The sum needs `dim=-1, keepdim=True`.")
