"""What a block with residuals and norms before makes of a stream, of any two parts."""

import torch

from course.learn.draws import normal
from course.learn.record import Exercise


def attention(seed, size=1.0):  # a causal mean, and a matrix
    def attend(x):
        T, C = x.shape[-2:]
        mean = torch.ones(T, T).tril() / torch.arange(1, T + 1)[:, None]
        return size * mean @ x @ normal(C, C, seed=seed) / C**0.5

    return attend


def mlp(seed, size=1.0):
    def think(x):
        C = x.shape[-1]
        return size * (x @ normal(C, C, seed=seed + 50)).relu() / C**0.5

    return think


def norm(factor):
    def norm(x):
        return factor * x / (x.square().mean(dim=-1, keepdim=True) + 1e-6).sqrt()

    return norm


def given(seed, *shape, sizes=(1.0, 1.0)):
    parts = attention(seed, sizes[0]), mlp(seed, sizes[1])
    return normal(*shape, seed=seed), *parts, norm(2.0), norm(0.5)


E = Exercise(
    __name__, n_drawn=6,
    inputs=[given(0, 1, 2, 2), given(1, 2, 3, 4), given(2, 3, 5, 2, sizes=(3.0, 0.5))],
    draw=lambda d: given(d.randint(3, 40), d.size(), d.size(2), d.size(2)),
)  # fmt: skip


@E.answer
def block(x, attend, think, norm_1, norm_2):
    x = x + attend(norm_1(x))
    return x + think(norm_2(x))


E.slip("x = x + attend", "x = attend", """the residual of the first part is missing: what attention gives
    takes the place of x, where it should be added.""")
E.slip("return x + think", "return think", """the residual of the second part is missing: what it gives
    takes the place of the stream, where it should be added.""")
E.mistake(lambda x, a, t, n, m: t(m(a(n(x)))), "both residuals are missing: nothing is added.")
E.slip("attend(norm_1(x))", "attend(x)", "attention gets x as it is. It reads a normalised copy.")
E.slip("think(norm_2(x))", "think(x)", """the second part gets the stream as it is. It reads a
    normalised copy.""")
E.mistake(lambda x, a, t, n, m: (y := x + a(x)) + t(y), "neither part gets a normalised copy.")
E.slip("think(norm_2(x))", "think(norm_1(x))", """the second part has a norm of its own, `norm_2`, with
    its own weights.""")
E.mistake(lambda x, a, t, n, m: (y := x + a(m(x))) + t(n(y)), """the two norms have changed places:
    `norm_1` belongs before `attend`, `norm_2` before `think`.""")
E.mistake(lambda x, a, t, n, m: m((y := n(x + a(x))) + t(y)), """your norms stand after the sums. That
    is how the first Transformer was wired; here they stand before the parts, and the stream itself
    isn't normalised.""")
E.mistake(lambda x, a, t, n, m: x + a(n(x)) + t(m(x)), """both parts read the same x. That is a
    parallel block (GPT-J has it); here the second part reads what the first has added to.""")
E.mistake(lambda x, a, t, n, m: x + t(m(x + a(n(x)))), """the second sum begins with the x that came in,
    so what attention had added is lost. It begins with the stream after the first sum.""")
E.mistake(lambda x, a, t, n, m: (z := m((y := n(x)) + a(y))) + t(z), """you add to the normalised copy,
    so that the norms stand on the stream. Only the part reads the copy; x itself is what you add to.
    (BLOOM has a setting that does this.)""")
E.mistake(lambda x, a, t, n, m: (y := x + n(a(x))) + m(t(y)), """you normalise what comes out of each
    part. Here the norms stand before the parts.""")
E.mistake(lambda x, a, t, n, m: (y := x + t(m(x))) + a(n(y)), """the second part comes first. A block
    lets words hear each other first, and then each one think.""")
E.mistake(lambda x, a, t, n, m: m(block(x, a, t, n, m)), """there is one norm too many, at the end. The
    stream leaves a block as it is; a model normalises it once, after its last block.""")


@E.mistake
def in_place(x, attend, think, norm_1, norm_2):
    """the numbers are right, but you wrote into the caller's x: `x += ...` changes the tensor that you
    were given. Write `x = x + ...`, which makes a new one."""
    x += attend(norm_1(x))
    return x + think(norm_2(x))


E.hint("Two lines do it, one for each part. What stands before the plus in each of them?")
E.hint("A part reads the normalised stream, and what it gives is added to the stream itself.")
E.hint("The first line is `x = x + attend(norm_1(x))`. The second looks like it.")
