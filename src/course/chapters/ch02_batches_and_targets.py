"""Chapter 02, batches and targets: its exercises, its quiz and its sources."""

import torch

from attention.batches import cut_blocks, get_batch
from course.exercise import Exercise, Law, Mistake
from course.quiz import Option, Question
from course.sources import Source

# 1. Hold some back


def hold_back(ids, train_fraction):
    n = int(train_fraction * len(ids))
    return ids[:n], ids[n:]


def _overlapping(ids, train_fraction):
    n = int(train_fraction * len(ids))
    return ids[:n], ids[n - 1 :]


def _gap(ids, train_fraction):
    n = int(train_fraction * len(ids))
    return ids[:n], ids[n + 1 :]


def _front_held_back(ids, train_fraction):
    n = len(ids) - int(train_fraction * len(ids))
    return ids[n:], ids[:n]


def _fraction_to_judge(ids, train_fraction):
    n = int((1 - train_fraction) * len(ids))
    return ids[:n], ids[n:]


def _rounded(ids, train_fraction):
    n = round(train_fraction * len(ids))
    return ids[:n], ids[n:]


HOLD_BACK = Exercise(
    id="02.hold_back",
    asks="Return the first int(train_fraction * len(ids)) ids, and the rest.",
    reference=hold_back,
    inputs=[
        (torch.tensor([7, 3, 5]), 0.5),
        (torch.tensor([4, 9, 2, 8, 6, 1, 3]), 0.6),
        (torch.arange(20, 31), 0.9),
    ],
    mistakes=[
        Mistake(
            lambda ids, train_fraction: hold_back(ids, train_fraction)[::-1],
            "the two parts come in the wrong order: the part to train on first, then the rest.",
        ),
        Mistake(
            _overlapping,
            "the two parts share an id: the one at place n - 1 is in both. A slice stops before "
            "its end, so the second part begins where the first one stopped.",
        ),
        Mistake(
            _gap,
            "one id is in neither part: the one at place n. A slice includes its beginning.",
        ),
        Mistake(
            _front_held_back,
            "you hold back the beginning of the text. The sizes are right; train on the "
            "beginning and hold back the end.",
        ),
        Mistake(
            _fraction_to_judge,
            "`train_fraction` is the share to train on; you used it for the part that is held "
            "back.",
        ),
        Mistake(
            _rounded,
            "`round` goes up as well as down. The rule asked for is `int`, which drops what "
            "stands behind the point.",
        ),
        Mistake(
            lambda ids, train_fraction: hold_back(ids, 0.9),
            "you always train on nine tenths: `train_fraction` is never used.",
        ),
    ],
    laws=[
        Law(
            "no id may be lost or used twice: the lengths have to add up",
            lambda parts, ids, f: len(parts[0]) + len(parts[1]) == len(ids),
        ),
        Law(
            "the two parts, one behind the other, have to be the text again",
            lambda parts, ids, f: torch.equal(torch.cat(parts), ids),
        ),
    ],
    hints=(
        "How many ids are in the first part? Work that number out, and call it n.",
        "n is `int(train_fraction * len(ids))`. Both parts are slices, cut at the same place.",
        "`ids[:n]` and `ids[n:]`, returned together.",
    ),
)


# 2. All examples of a batch


def examples(x, y):
    pairs = []
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            pairs.append((x[b, : t + 1].tolist(), y[b, t].item()))
    return pairs


def _all_pairs(context, target):
    """An `examples` with another rule for the context and the target of (x, y, b, t)."""

    def wrong(x, y):
        B, T = x.shape
        return [(context(x, b, t), target(x, y, b, t)) for b in range(B) for t in range(T)]

    return wrong


def _past(x, b, t):
    return x[b, : t + 1].tolist()


def _target(x, y, b, t):
    return y[b, t].item()


def _last_only(x, y):
    return [(x[b].tolist(), y[b, -1].item()) for b in range(x.shape[0])]


def _first_sequence(x, y):
    return examples(x[:1], y[:1])


def _position_first(x, y):
    B, T = x.shape
    return [(_past(x, b, t), _target(x, y, b, t)) for t in range(T) for b in range(B)]


def _across_sequences(x, y):
    flat, targets = x.flatten().tolist(), y.flatten().tolist()
    return [(flat[: i + 1], target) for i, target in enumerate(targets)]


def _cut_short(x, y):
    B, T = x.shape
    return [(_past(x, b, t), _target(x, y, b, t)) for b in range(B) for t in range(T - 1)]


_IDS = torch.tensor([5, 2, 9, 4, 7, 1, 8, 3, 6, 0, 11, 15, 13, 10, 12, 14, 17, 16, 19])

EXAMPLES = Exercise(
    id="02.examples",
    asks="Return every example of a batch as a pair (list of context ids, target id).",
    reference=examples,
    inputs=[
        cut_blocks(_IDS, torch.tensor([0]), 2),
        cut_blocks(_IDS, torch.tensor([4, 9]), 3),
        cut_blocks(_IDS, torch.tensor([13, 1, 8]), 5),
    ],
    mistakes=[
        Mistake(
            _all_pairs(lambda x, b, t: x[b, :t].tolist(), _target),
            "your contexts stop one id early, and the first one is empty: `x[b, :t]` leaves out "
            "x[b, t]. A slice stops before its end.",
        ),
        Mistake(
            _all_pairs(_past, lambda x, y, b, t: x[b, t].item()),
            "your target is the last id of its own context, which needs no guessing. The target "
            "of position t stands in y.",
        ),
        Mistake(
            _all_pairs(_past, lambda x, y, b, t: x[b, t + 1].item()),
            "an index runs past the end. The targets are shifted already: y[b, t] follows x[b, t], "
            "so no t + 1 is needed. And the loops end at `x.shape[0]` and `x.shape[1]`, not at the "
            "sizes of another batch.",
        ),
        Mistake(
            _last_only,
            "only the longest context of each sequence is left. Every position asks a question "
            "of its own, also with a context of one id.",
        ),
        Mistake(
            _first_sequence,
            "only the first sequence is there. How many examples should a batch of shape (B, T) "
            "give? Count yours.",
        ),
        Mistake(
            _cut_short,
            "the last position of each sequence is missing: `range(T)` already stops before T, "
            "and y has a target for all T positions.",
        ),
        Mistake(
            _position_first,
            "all the examples are there, but in another order: first all of sequence 0, then "
            "sequence 1. The outer loop is the one over sequences.",
        ),
        Mistake(
            _across_sequences,
            "your contexts run from one sequence into the next. The sequences come from different "
            "places of the text: a context begins where its own sequence begins.",
        ),
        Mistake(
            _all_pairs(lambda x, b, t: x[b, : t + 1], lambda x, y, b, t: y[b, t]),
            "the right pairs, but as tensors: `.tolist()` makes the context a list, `.item()` "
            "makes the target a number.",
        ),
    ],
    laws=[
        Law(
            "there have to be B * T pairs",
            lambda pairs, x, y: len(pairs) == x.numel(),
        ),
        Law(
            "no context may be empty or longer than a block",
            lambda pairs, x, y: all(1 <= len(context) <= x.shape[1] for context, _ in pairs),
        ),
        Law(
            "the targets, in order, have to be y row by row",
            lambda pairs, x, y: [target for _, target in pairs] == y.flatten().tolist(),
        ),
    ],
    hints=(
        "Two loops: over the sequences b and over the positions t. What may position t see?",
        "The context of position t is `x[b, : t + 1]`: t + 1 ids. Its target is `y[b, t]`.",
        "Inside both loops: `pairs.append((x[b, : t + 1].tolist(), y[b, t].item()))`.",
    ),
)


# 3. Beyond the end


def cut(ids, start, block_size):
    if start < 0 or start + block_size + 1 > len(ids):
        raise ValueError(f"no full block of {block_size} at {start} in {len(ids)} ids")
    return ids[start : start + block_size], ids[start + 1 : start + block_size + 1]


def _no_check(ids, start, block_size):
    return ids[start : start + block_size], ids[start + 1 : start + block_size + 1]


def _checked_by(refuses):
    """A `cut` that refuses other starts than it should."""

    def wrong(ids, start, block_size):
        if refuses(len(ids), start, block_size):
            raise ValueError
        return _no_check(ids, start, block_size)

    return wrong


def _unshifted(ids, start, block_size):
    x, _ = cut(ids, start, block_size)
    return x, x.clone()


def _shifted_by_two(ids, start, block_size):
    x, _ = cut(ids, start, block_size)
    return x, ids[start + 2 : start + block_size + 2]


def _moved_back(ids, start, block_size):
    return cut(ids, min(max(start, 0), len(ids) - block_size - 1), block_size)


def _returns_the_error(ids, start, block_size):
    try:
        return cut(ids, start, block_size)
    except ValueError:
        return ValueError


def _by_index(ids, start, block_size):
    where = start + torch.arange(block_size)
    return ids[where], ids[where + 1]


_SHORT = torch.tensor([30, 50, 20, 70, 40])

CUT = Exercise(
    id="02.cut",
    asks="Return inputs and targets of the block at start, or raise ValueError if there is none.",
    reference=cut,
    inputs=[
        (_SHORT, 0, 2),
        (_SHORT, 2, 2),
        (_SHORT, 3, 2),
        (_SHORT, 4, 2),
        (_SHORT, 5, 2),
        (_SHORT, 9, 2),
        (_SHORT, -1, 2),
        (_SHORT, 1, 3),
        (_SHORT, 2, 3),
    ],
    mistakes=[
        Mistake(
            _no_check,
            "near the end your blocks come back short or empty, and nobody is told: a slice past "
            "the end raises nothing. Ask whether the block fits before you cut.",
        ),
        Mistake(
            _checked_by(lambda n, start, T: start < 0 or start >= n),
            "you refuse starts behind the end, but a start just before the end is no better: its "
            "block is short. How many ids does a block need, targets included?",
        ),
        Mistake(
            _checked_by(lambda n, start, T: start < 0 or start + T > n),
            "one start too many: there the inputs fit, but the target of the last one is missing. "
            "The targets reach one place further than the inputs.",
        ),
        Mistake(
            _checked_by(lambda n, start, T: start < 0 or start + T + 1 >= n),
            "you refuse the last start that is good: its last target is the last id of all. With "
            "5 ids and blocks of 2, start 2 uses the places 2, 3 and 4.",
        ),
        Mistake(
            _checked_by(lambda n, start, T: start + T + 1 > n),
            "a negative start slips through: a slice counts it from the end, and what comes "
            "back is short or empty.",
        ),
        Mistake(
            _unshifted,
            "your targets are the inputs themselves. The target of position t is the id that "
            "follows it.",
        ),
        Mistake(
            _shifted_by_two,
            "your targets begin two places after the inputs: each skips the id that it should "
            "guess.",
        ),
        Mistake(
            lambda ids, start, block_size: cut(ids, start, block_size)[::-1],
            "inputs first, then targets: yours come the other way round.",
        ),
        Mistake(
            _moved_back,
            "you move a bad start to a good one. The caller asked for another block and will "
            "never know: say no instead.",
        ),
        Mistake(
            _returns_the_error,
            "`return ValueError` hands the error over like any other value. "
            "`raise ValueError(...)` stops the function with it.",
        ),
        Mistake(
            _by_index,
            "picking single places raises an IndexError past the end, where a ValueError was "
            "asked for, and a negative place counts from the end without complaint.",
        ),
    ],
    laws=[
        Law(
            "inputs and targets both need block_size ids",
            lambda both, ids, start, T: len(both[0]) == len(both[1]) == T,
        ),
        Law(
            "the targets have to be the inputs moved on by one",
            lambda both, ids, start, T: torch.equal(both[0][1:], both[1][:-1]),
        ),
    ],
    hints=(
        "Which places does the block at `start` use, from the first input to the last target?",
        "The first place is start, the last start + block_size. The last place that exists is "
        "len(ids) - 1.",
        "`if start < 0 or start + block_size + 1 > len(ids): raise ValueError(...)`, then two "
        "slices.",
    ),
)


# 4. Is get_batch off by one?


def is_right(get_batch):
    ids = torch.arange(11)  # every id is its own place
    x, y = get_batch(ids, 1000, 3, torch.Generator().manual_seed(0))
    shifted = x.shape == y.shape == (1000, 3) and bool((y == x + 1).all())
    every_start = set(x[:, 0].tolist()) == set(range(11 - 3))
    return shifted and every_start


def targets_not_shifted(ids, batch_size, block_size, generator):
    x, _ = get_batch(ids, batch_size, block_size, generator)
    return x, x.clone()


def targets_rolled(ids, batch_size, block_size, generator):
    x, _ = get_batch(ids, batch_size, block_size, generator)
    return x, x.roll(-1, dims=1)


def targets_two_ahead(ids, batch_size, block_size, generator):
    starts = torch.randint(len(ids) - block_size - 1, (batch_size,), generator=generator)
    x, _ = cut_blocks(ids, starts, block_size)
    _, y = cut_blocks(ids, starts + 1, block_size)
    return x, y


def never_the_last_block(ids, batch_size, block_size, generator):
    return get_batch(ids[:-1], batch_size, block_size, generator)


def one_block_copied(ids, batch_size, block_size, generator):
    x, y = get_batch(ids, 1, block_size, generator)
    return x.repeat(batch_size, 1), y.repeat(batch_size, 1)


def _draw_places(get_batch, batch_size=1000):
    return get_batch(torch.arange(11), batch_size, 3, torch.Generator().manual_seed(0))


def _shapes_only(get_batch):
    x, y = _draw_places(get_batch)
    return x.shape == y.shape == (1000, 3)


def _shift_only(get_batch):
    x, y = _draw_places(get_batch)
    return bool((y == x + 1).all())


def _overlap_only(get_batch):
    x, y = _draw_places(get_batch)
    return bool((x[:, 1:] == y[:, :-1]).all())


def _reach_only(get_batch):
    x, y = _draw_places(get_batch)
    return int(y.max()) == 10


def _asserts(get_batch):
    assert is_right(get_batch)
    return True


def _too_few_draws(get_batch):
    x, y = _draw_places(get_batch, 4)
    return bool((y == x + 1).all()) and set(x[:, 0].tolist()) == set(range(8))


def _one_start_less(get_batch):
    x, y = _draw_places(get_batch)
    return bool((y == x + 1).all()) and int(x[:, 0].max()) == 6


IS_RIGHT = Exercise(
    id="02.is_right",
    asks="Return True if the get_batch that comes in is right, and False if it is not.",
    reference=is_right,
    inputs=[
        (get_batch,),
        (targets_not_shifted,),
        (targets_two_ahead,),
        (targets_rolled,),
        (never_the_last_block,),
        (one_block_copied,),
    ],
    mistakes=[
        Mistake(
            _shapes_only,
            "you let every one of them pass. All of them give the right shapes; look at the "
            "numbers in x and y.",
        ),
        Mistake(
            _shift_only,
            "the shift is tested well. But two of the wrong ones shift correctly and still can't "
            "draw every block. Which starts should come up in many draws?",
        ),
        Mistake(
            _overlap_only,
            "`x[:, 1:]` against `y[:, :-1]` says nothing about the last target of each row, and "
            "nothing about which blocks can be drawn.",
        ),
        Mistake(
            _reach_only,
            "you test how far the targets reach, but not that each target follows its own input.",
        ),
        Mistake(
            _asserts,
            "your asserts find every wrong one. But an assert raises an error, and the answer has "
            "to be True or False: return what you assert.",
        ),
        Mistake(
            _too_few_draws,
            "you refuse all of them, the right one too. Either you draw too few blocks for the "
            "last one to come up, or you wait for a block that doesn't fit: with 11 ids and "
            "blocks of 3 the last start is 7.",
        ),
        Mistake(
            _one_start_less,
            "you refuse the right one and accept the one that never draws the last block. With 11 "
            "ids and blocks of 3, does start 7 fit? Its last target is place 10.",
        ),
    ],
    laws=[
        Law(
            "the answer has to be True or False",
            lambda answer, get_batch: isinstance(answer, bool),
        ),
    ],
    hints=(
        "What must hold between x and y? And which starts must come up, if you draw very often?",
        "Take `ids = torch.arange(11)`: then every id is its own place, y has to be x + 1, and "
        "`x[:, 0]` holds the starts.",
        "Draw 1000 blocks of 3. Test the shapes, `(y == x + 1).all()`, and that the set of "
        "`x[:, 0].tolist()` is `set(range(8))`.",
    ),
)


# 5. What does this cell print?


def printed():
    return (8,), (4, 8), False


def _says(*answer):
    return lambda: answer


PRINTED = Exercise(
    id="02.printed",
    asks="Return the shape on a clean run, the shape after the deleted cell, and True or False.",
    reference=printed,
    inputs=[()],
    mistakes=[
        Mistake(
            _says((4, 8), (4, 8), True),
            "you read `x` as the batch, as the author did. Go by the names: which line gives `x` "
            "a value, and which line gives `xb` one?",
        ),
        Mistake(
            _says(8, (4, 8), False),
            "the first answer is a number: `(8)` is just 8. A tuple of one entry takes a comma: "
            "`(8,)`.",
        ),
        Mistake(
            _says((4, 8), (4, 8), False),
            "the second and the third are right. But on a clean run the deleted cell never runs: "
            "who gives `x` its value then?",
        ),
        Mistake(
            _says((8,), (8,), False),
            "a deleted cell has run all the same: what it assigned is still in memory. Which line "
            "gave `x` a value last?",
        ),
        Mistake(
            _says((8,), (4, 8), True),
            "the shapes are right. But a shape is not a batch: is `x` the batch that cell 2 has "
            "just drawn?",
        ),
        Mistake(
            _says((8,), (8,), True),
            "on the clean run you are right. In the second case two batches are drawn: under "
            "which name is the first one kept, and under which the second?",
        ),
    ],
    laws=[
        Law(
            "the answer has to be two shapes, each written like (2, 3), and True or False",
            lambda answer: (
                len(answer) == 3
                and all(type(shape) is tuple for shape in answer[:2])
                and isinstance(answer[2], bool)
            ),
        ),
        Law(
            "cell 2 gives no value to x, so on a clean run x has to be what cell 1 made",
            lambda answer: answer[0] == (8,),
        ),
        Law(
            "deleting a cell doesn't delete what it assigned",
            lambda answer: answer[1] == (4, 8),
        ),
        Law(
            "the two batches are two draws",
            lambda answer: answer[2] is False,
        ),
    ],
    hints=(
        "Follow the name `x` only, from cell to cell. Cross out each line that doesn't assign it.",
        "Clean run: cell 1, then cell 2. Second case: cell 1, the deleted cell, then cell 2. In "
        "each, which line assigns `x` last?",
        "Cell 1 makes a block of shape (8,), the deleted cell a batch of shape (4, 8), and cell 2 "
        "draws another one.",
    ),
)

EXERCISES = [HOLD_BACK, EXAMPLES, CUT, IS_RIGHT, PRINTED]

QUIZ = (
    Question(
        "A batch has inputs of shape (4, 8). How many examples does a model learn from in it?",
        (
            Option(
                "4", "Four sequences. But each position of a sequence has a target of its own."
            ),
            Option("8", "That is one sequence. The batch holds four of them."),
            Option(
                "32",
                "Every one of the 4 x 8 positions has a context, from the start of its own "
                "sequence up to itself, and a target.",
                right=True,
            ),
            Option(
                "36",
                "A sequence is cut from nine ids, but the ninth is only a target. Nothing follows "
                "it inside the block.",
            ),
        ),
    ),
    Question(
        "`torch.randint(len(ids) - block_size, (batch_size,))`: is the upper bound off by one?",
        (
            Option(
                "Yes, it should be one less, or the last target is missing.",
                "It would be, if randint could return its bound. It never does: the highest start "
                "is already `len(ids) - block_size - 1`.",
            ),
            Option(
                "Yes, it should be one more, or the last block is never drawn.",
                "A start at `len(ids) - block_size` has all its inputs, but its last input has no "
                "target.",
            ),
            Option(
                "No. The highest start that can come up has the last id as its last target.",
                "The bound is excluded, and that one place is just the room which the last target "
                "needs.",
                right=True,
            ),
        ),
    ),
    Question(
        "`train_ids` holds 150,909 ids. What is `train_ids[160756 : 160756 + 8]`?",
        (
            Option(
                "An IndexError.",
                "A single place past the end raises one. A slice is cut to what there is, and "
                "here there is nothing.",
            ),
            Option(
                "The last 8 ids.",
                "The slice isn't moved back. It keeps what lies inside, and that is nothing.",
            ),
            Option(
                "A tensor without elements, and no error.",
                "That is why a start has to be drawn from the length of the ids that are cut.",
                right=True,
            ),
        ),
    ),
    Question(
        "One cell sets the seed, the next one draws. You run the second one again. What comes?",
        (
            Option(
                "The same numbers, for the seed is set.",
                "The seed sets where the row of random numbers begins. The first draw has moved "
                "on.",
            ),
            Option(
                "The next numbers, which another reader will not see.",
                "What is printed depends on how often the cell was run. Seed in the cell that "
                "draws, or pass a generator.",
                right=True,
            ),
            Option(
                "An error, because the seed is used up.",
                "A seed is never used up. The numbers just go on.",
            ),
        ),
    ),
    Question(
        "You want to test that the sequences of a batch never mix. Which batch do you test with?",
        (
            Option(
                "The same sequence twice.",
                "If the model mixes the two, it mixes a sequence with itself and nobody can see "
                "it.",
            ),
            Option(
                "A single sequence.",
                "There is nothing in the batch that it could be mixed with.",
            ),
            Option(
                "Two different sequences.",
                "Only then does an answer change when it takes something from the other sequence.",
                right=True,
            ),
        ),
    ),
)

_TINY = "tinyshakespeare"

SOURCES = [
    Source("S1.7", "nine tenths to train on, the rest to judge with; together all", "True", _TINY),
    Source(
        "S1.8",
        "one block of 8 inputs, and the targets one place further",
        """tensor([18, 47, 56, 57, 58,  1, 15, 47])
        tensor([47, 56, 57, 58,  1, 15, 47, 58])""",
        _TINY,
    ),
    Source(
        "S1.9",
        "the eight examples in one block",
        """Input: tensor([18]) - Target: 47
        Input: tensor([18, 47]) - Target: 56
        Input: tensor([18, 47, 56]) - Target: 57
        Input: tensor([18, 47, 56, 57]) - Target: 58
        Input: tensor([18, 47, 56, 57, 58]) - Target: 1
        Input: tensor([18, 47, 56, 57, 58,  1]) - Target: 15
        Input: tensor([18, 47, 56, 57, 58,  1, 15]) - Target: 47
        Input: tensor([18, 47, 56, 57, 58,  1, 15, 47]) - Target: 58""",
        _TINY,
    ),
    Source("S1.10", "the bound for the starts, len(data) - block_size", "1115386", _TINY),
    Source("S1.11", "batch size 4, block size 8; (batch_size,) is a tuple", "(4,)"),
    Source(
        "S1.12",
        "four random starts and the block at the first: the ninth draw after the seed. A clean "
        "run of its cell draws [1078327, 453969, 41646, 671252], and the first block is empty",
        """tensor([978324, 638409, 104713,  75569])
        tensor(978324)
        tensor([18, 47, 56, 57, 58,  1, 15, 47, 58, 47])
        tensor([12,  0,  0, 28, 39, 45, 43, 10])
        tensor([ 0,  0, 28, 39, 45, 43, 10,  0])""",
        _TINY,
    ),
    Source(
        "S1.13",
        "a batch and its shapes: the fifteenth draw after the seed, left over in x and y. A clean "
        "run of the source's cell prints the shape (8,) and the block of S1.8",
        """torch.Size([4, 8])
        torch.Size([4, 8])
        tensor([[47, 58,  1, 57, 43, 43, 51, 57],
                [43, 50,  1, 51, 43,  1, 58, 53],
                [39, 50, 50,  1, 42, 43, 57, 54],
                [ 1, 54, 56, 39, 63,  1, 63, 53]])
        tensor([[58,  1, 57, 43, 43, 51, 57,  1],
                [50,  1, 51, 43,  1, 58, 53,  1],
                [50, 50,  1, 42, 43, 57, 54, 39],
                [54, 56, 39, 63,  1, 63, 53, 59]])""",
        _TINY,
    ),
    Source(
        "S1.14",
        "the examples of a batch, 22 of its 32: the first batch after a later cell had set the "
        "seed and made a table of 65 x 65 random numbers",
        """Input: tensor([6]) - Target: 0
        Input: tensor([6, 0]) - Target: 21
        Input: tensor([ 6,  0, 21]) - Target: 44
        Input: tensor([ 6,  0, 21, 44]) - Target: 1
        Input: tensor([ 6,  0, 21, 44,  1]) - Target: 61
        Input: tensor([ 6,  0, 21, 44,  1, 61]) - Target: 43
        Input: tensor([ 6,  0, 21, 44,  1, 61, 43]) - Target: 1
        Input: tensor([ 6,  0, 21, 44,  1, 61, 43,  1]) - Target: 61
        Input: tensor([58]) - Target: 52
        Input: tensor([58, 52]) - Target: 43
        Input: tensor([58, 52, 43]) - Target: 57
        Input: tensor([58, 52, 43, 57]) - Target: 57
        Input: tensor([58, 52, 43, 57, 57]) - Target: 2
        Input: tensor([58, 52, 43, 57, 57,  2]) - Target: 1
        Input: tensor([58, 52, 43, 57, 57,  2,  1]) - Target: 57
        Input: tensor([58, 52, 43, 57, 57,  2,  1, 57]) - Target: 43
        Input: tensor([1]) - Target: 59
        Input: tensor([ 1, 59]) - Target: 52
        Input: tensor([ 1, 59, 52]) - Target: 39
        Input: tensor([ 1, 59, 52, 39]) - Target: 41
        Input: tensor([ 1, 59, 52, 39, 41]) - Target: 46
        Input: tensor([ 1, 59, 52, 39, 41, 46]) - Target: 47""",
        _TINY,
    ),
]
