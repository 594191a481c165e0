"""Chapter 07, scaling and softmax: its exercises, its quiz and its sources."""

import torch

from course.exercise import Exercise, Law, Mistake
from course.quiz import Option, Question
from course.sources import Source


def _draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


# 1. The variance of a scaled score


def score_variance(d, q_variance, k_variance, scale):
    return scale**2 * d * q_variance * k_variance


SCORE_VARIANCE = Exercise(
    id="07.score_variance",
    asks="Return the variance of scale * (q . k) for vectors of size d with these variances.",
    reference=score_variance,
    inputs=[
        (1, 1.0, 1.0, 1.0),
        (16, 1.0, 1.0, 1.0),
        (16, 1.0, 1.0, 0.25),
        (5, 3.0, 0.5, 1.0),
        (7, 2.0, 5.0, 0.5),
    ],
    mistakes=[
        Mistake(
            lambda d, q_variance, k_variance, scale: scale * d * q_variance * k_variance,
            "the scale counts only once in your answer. A variance is made of squares: what does "
            "doubling every number do to it?",
        ),
        Mistake(
            lambda d, q_variance, k_variance, scale: d * q_variance * k_variance,
            "your answer doesn't change with the scale. Multiplying by 0.25 draws the scores "
            "together, so their variance has to become smaller.",
        ),
        Mistake(
            lambda d, q_variance, k_variance, scale: scale * (d * q_variance * k_variance) ** 0.5,
            "this is the standard deviation, the typical size of a score. The variance is its "
            "square.",
        ),
        Mistake(
            lambda d, q_variance, k_variance, scale: d * q_variance * k_variance / scale**2,
            "you divide by the square of the scale. The scores are multiplied by it, so a scale "
            "of 0.25 has to make the variance smaller, not 16 times larger.",
        ),
        Mistake(
            lambda d, q_variance, k_variance, scale: scale**2 * d,
            "right if q and k have variance 1, and only then. What is the variance of one product "
            "when q's is 3 and k's is 0.5?",
        ),
        Mistake(
            lambda d, q_variance, k_variance, scale: scale**2 * d**2 * q_variance * k_variance,
            "the d counts squared in your answer: that would hold if all d products were the same "
            "number. They are independent, so it is their variances that add up.",
        ),
        Mistake(
            lambda d, q_variance, k_variance, scale: scale**2 * d * (q_variance + k_variance),
            "you add the two variances. That is the rule for a sum, q + k; here the two are "
            "multiplied.",
        ),
        Mistake(
            lambda d, q_variance, k_variance, scale: scale**2 * q_variance * k_variance,
            "this is the variance of one product. A score is a sum of d of them.",
        ),
    ],
    laws=[
        Law(
            "a scale of 1 / sqrt(d) has to give the product of the two variances",
            lambda answer, d, q_variance, k_variance, scale: (
                abs(scale**2 * d - 1) > 1e-6 or abs(answer - q_variance * k_variance) < 1e-3
            ),
        ),
    ],
    hints=(
        "Go in three steps: one product, a sum of d products, the sum times a number.",
        "One product has the variance q_variance * k_variance. Variances of independent numbers "
        "add up. A factor comes out squared.",
        "`scale**2 * d * ...`: what stands for one product?",
    ),
)


# 2. What default initialisation gives


def default_variance(x_variance, n_embd, head_size):
    q_variance = n_embd * x_variance / (3 * n_embd)
    return head_size * q_variance**2


DEFAULT_VARIANCE = Exercise(
    id="07.default_variance",
    asks="Return the expected variance of the unscaled scores of a head of default Linear layers.",
    reference=default_variance,
    inputs=[
        (1.0, 32, 16),
        (1.0, 32, 5),
        (2.0, 32, 16),
        (0.5, 48, 7),
        (1.0, 3, 2),
    ],
    mistakes=[
        Mistake(
            lambda x_variance, n_embd, head_size: head_size * x_variance**2,
            "this takes q and k to have the variance of x. A default layer makes them smaller: "
            "`k.var()` was 0.3164 above, for an x of variance 1.",
        ),
        Mistake(
            lambda x_variance, n_embd, head_size: head_size * x_variance / 3,
            "one third counts once in your answer, and so does the variance of x. But a score has "
            "two factors, q and k, and each brings its own.",
        ),
        Mistake(
            lambda x_variance, n_embd, head_size: head_size * (x_variance / (3 * n_embd)) ** 2,
            "1 / (3 C) is the variance of one number of the weight matrix. A number of q is a sum "
            "over C channels.",
        ),
        Mistake(
            lambda x_variance, n_embd, head_size: n_embd * (x_variance / 3) ** 2,
            "you add up n_embd products. q and k meet after the projection: how many numbers "
            "do they have then?",
        ),
        Mistake(
            lambda x_variance, n_embd, head_size: (x_variance / 3) ** 2,
            "this is the variance after scaling by 1 / sqrt(head_size), which is right as well, "
            "but the question was about unscaled scores.",
        ),
        Mistake(
            lambda x_variance, n_embd, head_size: head_size / 9,
            "right for an x of variance 1. If x has variance 2, q and k grow with it.",
        ),
        Mistake(
            lambda x_variance, n_embd, head_size: head_size * x_variance / 9,
            "the variance of x counts only once in your answer, but x is in q and in k.",
        ),
    ],
    laws=[
        Law(
            "an x of variance 1 has to give head_size / 9, as measured above",
            lambda answer, x_variance, n_embd, head_size: (
                x_variance != 1 or abs(answer - head_size / 9) < 1e-3
            ),
        ),
    ],
    hints=(
        "First the variance of one number of q, then that of a score.",
        "A number of q is a sum of n_embd products of a number of x and a weight, and the weights "
        "have the variance 1 / (3 * n_embd).",
        "With `q_variance = x_variance / 3`, the score's variance is `head_size` times the "
        "variance of q times that of k.",
    ),
)


# 3. Attention weights, scaled


def scaled_weights(x, W_q, W_k):
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
    return torch.softmax(scores, dim=-1)


def _with_scale(scale):
    """Attention weights of which only the scale is special: scale(x, k) -> number."""

    def weights(x, W_q, W_k):
        q, k = x @ W_q, x @ W_k
        return torch.softmax(q @ k.transpose(-2, -1) * scale(x, k), dim=-1)

    return weights


def _scaled_after(x, W_q, W_k):
    q, k = x @ W_q, x @ W_k
    return torch.softmax(q @ k.transpose(-2, -1), dim=-1) * k.shape[-1] ** -0.5


def _columns(x, W_q, W_k):
    q, k = x @ W_q, x @ W_k
    return torch.softmax(q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5, dim=-2)


def _keys_ask(x, W_q, W_k):
    q, k = x @ W_q, x @ W_k
    return torch.softmax(k @ q.transpose(-2, -1) * k.shape[-1] ** -0.5, dim=-1)


def _scores_only(x, W_q, W_k):
    q, k = x @ W_q, x @ W_k
    return q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5


def _standardised(x, W_q, W_k):
    scores = (x @ W_q) @ (x @ W_k).transpose(-2, -1)
    return torch.softmax(scores / scores.std(), dim=-1)


SCALED_WEIGHTS = Exercise(
    id="07.scaled_weights",
    asks="Return the attention weights of x, scaled as in the paper, without a mask.",
    reference=scaled_weights,
    inputs=[
        (_draw(2, 3, seed=1), _draw(3, 5, seed=2), _draw(3, 5, seed=3)),
        (_draw(7, 3, seed=4), _draw(3, 2, seed=5), _draw(3, 2, seed=6)),
        (_draw(2, 5, 7, seed=7), _draw(7, 3, seed=8) / 2, _draw(7, 3, seed=9) / 2),
    ],
    mistakes=[
        Mistake(
            _with_scale(lambda x, k: 1.0),
            "you don't scale at all. Shapes are right and rows sum to 1, which is why this is so "
            "easy to miss; only the size of the scores tells.",
        ),
        Mistake(
            _with_scale(lambda x, k: x.shape[-1] ** -0.5),
            "you scale by the size of x, the embedding. How many products does one score add up? "
            "It is the size of a key that counts.",
        ),
        Mistake(
            _with_scale(lambda x, k: k.shape[-1] ** 0.5),
            "you divide by 1 / sqrt(d), which multiplies by sqrt(d): the scores get larger. The "
            "famous notes say it in these words, and the code beside them multiplies.",
        ),
        Mistake(
            _with_scale(lambda x, k: 1 / k.shape[-1]),
            "you scale by 1 / d, without the root (or by the root twice, once in q and once in "
            "k). Then the variance is 1 / d, and the weights are nearly equal. What grows with "
            "d is the variance: what does that mean for the size of a score?",
        ),
        Mistake(
            _with_scale(lambda x, k: k.shape[-2] ** -0.5),
            "you scale by the number of positions. A score knows nothing of the length of the "
            "sequence: it adds up d products.",
        ),
        Mistake(
            _with_scale(lambda x, k: len(k) ** -0.5),
            "you scale by the first axis of k, its number of positions, or of sequences if there "
            "is a batch. The numbers of one key lie along the last axis.",
        ),
        Mistake(
            _with_scale(lambda x, k: float(k.shape[-1])),
            "you multiply by d. That makes large scores larger still.",
        ),
        Mistake(
            _with_scale(lambda x, k: k.shape[-1] ** -0.25),
            "you take the root twice, which leaves a standard deviation of d ** 0.25. If you "
            "scale q and k each by d ** -0.25, then both have to be scaled.",
        ),
        Mistake(
            _scaled_after,
            "you scale after the softmax. Each row then sums to 1 / sqrt(d), and the rows are as "
            "sharp as before: it is the scores that are too large.",
        ),
        Mistake(
            _standardised,
            "you divide by the scores' own standard deviation. Then each weight depends on all "
            "sequences of the batch and on the future. The scale is one fixed number.",
        ),
        Mistake(
            _columns,
            "your columns sum to 1, not your rows: which axis does softmax run over?",
        ),
        Mistake(
            _keys_ask,
            "the roles are swapped: your rows belong to the keys. Whoever asks gets a row.",
        ),
        Mistake(_scores_only, "these are the scaled scores. What turns scores into weights?"),
    ],
    laws=[
        Law(
            "every row has to sum to 1",
            lambda weights, x, W_q, W_k: torch.allclose(
                weights.sum(dim=-1), torch.ones(x.shape[:-1]), atol=1e-4
            ),
        ),
    ],
    hints=(
        "Project, score, scale, softmax. Which size stands under the root?",
        "One score adds up as many products as a key has numbers: `k.shape[-1]`.",
        "`scores = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5`, then softmax along the rows.",
    ),
)


# 4. The Jacobian of softmax


def softmax_jacobian(scores):
    w = torch.softmax(scores, dim=-1)
    return torch.diag(w) - torch.outer(w, w)


def _of_the_scores(scores):
    return torch.diag(scores) - torch.outer(scores, scores)


def _diagonal_only(scores):
    w = torch.softmax(scores, dim=-1)
    return torch.diag(w * (1 - w))


def _as_a_row(scores):
    w = torch.softmax(scores, dim=-1)
    return w * (1 - w)


def _no_diagonal(scores):
    w = torch.softmax(scores, dim=-1)
    return -torch.outer(w, w)


def _plus(scores):
    w = torch.softmax(scores, dim=-1)
    return torch.diag(w) + torch.outer(w, w)


def _at(scores):
    w = torch.softmax(scores, dim=-1)
    return torch.diag(w) - w @ w


def _elementwise(scores):
    w = torch.softmax(scores, dim=-1)
    return torch.diag(w) - w * w


def _negative(scores):
    w = torch.softmax(scores, dim=-1)
    return torch.outer(w, w) - torch.diag(w)


def _identity(scores):
    w = torch.softmax(scores, dim=-1)
    return torch.eye(len(w)) - torch.outer(w, w)


def _row_minus_outer(scores):
    w = torch.softmax(scores, dim=-1)
    return w - torch.outer(w, w)


SOFTMAX_JACOBIAN = Exercise(
    id="07.softmax_jacobian",
    asks="Return the matrix of how weight i changes with score j, for one row of scores.",
    reference=softmax_jacobian,
    inputs=[
        (torch.tensor([0.0, 0.0]),),
        (torch.tensor([1.0, 0.0, -0.5]),),
        (torch.tensor([60.0, 0.0, -60.0]),),
        (_draw(5, seed=11),),
    ],
    mistakes=[
        Mistake(
            _diagonal_only,
            "the diagonal is right, but the rest isn't 0: raising one score also takes from the "
            "weights of all others, since they share out 1.",
        ),
        Mistake(
            _as_a_row,
            "this is the diagonal alone, how each weight changes with its own score. There are "
            "T weights and T scores, so T * T answers.",
        ),
        Mistake(
            _no_diagonal,
            "off the diagonal this is right. On it, every weight should grow with its own score, "
            "and yours shrink.",
        ),
        Mistake(
            _plus,
            "one sign is wrong: if another word's score rises, this word's weight has to fall.",
        ),
        Mistake(
            _at,
            "for a row, `w @ w.T` is the dot product of w with itself, one number. The formula "
            "wants all products w_i * w_j, a matrix: `torch.outer`.",
        ),
        Mistake(
            _elementwise,
            "`w * w` is a row of squares, and broadcasting took it from every row. The formula "
            "wants all products w_i * w_j, a matrix: `torch.outer`.",
        ),
        Mistake(
            _negative,
            "all signs are the wrong way round: a higher score of its own makes a weight larger.",
        ),
        Mistake(
            _identity,
            "your diagonal starts from 1. It should start from the weight itself: w - w * w.",
        ),
        Mistake(
            _of_the_scores,
            "you put the scores into the formula. It wants the weights: softmax first.",
        ),
        Mistake(
            _row_minus_outer,
            "you took the row w away from every row of the matrix. Only the diagonal gets a "
            "weight added: which function makes a diagonal matrix of a row?",
        ),
    ],
    laws=[
        Law(
            "every column has to sum to 0, because the weights always sum to 1",
            lambda jacobian, scores: bool((jacobian.sum(dim=0).abs() < 1e-4).all()),
        ),
        Law(
            "the diagonal mustn't be negative",
            lambda jacobian, scores: bool((jacobian.diagonal() >= -1e-6).all()),
        ),
    ],
    hints=(
        "Two cases: a weight and its own score, a weight and another's score.",
        "On the diagonal w_i - w_i * w_i, elsewhere -w_i * w_j.",
        "`torch.diag(w)` makes a diagonal matrix, and `torch.outer(w, w)` all products w_i * w_j.",
    ),
)


# 5. The entropy of attention weights


def entropy(weights):
    return -torch.xlogy(weights, weights).sum(dim=-1)


def _log_of_zero(weights):
    return -(weights * weights.log()).sum(dim=-1)


def _base_2(weights):
    return -torch.xlogy(weights, weights).sum(dim=-1) / torch.tensor(2.0).log()


def _negative_entropy(weights):
    return torch.xlogy(weights, weights).sum(dim=-1)


def _all_rows(weights):
    return -torch.xlogy(weights, weights).sum()


def _mean_of_terms(weights):
    return -torch.xlogy(weights, weights).mean(dim=-1)


def _columns_entropy(weights):
    return -torch.xlogy(weights, weights).sum(dim=0)


def _softmax_again(weights):
    again = torch.softmax(weights, dim=-1)
    return -torch.xlogy(again, again).sum(dim=-1)


ENTROPY = Exercise(
    id="07.entropy",
    asks="Return the entropy, in nats, of each row of weights, whatever the number of axes.",
    reference=entropy,
    inputs=[
        (torch.tensor([0.5, 0.5]),),
        (torch.tensor([1.0, 0.0, 0.0]),),
        (torch.tensor([[0.25, 0.25, 0.5], [1.0, 0.0, 0.0]]),),
        (torch.softmax(_draw(2, 3, 5, seed=12), dim=-1),),
    ],
    mistakes=[
        Mistake(
            _log_of_zero,
            "a weight of exactly 0 gives 0 * log(0) = 0 * -inf = nan. It should count as 0, and "
            "saturated rows are full of such zeros. `torch.xlogy` knows that.",
        ),
        Mistake(
            _base_2,
            "these are bits, from a logarithm of base 2. In this course everything is in nats, "
            "the natural logarithm, like the loss.",
        ),
        Mistake(
            _negative_entropy,
            "the sign is wrong: the logarithm of a share is 0 or less, and an entropy 0 or more.",
        ),
        Mistake(
            _all_rows,
            "you added up all rows. Each query has weights, and an entropy, of its own.",
        ),
        Mistake(
            _mean_of_terms,
            "you took the mean of the terms. Entropy is their sum: of two equal weights it is "
            "ln 2, of four ln 4.",
        ),
        Mistake(
            _columns_entropy,
            "you summed down the columns. The shares of one query lie along a row, the last axis.",
        ),
        Mistake(
            _softmax_again,
            "you put softmax on numbers that are weights already, which makes them more equal.",
        ),
    ],
    laws=[
        Law(
            "an entropy mustn't be below 0 or above ln of the number of weights",
            lambda answer, weights: bool(
                (answer >= -1e-5).all()
                and (answer <= torch.tensor(float(weights.shape[-1])).log() + 1e-5).all()
            ),
        ),
    ],
    hints=(
        "Which axis holds the shares of one query? And what is 0 times the logarithm of 0?",
        "The sum of -w ln(w) along the last axis, in which a weight of 0 adds nothing.",
        "`torch.xlogy(weights, weights)` is w ln(w), with 0 where w is 0.",
    ),
)


# 6. An honest comparison


def paired_difference(a, b):
    difference = a - b
    return difference.mean().item(), (difference.std() / len(difference) ** 0.5).item()


def _unpaired(a, b):
    error = (a.var() / len(a) + b.var() / len(b)) ** 0.5
    return (a - b).mean().item(), error.item()


def _spread_only(a, b):
    return (a - b).mean().item(), (a - b).std().item()


def _over_n(a, b):
    return (a - b).mean().item(), ((a - b).std() / len(a)).item()


def _other_way(a, b):
    return (b - a).mean().item(), ((b - a).std() / len(a) ** 0.5).item()


def _absolute(a, b):
    difference = (a - b).abs()
    return difference.mean().item(), (difference.std() / len(a) ** 0.5).item()


def _divided_by_n(a, b):
    difference = a - b
    return difference.mean().item(), (difference.std(correction=0) / len(a) ** 0.5).item()


def _first_run(a, b):
    return (a - b)[0].item(), ((a - b).std() / len(a) ** 0.5).item()


def _tensors(a, b):
    return (a - b).mean(), (a - b).std() / len(a) ** 0.5


PAIRED_DIFFERENCE = Exercise(
    id="07.paired_difference",
    asks="Return the mean of a - b over seeds and its standard error, as two floats.",
    reference=paired_difference,
    inputs=[
        (torch.tensor([2.0, 3.0]), torch.tensor([1.0, 1.0])),
        (torch.tensor([2.5, 2.7, 2.6]), torch.tensor([2.4, 2.65, 2.45])),
        (torch.tensor([2.5, 2.2, 2.9, 2.4, 2.6]), torch.tensor([2.4, 2.3, 2.5, 2.4, 2.7])),
    ],
    mistakes=[
        Mistake(
            _unpaired,
            "you let the spread of a and that of b count in full. But both runs of a seed share "
            "their start and their batches: take the differences first, then their spread.",
        ),
        Mistake(
            _spread_only,
            "this is the spread of single differences. Their mean is surer than one of them, the "
            "more so the more seeds there are.",
        ),
        Mistake(
            _over_n,
            "you divide by the number of seeds. A mean of n numbers is surer by a factor of the "
            "root of n.",
        ),
        Mistake(_other_way, "the size is right, the sign is not: a - b was asked for."),
        Mistake(
            _absolute,
            "you dropped the signs. Then pure noise looks like a difference: a seed for and a "
            "seed against have to cancel.",
        ),
        Mistake(
            _divided_by_n,
            "the spread is a little too small: estimated from n numbers, it divides by n - 1 "
            "(`correction=1`, the default).",
        ),
        Mistake(
            _first_run,
            "you report the first seed's difference only. Which of the seeds is the right one?",
        ),
        Mistake(
            _tensors,
            "right, but these are tensors of one element. `.item()` makes a float of each.",
        ),
    ],
    laws=[
        Law(
            "the standard error mustn't be negative",
            lambda answer, a, b: answer[1] >= 0,
        ),
    ],
    hints=(
        "There is one difference for each seed. What are their mean and their spread?",
        "The standard error of a mean of n numbers is their standard deviation divided by the "
        "root of n.",
        "`difference = a - b`, then `difference.mean()` and `difference.std() / n**0.5`.",
    ),
)


EXERCISES = [
    SCORE_VARIANCE,
    DEFAULT_VARIANCE,
    SCALED_WEIGHTS,
    SOFTMAX_JACOBIAN,
    ENTROPY,
    PAIRED_DIFFERENCE,
]

QUIZ = [
    Question(
        "q and k have 64 numbers each, independent, with mean 0 and variance 1. How large is a "
        "typical score, without a scale?",
        (
            Option(
                "About 64.",
                "64 is the variance. The typical size is its root: positive and negative products "
                "cancel for the most part.",
            ),
            Option(
                "About 8.",
                "The 64 variances add up to 64, and the standard deviation is the root of it.",
                right=True,
            ),
            Option(
                "About 1.",
                "That is one product, or the score after scaling by 1 / sqrt(64).",
            ),
            Option("About 0.", "That is the mean over many scores. A single one lies far off it."),
        ),
    ),
    Question(
        'Some notes say: scaled attention "divides the scores by 1 / sqrt(head_size)". With a '
        "head size of 16, what happens if you do what they say?",
        (
            Option(
                "The variance becomes 1, as it should.",
                "That would be multiplying by 1 / sqrt(16) = 0.25. Dividing by 0.25 multiplies "
                "by 4.",
            ),
            Option(
                "The variance becomes 16 times as large.",
                "Dividing by 0.25 is multiplying by 4, and the variance takes the square. Instead "
                "of 1 you have 256.",
                right=True,
            ),
            Option(
                "Nothing, as the code beside the notes multiplies.",
                "The code is indeed right, but the question was what happens if you follow the "
                "words. Somebody will.",
            ),
        ),
    ),
    Question(
        "A head has default Linear layers without bias, x has variance 1 and the head size is 16. "
        "Somebody forgets the scale. How large is the variance of its scores before training?",
        (
            Option(
                "About 16, since the head size is 16.",
                "That needs queries and keys of variance 1. Default layers give them a third of "
                "the variance of x.",
            ),
            Option(
                "About 1, because PyTorch keeps variances.",
                "It doesn't: the default range gives each output a third of the input's variance.",
            ),
            Option(
                "About 1.8.",
                "16 / 9: a third from the queries, a third from the keys, 16 products. At this "
                "size a forgotten scale is nothing dramatic, which is why nobody notices it.",
                right=True,
            ),
            Option(
                "It can't be said without n_embd.",
                "n_embd cancels: the more inputs, the smaller the weights that the default draws.",
            ),
        ),
    ),
    Question(
        "A row of weights is [0, 1, 0, 0]: softmax is saturated. What does the gradient tell "
        "the scores?",
        (
            Option(
                "Nothing: the Jacobian is 0, so no score hears of the loss.",
                "w_i - w_i * w_i is 0 for 0 and for 1, and all products of two weights are 0. "
                "The row can be wrong and stay wrong.",
                right=True,
            ),
            Option(
                "A lot: sharp weights have steep slopes.",
                "The slope is steep where two scores compete. Here one has won, and small changes "
                "of the scores change no weight.",
            ),
            Option(
                "Only the winner's score gets a gradient.",
                "Its own slope is 1 - 1 * 1 = 0 like all the others.",
            ),
        ),
    ),
    Question(
        "One run with a scale ends at a loss of 2.199, one run without at 2.212. Same seed, one "
        "run each. What do we know?",
        (
            Option(
                "The scale helps, by 0.013.",
                "Another seed can move either number by more than that. One difference has no "
                "spread to be compared with.",
            ),
            Option(
                "The scale is useless.",
                "That is not shown either: a small advantage would look just like this.",
            ),
            Option(
                "Not much: it takes several seeds, and the spread of the differences.",
                "First ask how far the numbers move by seed alone. A difference that is not large "
                "against its standard error is no finding.",
                right=True,
            ),
        ),
    ),
]

SOURCES = [
    Source(
        "S1.30",
        "variances of k, of q, of their scores, and of the scaled scores: the third pair drawn "
        "after the head of S1.28 (T29)",
        "1.0966 0.9416 16.1036 1.0065",
    ),
    Source(
        "S1.31",
        "softmax of five scores",
        "[0.1925, 0.1426, 0.2351, 0.1426, 0.2872]",
    ),
    Source(
        "S1.31",
        "softmax of eight times the scores: close to one-hot",
        "[0.0326, 0.0030, 0.1615, 0.0030, 0.8000]",
    ),
]
