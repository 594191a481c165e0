"""Return what the module's forward returns for x, (B, T, C): write every step out."""

import torch

from attention.causal import CausalAttention
from chapters.laws import close
from course.learn.draws import quarters
from course.learn.record import Exercise


class SameDropout(torch.nn.Module):  # drops every third weight, the same ones on every call
    p = 1 / 3

    def forward(self, weights):
        kept = torch.arange(weights.numel()).view(weights.shape) % 3 != 1
        return weights * kept * 1.5 if self.training else weights

def attention(C, D, mask, seed, training, large=1):  # of given numbers; the mask may have holes
    with torch.random.fork_rng(devices=[]):
        made = CausalAttention(C, D, len(mask)).requires_grad_(False)
    for n, layer in enumerate((made.query, made.key, made.value)):
        layer.weight.copy_(quarters(D, C, seed=seed + n) * large**(n == 0))
    made.mask, made.dropout = mask, SameDropout()
    made.__name__ = f"<module for {len(mask)} positions, training={training}>"  # as shown
    return made.train(training)

def drawn(d):
    (B, T, C, D), more, large = d.sizes(4, least=2), d.randint(0, 3), d.n % 3 == 2
    mask = d.choice([torch.ones(T + more, T + more).bool(), d.mask(T + more, T + more)])
    mask = mask.tril() | torch.eye(T + more).bool()
    sizes = C, 1 if large else D  # the root of 1 rounds no score, large as it may be
    return attention(*sizes, mask, d.getrandbits(30), d.random() < 0.5, 1 + 1023 * large), d.tensor(B, T, C)

WINDOW = torch.ones(5, 5).tril().triu(-1).bool()
E = Exercise(__name__, n_drawn=12, without=("attention",), draw=drawn,
    inputs=[(attention(2, 5, WINDOW, 1, on), quarters(2, 4, 2, seed=10)) for on in (False, True)])

@E.answer
def forward(module, x):
    T = x.shape[1]
    q, k, v = module.query(x), module.key(x), module.value(x)
    scores = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
    masked = scores.masked_fill(~module.mask[:T, :T], float("-inf"))
    weights = masked.softmax(dim=-1)
    return module.dropout(weights) @ v

for zeros in ("(0 * scores).m", "torch.zeros(T, T).m"):
    E.slip("scores.m", zeros, """your output is a plain mean of the values, so queries and keys
        play no part in it. Does a line with `zeros` overwrite the scores before they are
        masked?""")
E.slip("dim=-1", "dim=-2", """your softmax runs down the columns: in (B, T, T), `dim=1` and
    `dim=-2` are the axis of the queries. The weights of each query, a row, have to sum to 1.""")
E.slip("dim=-1", "dim=0", """your softmax runs over the batch, so the sequences compete with each
    other, and where all of them are masked, the result is nan. The weights of each query, a row,
    have to sum to 1.""")
E.slip("masked.", "scores.", """your scores aren't masked, so your positions see their future.
    (`masked_fill` returns a new tensor. Do you use it?)""")
E.slip('float("-inf")', "0.0", """your future still has a share, because its scores are 0, and
    exp(0) is 1. (A comparison such as `float == ('-inf')` is False, which also fills in 0.)""")
E.slip("~module.mask[:T, :T]", "module.mask[:T, :T].tril(-1)", """your mask is inverted: positions
    see only themselves and what they mustn't see. True means that a position may look.""")
E.slip("~module", "module", """your mask is inverted: you fill where looking is allowed, so a row
    that may look everywhere becomes nan. `masked_fill` fills where the mask is True, but our True
    means that a position may look.""")
E.slip("module.mask[:T, :T]", "torch.ones(T, T).tril().bool()", """your answer is right only if the
    module's mask is the plain triangle. Do you use `module.mask`?""")
E.slip("masked.s", "(masked > -torch.inf) * scores.s", """you masked after the softmax. The
    forbidden words still counted in the row's sum, so your rows sum to less than 1.""")
E.slip("[:T, :T]", "", """your function fails on a sequence that is shorter than the block. Cut the
    rows and the columns of the mask to the T positions of the sequence.""")
E.slip("transpose(-2, -1)", "permute(2, 1, 0)", """you reversed all axes of the keys, including the
    batch, as `.T` does. Swap only the last two.""")
E.slip("-0.5", "0", "your scores aren't scaled. Divide them by the root of the size of a key.")
E.slip("k.s", "x.s", """you scaled by the number of channels of x. What counts is the size of a
    key.""")
E.slip("-0.5", "-1.0", "you divided the scores by the size of a key. Divide by its root.")
E.slip("-0.5", "0.5", """you multiplied by the root of a key's size. The scores should become
    smaller.""")
E.slip("k.shape[-1]", "T", """you scaled by the number of positions. What counts is the size of a
    key.""")
E.slip("q @ k", "k @ q", """you swapped queries and keys. Each row belongs to a query, so q is on
    the left.""")
E.slip("module.dropout(weights)", "weights", """your answer is right in evaluation, but in training
    it drops nothing. Where do the weights pass through `module.dropout`, and in which mode is the
    module then?""")
E.slip("module.dropout(", "type(module.dropout)()(", """you also drop in evaluation.
    `module.dropout` knows the mode, but a function such as `F.dropout` has to be told which it
    is.""")
E.slip("T = x", "module.eval()\n    T = x", """your function changes the module's mode, as
    `module.eval()` does. Then it drops nothing in training, and the caller's module stays in that
    mode. The module already knows its mode.""")
FILL = ".masked_fill(~module.mask[:T, :T], -torch.inf).softmax(-1) @ v"
E.slip("module.dropout(weights) @ v", "module.dropout(scores)" + FILL, """you drop scores. A score
    of 0 still has a share, because exp(0) is 1. Drop the weights, after the softmax.""")
E.slip("module.dropout(weights)", "module.dropout(masked).softmax(-1)", """you drop masked scores.
    0 times -inf is nan, and a single nan spoils its row. Drop the weights, after the softmax.""")
E.slip("(weights) @ v", "(weights @ v)", """you drop numbers of the output. Here each position
    should lose some of the positions it listens to, so drop the weights, before the product with
    the values.""")
E.slip("module.dropout(weights) @ v", "weights @ module.dropout(v)", """you drop numbers of the
    values, which are then missing for every query. Drop the weights, so that each query loses
    different positions.""")
E.slip("@ v", "@ x", "you mix x itself, but a position gives its value to the others.")

@E.law
def row_0_is_its_own_value(out, module, x):
    """in evaluation, row 0 of the output has to be position 0's own value"""
    return module.training or close(out[:, 0], module.value(x)[:, 0])

E.hint("""There are six steps: scores, scale, mask, softmax, dropout, values. Write down the shape
    after each.""")
E.hint("""The mask is as large as the block, but x has only T positions, so use `module.mask[:T,
    :T]`. Fill where it is False.""")
E.hint("""End with `module.dropout(weights) @ v`, where the weights are `masked.softmax(dim=-1)`.
    The module knows whether it is in training.""")
