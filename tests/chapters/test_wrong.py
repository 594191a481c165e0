"""Eighteen wrong attentions, and which property of `attention` sees which.

B 4, T 8, C 32, H 4, seed 1337.
"""

import math

import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from attention.multi_head import MultiHeadAttention, merge_heads, split_heads
from attention.properties import equals, gradients_reach, leaks_by, no_future_leak, rows_sum_to_1
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
