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
E = Exercise(
    __name__, n_drawn=12, without=("attention",),
    inputs=[(attention(2, 5, WINDOW, 1, on), quarters(2, 4, 2, seed=10)) for on in (False, True)],
    draw=drawn,
)


@E.answer
def forward(module, x):
    T = x.shape[1]
    q, k, v = module.query(x), module.key(x), module.value(x)
    scores = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
    masked = scores.masked_fill(~module.mask[:T, :T], float("-inf"))
    weights = masked.softmax(dim=-1)
    return module.dropout(weights) @ v


for zeros in ("(0 * scores).m", "torch.zeros(T, T).m"):
    E.slip("scores.m", zeros, """your output is a plain mean of the values: queries and keys play
        no part in it. Does a line with `zeros` overwrite the scores before they are masked?""")
E.slip("dim=-1", "dim=-2", """your softmax runs down the columns: on (B, T, T), `dim=1` and
    `dim=-2` are the queries. Each query shares out its own row, over the keys.""")
E.slip("dim=-1", "dim=0", """your softmax runs over the batch, so the sequences compete with each
    other, and where all of them are masked it makes nan. Each query shares out its own row.""")
E.slip("masked.", "scores.", """your positions see their future: nothing is masked. (`masked_fill`
    makes a new tensor: is it used?)""")
E.slip('float("-inf")', "0.0", """the future still has a share: its scores became 0, and exp(0) is
    1. (A comparison such as `float == ('-inf')` is False, which also fills 0.)""")
E.slip("~module.mask[:T, :T]", "module.mask[:T, :T].tril(-1)", """your positions see themselves and
    what they mustn't see: the mask is upside down. True means may look.""")
E.slip("~module", "module", """you filled where looking is allowed: a row that may look everywhere
    becomes nan. `masked_fill` fills where it is True, and our True means may look.""")
E.slip("module.mask[:T, :T]", "torch.ones(T, T).tril().bool()", """right if the module's mask is
    the plain triangle. Do you look at `module.mask`?""")
E.slip("masked.s", "(masked > -torch.inf) * scores.s", """you masked after the softmax: the future
    has had its part in the row's sum, and the rows come out short.""")
E.slip("[:T, :T]", "", """it fails on a sequence shorter than the block: cut the mask to the T
    positions that there are, in both directions.""")
E.slip("transpose(-2, -1)", "permute(2, 1, 0)", """right for a single sequence, but a batch fails:
    `.T` turns round all axes, the batch as well. Swap the last two only.""")
E.slip("-0.5", "0", "the scores are not scaled: divide by the root of the size of a key.")
E.slip("k.s", "x.s", "you scaled by the size of x, but scores are products of queries and keys.")
E.slip("-0.5", "-1.0", "you divided the scores by the size of a key. Divide by its root.")
E.slip("-0.5", "0.5", "you multiplied by the root of a key's size. Scores should get smaller.")
E.slip("k.shape[-1]", "T", "you scaled by the number of positions. The size of a key counts.")
E.slip("q @ k", "k @ q", "your keys ask and queries answer. Rows are queries: q is on the left.")
E.slip("module.dropout(weights)", "weights", """right in evaluation, but in training nothing is
    dropped. Where do the weights pass through `module.dropout`, and in which mode is it then?""")
E.slip("module.dropout(", "type(module.dropout)()(", """you drop in evaluation too.
    `module.dropout` knows the mode; a function such as `F.dropout` has to be told.""")
E.slip("T = x", "module.eval()\n    T = x", """you switch the module, as `module.eval()` does:
    nothing is dropped in training, and the caller's stays switched. It knows its mode.""")
FILL = ".masked_fill(~module.mask[:T, :T], -torch.inf).softmax(-1) @ v"
E.slip("module.dropout(weights) @ v", "module.dropout(scores)" + FILL, """you drop scores. A score
    of 0 isn't silence: exp(0) is 1. What is dropped are the weights, after the softmax.""")
E.slip("module.dropout(weights)", "module.dropout(masked).softmax(-1)", """you drop masked scores:
    0 times -inf is nan, and one nan spoils its whole row. Drop weights, after the softmax.""")
E.slip("(weights) @ v", "(weights @ v)", """you drop numbers of the output. Here a position is to
    lose some of those it listens to: drop weights, before they meet the values.""")
E.slip("module.dropout(weights) @ v", "weights @ module.dropout(v)", """you drop numbers of the
    values, which are missing for every query then. Drop weights: then each query loses
    different positions.""")
E.slip("@ v", "@ x", "you mix x itself. What a position hands over is its value.")

@E.law
def row_0_is_its_own_value(out, module, x):
    """in evaluation, row 0 has to be position 0's own value"""
    return module.training or close(out[:, 0], module.value(x)[:, 0])

E.hint("Six steps: scores, scale, mask, softmax, dropout, values. Write the shape after each.")
E.hint("The mask has block rows, x has T positions: `module.mask[:T, :T]`. Fill where False.")
E.hint("""`module.dropout(weights) @ v`, with weights from `masked.softmax(dim=-1)`. The module
    knows by itself whether it is training.""")
