"""Chapter 04, averaging the past: its exercises and its quiz."""

import torch
import torch.nn.functional as F

from course.exercise import Exercise, Law, Mistake
from course.quiz import Option, Question
from course.sources import Source


def _draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def rows_sum_to_1(weights, *inputs):
    return torch.allclose(weights.sum(dim=-1), torch.ones(weights.shape[0]), atol=1e-4)


def no_future(weights, *inputs):
    return bool((weights.triu(1) == 0).all())


# 1. The mean of the past


def mean_past(x):
    T = x.shape[1]
    weights = torch.tril(torch.ones(T, T))
    weights = weights / weights.sum(dim=1, keepdim=True)
    return weights @ x


def _mean_without_itself(x):
    out = torch.empty_like(x)
    for t in range(x.shape[1]):
        out[:, t] = x[:, :t].mean(dim=1)
    return out


def _mean_of_all(x):
    return x.mean(dim=1, keepdim=True).expand_as(x).clone()


def _mean_of_future(x):
    T = x.shape[1]
    weights = torch.triu(torch.ones(T, T))
    return weights / weights.sum(dim=1, keepdim=True) @ x


def _divided_by_T(x):
    return x.cumsum(dim=1) / x.shape[1]


def _columns_normalised(x):
    weights = torch.tril(torch.ones(x.shape[1], x.shape[1]))
    return weights / weights.sum(dim=0, keepdim=True) @ x


def _in_place(x):
    for t in range(x.shape[1]):
        x[:, t] = x[:, : t + 1].mean(dim=1)
    return x


MEAN_PAST = Exercise(
    id="04.mean_past",
    asks="Return the mean of the past of every position of x, shape (B, T, C).",
    reference=mean_past,
    inputs=[(_draw(1, 2, 1),), (_draw(1, 3, 2, seed=1),), (_draw(2, 5, 3, seed=2),)],
    mistakes=[
        Mistake(
            lambda x: x.cumsum(dim=1),
            "these are running sums, not means: row t still has to be divided by the number of "
            "rows it holds, t + 1.",
        ),
        Mistake(
            _mean_without_itself,
            "position t is missing from its own past: `x[:, :t]` stops before row t, and at t = 0 "
            "it holds nothing, whose mean is nan. Slice up to `t + 1`.",
        ),
        Mistake(
            _mean_of_all,
            "every row of yours is the mean of the whole sequence, so each position sees its "
            "future. Which rows may position 0 use?",
        ),
        Mistake(
            _mean_of_future,
            "yours is the mean of the future: the ones stand on and above the diagonal. `tril` "
            "keeps the lower triangle, `triu` the upper one.",
        ),
        Mistake(
            _divided_by_T,
            "you divide every running sum by T, but row t holds only t + 1 rows: row 0 should "
            "stay as it is.",
        ),
        Mistake(
            _columns_normalised,
            "your weights' columns sum to 1, not their rows: which axis does your sum run over? "
            "Row 0 of the result should be x's own row 0.",
        ),
        Mistake(
            lambda x: x.cumsum(dim=2) / torch.arange(1, x.shape[2] + 1),
            "you average along the channels. In (B, T, C) the positions are axis 1, or -2.",
        ),
        Mistake(
            _in_place,
            "you write the means into x itself, so that later rows average rows that are already "
            "averages. Make a new tensor for the result.",
        ),
    ],
    laws=[
        Law(
            "row 0 of the result has to be row 0 of x, whose past is itself alone",
            lambda out, x: torch.allclose(out[:, 0], x[:, 0], atol=1e-5),
        ),
        Law(
            "the last row has to be the mean of all rows",
            lambda out, x: torch.allclose(out[:, -1], x.mean(dim=1), atol=1e-5),
        ),
    ],
    hints=(
        "Which rows of x does row t of the result need? Write them as a slice.",
        "The slice is `x[b, : t + 1]`. Average it over its first axis, or build the (T, T) matrix "
        "whose row t holds t + 1 equal shares.",
        "`weights = torch.tril(torch.ones(T, T))`, divided by its row sums with `keepdim=True`, "
        "then `weights @ x`.",
    ),
)


# 2. The weights


def averaging_weights(T):
    ones = torch.tril(torch.ones(T, T))
    return ones / ones.sum(dim=1, keepdim=True)


def _upper(T):
    ones = torch.triu(torch.ones(T, T))
    return ones / ones.sum(dim=1, keepdim=True)


def _below_only(T):
    ones = torch.tril(torch.ones(T, T), diagonal=-1)
    return ones / ones.sum(dim=1, keepdim=True)


def _one_ahead(T):
    ones = torch.tril(torch.ones(T, T), diagonal=1)
    return ones / ones.sum(dim=1, keepdim=True)


def _no_keepdim(T):
    ones = torch.tril(torch.ones(T, T))
    return ones / ones.sum(dim=1)


def _columns(T):
    ones = torch.tril(torch.ones(T, T))
    return ones / ones.sum(dim=0, keepdim=True)


AVERAGING_WEIGHTS = Exercise(
    id="04.averaging_weights",
    asks="Return the (T, T) weights with which every position averages its past.",
    reference=averaging_weights,
    inputs=[(2,), (3,), (5,), (1,)],
    mistakes=[
        Mistake(
            _columns,
            "your columns sum to 1, not your rows: `dim=0` sums down the columns. A position "
            "shares out its own row, so each row has to sum to 1.",
        ),
        Mistake(
            _no_keepdim,
            "without `keepdim=True` the row sums lie down as one row, and column j is divided by "
            "row j's sum. Keep them as a column.",
        ),
        Mistake(
            lambda T: torch.tril(torch.ones(T, T)),
            "these shares are not divided yet: row t sums to t + 1. Divide each row by its sum.",
        ),
        Mistake(
            lambda T: torch.full((T, T), 1 / T),
            "every position gets an equal share of the whole sequence, so all of them see their "
            "future. Keep the lower triangle before you normalise.",
        ),
        Mistake(
            lambda T: torch.tril(torch.full((T, T), 1 / T)),
            "you divided by T before you cut the triangle, so only the last row sums to 1. Cut "
            "first, then divide each row by what is left in it.",
        ),
        Mistake(_upper, "this is the upper triangle: each position averages its future."),
        Mistake(
            _below_only,
            "the diagonal is missing, so no position hears itself, and row 0 is 0 / 0 = nan. "
            "`torch.tril` keeps the diagonal unless you tell it not to.",
        ),
        Mistake(
            _one_ahead,
            "your triangle reaches one step too far: with `diagonal=1` every position sees the "
            "next one, which it has to predict.",
        ),
    ],
    laws=[
        Law("every row has to sum to 1", rows_sum_to_1),
        Law("everything above the diagonal has to be 0", no_future),
    ],
    hints=(
        "Row t has t + 1 equal shares and then zeros. What is one share?",
        "Start from ones on and below the diagonal (`torch.tril`) and look at the sum of each row.",
        "Divide by `ones.sum(dim=1, keepdim=True)`: without `keepdim` the sums would lie along "
        "the wrong axis.",
    ),
)


# 3. Weights from a mask


def weights_from_mask(mask):
    scores = torch.zeros(mask.shape)
    scores = scores.masked_fill(~mask, float("-inf"))
    return F.softmax(scores, dim=-1)


def _fill_zero(mask):
    return F.softmax(torch.zeros(mask.shape).masked_fill(~mask, 0.0), dim=-1)


def _softmax_of_mask(mask):
    return F.softmax(mask.float(), dim=-1)


def _softmax_columns(mask):
    return F.softmax(torch.zeros(mask.shape).masked_fill(~mask, float("-inf")), dim=0)


def _inverted(mask):
    return F.softmax(torch.zeros(mask.shape).masked_fill(mask, float("-inf")), dim=-1)


def _mask_after(mask):
    return F.softmax(torch.zeros(mask.shape), dim=-1) * mask


def _ignores_mask(mask):
    return averaging_weights(mask.shape[0])


_SMALL = torch.tensor([[True, False], [True, True]])
_WINDOW = torch.ones(5, 5).tril().triu(-1).bool()
_ODD = torch.tensor([[True, False, True], [True, True, False], [False, True, True]])

WEIGHTS_FROM_MASK = Exercise(
    id="04.weights_from_mask",
    asks="Share each row equally among the allowed columns, by scores and softmax.",
    reference=weights_from_mask,
    inputs=[(_SMALL,), (_ODD,), (_WINDOW,), (torch.ones(4, 4).tril().bool(),)],
    mistakes=[
        Mistake(
            _fill_zero,
            "forbidden columns still get a full share: you filled them with 0, and exp(0) is 1. "
            "What number has an exponential of 0?",
        ),
        Mistake(
            _softmax_of_mask,
            "you ran softmax over the mask itself. True becomes 1 and False 0, and exp(0) = 1 is "
            "far from nothing. Forbidden scores have to be -inf.",
        ),
        Mistake(
            _softmax_columns,
            "your columns sum to 1, not your rows: which axis does softmax run over? Each row is "
            "one position's shares, so `dim=-1`.",
        ),
        Mistake(
            _inverted,
            "this is the mask upside down: you filled where looking is allowed. True means may "
            "look, so fill where the mask is False, `~mask`.",
        ),
        Mistake(
            _mask_after,
            "you masked after softmax: the forbidden shares are gone, but the rest of the row was "
            "never scaled up, so it sums to less than 1.",
        ),
        Mistake(
            _ignores_mask,
            "right for the triangle, but you never look at `mask`: another mask needs other "
            "weights.",
        ),
    ],
    laws=[
        Law("every row has to sum to 1", rows_sum_to_1),
        Law(
            "every forbidden column has to get the weight 0",
            lambda weights, mask: bool((weights[~mask] == 0).all()),
        ),
    ],
    hints=(
        "No preference means equal scores, for instance all 0. What score means never?",
        "`scores.masked_fill(where, value)` writes the value where its first argument is True; "
        "`~mask` is True where looking is forbidden.",
        'Fill with `float("-inf")`, then `F.softmax(scores, dim=-1)`.',
    ),
)


# 4. One matrix, many sequences


def mix(weights, x):
    return weights @ x


def _transposed(weights, x):
    return weights.T @ x


def _mixes_batch(weights, x):
    return (weights @ x.mean(dim=0)).expand_as(x).clone()


def _first_only(weights, x):
    return weights @ x[0]


MIX = Exercise(
    id="04.mix",
    asks="Mix the rows of every sequence: (T, T) and (B, T, C) give (B, T, C).",
    reference=mix,
    inputs=[
        (averaging_weights(2), _draw(1, 2, 1, seed=3)),
        (averaging_weights(3), _draw(2, 3, 5, seed=4)),
        (F.softmax(_draw(5, 5, seed=5), dim=-1), _draw(2, 5, 3, seed=6)),
        (averaging_weights(3), _draw(2, 3, 3, seed=7)),  # T = C, so x @ weights runs, wrongly
    ],
    mistakes=[
        Mistake(
            _transposed,
            "you used the columns of the weights where the rows belong: no transpose is needed. "
            "Row t of `weights @ x` is mixed with row t of the weights.",
        ),
        Mistake(
            _first_only,
            "only the first sequence is left. `@` repeats a (T, T) matrix for every sequence of "
            "the batch by itself, so x can stay whole.",
        ),
        Mistake(
            _mixes_batch,
            "the sequences of the batch are averaged together: every one of them gives the same "
            "result. Axis 0 must pass through untouched.",
        ),
        Mistake(
            lambda weights, x: x @ weights,
            "x stands on the left, so (B, T, C) @ (T, T) matches channels with positions. The "
            "weights have to be the left operand.",
        ),
        Mistake(
            lambda weights, x: weights @ x.transpose(1, 2),
            "you moved the channels where the positions were. (T, T) @ (B, T, C) fits as it is.",
        ),
    ],
    hints=(
        "Write the shapes of the two operands next to each other. Which axes does `@` match?",
        "(T, T) @ (B, T, C): the last axis of the left has to be the second-to-last of the right.",
        "One `@`, weights first. The batch axis is repeated for you.",
    ),
)


# 5. A fading past


def fading_weights(T, decay):
    position = torch.arange(T)
    age = position[:, None] - position[None, :]  # (T, T): how long ago, negative ahead
    shares = torch.tril(decay ** age.clamp(min=0).float())
    return shares / shares.sum(dim=1, keepdim=True)


def _age(T):
    position = torch.arange(T)
    return position[:, None] - position[None, :]


def _fading_unnormalised(T, decay):
    return torch.tril(decay ** _age(T).clamp(min=0).float())


def _fading_reversed(T, decay):
    shares = torch.tril((decay ** torch.arange(T).float()).expand(T, T))
    return shares / shares.sum(dim=1, keepdim=True)


def _fading_no_mask(T, decay):
    shares = decay ** _age(T).abs().float()
    return shares / shares.sum(dim=1, keepdim=True)


def _fading_columns(T, decay):
    shares = _fading_unnormalised(T, decay)
    return shares / shares.sum(dim=0, keepdim=True)


def _fading_linear(T, decay):
    shares = torch.tril(decay * _age(T).clamp(min=0).float() + torch.eye(T))
    return shares / shares.sum(dim=1, keepdim=True)


FADING_WEIGHTS = Exercise(
    id="04.fading_weights",
    asks="Weights that fade by a factor of decay with each step into the past; rows sum to 1.",
    reference=fading_weights,
    inputs=[(2, 0.5), (3, 0.5), (4, 0.9), (3, 1.0)],
    mistakes=[
        Mistake(
            _fading_unnormalised,
            "the fading is right, but the rows don't sum to 1 yet. Divide each by its own sum.",
        ),
        Mistake(
            _fading_reversed,
            "your oldest position is the heaviest: the power counts from the start of the "
            "sequence. It should count back from the position that looks: t minus the column.",
        ),
        Mistake(
            _fading_no_mask,
            "the future fades too, but it has to be gone: keep only the lower triangle before "
            "you normalise.",
        ),
        Mistake(
            _fading_columns,
            "your columns sum to 1, not your rows: which axis does your sum run over?",
        ),
        Mistake(
            _fading_linear,
            "you multiplied decay by the age; a share fades by a factor per step, so age belongs "
            "in the exponent.",
        ),
        Mistake(
            lambda T, decay: averaging_weights(T),
            "these are equal shares: `decay` is never used.",
        ),
    ],
    laws=[
        Law("every row has to sum to 1", rows_sum_to_1),
        Law("everything above the diagonal has to be 0", no_future),
        Law(
            "each share has to be decay times the share of the next younger position",
            lambda w, T, decay: all(
                torch.allclose(w[t, :t], decay * w[t, 1 : t + 1], atol=1e-5) for t in range(1, T)
            ),
        ),
    ],
    hints=(
        "How old is column j for position t? Write the matrix of ages for T = 3 by hand.",
        "`torch.arange(T)[:, None] - torch.arange(T)` gives the ages. Raise decay to them, cut the "
        "upper triangle, normalise.",
        "Negative ages are the future: clamp them, raise `decay ** age.float()`, `torch.tril`, and "
        "divide by the row sums with `keepdim=True`.",
    ),
)

EXERCISES = [MEAN_PAST, AVERAGING_WEIGHTS, WEIGHTS_FROM_MASK, MIX, FADING_WEIGHTS]

QUIZ = (
    Question(
        "In `weights @ x`, what does row 3 of `weights` decide?",
        (
            Option(
                "How much each position takes from position 3.",
                "That is column 3. A column tells who listens to a position.",
            ),
            Option(
                "How much position 3 takes from each position.",
                "Row t of a product is a mix of the right operand's rows, with row t's shares.",
                right=True,
            ),
            Option(
                "How much of channel 3 goes into the result.",
                "The weights are positions by positions; channels are mixed by nothing here.",
            ),
        ),
    ),
    Question(
        "You divide `tril(ones(T, T))` by its sums with `dim=0`. What do you see?",
        (
            Option(
                "Row 0 of the result is no longer row 0 of x.",
                "Column 0 holds T ones, so the first share of every row is 1/T, also in row 0, "
                "where it should be 1.",
                right=True,
            ),
            Option(
                "An error, because the shapes don't fit.",
                "(T, T) divided by (T,) broadcasts without complaint. That is why it is a trap.",
            ),
            Option(
                "The same result, because the matrix has as many rows as columns.",
                "The shapes agree, the sums don't: along rows they are 1, 2, ..., T, down columns "
                "T, ..., 2, 1.",
            ),
        ),
    ),
    Question(
        "Why is the forbidden part filled with -inf and not with 0 before softmax?",
        (
            Option(
                "Because exp(0) = 1, so a score of 0 gets a real share.",
                "With all other scores 0 it gets exactly the same share as the past.",
                right=True,
            ),
            Option(
                "Because softmax can't deal with zeros.",
                "It can: a score of 0 is a score like any other. That is the problem.",
            ),
            Option(
                "Because -inf is faster.",
                "The speed is the same. The weights are not.",
            ),
        ),
    ),
    Question(
        "`torch.allclose(a, b)` says False for two versions of the same mean. What do you do first?",
        (
            Option(
                "Look for the bug: equal computations give equal numbers.",
                "Not in floating point: another order of additions turns the last digits.",
            ),
            Option(
                "Raise `rtol` until it says True.",
                "Then the test follows the code instead of judging it. Decide first what "
                "difference you can accept.",
            ),
            Option(
                "Look at the largest difference, and compare it with what float32 can promise.",
                "A difference near 1e-7 on numbers near 1 is rounding; 1e-2 is a bug. "
                "`assert_close` asks just that.",
                right=True,
            ),
        ),
    ),
    Question(
        "Which of the four versions can be changed so that position 7 prefers position 4?",
        (
            Option(
                "The running sum.",
                "It adds every row once for all later positions; nobody can prefer anybody.",
            ),
            Option(
                "The product with weights from softmax.",
                "Raise the score in row 7, column 4, and softmax gives it a larger share and the "
                "others less. That is attention.",
                right=True,
            ),
            Option(
                "None: an average has equal shares by definition.",
                "A weighted average has any shares that sum to 1.",
            ),
        ),
    ),
)

_T06 = (
    "the bare allclose answers False or True with the machine: the two computations differ by "
    "3.2e-8 where its default allows 3.0e-8 (T06); the course states a tolerance instead"
)
_X0 = """[[ 0.1808, -0.0700], [-0.3596, -0.9152], [ 0.6258,  0.0255], [ 0.9545,  0.0643],
 [ 0.3612,  1.1679], [-1.3499, -0.5102], [ 0.2360, -0.2398], [-0.9211,  1.5433]]"""
_MEANS = """[[ 0.1808, -0.0700], [-0.0894, -0.4926], [ 0.1490, -0.3199], [ 0.3504, -0.2238],
 [ 0.3525,  0.0545], [ 0.0688, -0.0396], [ 0.0927, -0.0682], [-0.0341,  0.1332]]"""
_TRIL8 = """[[1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
 [0.5000, 0.5000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
 [0.3333, 0.3333, 0.3333, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
 [0.2500, 0.2500, 0.2500, 0.2500, 0.0000, 0.0000, 0.0000, 0.0000],
 [0.2000, 0.2000, 0.2000, 0.2000, 0.2000, 0.0000, 0.0000, 0.0000],
 [0.1667, 0.1667, 0.1667, 0.1667, 0.1667, 0.1667, 0.0000, 0.0000],
 [0.1429, 0.1429, 0.1429, 0.1429, 0.1429, 0.1429, 0.1429, 0.0000],
 [0.1250, 0.1250, 0.1250, 0.1250, 0.1250, 0.1250, 0.1250, 0.1250]]"""
SOURCES = [
    Source("S0.1", "the imports"),
    Source("S0.2", "shape of x", "torch.Size([4, 8, 2])"),
    Source("S0.2", "x[0][0]", "[0.1808, -0.0700]"),
    Source("S0.3", "version 1, two loops: nothing printed"),
    Source("S0.4", "version 2, a product: allclose", "True", why_not=_T06),
    Source("S0.5", "version 3, softmax: nothing printed"),
    Source("S0.6", "the toy's shares", "1.0000 0.0000 0.0000 0.5000 0.5000 0.0000 0.3333 0.3333"),
    Source("S0.6", "its rows", "[[2., 7.], [6., 4.], [6., 5.]]"),
    Source("S0.6", "their means", "[[2.0000, 7.0000], [4.0000, 5.5000], [4.6667, 5.3333]]"),
    Source("S1.21", "x[0]", _X0),
    Source("S1.21", "the mean of the past", _MEANS),
    Source("S1.21", "x[0].mean(dim=0)", "[-0.0341, 0.1332]"),
    Source("S1.22", "ones(3, 3)", "[[1., 1., 1.], [1., 1., 1.], [1., 1., 1.]]"),
    Source("S1.22", "tril", "[[1., 0., 0.], [1., 1., 0.], [1., 1., 1.]]"),
    Source("S1.22", "sum of all", "6."),
    Source("S1.22", "sum with dim=0", "[3., 2., 1.]"),
    Source("S1.22", "sum with dim=1", "[1., 2., 3.]"),
    Source("S1.22", "the same as a column", "[[1.], [2.], [3.]]"),
    Source(
        "S1.22", "normalised", "1.0000 0.0000 0.0000 0.5000 0.5000 0.0000 0.3333 0.3333 0.3333"
    ),
    Source("S1.23", "the toy's rows, seed 1337", "[[5., 7.], [2., 0.], [5., 3.]]"),
    Source("S1.23", "their means", "[[5.0000, 7.0000], [3.5000, 3.5000], [4.0000, 3.3333]]"),
    Source("S1.24", "8 x 8 weights", _TRIL8),
    Source("S1.25", "allclose of loop and product", "True", why_not=_T06),
    Source("S1.26", "masked scores", "0. -inf -inf -inf -inf -inf -inf -inf 0. 0. -inf"),
    Source("S1.26", "their softmax", _TRIL8),
    Source("S1.26", "allclose of loop and softmax", "True", why_not=_T06),
    Source(
        "S2.1",
        "the seed",
        "<torch._C.Generator at 0x...>",
        why_not=(
            "the cell shows a memory address, which differs on every run (T41); ours assigns to _"
        ),
    ),
    Source("S2.2", "x[0]", _X0),
    Source("S2.2", "the mean of the past", _MEANS),
    Source("S2.3", "rows, seed 42", "[[2., 7.], [6., 4.], [6., 5.]]"),
    Source("S2.3", "sums of all", "[[14., 16.], [14., 16.], [14., 16.]]"),
    Source("S2.4", "running sums", "[[2., 7.], [8., 11.], [14., 16.]]"),
    Source("S2.5", "running means", "[[2.0000, 7.0000], [4.0000, 5.5000], [4.6667, 5.3333]]"),
    Source(
        "S2.6",
        "means of the first draw after seed 42",
        """1.9269 1.4873 1.4138 -0.3091 1.1687 -0.6176 0.8657 -0.8644 0.5422 -0.3617 0.3864 -0.5354
        0.2272 -0.5388 0.1027 -0.3762""",
    ),
    Source(
        "S2.7",
        "means of the second draw",
        """1.4451 0.8564 1.8316 0.6898 1.3366 0.3941 0.7388 0.6151 0.5566 0.5968 0.4733 0.5684
        0.4878 0.3955 0.1510 0.2522""",
    ),
]
