"""What length costs: against caches that exist, and against loops over every position."""

from dataclasses import replace

import pytest
import torch

from attention.cache import Cache
from attention.gpt import GPT, Config
from chapters.ch15.budget import (
    DEEPSEEK_V2,
    GPT2,
    LLAMA_2_7B,
    LLAMA_3_8B,
    MISTRAL_7B,
    MODELS,
    Sizes,
    cache_bytes,
    cached_operations,
    kept_positions,
    least_seconds,
    look_operations,
    uncached_operations,
)
from chapters.ch15.window_cache import WindowCache

pytestmark = pytest.mark.usefixtures("as_a_user")
TINY = Sizes("tiny", 2, 6, 3, 4, 1000, 64, "here")


@pytest.mark.parametrize("window", [None, 5])
def test_a_cache_has_the_bytes(window):
    config = Config(13, 64, n_layer=2, n_head=6, n_kv_head=3, n_embd=24)
    model = GPT(config)
    caches = [WindowCache(window) if window else Cache(11) for _ in model.blocks]
    for one in torch.zeros(1, 11, dtype=torch.long).split(1, dim=1):
        model(one, caches)
    held = sum(part.numel() * part.element_size() for c in caches for part in (c.k, c.v))
    assert cache_bytes(replace(TINY, window=window), 11, number_bytes=4) == held


def test_the_published_sizes_give_the_published_parameters():
    def llama(V, C, wide, n_layer, n_head, n_kv):
        attention = 2 * C * C + 2 * C * C * n_kv // n_head
        return 2 * V * C + n_layer * (attention + 3 * C * wide + 2 * C) + C

    assert LLAMA_2_7B.parameters == llama(32_000, 4096, 11_008, 32, 32, 32)
    assert LLAMA_3_8B.parameters == llama(128_256, 4096, 14_336, 32, 32, 8)
    assert MISTRAL_7B.parameters == llama(32_000, 4096, 14_336, 32, 32, 8)
    block = 4 * 768 * 768 + 4 * 768 + 8 * 768 * 768 + 5 * 768 + 4 * 768
    assert GPT2.parameters == (50_257 + 1024) * 768 + 12 * block + 2 * 768


def test_the_known_figures():
    """Half a MiB and an eighth for each token; V2's report says its cache is that of 2.25 groups."""
    assert cache_bytes(LLAMA_2_7B, 1) == 2**19 and cache_bytes(LLAMA_3_8B, 1) == 2**17
    assert cache_bytes(MISTRAL_7B, 100_000) == cache_bytes(LLAMA_3_8B, 4096)
    grouped = 2 * DEEPSEEK_V2.n_layer * DEEPSEEK_V2.head_size * 2
    assert cache_bytes(DEEPSEEK_V2, 1) == 2.25 * grouped


@pytest.mark.parametrize("window", [None, 5])
@pytest.mark.parametrize("n_positions", [1, 4, 5, 6, 23])
def test_operations_by_loops(window, n_positions):
    sizes = replace(TINY, window=window)

    def look(t):
        seen = [j for j in range(t) if window is None or t - 1 - j < window]
        return sum(2 * 2 * sizes.head_size for _ in seen) * sizes.n_layer * sizes.n_head

    assert look_operations(sizes, n_positions) == look(n_positions)
    assert cached_operations(sizes, n_positions) == 2000 + look(n_positions)
    again = sum(2000 + look(t) for t in range(1, n_positions + 1))
    assert uncached_operations(sizes, n_positions) == again


def test_a_latent_costs_operations_and_saves_bytes():
    plain = replace(DEEPSEEK_V2, latent=None)
    assert look_operations(DEEPSEEK_V2, 7) == 60 * 128 * 7 * (2 * 576 + 2 * 512)
    assert look_operations(DEEPSEEK_V2, 7) > 4 * look_operations(plain, 7)
    assert cache_bytes(plain, 7) > 50 * cache_bytes(DEEPSEEK_V2, 7)


def test_the_least_time_is_the_larger_of_two():
    assert least_seconds(TINY, 10, 100.0, 1e12) == (2000 + cache_bytes(TINY, 10)) / 100
    assert least_seconds(TINY, 10, 1e12, 100.0) == cached_operations(TINY, 10) / 100


def test_every_model_says_where_its_sizes_are_from():
    assert all("20" in sizes.source for sizes in MODELS)
    assert len({sizes.name for sizes in MODELS}) == len(MODELS)


def test_before_the_first_position_nothing_is_kept():
    assert kept_positions(TINY, 0) == 0


def test_bad_input_is_a_sentence():
    with pytest.raises(ValueError, match="n_positions: expected 0 or more, got -1"):
        kept_positions(TINY, -1)
