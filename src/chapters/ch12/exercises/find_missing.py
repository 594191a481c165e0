"""Find out from its outputs whether a block lacks a residual, or has its norms after the sums."""

from functools import partial

import torch

from course.learn.draws import normal
from course.learn.record import Exercise


def norm(x):
    return x / (x.square().mean(dim=-1, keepdim=True) + 1e-8).sqrt()

WAYS = {  # the ways of joining two parts to a stream
    "fine": lambda x, a, t: (y := x + a(norm(x))) + t(norm(y)),
    "first_missing": lambda x, a, t: (y := a(norm(x))) + t(norm(y)),
    "second_missing": lambda x, a, t: t(norm(x + a(norm(x)))),
    "both_missing": lambda x, a, t: t(norm(a(norm(x)))),
    "norm_after": lambda x, a, t: norm((y := norm(x + a(x))) + t(y)),
}

def parts(seed, size, C):
    """A causal mean with a matrix, and an MLP; with seed 0, the matrices change little."""
    own = normal(2, C, C, seed=seed) / C**0.5 if seed else torch.eye(C).repeat(2, 1, 1)

    def attend(x):
        T = x.shape[-2]
        mean = torch.ones(T, T).tril() / torch.arange(1, T + 1)[:, None]
        return size * (0.5 * x + 0.5 * mean @ x) @ own[0]

    return attend, lambda x: size * torch.nn.functional.leaky_relu(x @ own[1], 0.5)

def made(way, seed, size, C):
    attend, think = parts(seed, size, C)

    def block(x):
        return WAYS[way](x, attend, think)

    block.__name__ = way  # a learner sees it where the block fails
    return block

PLACES = ((0, 0), (-1, -1), (0,), (-1,), (slice(None), 0), (slice(None), -1))  # words and sequences

def unit_at(block, x, place):
    """x with the words at this place scaled until their RMS in the block's output is 1."""
    for _ in range(60):
        x = x.clone()
        x[place] /= block(x).square().mean(dim=-1, keepdim=True).sqrt()[place]
    return block, x

MEANS = (lambda out: out.square().mean().sqrt(), lambda out: out.square().mean(dim=-1).sqrt().mean())

def whole_of_1(block, x, mean):
    """x scaled until the block's entire output has the RMS 1, while the RMS of each word
    differs."""
    for _ in range(60):
        x = x / mean(block(x))
    return block, x

SIZES = {"small": 0.03, "usual": 1.0, "large": 20.0}
UNEQUAL = torch.tensor([0.01, 1.0, 100.0])[:, None]  # words of very different sizes
E = Exercise(__name__, n_drawn=10,
    inputs=[
        (made(way, seed, size, 4), normal(2, 3, 4, seed=2) * scale)
        for scale in (1.0, 3.0) for size in SIZES.values() for seed in (1, 0) for way in WAYS
    ] + [
        unit_at(made(way, 1, 0.03, 4), normal(2, 3, 4, seed=2), place)
        for place in PLACES for way in ("fine",)
    ] + [
        (made(way, 1, size, 4), normal(2, 3, 4, seed=2) * by)
        for by in (UNEQUAL, 0.01) for size in (0.03, 1.0, 1e5) for way in WAYS
    ] + [
        whole_of_1(made("fine", seed, 0.03, 4), normal(2, 3, 4, seed=2) * by, mean)
        for by in (1.0, UNEQUAL) for seed in (1, 0) for mean in MEANS
    ],
    draw=lambda d: (
        made(d.choice([*WAYS]), d.randint(1, 99), d.choice([*SIZES.values(), 1e5]), c := d.size(3)),
        normal(d.size(2), d.size(2), c, seed=d.getrandbits(30)),
    ))

@E.answer
def find_missing(block, x):
    sizes = block(x).square().mean(dim=-1)
    if ((sizes - 1).abs() < 1e-3).all():
        return "norm after"
    grown = (block(2**31 * x) - block(2**30 * x)) / 2**30  # x, if x is in the output
    return "fine" if (grown - x).abs().max() < 0.1 * x.abs().max() else "no residual"

E.mistake(lambda block, x: "fine", """you call every block fine. Shapes don't show the difference,
    because every block returns the right shape. What happens to the output if x is a thousand times
    as large?""")
E.slip(".max() < 0.1 * x", ".max() > 0.1 * x", """you swapped "fine" and "no residual": if the
    output grows by as much as x does, the residuals are there.""")
E.slip('return "norm after"', 'return "fine"', """you say "fine" for blocks whose norms come after
    the sums. Each word of their output has an RMS of 1.""")
E.slip("((sizes - 1).abs() < 1e-3).all()", "abs(sizes.mean() - 1) < 0.3", """you say \"norm after\"
    when the size is about 1 on average. After a norm each word's RMS is 1, to several digits. A
    block that is fine can have words of about that size by chance.""")
for slack in ("abs(sizes.mean() - 1) < 1e-3", "abs(sizes.sqrt().mean() - 1) < 1e-3", "((sizes - 1).abs() < 1e-3).any()"):
    E.slip("((sizes - 1).abs() < 1e-3).all()", slack, """you say \"norm after\" for a block that is
        fine, because its output as a whole, or only one of its words, has an RMS of 1. After a
        norm, which words have an RMS of 1?""")
E.slip("(block(2**31 * x) - block(2**30 * x)) / 2**30", "(block(2048 * x) - block(1024 * x)) / 1024", """your
    answer is right for blocks whose parts are of ordinary size, but wrong where a part adds
    100,000. How large must x be to make everything that is added negligible?""")
for place in ("[0, 0]", "[-1, -1]", "[0]", "[-1]", "[:, 0]", "[:, -1]"):
    E.slip("(sizes - 1)", f"(sizes{place} - 1)", """you say \"norm after\" for a block that is fine,
        but in which some words happen to have an RMS of 1. Which words does your test look at?""")

@E.mistake
def what_is_added(block, x):
    """you say "no residual" for blocks that are fine but have large parts. In these blocks the
    second norm reads a different mix if x grows, so the vector added to x also changes. Do you
    compare x itself with a large x? Compare two large multiples with each other."""
    out, far = block(x), block(1024 * x)
    if ((out.square().mean(-1) - 1).abs() < 1e-3).all():
        return "norm after"
    same = (far - 1024 * x - (out - x)).abs().max() < 1e-2 * (1 + (out - x).abs().max())
    return "fine" if same else "no residual"

@E.mistake
def by_the_angle(block, x):
    """do you test whether the output looks like x? You say "fine" for a block without residuals
    whose parts return something like their input, and "no residual" where large additions hide the
    x in the output. Make x large, and look at how much the output grows."""
    out = block(x)
    if ((out.square().mean(-1) - 1).abs() < 1e-3).all():
        return "norm after"
    like = torch.nn.functional.cosine_similarity(out, x, dim=-1).mean()
    return "fine" if like > 0.5 else "no residual"

def by_the_size(block, x, size):
    out = block(x)
    if ((out.square().mean(-1) - 1).abs() < 1e-3).all():
        return "norm after"
    return "fine" if size(out) >= size(x) else "no residual"

for size in (lambda x: x.abs().mean(), torch.norm):
    E.mistake(partial(by_the_size, size=size), """you test whether the output is larger than x.
        Large parts make it larger without any residual, and adding a vector can also make x
        smaller. Make x much larger: how does the output change?""")

@E.mistake
def invariant_only(block, x):
    """you say "no residual" only if the output is the same for x and for a large x. That is true
    where the first residual is missing. Where the second is missing, a large x outweighs the
    output of attention, so the result changes. Test whether the output grows as x does."""
    out, far = block(x), block(1024 * x)
    if ((out.square().mean(-1) - 1).abs() < 1e-3).all():
        return "norm after"
    same = (far - out).abs().max() < 1e-2 * (1 + out.abs().max())
    return "no residual" if same else "fine"

E.hint("What does a norm before a part do to a very large x? And what does a residual do with it?")
E.hint("""Let n be very large, such as 2**30. If x is in the output, the output for 2 n x is larger
    than the output for n x, by n x. If x isn't, both outputs are nearly the same. And if the block
    ends with a norm, each word of its output has an RMS of 1.""")
E.hint("""First, are all numbers of `out.square().mean(dim=-1)` equal to 1? Then, is `(block(2**31 *
    x) - block(2**30 * x)) / 2**30` nearly x?""")
