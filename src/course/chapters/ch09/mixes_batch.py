"""True if what one sequence of the batch x gives depends on the others."""

import torch

from course.learn.almost import family
from course.learn.draws import quarters
from course.learn.laws import alone_tells
from course.learn.record import Exercise


def weigh(x):
    return (x @ x.mT - 1e9 * torch.ones(x.shape[1], x.shape[1]).triu(1)).softmax(dim=-1)


HEADS = {
    "healthy": lambda x: weigh(x) @ x,
    "shares_its_weights": lambda x: weigh(x).mean(dim=0) @ x,
    "adds_its_neighbours": lambda x: weigh(x) @ x.sum(dim=0),
    "forgets_the_mask": lambda x: (x @ x.mT).softmax(dim=-1) @ x,
    "one_long_sequence": lambda x: (weigh(y := x.reshape(1, -1, x.shape[-1])) @ y).view(x.shape),
    "one_long_sequence_from_the_end": lambda x: HEADS["one_long_sequence"](x.flip(0)).flip(0),
    "centres_its_values": lambda x: weigh(x) @ (x - x.mean(dim=0)),
    "exchanges": lambda x: (weigh(x) @ x).flip(0),  # so that all means stay
    "healthy_but_for_rounding": lambda x: weigh(x) @ x * (1 + 5e-7 * len(x)),
    "mixes_a_little": lambda x: weigh(x) @ x + 1e-3 * x.sum(dim=0),
    "touches_the_third": lambda x: weigh(x) @ x + x[:1] * torch.eye(len(x), 3)[:, 2:, None],
}
for name, head in HEADS.items():
    head.__name__ = name  # as it is shown
MIXED = family(HEADS["healthy"], HEADS["adds_its_neighbours"], "mixes")
ALL, PAIR, FOUR = [*HEADS.values()], quarters(2, 3, 2, seed=5), quarters(4, 5, 2, seed=6)
E = Exercise(
    __name__, n_drawn=14, without=("attention",),
    inputs=[(head, PAIR) for head in ALL[:-1]]
    + [(head, FOUR) for head in [*ALL, *MIXED]],
    draw=lambda d: (d.choice(ALL), d.tensor(d.size(3), d.size(3), d.size(2))),
)


@E.answer
def mixes_batch(attend, x):
    together = attend(x)
    alone = torch.cat([attend(x[b : b + 1]) for b in range(len(x))])
    return not torch.allclose(together, alone, atol=1e-5)


def unlike(a, b):
    return not torch.allclose(a, b, atol=1e-5)


E.mistake(lambda f, x: unlike(*f(x[:1].repeat(2, 1, 1))), """you find only the head that treats its
    places in the batch differently. Two copies of one sequence are mixed alike, and so are all of
    them in another order: compare each with itself alone.""")
for n in (1, 2):
    E.mistake(lambda f, x, n=n: unlike(f(x[:1].repeat(2, 1, 1))[:n], f(x[:1])), """you put copies
        into the batch. Their mean is the copy: averaging goes unnoticed. Let them differ.""")
E.slip("(together, alone", "(together[0], alone[0]", """you miss what flows to later sequences: one
    head lays the batch end to end. Compare each sequence with itself alone.""")
E.slip("(together, alone", "(together[-1], alone[-1]", """you looked at the last sequence only. One
    head lays the batch end to end so that the last hears nobody else.""")
for new in ("stack([attend(x[b])", "cat([attend(x[b])"):
    E.slip("cat([attend(x[b : b + 1])", new, """`x[b]` is (T, C): it has lost its batch axis. `x[b
        : b + 1]` keeps it.""")
for place in ("[:, -1]", "[:, 0]"):
    E.slip("(together, alone", f"(together{place}, alone{place}", """you compare one position of each
        sequence only. A head may mix at another one: compare all numbers.""")
for place in ("[..., 0]", "[..., -1]"):
    E.slip("(together, alone", f"(together{place}, alone{place}", """you compare one channel only. A
        head may mix in another one: compare all numbers.""")
for mean in (".mean()", ".mean(1)", ".mean(-1)"):
    E.slip("(together, alone", f"(together{mean}, alone{mean}", """you compare means or sums. Where one
        number grows by as much as another shrinks, they stay. Compare number by number.""")
E.slip("(together, alone", "((together - alone).clamp(min=0), 0 * alone", """you look for numbers that
    grow, and miss those that shrink: compare the size of the difference.""")
E.slip("1e-5", "2e-3", "your tolerance is too large: one of these heads mixes by a thousandth only.")
E.slip("1e-5", "0.1", "your tolerance is too large: one of these heads mixes only a little.")
E.slip(", atol=1e-5", ", 0, 0", """your tolerance is too small: a healthy head may round
    differently when the batch has another size.""")
E.mistake(lambda *x: False, """you say of every head that it keeps its sequences apart, the sick
    ones too. If you compare shapes: every head gives the right shape; a shape shows nothing.""")
E.mistake(lambda *x: True, """you say of every head that it mixes, the healthy ones too. Different
    sequences give different outputs, mixed or not. Compare each with itself alone.""")
E.mistake(lambda f, x: unlike(f(x[:, :-1]), f(x)[:, :-1]), """you tested whether the future leaks
    into the past. That is another illness: here it is the neighbours in the batch that count.""")
E.slip("return not", "return", "your answers are the wrong way round: True means that they mix.")

E.law(alone_tells)
E.hint("What should a sequence give if it is the only one in its batch?")
E.hint("`x[b : b + 1]` is a batch with sequence b alone. Do that for every b.")
E.hint("Compare `attend(x)` with `torch.cat` of those by `torch.allclose`; True if they differ.")
