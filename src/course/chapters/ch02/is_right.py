"""Return True if the get_batch that comes in is right, and False if it is not."""

import torch

from attention.batches import get_batch
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

DRAWN_RIGHT, AHEAD = (get_batch, targets_not_shifted), (get_batch, targets_two_ahead)
LAST_WRONG = (targets_rolled, last_target_missing)
DRAWN_WRONG = (never_the_last_block, never_the_first_block, one_block_copied)
ALL = (*DRAWN_RIGHT, targets_two_ahead, *LAST_WRONG, *DRAWN_WRONG)
E = Exercise(__name__, inputs=[(f,) for f in ALL],  # and in an order that nobody can count on
             draw=lambda d: (d.choice((get_batch, d.choice(ALL))),), n_drawn=12)

@E.answer
def is_right(get_batch):
    ids = torch.arange(11)  # every id is its own place
    x, y = get_batch(ids, 1000, 3, torch.Generator().manual_seed(0))
    shifted = x.shape == y.shape == (1000, 3) and bool((y == x + 1).all())
    every_start = set(x[:, 0].tolist()) == set(range(11 - 3))
    return shifted and every_start

def accepts(functions, hint):  # a mistake: it says True of these functions alone
    E.mistake(lambda get_batch: get_batch in functions, hint)

accepts(ALL, """you let every one of them pass. All of them give the right shapes; look at the
    numbers in x and y.""")
accepts((get_batch, *DRAWN_WRONG), """the shift is tested well. But three of the wrong ones shift
    correctly and don't draw as they should. Which starts should come up in one large batch?""")
accepts((get_batch, *LAST_WRONG, *DRAWN_WRONG), """`x[:, 1:]` against `y[:, :-1]` says nothing
    about the last target of each row, and nothing about which blocks can be drawn.""")
accepts((get_batch, *LAST_WRONG), """the draws are tested well. But you accept two whose last
    targets are wrong: what has to stand in the last column of y?""")
for others in ((), (never_the_first_block,), (one_block_copied,), DRAWN_WRONG[1:], DRAWN_WRONG):
    accepts((*AHEAD, *others), """that the last id comes up among the targets is not enough: you
        accept one whose targets are two ahead. Does each target follow its own input?""")
for others in ((), (targets_two_ahead,)):
    accepts((*DRAWN_RIGHT, *LAST_WRONG, *others), """you test which blocks are drawn, but not that
        each target follows its own input.""")
accepts((get_batch, one_block_copied), """you accept the one that copies one block: over many calls
    its starts are all there. How many different blocks should one large batch hold?""")
for others in (DRAWN_WRONG[1:2], DRAWN_WRONG[1:]):
    accepts((get_batch, *others), """you accept the one that never draws the first block. That the
        last id is reached says nothing about the others: which starts should come up?""")
E.slip("return shifted and every_start", "assert shifted and every_start\n    return True", """your
    asserts find every wrong one. But an assert raises an error, and the answer has to be True or
    False: return what you assert.""")
accepts((), """you refuse all, the right one too. Do you draw too few blocks for the last to come
    up, or wait for one that doesn't fit? With 11 ids and blocks of 3 the last start is 7.""")
accepts((never_the_last_block,), """you refuse the right one and accept the one that never draws
    the last block. With 11 ids and blocks of 3, does start 7 fit? Its last target is place 10.""")

E.hint("What must hold between x and y? And which starts must come up, if you draw very often?")
E.hint("""Take `ids = torch.arange(11)`: then every id is its own place, y has to be x + 1, and
    `x[:, 0]` holds the starts.""")
E.hint("""Draw 1000 blocks of 3. Test the shapes, `(y == x + 1).all()`, and that the set of `x[:,
    0].tolist()` is `set(range(8))`.""")
