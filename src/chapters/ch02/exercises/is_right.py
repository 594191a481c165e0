"""Return True if the given get_batch is right, and False if it isn't."""

import torch

from attention.batches import cut_blocks, get_batch
from chapters.families import called
from course.learn.record import Exercise


def targets_not_shifted(ids, batch_size, block_size, generator):
    return (x := get_batch(ids, batch_size, block_size, generator)[0]), x.clone()
def targets_rolled(ids, batch_size, block_size, generator):
    return (x := get_batch(ids, batch_size, block_size, generator)[0]), x.roll(-1, dims=1)
def last_target_missing(ids, batch_size, block_size, generator):
    x, y = get_batch(ids, batch_size, block_size, generator)
    return x, torch.cat([y[:, :-1], x[:, -1:]], dim=1)
def targets_two_ahead(ids, batch_size, block_size, generator):
    places = torch.arange(max(len(ids) - 1, block_size + 1))
    where, after = get_batch(places, batch_size, block_size, generator)
    return ids[where], ids[(after + 1) % len(ids)]  # round the end only if one block is all
def never_the_last_block(ids, batch_size, block_size, generator):
    return get_batch(ids[: max(len(ids) - 1, block_size + 1)], batch_size, block_size, generator)
def never_the_first_block(ids, batch_size, block_size, generator):
    return get_batch(ids[len(ids) > block_size + 1 :], batch_size, block_size, generator)
def one_block_copied(ids, batch_size, block_size, generator):
    return tuple(part.repeat(batch_size, 1) for part in get_batch(ids, 1, block_size, generator))

def never_one_block(part):
    """The right function, except that of all starts the one behind the first part never occurs."""
    def function(ids, batch_size, block_size, generator):
        if (n := len(ids) - block_size) < part:
            return get_batch(ids, batch_size, block_size, generator)
        starts = torch.randint(n - 1, (batch_size,), generator=generator)
        return cut_blocks(ids, starts + (starts >= n // part), block_size)
    return function

def picked(change):
    """The right function, except that `change` alters the places, which wrap round at the end."""
    def function(ids, batch_size, block_size, generator):
        x, y = change(*get_batch(torch.arange(len(ids)), batch_size, block_size, generator))
        return ids[x % len(ids)], ids[y % len(ids)]
    return function

def nearly(rows, columns, cancels=False):
    """The right function, except for targets one too far on, and one too far back if it cancels."""
    def change(x, y):
        y[rows, columns] += 1
        if cancels:
            y[rows, -1] -= 1
        return x, y
    return picked(change)

@picked
def read_in_another_order(x, y):
    x[-1, 1 % x.shape[1]], y[-1, 0] = y[-1, 0] + 1, y[-1, 0] + 1
    return x, y

def one_block_wrong(place):
    """The right function, except for a target of one block: the first at 0, the last at 1."""
    def function(ids, batch_size, block_size, generator):
        def change(x, y):
            y[x[:, 0] == int(place * (len(ids) - block_size - 1)), 0] += 1
            return x, y
        return picked(change)(ids, batch_size, block_size, generator)
    return function

def right_in_its_own_order(ids, batch_size, block_size, generator):
    starts = torch.rand(batch_size, generator=generator) * (len(ids) - block_size)
    return cut_blocks(ids, starts.long(), block_size)
def right_in_views(ids, batch_size, block_size, generator):
    return tuple(part.T.clone().T for part in get_batch(ids, batch_size, block_size, generator))

EVERY = slice(None)
NEARLY = {
    "one_target_wrong_in_the_first_row": ([0], [0]), "one_target_wrong_in_the_last_row": ([-1], [0]),
    "first_target_of_each_row_wrong": (EVERY, [0]), "last_target_of_the_last_row_wrong": ([-1], [-1]),
    "two_wrong_targets_of_the_last_row_cancel": ([-1], [0], True),
    "two_wrong_targets_of_each_row_cancel": (EVERY, [0], True),
}
FURTHER = {
    "targets_three_ahead": lambda x, y: (x, y + 2), "targets_five_ahead": lambda x, y: (x, y + 4), "targets_one_back": lambda x, y: (x, x - 1),
    "targets_of_another_row": lambda x, y: (x, y.roll(1, dims=0)),
}
DRAWN_RIGHT, AHEAD = (get_batch, targets_not_shifted), (get_batch, targets_two_ahead)
LAST_WRONG = (targets_rolled, last_target_missing)
DRAWN_WRONG = (never_the_last_block, never_the_first_block, one_block_copied)
ALL = (*DRAWN_RIGHT, targets_two_ahead, *LAST_WRONG, *DRAWN_WRONG)
for function in ALL[1:]:
    called(function.__name__, function, like="get_batch")  # as its errors name it
MORE = [called("never_a_middle_block", never_one_block(2), like="get_batch"),
        called("never_a_block_of_the_first_third", never_one_block(3), like="get_batch"),
        *(called(name, nearly(*where), like="get_batch") for name, where in NEARLY.items()),
        *(called(name, picked(change), like="get_batch") for name, change in FURTHER.items()),
        called("read_in_another_order", read_in_another_order, like="get_batch"),
        *(called(f"{name}_block_wrong", one_block_wrong(place), like="get_batch")
          for name, place in (("one", 0.5), ("first", 0), ("last", 1)))]
RIGHT = [get_batch, called("right_in_views", right_in_views, like="get_batch"),
         called("right_in_its_own_order", right_in_its_own_order, like="get_batch")]
E = Exercise(__name__, inputs=[(f,) for f in (*ALL, *MORE, *RIGHT[1:])],  # in an order that answers can't rely on
             draw=lambda d: (d.choice((get_batch, d.choice(ALL))),), n_drawn=12)

@E.answer
def is_right(get_batch):
    ids = torch.arange(11)  # every id is its own place
    x, y = get_batch(ids, 1000, 3, torch.Generator().manual_seed(0))
    shifted = x.shape == y.shape == (1000, 3) and bool((y == x + 1).all())
    every_start = set(x[:, 0].tolist()) == set(range(11 - 3))
    return shifted and every_start

def accepts(functions, hint):  # a mistake: it returns True only for these functions
    E.mistake(lambda f: f in functions or (get_batch in functions and f in RIGHT), hint)

MIDDLE = MORE[:2]
ANOTHER_ROW = next(f for f in MORE if f.__name__ == "targets_of_another_row")

accepts((*ALL, *MORE), """you accept all the functions, right and wrong. All of them return the right shapes, so
    look at the numbers in x and y.""")
accepts((get_batch, *DRAWN_WRONG, *MIDDLE), """you test the shift well. But some of the wrong functions
    shift correctly and draw the wrong blocks. Which starts should occur in one large batch?""")
accepts((get_batch, *LAST_WRONG, *DRAWN_WRONG), """you compare `x[:, 1:]` with `y[:, :-1]`. But
    that doesn't test the last target of each row, or which blocks can be drawn.""")
accepts((get_batch, *LAST_WRONG), """you test the draws well. But you accept two functions whose
    last targets are wrong. Which numbers have to be in the last column of y?""")
for others in ((), (never_the_first_block,), (one_block_copied,), DRAWN_WRONG[1:], DRAWN_WRONG):
    accepts((*AHEAD, *others), """you accept a function whose targets are two ahead. It isn't enough
        that the last id occurs among the targets. Does each target follow its own input?""")
for others in ((), (targets_two_ahead,)):
    accepts((*DRAWN_RIGHT, *LAST_WRONG, *others), """you test which blocks are drawn, but not that
        each target follows its own input.""")
for others in ((), (ANOTHER_ROW,)):  # with batches of one
    accepts((get_batch, one_block_copied, *others), """you accept the function that copies one
    block, because over many calls all starts occur. How many different blocks should one large
    batch hold?""")
for others in (DRAWN_WRONG[1:2], DRAWN_WRONG[1:]):
    accepts((get_batch, *MIDDLE, *others), """you accept the function that never draws the first block. It
        isn't enough that the last id occurs. Which starts should occur?""")
for part in ("[0]", "[-1]"):
    E.slip("(y == x + 1).all()", f"(y{part} == x{part} + 1).all()", """you accept a function that is wrong
        in a single row of the batch. Which rows does your test compare?""")
for part in ("[:, 0]", "[:, -1]"):
    E.slip("(y == x + 1).all()", f"(y{part} == x{part} + 1).all()", """you accept a function that is wrong
        in a single column. Which columns does your test compare?""")
E.slip("(y == x + 1).all()", "((y - x).float().mean() == 1)", """you accept a function in which one
    target is too large by as much as another is too small. Does your test compare number by number?""")
E.slip("(y == x + 1).all()", "(y.flatten().sort().values == (x + 1).flatten().sort().values).all()", """you compare
    all targets without their order, so you accept targets of the wrong row. Does each target follow
    its own input?""")
E.slip("(y == x + 1).all()", "(y == x + 1).float().mean() > 0.9", """you accept a few wrong targets
    if most are right. Every single target has to follow its input.""")
E.slip("set(x[:, 0].tolist()) == set(range(11 - 3))", "x.min() == 0 and x.max() == 9 and len(x.unique(dim=0)) > 1",
    """you look only for the first block and the last one, but a block in the middle could be missing.
    Which starts should occur?""")
E.slip("return shifted and every_start", "assert shifted and every_start\n    return True", """your
    asserts find every wrong function. But an assert raises an error, and your function has to
    return True or False. Return the condition instead.""")
accepts((), """you reject every function, even the right one. Do you draw too few blocks for all starts
    to occur, or expect a block that doesn't fit? With 11 ids and blocks of 3, the last start is
    7.""")
accepts((never_the_last_block,), """you reject the right function and accept the one that never
    draws the last block. With 11 ids and blocks of 3, start 7 fits, because its last target is at
    index 10.""")

E.hint("How must x and y be related? And which starts must occur, if you draw very often?")
E.hint("""Take `ids = torch.arange(11)`. Then every id equals its index, so y has to be x + 1, and
    `x[:, 0]` holds the starts.""")
E.hint("""Draw 1000 blocks of 3. Test the shapes, test `(y == x + 1).all()`, and test that the set of
    `x[:, 0].tolist()` is `set(range(8))`.""")
