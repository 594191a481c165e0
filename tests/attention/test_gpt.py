"""The GPT: no choice of parts lets the future in, and a cache changes nothing but the work."""

from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from attention.cache import Cache
from attention.gpt import GPT, MLP, POSITIONS, CausalSelfAttention, Config, start_as_identity
from attention.multi_head import MultiHeadAttention
from attention.positions import sinusoidal
from tests.attention.draws import draw_ids, draw_model

pytestmark = pytest.mark.usefixtures("as_a_user")
B, T, V = 2, 11, 13
PLAIN = Config(V, 17, n_layer=2, n_head=6, n_embd=36)
KINDS = [
    *[replace(PLAIN, positions=kind) for kind in POSITIONS],
    replace(PLAIN, n_kv_head=2),
    replace(PLAIN, n_kv_head=1, positions="alibi"),
    replace(PLAIN, norm="layer", activation="gelu", bias=True, tied=True, qk_norm=False),
    replace(PLAIN, norm="none", activation="relu"),
]


@pytest.fixture(params=KINDS)
def config(request):
    return request.param


def test_nothing_is_dropped_unless_it_is_asked_for():
    x, ids = torch.randn(B, T, 36), draw_ids(B, T)
    for module, given in ((MLP(36), x), (CausalSelfAttention(36, 6), x), (draw_model(PLAIN), ids)):
        assert torch.equal(module.train()(given), module(given))


def test_forward_with_weights_gives_the_logits_and_weights_that_sum_to_1(config):
    model, ids = draw_model(config), draw_ids(B, T)
    logits, weights = model.forward_with_weights(ids)
    assert_close(logits, model(ids))
    assert weights.shape == (2, B, 6, T, T)
    assert_close(weights.sum(dim=-1), torch.ones(2, B, 6, T, dtype=torch.float64))
    assert not weights.triu(1).any()


@pytest.mark.parametrize("pieces", [(1,) * T, (4, 1, 6), (T,)])
def test_cached_is_uncached(config, pieces):
    model, ids = draw_model(config), draw_ids(B, T)
    caches = [Cache(config.block_size) for _ in model.blocks]
    cached = torch.cat([model(piece, caches) for piece in ids.split(pieces, dim=1)], dim=1)
    assert_close(cached, model(ids))
    assert [cache.seen for cache in caches] == [T, T]


def test_only_positions_make_the_order_matter_to_one_layer():
    for kind in POSITIONS:
        model = draw_model(replace(PLAIN, n_layer=1, positions=kind))
        ids = draw_ids(B, T)
        other = torch.cat([ids[:, :-1].flip(1), ids[:, -1:]], dim=1)
        same = torch.allclose(model(ids)[:, -1], model(other)[:, -1])
        assert same == (kind == "none"), kind


def test_a_fresh_gpt_adds_nothing_to_its_embeddings():
    model = GPT(PLAIN)
    ids = draw_ids(B, T)
    assert_close(model(ids), model.lm_head(model.final_norm(model.token_embedding(ids))))


def test_a_fresh_gpt_knows_nothing(config):
    """Its loss is about log V: no logit is far from the others."""
    torch.manual_seed(0)
    logits = GPT(replace(config, vocab_size=65, n_embd=96))(draw_ids(B, T))
    assert logits.std() < 0.9


def test_a_block_adds_again_after_its_first_step():
    """Zeroed projections still get a gradient, so that the block wakes up."""
    model = GPT(PLAIN)
    model(draw_ids(B, T)).square().sum().backward()
    for block in model.blocks:
        assert block.attention.out.weight.grad.abs().sum() > 0
        assert block.mlp.out.weight.grad.abs().sum() > 0


def test_the_attention_without_extras_is_chapter_10s():
    torch.manual_seed(0)
    ours = CausalSelfAttention(36, 6, bias=True).double()
    theirs = MultiHeadAttention(36, 6, block_size=T, qkv_bias=True).double()
    theirs.load_state_dict(ours.state_dict())
    x = torch.randn(B, T, 36, dtype=torch.float64)
    assert_close(ours(x), theirs(x))


def test_rotary_turns_queries_and_keys_and_not_values():
    torch.manual_seed(0)
    attention = CausalSelfAttention(36, 6, positions="rotary").double()
    x = torch.randn(B, T, 36, dtype=torch.float64)
    (q, k, v), (later_q, later_k, later_v) = attention.project(x), attention.project(x, start=5)
    assert torch.equal(later_v, v)
    assert not torch.allclose(later_q, q) and not torch.allclose(later_k, k)
    assert_close(later_q @ later_k.mT, q @ k.mT)  # all moved alike: no distance has changed


def test_shared_keys_are_repeated_keys():
    """Fewer heads of keys are as many heads whose neighbours are copies (Ainslie et al., 2023)."""
    torch.manual_seed(0)
    few = CausalSelfAttention(36, 6, 2, positions="rotary").double()
    many = CausalSelfAttention(36, 6, positions="rotary").double()
    q, k, v = few.qkv.weight.detach().split([36, 12, 12])
    copies = [part.view(2, 6, 36).repeat_interleave(3, dim=0).reshape(36, 36) for part in (k, v)]
    many.load_state_dict({"qkv.weight": torch.cat([q, *copies]), "out.weight": few.out.weight})
    x = torch.randn(B, T, 36, dtype=torch.float64)
    assert_close(few(x), many(x))
    assert_close(few.forward_with_weights(x)[0], few(x))


def test_past_its_block_only_a_learned_table_ends(config):
    model, ids = draw_model(config), draw_ids(B, 20)
    assert model(ids[:, :17]).shape == (B, 17, V)
    if config.positions == "learned":
        with pytest.raises(ValueError, match="expected at most 17 positions.*got 20"):
            model(ids)
    else:
        assert model(ids).shape == (B, 20, V)


def test_start_as_identity_zeroes_biases_too():
    model = GPT(replace(PLAIN, bias=True))
    torch.nn.init.ones_(model.blocks[0].attention.out.bias)
    start_as_identity(model.blocks[0])
    assert not model.blocks[0].attention.out.bias.any()


def test_sinusoids_are_added_to_the_vectors_of_the_tokens():
    model, ids = (
        GPT(Config(11, 5, n_layer=1, n_head=2, n_embd=8, positions="sinusoidal")),
        draw_ids(2, 5, vocab_size=11),
    )
    with torch.no_grad():
        added = model.embed(ids) - model.token_embedding(ids)
        later = model.embed(ids[:, 3:], start=3) - model.token_embedding(ids[:, 3:])
    assert_close(added, sinusoidal(5, 8).expand(2, 5, 8))
    assert_close(later, added[:, 3:])
