"""Each check finds what it is for, also where the fault is small or at one position only."""

import inspect
import math
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F

from attention import properties
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

B, T, C = 4, 8, 32


@pytest.fixture
def x():
    return torch.randn(B, T, C, generator=torch.Generator().manual_seed(1337))


def test_a_leak_has_a_size(x):
    def attend(x, **how):
        return F.scaled_dot_product_attention(x, x, x, **how)

    assert leaks_by(lambda x: attend(x, is_causal=True), x, 5) == 0
    assert 0.01 < leaks_by(attend, x, 5) < 10
    assert math.isnan(leaks_by(lambda x: attend(x) * math.nan, x, 5))


def test_a_weight_that_is_nan_is_no_share():
    shares = torch.tensor([[1.0, 0.0], [math.nan, 0.5]])
    assert rows_sum_to_1(shares[:1]) and not rows_sum_to_1(shares)


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
    assert batch_independent(lambda x: x * 2, x, atol=0.0)


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


def test_knows_order_asks_about_single_swaps():
    """What notices only two swaps or more isn't found, as the docstring says."""
    x = torch.arange(5.0)[None, :, None]  # in order

    def inversions_but_one(x):
        wrong = (x[:, :, None, 0] > x[:, None, :, 0]).triu().sum(dim=(1, 2)) - 1
        return wrong.clamp(min=0).float()[:, None, None].expand_as(x)

    assert not knows_order(inversions_but_one, x)
    reversed_past = torch.cat([x[:, :-1].flip(1), x[:, -1:]], dim=1)
    assert inversions_but_one(reversed_past)[0, -1] == 5
