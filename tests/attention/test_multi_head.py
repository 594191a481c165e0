"""The causal module and multi-head attention: laws, and equality with PyTorch's own."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.testing import assert_close

from attention.causal import CausalAttention
from attention.gpt import CausalSelfAttention
from attention.masks import causal_mask
from attention.multi_head import MultiHeadAttention, MultiHeadWrapper, merge_heads, split_heads
from attention.properties import (
    batch_independent,
    equals,
    gradients_reach,
    no_future_leak,
    rows_sum_to_1,
)
from tests.attention.draws import draw
from tests.conftest import X

pytestmark = pytest.mark.usefixtures("as_a_user")
B, T, H, D = 2, 5, 3, 7
C = H * D


@pytest.fixture
def fused():
    torch.manual_seed(0)
    return MultiHeadAttention(C, H, block_size=11).double()


@pytest.fixture
def wrapper():
    torch.manual_seed(1)
    return MultiHeadWrapper(C, H, D, block_size=11).double()


def test_merge_undoes_split():
    x = draw(B, T, C)
    heads = split_heads(x, H)
    assert heads.shape == (B, H, T, D)
    for h in range(H):
        assert torch.equal(heads[:, h], x[:, :, h * D : (h + 1) * D])
    assert torch.equal(merge_heads(heads), x)


def test_one_causal_head_is_pytorchs_own():
    torch.manual_seed(0)
    head = CausalAttention(C, D, block_size=11).double()
    x = draw(B, T, C)
    expected = F.scaled_dot_product_attention(
        head.query(x), head.key(x), head.value(x), is_causal=True
    )
    assert_close(head(x), expected)
    assert rows_sum_to_1(head.weights(x))
    assert no_future_leak(head, x) and batch_independent(head, x)
    assert gradients_reach(head, x, head.query.weight, head.key.weight, head.value.weight)


def test_any_length_up_to_the_block_gives_the_same_beginning():
    head = CausalAttention(C, D, block_size=11).double()
    x = draw(B, 11, C)
    for length in (1, 2, 7, 11):
        assert_close(head(x[:, :length]), head(x)[:, :length])


def test_the_mask_is_no_parameter_and_not_in_the_checkpoint():
    for module in (CausalAttention(C, D, 11), MultiHeadAttention(C, H, 11)):
        assert not any("mask" in name for name in module.state_dict())
        assert not any("mask" in name for name, _ in module.named_parameters())
    assert "mask" in dict(CausalAttention(C, D, 11).named_buffers())
    assert not list(MultiHeadAttention(C, H, 11).buffers()), "the fused way needs none"


@pytest.mark.parametrize("build", [lambda p: CausalAttention(C, D, 11, p),
                                   lambda p: MultiHeadAttention(C, H, 11, p)])  # fmt: skip
def test_dropout_acts_in_training_only_and_keeps_the_mean(build):
    torch.manual_seed(0)
    module, x = build(0.5), draw(1, T, C).float()
    module.eval()
    assert torch.equal(module(x), module(x))
    still = module(x)
    module.train()
    assert not torch.equal(module(x), module(x))
    mean = torch.stack([module(x) for _ in range(3000)]).mean(0)
    assert_close(mean, still, rtol=0, atol=0.06)


def test_the_explicit_way_explains_the_fused_one(fused):
    x = draw(B, T, C)
    out, weights = fused.forward_with_weights(x)
    assert_close(out, fused(x), rtol=0, atol=1e-6)
    assert weights.shape == (B, H, T, T)
    assert rows_sum_to_1(weights)
    assert bool((weights.triu(1) == 0).all())


@pytest.mark.parametrize("kind", [MultiHeadAttention, CausalSelfAttention])
def test_in_training_the_explicit_way_drops_weights_and_shows_them_whole(kind):
    torch.manual_seed(0)
    module, x = (
        kind(C, H, *[11] * (kind is MultiHeadAttention), dropout=0.5),
        draw(B, T, C).float(),
    )
    (one, weights), (other, _) = (module.forward_with_weights(x) for _ in range(2))
    assert not torch.equal(one, other) and rows_sum_to_1(weights)


def test_the_sources_wrapper():
    """S3.22 of A3_concordance: seed 123, two heads of two, on the six words."""
    torch.manual_seed(123)
    out = MultiHeadWrapper(3, 2, 2, block_size=6)(torch.stack([X, X]))
    expected = torch.tensor(
        [[-0.4519, 0.2216, 0.4772, 0.1063], [-0.5299, -0.1081, 0.5077, 0.3493]]
    )
    assert_close(out[1, [0, -1]], expected, rtol=0, atol=1e-4)


def test_options_reach_the_layers_they_are_for():
    wrapper = MultiHeadWrapper(C, H, D, 11, dropout=0.5)
    assert [head.dropout.p for head in wrapper.heads] == [0.5] * H
    assert MultiHeadAttention(C, H, 11, qkv_bias=True).qkv.bias is not None
    assert MultiHeadAttention(C, H, 11).qkv.bias is None


@torch.no_grad()
def copy_wrapper_to_fused(wrapper, fused):
    """The heads of the wrapper, and an output projection that is the identity."""
    parts = [getattr(head, n).weight for n in ("query", "key", "value") for head in wrapper.heads]
    fused.qkv.weight.copy_(torch.cat(parts))
    fused.out.weight.copy_(torch.eye(C))
    fused.out.bias.zero_()


@torch.no_grad()
def copy_fused_to_torch(fused, theirs):
    theirs.in_proj_weight.copy_(fused.qkv.weight)
    theirs.in_proj_bias.zero_()
    theirs.out_proj.weight.copy_(fused.out.weight)
    theirs.out_proj.bias.copy_(fused.out.bias)


@pytest.mark.parametrize(("dtype", "atol"), [(torch.float64, 1e-6), (torch.float32, 1e-5)])
def test_wrapper_fused_and_pytorch_are_equal_after_copying(fused, wrapper, dtype, atol):
    fused, wrapper, x = fused.to(dtype), wrapper.to(dtype), draw(B, T, C).to(dtype)
    theirs = nn.MultiheadAttention(C, H, batch_first=True).to(dtype)
    copy_wrapper_to_fused(wrapper, fused)
    copy_fused_to_torch(fused, theirs)

    def pytorch(x):
        return theirs(x, x, x, attn_mask=~causal_mask(x.shape[1]))[0]

    assert equals(fused, wrapper, x, atol)
    assert equals(fused, pytorch, x, atol)
    nn.init.normal_(fused.out.weight, std=0.3)
    assert not equals(fused, pytorch, x, atol)
    copy_fused_to_torch(fused, theirs)
    assert equals(fused, pytorch, x, atol)


def test_gradients_are_pytorchs_own(fused):
    theirs = nn.MultiheadAttention(C, H, batch_first=True).double()
    copy_fused_to_torch(fused, theirs)
    x = draw(B, T, C)
    fused(x).square().sum().backward()
    theirs(x, x, x, attn_mask=~causal_mask(T))[0].square().sum().backward()
    assert_close(fused.qkv.weight.grad, theirs.in_proj_weight.grad)
    assert_close(fused.out.weight.grad, theirs.out_proj.weight.grad)
    assert_close(fused.out.bias.grad, theirs.out_proj.bias.grad)
