"""Chapter 08, causal masking: its exercises, its quiz and its sources."""

import torch
import torch.nn.functional as F

from course.exercise import Exercise, Law, Mistake
from course.quiz import Option, Question
from course.sources import Source

INF = float("inf")


def _draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def _tril(T, diagonal=0):
    return torch.ones(T, T, dtype=torch.bool).tril(diagonal)


def rows_sum_to_1(weights, *inputs):
    return torch.allclose(weights.sum(dim=-1), torch.ones(weights.shape[:-1]), atol=1e-4)


def no_future(weights, *inputs):
    return bool((weights.triu(1) == 0).all())


# 1. Mask the weights, and share out again


def mask_weights(weights, mask):
    kept = weights * mask
    return kept / kept.sum(dim=-1, keepdim=True)


def _no_keepdim(weights, mask):
    kept = weights * mask
    return kept / kept.sum(dim=-1)


def _by_columns(weights, mask):
    kept = weights * mask
    return kept / kept.sum(dim=-2, keepdim=True)


def _hidden_part(weights, mask):
    kept = weights * ~mask
    return kept / kept.sum(dim=-1, keepdim=True)


def _weights_in_place(weights, mask):
    weights *= mask
    return weights / weights.sum(dim=-1, keepdim=True)


_ODD = torch.tensor([[True, False, True], [True, True, False], [False, True, True]])

MASK_WEIGHTS = Exercise(
    id="08.mask_weights",
    asks="Set the forbidden weights to 0 and share each row out again, so that it sums to 1.",
    reference=mask_weights,
    inputs=[
        (F.softmax(_draw(2, 2), dim=-1), _tril(2)),
        (F.softmax(_draw(3, 3, seed=1), dim=-1), _ODD),
        (F.softmax(_draw(2, 5, 5, seed=2), dim=-1), _tril(5)),
    ],
    mistakes=[
        Mistake(
            lambda weights, mask: weights * mask,
            "the forbidden weights are gone, but what they held is lost: your rows sum to less "
            "than 1. Share out again what is left in each row.",
        ),
        Mistake(
            _no_keepdim,
            "without `keepdim=True` the row sums lie down as a row, and column j is divided by "
            "row j's sum. Keep them standing as a column.",
        ),
        Mistake(
            _by_columns,
            "your columns sum to 1, not your rows: which axis does your sum run over? A row "
            "belongs to the position that looks.",
        ),
        Mistake(
            lambda weights, mask: F.softmax(weights * mask, dim=-1),
            "a second softmax brings the forbidden ones back: their weight is 0, and exp(0) is 1. "
            "To share out again, divide by the sum.",
        ),
        Mistake(
            lambda weights, mask: F.softmax(weights.masked_fill(~mask, -INF), dim=-1),
            "you ran softmax over weights that came from a softmax. That keeps the forbidden ones "
            "at 0, but makes the others nearly equal. Ratios of weights have to stay.",
        ),
        Mistake(
            _hidden_part,
            "you kept what is forbidden and threw away what is allowed: True means may look.",
        ),
        Mistake(
            _weights_in_place,
            "you overwrote the weights you were given (`*=` writes into its left side), so the "
            "caller has lost them. Make a new tensor.",
        ),
    ],
    laws=[
        Law("every row has to sum to 1", rows_sum_to_1),
        Law(
            "every forbidden weight has to be 0",
            lambda out, weights, mask: bool((out.masked_fill(mask, 0) == 0).all()),
        ),
    ],
    hints=(
        "Two steps: what does a forbidden weight become, and what does the row sum to then?",
        "Multiply by the mask. Then divide each row by its own sum.",
        "`kept = weights * mask`, and the sum needs `dim=-1, keepdim=True`.",
    ),
)


# 2. Causal weights


def causal_weights(scores):
    T = scores.shape[-1]
    mask = torch.tril(torch.ones(T, T, dtype=torch.bool))
    return F.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)


def _fill(scores, mask, value=-INF, dim=-1):
    return F.softmax(scores.masked_fill(~mask, value), dim=dim)


def _after(scores):
    return F.softmax(scores, dim=-1) * _tril(scores.shape[-1])


def _after_inf(scores):
    return F.softmax(scores, dim=-1).masked_fill(~_tril(scores.shape[-1]), -INF)


def _tril_of_scores(scores):
    kept = scores * _tril(scores.shape[-1])
    return kept / kept.sum(dim=-1, keepdim=True)


def _scores_in_place(scores):
    return F.softmax(scores.masked_fill_(~_tril(scores.shape[-1]), -INF), dim=-1)


CAUSAL_WEIGHTS = Exercise(
    id="08.causal_weights",
    asks="Turn scores (..., T, T) into weights in which no position sees its future.",
    reference=causal_weights,
    inputs=[
        (2 * _draw(2, 2, seed=3),),
        (2 * _draw(3, 3, seed=4),),
        (_draw(2, 5, 5, seed=5),),
        (_draw(2, 3, 7, 7, seed=6),),
    ],
    mistakes=[
        Mistake(
            lambda s: F.softmax(s, dim=-1),
            "there is no mask at all: row 0 gives weight to every later position.",
        ),
        Mistake(
            lambda s: _fill(s, _tril(s.shape[-1]), 0.0),
            "your forbidden scores became 0, and a score of 0 is a score like any other: exp(0) "
            'is 1. (`float == ("-inf")` does that too: it is a comparison, its value is False, '
            "and False is filled in as 0. So does multiplying the scores by `tril`.)",
        ),
        Mistake(
            _after,
            "you masked after softmax. The upper triangle is 0, but the rows sum to less than 1, "
            "and the sum they were divided by still holds the future.",
        ),
        Mistake(
            _after_inf,
            "you put -inf among the weights. -inf is a score that says never; softmax turns it "
            "into a weight of 0, so it has to be there before softmax.",
        ),
        Mistake(
            lambda s: _fill(s, _tril(s.shape[-1]), INF),
            "your rows hold nan: you filled with +inf, whose exponential is infinite, and "
            "inf / inf is not a number. Which sign says never?",
        ),
        Mistake(
            lambda s: _fill(s, ~_tril(s.shape[-1], -1)),
            "you kept the upper triangle: each position sees itself and its future. `tril` keeps "
            "the lower one, `triu` the upper one.",
        ),
        Mistake(
            lambda s: _fill(s, ~_tril(s.shape[-1])),
            "your comparison is turned round: you filled where looking is allowed, so only the "
            "future is left. The last row has no future, and is nan.",
        ),
        Mistake(
            lambda s: _fill(s, _tril(s.shape[-1], 1)),
            "your triangle reaches one step too far: each position sees the next one, the very "
            "word it has to predict. Look at the weight in row 0, column 1.",
        ),
        Mistake(
            lambda s: _fill(s, _tril(s.shape[-1], -1)),
            "the diagonal is missing, so no position sees itself, and row 0 sees nobody: it is "
            "nan.",
        ),
        Mistake(
            lambda s: _fill(s, _tril(s.shape[-1]), dim=-2),
            "your columns sum to 1, not your rows: which axis does softmax run over? The row "
            "belongs to the query, which shares out its own attention.",
        ),
        Mistake(
            lambda s: _fill(s, _tril(s.shape[-1]), dim=1),
            "right for one matrix, wrong for a batch: `dim=1` is the last axis of a (T, T) "
            "matrix only. Count from the end.",
        ),
        Mistake(
            lambda s: _fill(s, _tril(s.shape[-1]), dim=0),
            "`dim=0` runs down the columns of a matrix, and across the sequences of a batch. The "
            "keys are the last axis, whatever comes before.",
        ),
        Mistake(
            _tril_of_scores,
            "you divided the scores themselves by their sum. Weights are exponentials of scores: "
            "a triangle of raw scores, made to sum to 1, is something else, and may be negative.",
        ),
        Mistake(
            lambda s: s.masked_fill(~_tril(s.shape[-1]), -INF),
            "these are masked scores. The softmax is still missing.",
        ),
        Mistake(
            _scores_in_place,
            "`masked_fill_`, with the underscore, wrote into the scores you were given, and the "
            "caller has lost them. Without the underscore it makes a new tensor.",
        ),
    ],
    laws=[
        Law("everything above the diagonal has to be 0", no_future),
        Law("every row has to sum to 1", rows_sum_to_1),
        Law(
            "the last row may look everywhere, so it has to be the plain softmax of its scores",
            lambda w, s: torch.allclose(w[..., -1, :], F.softmax(s, -1)[..., -1, :], atol=1e-4),
        ),
    ],
    hints=(
        "What score does softmax turn into a weight of exactly 0?",
        "Make a (T, T) mask of booleans by `torch.tril`; it broadcasts over all axes before.",
        '`scores.masked_fill(~mask, float("-inf"))`, and then softmax over the last axis.',
    ),
)


# 3. No future leak


def no_future_leak(forward, x):
    before = forward(x)
    for cut in range(1, x.shape[1]):
        changed = x.clone()
        changed[:, cut:] = 1 - changed[:, cut:]  # another future
        difference = (forward(changed)[:, :cut] - before[:, :cut]).abs()
        if not bool((difference <= 1e-5).all()):  # written so that nan is a leak, too
            return False
    return True


def _attention(name, weigh):
    """A self-attention on x alone, with this rule from scores to weights."""

    def forward(x):
        return weigh(x @ x.transpose(1, 2) * x.shape[-1] ** -0.5) @ x

    forward.__name__ = name
    return forward


def _with_mask(name, make):
    return _attention(name, lambda s: _fill(s, make(s.shape[-1])))


def _open(T, row, column):
    mask = _tril(T)
    mask[row, column] = True
    return mask


def _first_hole(T):
    return _open(T, 0, 1)


def _last_hole(T):
    return _open(T, T - 2, T - 1)


def _itself_but_last(T):
    mask = torch.eye(T, dtype=torch.bool)
    mask[-1] = torch.arange(T) == 0
    return mask


def _second_sequence_leaks(s):
    mask = _tril(s.shape[-1]).expand(s.shape).clone()
    mask[1:] = True
    return _fill(s, mask)


causal = _with_mask("causal", _tril)
no_mask = _with_mask("no_mask", lambda T: torch.ones(T, T, dtype=torch.bool))
FORWARDS = [
    _attention(
        "masked_after_and_shared_out_again",
        lambda s: mask_weights(s.softmax(-1), _tril(s.shape[-1])),
    ),
    _attention("filled_with_0", lambda s: _fill(s, _tril(s.shape[-1]), 0.0)),
    _attention("masked_after", _after),
    _with_mask("one_step_ahead", lambda T: _tril(T, 1)),
    _with_mask("not_itself", lambda T: _tril(T, -1)),
    _with_mask("future_only", lambda T: ~_tril(T, -1)),
    _with_mask("itself_only", lambda T: torch.eye(T, dtype=torch.bool)),
    _with_mask("itself_but_the_last_one", _itself_but_last),
    _with_mask("one_hole_at_the_start", _first_hole),
    _with_mask("one_hole_at_the_end", _last_hole),
    _attention("leak_in_the_second_sequence", _second_sequence_leaks),
]


def _changes(forward, x, cut):
    changed = x.clone()
    changed[:, cut:] = 1 - changed[:, cut:]
    return (forward(changed) - forward(x)).abs()


def _cuts(x):
    return range(1, x.shape[1])


def _always_true(forward, x):
    return forward(x).shape == x.shape


def _last_position_only(forward, x):
    return bool((_changes(forward, x, x.shape[1] - 1)[:, -1] <= 1e-5).all())


def _past_changed(forward, x):
    for cut in _cuts(x):
        changed = x.clone()
        changed[:, :cut] = 1 - changed[:, :cut]
        if not bool(((forward(changed) - forward(x))[:, cut:].abs() <= 1e-5).all()):
            return False
    return True


def _everything_compared(forward, x):
    return all(bool((_changes(forward, x, cut) <= 1e-5).all()) for cut in _cuts(x))


def _first_position_only(forward, x):
    return bool((_changes(forward, x, 1)[:, 0] <= 1e-5).all())


def _one_cut(forward, x):
    cut = x.shape[1] // 2
    return bool((_changes(forward, x, cut)[:, :cut] <= 1e-5).all())


def _last_cut(forward, x):
    cut = x.shape[1] - 1
    return bool((_changes(forward, x, cut)[:, :cut] <= 1e-5).all())


def _nan_passes(forward, x):
    return not any(bool((_changes(forward, x, cut)[:, :cut] > 1e-5).any()) for cut in _cuts(x))


def _same_tensor(forward, x):
    changed = x
    changed[:, 1:] = 1 - changed[:, 1:]
    return bool(((forward(changed) - forward(x))[:, :1].abs() <= 1e-5).all())


def _exact(forward, x):
    return all(bool((_changes(forward, x, cut)[:, :cut] == 0).all()) for cut in _cuts(x))


def _first_sequence_only(forward, x):
    return all(bool((_changes(forward, x, cut)[0, :cut] <= 1e-5).all()) for cut in _cuts(x))


NO_FUTURE_LEAK = Exercise(
    id="08.no_future_leak",
    asks="Return True if no output of forward changes when anything after it does, else False.",
    reference=no_future_leak,
    inputs=[
        (causal, _draw(1, 3, 2, seed=7)),
        (no_mask, _draw(1, 3, 2, seed=7)),
        *((forward, _draw(2, 5, 3, seed=8)) for forward in (causal, *FORWARDS)),
    ],
    mistakes=[
        Mistake(
            _always_true,
            "you call every attention clean, the one without a mask too. If you compare shapes: "
            "all wrong attentions have the right shape. Compare the numbers, before and after "
            "the future has changed.",
        ),
        Mistake(
            lambda forward, x: not no_future_leak(forward, x),
            "your answers are all turned round: True has to mean that nothing leaks.",
        ),
        Mistake(
            _last_position_only,
            "you compare the last position only. It is the one that has no future: it may see "
            "everything, and it should change when the last word does. Look at those before.",
        ),
        Mistake(
            _past_changed,
            "you changed the past and looked at what comes after. That may change; it is what "
            "attention is for. Change what comes after, and look before it.",
        ),
        Mistake(
            _everything_compared,
            "you compare all positions, also those whose own word has changed. They may well "
            "differ. Compare only those before the change.",
        ),
        Mistake(
            _first_position_only,
            "you look at position 0 only. A mask can be right in its first row and wrong further "
            "down: try every place to cut.",
        ),
        Mistake(
            _last_cut,
            "you only change the last word, so you only find who looks at that one. The first "
            "position may look at the second: try every place to cut.",
        ),
        Mistake(
            _one_cut,
            "you cut at a single place in the middle. A leak within the first half, or within "
            "the second, doesn't cross it: try every place to cut.",
        ),
        Mistake(
            _nan_passes,
            "you let nan pass: `nan > 1e-5` is False, so asking for a large difference finds "
            "none. Ask whether all differences are small instead.",
        ),
        Mistake(
            _same_tensor,
            "`changed = x` is a second name for the same tensor, so you compared the changed x "
            "with itself, and changed the caller's x too. Make a copy by `x.clone()`.",
        ),
        Mistake(
            _exact,
            "you ask for differences of exactly 0. An attention may be right and still differ in "
            "its last bits, when a sum is rounded another way. Allow 1e-5.",
        ),
        Mistake(
            _first_sequence_only,
            "you look at the first sequence of the batch only. One of these attentions leaks in "
            "another.",
        ),
    ],
    laws=[
        Law(
            "no output of this attention changes with its future, so the answer has to be True",
            lambda answer, forward, x: bool(answer) or not no_future_leak(forward, x),
        ),
        Law(
            "an output of this attention changes with its future (or is nan), so the answer has "
            "to be False",
            lambda answer, forward, x: not answer or no_future_leak(forward, x),
        ),
    ],
    hints=(
        "Choose a place to cut. Which inputs do you change, and which outputs may not notice?",
        "Copy x, change everything from `cut` on, run forward on both, and compare the outputs "
        "before `cut`. Then do it for every cut from 1 to T - 1.",
        "For each cut: `changed = x.clone()`, `changed[:, cut:] = 1 - changed[:, cut:]`, and all "
        "of `(forward(changed) - forward(x))[:, :cut].abs()` have to be at most 1e-5.",
    ),
)


# 4. Conventions


def as_allowed(mask, convention):
    if convention == "mha":  # True where NOT to look
        return ~mask
    if convention == "additive":  # 0 where a query may look, a huge negative number elsewhere
        return mask == 0
    if convention == "ones":  # 1 to look at, 0 to leave out
        return mask == 1
    return mask  # "sdpa": True where a query may look


def _wrongly(**branches):
    """as_allowed with some of its branches replaced."""

    def wrong(mask, convention):
        return branches.get(convention, lambda m: as_allowed(m, convention))(mask)

    return wrong


_ADDITIVE = torch.zeros(3, 3).masked_fill(~_ODD, -INF)
_HUGE = torch.zeros(3, 3).masked_fill(~_ODD, -1e9)

AS_ALLOWED = Exercise(
    id="08.as_allowed",
    asks="Turn a mask in a library's convention into booleans, True where a query may look.",
    reference=as_allowed,
    inputs=[
        (torch.tensor([[True, False]]), "sdpa"),
        (torch.tensor([[False, True]]), "mha"),
        (torch.tensor([[0.0, -INF]]), "additive"),
        (torch.tensor([[1, 1, 0]]), "ones"),
        (_ODD, "sdpa"),
        (~_ODD, "mha"),
        (_ADDITIVE, "additive"),
        (_HUGE, "additive"),
        (_ODD.long(), "ones"),
    ],
    mistakes=[
        Mistake(
            lambda mask, convention: mask.bool(),
            "`.bool()` makes True of all that is not 0. It turns no polarity round, and it makes "
            "True of -inf. Take the conventions one by one.",
        ),
        Mistake(
            _wrongly(mha=lambda m: m),
            'in "mha" True means not to look, so that mask has to be turned round.',
        ),
        Mistake(
            _wrongly(sdpa=lambda m: ~m),
            'in "sdpa" True means may look already. You turned it round.',
        ),
        Mistake(
            _wrongly(sdpa=lambda m: ~m, mha=lambda m: m),
            'you have "sdpa" and "mha" the wrong way round. The table above was run: which of the '
            "two gives weight to a key marked True?",
        ),
        Mistake(
            _wrongly(additive=lambda m: m.bool()),
            "an additive mask holds what is added to the scores: 0 changes nothing, so 0 means "
            "may look. `.bool()` makes False of 0 and True of -inf.",
        ),
        Mistake(
            _wrongly(additive=lambda m: m != -INF),
            "you look for -inf, but some write -1e9 or the smallest number there is. What do the "
            "allowed cells hold, always?",
        ),
        Mistake(
            _wrongly(additive=lambda m: m),
            'the "additive" mask is still made of numbers. Compare it with something.',
        ),
        Mistake(
            _wrongly(ones=lambda m: m == 0),
            'in "ones" a 1 says look, and a 0 says leave out. You turned it round.',
        ),
        Mistake(
            _wrongly(ones=lambda m: m),
            'the "ones" mask is still made of integers, and `~1` is -2. Make booleans.',
        ),
    ],
    laws=[
        Law(
            "an additive mask allows where it adds 0",
            lambda out, mask, convention: convention != "additive" or torch.equal(out, mask == 0),
        ),
    ],
    hints=(
        "For each convention: what does a cell hold where a query may look?",
        "One of the four is right as it is, one has to be turned round by `~`, two become "
        "booleans by a comparison.",
        '"mha": `~mask`. "additive": where is it 0? "ones": where is it 1?',
    ),
)


# 5. Padding


def joint_mask(lengths, T):
    position = torch.arange(T)
    past = position[None, :] <= position[:, None]  # (T, T)
    real = position < lengths[:, None]  # (B, T)
    return past & real[:, None, :]  # (T, T) & (B, 1, T) -> (B, T, T)


def _real(lengths, T):
    return torch.arange(T) < lengths[:, None]


def _joined(lengths, T, real):
    return _tril(T) & real[:, None, :]


def _queries(lengths, T):
    return _tril(T) & _real(lengths, T)[:, :, None]


JOINT_MASK = Exercise(
    id="08.joint_mask",
    asks="Return a mask (B, T, T), True where the key is not ahead and not padding.",
    reference=joint_mask,
    inputs=[
        (torch.tensor([1]), 2),
        (torch.tensor([2, 3]), 3),
        (torch.tensor([4, 1, 3, 2, 5]), 5),
    ],
    mistakes=[
        Mistake(
            lambda lengths, T: _tril(T).expand(len(lengths), T, T).clone(),
            "this is the causal mask alone: the last rows still look at padding.",
        ),
        Mistake(
            lambda lengths, T: _real(lengths, T)[:, None, :].expand(-1, T, -1).clone(),
            "padding is hidden, but the future is not. Join both conditions.",
        ),
        Mistake(
            _queries,
            "you closed the rows of the padding. Those rows may look nowhere now, and softmax "
            "makes them nan. A mask is over keys, the columns; the output of a padding row is "
            "simply not read.",
        ),
        Mistake(
            lambda lengths, T: _joined(lengths, T, torch.arange(T) <= lengths[:, None]),
            "one place too many: positions count from 0, so a sequence of length 2 has the "
            "positions 0 and 1.",
        ),
        Mistake(
            lambda lengths, T: _joined(lengths, T, ~_real(lengths, T)),
            "you kept the padding and hid the words. True means may look.",
        ),
        Mistake(
            lambda lengths, T: _tril(T) | _real(lengths, T)[:, None, :],
            "`|` opens a cell if either condition holds. Both have to: which operator is that?",
        ),
        Mistake(
            lambda lengths, T: _tril(T) & _real(lengths, T),
            "(T, T) & (B, T) lines B up with the rows: an error, or, worse, none where B = T. "
            "Give the padding an axis for the queries: (B, 1, T).",
        ),
        Mistake(
            lambda lengths, T: _joined(lengths, T, torch.arange(T) >= T - lengths[:, None]),
            "you hid the start of each sequence. Here the padding stands on the right, after the "
            "words.",
        ),
        Mistake(
            lambda lengths, T: ~joint_mask(lengths, T),
            "this mask is True where not to look. In this course True means may look.",
        ),
    ],
    laws=[
        Law(
            "no query may look ahead",
            lambda mask, lengths, T: not bool(mask.triu(1).any()),
        ),
        Law(
            "no query may look at padding",
            lambda mask, lengths, T: not bool((mask & ~_real(lengths, T)[:, None, :]).any()),
        ),
        Law(
            "every row has to be open somewhere",
            lambda mask, lengths, T: bool(mask.any(dim=-1).all()),
        ),
    ],
    hints=(
        "Two conditions on a key: it is not after the query, and it is within the length.",
        "The first is a (T, T) matrix, the same for all sequences. The second is (B, T), the same "
        "for all queries. Which axis is the second one missing?",
        "`torch.arange(T) < lengths[:, None]` is (B, T). Index it with `[:, None, :]` and join by "
        "`&`.",
    ),
)


# 6. A row that may look nowhere


def safe_weights(scores, mask):
    weights = F.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
    return weights.masked_fill(~mask, 0.0)


def _closed(mask):
    return ~mask.any(dim=-1, keepdim=True)


def _look_at_itself(scores, mask):
    return _fill(scores, mask | (_closed(mask) & torch.eye(mask.shape[-1], dtype=torch.bool)))


def _refuses(scores, mask):
    if bool(_closed(mask).any()):
        raise ValueError("a row may look nowhere")
    return _fill(scores, mask)


def _rows_dropped(scores, mask):
    return _fill(scores, mask)[mask.any(dim=-1)]


_EMPTY_ROW = torch.tensor([[True, False, False], [False, False, False], [True, True, True]])

SAFE_WEIGHTS = Exercise(
    id="08.safe_weights",
    asks="Masked softmax in which a row that may look nowhere gets weights of 0.",
    reference=safe_weights,
    inputs=[
        (_draw(2, 2, seed=9), _tril(2, -1)),
        (_draw(3, 3, seed=10), _EMPTY_ROW),
        (_draw(3, 3, seed=11), _ODD),
        (_draw(5, 5, seed=12), _tril(5)),
    ],
    mistakes=[
        Mistake(
            lambda s, m: _fill(s, m),
            "the closed row is nan: something divides 0 by 0. Multiplying by the mask afterwards "
            "doesn't help, for nan times 0 is nan again. Write zeros over it.",
        ),
        Mistake(
            lambda s, m: _fill(s, m, -1e9),
            "no nan, but look at the closed row: all its scores are equal, so each key gets the "
            "same share, the forbidden ones too.",
        ),
        Mistake(
            lambda s, m: _fill(s, m, 0.0),
            "your forbidden scores became 0, and exp(0) is 1: every row looks where it must not.",
        ),
        Mistake(
            lambda s, m: _fill(s, m | _closed(m)),
            "you opened the closed row everywhere. It looks at all that it was forbidden.",
        ),
        Mistake(
            _look_at_itself,
            "you let the closed row look at itself. That is a way out when you make the mask, "
            "but here the mask forbids it.",
        ),
        Mistake(
            _refuses,
            "raising an error is what the helper package does, and often best. This function is "
            "asked for zeros instead.",
        ),
        Mistake(
            _rows_dropped,
            "the closed row is gone, so all rows below have moved up. Keep the shape.",
        ),
    ],
    laws=[
        Law(
            "nothing may be nan",
            lambda out, scores, mask: not bool(out.isnan().any()),
        ),
        Law(
            "every forbidden weight has to be 0",
            lambda out, scores, mask: bool((out[~mask] == 0).all()),
        ),
        Law(
            "a row that may look somewhere has to sum to 1",
            lambda out, scores, mask: torch.allclose(
                out.sum(dim=-1), mask.any(dim=-1).float(), atol=1e-4
            ),
        ),
    ],
    hints=(
        "What does softmax make of a row of -inf alone? And what should stand there?",
        "Compute the masked softmax as usual. Then every forbidden weight has to be 0, whatever "
        "softmax made of it.",
        "`masked_fill` writes over nan as over any other number: use it a second time, on the "
        "weights, with 0.",
    ),
)

EXERCISES = [MASK_WEIGHTS, CAUSAL_WEIGHTS, NO_FUTURE_LEAK, AS_ALLOWED, JOINT_MASK, SAFE_WEIGHTS]

QUIZ = (
    Question(
        "You see code that masks first and scales by 1/sqrt(d) afterwards. Is that a bug?",
        (
            Option(
                "Yes: the scores have to be scaled before they are masked.",
                "-inf times a positive number is -inf, and the others are scaled alike either way.",
            ),
            Option(
                "No: with -inf both orders give the same scores.",
                "It holds for every scale above 0. A negative scale would turn -inf into +inf, "
                "and 0 would make nan of it.",
                right=True,
            ),
            Option(
                "Only in half precision.",
                "The order doesn't matter there either. What half precision can't hold is -1e9.",
            ),
        ),
    ),
    Question(
        'What does `masked_fill(tril == 0, float == ("-inf"))` do?',
        (
            Option(
                "It raises, because False is not a number.",
                "Python counts False as 0, and PyTorch takes it without a word.",
            ),
            Option(
                "It writes -inf above the diagonal.",
                '`float("-inf")` would. With `==` it is a comparison of a class with a string.',
            ),
            Option(
                "It writes 0 above the diagonal, so the future gets real weights.",
                "The comparison is False, False counts as 0, and exp(0) is 1. No error, right "
                "shapes, rows that sum to 1.",
                right=True,
            ),
        ),
    ),
    Question(
        "All weights above the diagonal are 0. Can the output still depend on the future?",
        (
            Option(
                "Yes, if the mask came after softmax and nothing was shared out again.",
                "Then each weight was divided by a sum over all keys, the later ones included.",
                right=True,
            ),
            Option(
                "No: a weight of 0 passes nothing on.",
                "True of the value it multiplies. But the other weights in the row may have been "
                "computed with a look at the future.",
            ),
            Option(
                "Only with padding.",
                "Padding closes further columns. It opens no way for the future.",
            ),
        ),
    ),
    Question(
        "A model's training loss falls far below what anybody reached on this text. What first?",
        (
            Option(
                "Celebrate, and train for longer.",
                "A model that sees the next word needs no skill to predict it, and when it "
                "generates, the next word isn't there.",
            ),
            Option(
                "Lower the learning rate: the loss is unstable.",
                "An unstable loss jumps up. This one is too good.",
            ),
            Option(
                "Change the future of an input and see whether earlier outputs move.",
                "That is `no_future_leak`. Too good a loss is the usual symptom of a mask that is "
                "one off.",
                right=True,
            ),
        ),
    ),
    Question(
        "You pass `causal_mask(T)`, True = may look, to `nn.MultiheadAttention` as `attn_mask`.",
        (
            Option(
                "It works: PyTorch has one convention for masks.",
                "It has two. `F.scaled_dot_product_attention` reads True as may look, "
                "`nn.MultiheadAttention` as may not.",
            ),
            Option(
                "Each position sees only its future, and the last row is nan.",
                "True is read as forbidden there: what is left is the future, and the last "
                "position has none. Pass `~mask`.",
                right=True,
            ),
            Option(
                "It raises, because the mask has to be made of floats.",
                "It takes both. Integers it refuses.",
            ),
        ),
    ),
)

SOURCES = [
    Source(
        "S3.17",
        "the mask of ones and zeros",
        """tensor([[1., 0., 0., 0., 0., 0.],
        [1., 1., 0., 0., 0., 0.],
        [1., 1., 1., 0., 0., 0.],
        [1., 1., 1., 1., 0., 0.],
        [1., 1., 1., 1., 1., 0.],
        [1., 1., 1., 1., 1., 1.]])""",
    ),
    Source(
        "S3.17",
        "weights times mask",
        """tensor([[0.1551, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.1500, 0.2264, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.1503, 0.2256, 0.2192, 0.0000, 0.0000, 0.0000],
        [0.1591, 0.1994, 0.1962, 0.1477, 0.0000, 0.0000],
        [0.1610, 0.1949, 0.1923, 0.1501, 0.1265, 0.0000],
        [0.1557, 0.2092, 0.2048, 0.1419, 0.1089, 0.1794]])""",
    ),
    Source(
        "S3.17",
        "their row sums",
        "tensor([[0.1551], [0.3764], [0.5952], [0.7024], [0.8248], [1.0000]])",
    ),
    Source(
        "S3.17",
        "renormalised",
        """tensor([[1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.3986, 0.6014, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.2526, 0.3791, 0.3683, 0.0000, 0.0000, 0.0000],
        [0.2265, 0.2839, 0.2794, 0.2103, 0.0000, 0.0000],
        [0.1952, 0.2363, 0.2331, 0.1820, 0.1534, 0.0000],
        [0.1557, 0.2092, 0.2048, 0.1419, 0.1089, 0.1794]])""",
    ),
    Source(
        "S3.18",
        "scores with -inf above the diagonal",
        """tensor([[0.9231,   -inf,   -inf,   -inf,   -inf,   -inf],
        [1.2705, 1.8524,   -inf,   -inf,   -inf,   -inf],
        [1.2544, 1.8284, 1.7877,   -inf,   -inf,   -inf],
        [0.6973, 1.0167, 0.9941, 0.5925,   -inf,   -inf],
        [0.6114, 0.8819, 0.8626, 0.5121, 0.2707,   -inf],
        [0.8995, 1.3165, 1.2871, 0.7682, 0.3937, 1.0996]])""",
    ),
    Source(
        "S3.18",
        "their softmax, scaled",
        """tensor([[1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.3986, 0.6014, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.2526, 0.3791, 0.3683, 0.0000, 0.0000, 0.0000],
        [0.2265, 0.2839, 0.2794, 0.2103, 0.0000, 0.0000],
        [0.1952, 0.2363, 0.2331, 0.1820, 0.1534, 0.0000],
        [0.1557, 0.2092, 0.2048, 0.1419, 0.1089, 0.1794]])""",
    ),
]
