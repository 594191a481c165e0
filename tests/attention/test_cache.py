"""A cache holds what it is given, of one batch, up to its capacity."""

import pytest
import torch

from attention.cache import Cache

pytestmark = pytest.mark.usefixtures("as_a_user")


def test_a_cache_of_one_position_holds_it():
    cache = Cache(1)
    k, v = cache.append(*torch.full((2, 1, 1, 1, 1), 3.0))
    assert k.item() == v.item() == 3 and cache.seen == 1


def test_a_full_cache_says_so_and_keeps_what_it_has():
    cache = Cache(5)
    four = torch.randn(2, 3, 4, 2)
    cache.append(four, four)
    with pytest.raises(ValueError, match="at most 5 positions.*got 4 kept and 2 new"):
        cache.append(four[:, :, :2], four[:, :, :2])
    k, _ = cache.append(four[:, :, :1], four[:, :, :1])
    assert torch.equal(k[:, :, :4], four)


def test_a_cache_belongs_to_one_batch():
    cache, k = Cache(5), torch.zeros(2, 3, 1, 4)
    cache.append(k, k)
    with pytest.raises(ValueError, match="expected the 2 sequences that the cache holds, got 1"):
        cache.append(k[:1], k[:1])
