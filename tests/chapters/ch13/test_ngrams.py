"""N-grams: counted one by one, and no table chosen on what it is judged by."""

from collections import Counter

import pytest
import torch
from torch.testing import assert_close

from chapters.ch13.ngrams import best_smoothing, ngram_loss, ngram_probabilities

V = 5


def ids_of(length, seed=0):
    return torch.randint(V, (length,), generator=torch.Generator().manual_seed(seed))


def by_hand(ids, seen, n, k, interpolate):
    """The definition, with dictionaries."""
    ids, seen = ids.tolist(), seen.tolist()
    grams = [tuple(seen[i : i + n]) for i in range(len(seen) - n + 1)]
    whole, context = Counter(grams), Counter(gram[:-1] for gram in grams)
    found = []
    for i in range(n - 1, len(ids)):
        gram = tuple(ids[i - n + 1 : i + 1])
        lower = 1 / V
        if interpolate and n > 1:
            lower = by_hand(torch.tensor(gram[1:]), torch.tensor(seen), n - 1, k, True)[-1]
        found.append((whole[gram] + k * V * lower) / (context[gram[:-1]] + k * V))
    return found


@pytest.mark.parametrize("interpolate", [False, True])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_probabilities_are_those_of_the_definition(n, interpolate):
    ids, seen = ids_of(41, seed=1), ids_of(97)
    ours = ngram_probabilities(ids, seen, n, V, 0.3, interpolate)
    assert_close(ours, torch.tensor(by_hand(ids, seen, n, 0.3, interpolate), dtype=torch.float64))


def test_a_long_context_is_as_right_as_a_short_one():
    """No code of 40 ids in a row overflows."""
    ids, seen = ids_of(45, seed=1), torch.cat([ids_of(45, seed=1), ids_of(60)])
    ours = ngram_probabilities(ids, seen, 40, V, 0.3)
    assert_close(ours, torch.full((6,), 1.3 / (1 + 0.3 * V), dtype=torch.float64))


def test_the_best_smoothing_is_that_of_the_validation_ids():
    validation, seen = ids_of(60, seed=1), ids_of(97)
    among = [10.0**-e for e in range(4)]
    losses = [ngram_loss(validation, seen, 3, V, k) for k in among]
    assert best_smoothing(validation, seen, 3, V, among) == among[losses.index(min(losses))]
    assert best_smoothing(seen, seen, 3, V, among) == min(among), "what is counted needs none"
