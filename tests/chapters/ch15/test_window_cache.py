"""A cache with a window forgets what a mask with a window hides."""

from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from attention import gpt
from attention.generation import generate
from attention.gpt import Config
from attention.masks import sink_mask, window_mask
from chapters.ch15.window_cache import WindowCache
from tests.attention.draws import draw_ids, draw_model, seeded

pytestmark = pytest.mark.usefixtures("as_a_user")
PLAIN = Config(13, 512, n_layer=2, n_head=4, n_embd=24)


@torch.no_grad()
@pytest.mark.parametrize("sinks", [0, 1, 3])
@pytest.mark.parametrize("positions", ["rotary", "learned", "sinusoidal", "none"])
def test_a_window_cache_is_a_window_mask(positions, sinks, monkeypatch):
    """In every layer: a model of two layers hears of more than one window."""
    model, ids, window = draw_model(replace(PLAIN, positions=positions)), draw_ids(2, 29), 5
    caches = [WindowCache(window, sinks) for _ in model.blocks]
    parts = ids.split([4] + [1] * 25, dim=1)
    cached = torch.cat([model(part, caches) for part in parts], dim=1)
    mask = sink_mask(29, window, sinks)
    monkeypatch.setattr(
        gpt.CausalSelfAttention,
        "attention_bias",
        lambda self, n, m, x: x.new_zeros(1, n, m).masked_fill(~mask, float("-inf")),
    )
    assert_close(cached, model.forward_with_weights(ids)[0])
    assert caches[0].seen == 29 and caches[0].k.shape[2] == window + sinks


@torch.no_grad()
def test_alibi_in_a_window_counts_the_distance(monkeypatch):
    model, ids = draw_model(replace(PLAIN, positions="alibi")), draw_ids(2, 29)
    caches = [WindowCache(5) for _ in model.blocks]
    cached = torch.cat([model(part, caches) for part in ids.split(1, dim=1)], dim=1)
    added = gpt.CausalSelfAttention.attention_bias
    monkeypatch.setattr(
        gpt.CausalSelfAttention,
        "attention_bias",
        lambda self, n, m, x: added(self, n, m, x).masked_fill(~window_mask(n, 5), float("-inf")),
    )
    assert_close(cached, model.forward_with_weights(ids)[0])


def test_a_window_of_one_position_holds_it():
    cache = WindowCache(1)
    k, v = cache.append(*torch.full((2, 1, 1, 1, 1), 3.0))
    assert k.item() == v.item() == 3 and cache.seen == 1


def test_a_window_cache_forgets_the_oldest_that_is_no_sink():
    cache = WindowCache(2, sinks=1)
    for n in range(6):
        k, v = cache.append(*torch.full((2, 1, 1, 1, 1), float(n)))
        assert torch.equal(k, v)
    assert k.flatten().tolist() == [0, 4, 5] and cache.seen == 6


def test_it_takes_a_prompt_of_any_length():
    model, ids = draw_model(PLAIN), draw_ids(2, 9)
    caches = [WindowCache(4) for _ in model.blocks]
    written = generate(model, ids, 5, seeded(), caches=caches)
    assert written.shape == (2, 14) and caches[0].seen == 13
