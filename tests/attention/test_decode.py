"""Writing with a cache: the same text, the same logits, and a window forgets what a mask hides."""

from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from attention import gpt
from attention.cache import Cache, WindowCache
from attention.decode import generate_cached
from attention.gpt import GPT, POSITIONS, Config
from attention.masks import sink_mask, window_mask
from attention.sampling import generate

pytestmark = pytest.mark.usefixtures("as_a_user")
V = 13
PLAIN = Config(V, 512, n_layer=2, n_head=4, n_embd=24)
KINDS = {kind: replace(PLAIN, positions=kind) for kind in POSITIONS}
KINDS |= {"two kv heads": replace(PLAIN, n_kv_head=2), "one": replace(PLAIN, n_kv_head=1)}


def model_of(config):
    """In float64, with weights that are not zero anywhere."""
    torch.manual_seed(0)
    model = GPT(config).double()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return model.eval()


def ids_of(length, B=2):
    return torch.randint(V, (B, length), generator=torch.Generator().manual_seed(1))


def drawing():
    return torch.Generator().manual_seed(2)


@pytest.fixture(params=KINDS)
def config(request):
    return KINDS[request.param]


@torch.no_grad()
def test_cached_is_uncached_over_500_tokens(config):
    model, ids = model_of(config), ids_of(500)
    caches = [Cache(500) for _ in model.blocks]
    cached = torch.cat(
        [model(part, caches) for part in ids.split([350, 50] + [1] * 100, 1)], dim=1
    )
    assert_close(cached, model(ids), atol=1e-5, rtol=0)


@pytest.mark.parametrize("length", [1, 7])
@pytest.mark.parametrize("temperature", [0, 0.7])
def test_it_writes_what_generate_writes(config, temperature, length):
    model, ids = model_of(config), ids_of(length)
    written = generate_cached(model, ids, 40, drawing(), temperature)
    assert torch.equal(written, generate(model, ids, 40, drawing(), temperature))
    assert torch.equal(generate_cached(model, ids, 0, drawing()), ids)


def test_every_position_is_read_once():
    model, read = model_of(PLAIN), []
    model.token_embedding.register_forward_hook(
        lambda layer, given, out: read.append(given[0].shape[1])
    )
    generate_cached(model, ids_of(7), 4, drawing())
    assert read == [7, 1, 1, 1]


def test_dropout_is_off_and_the_mode_comes_back():
    model = model_of(replace(PLAIN, dropout=0.5)).train()
    first, second = (generate_cached(model, ids_of(5), 20, drawing(), 0) for _ in range(2))
    assert torch.equal(first, second) and model.training


@torch.no_grad()
@pytest.mark.parametrize("sinks", [0, 1, 3])
@pytest.mark.parametrize("positions", ["rotary", "learned", "sinusoidal", "none"])
def test_a_window_cache_is_a_window_mask(positions, sinks, monkeypatch):
    """In every layer: a model of two layers hears of more than one window."""
    model, ids, window = model_of(replace(PLAIN, positions=positions)), ids_of(29), 5
    caches = [WindowCache(window, sinks) for _ in model.blocks]
    parts = ids.split([4] + [1] * 25, dim=1)
    cached = torch.cat([model(part, caches) for part in parts], dim=1)
    mask = sink_mask(29, window, sinks)
    monkeypatch.setattr(
        gpt.CausalSelfAttention,
        "added",
        lambda self, n, m, x: x.new_zeros(1, n, m).masked_fill(~mask, float("-inf")),
    )
    assert_close(cached, model.forward_with_weights(ids)[0])
    assert caches[0].seen == 29 and caches[0].k.shape[2] == window + sinks


@torch.no_grad()
def test_alibi_in_a_window_counts_the_distance(monkeypatch):
    model, ids = model_of(KINDS["alibi"]), ids_of(29)
    caches = [WindowCache(5) for _ in model.blocks]
    cached = torch.cat([model(part, caches) for part in ids.split(1, dim=1)], dim=1)
    added = gpt.CausalSelfAttention.added
    monkeypatch.setattr(
        gpt.CausalSelfAttention,
        "added",
        lambda self, n, m, x: added(self, n, m, x).masked_fill(~window_mask(n, 5), float("-inf")),
    )
    assert_close(cached, model.forward_with_weights(ids)[0])


def test_a_cache_of_one_position_holds_it():
    for cache in (Cache(1), WindowCache(1)):
        k, v = cache.append(*torch.full((2, 1, 1, 1, 1), 3.0))
        assert k.item() == v.item() == 3 and cache.seen == 1


def test_a_window_cache_forgets_the_oldest_that_is_no_sink():
    cache = WindowCache(2, sinks=1)
    for n in range(6):
        k, v = cache.append(*torch.full((2, 1, 1, 1, 1), float(n)))
        assert torch.equal(k, v)
    assert k.flatten().tolist() == [0, 4, 5] and cache.seen == 6


def test_a_window_takes_a_prompt_of_any_length():
    model, ids = model_of(PLAIN), ids_of(9)
    caches = [WindowCache(4) for _ in model.blocks]
    written = generate_cached(model, ids, 5, drawing(), caches=caches)
    assert written.shape == (2, 14) and caches[0].seen == 13


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda model: generate_cached(model, ids_of(0), 1, drawing()), "at least one position"),
        (lambda model: generate_cached(model, ids_of(3), -1, drawing()), "n_new: expected 0 or"),
        (
            lambda model: generate_cached(model, ids_of(3), 1, drawing(), caches=[Cache(9)]),
            "expected 2 that are empty, one for each block, got 1",
        ),
        (
            lambda model: generate_cached(
                model, ids_of(3), 4, drawing(), caches=[Cache(5), Cache(5)]
            ),
            r"at most 5 positions \(its capacity\), got 5 kept and 1 new",
        ),
        (
            lambda model: generate_cached(model_of(KINDS["learned"]), ids_of(510), 4, drawing()),
            "at most 512 positions",
        ),
        (lambda model: WindowCache(0), "window, sinks: expected 1 or more"),
        (lambda model: WindowCache(1, -1), "window, sinks: expected 1 or more"),
        (
            lambda model: model(ids_of(4), [WindowCache(3), WindowCache(3)]),
            "expected up to 3 new positions at once, got 4",
        ),
    ],
)
def test_bad_input_is_a_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call(model_of(PLAIN))


def test_a_used_cache_is_refused():
    model, caches = model_of(PLAIN), [Cache(50), Cache(50)]
    generate_cached(model, ids_of(3), 2, drawing(), caches=caches)
    with pytest.raises(ValueError, match=r"have seen \[4, 4\] positions"):
        generate_cached(model, ids_of(3), 2, drawing(), caches=caches)
