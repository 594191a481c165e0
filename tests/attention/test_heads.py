"""The laws of attention, and equality with PyTorch's own."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from attention.heads import Head, attention_scores, attention_weights, scaled_dot_product_attention
from attention.masks import causal_mask
from tests.attention.draws import draw

B, TQ, TK, D, DV = 2, 5, 7, 3, 11


@pytest.fixture
def qkv():
    return draw(B, TQ, D), draw(B, TK, D, seed=1), draw(B, TK, DV, seed=2)


def test_scores_are_dot_products(qkv):
    q, k, _ = qkv
    scores = attention_scores(q, k)
    for b in range(B):
        for i in range(TQ):
            for j in range(TK):
                by_hand = sum(q[b, i, d] * k[b, j, d] for d in range(D)) / D**0.5
                assert_close(scores[b, i, j], by_hand)


@given(st.integers(1, 3), st.integers(1, 5), st.integers(1, 7), st.integers(1, 5))
def test_equal_to_pytorchs_own(b, tq, tk, d):
    q, k, v = draw(b, tq, d), draw(b, tk, d, seed=1), draw(b, tk, d + 1, seed=2)
    assert_close(scaled_dot_product_attention(q, k, v), F.scaled_dot_product_attention(q, k, v))


def test_equal_to_pytorchs_own_with_a_mask_and_with_a_scale(qkv):
    mask = draw(TQ, TK, seed=3) > 0
    mask[:, 0] = True
    ours = scaled_dot_product_attention(*qkv, mask, 0.7)
    assert_close(ours, F.scaled_dot_product_attention(*qkv, attn_mask=mask, scale=0.7))


def test_gradients_are_pytorchs_own(qkv):
    ours = [tensor.clone().requires_grad_() for tensor in qkv]
    theirs = [tensor.clone().requires_grad_() for tensor in qkv]
    scaled_dot_product_attention(*ours).square().sum().backward()
    F.scaled_dot_product_attention(*theirs).square().sum().backward()
    for a, b in zip(ours, theirs, strict=True):
        assert_close(a.grad, b.grad)
        assert bool((a.grad != 0).any())


def test_a_forbidden_key_has_no_weight_however_well_it_fits():
    scores, mask = torch.tensor([[-1e6, 1e6]]), torch.tensor([[True, False]])
    assert attention_weights(scores, mask).tolist() == [[1.0, 0.0]]  # with -1e4 for -inf: 0, 1


def test_a_mask_leaves_the_scores_as_they_were():
    scores = draw(B, TQ, TQ)
    before = scores.clone()
    attention_weights(scores, causal_mask(TQ))
    assert torch.equal(scores, before)


def test_a_scale_of_0_is_a_scale(qkv):
    q, k, v = qkv
    assert not attention_scores(q, k, scale=0.0).any()
    mean = v.mean(dim=1, keepdim=True).expand(B, TQ, DV)
    assert_close(scaled_dot_product_attention(q, k, v, scale=0.0), mean)


def test_large_scores_do_not_overflow():
    weights = attention_weights(torch.tensor([[1000.0, 0.0], [-1000.0, -1000.0]]))
    assert_close(weights, torch.tensor([[1.0, 0.0], [0.5, 0.5]]))


def test_self_attention_is_cross_attention_with_oneself():
    head = Head(n_embd=3, head_size=5, value_size=7).double()
    x = draw(2, 4, 3)
    assert head(x).shape == (2, 4, 7)
    assert_close(head(x), head(x, x))
    q, k, v = x @ head.query.weight.T, x @ head.key.weight.T, x @ head.value.weight.T
    assert_close(head(x), F.scaled_dot_product_attention(q, k, v))
    assert_close(head(x), head.weights(x) @ v)


def test_a_value_size_of_0_is_not_the_default():
    with pytest.warns(UserWarning, match="zero-element"):
        assert Head(3, 5, value_size=0).value.out_features == 0


def test_cross_attention_takes_keys_and_values_from_the_memory():
    head = Head(n_embd=3, head_size=5, memory_size=11).double()
    x, memory = draw(2, 4, 3), draw(2, 7, 11, seed=1)
    mask = draw(4, 7, seed=2) > 0
    mask[:, 0] = True
    assert head(x, memory).shape == (2, 4, 5)
    q, k, v = head.query(x), head.key(memory), head.value(memory)
    assert_close(head(x, memory, mask), F.scaled_dot_product_attention(q, k, v, attn_mask=mask))
    assert_close(head(x, memory, mask), head.weights(x, memory, mask) @ v)
    assert [*dict(head.named_parameters())] == ["query.weight", "key.weight", "value.weight"]
