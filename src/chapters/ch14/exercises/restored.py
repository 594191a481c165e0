"""The share of the runs' difference that each position's clean activation brings back by itself,
(T,)."""

import torch

from course.learn.draws import quarters
from course.learn.record import Exercise


def later_layers(looks, reads, size):
    """Layers that return one number: the last position looks back, and multiplies the result with
    its own activation."""

    def rest(x):
        if x.shape != (len(looks), len(reads)):
            raise ValueError(f"expected activations of shape {(len(looks), len(reads))}, got {tuple(x.shape)}")
        heard = looks @ x
        return (heard @ reads + (heard * x[-1]).sum()) * size

    return rest

def given(T, C, seed, same=(), size=1.0):
    while True:
        clean, corrupted = quarters(2, T, C, seed=seed)
        corrupted[list(same)] = clean[list(same)]
        rest = later_layers(quarters(T, seed=seed + 1), quarters(C, seed=seed + 2), size)
        if abs(rest(clean) - rest(corrupted)) >= 0.5 * size:
            return rest, clean, corrupted
        seed += 1000

def drawn(d):
    T, C = d.sizes(2, least=2)
    return given(T, C, d.randrange(900), d.sample(range(T), d.randint(0, T - 1)))

E = Exercise(__name__, [given(1, 2, 1), given(2, 3, 2, [0]), given(3, 2, 3), given(4, 3, 4, [1, 2]),
                         given(3, 2, 5, size=2.0**-14)], drawn)

@E.answer
def restored(rest, clean, corrupted):
    low, high = rest(corrupted), rest(clean)
    shares = []
    for t in range(len(clean)):
        patched = corrupted.clone()
        patched[t] = clean[t]
        shares.append((rest(patched) - low) / (high - low))
    return torch.stack(shares)

SHARE = "(rest(patched) - low) / (high - low)"
E.slip(".clone()", "", """you write into the corrupted run itself. That changes the caller's
    tensor, and the earlier positions stay patched. `clone` it for each position.""")
E.slip("    for t in range(len(clean)):\n        patched = corrupted.clone()",
       "    patched = corrupted.clone()\n    for t in range(len(clean)):", """you try position t
    together with the clean activations of all earlier positions. Start each time from the
    corrupted run.""")
E.slip("patched[t] =", "patched[t:] =", """you put back position t and all later ones. Put back one
    position at a time.""")
E.slip("        patched = corrupted.clone()\n        patched[t] = clean[t]",
       "        patched = clean.clone()\n        patched[t] = corrupted[t]", """you put the
    corrupted activation into the clean run, and return how much is left. That tests whether a
    position is needed. The task is to test whether it is enough, so put the clean activation into
    the corrupted run.""")
E.slip("""        patched = corrupted.clone()
        patched[t] = clean[t]
        shares.append((rest(patched) - low)""", """        patched = clean.clone()
        patched[t] = corrupted[t]
        shares.append((high - rest(patched))""", """you return how much is lost if one position of
            the clean run is corrupted. That tests whether a position is needed. The task is to test
            whether it is enough, so put the clean activation into the corrupted run.""")
E.slip(SHARE, "rest(patched) - low", """you returned the difference. Return it as a share of the
    full difference, clean minus corrupted, which can be compared between texts.""")
E.slip(SHARE, "rest(patched)", """you returned the number itself. How much of the difference
    between the two runs was restored?""")
E.slip(SHARE, "rest(patched) / high", """you measure from 0. But a position whose patch restores
    nothing gives the corrupted run's number, not 0. Measure from that number.""")
E.slip("(high - low))", "high)", """you divide by the clean run's number. The full difference goes
    from the corrupted run's number to the clean run's.""")
E.slip("(high - low))", "(high - low + 1e-6))", """you add a little to the difference, or set a
    lower limit for it, and that matters where the two runs are close. They always differ, so you
    never divide by 0.""")
E.slip("(high - low))", "(low - high))", """your sign is inverted: if the full difference comes
    back, the share has to be 1.""")
E.slip(SHARE, "(high - rest(patched)) / (high - low)", """you swapped the ends of the scale: your
    share is 0 where everything comes back, and 1 where nothing does.""")
E.slip("return torch.stack(shares)", "return torch.stack(shares).clamp(0, 1)", """you cut the
    shares at 0 and 1. A share can be below 0 or above 1, and that is worth seeing.""")
E.slip("return torch.stack(shares)", "return torch.stack(shares).abs()", """you dropped the sign. A
    share can be below 0.""")
E.slip("return torch.stack(shares)", "return torch.stack(shares) / torch.stack(shares).sum()", """
    you made the shares sum to 1. They don't have to: two positions can each bring back everything,
    or can do so only together.""")
E.slip("patched[t] =", "patched[t] +=", """you add the clean activation to the corrupted one.
    Replace the corrupted one by it.""")
E.slip("patched[t] = clean[t]", "patched[:, t] = clean[:, t]", """you patch channel t at all
    positions. The positions are the first axis.""")

@E.law
def equal_activations_bring_nothing(shares, rest, clean, corrupted):
    """where both runs have the same activation, the share has to be 0"""
    return bool((shares[(clean == corrupted).all(dim=-1)] == 0).all())

@E.law
def the_only_difference_brings_all(shares, rest, clean, corrupted):
    """where the runs differ at only one position, its share has to be 1"""
    differ = (clean != corrupted).any(dim=-1)
    return differ.sum() != 1 or abs(float(shares[differ]) - 1) < 1e-4

E.hint("Two numbers are the ends of a scale: `rest(corrupted)` is 0 on it and `rest(clean)` is 1.")
E.hint("""For each t, copy the corrupted run and insert row t of the clean one. Where on the scale
    is the result of `rest`?""")
E.hint("""`patched = corrupted.clone()`, `patched[t] = clean[t]`, then `(rest(patched) - low) /
    (high - low)`. Join all the shares with `torch.stack`.""")
