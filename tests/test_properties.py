"""Eighteen wrong attentions, and which property sees which (section 3 of the design's table).

B 4, T 8, C 32, H 4, seed 1337. S: shape ok. R: rows sum to 1. L: largest change of outputs before
5 when tokens from 5 on change. =: equal to PyTorch's own.
"""

import inspect
import math
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from attention import properties
from attention.multi_head import MultiHeadAttention, merge_heads, split_heads
from attention.properties import (
    batch_independent,
    equals,
    gradients_reach,
    keys_may_be_permuted,
    leaks_by,
    no_future_leak,
    rows_sum_to_1,
)

B, T, C, H = 4, 8, 32, 4
INF = float("inf")
LOWER = torch.tril(torch.ones(T, T)).bool()


def plain(scores):
    return scores.masked_fill(~LOWER, -INF).softmax(-1)


def attention(weigh=plain, scale=(C // H) ** -0.5, split=split_heads, merge=merge_heads):
    """A multi-head attention with one of its steps exchanged: x -> (output, weights)."""
    torch.manual_seed(1337)
    layers = MultiHeadAttention(C, H, T)

    def forward(x):
        q, k, v = (split(part, H) for part in layers.qkv(x).chunk(3, dim=-1))
        weights = weigh(q @ k.mT * scale)
        return layers.out(merge(weights @ v)), weights

    forward.layers = layers
    return forward


def view_without_transpose(x, n_head):
    return x.reshape(x.shape[0], n_head, x.shape[1], -1)


def merge_without_transpose(x):
    return x.reshape(x.shape[0], x.shape[2], -1)


def renormalised(scores):
    weights = scores.softmax(-1) * LOWER
    return weights / weights.sum(-1, keepdim=True)


def fill(value, mask=LOWER):
    return lambda scores: scores.masked_fill(~mask, value).softmax(-1)


EYE = torch.eye(T).bool()
FORMS = {  # three equivalent ways to be right
    "correct": attention(),
    "-1e9 fill": attention(fill(-1e9)),
    "mask after softmax, renormalised": attention(renormalised),
}
# name: (attention, rows sum to 1, leaks, equal to PyTorch's)
WRONG = {
    "no mask": (attention(lambda s: s.softmax(-1)), True, True, False),
    "float==('-inf')": (attention(fill(float == ("-inf"))), True, True, False),  # noqa: E721
    "fill 0": (attention(fill(0.0)), True, True, False),
    "times tril before softmax": (attention(lambda s: (s * LOWER).softmax(-1)), True, True, False),
    "mask after softmax": (attention(lambda s: s.softmax(-1) * LOWER), False, True, False),
    "+inf fill": (attention(fill(INF)), False, True, False),
    "triu kept": (attention(fill(-INF, ~LOWER | EYE)), True, True, False),
    "inverted comparison": (attention(fill(-INF, ~LOWER)), False, True, False),
    "tril(diagonal=1)": (
        attention(fill(-INF, torch.ones(T, T).tril(1).bool())), True, True, False,
    ),
    "tril(diagonal=-1)": (
        attention(fill(-INF, torch.ones(T, T).tril(-1).bool())), False, True, False,
    ),
    "softmax dim=-2": (
        attention(lambda s: s.masked_fill(~LOWER, -INF).softmax(-2)), False, True, False,
    ),
    "softmax dim=1": (
        attention(lambda s: s.masked_fill(~LOWER, -INF).softmax(1)), False, True, False,
    ),
    "no scale": (attention(scale=1.0), True, False, False),
    "scale by C": (attention(scale=C**-0.5), True, False, False),
    "divide by head size": (attention(scale=1 / (C // H)), True, False, False),
    "view without transpose": (attention(split=view_without_transpose), True, True, False),
    "merge without transpose": (attention(merge=merge_without_transpose), True, True, False),
    "scores overwritten by zeros": (attention(lambda s: plain(s * 0)), True, False, False),
}  # fmt: skip


@pytest.fixture
def x():
    return torch.randn(B, T, C, generator=torch.Generator().manual_seed(1337))


def pytorch(form):
    layers = form.layers

    def forward(x):
        q, k, v = (split_heads(part, H) for part in layers.qkv(x).chunk(3, dim=-1))
        return layers.out(merge_heads(F.scaled_dot_product_attention(q, k, v, is_causal=True)))

    return forward


def symptoms(form, x):
    """What each property says of an attention."""

    def out(x):
        return form(x)[0]

    return (
        form(x)[0].shape == (B, T, C),
        rows_sum_to_1(form(x)[1]),
        not no_future_leak(out, x),
        equals(out, pytorch(form), x),
    )


def test_there_are_eighteen():
    assert len(WRONG) == 18


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_three_forms_are_right(form, x):
    assert symptoms(form, x) == (True, True, False, True)


@pytest.mark.parametrize("name", WRONG)
def test_each_wrong_attention_shows_the_symptoms_of_the_table(name, x):
    form, *expected = WRONG[name]
    assert symptoms(form, x) == (True, *expected)


def test_the_right_module_is_the_right_form(x):
    form = FORMS["correct"]
    assert equals(form.layers, lambda x: form(x)[0], x)


def test_only_gradients_and_equality_see_scores_of_zero(x):
    def reached(form):
        return gradients_reach(lambda x: form(x)[0], x, form.layers.qkv.weight)

    zeros, _, _, _ = WRONG["scores overwritten by zeros"]
    grad = torch.autograd.grad(zeros(x)[0].square().sum(), zeros.layers.qkv.weight)[0]
    q, k, v = grad.chunk(3)
    assert not q.any() and not k.any() and v.any()
    assert reached(FORMS["correct"]) and reached(zeros)  # v alone reaches the packed weight


def test_three_of_them_are_one_function(x):
    names = ("float==('-inf')", "fill 0", "times tril before softmax")
    one, two, three = (WRONG[name][0](x)[0] for name in names)
    assert_close(one, two)
    assert_close(two, three)


def test_a_leak_has_a_size(x):
    def by(name):
        return leaks_by(lambda x: WRONG[name][0](x)[0], x, 5)

    assert leaks_by(lambda x: FORMS["correct"](x)[0], x, 5) == 0
    assert 0.01 < by("no mask") < 10
    assert math.isnan(by("softmax dim=1"))


def test_a_wrong_batch_is_seen(x):
    assert batch_independent(lambda x: x * 2, x)
    assert not batch_independent(lambda x: x - x.mean(0), x)


def test_permuted_keys_are_seen():
    q, k, v = (torch.randn(2, 5, 3, generator=torch.Generator().manual_seed(s)) for s in range(3))
    assert keys_may_be_permuted(F.scaled_dot_product_attention, q, k, v)
    assert not keys_may_be_permuted(lambda q, k, v: v.cumsum(-2), q, k, v)


@pytest.mark.parametrize("cut", range(1, T))
def test_a_leak_across_any_one_place_is_seen(x, cut):
    def leaks(x):
        out = x.clone()
        out[:, cut - 1] += x[:, cut]
        return out

    assert not no_future_leak(leaks, x)


def test_a_small_fault_is_one_too(x):
    """Of a thousandth, in float32, where rounding stays below a hundred-thousandth."""
    eps = 1e-3
    q, k, v = x.unbind(0)[:3]
    assert not rows_sum_to_1(torch.tensor([[1 + eps]]))
    assert not no_future_leak(lambda x: x + eps * x.mean(1, keepdim=True), x)
    assert not batch_independent(lambda x: x + eps * x.mean(0), x)
    assert not keys_may_be_permuted(lambda q, k, v: v.mean(-2) + eps * v[..., 0, :], q, k, v)
    assert not equals(lambda x: x + eps, lambda x: x, x)


def test_a_parameter_out_of_reach_is_seen(x):
    used = torch.ones(1, requires_grad=True)
    unused = torch.ones(1, requires_grad=True)
    assert gradients_reach(lambda x: x * used, x, used)
    assert not gradients_reach(lambda x: x * used, x, used, unused)
    assert not gradients_reach(lambda x: x * used * 0, x, used)


def test_a_cut_needs_a_past_and_a_future(x):
    for cut in (0, T):
        with pytest.raises(ValueError, match=f"a position from 1 to 7, .* got {cut}"):
            leaks_by(lambda x: x, x, cut)


def test_every_check_is_tried_here():
    """A new property without a test of its own would be a rumour."""
    public = {name for name, f in vars(properties).items() if inspect.isfunction(f)}
    source = Path(__file__).read_text(encoding="utf-8")
    assert public and all(f"{name}(" in source for name in public)
