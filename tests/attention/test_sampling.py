"""From logits to an id: what softmax gives, how boldly, and only the likeliest."""

import pytest
import torch
from torch.testing import assert_close

from attention.sampling import keep_top_k, keep_top_p, next_probabilities, sample
from tests.attention.draws import seeded

pytestmark = pytest.mark.usefixtures("as_a_user")


def test_temperature_1_is_softmax_and_0_is_argmax():
    logits = torch.tensor([[1.0, 3.0, 2.0], [0.0, -1.0, -2.0]])
    assert_close(next_probabilities(logits), torch.softmax(logits, dim=-1))
    assert next_probabilities(logits, 0).tolist() == [[0, 1, 0], [1, 0, 0]]
    bold, even = next_probabilities(logits, 0.5), next_probabilities(logits, 5.0)
    assert bool((bold.max(-1).values > torch.softmax(logits, -1).max(-1).values).all())
    assert_close(next_probabilities(logits, 1e6), torch.full((2, 3), 1 / 3), atol=1e-5, rtol=0)
    assert bool((even.max(-1).values < bold.max(-1).values).all())


def test_samples_follow_the_probabilities():
    p = torch.tensor([[0.2, 0.5, 0.3]]).expand(30_000, 3)
    counts = torch.bincount(sample(p, seeded()).flatten(), minlength=3) / 30_000
    assert_close(counts, p[0], rtol=0, atol=0.015)


def test_an_impossible_id_is_never_sampled():
    assert sample(torch.tensor([[0.0, 1.0, 0.0]]).expand(99, 3), seeded()).unique().tolist() == [1]


ROWS = torch.tensor([[0.1, 0.4, 0.2, 0.3], [0.7, 0.1, 0.1, 0.1]], dtype=torch.float64)


def test_top_k_keeps_the_likeliest():
    assert_close(keep_top_k(ROWS, 2)[0], torch.tensor([0, 4, 0, 3]).double() / 7)
    assert (keep_top_k(ROWS, 3) > 0).sum(dim=-1).tolist() == [3, 3]  # of equals too, no more
    assert_close(keep_top_k(ROWS, 4), ROWS)
    assert_close(next_probabilities(ROWS.log(), top_k=1), next_probabilities(ROWS.log(), 0))


def test_top_p_keeps_the_fewest_that_have_p():
    assert_close(keep_top_p(ROWS, 0.5)[0], torch.tensor([0, 4, 0, 3]).double() / 7)
    assert_close(keep_top_p(ROWS, 0.5)[1], torch.tensor([1, 0, 0, 0]).double())
    assert_close(keep_top_p(ROWS, 0.75)[0], torch.tensor([0, 4, 2, 3]).double() / 9)
    assert_close(keep_top_p(ROWS, 1e-9), next_probabilities(ROWS.log(), 0))
    assert_close(keep_top_p(ROWS, 1.0), ROWS)


def test_what_is_kept_is_what_transformers_keep(transformers):
    logits = torch.randn(5, 11, generator=seeded(3))
    for theirs, ours in (
        (transformers.TopKLogitsWarper(3), dict(top_k=3)),
        (transformers.TopPLogitsWarper(0.8), dict(top_p=0.8)),
    ):
        expected = theirs(None, logits / 0.7).softmax(dim=-1)
        assert_close(next_probabilities(logits, 0.7, **ours), expected)


def test_the_temperature_comes_before_both():
    logits = ROWS.log()
    cooler = next_probabilities(logits, 0.5)
    assert_close(next_probabilities(logits, 0.5, top_p=0.6), keep_top_p(cooler, 0.6))
    assert_close(
        next_probabilities(logits, 0.5, top_k=3, top_p=0.6), keep_top_p(keep_top_k(cooler, 3), 0.6)
    )
