"""Attention in blocks: whatever the block, it is PyTorch's, and so are its gradients."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from chapters.ch15.blockwise import attend_in_blocks, block_scores, blockwise_attention, merge
from tests.attention.draws import draw

pytestmark = pytest.mark.usefixtures("as_a_user")
B, H, T, S, D, DV = 2, 3, 11, 13, 5, 7
RULES = {
    "everything": None,
    "causal": lambda i, j: j <= i,
    "window": lambda i, j: (j <= i) & (i - j < 3),
    "documents": lambda i, j: (j <= i) & (j // 4 == i // 4),  # whole blocks may be closed
    "future": lambda i, j: j >= i,
}


def inputs(scale=1.0):
    return scale * draw(B, H, T, D), draw(B, H, S, D, seed=1), draw(B, H, S, DV, seed=2)


def mask_of(rule):
    return None if rule is None else rule(torch.arange(T)[:, None], torch.arange(S))


@pytest.mark.parametrize("block_size", [1, 2, 7, 13, 64])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("scale", [1.0, 300.0])  # scores in the hundreds: exp alone is infinite
def test_any_block_size_is_sdpa(block_size, rule, scale):
    q, k, v = inputs(scale)
    theirs = F.scaled_dot_product_attention(q, k, v, attn_mask=mask_of(RULES[rule]))
    ours = blockwise_attention(q, k, v, block_size, RULES[rule])
    assert_close(ours, theirs, atol=1e-6, rtol=0)


@pytest.mark.parametrize("block_size", [1, 7, 64])
@pytest.mark.parametrize("rule", RULES)
def test_gradients_are_sdpas(block_size, rule):
    ours, theirs = ([x.requires_grad_() for x in inputs()] for _ in range(2))
    d_out = draw(B, H, T, DV, seed=3)
    blockwise_attention(*ours, block_size, RULES[rule]).backward(d_out)
    F.scaled_dot_product_attention(*theirs, attn_mask=mask_of(RULES[rule])).backward(d_out)
    for name, a, b in zip("qkv", ours, theirs, strict=True):
        assert_close(a.grad, b.grad, atol=1e-9, rtol=0, msg=lambda m, n=name: f"{n}: {m}")


def test_no_weights_are_kept_for_the_backward():
    q, k, v = (x.requires_grad_() for x in inputs())
    kept = []

    def note(tensor):
        kept.append(tuple(tensor.shape))
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        blockwise_attention(q, k, v, 4)
    assert sorted(kept) == sorted(
        [tuple(x.shape) for x in (q, k, v)] + [(B, H, T, DV), (B, H, T, 1)]
    )


@given(cut=st.integers(1, S - 1), scale=st.sampled_from([0.1, 1.0, 100.0]))
def test_two_parts_of_the_keys_merge_into_the_whole(cut, scale):
    q, k, v = inputs(scale)
    whole = attend_in_blocks(q, k, v, 4)
    parts = [
        attend_in_blocks(q, k[..., part, :], v[..., part, :], 3)
        for part in (slice(cut), slice(cut, None))
    ]
    for found, wanted in zip(merge(*parts), whole, strict=True):
        assert_close(found, wanted)
    for found, wanted in zip(merge(*reversed(parts)), whole, strict=True):
        assert_close(found, wanted)


def test_the_log_sum_is_that_of_the_scores():
    q, k, v = inputs()
    _, log_sum = attend_in_blocks(q, k, v, 4, RULES["window"])
    scores = block_scores(q, k, RULES["window"])
    assert_close(log_sum, scores.logsumexp(dim=-1, keepdim=True))


def test_a_block_of_keys_knows_where_it_stands():
    q, k, _ = inputs()
    whole = block_scores(q, k, RULES["causal"])
    part = block_scores(q[..., 4:9, :], k[..., 2:7, :], RULES["causal"], (4, 2))
    assert_close(part, whole[..., 4:9, 2:7])
