"""Splitting, cutting, shifting: the laws of a batch."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention.batches import get_batch, split
from tests.attention.draws import seeded

pytestmark = pytest.mark.usefixtures("as_a_user")


@given(st.integers(2, 211), st.floats(0.01, 0.99))
def test_split_loses_nothing_and_keeps_the_order(n, fraction):
    ids = torch.arange(n)
    if not 0 < int(fraction * n) < n:
        return
    first, rest = split(ids, fraction)
    assert torch.equal(torch.cat([first, rest]), ids)
    assert len(first) == int(fraction * n)


def test_a_tenth_is_held_back_unless_told():
    assert [len(part) for part in split(torch.arange(50))] == [45, 5]


@given(st.integers(1, 7), st.integers(1, 11), st.integers(0, 100))
def test_targets_are_the_inputs_one_further(batch_size, block_size, seed):
    ids = torch.randperm(97, generator=seeded(1337))  # every id once, so that a shift shows
    x, y = get_batch(ids, batch_size, block_size, seeded(seed))
    assert x.shape == y.shape == (batch_size, block_size)
    place = {int(i): n for n, i in enumerate(ids)}
    for b in range(batch_size):
        start = place[int(x[b, 0])]
        assert x[b].tolist() == ids[start : start + block_size].tolist()
        assert y[b].tolist() == ids[start + 1 : start + 1 + block_size].tolist()


def test_every_start_can_be_drawn_and_none_beyond():
    ids = torch.arange(13)
    x, y = get_batch(ids, 2000, 5, seeded(1337))
    assert sorted(set(x[:, 0].tolist())) == list(range(8))
    assert int(y.max()) == 12


def test_a_text_of_one_block_and_its_target_is_enough():
    x, y = get_batch(torch.arange(4), 2, 3, seeded(1337))
    assert x.tolist() == [[0, 1, 2]] * 2
    assert y.tolist() == [[1, 2, 3]] * 2


def test_the_batch_is_the_sources_own_draw():
    """S1.12 of A3_concordance, after a clean restart: these indices, from all of tiny Shakespeare's ids."""
    starts = torch.randint(1115394 - 8, (4,), generator=seeded(1337))
    assert starts.tolist() == [1078327, 453969, 41646, 671252]
    x, _ = get_batch(torch.arange(1115394), 4, 8, seeded(1337))
    assert x[:, 0].tolist() == starts.tolist()
