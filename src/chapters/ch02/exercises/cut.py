"""Return the inputs and targets of the block at start, or raise ValueError if there is none."""

import torch

from course.learn.record import Exercise


def drawn(d):
    T = d.size()
    ids = d.whole(0, d.choice((3, 50_000)), (d.n % 3 > 1) + T + d.choice((-1, 0, 1, 2, 3, 5)))[d.n % 3 > 1 :]
    near_the_end = len(ids) - T + d.randint(-2, 1)
    return ids, d.choice((near_the_end, d.randint(-9, 9), -len(ids), 2**31)), T

SHORT = torch.tensor([30, 50, 20, 70, 40])
CASES = [(start, 2) for start in (0, 2, 3, 4, 5, 9, -1, -4, -9)]
CASES += [(1, 3), (2, 3), (0, 1), (3, 1), (0, 4), (0, 5), (0, 6)]
E = Exercise(__name__, [(SHORT, *case) for case in CASES], drawn)

@E.answer
def cut(ids, start, block_size):
    if start < 0 or start + block_size + 1 > len(ids):
        raise ValueError(f"no full block of {block_size} at {start} in {len(ids)} ids")
    return ids[start : start + block_size], ids[start + 1 : start + block_size + 1]

CHECK = "start < 0 or start + block_size + 1 > len(ids)"
X, Y = "ids[start : start + block_size]", "ids[start + 1 : start + block_size + 1]"
E.slip(CHECK, "False", """near the end your blocks are short or empty, because a slice past the end
    raises no error. Check that the block fits before you cut it.""")
for wrong in ("start >= len(ids)", "start < 0 or start >= len(ids)"):
    E.slip(CHECK, wrong, """you reject starts past the end, but you accept starts near the end,
        where the block is too short. How many ids does a block need, including its targets?""")
for wrong in ("start < 0 or start + block_size > len(ids)", f"len({X}) < block_size"):
    E.slip(CHECK, wrong, """near the end you accept one start too many. Its inputs fit, but its last
        target is missing, because the targets reach one id further than the inputs.""")
E.slip("+ 1 >", "+ 1 >=", """you reject the last good start, whose last target is the last id of the
    text. With 5 ids and blocks of 2, start 2 uses the ids at indices 2, 3 and 4.""")
for wrong in ("", f"len({Y}) < block_size or ", "start + block_size < -len(ids) or "):
    E.slip("start < 0 or ", wrong, """you accept negative starts. A slice counts them from the
        end, so the block is too short, empty or from the wrong place.""")
E.slip(Y, X, """you return the inputs as targets. The target of position t is the id that follows
    it.""")
E.slip(Y, "ids[start + 2 : start + block_size + 2]", """your targets begin two ids after the
    inputs, so each target skips the id that has to be guessed.""")
E.slip(f"{X}, {Y}", f"{Y}, {X}", "you return the targets first. Return the inputs first, then the targets.")
E.slip("if", "start = min(max(start, 0), len(ids) - block_size - 1)\n    if", """you replace a bad
    start with a good one, so the caller gets a different block without knowing it. Raise a
    ValueError instead.""")
E.slip("raise ValueError", "return ValueError or ", """`return ValueError` returns the error
    like any other value. `raise ValueError(...)` stops the function with it.""")
E.mistake(lambda ids, start, T: tuple(ids[start + torch.arange(T) + shift] for shift in (0, 1)),
    """you look up each id by its index. Past the end, that raises an IndexError instead of a
    ValueError, and a negative index counts from the end without an error.""")

@E.law
def both_hold_a_block(both, ids, start, block_size):
    """the inputs and the targets both need block_size ids"""
    return len(both[0]) == len(both[1]) == block_size

@E.law
def targets_follow_inputs(both, ids, *others):
    """the targets have to be the inputs shifted by one"""
    return torch.equal(both[0][..., 1:], both[1][..., :-1])
E.hint("Which indices does the block at `start` use, from the first input to the last target?")
E.hint("""The block uses the indices from start to start + block_size. The last index in ids is
    len(ids) - 1.""")
E.hint("""Write `if start < 0 or start + block_size + 1 > len(ids): raise ValueError(...)`, then
    return two slices.""")
