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
    another_future,
    batch_independent,
    equals,
    gradients_reach,
    keys_may_be_permuted,
    knows_order,
    leaks_by,
    no_future_leak,
    ripples,
    rows_sum_to_1,
)
from chapters.ch16.wrong import RIGHT, WRONG, Steps, attend

B, T, C, H = 4, 8, 32, 4
EXPECTED = {  # name: rows sum to 1, leaks, equal to PyTorch's
    "no mask": (True, True, False),
    "float==('-inf')": (True, True, False),
    "fill 0": (True, True, False),
    "times tril before softmax": (True, True, False),
    "mask after softmax": (False, True, False),
    "+inf fill": (False, True, False),
    "triu kept": (True, True, False),
    "inverted comparison": (False, True, False),
    "tril(diagonal=1)": (True, True, False),
    "tril(diagonal=-1)": (False, True, False),
    "softmax dim=-2": (False, True, False),
    "softmax dim=1": (False, True, False),
    "no scale": (True, False, False),
    "scale by C": (True, False, False),
    "divide by head size": (True, False, False),
    "view without transpose": (True, True, False),
    "merge without transpose": (True, True, False),
    "scores overwritten by zeros": (True, False, False),
}


@pytest.fixture
def layers():
    torch.manual_seed(1337)
    return MultiHeadAttention(C, H, T)


@pytest.fixture
def x():
    return torch.randn(B, T, C, generator=torch.Generator().manual_seed(1337))


def symptoms(steps, layers, x):
    """What each property says of an attention."""

    def out(x):
        return attend(layers, steps, x)[0]

    def pytorch(x):
        q, k, v = (split_heads(part, H) for part in layers.qkv(x).chunk(3, dim=-1))
        return layers.out(merge_heads(F.scaled_dot_product_attention(q, k, v, is_causal=True)))

    return (
        out(x).shape == (B, T, C),
        rows_sum_to_1(attend(layers, steps, x)[1]),
        not no_future_leak(out, x),
        equals(out, pytorch, x),
    )


@pytest.mark.parametrize("name", RIGHT)
def test_three_forms_are_right(name, layers, x):
    assert symptoms(RIGHT[name], layers, x) == (True, True, False, True)


def test_there_are_eighteen():
    assert len(WRONG) == 18 and set(WRONG) == set(EXPECTED)


@pytest.mark.parametrize("name", WRONG)
def test_each_wrong_attention_shows_the_symptoms_of_the_table(name, layers, x):
    assert symptoms(WRONG[name], layers, x) == (True, *EXPECTED[name])


def test_the_right_module_takes_the_right_steps(layers, x):
    assert equals(layers, lambda x: attend(layers, Steps(), x)[0], x)


def test_only_gradients_and_equality_see_scores_of_zero(layers, x):
    def out(steps):
        return lambda x: attend(layers, steps, x)[0]

    zeros, weight = WRONG["scores overwritten by zeros"], layers.qkv.weight
    grad = torch.autograd.grad(out(zeros)(x).square().sum(), weight)[0]
    q, k, v = grad.chunk(3)
    assert not q.any() and not k.any() and v.any()
    # v alone reaches the packed weight
    assert gradients_reach(out(Steps()), x, weight) and gradients_reach(out(zeros), x, weight)


def test_three_of_them_are_one_function(layers, x):
    names = ("float==('-inf')", "fill 0", "times tril before softmax")
    one, two, three = (attend(layers, WRONG[name], x)[0] for name in names)
    assert_close(one, two)
    assert_close(two, three)


@pytest.mark.parametrize(("diagonal", "sees"), [(1, 2), (-1, 0)])
def test_the_wrong_diagonal_is_wrong_by_one(layers, x, diagonal, sees):
    """How many positions of the sentence the first one sees: itself, or one more or less."""
    first = attend(layers, WRONG[f"tril(diagonal={diagonal})"], x)[1][:, :, 0]
    assert bool(((first > 0).sum(-1) == sees).all())


def test_the_wrong_scales_are_what_their_names_say():
    scales = {n: WRONG[n].scale(21, 7) for n in ("no scale", "scale by C", "divide by head size")}
    assert scales == {"no scale": 1, "scale by C": 21**-0.5, "divide by head size": 1 / 7}


def test_a_leak_has_a_size(layers, x):
    def by(steps):
        return leaks_by(lambda x: attend(layers, steps, x)[0], x, 5)

    assert by(Steps()) == 0
    assert 0.01 < by(WRONG["no mask"]) < 10
    assert math.isnan(by(WRONG["softmax dim=1"]))


def test_one_place_that_leaks_is_as_bad_as_all(x):
    def everywhere(x):
        return x[:, 5:].sum().expand_as(x)

    def at_one_place(x):
        return everywhere(x) * (torch.arange(x.numel()) == 0).view(x.shape)

    assert leaks_by(at_one_place, x, 5) == leaks_by(everywhere, x, 5) > 1


def test_another_future_has_the_same_past(x):
    changed = another_future(x, 5)
    assert torch.equal(changed[:, :5], x[:, :5]) and not torch.isclose(changed, x)[:, 5:].any()


def test_ripples_say_who_hears_whom():
    x = torch.rand(3, 2, generator=torch.Generator().manual_seed(1337))
    heard = ripples(lambda x: x.cumsum(0)[[0, 2, 1]], x) > 1e-6
    assert heard.tolist() == [[True, False, False], [True] * 3, [True, True, False]]


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
    assert equals(lambda x: x + eps, lambda x: x, x, atol=2 * eps)


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


@pytest.mark.parametrize("step", range(T - 1))
def test_knows_order_finds_any_two_neighbours_that_matter(step):
    """These shares only tell the words up to `step` from those after it."""
    shares = torch.ones(T, T).tril()
    shares[:, : step + 1] = 2
    found = knows_order(lambda x: shares @ x, torch.randn(2, T, C))
    assert found == (step < T - 2), "the last word stays where it is"


def test_knows_order_forgives_rounding_and_looks_at_each_sequence():
    x = 10 * torch.randn(3, T, C)
    assert not knows_order(lambda x: x.softmax(dim=1).sum(dim=1, keepdim=True), x)
    early = torch.arange(T)[:, None] < 1
    assert knows_order(
        lambda x: torch.cat([x[:2], 0 * x[2:] + (x[2:] * early).sum(dim=1, keepdim=True)]), x
    )
