"""Predict the shapes of six expressions of x, which has shape (2, 5, 3), as a list of tuples."""

import torch

from course.learn.record import Exercise

E = Exercise(__name__, inputs=[()])

@E.answer
def six_shapes():
    return [
        (5, 3),  # x[1]: one sequence is picked, so the batch axis is gone
        (2, 3),  # x.sum(dim=1): the positions are summed away
        (2, 5, 1),  # x.mean(dim=-1, keepdim=True): the channels shrink to one
        (2, 5, 3),  # x + column: the one channel of the column is repeated
        (2, 5, 4),  # x @ w: (5, 3) @ (3, 4), for each sequence
        (2, 5, 5),  # x @ x.transpose(-2, -1): (5, 3) @ (3, 5), for each sequence
    ]

E.slip("(5, 3),", "(2, 3),", """shape 1: you took the index 1 for axis 1. The first number in the
    brackets is an index on axis 0, so it chooses a sequence.""")
E.slip("(5, 3),", "(1, 5, 3),", "shape 1: you kept the axis, as a slice would. An index takes it away.")
E.slip("(2, 3),", "(5,),", """shape 2: you kept the axis that `dim` names and dropped the others.
    `dim` names the axis that disappears.""")
E.slip("(2, 3),", "(2, 1, 3),", "shape 2: you left an axis of size 1, which only `keepdim=True` would do.")
E.slip("(2, 3),", "(2, 5),", "shape 2: you summed along the last axis. `dim=1` is the middle one.")
E.slip("(2, 3),", "(5, 3),", "shape 2: you summed over the batch. `dim=1` is the middle axis.")
E.slip("(2, 5, 1),", "(2, 5),", "shape 3: you overlooked `keepdim=True`. The axis stays, with size 1.")
E.slip("(2, 5, 3),", "(2, 5, 1),", """shape 4: you shrank the channels to 1. Broadcasting repeats
    the size of 1 until it fits the larger one. Which operand is repeated here?""")
E.slip("(2, 5, 3),", "(2, 5, 4),", "shape 4: you appended the column, but `+` repeats it to fit x and then adds.")
E.slip("(2, 5, 4),", "(2, 4),", """shape 5: you lost the positions. `@` multiplies the last two axes,
    (5, 3) @ (3, 4). Which of these sizes stay?""")
E.slip("(2, 5, 5),", "(2, 3, 3),", """shape 6: you summed over the positions and kept the channels.
    In (5, 3) @ (3, 5), which size appears twice in the middle and disappears?""")
E.slip("(2, 5, 5),", "(2, 5, 3),", """shape 6: this is x's own shape. The last axis of the result
    comes from the right operand, and that one is transposed.""")
for wrong in lambda: [list(shape) for shape in six_shapes()], lambda: [*sum(six_shapes(), ())]:
    E.mistake(wrong, "your numbers are right, but a shape is a tuple. Write round brackets, such as `(5, 3)`.")

@E.law
def six_of_them(shapes):
    """there have to be six shapes"""
    return len(shapes) == 6

@E.law
def all_are_tuples(shapes):
    """every shape has to be a tuple, such as `(5, 3)` or `(3,)`"""
    return all(isinstance(shape, tuple) for shape in shapes)

ASKED = ["which axis does one index take away?", "`dim` names the axis that disappears",
         "`keepdim=True` keeps the axis, with size 1",
         "line the shapes up from the right; a size of 1 is repeated to fit",
         "the last two axes are multiplied, and the batch axis stays",
         "what is the shape of the operand on the right-hand side?"]
X = torch.zeros(2, 5, 3)
SIX = [X[1], X.sum(dim=1), X[:, :, :1], X + torch.zeros(5, 1), X @ torch.zeros(3, 4), X @ X.mT]

def shape_is_right(n, asked):
    def law(shapes):
        return tuple(shapes[n]) == SIX[n].shape

    law.__doc__ = f"shape {n + 1} isn't right: {asked}"
    return law

E.law(*map(shape_is_right, range(6), ASKED))
E.hint("Take the expressions one by one. Write the names above the sizes: B = 2, T = 5, C = 3.")
E.hint("""An index takes an axis away, and so does a sum; `keepdim` leaves it with size 1. `+`
    repeats sizes of 1. `@` matches the last axis of the left operand with the second-to-last of the
    right one.""")
E.hint("""For the last two, forget the batch at first. A 5 by 3 matrix is multiplied by a 3 by 4
    matrix, and then by a 3 by 5 matrix. Then put the 2 back in front.""")
