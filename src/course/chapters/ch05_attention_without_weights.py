"""Chapter 05, attention without weights: its exercises, its quiz and its sources."""

import math

import torch

from course.exercise import Exercise, Law, Mistake
from course.quiz import Option, Question
from course.sources import Source


def _draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


# 1. The dot product, by hand


def dot(a, b):
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


def _first_product(a, b):
    for x, y in zip(a, b, strict=True):
        return x * y


def _last_product(a, b):
    for x, y in zip(a, b, strict=True):
        total = x * y
    return total


def _one_short(a, b):
    total = 0.0
    for i in range(len(a) - 1):
        total += a[i] * b[i]
    return total


def _cosine(a, b):
    return dot(a, b) / math.sqrt(dot(a, a) * dot(b, b))


def _every_pair(a, b):
    return float(sum(x * y for x in a for y in b))


DOT = Exercise(
    id="05.dot",
    asks="Return the dot product of two lists of numbers of one length, without torch.",
    reference=dot,
    inputs=[
        ([1.0, 2.0], [3.0, 4.0]),
        ([1.0, 0.0], [0.0, 1.0]),
        ([0.43, 0.15, 0.89], [0.55, 0.87, 0.66]),
        ([2.0, -1.0, 0.5, 3.0, 1.0], [-1.0, 4.0, 2.0, 0.5, -2.0]),
    ],
    mistakes=[
        Mistake(
            lambda a, b: [x * y for x, y in zip(a, b, strict=True)],
            "these are the products, one for each place. A dot product is a single number: what "
            "happens to the products last?",
        ),
        Mistake(
            _first_product,
            "you return inside the loop, so only the first product is counted. Move the return "
            "out to the left.",
        ),
        Mistake(
            _last_product,
            "only the last product is left: each turn of the loop overwrites the total. Add to it "
            "with `+=`.",
        ),
        Mistake(
            _one_short,
            "the last place is missing: `range(len(a) - 1)` stops one earlier than "
            "`range(len(a))`.",
        ),
        Mistake(
            _every_pair,
            "you multiply every number of a with every number of b. Only numbers at the same "
            "place meet: a[0] with b[0], a[1] with b[1].",
        ),
        Mistake(
            lambda a, b: sum(x + y for x, y in zip(a, b, strict=True)),
            "you add where you should multiply: the two numbers at one place are multiplied, and "
            "only the products are added.",
        ),
        Mistake(
            _cosine,
            "this is the cosine of the angle: you divided by both lengths. A dot product keeps "
            "the lengths.",
        ),
    ],
    laws=[
        Law(
            "changing the roles of a and b mustn't change the result",
            lambda answer, a, b: math.isclose(answer, dot(b, a), rel_tol=1e-4, abs_tol=1e-6),
        ),
    ],
    hints=(
        "Which number of b belongs to a[0]? What do you do with the two?",
        "Multiply the numbers that stand at the same place, and add up the products.",
        "Start with `total = 0.0`, and in a loop over the places `total += a[i] * b[i]`.",
    ),
)


# 2. Could these be weights?


def is_weights(row):
    sums_to_1 = abs(float(row.sum()) - 1) < 1e-5
    return bool((row >= 0).all()) and sums_to_1


def _only_sum(row):
    return abs(float(row.sum()) - 1) < 1e-5


def _only_sign(row):
    return bool((row >= 0).all())


def _exact_sum(row):
    return bool((row >= 0).all()) and float(row.sum()) == 1


def _no_zero(row):
    return bool((row > 0).all()) and abs(float(row.sum()) - 1) < 1e-5


def _at_most_1(row):
    return bool((row <= 1).all()) and abs(float(row.sum()) - 1) < 1e-5


def _one_sided(row):
    return bool((row >= 0).all()) and float(row.sum()) - 1 < 1e-5


def _refuses_only(row):
    return not ((row < 0).any() or abs(float(row.sum()) - 1) > 1e-5)


def _a_tensor(row):
    return (row >= 0).all() & ((row.sum() - 1).abs() < 1e-5)


def _row(*numbers):
    return torch.tensor(numbers)


IS_WEIGHTS = Exercise(
    id="05.is_weights",
    asks="Return True if the row is one of weights: no entry below 0, sum 1 to within 1e-5.",
    reference=is_weights,
    inputs=[
        (_row(0.5, 0.5),),
        (_row(1.5, -0.5),),
        (_row(0.25, 0.25),),
        (_row(1.0, 0.0),),
        (_row(0.9, 0.3, -0.2),),
        (_row(1.0, 1.0, 1.0),),
        (_row(math.inf, -math.inf),),
        (_row(*[0.1] * 6, 0.4 + 5e-7),),
        (_row(math.nan, math.nan),),
    ],
    mistakes=[
        Mistake(
            _only_sum,
            "[1.5, -0.5] sums to 1 too, and you let it pass. A share below 0 is none: check all "
            "single entries as well.",
        ),
        Mistake(
            _only_sign,
            "you check the signs only, so [0.25, 0.25] passes. How much is shared out altogether?",
        ),
        Mistake(
            _exact_sum,
            "you ask for a sum of exactly 1. In floating point a correct row may sum to "
            "0.9999999: allow a small difference, 1e-5 here.",
        ),
        Mistake(
            _no_zero,
            "you refuse a weight of 0, but [1, 0] is a fair row: it listens to one only. Which "
            "comparison lets 0 in?",
        ),
        Mistake(
            _at_most_1,
            "you check that no entry is above 1, which [0.9, 0.3, -0.2] passes. Check the other "
            "side: what is the smallest share there is?",
        ),
        Mistake(
            _one_sided,
            "the sum may also be too small: [0.25, 0.25] lies 0.5 below 1. Take `abs` of the "
            "difference.",
        ),
        Mistake(
            _refuses_only,
            "right for numbers, but [nan, nan] passes: every comparison with nan is False, so nothing "
            "you refuse is found. Ask what has to hold, `>= 0` and `< 1e-5`, instead.",
        ),
        Mistake(
            _a_tensor,
            "right, but your answer is a tensor of one element. `bool(...)` makes a plain True or "
            "False of it.",
        ),
    ],
    hints=(
        "Two things make a row of weights. Which one does [1.5, -0.5] break, which one "
        "[0.25, 0.25]?",
        "`(row >= 0).all()` answers one, the distance of `row.sum()` from 1 the other.",
        "`bool((row >= 0).all())` and `abs(float(row.sum()) - 1) < 1e-5`, joined with `and`. nan "
        "fails both by itself.",
    ),
)


# 3. How far ahead?


def score_lead(ratio):
    return math.log(ratio)


SCORE_LEAD = Exercise(
    id="05.score_lead",
    asks="How much higher must one score be for its weight to be ratio times the other weight?",
    reference=score_lead,
    inputs=[(2.0,), (1.0,), (10.0,), (0.5,)],
    mistakes=[
        Mistake(
            lambda ratio: ratio,
            "a lead of 2 makes the weight exp(2), about 7.4 times as large, and not twice. The "
            "lead stands in the exponent: what undoes `exp`?",
        ),
        Mistake(
            lambda ratio: ratio - 1,
            "for a ratio of 1 your 0 is right: equal scores, equal weights. But ratios come from "
            "`exp`, so they don't grow evenly with the lead.",
        ),
        Mistake(
            lambda ratio: math.exp(ratio),
            "you went the wrong way: `exp` turns a lead into a ratio. You have the ratio and look "
            "for the lead.",
        ),
        Mistake(
            lambda ratio: math.log10(ratio),
            "this logarithm has the base 10, but softmax raises e to the scores.",
        ),
        Mistake(
            lambda ratio: math.log2(ratio),
            "this logarithm has the base 2, but softmax raises e to the scores.",
        ),
        Mistake(
            lambda ratio: -math.log(ratio),
            "the size is right, the sign is not: the heavier word has to have the higher score.",
        ),
        Mistake(
            lambda ratio: math.log1p(ratio),
            "`log1p(ratio)` is the logarithm of 1 + ratio. For a ratio of 1 the lead has to be 0.",
        ),
    ],
    laws=[
        Law(
            "exp(lead) has to be the ratio",
            lambda lead, ratio: math.isclose(math.exp(lead), ratio, rel_tol=1e-3),
        ),
    ],
    hints=(
        "Divide one weight by the other. What is left of the sum below the line?",
        "The ratio of two weights is exp(a) / exp(b) = exp(a - b). You know the ratio and look "
        "for a - b.",
        "The inverse of `exp` is the natural logarithm, `math.log`.",
    ),
)


# 4. A stable softmax


def stable_softmax(scores):
    shifted = scores - scores.amax(dim=-1, keepdim=True)
    shares = torch.exp(shifted)
    return shares / shares.sum(dim=-1, keepdim=True)


def _naive_columns(scores):
    return torch.exp(scores) / torch.exp(scores).sum(dim=0)


def _naive(scores):
    return torch.exp(scores) / torch.exp(scores).sum(dim=-1, keepdim=True)


def _columns(scores):
    return torch.softmax(scores, dim=0)


def _no_keepdim(scores):
    shares = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return shares / shares.sum(dim=-1)


def _whole_sum(scores):
    shares = torch.exp(scores - scores.max())
    return shares / shares.sum()


def _whole_max(scores):
    shares = torch.exp(scores - scores.max())
    return shares / shares.sum(dim=-1, keepdim=True)


def _mean_off(scores):
    shares = torch.exp(scores - scores.mean(dim=-1, keepdim=True))
    return shares / shares.sum(dim=-1, keepdim=True)


def _by_sum(scores):
    return scores / scores.sum(dim=-1, keepdim=True)


def _shifts_in_place(scores):
    scores -= scores.amax(dim=-1, keepdim=True)
    shares = torch.exp(scores)
    return shares / shares.sum(dim=-1, keepdim=True)


STABLE_SOFTMAX = Exercise(
    id="05.stable_softmax",
    asks="Softmax along the last axis of scores of any shape and size, without torch.softmax.",
    reference=stable_softmax,
    inputs=[
        (_row(1.0, 2.0),),
        (_row(1000.0, 1001.0),),
        (_row(1000.0, -1000.0),),
        (torch.tensor([[1.0, 2.0, 3.0], [0.5, -0.5, 0.0]]),),
        (torch.tensor([[1000.0, 999.0], [-1000.0, -1001.0]]),),
        (_draw(3, 3, seed=1),),
        (_draw(2, 3, 5, seed=2),),
    ],
    mistakes=[
        Mistake(
            _naive_columns,
            "two things at once: exp(1000) overflows to inf, and inf / inf is nan; and on a "
            "matrix your columns sum to 1, not your rows, because the sum runs over `dim=0`.",
        ),
        Mistake(
            _naive,
            "right for small scores, but exp(1000) is inf in float32, and inf / inf is nan. What "
            "can you take away from a row without changing its weights?",
        ),
        Mistake(
            _columns,
            "your columns sum to 1, not your rows: which axis does softmax run over? It should "
            "be the last one, whatever the number of axes.",
        ),
        Mistake(
            _no_keepdim,
            "without `keepdim=True` the row sums lie down as a row: on a square matrix column j "
            "is silently divided by row j's sum, on others the shapes don't fit.",
        ),
        Mistake(
            _whole_sum,
            "all your numbers together sum to 1. Each row is one word's attention and has to sum "
            "to 1 by itself.",
        ),
        Mistake(
            _whole_max,
            "you took away the largest score of the whole tensor. A row far below it becomes "
            "exp(-2000) = 0 all along, and 0 / 0 is nan: each row needs its own maximum.",
        ),
        Mistake(
            _mean_off,
            "you took away the mean. In [1000, -1000] it is 0, and exp(1000) is inf as before: which "
            "number leaves no exponent above 0?",
        ),
        Mistake(
            _by_sum,
            "you divide the scores by their sum. Negative scores then give negative weights: they "
            "have to become positive first.",
        ),
        Mistake(
            _shifts_in_place,
            "the weights are right, but `-=` changed the scores that came in. Whoever passed them "
            "may still need them: give the shifted scores a name of their own.",
        ),
    ],
    laws=[
        Law(
            "every weight has to be a number from 0 to 1",
            lambda weights, scores: bool(((weights >= 0) & (weights <= 1)).all()),
        ),
        Law(
            "every row has to sum to 1",
            lambda weights, scores: torch.allclose(
                weights.sum(dim=-1), torch.ones(scores.shape[:-1]), atol=1e-4
            ),
        ),
    ],
    hints=(
        "Three steps: shift each row so that its largest score is 0, exponentiate, divide. Which "
        "axis is a row's?",
        "`scores.amax(dim=-1, keepdim=True)` gives each row's maximum, kept as a column.",
        "`shares = torch.exp(scores - scores.amax(dim=-1, keepdim=True))`, then divide by "
        "`shares.sum(dim=-1, keepdim=True)`.",
    ),
)


# 5. All contexts at once


def all_contexts(x):
    scores = x @ x.T
    weights = torch.softmax(scores, dim=-1)
    return weights @ x


def _columns_mixed(x):
    return torch.softmax(x @ x.T, dim=0) @ x


def _no_softmax(x):
    return x @ x.T @ x


def _sum_normalised(x):
    scores = x @ x.T
    return scores / scores.sum(dim=-1, keepdim=True) @ x


def _scaled(x):
    return torch.softmax(x @ x.T / x.shape[1] ** 0.5, dim=-1) @ x


def _channels_mixed(x):
    return x @ torch.softmax(x.T @ x, dim=-1)


def _softmax_last(x):
    return torch.softmax(x @ x.T @ x, dim=-1)


def _first_query(x):
    return torch.softmax(x @ x[0], dim=-1) @ x


ALL_CONTEXTS = Exercise(
    id="05.all_contexts",
    asks="The contexts of all rows of x, (T, C): score with every row, softmax, mix the rows.",
    reference=all_contexts,
    inputs=[
        (torch.tensor([[1.0, 0.0], [0.0, 2.0]]),),
        (_draw(2, 3, seed=3),),
        (_draw(5, 2, seed=4),),
        (_draw(7, 3, seed=5),),
    ],
    mistakes=[
        Mistake(
            _columns_mixed,
            "each row is mixed with a column of the weights. Either softmax ran over `dim=0`, or "
            "the weights were transposed before the product. Print the row sums.",
        ),
        Mistake(
            _no_softmax,
            "you mixed with the raw scores. They don't sum to 1 and may be negative, so the "
            "result leaves the range of the rows: one step is missing in between.",
        ),
        Mistake(
            _sum_normalised,
            "you divided the scores by their row sums. With negative scores in the row that gives "
            "negative shares, or shares far above 1.",
        ),
        Mistake(
            _scaled,
            "you also divide the scores by the square root of C. That is chapter 07; here the "
            "plain dot products are asked for.",
        ),
        Mistake(
            _channels_mixed,
            "you compared channels with channels: `x.T @ x` is (C, C). Words are rows, so the "
            "scores have to be (T, T).",
        ),
        Mistake(
            lambda x: torch.softmax(x @ x.T, dim=-1),
            "these are the weights, (T, T). The last step is missing: mix the rows of x with "
            "them.",
        ),
        Mistake(
            _first_query,
            "this is the context of row 0 alone. Let every row be the query once: `x @ x.T` holds "
            "all the scores.",
        ),
        Mistake(
            _softmax_last,
            "softmax came too late: it belongs between the scores and the mixing, not after it.",
        ),
    ],
    laws=[
        Law(
            "every context has to stay between the smallest and the largest row, channel by "
            "channel, because it is a mean of the rows",
            lambda out, x: bool(
                ((out >= x.amin(dim=0) - 1e-4) & (out <= x.amax(dim=0) + 1e-4)).all()
            ),
        ),
    ],
    hints=(
        "Three lines: scores, weights, contexts. What shape has each?",
        "(T, C) @ (C, T) gives the scores. Softmax runs along each row. (T, T) @ (T, C) mixes.",
        "`x @ x.T`, then `torch.softmax(..., dim=-1)`, then `... @ x`.",
    ),
)

EXERCISES = [DOT, IS_WEIGHTS, SCORE_LEAD, STABLE_SOFTMAX, ALL_CONTEXTS]

QUIZ = (
    Question(
        "The scores of journey with one and of one with journey are both 0.7070, but the weights "
        "are 0.1082 and 0.1958. Why?",
        (
            Option(
                "Softmax divides each row by its own sum.",
                "The same score is a small part of journey's high row and a larger part of one's "
                "low row. A weight is a share, and shares depend on the competitors.",
                right=True,
            ),
            Option(
                "A rounding error: the weights should be symmetric too.",
                "0.1082 and 0.1958 differ far too much for rounding, which sits in the seventh "
                "digit.",
            ),
            Option(
                "Because one stands after journey in the sentence.",
                "Nothing in this chapter knows where a word stands. Only the vectors count.",
            ),
        ),
    ),
    Question(
        "Why not simply divide the scores by their sum?",
        (
            Option(
                "It works only for rows of six words.",
                "The length doesn't matter. What could a score be that a share can't?",
            ),
            Option(
                "The result doesn't sum to 1.",
                "It does, unless the sum is 0: [3, -1] becomes [1.5, -0.5]. Summing to 1 isn't "
                "enough.",
            ),
            Option(
                "Scores may be negative and their sum may be 0.",
                "Then shares turn negative, exceed 1, or become inf: [0.5, -0.5] gives "
                "[inf, -inf]. exp makes every score positive first.",
                right=True,
            ),
        ),
    ),
    Question(
        "A softmax that divides by `sum(dim=0)` was tested on one row of scores and then used on "
        "a 6 x 6 matrix. What happens?",
        (
            Option(
                "An error: the shapes don't fit.",
                "(6, 6) divided by (6,) broadcasts. No error, which is the trouble.",
            ),
            Option(
                "Columns sum to 1, rows don't, and nothing is reported.",
                "On one row dim=0 is the only axis there is, so the test passed. On a matrix it "
                "runs down the columns. `dim=-1` is right for both.",
                right=True,
            ),
            Option(
                "Nothing: the scores are symmetric, so rows and columns are the same.",
                "The scores are symmetric, but the result is then the transpose of the right "
                "weights, and those are not symmetric.",
            ),
        ),
    ),
    Question(
        "A stable softmax takes the row's maximum away before `exp`. What does that do to the "
        "weights?",
        (
            Option(
                "Nothing: it multiplies all exponentials of the row by one factor, which cancels.",
                "exp(s - m) = exp(s) exp(-m), above and below the line. Only the overflow is "
                "gone.",
                right=True,
            ),
            Option(
                "It makes them a little less exact, but safe.",
                "In exact arithmetic they are equal, and in floating point it can only help.",
            ),
            Option(
                "It makes the largest weight 1.",
                "The largest exponential becomes 1. The weight is that divided by the row's sum.",
            ),
        ),
    ),
    Question(
        "What of this chapter's attention would change during training?",
        (
            Option(
                "The 36 attention weights.",
                "They are computed anew from the vectors each time. They are results, nobody "
                "stores or trains them.",
            ),
            Option(
                "The scores, towards the right answers.",
                "Scores are results as well: dot products of the vectors that came in.",
            ),
            Option(
                "Nothing: from scores to contexts there is no parameter.",
                "Dot product, softmax and mixing are fixed. Only the vectors themselves could be "
                "learnt. Chapter 06 adds matrices that are.",
                right=True,
            ),
        ),
    ),
)

_SCORES = """tensor([[0.9995, 0.9544, 0.9422, 0.4753, 0.4576, 0.6310],
        [0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865],
        [0.9422, 1.4754, 1.4570, 0.8296, 0.7154, 1.0605],
        [0.4753, 0.8434, 0.8296, 0.4937, 0.3474, 0.6565],
        [0.4576, 0.7070, 0.7154, 0.3474, 0.6654, 0.2935],
        [0.6310, 1.0865, 1.0605, 0.6565, 0.2935, 0.9450]])"""

SOURCES = [
    Source(
        "S3.1",
        "the six words as vectors of three numbers",
        "[[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64], [0.22, 0.58, 0.33], "
        "[0.77, 0.25, 0.10], [0.05, 0.80, 0.55]]",
    ),
    Source(
        "S3.2",
        "the scores of the second word with all six, by a loop of dot products",
        "tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865])",
    ),
    Source(
        "S3.3",
        "one dot product by hand and by torch.dot",
        "tensor(0.9544)\ntensor(0.9544)",
    ),
    Source(
        "S3.4",
        "the scores divided by their sum",
        "Attention weights: tensor([0.1455, 0.2278, 0.2249, 0.1285, 0.1077, 0.1656])\n"
        "Sum: tensor(1.0000)",
    ),
    Source(
        "S3.5",
        "softmax by hand and by torch.softmax",
        "Naive Softmax Weights: tensor([0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581])\n"
        "Sum: tensor(1.)\n"
        "PyTorch Softmax Weights: tensor([0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581])\n"
        "Sum: tensor(1.)",
    ),
    Source(
        "S3.6",
        "the context vector of the second word",
        "Context Vector: tensor([0.4419, 0.6515, 0.5683])",
    ),
    Source("S3.7", "all 36 scores, by a double loop and by one product", _SCORES),
    Source(
        "S3.8",
        "softmax of every row, and the row sums",
        """tensor([[0.2098, 0.2006, 0.1981, 0.1242, 0.1220, 0.1452],
        [0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581],
        [0.1390, 0.2369, 0.2326, 0.1242, 0.1108, 0.1565],
        [0.1435, 0.2074, 0.2046, 0.1462, 0.1263, 0.1720],
        [0.1526, 0.1958, 0.1975, 0.1367, 0.1879, 0.1295],
        [0.1385, 0.2184, 0.2128, 0.1420, 0.0988, 0.1896]])
All row sums: tensor([1.0000, 1.0000, 1.0000, 1.0000, 1.0000, 1.0000])""",
    ),
    Source(
        "S3.9",
        "the contexts of all six words by one product",
        """torch.Size([6, 6])
torch.Size([6, 3])
All Context Vectors:
 tensor([[0.4421, 0.5931, 0.5790],
        [0.4419, 0.6515, 0.5683],
        [0.4431, 0.6496, 0.5671],
        [0.4304, 0.6298, 0.5510],
        [0.4671, 0.5910, 0.5266],
        [0.4177, 0.6503, 0.5645]])""",
    ),
]
