"""Return True if the output of one sequence of the batch x depends on the others."""

import torch

from chapters.families import PARTS, almost, by, family, rights
from course.learn.draws import quarters
from course.learn.record import Exercise


def weigh(x):
    return (x @ x.mT - 1e9 * torch.ones(x.shape[1], x.shape[1]).triu(1)).softmax(dim=-1)

def partners(x, bit):  # each sequence's, or 0
    return torch.stack([x[b ^ bit] if b ^ bit < len(x) else 0 * x[b] for b in range(len(x))])

HEADS = {
    "healthy": lambda x: weigh(x) @ x,
    "shares_its_weights": lambda x: weigh(x).mean(dim=0) @ x,
    "adds_its_neighbours": lambda x: weigh(x) @ x.sum(dim=0),
    "forgets_the_mask": lambda x: (x @ x.mT).softmax(dim=-1) @ x,
    "one_long_sequence": lambda x: (weigh(y := x.reshape(1, -1, x.shape[-1])) @ y).view(x.shape),
    "one_long_sequence_from_the_end": lambda x: HEADS["one_long_sequence"](x.flip(0)).flip(0),
    "centres_its_values": lambda x: weigh(x) @ (x - x.mean(dim=0)),
    "exchanges": lambda x: (weigh(x) @ x).flip(0),  # so that all means stay
    "healthy_but_for_rounding": lambda x: weigh(x) @ x + 6e-6 * (len(x) > 1),
    "healthy_to_the_last_bits": lambda x: weigh(x) @ x + 3e-7 * (len(x) > 1),
    "mixes_a_little": lambda x: weigh(x) @ x + 1e-3 * x.sum(dim=0),
    "mixes_pairs": lambda x: weigh(x) @ x + partners(x, 1),  # 0 and 1, 2 and 3
    "mixes_every_other": lambda x: weigh(x) @ x + partners(x, 2),  # 0 and 2, 1 and 3
    "touches_the_third": lambda x: weigh(x) @ x + x[:1] * torch.eye(len(x), 3)[:, 2:, None],
}
for name, head in HEADS.items():
    head.__name__ = name  # as it is shown
HEALTHY, MIXING = HEADS["healthy"], HEADS["adds_its_neighbours"]
MIXED = [*family(HEALTHY, MIXING, "mixes"), *rights(HEALTHY, MIXING, "healthy"),
         *(almost(HEALTHY, lambda x, part=part: HEALTHY(x) + part(x).sum(dim=0), by(0.1), f"mixes {what}")
           for what, part in PARTS.items())]
ALL, PAIR, FOUR = [*HEADS.values()], quarters(2, 3, 2, seed=5), quarters(4, 5, 4, seed=6)
E = Exercise(__name__, n_drawn=14, without=("attention",),
    inputs=[(head, PAIR) for head in ALL[:-2]]  # the last two are healthy there
    + [(head, FOUR) for head in [*ALL, *MIXED]],
    draw=lambda d: (d.choice((ALL, MIXED)[d.n % 2]), d.tensor(d.size(3), d.size(3), d.size(3))))

@E.answer
def mixes_batch(attend, x):
    together = attend(x)
    alone = torch.cat([attend(x[b : b + 1]) for b in range(len(x))])
    return not torch.allclose(together, alone, rtol=0, atol=1e-5)

def unlike(a, b):
    return not torch.allclose(a, b, rtol=0, atol=1e-5)

E.mistake(lambda f, x: unlike(*f(x[:1].repeat(2, 1, 1))), """your test finds only heads that treat
    the sequences of a batch differently. Two copies of one sequence, or the same batch in a
    different order, are mixed in the same way. Compare each sequence with what it gives by
    itself.""")
for n in (1, 2):
    E.mistake(lambda f, x, n=n: unlike(f(x[:1].repeat(2, 1, 1))[:n], f(x[:1])), """you put copies
        of one sequence into the batch. Their mean is the same sequence, so you don't notice a head
        that takes an average. Use sequences that differ.""")
for alone in ("x.split(max(1, len(x) // 2))", "x.split(2)"):
    E.slip("attend(x[b : b + 1]) for b in range(len(x))", f"attend(part) for part in {alone}", """
        your test accepts a head that mixes only within pairs. Does it call `attend` with two
        sequences at once? Compare with each sequence by itself.""")
for rtol in ("rtol=0, ", ""):  # also with a relative tolerance
    E.slip("(together, alone, rtol=0, ", f"(together[0], alone[0], {rtol}", """your test accepts a head that mixes only
        in later sequences, but catches heads that mix in the first. Which sequences does it compare?""")
    E.slip("(together, alone, rtol=0, ", f"(together[-1], alone[-1], {rtol}", """your test accepts a head that mixes only
        in the first sequence, but catches heads that mix in the last. Which sequences does it compare?""")
    for place in ("[:, -1]", "[:, 0]"):
        E.slip("(together, alone, rtol=0, ", f"(together{place}, alone{place}, {rtol}", """your test finds heads that
            mix everywhere, but accepts some that mix at a single position. Which positions does it compare?""")
    for place in ("[..., 0]", "[..., -1]"):
        E.slip("(together, alone, rtol=0, ", f"(together{place}, alone{place}, {rtol}", """your test finds heads that
            mix everywhere, but accepts some that mix in a single channel. Which channels does it compare?""")
    for mean in (".mean()", ".mean(1)", ".mean(-1)")[: 3 if rtol else 0]:
        E.slip("(together, alone, rtol=0, ", f"(together{mean}, alone{mean}, {rtol}", """your test accepts a head in which one
            number grows by as much as another shrinks. Does it compare number by number?""")
    E.slip("(together, alone, rtol=0, ", f"(together.norm(dim=-1), alone.norm(dim=-1), {rtol}", """your test accepts a head
        whose outputs rotate but keep their lengths. Does it compare number by number?""")
for new in ("stack([attend(x[b])", "cat([attend(x[b])"):
    E.slip("cat([attend(x[b : b + 1])", new, """`x[b]` is (T, C): it has lost its batch axis. `x[b
        : b + 1]` keeps it.""")
E.slip("(together, alone", "((together - alone).clamp(min=0), 0 * alone", """your test accepts a head in which numbers
    only shrink, but finds one in which they only grow. Does it take the size of the difference?""")
E.slip("1e-5", "1e-4", """your test accepts a head that mixes only a little. Rounding changes a number by up to 1e-5.
    How large a difference does your test accept?""")
E.slip("atol=1e-5", "atol=1e-6", """your test calls healthy heads sick although they only round differently.
    Differences of up to 1e-5 are rounding.""")
E.slip("rtol=0, ", "", """your test accepts a head that mixes by less than a thousandth if its outputs are near 100. A
    relative tolerance, such as `rtol` of `torch.allclose`, grows with the numbers. Set `rtol=0`.""")
E.slip("1e-5", "0.1", """your test accepts heads that add a thousandth of the other sequences. How
    large a difference does it accept?""")
E.slip("rtol=0, atol=1e-5", "0, 0", """your tolerance is too small: a healthy head can round differently when the
    batch has a different size.""")
E.mistake(lambda *x: False, """your test says that every head keeps its sequences apart, including
    the sick ones. Do you compare shapes? Every head gives the right shape, so a shape doesn't show
    anything.""")
E.mistake(lambda *x: True, """your test says that every head mixes, including the healthy ones. Different sequences
    give different outputs, mixed or not. Compare each sequence's output in the batch with its output by itself.""")
E.mistake(lambda f, x: unlike(f(x[:, :-1]), f(x)[:, :-1]), """you tested whether the future leaks
    into the past. That is a different fault. Here only the other sequences in the batch count.""")
E.slip("return not", "return", "your answers are reversed: True means that a head mixes.")

@E.law
def alone_tells(answer, attend, x):
    """the result has to be True exactly if some sequence gives a different output by itself"""
    moves = (attend(x[b : b + 1]) - attend(x)[b : b + 1] for b in range(len(x)))
    return answer == any((move.abs() > 1e-5).any() for move in moves)

E.hint("What should a sequence give if it is the only one in its batch?")
E.hint("`x[b : b + 1]` is a batch with only sequence b. Do that for every b.")
E.hint("""Join those outputs with `torch.cat`. Compare them with `attend(x)` by
    `torch.allclose(..., rtol=0, atol=1e-5)`. Return True if they differ.""")
