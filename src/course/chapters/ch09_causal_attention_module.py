"""Chapter 09, the causal attention module: its exercises, its quiz and its sources."""

import torch
import torch.nn.functional as F
from torch import nn

from attention.causal import CausalAttention
from attention.heads import attention_scores, attention_weights, scaled_dot_product_attention
from attention.masks import causal_mask
from attention.properties import rows_sum_to_1
from course.exercise import Exercise, Law, Mistake
from course.quiz import Option, Question
from course.sources import Source


def _draw(*shape, seed=0):
    """Random quarters: exact in binary, and short to read where a check shows an input."""
    numbers = torch.randn(*shape, generator=torch.Generator().manual_seed(seed))
    return (numbers * 4).round() / 4


def _weights(*shape, seed=0):
    return torch.softmax(_draw(*shape, seed=seed), dim=-1)


def _kept(*shape, seed=0):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed)) < 0.6


# 1. Dropout by hand


def drop(weights, kept, p, training):
    if not training:
        return weights
    return weights * kept / (1 - p)


def _not_scaled(weights, kept, p, training):
    return weights * kept if training else weights


def _always(weights, kept, p, training):
    return weights * kept / (1 - p)


def _never(weights, kept, p, training):
    return weights


def _times(weights, kept, p, training):
    return weights * kept * (1 - p) if training else weights


def _by_p(weights, kept, p, training):
    return weights * kept / p if training else weights


def _doubled(weights, kept, p, training):
    return weights * kept * 2 if training else weights


def _by_their_share(weights, kept, p, training):
    return weights * kept / kept.float().mean() if training else weights


def _kept_dropped(weights, kept, p, training):
    return weights * ~kept / (1 - p) if training else weights


def _renormalised(weights, kept, p, training):
    if not training:
        return weights
    left = weights * kept
    return left / left.sum(dim=-1, keepdim=True)


def _scaled_at_test(weights, kept, p, training):
    return weights * kept if training else weights * (1 - p)


def _wrong_mode(weights, kept, p, training):
    return weights if training else weights * kept / (1 - p)


_HALVES = torch.tensor([[1.0, 0.0], [0.5, 0.5]])
_ONE_LEFT = torch.tensor([[False, True], [True, False]])

DROP = Exercise(
    id="09.drop",
    asks="Drop the weights that are not kept, as nn.Dropout does; training decides whether.",
    reference=drop,
    inputs=[
        (_HALVES, _ONE_LEFT, 0.5, True),
        (_HALVES, _ONE_LEFT, 0.5, False),
        (_weights(3, 3, seed=1), _kept(3, 3, seed=2), 0.2, True),
        (_weights(3, 3, seed=1), _kept(3, 3, seed=2), 0.2, False),
        (_weights(2, 5, 5, seed=3), _kept(2, 5, 5, seed=4), 0.75, True),
    ],
    mistakes=[
        Mistake(
            _renormalised,
            "you made the rows sum to 1 again. Dropout doesn't: a row with nothing left would "
            "become 0/0, and the sums are to be right only on average. What is each kept weight "
            "divided by?",
        ),
        Mistake(
            _not_scaled,
            "you drop, but the rest stays as it is, so a row sums to less than 1 on average. By "
            "what does what is kept have to grow, if a share of 1 - p is kept?",
        ),
        Mistake(
            _times,
            "you made the kept weights smaller. They have to make up for those that are missing.",
        ),
        Mistake(
            _doubled,
            "you doubled what is kept, which is right for p = 0.5 only. How large is the share that "
            "is kept for another p?",
        ),
        Mistake(
            _by_their_share,
            "you divided by the share that happened to be kept this time. Dropout divides by the "
            "share that is kept on average, and that depends on p alone.",
        ),
        Mistake(
            _by_p,
            "you divided by p, the share that is dropped. How large is the share that is kept?",
        ),
        Mistake(
            _kept_dropped,
            "you dropped what should stay: `kept` is True where a weight stays.",
        ),
        Mistake(
            _always,
            "right in training, but you drop in evaluation too: look at the last argument.",
        ),
        Mistake(
            _scaled_at_test,
            "you let evaluation make up for what training lost. That was the first form of "
            "dropout; PyTorch grows the kept weights in training, and evaluation does nothing.",
        ),
        Mistake(
            _wrong_mode,
            "yours is the wrong way round: it drops in evaluation, and leaves training alone.",
        ),
        Mistake(_never, "your weights are never changed: in training some have to go."),
    ],
    laws=[
        Law(
            "in evaluation nothing may change",
            lambda out, weights, kept, p, training: training or torch.equal(out, weights),
        ),
        Law(
            "in training, what is not kept has to be 0 (don't draw: `kept` says what stays)",
            lambda out, weights, kept, p, training: not training or bool((out[~kept] == 0).all()),
        ),
    ],
    hints=(
        "Two cases: in one of them nothing happens at all.",
        "`weights * kept` puts a 0 where kept is False. What is missing on average?",
        "A share of 1 - p stays, so what stays is divided by 1 - p.",
    ),
)


# 2. A part of the mask


def mask_for(mask, length):
    if length > mask.shape[0]:
        raise ValueError(f"expected at most {mask.shape[0]} positions, got {length}")
    return mask[:length, :length]


def _no_check(mask, length):
    return mask[:length, :length]


def _asserts(mask, length):
    assert length <= mask.shape[0]
    return mask[:length, :length]


def _only_rows(mask, length):
    if length > mask.shape[0]:
        raise ValueError("too long")
    return mask[:length]


def _one_short(mask, length):
    if length >= mask.shape[0]:
        raise ValueError
    return mask[:length, :length]


def _whole(mask, length):
    if length > mask.shape[0]:
        raise ValueError
    return mask


def _larger(mask, length):
    return causal_mask(length)


def _last_columns(mask, length):
    if length > mask.shape[0]:
        raise ValueError
    return mask[:length, mask.shape[1] - length :]


MASK_FOR = Exercise(
    id="09.mask_for",
    asks="The (length, length) corner of a (block, block) mask; a ValueError if it is too small.",
    reference=mask_for,
    inputs=[
        (causal_mask(2), 1),
        (causal_mask(3), 3),
        (causal_mask(7), 5),
        (causal_mask(6), 7),
        (causal_mask(5).triu(-1), 3),
    ],
    mistakes=[
        Mistake(
            _no_check,
            "seven positions get the mask for six, without a word: a slice never complains that "
            "it comes out shorter. Whoever calls will hear of tensors a and b instead.",
        ),
        Mistake(
            _asserts,
            "you refuse too long a sequence, but by `assert`, which `python -O` switches off. "
            "Raise a ValueError that says what was expected.",
        ),
        Mistake(
            _larger,
            "you made a new mask for every length. Then nothing is ever too long, and a mask of "
            "another kind is ignored: take a part of the one you are given.",
        ),
        Mistake(
            _only_rows,
            "you cut the rows only. A mask for five positions has five rows and five columns, cut in "
            "one pair of brackets: a second pair would cut the rows once more.",
        ),
        Mistake(
            _one_short,
            "a sequence of exactly the block's length is allowed, and yours refuses it.",
        ),
        Mistake(
            _whole,
            "you return the whole mask even for a shorter sequence: `length` is never used.",
        ),
        Mistake(
            _last_columns,
            "your columns come from the right end of the mask. The first positions stand in "
            "the upper left corner.",
        ),
    ],
    laws=[
        Law(
            "the part has to have `length` rows and `length` columns",
            lambda part, mask, length: part.shape == (length, length),
        ),
    ],
    hints=(
        "First decide whether the sequence is too long, and then cut.",
        "`mask[:length]` cuts rows. How do you cut rows and columns at once?",
        "`if length > mask.shape[0]: raise ValueError(...)`, then `mask[:length, :length]`.",
    ),
)


# 3. The whole forward


class _SameDropout(nn.Module):
    """Dropout that drops every third weight on every call, so that two answers can be compared."""

    def forward(self, weights):
        if not self.training:
            return weights
        kept = torch.arange(weights.numel()).reshape(weights.shape) % 3 != 1
        return weights * kept * 1.5


class _Module(CausalAttention):
    """A causal attention with given numbers and a dropout that is always the same."""

    def __init__(self, n_embd, head_size, block_size, seed, training):
        with torch.random.fork_rng(devices=[]):
            super().__init__(n_embd, head_size, block_size)
        with torch.no_grad():
            for n, layer in enumerate((self.query, self.key, self.value)):
                layer.weight.copy_(_draw(head_size, n_embd, seed=seed + n))
        self.requires_grad_(False)
        self.dropout = _SameDropout()
        self.train(training)

    def __repr__(self):
        return f"<module for {self.mask.shape[0]} positions, training={self.training}>"


def forward(module, x):
    T = x.shape[1]
    q, k, v = module.query(x), module.key(x), module.value(x)
    scores = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
    scores = scores.masked_fill(~module.mask[:T, :T], float("-inf"))
    weights = F.softmax(scores, dim=-1)
    return module.dropout(weights) @ v


def _parts(module, x):
    T = x.shape[1]
    q, k, v = module.query(x), module.key(x), module.value(x)
    return q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5, module.mask[:T, :T], v


def _forward_with(weigh):
    """The forward, but weigh(scores, mask) makes the weights, before dropout."""

    def mistaken(module, x):
        scores, mask, v = _parts(module, x)
        return module.dropout(weigh(scores, mask)) @ v

    return mistaken


def _masked(scores, mask):
    return scores.masked_fill(~mask, float("-inf"))


def _causal(scores, mask):
    return F.softmax(_masked(scores, mask), dim=-1)


def _after_no_dropout(module, x):
    scores, mask, v = _parts(module, x)
    return _causal(scores, mask) @ v


def _dropout_out(module, x):
    scores, mask, v = _parts(module, x)
    return module.dropout(_causal(scores, mask) @ v)


def _dropout_values(module, x):
    scores, mask, v = _parts(module, x)
    return _causal(scores, mask) @ module.dropout(v)


def _dropout_scores(module, x):
    scores, mask, v = _parts(module, x)
    return _causal(module.dropout(scores), mask) @ v


def _dropout_masked_scores(module, x):
    scores, mask, v = _parts(module, x)
    return F.softmax(module.dropout(_masked(scores, mask)), dim=-1) @ v


def _dropout_always(module, x):
    scores, mask, v = _parts(module, x)
    return _SameDropout()(_causal(scores, mask)) @ v


def _whole_mask(module, x):
    scores, _, v = _parts(module, x)
    return module.dropout(_causal(scores, module.mask)) @ v


def _T_forward(module, x):
    q, k, v = module.query(x), module.key(x), module.value(x)
    T = x.shape[1]
    scores = q @ k.permute(2, 1, 0) * k.shape[-1] ** -0.5
    return module.dropout(_causal(scores, module.mask[:T, :T])) @ v


def _scaled_by(scale):
    def mistaken(module, x):
        scores, mask, v = _parts(module, x)
        scores = scores * module.key.out_features**0.5 * scale(module)
        return module.dropout(_causal(scores, mask)) @ v

    return mistaken


def _scaled_by_positions(module, x):
    scores, mask, v = _parts(module, x)
    scores = scores * (module.key.out_features / x.shape[1]) ** 0.5
    return module.dropout(_causal(scores, mask)) @ v


def _keys_ask(module, x):
    scores, mask, v = _parts(module, x)
    return module.dropout(_causal(scores.transpose(-2, -1), mask)) @ v


def _one_table_of_zeros(module, x):
    """The source's own line: zeros of shape (T, T), so one table for all sequences."""
    scores, mask, v = _parts(module, x)
    return module.dropout(_causal(torch.zeros_like(scores[0]), mask)) @ v


def _mixes_x(module, x):
    scores, mask, _ = _parts(module, x)
    return module.dropout(_causal(scores, mask)) @ x


FORWARD = Exercise(
    id="09.forward",
    asks="Return what the module's forward returns for x, (B, T, C): write every step out.",
    reference=forward,
    inputs=[
        (_Module(2, 1, 2, 1, training=False), _draw(1, 2, 2, seed=10)),
        (_Module(3, 2, 5, 4, training=False), _draw(2, 5, 3, seed=11)),
        (_Module(3, 2, 7, 4, training=False), _draw(2, 5, 3, seed=11)),
        (_Module(5, 2, 7, 7, training=True), _draw(2, 4, 5, seed=12)),
    ],
    mistakes=[
        Mistake(
            _forward_with(lambda s, m: F.softmax(_masked(torch.zeros_like(s), m), dim=-1)),
            "your output is the running mean of the values: queries and keys play no part in it. "
            "Does a line with `zeros` overwrite the scores before they are masked?",
        ),
        Mistake(
            _one_table_of_zeros,
            "your output is the running mean of the values: queries and keys play no part in it. "
            "Does a line with `zeros` overwrite the scores before they are masked?",
        ),
        Mistake(
            _forward_with(lambda s, m: F.softmax(_masked(s, m), dim=-2)),
            "your softmax runs down the columns: on (B, T, T), `dim=1` and `dim=-2` are the "
            "queries. Each query shares out its own row, over the keys.",
        ),
        Mistake(
            _forward_with(lambda s, m: F.softmax(_masked(s, m), dim=0)),
            "your softmax runs over the batch, so the sequences compete with each other, and "
            "where all of them are masked it makes nan. Each query shares out its own row.",
        ),
        Mistake(
            _forward_with(lambda s, m: F.softmax(s, dim=-1)),
            "your positions see their future: the mask is never used.",
        ),
        Mistake(
            _forward_with(lambda s, m: F.softmax(s.masked_fill(~m, 0.0), dim=-1)),
            "the future still has a share: its scores became 0, and exp(0) is 1. (A comparison "
            "such as `float == ('-inf')` is False, which also fills 0.)",
        ),
        Mistake(
            _forward_with(lambda s, m: F.softmax(_masked(s, ~m | torch.eye(len(m)).bool()), -1)),
            "your positions see themselves and their future, not their past: the mask is upside "
            "down. True means may look.",
        ),
        Mistake(
            _forward_with(lambda s, m: F.softmax(s.masked_fill(m, float("-inf")), dim=-1)),
            "you filled where looking is allowed: the last row has nowhere to look and becomes "
            "nan. `masked_fill` fills where its argument is True, and our True means may look.",
        ),
        Mistake(
            _forward_with(lambda s, m: F.softmax(s, dim=-1) * m),
            "you masked after the softmax: the future has had its part in the row's sum, and the "
            "rows come out short.",
        ),
        Mistake(
            _whole_mask,
            "it fails on a sequence shorter than the block: cut the mask to the T positions that "
            "there are, in both directions.",
        ),
        Mistake(
            _T_forward,
            "right for a single sequence, but a batch fails: `.T` turns round all axes, the batch "
            "as well. Swap the last two only.",
        ),
        Mistake(
            _scaled_by(lambda module: 1.0),
            "the scores are not scaled: divide them by the square root of the size of a key.",
        ),
        Mistake(
            _scaled_by(lambda module: module.query.in_features**-0.5),
            "you scaled by the size of x. The size of a key counts, since scores are products of "
            "queries and keys.",
        ),
        Mistake(
            _scaled_by(lambda module: 1 / module.key.out_features),
            "you divided the scores by the size of a key. It is its root that they are divided by.",
        ),
        Mistake(
            _scaled_by(lambda module: module.key.out_features**0.5),
            "you multiplied by the root of the size of a key. The scores should get smaller.",
        ),
        Mistake(
            _scaled_by_positions,
            "you scaled by the number of positions. The last axis of k counts, the size of a key.",
        ),
        Mistake(
            _keys_ask,
            "your keys ask and your queries answer. Rows are queries: q stands on the left.",
        ),
        Mistake(
            _after_no_dropout,
            "right in evaluation, but in training nothing is dropped. Where do the weights pass "
            "through `module.dropout`?",
        ),
        Mistake(
            _dropout_always,
            "you drop in evaluation too. `module.dropout` knows the mode; a function such as "
            "`F.dropout` has to be told.",
        ),
        Mistake(
            _dropout_scores,
            "you drop scores. A score of 0 isn't silence: exp(0) is 1. What is dropped are the "
            "weights, after the softmax.",
        ),
        Mistake(
            _dropout_masked_scores,
            "you drop masked scores: 0 times -inf is nan, and one nan spoils its whole row. What "
            "is dropped are the weights, after the softmax.",
        ),
        Mistake(
            _dropout_out,
            "you drop numbers of the output. Here a position is to lose some of those it listens "
            "to: drop weights, before they meet the values.",
        ),
        Mistake(
            _dropout_values,
            "you drop numbers of the values, which then are missing for every query alike. Drop "
            "weights: each query loses others.",
        ),
        Mistake(
            _mixes_x,
            "you mix x itself. What a position hands over is its value, `module.value(x)`.",
        ),
    ],
    laws=[
        Law(
            "the output has to have shape (B, T, head size)",
            lambda out, module, x: out.shape == (*x.shape[:2], module.value.out_features),
        ),
        Law(
            "in evaluation, row 0 has to be position 0's own value",
            lambda out, module, x: (
                module.training or torch.allclose(out[:, 0], module.value(x)[:, 0], atol=1e-5)
            ),
        ),
    ],
    hints=(
        "Five steps: scores, mask, softmax, dropout, values. Write the shape after each.",
        "The mask has block rows, x has T positions: `module.mask[:T, :T]`. Fill where it is False.",
        "`module.dropout(weights) @ v`, with weights from `F.softmax(scores, dim=-1)`. The module "
        "knows by itself whether it is training.",
    ),
)


# 4. Keep the raw scores


def look_inside(q, k, mask):
    scores = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
    masked = scores.masked_fill(~mask, float("-inf"))
    return scores, F.softmax(masked, dim=-1)


def _raw(q, k):
    return q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5


def _in_place(q, k, mask):
    scores = _raw(q, k)
    weights = F.softmax(scores.masked_fill_(~mask, float("-inf")), dim=-1)
    return scores, weights


def _zeroed(q, k, mask):
    scores = _raw(q, k)
    return scores * mask, F.softmax(_masked(scores, mask), dim=-1)


def _unmasked(q, k, mask):
    return _raw(q, k), F.softmax(_raw(q, k), dim=-1)


def _mask_lost(q, k, mask):
    scores = _raw(q, k).masked_fill(mask, float("-inf"))
    return _raw(q, k), F.softmax(scores, dim=-1)


def _unscaled(q, k, mask):
    scores = q @ k.transpose(-2, -1)
    return scores, F.softmax(_masked(scores, mask), dim=-1)


def _scaled_later(q, k, mask):
    return q @ k.transpose(-2, -1), _causal(_raw(q, k), mask)


def _swapped(q, k, mask):
    return look_inside(q, k, mask)[::-1]


LOOK_INSIDE = Exercise(
    id="09.look_inside",
    asks="Return the scaled scores before the mask, and the masked weights, as a pair.",
    reference=look_inside,
    inputs=[
        (_draw(1, 2, 2, seed=1), _draw(1, 2, 2, seed=2), causal_mask(2)),
        (_draw(2, 5, 3, seed=3), _draw(2, 5, 3, seed=4), causal_mask(5)),
    ],
    mistakes=[
        Mistake(
            _in_place,
            "your scores hold -inf: a function whose name ends in `_` writes into the tensor you "
            "give it, and so does `scores[...] = ...`. The scores that you return are that tensor.",
        ),
        Mistake(
            _zeroed,
            "your scores are 0 in the future: return them as they were before the mask.",
        ),
        Mistake(_unmasked, "your weights are not masked: row 0 should be 1, then zeros."),
        Mistake(
            _mask_lost,
            "your mask is upside down: you filled where it is True, and True means may look.",
        ),
        Mistake(
            _unscaled,
            "neither scores nor weights are scaled by the square root of the size of a key.",
        ),
        Mistake(
            _scaled_later,
            "your weights are right, but the scores that you return are not scaled yet.",
        ),
        Mistake(_swapped, "the two have changed places: first the scores, then the weights."),
    ],
    laws=[
        Law(
            "the pair has to be (scores, weights), and every row of the weights has to sum to 1",
            lambda pair, q, k, mask: rows_sum_to_1(pair[1]),
        ),
        Law(
            "the scores have to be finite, also in the future",
            lambda pair, q, k, mask: bool(pair[0].isfinite().all()),
        ),
    ],
    hints=(
        "After the mask, do you still have a tensor without it?",
        "`masked_fill` returns a new tensor; `masked_fill_` changes the old one.",
        "Two names: `scores`, and `masked = scores.masked_fill(~mask, ...)`. Softmax the second.",
    ),
)


# 5. Do the sequences mix?


def mixes_batch(attend, x):
    together = attend(x)
    alone = torch.cat([attend(x[b : b + 1]) for b in range(len(x))])
    return not torch.allclose(together, alone, atol=1e-5)


def healthy(x):
    return scaled_dot_product_attention(x, x, x, causal_mask(x.shape[1]))


def shares_its_weights(x):
    weights = attention_weights(attention_scores(x, x), causal_mask(x.shape[1]))
    return weights.mean(dim=0) @ x


def adds_its_neighbours(x):
    weights = attention_weights(attention_scores(x, x), causal_mask(x.shape[1]))
    return weights @ x.sum(dim=0)


def forgets_the_mask(x):
    return scaled_dot_product_attention(x, x, x)


def one_long_sequence(x):
    B, T, C = x.shape
    flat = x.reshape(B * T, C)
    return scaled_dot_product_attention(flat, flat, flat, causal_mask(B * T)).view(B, T, C)


def centres_its_values(x):
    return scaled_dot_product_attention(x, x, x - x.mean(dim=0), causal_mask(x.shape[1]))


def _two_copies(attend, x):
    copies = torch.stack((x[0], x[0]))
    out = attend(copies)
    return not torch.allclose(out[0], out[1], atol=1e-5)


def _copies_against_alone(attend, x):
    copies = torch.stack((x[0], x[0]))
    return not torch.allclose(attend(copies)[0], attend(x[:1])[0], atol=1e-5)


def _only_first(attend, x):
    return not torch.allclose(attend(x)[:1], attend(x[:1]), atol=1e-5)


def _without_batch(attend, x):
    alone = torch.stack([attend(x[b]) for b in range(len(x))])
    return not torch.allclose(attend(x), alone, atol=1e-5)


def _by_shape(attend, x):
    return attend(x).shape != x.shape


def _outputs_differ(attend, x):
    out = attend(x)
    return not torch.allclose(out[0], out[1], atol=1e-5)


def _future(attend, x):
    changed = x.clone()
    changed[:, -1] += 1
    return not torch.allclose(attend(changed)[:, :-1], attend(x)[:, :-1], atol=1e-5)


def _independent(attend, x):
    return not mixes_batch(attend, x)


_PAIR = _draw(2, 3, 2, seed=5)
_THREE = _draw(3, 5, 2, seed=6)

MIXES_BATCH = Exercise(
    id="09.mixes_batch",
    asks="True if what one sequence of the batch x gives depends on the others.",
    reference=mixes_batch,
    inputs=[
        (healthy, _PAIR),
        (shares_its_weights, _PAIR),
        (forgets_the_mask, _PAIR),
        (one_long_sequence, _PAIR),
        (adds_its_neighbours, _PAIR),
        (centres_its_values, _THREE),
        (healthy, _THREE),
    ],
    mistakes=[
        Mistake(
            _two_copies,
            "you find only the head that treats its places in the batch differently. Two copies of "
            "one sequence are mixed alike, and so are all of them in another order: compare each "
            "with itself alone.",
        ),
        Mistake(
            _copies_against_alone,
            "you put copies of one sequence into the batch. The mean of two copies is the copy, "
            "so a head that averages its batch goes unnoticed: use sequences that differ.",
        ),
        Mistake(
            _only_first,
            "you looked at the first sequence only. One head lays the batch end to end, and then "
            "the first hears nobody else, but the later ones do.",
        ),
        Mistake(
            _without_batch,
            "`x[b]` is (T, C): it has lost its batch axis. `x[b : b + 1]` keeps it.",
        ),
        Mistake(_by_shape, "every head here gives the right shape; a shape shows nothing."),
        Mistake(
            _outputs_differ,
            "different sequences give different outputs, mixed or not. Compare each with itself "
            "alone.",
        ),
        Mistake(
            _future,
            "you tested whether the future leaks into the past. That is another illness: here "
            "it is the neighbours in the batch that count.",
        ),
        Mistake(_independent, "your answers are the wrong way round: True means that they mix."),
    ],
    laws=[
        Law(
            "the answer has to be True or False", lambda answer, attend, x: answer in (True, False)
        ),
        Law(
            "the answer has to be True just when some sequence alone gives something else",
            lambda answer, attend, x: answer == mixes_batch(attend, x),
        ),
    ],
    hints=(
        "What should a sequence give if it is the only one in its batch?",
        "`x[b : b + 1]` is a batch with sequence b alone. Do that for every b.",
        "Compare `attend(x)` with `torch.cat` of the single answers by `torch.allclose`; True if "
        "they differ.",
    ),
)


# 6. What is in the checkpoint?


def saved_numbers(n_embd, head_size, block_size):
    learnt = 3 * n_embd * head_size
    return {
        "attribute": learnt,
        "buffer": learnt + block_size**2,
        "buffer, persistent=False": learnt,
    }


def _saved_but(learnt=lambda C, D, n: 3 * C * D, attribute=0, buffer=1, free=0, size=None):
    """Wrong counts: how often the mask is counted in each case, and how large it is thought."""

    def mistaken(n_embd, head_size, block_size):
        mask = (size or (lambda n: n * n))(block_size)
        part = learnt(n_embd, head_size, block_size)
        counts = [part + times * mask for times in (attribute, buffer, free)]
        return dict(zip(saved_numbers(1, 1, 1), counts, strict=True))

    return mistaken


SAVED_NUMBERS = Exercise(
    id="09.saved_numbers",
    asks="How many numbers does a state_dict hold, for each of three ways to keep the mask?",
    reference=saved_numbers,
    inputs=[(1, 1, 2), (3, 2, 5), (32, 16, 64)],
    mistakes=[
        Mistake(
            _saved_but(attribute=1),
            "a plain attribute isn't saved. PyTorch knows parameters, buffers and submodules; "
            "any other tensor is your own affair, and stays behind when the module moves.",
        ),
        Mistake(
            _saved_but(free=1),
            "`persistent=False` says just this: a buffer, so it moves, but not saved.",
        ),
        Mistake(
            _saved_but(buffer=0),
            "a buffer is saved unless you say otherwise, although it is never trained.",
        ),
        Mistake(
            _saved_but(attribute=1, free=1),
            "only one of the three keeps the mask in its state_dict. Which is the default of "
            "`register_buffer`?",
        ),
        Mistake(
            _saved_but(size=lambda n: n * (n + 1) // 2),
            "you counted the lower triangle only. The zeros are stored as well.",
        ),
        Mistake(
            _saved_but(size=lambda n: n),
            "the mask has a row and a column for each position: how many entries is that?",
        ),
        Mistake(
            _saved_but(learnt=lambda C, D, n: C * D),
            "there are three projections: query, key and value.",
        ),
        Mistake(
            _saved_but(learnt=lambda C, D, n: 3 * (C * D + D)),
            "you counted biases. These projections have none.",
        ),
    ],
    laws=[
        Law(
            "the keys have to be 'attribute', 'buffer' and 'buffer, persistent=False'",
            lambda answer, *sizes: list(answer) == list(saved_numbers(*sizes)),
        ),
    ],
    hints=(
        "Count first what all three have in common: what is learnt.",
        "Each of the three projections has n_embd times head_size numbers. Where is the mask "
        "saved as well?",
        "Only a buffer registered without `persistent=False` is saved: block_size squared more.",
    ),
)

EXERCISES = [DROP, MASK_FOR, FORWARD, LOOK_INSIDE, MIXES_BATCH, SAVED_NUMBERS]

QUIZ = (
    Question(
        "In training with dropout p = 0.5, a row of weights sums to 1.24. What is wrong?",
        (
            Option(
                "The softmax runs over the wrong axis.",
                "Then the rows would be wrong in evaluation too. Ask there first.",
            ),
            Option(
                "Nothing: dropout acts after the softmax, and the sum is 1 only on average.",
                "Kept weights are doubled, the others are 0; what is left may sum to anything "
                "from 0 to 2.",
                right=True,
            ),
            Option(
                "The row has to be divided by its sum again.",
                "A row with nothing left would then be 0/0. No library does it: on average the "
                "sum is right as it is.",
            ),
        ),
    ),
    Question(
        "Why is the mask a buffer with `persistent=False`, and not a plain attribute?",
        (
            Option(
                "So that it moves with the module, and stays out of the checkpoint.",
                "It can be made anew from the block size, so saving it costs space and ties the "
                "checkpoint to one length.",
                right=True,
            ),
            Option(
                "So that training can't change it.",
                "Training changes parameters alone: it would leave a plain attribute in peace too.",
            ),
            Option(
                "So that it is saved with the weights.",
                "That would be `persistent=True`, which is the default.",
            ),
        ),
    ),
    Question(
        "Your colleague's printed dropout mask under seed 123 differs from yours. What now?",
        (
            Option(
                "One of you has a bug, since a seed fixes all numbers.",
                "A seed fixes them for one build of PyTorch on one kind of machine. Dropout masks "
                "differ between builds.",
            ),
            Option(
                "Set the seed twice.",
                "The seed is not the trouble: the same seed feeds another algorithm there.",
            ),
            Option(
                "Compare statistics: the share dropped, and the mean and spread of row sums.",
                "These hold on every machine, within limits you can compute.",
                right=True,
            ),
        ),
    ),
    Question(
        "`no_future_leak(module, x)` says False, yet the mask is right. What do you try first?",
        (
            Option(
                "Fill the mask with a larger negative number than -inf.",
                "There is none. The masked weights are exactly 0 already.",
            ),
            Option(
                "A larger tolerance.",
                "The difference is as large as the outputs themselves. No honest tolerance hides "
                "that.",
            ),
            Option(
                "`module.eval()`, and then the check again.",
                "In training two calls drop different weights, so even the same input gives two "
                "outputs.",
                right=True,
            ),
        ),
    ),
    Question(
        "Which batch can show that a head mixes its sequences?",
        (
            Option(
                "Two copies of one sequence, compared with each other.",
                "Whatever is mixed, two copies are treated alike and agree.",
            ),
            Option(
                "Two different sequences, each compared with itself alone.",
                "If the neighbour has any influence, together and alone differ.",
                right=True,
            ),
            Option(
                "A batch of one.",
                "There is nobody to mix with.",
            ),
        ),
    ),
)

_BUILD = "a dropout mask belongs to a build (T56): equal on x86 builds of torch, elsewhere others"
SOURCES = [
    Source(
        "S2.9",
        "a function that closes over its layers (T42) and makes its mask on each call (T44): "
        "only the shape of its output",
        "torch.Size([4, 8, 16])",
    ),
    Source(
        "S3.19",
        f"dropout with p = 0.5 on ones, seed 123; {_BUILD}",
        """[2., 2., 0., 2., 2., 0.], [0., 0., 0., 2., 0., 2.], [2., 2., 2., 2., 0., 2.],
        [0., 2., 2., 0., 0., 2.], [0., 2., 0., 2., 0., 2.], [0., 2., 2., 2., 2., 0.]""",
    ),
    Source(
        "S3.19",
        f"then on the masked weights; {_BUILD}",
        """[2.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.0000, 0.7582, 0.7366, 0.0000, 0.0000, 0.0000],
        [0.0000, 0.0000, 0.5587, 0.4206, 0.0000, 0.0000],
        [0.0000, 0.0000, 0.0000, 0.0000, 0.3068, 0.0000],
        [0.3115, 0.4183, 0.0000, 0.2839, 0.2178, 0.3588]""",
    ),
    Source("S3.20", "a batch of two copies of one sequence (T57)", "torch.Size([2, 6, 3])"),
    Source("S3.21", "the module's output for that batch, seed 123", "torch.Size([2, 6, 2])"),
]
