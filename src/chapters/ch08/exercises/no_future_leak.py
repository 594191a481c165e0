"""Return True if no output of forward changes when anything after it does, otherwise False."""

import torch

from chapters.families import PARTS, almost, by, family, rights
from course.learn.draws import normal
from course.learn.record import Exercise


def weigh(s, diagonal=0, low=-torch.inf, row=-1, column=0):
    """Weights, masked but for a triangle and one cell more."""
    mask = torch.ones_like(s).tril(diagonal).bool()
    mask[:, row, column] = True
    return s.masked_fill(~mask, low).softmax(dim=-1)

RULES = {
    "no_mask": lambda s: s.softmax(dim=-1),
    "hole_hardly_open": lambda s: weigh(s).lerp(weigh(s, row=slice(-2, -1), column=-1), 0.003),
    "itself_but_the_last_one":
        lambda s: torch.eye(s.shape[1])[[*range(s.shape[1] - 1), 0]].expand_as(s),
    "one_hole_at_the_start": lambda s: weigh(s, row=0, column=slice(2, 3)),
    "causal": weigh, "not_itself": lambda s: weigh(s, -1), "one_step_ahead": lambda s: weigh(s, 1),
    "masked_after_and_shared_out_again": lambda s: (w := s.softmax(-1).tril()) / w.sum(-1, True),
    "leak_in_the_second_sequence": lambda s: torch.cat([weigh(s[:1]), s[1:].softmax(dim=-1)]),
    "masked_after": lambda s: s.softmax(-1).tril(), "filled_with_0": lambda s: weigh(s, low=0.0),
    "future_only": lambda s: weigh(s.flip(1, 2)).flip(1, 2),
    "itself_only": lambda s: torch.eye(s.shape[1]).expand_as(s),
}
FAINT = {  # for x of ordinary size
    "faint_in_one_sequence": lambda s: torch.cat([weigh(s[:1]), aside(s[1:], 6e-5)]),
    "leaks_that_cancel": lambda s: torch.cat([aside(s[:1], 0.1), aside(s[1:], -0.1)]),
}

def aside(s, size):  # a causal attention, with so much of the last word in the row before it
    weights = weigh(s)
    weights[:, -2, -1] = size
    return weights

def attention(name):  # on x alone, with this rule from scores to weights
    def forward(x):
        return (RULES | FAINT)[name](x @ x.mT * x.shape[-1] ** -0.5) @ x

    forward.__name__ = name
    return forward

def ahead(part):  # causal attention, and what it notices of all words from its own on
    return lambda x: attention("causal")(x) + part(x).flip(1).cumsum(dim=1).flip(1)

CAUSAL, LEAKING = attention("causal"), attention("no_mask")
LEAKS = [
    *family(CAUSAL, LEAKING, "leaks", "at the last position"),
    *rights(CAUSAL, LEAKING, "clean"),
    *(almost(CAUSAL, ahead(part), by(0.1), f"leaks {what}") for what, part in PARTS.items()),
    almost(CAUSAL, ahead(lambda x: x.roll(1, 0)), by(0.1), "leaks another sequence"),
]
TINY, X = torch.tensor([[[1.0], [2.0]]]), normal(2, 6, 3, seed=9)
MANY = torch.randn(4, 6, 5, generator=torch.Generator().manual_seed(9))
TWICE = torch.linspace(-1.25, -0.75, 48).view(1, 16, 3).repeat(2, 1, 1)
E = Exercise(__name__, n_drawn=10,
    inputs=[(attention(name), x) for x in (TINY, X[:, :2]) for name in [*RULES][:3]]
    + [(attention("causal"), TINY[:, :1])]  # one word has no future
    + [(attention(name), x) for x in (X, X[:, :5], X[:, :3]) for name in RULES]
    + [(attention(name), TWICE) for name in FAINT]
    + [(forward, TWICE) for forward in LEAKS if "above_0" in forward.__name__]  # of which none is above 0
    + [(forward, MANY) for forward in LEAKS],
    draw=lambda d: (attention(d.choice([*RULES])) if d.n % 2 else d.choice(LEAKS),
                    normal(d.size(3), d.size(4), d.size(3), seed=d.getrandbits(30)) / 2))

@E.answer
def no_future_leak(forward, x):
    before = forward(x)
    for cut in range(1, x.shape[1]):
        changed = x.clone()
        changed[:, cut:] = 1 - changed[:, cut:]  # a different future
        difference = (forward(changed) - before)[:, :cut].abs()
        if not (difference <= 1e-5).all():  # written so that nan is a leak, too
            return False
    return True

E.slip("return False", "return True", """your test calls every function clean. Do you compare
    shapes? Even the functions that leak return the right shape. Compare numbers, before and after
    you change the future.""")
E.slip("return True", "return False", """your test finds a leak in every function, including the
    clean ones. Which outputs must not change? (And do you write ordinary numbers into the future?
    0 times nan or inf is nan.)""")
E.mistake(lambda *x: not no_future_leak(*x), """your answer is reversed: True has to mean that nothing
    leaks.""")
E.slip("[:, :cut]", "[:, -1]", """you compare only the last position, which has no future. It may see
    everything, and should change when the last word does. Compare the positions before it.""")
E.mistake(lambda f, x: no_future_leak(lambda y: f(y.flip(1)).flip(1), x.flip(1)), """you changed the past
    and compared the future, which is allowed to change. Change the future and compare the past.""")
E.slip("[:, :cut]", "", """you also compare positions whose own word has changed, and they are allowed to
    differ. Compare only those before the change.""")
CUTS = "range(1, x.shape[1])"
E.slip(CUTS, "[1]", """your test misses a leak that doesn't reach position 0. A mask can be right
    in its first row and wrong further down. Is `return True` inside your loop? Try every cut, and
    change the words by 1 or more.""")
E.slip(CUTS, "[x.shape[1] - 1]", """you change only the last word, so you only find positions that look at
    that one. The first position could look at the second, so try every cut.""")
E.slip(CUTS, "[x.shape[1] // 2]", """you cut only once, in the middle. A leak within the first half, or
    within the second, doesn't cross that cut. Try every cut.""")
E.slip(CUTS, "range(1, x.shape[1] - 1)", """you leave out the last cut. `range` stops before its end, so
    the last number of `range(1, T)` is T - 1.""")
E.slip(CUTS, "range(2, x.shape[1])", """you leave out the first cut: output 0 must not change when only
    the words after it change.""")
for axis in (0, -1):
    E.slip(CUTS, f"range(1, x.shape[{axis}])", """you cut at the wrong positions: x is (B, T, C), so
        `x.shape[1]` is the number of positions.""")
E.slip("changed[:, cut:] = 1 - changed[:, cut:]", "changed[cut:] = 1 - changed[cut:]", """you change
    sequences, not words: the first axis is the batch. To change everything from a position on, use `[:,
    cut:]`.""")
E.slip(".abs()", "", """your test misses outputs that shrink: their difference is below 0, and so below
    any tolerance. Take its size, `.abs()`.""")
E.slip("(difference <= 1e-5).all()", "difference.mean() <= 1e-5", """you take a mean over many numbers, in
    which a faint leak in a few of them disappears. Every single difference has to be small.""")
E.slip("].abs()", "].sum().abs()", """you take a sum, in which a change up and a change down cancel. Look
    at the size of every single difference.""")
E.slip("not (difference <= 1e-5).all()", "(difference > 1e-5).any()", """your test accepts a
    function whose outputs turn into nan. `nan > 1e-5` is False, `equal_nan=True` calls two nan
    equal, and `nan_to_num` turns nan into 0. Does your test use one of these? Ask whether all
    differences are small.""")
E.slip("<= 1e-5", "== 0", """your test finds a leak in a clean function whose last bits differ
    because a sum is rounded differently. Allow 1e-5, and don't write large numbers into the
    future, because these are rounded more coarsely.""")
for allowed in ("1e-2", "1e-4"):
    E.slip("<= 1e-5", f"<= {allowed}", """your test finds large leaks but accepts a small one. How
        large a change does it allow in an output, and by how much do you change the words?""")
E.slip("<= 1e-5", "<= 1e-6", """your test finds a leak in a clean function whose numbers change by
    less than 1e-5. Allow 1e-5.""")
E.slip("<= 1e-5", "<= 1e-5 + 1e-5 * before[:, :cut].abs()", """your test accepts a small leak in outputs
    near 100. A relative tolerance, such as `rtol` of `torch.allclose`, grows with the numbers: set it to
    0.""")
E.slip("(forward(changed) - before)[:, :cut]", "(forward(changed).norm(dim=-1) - before.norm(dim=-1))[:, :cut]",
       """your test accepts a function whose outputs rotate but keep their lengths. Does it compare
       number by number?""")
E.slip("(difference <=", "(difference[0] <=", """your test finds functions that leak in every
    sequence, but accepts a function that leaks only in a later sequence. Which sequences does it compare?""")
E.slip("(difference <=", "(difference[-1] <=", """your test finds functions that leak in every
    sequence, but accepts one that leaks only in the first. Which sequences does it compare?""")
E.slip("].abs()", "].sum(-1).abs()", """you take a sum over the channels, in which a change up and a
    change down cancel. Look at the size of every single difference.""")
for n in (0, -1):
    E.slip("(difference <=", f"(difference[..., {n}] <=", """your test finds functions that leak in
        every channel, but accepts one that leaks in a single channel. Which channels does it
        compare?""")
E.slip("x.clone()", "x", """you wrote into the caller's x, so a change is still there at the next cut:
    `changed = x` is a second name for the same tensor. Make a copy with `x.clone()`.""")
E.mistake(lambda f, x: not f(x.neg_())[:, 0].isnan().any(), """you changed the caller's x, so both
    of your outputs come from the changed x: `changed = x` is a second name for the same tensor.
    Use `x.clone()`.""")

@E.law
def true_just_when_nothing_leaks(answer, f, x):
    """the result has to be False if an output changes with a later word or is nan, otherwise
    True"""
    words = enumerate(torch.eye(x.shape[1])[:, :, None])  # one more at each, and the rest turned over
    others = ((j, x + w * (1 - 2 * x)) for j, w in words)
    return answer == all(((f(other) - f(x))[:, :j].abs() <= 1e-5).all() for j, other in others)

E.hint("Choose a position to cut at. Which inputs do you change, and which outputs must not change?")
E.hint("""Copy x, change everything from `cut` on, run forward on both, and compare the outputs
    before `cut`. Then do it for every cut in `range(1, T)`.""")
E.hint("""For each cut, use `changed = x.clone()` and `changed[:, cut:] = 1 - changed[:, cut:]`.
    All numbers of `(forward(changed) - forward(x))[:, :cut].abs()` have to be at most 1e-5.""")
