"""Return True if no output of forward changes when anything after it does, else False."""

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
]
TINY, X = torch.tensor([[[1.0], [2.0]]]), normal(2, 6, 3, seed=9)
MANY = torch.randn(4, 6, 5, generator=torch.Generator().manual_seed(9))
TWICE = torch.linspace(-1.25, -0.75, 48).view(1, 16, 3).repeat(2, 1, 1)
E = Exercise(
    __name__, n_drawn=10,
    inputs=[(attention(name), x) for x in (TINY, X[:, :2]) for name in [*RULES][:3]]
    + [(attention(name), x) for x in (X, X[:, :5], X[:, :3]) for name in RULES]
    + [(attention(name), TWICE) for name in FAINT]
    + [(forward, MANY) for forward in LEAKS],
    draw=lambda d: (attention(d.choice([*RULES])) if d.n % 2 else d.choice(LEAKS),
                    normal(d.size(3), d.size(4), d.size(3), seed=d.getrandbits(30)) / 2),
)


@E.answer
def no_future_leak(forward, x):
    before = forward(x)
    for cut in range(1, x.shape[1]):
        changed = x.clone()
        changed[:, cut:] = 1 - changed[:, cut:]  # another future
        difference = (forward(changed) - before)[:, :cut].abs()
        if not (difference <= 1e-5).all():  # written so that nan is a leak, too
            return False
    return True


E.slip("return False", "return True", """you call every attention clean. If you compare shapes: all
    wrong ones have the right shape. Compare numbers, before and after the future has changed.""")
E.slip("return True", "return False", """you find a leak in every attention, the clean ones too.
    Which outputs may not change? (And change to ordinary numbers: 0 times nan or inf is nan.)""")
E.mistake(lambda *x: not no_future_leak(*x), "turned round: True has to mean that nothing leaks.")
E.slip("[:, :cut]", "[:, -1]", """you compare the last position only, which has no future: it may
    see everything, and should change when the last word does. Look at those before.""")
E.mistake(lambda f, x: no_future_leak(lambda y: f(y.flip(1)).flip(1), x.flip(1)), """you changed
    the past and looked at the future. That may change. Change the future and look at the past.""")
E.slip("[:, :cut]", "", """you also compare positions whose own word has changed. They may well
    differ. Compare only those before the change.""")
CUTS = "range(1, x.shape[1])"
E.slip(CUTS, "[1]", """you miss a leak that doesn't reach position 0. A mask can be right in its
    first row and wrong further down: try every place to cut (does `return True` stand
    inside your loop?), and change the words by 1 or more.""")
E.slip(CUTS, "[x.shape[1] - 1]", """only a change of the last word counts, so you only find who
    looks at that one. The first position may look at the second: try every place to cut.""")
E.slip(CUTS, "[x.shape[1] // 2]", """you cut at a single place in the middle. A leak within the
    first half, or within the second, doesn't cross it: try every place to cut.""")
E.slip(CUTS, "range(1, x.shape[1] - 1)", """one cut is missing, the last: `range` stops before its
    end, so `range(1, T)` has T - 1 for its last.""")
E.slip(CUTS, "range(2, x.shape[1])", """one cut is missing, the first: position 0 may not notice when
    only the words after it change.""")
for axis in (0, -1):
    E.slip(CUTS, f"range(1, x.shape[{axis}])", """you cut at the wrong places: x is (B, T, C), and the
        positions are counted by `x.shape[1]`.""")
E.slip("changed[:, cut:] = 1 - changed[:, cut:]", "changed[cut:] = 1 - changed[cut:]", """you change
    sequences, not words: the first axis is the batch. From a position on, it is `[:, cut:]`.""")
E.slip(".abs()", "", """you miss outputs that shrink: their difference is below 0, and so below any
    tolerance. Take its size, `.abs()`.""")
E.slip("(difference <= 1e-5).all()", "difference.mean() <= 1e-5", """a faint leak in a few numbers
    disappears in a mean over many. Every single difference has to be small.""")
E.slip("].abs()", "].sum().abs()", """in a sum, a change up and a change down cancel. Look at the
    size of every single difference.""")
E.slip("not (difference <= 1e-5).all()", "(difference > 1e-5).any()", """you pass an attention
    whose outputs turn into nan. `nan > 1e-5` is False, `equal_nan=True` calls two nan equal, and
    `nan_to_num` makes 0 of it. Does your test use one of these? Ask whether all differences are small.""")
E.slip("<= 1e-5", "== 0", """a clean attention may differ in its last bits, when a sum is rounded
    another way. Allow 1e-5; and write no large words into the future, for those round coarsely.""")
for allowed in ("1e-2", "1e-4"):
    E.slip("<= 1e-5", f"<= {allowed}", """you find large leaks and pass a small one. How much may an output
        change in your test, and how large are the words that you change?""")
E.slip("<= 1e-5", "<= 1e-6", """you find a leak in a clean attention whose numbers change by less than 1e-5.
    Allow 1e-5.""")
E.slip("<= 1e-5", "<= 1e-5 + 1e-5 * before[:, :cut].abs()", """you pass a small leak in outputs that are near
    100. A relative tolerance, such as `rtol` of `torch.allclose`, grows with the numbers: set it to 0.""")
E.slip("(forward(changed) - before)[:, :cut]", "(forward(changed).norm(dim=-1) - before.norm(dim=-1))[:, :cut]",
       """you pass an attention whose outputs turn, and keep their lengths. Does your test compare number by
    number?""")
E.slip("(difference <=", "(difference[0] <=", """you find attentions that leak in every
    sequence, and pass one that leaks in the second. Which sequences does your test compare?""")
E.slip("(difference <=", "(difference[-1] <=", """you find attentions that leak in every
    sequence, and pass one that leaks in the first. Which sequences does your test compare?""")
E.slip("].abs()", "].sum(-1).abs()", """in a sum over the channels, a change up and a change down
    cancel. Look at the size of every single difference.""")
for n in (0, -1):
    E.slip("(difference <=", f"(difference[..., {n}] <=", """you find attentions that leak in every
        channel, and pass one that leaks in a single one. Which channels does your test compare?""")
E.slip("x.clone()", "x", """you wrote into the caller's x, so a change stays when the next cut is
    tried: `changed = x` is a second name for the same tensor. Make a copy by `x.clone()`.""")
E.mistake(lambda f, x: not f(x.neg_())[:, 0].isnan().any(), """you changed the caller's x too, and
    so compared it with itself: `changed = x` is a second name for it. Use `x.clone()`.""")

@E.law
def true_just_when_nothing_leaks(answer, f, x):
    """it has to be False if an output changes with a later word or is nan, else True"""
    words = enumerate(torch.eye(x.shape[1])[:, :, None])  # one more at each, and the rest turned over
    others = ((j, x + w * (1 - 2 * x)) for j, w in words)
    return answer == all(((f(other) - f(x))[:, :j].abs() <= 1e-5).all() for j, other in others)

E.hint("Choose a place to cut. Which inputs do you change, and which outputs must not notice?")
E.hint("""Copy x, change everything from `cut` on, run forward on both, and compare the outputs
    before `cut`. Then do it for every cut in `range(1, T)`.""")
E.hint("""For each cut: `changed = x.clone()`, `changed[:, cut:] = 1 - changed[:, cut:]`, and all
    of `(forward(changed) - forward(x))[:, :cut].abs()` have to be at most 1e-5.""")
