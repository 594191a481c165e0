"""The output of a block with residuals and norms before its parts, for any two parts."""

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

E = Exercise(__name__, n_drawn=6,
    inputs=[given(0, 1, 2, 2), given(1, 2, 3, 4), given(2, 3, 5, 2, sizes=(3.0, 0.5))],
    draw=lambda d: given(d.randint(3, 40), d.size(), d.size(2), d.size(2)))

@E.answer
def block(x, attend, think, norm_1, norm_2):
    x = x + attend(norm_1(x))
    return x + think(norm_2(x))

E.slip("x = x + attend", "x = attend", """the residual of the first part is missing: the output of
    attention replaces x, but it should be added to x.""")
E.slip("return x + think", "return think", """the residual of the second part is missing: its output
    replaces the stream, but it should be added to the stream.""")
E.mistake(lambda x, a, t, n, m: t(m(a(n(x)))), "both residuals are missing: nothing is added.")
E.slip("attend(norm_1(x))", "attend(x)", """attention should read a normalised copy of x, but you
    give it x itself.""")
E.slip("think(norm_2(x))", "think(x)", """the second part should read a normalised copy of the
    stream, but you give it the stream itself.""")
E.mistake(lambda x, a, t, n, m: (y := x + a(x)) + t(y), """both parts should read a normalised copy,
    but you give them the stream itself.""")
E.slip("think(norm_2(x))", "think(norm_1(x))", """you use `norm_1` twice. The second part has its
    own norm, `norm_2`, with different weights.""")
E.mistake(lambda x, a, t, n, m: (y := x + a(m(x))) + t(n(y)), """you swapped the two norms: `norm_1`
    belongs before `attend`, and `norm_2` before `think`.""")
E.mistake(lambda x, a, t, n, m: m((y := n(x + a(x))) + t(y)), """your norms come after the sums.
    The first Transformer was built like that. Here they come before the parts, and the stream
    itself isn't normalised.""")
E.mistake(lambda x, a, t, n, m: x + a(n(x)) + t(m(x)), """both parts read the same x. That is a
    parallel block (GPT-J uses one). Here the second part reads the stream after the first sum.""")
E.mistake(lambda x, a, t, n, m: x + t(m(x + a(n(x)))), """your second sum begins with the original
    x, so the output of attention is lost. Begin it with the stream after the first sum.""")
E.mistake(lambda x, a, t, n, m: (z := m((y := n(x)) + a(y))) + t(z), """you add to the normalised
    copy, so the norms change the stream itself. Only the part should read the copy. Add its output
    to x. (BLOOM has a setting that does what you do.)""")
E.mistake(lambda x, a, t, n, m: (y := x + n(a(x))) + m(t(y)), """you normalise the output of each
    part. Here the norms come before the parts.""")
E.mistake(lambda x, a, t, n, m: (y := x + t(m(x))) + a(n(y)), """your second part comes first. A
    block first lets words hear each other, and then lets each one think.""")
E.mistake(lambda x, a, t, n, m: m(block(x, a, t, n, m)), """there is one norm too many, at the end.
    A block doesn't normalise its output. A model normalises the stream once, after its last
    block.""")

@E.mistake
def in_place(x, attend, think, norm_1, norm_2):
    """the numbers are right, but you wrote into the caller's x: `x += ...` changes the tensor that
    you were given. Write `x = x + ...`, which makes a new tensor."""
    x += attend(norm_1(x))
    return x + think(norm_2(x))

E.hint("You need two lines, one for each part. What comes before the plus in each line?")
E.hint("A part reads the normalised stream, and its output is added to the stream itself.")
E.hint("The first line is `x = x + attend(norm_1(x))`. The second line looks similar.")
