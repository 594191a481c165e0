"""Return True if the last output changes when two neighbours before it are swapped, otherwise False."""

import torch

from attention.positions import alibi_bias, rotary_angles, rotate
from chapters.families import almost, at, faint, family, rights
from course.learn.draws import normal
from course.learn.record import Exercise


def mix(q, k, v, added=0.0, diagonal=0):
    """Attention with something added to its scores; diagonal=0 hides the future, None nothing."""
    scores = q @ k.mT * q.shape[-1] ** -0.5 + added
    if diagonal is not None:
        scores = scores.masked_fill(torch.ones_like(scores).triu(diagonal + 1).bool(), -torch.inf)
    return scores.softmax(dim=-1) @ v

def bonus(x, places, size=1.0):  # for the keys at these places, if there are such
    return size * torch.isin(torch.arange(x.shape[1]), torch.tensor(places))

def turned(x):
    angles = rotary_angles(torch.arange(x.shape[1]), 2)
    return torch.cat([rotate(x[..., :2], angles), x[..., 2:]], dim=-1)

def ring(x):  # the same from whichever word of the past one begins
    return (x[:, :-1] * x[:, :-1].roll(1, 1)).sum(dim=(1, 2), keepdim=True) / 10

def last(x, *back):  # the places so many before the last word
    return [x.shape[1] - 1 - n for n in back]

RULES = {
    "causal": lambda x: mix(x, x, x),
    "two_causal_layers": lambda x: mix(y := mix(x, x, x), y, y),
    "no_mask": lambda x: mix(x, x, x, diagonal=None),
    "two_layers_without_a_mask": lambda x: mix(y := mix(x, x, x, 0, None), y, y, 0, None),
    "mean_of_the_past": lambda x: mix(0 * x, x, x), "itself_only": lambda x: x,
    "alibi": lambda x: mix(x, x, x, alibi_bias(1, x.shape[1], x.shape[1])[0]),
    "rotary": lambda x: mix(turned(x), turned(x), x),
    "the_word_before": lambda x: mix(x, x, x, bonus(x, last(x, 1), 9)),
    "the_first_word": lambda x: mix(x, x, x, bonus(x, [0], 9)),
    "the_first_and_the_one_before": lambda x: mix(x, x, x, bonus(x, [0, *last(x, 1)])),
    "hardly_the_first": lambda x: mix(x, x, x, bonus(x, [0], 0.01)),
    "a_word_in_the_middle": lambda x: mix(x, x, x, bonus(x, [*range(2, x.shape[1] - 3)], 9)),
    "the_second_half": lambda x: mix(x, x, x, bonus(x, [*range(x.shape[1] // 2, x.shape[1])], 9)),
    "a_ring": lambda x: mix(x, x, x) + ring(x),
    "alibi_in_the_second_sequence":
        lambda x: torch.cat([mix(x, x, x)[:1], RULES["alibi"](x)[1:]]),
}

def attention(name):
    def forward(x):
        return RULES[name](x)

    forward.__name__ = name
    return forward

BLIND, KNOWING = attention("causal"), attention("the_first_and_the_one_before")
KNOWS = [*family(BLIND, KNOWING, "knows order", "at the first position", "second position", "but one",
                 "positions", "one number", "one word"), *rights(BLIND, KNOWING, "blind"),
         almost(BLIND, KNOWING, lambda off, out: at(-3, 1)(at(-1, 1)(off)) / 10, "knows order in one number"),
         almost(BLIND, KNOWING, lambda off, out: faint(6e-5)(at(-3, 1)(at(-1, 1)(off))), "knows order faintly in one number")]
X = torch.randn(2, 6, 2, generator=torch.Generator().manual_seed(5))  # as they are in any variant
MANY = torch.randn(4, 6, 5, generator=torch.Generator().manual_seed(6))
LONG = torch.randn(2, 12, 2, generator=torch.Generator().manual_seed(7))
ALIKE = torch.cat([X[:, :1].expand(2, 5, 2), X[:, -1:]], dim=1)  # five times the same word
E = Exercise(__name__, n_drawn=10,
    inputs=[(attention("causal"), X[:1, :2])]  # too few words to swap
    + [(attention(name), X[:1, :3]) for name in ("causal", "alibi")]
    + [(attention(name), x) for x in (X, X[:, :5]) for name in RULES]
    + [(forward, MANY) for forward in KNOWS]
    + [(KNOWING, ALIKE), (attention("the_second_half"), LONG)],
    draw=lambda d: (attention(d.choice([*RULES])) if d.n % 2 else d.choice(KNOWS),
                    normal(d.size(3), d.size(4), d.size(2), seed=d.getrandbits(30))))

@E.answer
def knows_order(forward, x):
    T = x.shape[1]
    before = forward(x)[:, -1]
    for t in range(T - 2):
        order = [*range(T)]
        order[t], order[t + 1] = t + 1, t  # two neighbours are swapped
        change = forward(x[:, order])[:, -1] - before
        if (change.abs() > 1e-5).any():
            return True
    return False

E.slip("return False", "return True", """your test says that every function knows the order. For
    which functions can't that be true?""")
E.slip("return True", "return False", """your test says that no function knows the order. Do you
    shuffle x, or the output?""")
E.mistake(lambda f, x: not knows_order(f, x), "your answer is reversed: True has to mean that order matters.")
E.slip("range(T - 2)", "range(T - 2)[:1]", """you swap only the first two words, so you miss a
    function that looks at the word just before the last one. Try all pairs of neighbours.""")
E.slip("range(T - 2)", "range(T - 2)[-1:]", """you swap only the two words before the last one, so
    you miss a function that treats only the first word specially. Try all pairs of neighbours.""")
E.slip("range(T - 2)", "range(T - 1)", """you also move the last word, so the last output belongs to a different word.
    It changes even if order doesn't matter. Leave the last word where it is.""")
E.mistake(lambda f, x: bool(((f(torch.cat([x[:, :-1].flip(1), x[:, -1:]], 1)) - f(x))[:, -1].abs()
    > 1e-5).any()), """you only reverse the past. If a function treats the first and the last word
    of the past alike, reversing might not show that it knows the order. Try other orders as
    well.""")
E.mistake(lambda f, x: bool(((f(torch.cat([x[:, :-1].roll(1, 1), x[:, -1:]], 1)) - f(x))[:, -1].abs()
    > 1e-5).any()), """you only move all words of the past by one position. For a function that
        sees the past as a ring, nothing changes, because a rotated ring stays the same. Try other
        orders as well.""")
E.mistake(lambda f, x: knows_order(f, torch.randn_like(x)), """you test words of your own. Swap two
    neighbours in the given x. If these are equal, nothing changes.""")
E.slip("[:, -1] - before", " - forward(x)", """you compare the outputs of all positions. If two
    words are swapped, their outputs are too. Compare only the last output, whose word stays in its
    position.""")
E.slip("(x[:, order])[:, -1] - before", "(x[:, order]) - forward(x)[:, order]", """you test whether
    all outputs move along with their words. Under a causal mask they don't, because each word has
    a different past. Only the last one has the same past, in a different order, so compare that
    one.""")
E.slip("x[:, order]", "x[order[: len(x)]]", """you shuffled the first axis, which holds the
    sequences of the batch. The words are on axis 1.""")
E.slip("> 1e-5", "> 0", """your tolerance is too small, or you have none: a sum in a different order is rounded
    differently. Allow 1e-5.""")
E.slip("> 1e-5", "> 1e-2", "your test misses a small effect: anything above 1e-5 counts.")
E.slip("(change.abs", "(change[0].abs", """your test finds functions that know the order in every
    sequence, but misses one that knows it only in a later one. Which sequences does it
    compare?""")
E.slip("(change.abs", "(change[-1].abs", """your test finds functions that know the order in every
    sequence, but misses one that knows it only in the first. Which sequences does it compare?""")
for n in (0, -1):
    E.slip("(change.abs", f"(change[..., {n}].abs", """your test finds functions that know the
    order in every channel, but misses one that knows it in a single channel. Which channels does
    it compare?""")
for mean in (".mean()", ".mean(0)", ".sum(-1)"):
    E.slip("change.abs()", f"change{mean}.abs()", """your test misses a function in which one
        number grows by as much as another shrinks. Does it look at the size of every single
        change?""")
for wide in ("1e-3", "1e-4"):
    E.slip("> 1e-5", f"> {wide}", """your test misses a faint effect. How large a change does it accept? Anything
        above 1e-5 counts.""")
E.slip("> 1e-5", "> 1e-6", """your test says that a function knows the order although its output
    changes by less than 1e-5. That is rounding.""")
E.slip("> 1e-5", "> 1e-5 + 1e-5 * before.abs()", """your test misses a change if the outputs are near 100. A relative
    tolerance, such as `rtol` of `torch.allclose`, grows with the numbers: set it to 0.""")
E.slip("(x[:, order])[:, -1] - before", "(x[:, order])[:, -1].norm(dim=-1) - before.norm(dim=-1)", """
    your test misses a function whose output rotates but keeps its length. Does it compare number
    by number?""")
E.slip("(change.abs() > 1e-5).any()", "(change.abs() > 1e-5).any(dim=-1).all()", """your test finds
    functions that know the order in every sequence, but misses one that knows it in a single
    sequence. Is a change in one sequence enough for True?""")
E.slip("(change.abs() > 1e-5).any()", "change.abs().mean() > 1e-5", """you take a mean over many
    numbers, in which a small change in one of them disappears. Is every single change small?""")
E.slip("change.abs()", "change", """your test looks for outputs that grow, and misses those that shrink. Compare the
    size of the change, `.abs()`.""")

@E.law
def true_just_when_a_swap_moves_the_last(answer, f, x):
    """the result has to be True if swapping two neighbours before the last word can change the
    last output by more than 1e-5, otherwise False"""
    last, T = f(x)[:, -1], x.shape[1]
    swaps = ([{t: t + 1, t + 1: t}.get(n, n) for n in range(T)] for t in range(T - 2))
    return answer == any(((f(x[:, swap])[:, -1] - last).abs() > 1e-5).any() for swap in swaps)

E.hint("Which word has to stay where it is, and which output do you compare?")
E.hint("""Compute `forward(x)[:, -1]` once. Then swap two neighbours among the words before the last one, and compare.
    Do that for each pair of neighbours.""")
E.hint("""For each t from 0 to T - 3, make an `order` in which t and t + 1 are swapped, and use `x[:, order]`. If the
    last output changes by more than 1e-5, return True.""")
