"""Chapter 00, start here: its exercises and its quiz."""

import torch

from course.exercise import Exercise, Law, Mistake
from course.quiz import Option, Question
from course.sources import Source

# 1. Six shapes


def six_shapes():
    return [
        (5, 3),  # x[1]: one sequence is picked, so the batch axis is gone
        (2, 3),  # x.sum(dim=1): the positions are summed away
        (2, 5, 1),  # x.mean(dim=-1, keepdim=True): the channels shrink to one
        (2, 5, 3),  # x + column: the one channel of the column is repeated
        (2, 5, 4),  # x @ w: (5, 3) @ (3, 4), for each sequence
        (2, 5, 5),  # x @ x.transpose(-2, -1): (5, 3) @ (3, 5), for each sequence
    ]


def _but(place, shape):
    """The right six shapes, but for one."""

    def wrong():
        shapes = six_shapes()
        shapes[place] = shape
        return shapes

    return wrong


def _shape(place, says):
    right = six_shapes()[place]
    return Law(f"shape {place + 1} isn't right: {says}", lambda s: tuple(s[place]) == right)


SIX_SHAPES = Exercise(
    id="00.six_shapes",
    asks="Predict the shapes of six expressions of x, shape (2, 5, 3), as a list of tuples.",
    reference=six_shapes,
    inputs=[()],
    mistakes=[
        Mistake(
            _but(0, (2, 3)),
            "shape 1: you took the index 1 for axis 1. The first place in the brackets belongs to "
            "axis 0: which sequence.",
        ),
        Mistake(
            _but(1, (5,)),
            "shape 2: you kept the axis that `dim` names and dropped the others. `dim` names the "
            "axis that disappears.",
        ),
        Mistake(
            _but(1, (2, 1, 3)),
            "shape 2: an axis of size 1 is left over only where `keepdim=True` asks for it.",
        ),
        Mistake(
            _but(1, (2, 5)),
            "shape 2: you summed along the last axis. `dim=1` is the middle one, counted from 0.",
        ),
        Mistake(
            _but(2, (2, 5)),
            "shape 3: you overlooked `keepdim=True`. The axis isn't dropped, it shrinks to 1.",
        ),
        Mistake(
            _but(3, (2, 5, 1)),
            "shape 4: broadcasting stretches the smaller size to the larger one, never the other "
            "way round. Which operand is stretched here?",
        ),
        Mistake(
            _but(4, (2, 4)),
            "shape 5: `@` multiplies the last two axes. The batch axis stands before them and "
            "passes through, and the rows of x stay too.",
        ),
        Mistake(
            _but(5, (2, 3, 3)),
            "shape 6: you matched the positions and kept the channels. In (5, 3) @ (3, 5), which "
            "two sizes meet and vanish?",
        ),
        Mistake(
            _but(5, (2, 5, 3)),
            "shape 6: this is x's own shape. The last axis of the result comes from the right "
            "operand, and that one is transposed.",
        ),
        Mistake(
            lambda: [list(shape) for shape in six_shapes()],
            "right numbers. A shape is a tuple: write round brackets, such as `(5, 3)`.",
        ),
    ],
    laws=[
        Law("there have to be six shapes", lambda shapes: len(shapes) == 6),
        _shape(0, "which axis does one index take away?"),
        _shape(1, "`dim` names the axis that disappears"),
        _shape(2, "`keepdim=True` leaves the axis in its place, with one number"),
        _shape(3, "line the shapes up from the right; a size of 1 is stretched to fit"),
        _shape(4, "the last two axes are multiplied, the batch passes through"),
        _shape(5, "what shape has the right operand?"),
    ],
    hints=(
        "Take them one by one, and write the names over the sizes: B = 2, T = 5, C = 3.",
        "An index and a sum take an axis away. `keepdim` leaves it with size 1. `+` stretches "
        "sizes of 1. `@` matches the last axis of the left with the second-to-last of the right.",
        "For the last two, forget the batch: a school matrix of 5 by 3 times one of 3 by 4, and "
        "times one of 3 by 5. Then put the 2 back in front.",
    ),
)

# 2. Centre every vector


def centre(x):
    return x - x.mean(dim=-1, keepdim=True)


def _centre_in_place(x):
    x -= x.mean(dim=-1, keepdim=True)
    return x


def _whole(*shape, seed):
    """Small whole numbers as floats, so that a shown example can be checked by hand."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, 10, shape, generator=generator).float()


CENTRE = Exercise(
    id="00.centre",
    asks="Subtract from every vector of x, shape (B, T, C), the mean of its own channels.",
    reference=centre,
    inputs=[
        (torch.tensor([[[1.0, 3.0], [4.0, 8.0]]]),),
        (_whole(1, 3, 3, seed=1),),
        (_whole(2, 5, 3, seed=2),),
    ],
    mistakes=[
        Mistake(
            lambda x: x - x.mean(dim=-1),
            "without `keepdim=True` the means have the shape (B, T). Lined up from the right, "
            "their T meets the channels of x: with square sizes that runs and is wrong, with "
            "others it raises.",
        ),
        Mistake(
            lambda x: x - x.mean(dim=1, keepdim=True),
            "you averaged over the positions: each channel loses its mean over the sequence. "
            "Which axis holds the numbers of one vector?",
        ),
        Mistake(
            lambda x: x - x.mean(dim=0, keepdim=True),
            "you averaged over the batch, so one sequence changes the other. Axis 0 should pass "
            "through untouched.",
        ),
        Mistake(
            lambda x: x - x.mean(),
            "`x.mean()` is one number for the whole tensor. Every vector has a mean of its own: "
            "say along which axis.",
        ),
        Mistake(
            lambda x: x.mean(dim=-1, keepdim=True),
            "these are the means. They still have to be subtracted from x.",
        ),
        Mistake(
            lambda x: x - x.sum(dim=-1, keepdim=True),
            "you subtracted the sum of the vector, not its mean.",
        ),
        Mistake(
            lambda x: x / x.mean(dim=-1, keepdim=True),
            "you divided by the mean. After subtracting it, every vector's mean is 0.",
        ),
        Mistake(
            _centre_in_place,
            "the numbers are right, but `-=` writes into the tensor that came in, and whoever "
            "passed it still needs it. Return a new one: `x - ...`.",
        ),
    ],
    laws=[
        Law(
            "the channels of every vector have to have the mean 0",
            lambda out, x: torch.allclose(out.mean(dim=-1), torch.zeros(x.shape[:-1]), atol=1e-4),
        ),
    ],
    hints=(
        "What shape do the means have, if each of the (B, T) vectors has one?",
        "To be subtracted they must line up with (B, T, C): an axis of size 1 has to stand where "
        "the channels were.",
        "`x.mean(dim=-1, keepdim=True)` has the shape (B, T, 1) and is stretched along C.",
    ),
)

# 3. Swap two axes


def swap_last_two(x):
    return x.transpose(-2, -1)


def _forgets_the_result(x):
    x.transpose(-2, -1)
    return x


SWAP = Exercise(
    id="00.swap_last_two",
    asks="Turn (B, T, C) into (B, C, T): out[b, c, t] is x[b, t, c].",
    reference=swap_last_two,
    inputs=[
        (torch.tensor([[[1, 2], [3, 4]]]),),
        (torch.arange(6).view(1, 2, 3),),
        (torch.arange(30).view(2, 3, 5),),
    ],
    mistakes=[
        Mistake(
            lambda x: x.reshape(x.shape[0], x.shape[2], x.shape[1]),
            "the shape is right and the numbers are not: `view` and `reshape` read the numbers in "
            "the old order and only break the lines elsewhere. Axes have to change places.",
        ),
        Mistake(
            _forgets_the_result,
            "x came back as it was: `transpose` doesn't change its tensor, it returns another "
            "one. Keep what it returns.",
        ),
        Mistake(
            lambda x: x.permute(2, 1, 0),
            "you turned all three axes round, so the batch stands last. The first axis has to "
            "stay where it is.",
        ),
        Mistake(
            lambda x: x.transpose(0, 1),
            "you swapped batch and positions. The last two axes are -2 and -1.",
        ),
        Mistake(
            lambda x: x[0].transpose(-2, -1),
            "only the first sequence is left. `transpose` takes the whole batch, if you say which "
            "two axes you mean.",
        ),
        Mistake(
            lambda x: x.transpose(-2, -1).reshape(x.shape),
            "first right, then undone: the last step forces the old shape on the swapped numbers "
            "and mixes positions with channels.",
        ),
        Mistake(
            lambda x: x.flip(-1),
            "`flip` turns the order round along one axis. Here two axes change places.",
        ),
    ],
    laws=[
        Law(
            "row c of the result has to hold channel c of all positions",
            lambda out, x: bool((out[:, 0] == x[:, :, 0]).all()),
        ),
    ],
    hints=(
        "Two operations give this shape. Only one of them moves the numbers to the right place.",
        "Follow one number on paper: x[0, 1, 0] has to arrive at out[0, 0, 1].",
        "`x.transpose(a, b)` swaps two axes; counted from the end they are -2 and -1.",
    ),
)

# 4. Repair hidden state


def repaired(data, T):
    n = int(0.9 * len(data))
    train_data, validation_data = data[:n], data[n:]
    whole = len(train_data) + len(validation_data) == len(data)
    tril = torch.tril(torch.ones(T, T))
    scores = torch.zeros(T, T).masked_fill(tril == 0, float("-inf"))
    return whole, scores


def _repaired(triangle, kept=0, fill=float("-inf")):
    def wrong(data, T):
        return True, torch.zeros(T, T).masked_fill(triangle(T) == kept, fill)

    return wrong


def _lower(T):
    return torch.tril(torch.ones(T, T))


REPAIRED = Exercise(
    id="00.repaired",
    asks="Make the five lines run on their own, and return (whole, scores).",
    reference=repaired,
    inputs=[(torch.arange(10), 2), (torch.arange(23), 3), (torch.arange(7), 5)],
    mistakes=[
        Mistake(
            _repaired(lambda T: torch.triu(torch.ones(T, T))),
            "you kept the upper triangle, `triu`. The line that was shown but not kept says "
            "`tril`.",
        ),
        Mistake(
            _repaired(lambda T: torch.tril(torch.zeros(T, T))),
            "your triangle was cut out of zeros, so `tril == 0` is true everywhere and every "
            "score is -inf. It is cut out of ones.",
        ),
        Mistake(
            _repaired(_lower, kept=1),
            "you filled where `tril` is 1. Only the missing name needs a repair; the line that "
            "fills was right: `tril == 0`.",
        ),
        Mistake(
            _repaired(_lower, fill=0.0),
            'no score is -inf: the fill has to stay `float("-inf")`.',
        ),
        Mistake(
            lambda data, T: (True, _lower(T).masked_fill(_lower(T) == 0, float("-inf"))),
            "you filled the triangle itself, so its ones are left. The scores start as "
            "`torch.zeros(T, T)`.",
        ),
        Mistake(
            lambda data, T: (len(data[: int(0.9 * len(data))]) == len(data), repaired(data, T)[1]),
            "`whole` is False, because you counted one of the two parts only.",
        ),
        Mistake(
            lambda data, T: (len(data), repaired(data, T)[1]),
            "`whole` should say whether the two lengths add up to `len(data)`, True or False. You "
            "returned a length.",
        ),
        Mistake(
            lambda data, T: repaired(data, T)[::-1],
            "right values in the wrong order: first `whole`, then `scores`.",
        ),
        Mistake(
            lambda data, T: repaired(data, T)[1],
            "only the scores came back. Return both: `return whole, scores`.",
        ),
    ],
    laws=[
        Law("the two parts together have to be as long as data", lambda out, data, T: out[0]),
        Law(
            "row t of the scores has to begin with t + 1 zeros, and the rest has to be -inf",
            lambda out, data, T: (
                (out[1] == 0).sum(dim=1).tolist() == list(range(1, T + 1))
                and bool(out[1].tril().eq(0).all())
            ),
        ),
    ],
    hints=(
        "Go through the lines from the top and tick off each name when it gets a value. Two names "
        "are used that never got one.",
        "One of them is an old name for something that exists. The other is the result of a line "
        "that computes it and lets it go.",
        "`train` and `validation` are called `train_data` and `validation_data` now. The triangle "
        "needs `tril = ` in front.",
    ),
)

# 5. Restart and run all


def first_failure(cells):
    known = set()
    for i, (uses, defines) in enumerate(cells):
        if not set(uses) <= known:
            return i
        known |= set(defines)
    return None


def _whole_memory(cells):
    known = {name for _, defines in cells for name in defines}
    for i, (uses, _) in enumerate(cells):
        if not set(uses) <= known:
            return i
    return None


def _cell_above_only(cells):
    known = set()
    for i, (uses, defines) in enumerate(cells):
        if not set(uses) <= known:
            return i
        known = set(defines)
    return None


def _defines_first(cells):
    known = set()
    for i, (uses, defines) in enumerate(cells):
        known |= set(defines)
        if not set(uses) <= known:
            return i
    return None


def _last_failure(cells):
    known, found = set(), None
    for i, (uses, defines) in enumerate(cells):
        if not set(uses) <= known:
            found = i
        known |= set(defines)
    return found


def _any_name_will_do(cells):
    known = set()
    for i, (uses, defines) in enumerate(cells):
        if uses and not set(uses) & known:
            return i
        known |= set(defines)
    return None


def _from_one(cells):
    i = first_failure(cells)
    return None if i is None else i + 1


def _names(cells):
    known = set()
    for uses, defines in cells:
        for name in uses:
            if name not in known:
                return name
        known |= set(defines)
    return None


def _minus_one(cells):
    i = first_failure(cells)
    return -1 if i is None else i


FIRST_FAILURE = Exercise(
    id="00.first_failure",
    asks="Return the index of the first cell that fails when all run from the top, else None.",
    reference=first_failure,
    inputs=[
        ([([], ["x"])],),
        ([(["torch"], []), ([], ["torch"])],),
        ([(["n"], ["n"])],),
        ([([], ["data"]), (["data"], ["train_data"]), (["train"], [])],),
        ([([], ["torch"]), (["torch"], []), (["torch", "tril"], ["scores"]), ([], ["tril"])],),
        ([([], ["torch"]), (["torch"], ["x"]), (["torch", "x"], ["y"])],),
        ([([], ["x"]), (["a"], []), (["b"], [])],),
    ],
    mistakes=[
        Mistake(
            _whole_memory,
            "you let a cell use names that only a cell below defines. A kernel that has been open "
            "for hours does that too; a fresh one has seen nothing but the cells above.",
        ),
        Mistake(
            _cell_above_only,
            "you only remember the cell directly above. The kernel remembers every cell that ran "
            "before: add to what is known, don't replace it.",
        ),
        Mistake(
            _defines_first,
            "`n = n + 1` needs an n that was there before. A cell's own names count only after "
            "its uses were looked up.",
        ),
        Mistake(
            _last_failure,
            "you return the last cell that fails. A run from the top stops at the first.",
        ),
        Mistake(
            _any_name_will_do,
            "one known name isn't enough: a cell fails as soon as any of the names it uses is "
            "missing.",
        ),
        Mistake(
            _from_one,
            "you count the cells from 1. Python counts from 0, so the first one has the index 0.",
        ),
        Mistake(_names, "you return the missing name. The question is which cell, by its index."),
        Mistake(
            _minus_one,
            "right, except that a notebook that runs through should give None. -1 is an index: "
            "`cells[-1]` is the last cell.",
        ),
    ],
    laws=[
        Law(
            "every name that the cell uses is defined above it, so it can't be the one that fails",
            lambda i, cells: (
                i is None
                or not set(cells[i][0]) <= {name for _, defines in cells[:i] for name in defines}
            ),
        ),
    ],
    hints=(
        "Play the kernel: what does it know before the first cell, and what after it?",
        "Keep a set of known names. For each cell first compare its uses with the set, then add "
        "its definitions.",
        "`set(uses) <= known` is True if every used name is known. `enumerate(cells)` gives the "
        "index.",
    ),
)

# 6. allclose by hand


def close(a, b, rtol, atol):
    allowed = atol + rtol * b.abs()
    return bool(((a - b).abs() <= allowed).all())


def _pair(a, b, rtol, atol):
    return torch.tensor(a).double(), torch.tensor(b).double(), rtol, atol


NEAR = 0.0020199  # the value of the one element on which the sources' comparison fails

CLOSE = Exercise(
    id="00.close",
    asks="Return True if every |a - b| is at most atol + rtol * |b|, as a Python bool.",
    reference=close,
    inputs=[
        _pair([1.0], [1.0], 1e-5, 1e-8),
        _pair([0.0], [0.0], 0.0, 0.0),
        _pair([1.000001], [1.0], 1e-5, 1e-8),
        _pair([-5.0], [3.0], 1e-5, 1e-8),
        _pair([1.0, 2.0], [1.0, 3.0], 1e-5, 1e-8),
        _pair([2.0], [3.0], 0.4, 0.0),
        _pair([-102.0], [-100.0], 0.05, 0.0),
        _pair([0.5], [0.0], 0.1, 1.0),
        _pair([103.0], [100.0], 0.02, 2.0),
        (torch.tensor([NEAR + 3.24e-8]).double(), torch.tensor([NEAR]).double(), 1e-5, 1e-8),
        (torch.tensor([NEAR]).double() + 3.24e-8, torch.tensor([NEAR]).double(), 1e-5, 1e-7),
    ],
    mistakes=[
        Mistake(
            lambda a, b, rtol, atol: torch.equal(a, b),
            "you ask whether they are exactly equal. The question is whether the difference is "
            "within what the tolerances allow.",
        ),
        Mistake(
            lambda a, b, rtol, atol: torch.allclose(a, b),
            "you used PyTorch's own tolerances and never looked at the `rtol` and `atol` that "
            "came in. Write the formula out by hand.",
        ),
        Mistake(
            lambda a, b, rtol, atol: bool(((a - b) <= atol + rtol * b.abs()).all()),
            "-5 and 3 count as close for you: a negative difference is below every bound. Take "
            "its size, `.abs()`.",
        ),
        Mistake(
            lambda a, b, rtol, atol: bool(((a - b).abs() <= atol + rtol * b.abs()).any()),
            "one close element is enough for you. All of them have to be.",
        ),
        Mistake(
            lambda a, b, rtol, atol: bool(((a - b).abs() <= atol + rtol * a.abs()).all()),
            "you measure `rtol` by a. In the formula it is b, the expected value: the two are "
            "not treated alike.",
        ),
        Mistake(
            lambda a, b, rtol, atol: bool(((a - b).abs() <= atol + rtol * b).all()),
            "for a negative b your bound is negative, and nothing is below it. Use the size of b.",
        ),
        Mistake(
            lambda a, b, rtol, atol: bool(((a - b).abs() < atol + rtol * b.abs()).all()),
            "0 and 0 with both tolerances 0 are not close for you: the difference may be equal to "
            "the bound.",
        ),
        Mistake(
            lambda a, b, rtol, atol: bool(((a - b).abs() <= atol).all()),
            "`rtol` is missing: large numbers may differ by more.",
        ),
        Mistake(
            lambda a, b, rtol, atol: bool(((a - b).abs() <= rtol * b.abs()).all()),
            "`atol` is missing: where b is 0, your bound is 0 too.",
        ),
        Mistake(
            lambda a, b, rtol, atol: bool(
                ((a - b).abs() <= torch.clamp(rtol * b.abs(), min=atol)).all()
            ),
            "you take the larger of the two tolerances. PyTorch adds them.",
        ),
        Mistake(
            lambda a, b, rtol, atol: ((a - b).abs() <= atol + rtol * b.abs()).all(),
            "right, but this is a tensor that holds one truth value. `bool(...)` makes a Python "
            "bool of it.",
        ),
        Mistake(
            lambda a, b, rtol, atol: (a - b).abs() <= atol + rtol * b.abs(),
            "you return an answer for each element. They have to be one answer: `.all()`.",
        ),
        Mistake(
            lambda a, b, rtol, atol: bool((a - b).abs() <= atol + rtol * b.abs()),
            "`bool()` takes a single truth value, and with more than one element there are "
            "several: join them with `.all()` first.",
        ),
    ],
    hints=(
        "Write down the difference and the bound as two tensors, and print both for two numbers.",
        "`(a - b).abs()` is the difference, `atol + rtol * b.abs()` the bound. Compare them "
        "element by element.",
        "`.all()` joins the answers, `bool()` makes a Python bool of the result.",
    ),
)

EXERCISES = [SIX_SHAPES, CENTRE, SWAP, REPAIRED, FIRST_FAILURE, CLOSE]

QUIZ = (
    Question(
        "`x` has the shape (4, 8, 2), that is (B, T, C). What is `x[2, 7]`?",
        (
            Option(
                "The number in row 2, column 7.",
                "That would need a third index. Two indices on three axes leave one axis over.",
            ),
            Option(
                "Position 2 of sequence 7.",
                "The order is (B, T, C): the first index chooses the sequence. And there is no "
                "sequence 7 among 4.",
            ),
            Option(
                "The vector of 2 channels at position 7 of sequence 2.",
                "The first index takes the batch axis away, the second the positions. What is "
                "left has the shape (2,).",
                right=True,
            ),
        ),
    ),
    Question(
        "`x` has the shape (3, 3). You want each row to sum to 1 and write `x / x.sum(dim=1)`. "
        "What happens?",
        (
            Option(
                "It runs, and column j is divided by the sum of row j.",
                "The sums have the shape (3,) and are lined up from the right, with the columns. "
                "With `keepdim=True` they stay a column of shape (3, 1).",
                right=True,
            ),
            Option(
                "It raises, because (3,) doesn't fit (3, 3).",
                "It fits: missing axes are added on the left. With a shape of (2, 3) it would "
                "raise, and that is the luckier case.",
            ),
            Option(
                "It runs, and each row sums to 1.",
                "It runs. Try it on [[1, 1], [1, 3]]: the first row becomes [0.5, 0.25].",
            ),
        ),
    ),
    Question(
        "`x` has the shape (2, 3, 5). `x.view(2, 5, 3)` and `x.transpose(-2, -1)` have the same "
        "shape. How do they differ?",
        (
            Option(
                "Not at all. `view` is the faster one.",
                "Neither copies a number, and both are fast. But they hold their numbers in "
                "different places.",
            ),
            Option(
                "`view` keeps the order of the numbers in memory, so a row of it mixes positions.",
                "Its strides are (15, 3, 1), those of the transpose (15, 1, 5). In the transpose "
                "a row is one channel of all positions.",
                right=True,
            ),
            Option(
                "`transpose` moves the numbers in memory, `view` doesn't.",
                "Neither moves anything: both only change how an index is turned into an address.",
            ),
        ),
    ),
    Question(
        "A notebook shows the right results. Its cells are numbered [19], [2], [4], [13]. What do "
        "you know?",
        (
            Option(
                "It is right: the results are there.",
                "They came from a kernel that remembers cells which may have been changed or "
                "deleted since.",
            ),
            Option(
                "It was run with a different version of Python.",
                "The numbers say nothing about versions. They count the runs of one kernel.",
            ),
            Option(
                "Nothing about a run from the top. Restart and run all before you believe it.",
                "The cells ran in another order than they stand in. A fresh kernel may stop at "
                "the first one.",
                right=True,
            ),
        ),
    ),
    Question(
        "Two tensors both print as `tensor(0.0020)`, and `torch.allclose` says False. What do you "
        "do?",
        (
            Option(
                "Print more digits and look at the difference beside what was allowed.",
                "The printout rounds to four decimals. The default allows 1e-8 plus 1e-5 of the "
                "value, which near 0 is less than float32 can promise. "
                "`torch.testing.assert_close` fits its tolerance to the type.",
                right=True,
            ),
            Option(
                "Nothing: what prints the same is the same.",
                "0.00196 and 0.00204 print the same too.",
            ),
            Option(
                "Use `torch.equal`, which is stricter.",
                "It allows no difference at all, so it can only say False more often. It is the "
                "right one for whole numbers.",
            ),
        ),
    ),
)

S4_3 = """
tensor([[[5, 7, 2, 0, 5],
         [3, 5, 0, 4, 0],
         [2, 0, 7, 6, 0]],

        [[8, 1, 4, 9, 5],
         [3, 6, 2, 0, 2],
         [1, 6, 5, 9, 4]]])

tensor([[[5, 3, 2],
         [7, 5, 0],
         [2, 0, 7],
         [0, 4, 6],
         [5, 0, 0]],

        [[8, 3, 1],
         [1, 6, 6],
         [4, 2, 5],
         [9, 0, 9],
         [5, 2, 4]]])
"""

SOURCES = [
    Source("S0.1", "torch and torch.nn.functional are imported; nothing is printed"),
    Source(
        "S1.1",
        "whether PyTorch can use a GPU of this machine",
        figure="False",
        why_not="the answer is a fact about the machine that runs the cell, not about the course: "
        "stored, it would be wrong on every machine with a GPU; the cell prints the answer's type",
    ),
    Source(
        "S4.3",
        "thirty digits of shape (2, 3, 5) after seed 1337, and their transpose",
        figure=S4_3,
    ),
]
