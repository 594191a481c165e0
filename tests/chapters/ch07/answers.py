"""Answers to the exercises of chapter 07, written from its page alone."""

import math
import statistics

import numpy as np
import torch
import torch.nn.functional as F

from tests.chapters.answers import right, slips


@right("07.score_variance")
def variance_term_by_term(d, q_variance, k_variance, scale):
    return float(math.fsum(scale * scale * q_variance * k_variance for _ in range(d)))


@right("07.score_variance")
def variance_by_deviation(d, q_variance, k_variance, scale):
    deviation = abs(scale) * math.sqrt(d) * math.sqrt(q_variance) * math.sqrt(k_variance)
    return float(deviation**2)


slips(variance_term_by_term)("""
variance_is_deviation: returns the standard deviation
    return float(abs(scale) * math.sqrt(d * q_variance * k_variance))
variance_inputs_squared: takes the variances for standard deviations and squares them
    return float(scale**2 * d * q_variance**2 * k_variance**2)
variance_geometric_mean: takes the root of the product of the variances, right only where it is 1
    return float(scale**2 * d * math.sqrt(q_variance * k_variance))
variance_of_unit_vectors: takes both variances to be 1
    return float(scale**2 * d)
variance_root_scale_assumed: takes the scale to be 1/sqrt(d), whatever it is
    return float(d**-0.5) ** 2 * d * q_variance * k_variance
variance_signed_scale: keeps the sign of the scale, so that a negative scale gives a negative variance
    return float(scale * abs(scale) * d * q_variance * k_variance)
variance_rounded: rounds to two decimals
    return round(float(scale**2 * d * q_variance * k_variance), 2)
""")


@right("07.default_variance")
def default_by_channels(x_variance, n_embd, head_size):
    weight_variance = (1 / math.sqrt(n_embd)) ** 2 / 3
    number = sum(x_variance * weight_variance for _ in range(n_embd))
    return float(sum(number * number for _ in range(head_size)))


@right("07.default_variance")
def default_in_one_line(x_variance, n_embd, head_size):
    return head_size * x_variance * x_variance / 9.0


slips(default_by_channels)("""
default_for_variance_1: gives d/9, right only for an x of variance 1
    return head_size / 9
default_x_not_squared: takes the variance of x once, though it enters through q and through k
    return float(head_size * x_variance / 9)
default_x_as_deviation: takes the variance of x for its standard deviation
    return float(head_size * (x_variance**2 / 3) ** 2)
default_xavier: takes Xavier's limit, right only where head_size is 5 times n_embd
    weight = 6 / (n_embd + head_size) / 3
    return float(head_size * (n_embd * weight * x_variance) ** 2)
default_kaiming: takes Kaiming's textbook variance, 2/C, for the weights
    return float(head_size * (2 * x_variance) ** 2)
default_limit_from_head_size: takes the number of outputs for the limit, right only where it equals the inputs
    return float(head_size * (n_embd * x_variance / (3 * head_size)) ** 2)
default_whole_division: divides without remainder
    return float(head_size * x_variance**2 // 9)
""")


@right("07.scaled_weights")
def weights_by_einsum(x, W_q, W_k):
    scores = torch.einsum("...ic,cd,ed,...je->...ij", x, W_q, W_k, x)
    return F.softmax(scores / math.sqrt(W_k.size(1)), dim=-1)


@right("07.scaled_weights")
def weights_row_by_row(x, W_q, W_k):
    if x.ndim > 2:
        return torch.stack([weights_row_by_row(one, W_q, W_k) for one in x])
    rows = []
    for word in x @ W_q:
        scores = torch.stack([word.dot(key) for key in x @ W_k]) / len(word) ** 0.5
        e = (scores - scores.max()).exp()
        rows.append(e / e.sum())
    return torch.stack(rows)


slips(weights_by_einsum)("""
weights_unscaled: forgets the scale
    return torch.softmax((x @ W_q) @ (x @ W_k).mT, dim=-1)
weights_root_of_sixteen: divides by 4, the root of the page's head size 16
    return torch.softmax((x @ W_q) @ (x @ W_k).mT / 4, dim=-1)
weights_unit_keys: divides by the lengths of the vectors, which is cosine similarity
    q, k = F.normalize(x @ W_q, dim=-1), F.normalize(x @ W_k, dim=-1)
    return torch.softmax(q @ k.mT, dim=-1)
weights_plain_T: uses .T, right only for one sequence
    q, k = x @ W_q, x @ W_k
    return torch.softmax(q @ k.T * k.shape[-1] ** -0.5, dim=-1)
weights_always_a_batch: adds a batch axis to a single sequence and doesn't take it away
    x = x if x.dim() == 3 else x[None]
    q, k = x @ W_q, x @ W_k
    return torch.softmax(q @ k.mT * k.shape[-1] ** -0.5, dim=-1)
weights_bare_exp: takes exp of the bare scores: nan for large ones
    q, k = x @ W_q, x @ W_k
    e = torch.exp(q @ k.mT * k.shape[-1] ** -0.5)
    return e / e.sum(dim=-1, keepdim=True)
weights_two_slips: lets the keys ask, and scales by the embedding's root
    q, k = x @ W_q, x @ W_k
    return torch.softmax(k @ q.mT / x.shape[-1] ** 0.5, dim=-1)
""")


@right("07.softmax_jacobian")
def jacobian_by_autograd(scores):
    return torch.autograd.functional.jacobian(lambda s: F.softmax(s, dim=-1), scores)


@right("07.softmax_jacobian")
def jacobian_by_jacfwd(scores):
    return torch.func.jacfwd(lambda s: s.softmax(0))(scores)


slips(jacobian_by_autograd)("""
jacobian_for_five: builds its matrix for 5 scores, as on the page
    w = torch.softmax(scores, dim=-1)
    J = torch.zeros(5, 5, dtype=w.dtype)
    for i in range(5):
        for j in range(5):
            J[i, j] = w[i] * (float(i == j) - w[j])
    return J
jacobian_by_squares: subtracts w * w in every row instead of the outer product
    w = torch.softmax(scores, dim=-1)
    return torch.diag(w) - w * w
jacobian_of_softmax_twice: applies softmax twice
    w = torch.softmax(torch.softmax(scores, dim=-1), dim=-1)
    return torch.diag(w) - torch.outer(w, w)
jacobian_by_nudges: nudges each score by 0.01, a step that isn't infinitely small
    w = torch.softmax(scores, dim=-1)
    nudges = 0.01 * torch.eye(len(scores), dtype=scores.dtype)
    return ((torch.softmax(scores + nudges, dim=-1) - w) / 0.01).T
jacobian_naive_exp: takes exp of the bare scores, which overflows to nan for large ones
    e = torch.exp(scores)
    w = e / e.sum()
    return torch.diag(w) - torch.outer(w, w)
jacobian_equal_weights_only: puts (1 - w_i)/T on the diagonal and -w_j/T elsewhere, right only for equal weights
    w = torch.softmax(scores, dim=-1)
    return (torch.eye(len(w), dtype=w.dtype) - w) / len(w)
jacobian_upper_triangle: fills the places above the diagonal and forgets those below
    w = torch.softmax(scores, dim=-1)
    return (torch.diag(w) - torch.outer(w, w)).triu()
""")


@right("07.words_heard")
def heard_by_entr(weights):
    return torch.special.entr(weights).sum(-1).exp()


@right("07.words_heard")
def heard_as_product_of_powers(weights):
    return torch.prod(weights**-weights, dim=-1)


slips(heard_by_entr)("""
heard_count: counts the weights that aren't 0, right for equal weights and for one-hot rows only
    return (weights > 0).sum(dim=-1).to(weights.dtype)
heard_one_over_largest: takes one over the largest weight, right for equal and one-hot rows only
    return 1 / weights.amax(dim=-1)
heard_inverse_squares: takes one over the sum of squares instead of using the entropy
    return 1 / weights.square().sum(dim=-1)
heard_all_rows_together: sums over all rows at once, right only for a single row
    return (-torch.xlogy(weights, weights).sum()).exp()
heard_on_average: gives the mean over all rows as one number
    return (-torch.xlogy(weights, weights).sum(dim=-1)).exp().mean()
heard_down_the_columns: sums over axis 0, right only for one row without more axes
    return (-torch.xlogy(weights, weights).sum(dim=0)).exp()
heard_whole_words: rounds to whole words
    return (-torch.xlogy(weights, weights).sum(dim=-1)).exp().round()
""")


def _mean(numbers):
    return sum(numbers) / len(numbers)


def _pairs(a, b):
    return [a[seed] - b[seed] for seed in sorted(a.keys() & b.keys())]


@right("07.paired_difference")
def paired_by_statistics(a, b):
    d = _pairs(a, b)
    return float(statistics.mean(d)), float(statistics.stdev(d) / math.sqrt(len(d)))


@right("07.paired_difference")
def paired_by_numpy(a, b):
    d = np.array([loss - b[seed] for seed, loss in a.items() if seed in b], dtype=np.float64)
    return float(d.mean()), float(d.std(ddof=1) / np.sqrt(d.size))


slips(paired_by_statistics)("""
paired_by_rank_of_seed: sorts both by seed and pairs by place, right only where both have the same seeds
    d = [a[i] - b[j] for i, j in zip(sorted(a), sorted(b))]
    return _mean(d), statistics.stdev(d) / len(d) ** 0.5
paired_needs_all_seeds: asks b for every seed of a, a KeyError where a run of b crashed
    d = [a[seed] - b[seed] for seed in a]
    return _mean(d), statistics.stdev(d) / len(d) ** 0.5
paired_missing_is_zero: counts a crashed run as a loss of 0
    d = [a.get(s, 0.0) - b.get(s, 0.0) for s in a.keys() | b.keys()]
    return _mean(d), statistics.stdev(d) / len(d) ** 0.5
paired_missing_is_falsy: tests the losses for truth, and so drops a loss of exactly 0
    d = [a[s] - b[s] for s in a if a.get(s) and b.get(s)]
    return _mean(d), statistics.stdev(d) / len(d) ** 0.5
paired_difference_of_all_means: subtracts the mean of all of b from the mean of all of a, lone seeds included
    d = _pairs(a, b)
    return _mean(a.values()) - _mean(b.values()), statistics.stdev(d) / len(d) ** 0.5
paired_without_sign: takes the differences without their signs
    d = [abs(x) for x in _pairs(a, b)]
    return _mean(d), statistics.stdev(d) / len(d) ** 0.5
paired_median: gives the median instead of the mean
    d = _pairs(a, b)
    return statistics.median(d), statistics.stdev(d) / len(d) ** 0.5
""")
