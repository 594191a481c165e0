"""The causal module and multi-head attention: laws, and equality with PyTorch's own."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.testing import assert_close

from attention.causal import CausalAttention
from attention.masks import causal_mask
from attention.multi_head import (
    MultiHeadAttention,
    MultiHeadWrapper,
    copy_fused_to_torch,
    copy_wrapper_to_fused,
    merge_heads,
    split_heads,
)
from attention.properties import (
    batch_independent,
    equals,
    gradients_reach,
    no_future_leak,
    rows_sum_to_1,
)
from tests.conftest import X

pytestmark = pytest.mark.usefixtures("as_a_user")
B, T, H, D = 2, 5, 3, 7
C = H * D


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).double()


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


def test_the_fused_way_keeps_no_mask():
    assert sum(b.numel() for b in MultiHeadAttention(C, H, 4096).buffers()) == 0


def test_the_explicit_way_explains_the_fused_one(fused):
    x = draw(B, T, C)
    out, weights = fused.forward_with_weights(x)
    assert_close(out, fused(x), rtol=0, atol=1e-6)
    assert weights.shape == (B, H, T, T)
    assert rows_sum_to_1(weights)
    assert bool((weights.triu(1) == 0).all())


def test_options_reach_the_layers_they_are_for():
    wrapper = MultiHeadWrapper(C, H, D, 11, dropout=0.5)
    assert [head.dropout.p for head in wrapper.heads] == [0.5] * H
    assert MultiHeadAttention(C, H, 11, qkv_bias=True).qkv.bias is not None
    assert MultiHeadAttention(C, H, 11).qkv.bias is None


def test_in_training_the_explicit_way_drops_weights_and_shows_them_undropped():
    torch.manual_seed(0)
    fused, x = MultiHeadAttention(C, H, 11, dropout=0.5), draw(B, T, C).float()
    (out, weights), (again, _) = fused.forward_with_weights(x), fused.forward_with_weights(x)
    assert not torch.equal(out, again)
    assert rows_sum_to_1(weights)


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


@pytest.mark.parametrize("qkv_bias", [False, True])
def test_copying_leaves_no_bias_of_before(wrapper, qkv_bias):
    fused = MultiHeadAttention(C, H, T, qkv_bias=qkv_bias).double()
    theirs = nn.MultiheadAttention(C, H, batch_first=True).double()
    nn.init.normal_(theirs.in_proj_bias)
    x = draw(B, T, C)

    def pytorch(x):
        return theirs(x, x, x, attn_mask=~causal_mask(T))[0]

    copy_fused_to_torch(fused, theirs)
    assert equals(fused, pytorch, x, 1e-6)
    copy_wrapper_to_fused(wrapper.double(), fused)
    assert equals(fused, wrapper, x, 1e-6)


def test_one_head_is_no_cut():
    x = draw(B, T, C)
    assert torch.equal(split_heads(x, 1)[:, 0], x)
    assert MultiHeadAttention(C, 1, T)(x.float()).shape == (B, T, C)


def test_gradients_are_pytorchs_own(fused):
    theirs = nn.MultiheadAttention(C, H, batch_first=True).double()
    copy_fused_to_torch(fused, theirs)
    x = draw(B, T, C)
    fused(x).square().sum().backward()
    theirs(x, x, x, attn_mask=~causal_mask(T))[0].square().sum().backward()
    assert_close(fused.qkv.weight.grad, theirs.in_proj_weight.grad)
    assert_close(fused.out.weight.grad, theirs.out_proj.weight.grad)
    assert_close(fused.out.bias.grad, theirs.out_proj.bias.grad)


def test_laws_of_the_fused_module(fused):
    x = draw(B, T, C)
    assert no_future_leak(fused, x) and batch_independent(fused, x)
    fused(x).square().sum().backward()
    for part, name in zip(fused.qkv.weight.grad.chunk(3), "qkv", strict=True):
        assert bool((part != 0).any()), name


def test_the_count_of_the_design():
    count = sum(p.numel() for p in MultiHeadAttention(768, 12, block_size=1).parameters())
    assert count == 2_360_064


def test_the_sources_wrapper():
    """S3.22: seed 123, two heads of two, on the six words."""
    torch.manual_seed(123)
    out = MultiHeadWrapper(3, 2, 2, block_size=6)(torch.stack([X, X]))
    expected = torch.tensor([-0.4519, 0.2216, 0.4772, 0.1063])
    assert_close(out[0, 0], expected, rtol=0, atol=1e-4)
    assert_close(out[1, -1], torch.tensor([-0.5299, -0.1081, 0.5077, 0.3493]), rtol=0, atol=1e-4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: MultiHeadAttention(10, 3, 5), "a number that divides n_embd = 10, got 3"),
        (lambda: MultiHeadAttention(10, 0, 5), "a number that divides n_embd = 10, got 0"),
        (
            lambda: split_heads(torch.zeros(1, 2, 10), 3),
            "a number that divides n_embd = 10, got 3",
        ),
        (lambda: CausalAttention(3, 2, 5, dropout=1.0), "from 0 to below 1, got 1.0"),
        (lambda: CausalAttention(3, 2, 5, dropout=-0.1), "from 0 to below 1, got -0.1"),
        (lambda: CausalAttention(3, 2, 0), "expected 1 or more positions, got 0"),
        (lambda: CausalAttention(3, 2, 6)(torch.zeros(1, 7, 3)), "at most 6 positions .* got 7"),
        (lambda: CausalAttention(3, 2, 6)(torch.zeros(7, 3)), r"shape \(B, T, 3\), got \(7, 3\)"),
        (
            lambda: CausalAttention(3, 2, 6)(torch.zeros(1, 6, 4)),
            r"shape \(B, T, 3\), got \(1, 6, 4\)",
        ),
        (lambda: MultiHeadAttention(4, 2, 6)(torch.zeros(1, 7, 4)), "at most 6 positions"),
        (
            lambda: copy_wrapper_to_fused(
                MultiHeadWrapper(4, 2, 3, 5), MultiHeadAttention(4, 2, 5)
            ),
            "expected the same heads, got 2 with",
        ),
        (
            lambda: copy_wrapper_to_fused(
                MultiHeadWrapper(4, 2, 2, 5), MultiHeadAttention(4, 4, 5)
            ),
            "expected the same heads, got 2 with",
        ),
        (
            lambda: copy_fused_to_torch(MultiHeadAttention(4, 2, 5), nn.MultiheadAttention(4, 1)),
            "expected embed_dim 4 and num_heads 2, got 4 and 1",
        ),
        (
            lambda: copy_fused_to_torch(
                MultiHeadAttention(4, 2, 5), nn.MultiheadAttention(4, 2, bias=False)
            ),
            "expected a module with biases",
        ),
    ],
)
def test_what_can_not_be_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
