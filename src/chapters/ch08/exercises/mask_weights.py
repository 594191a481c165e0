"""Set the forbidden weights to 0 and share each row out again, so that it sums to 1."""

import torch

from chapters.laws import nothing_forbidden, rows_sum_to_1
from course.learn.record import Exercise

E = Exercise(
    __name__,
    inputs=[(torch.tensor([[0.5, 0.5], [0.25, 0.75]]), torch.ones(2, 2).tril().bool()),
            (torch.tensor([[0.5, 0.25, 0.25]] * 3), ~torch.eye(3).bool())],
    draw=lambda d: (d.tensor(*(s := d.sizes(d.choice([2, 3, 3]), least=2))).softmax(dim=-1),
                    d.mask(*s[-2:])),
)


@E.answer
def mask_weights(weights, mask):
    kept = weights * mask
    return kept / kept.sum(dim=-1, keepdim=True)


E.slip(" / kept.sum(dim=-1, keepdim=True)", "", """the forbidden weights are gone, but what they
    held is lost: your rows sum to less than 1. Share out again what is left in each row.""")
E.slip(", keepdim=True", "", """without `keepdim=True` the row sums have one axis and
    count as a row, and column j is divided by row j's sum. Keep them standing as a column.""")
E.slip("dim=-1", "dim=-2", """your columns sum to 1, not your rows: which axis does your sum run
    over? A row belongs to the position that looks.""")
E.slip("dim=-1", "dim=1", """right for one matrix, wrong for a batch: the columns of a row are the
    last axis, whatever comes before. Count from the end.""")
E.slip("dim=-1", "dim=0", """`dim=0` runs down the columns of a matrix, and across the sequences of
    a batch. A row belongs to the position that looks: the keys are the last axis.""")
E.slip("dim=-1, keepdim=True", "", "you divide everything by one sum. Each row needs its own.")
E.mistake(lambda w, mask: (w * mask).softmax(dim=-1), """a second softmax brings the forbidden ones
    back: their weight is 0, and exp(0) is 1. To share out again, divide by the sum.""")
E.slip("s * m", "s.exp() * m", """you ran softmax over weights that came from a softmax. That keeps
    the forbidden ones at 0, but makes the others nearly equal. Ratios of weights have to stay.""")
E.slip("* m", "* ~m", "you kept what is forbidden, not what is allowed: True means may look.")
E.slip("weights * mask", "weights.tril()", "right if the mask is a triangle. Do you look at it?")
E.slip("weights * mask", "weights.mul_(mask)", """you overwrote the weights you were given (`*=`
    writes into its left side), so the caller has lost them. Make a new tensor.""")

E.law(rows_sum_to_1, nothing_forbidden)
E.hint("Two steps: what does a forbidden weight become, and what does the row sum to then?")
E.hint("Multiply by the mask. Then divide each row by its own sum.")
E.hint("`kept = weights * mask`, and the sum needs `dim=-1, keepdim=True`.")
