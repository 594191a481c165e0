"""Counting gives the floor, and training can come near it but not below."""

import math

import pytest
import torch
from torch.testing import assert_close

from attention.bigram import BigramLanguageModel, bigram_counts, bigram_floor, counted_loss
from attention.corpus import load_corpus
from attention.tokenizers import CharTokenizer
from attention.training import evaluate


@pytest.fixture(scope="module")
def ids():
    text = load_corpus("play")
    return torch.tensor(CharTokenizer(text).encode(text))


def test_counts_hold_every_pair_once(ids):
    counts = bigram_counts(ids, 65)
    assert int(counts.sum()) == len(ids) - 1
    pairs = zip(ids[:500].tolist(), ids[1:501].tolist(), strict=True)
    again = torch.zeros(65, 65, dtype=torch.long)
    for i, j in pairs:
        again[i, j] += 1
    assert torch.equal(bigram_counts(ids[:501], 65), again)
    assert bigram_counts(torch.tensor([1, 0]), 2).tolist() == [[0, 0], [1, 0]], (
        "two ids are a pair"
    )


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize("dtype", [torch.uint8, torch.int16])
def test_narrow_ids_do_not_overflow(dtype):
    ids = torch.arange(200).repeat(7)
    assert torch.equal(bigram_counts(ids.to(dtype), 200), bigram_counts(ids, 200))


def test_the_floor_of_what_repeats_is_0():
    assert bigram_floor(torch.arange(7).repeat(9), 7) == 0.0


def test_the_floor_is_the_loss_of_the_counted_table_as_a_model(ids):
    """And pushing the table in any direction only makes it worse."""
    counts = bigram_counts(ids, 65).double()
    model = BigramLanguageModel(65).double()
    log_p = ((counts + 1e-12) / (counts + 1e-12).sum(1, keepdim=True)).log()
    floor = bigram_floor(ids, 65)
    with torch.no_grad():
        model.table.weight.copy_(log_p)
    at_the_floor = evaluate(model, ids, 1).mean
    assert_close(at_the_floor, floor, rtol=0, atol=1e-6)
    for seed in range(3):
        push = torch.randn(65, 65, generator=torch.Generator().manual_seed(seed)).double()
        with torch.no_grad():
            model.table.weight.copy_(log_p + 0.1 * push)
        assert evaluate(model, ids, 1).mean > floor + 1e-4


def test_a_row_never_seen_is_shared_equally_however_little_smoothing_there_is():
    seen = torch.tensor([[3, 1], [0, 0]])
    met = torch.tensor([[0, 0], [4, 5]])
    assert_close(counted_loss(met, seen, smoothing=1e-3), math.log(2))


def test_smoothing_makes_unseen_pairs_possible():
    seen = bigram_counts(torch.tensor([0, 1, 0, 1]), 2)
    other = bigram_counts(torch.tensor([0, 0, 1, 1]), 2)
    assert counted_loss(other, seen) == math.inf
    assert counted_loss(other, torch.tensor([[0, 0], [1, 1]])) == math.inf  # a row never seen
    assert math.isfinite(counted_loss(other, seen, smoothing=1.0))
    by_hand = -(math.log(1 / 4) + math.log(3 / 4) + math.log(1 / 3)) / 3
    assert_close(counted_loss(other, seen, smoothing=1.0), by_hand)


def test_a_row_of_the_table_is_the_answer_to_its_id():
    """S1.15 and S1.16 of A3_concordance: the shape, and row 15 under seed 1337."""
    torch.manual_seed(1337)
    model = BigramLanguageModel(65)
    assert model(torch.zeros(4, 8, dtype=torch.long)).shape == (4, 8, 65)
    row = model(torch.tensor([[15]]))[0, 0]
    assert torch.equal(row, model.table.weight[15])
    assert_close(row[:4], torch.tensor([-0.2060, 1.5973, 0.1185, -1.2549]), rtol=0, atol=1e-4)
