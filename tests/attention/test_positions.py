"""Where a word stands: the law of each scheme, and references by loops and complex numbers."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from attention.positions import alibi_bias, alibi_slopes, rotary_angles, rotate, sinusoidal
from tests.attention.draws import draw

pytestmark = pytest.mark.usefixtures("as_a_user")
T, D = 7, 10


@given(
    i=st.integers(0, 50),
    j=st.integers(0, 50),
    shift=st.integers(-50, 500),
    interleaved=st.booleans(),
    base=st.sampled_from([2.0, 100.0, 10_000.0]),
)
def test_a_rotary_score_depends_on_the_distance_alone(i, j, shift, interleaved, base):
    q, k = draw(1, D), draw(1, D, seed=1)

    def score(at, other):
        angles = rotary_angles(torch.tensor([at, other], dtype=torch.float64), D, base)
        turned = rotate(q, angles[:1], interleaved), rotate(k, angles[1:], interleaved)
        return (turned[0] @ turned[1].T).item()

    assert math.isclose(score(i, j), score(i + shift, j + shift), abs_tol=1e-9)


def test_rotating_multiplies_complex_numbers():
    x, angles = draw(2, 3, T, D), rotary_angles(torch.arange(T), D).double()
    complex_x = torch.view_as_complex(x.reshape(2, 3, T, D // 2, 2))
    turned = torch.view_as_real(complex_x * torch.exp(1j * angles)).flatten(-2)
    assert_close(rotate(x, angles, interleaved=True), turned)


def test_half_split_is_interleaved_with_the_channels_in_another_order():
    x, angles = draw(2, T, D), rotary_angles(torch.arange(T), D).double()
    order = torch.arange(D).view(2, D // 2).T.flatten()  # 0, 5, 1, 6, ...
    assert_close(rotate(x, angles)[..., order], rotate(x[..., order], angles, interleaved=True))
    assert not torch.allclose(rotate(x, angles), rotate(x, angles, interleaved=True))


def test_the_speeds_are_the_papers():
    angles = rotary_angles(torch.tensor([3]), 6, base=1000.0)
    assert_close(angles[0].tolist(), [3.0, 3 * 1000 ** (-2 / 6), 3 * 1000 ** (-4 / 6)])


def test_unsaid_the_last_pair_of_four_turns_by_a_hundredth():
    assert_close(rotary_angles(torch.tensor([1]), 4)[0].tolist(), [1.0, 0.01])


def test_the_smallest_sizes_are_taken():
    assert rotary_angles(torch.tensor([3]), 2).tolist() == [[3.0]]
    assert rotary_angles(torch.tensor([3]), 4, base=1.0).tolist() == [[3.0, 3.0]]
    assert alibi_slopes(1).tolist() == [2.0**-8]


def test_sinusoids_are_the_papers():
    table = sinusoidal(T, D)
    for t in range(T):
        for i in range(D // 2):
            angle = t / 10_000 ** (2 * i / D)
            expected = [math.sin(angle), math.cos(angle)]
            assert_close(table[t, 2 * i : 2 * i + 2].tolist(), expected, atol=1e-6, rtol=0)


def test_the_slopes_are_the_papers():
    assert alibi_slopes(8).tolist() == [2.0**-h for h in range(1, 9)]
    assert_close(alibi_slopes(6).tolist(), [2**-2, 2**-4, 2**-6, 2**-8, 2**-1, 2**-3])


@pytest.mark.parametrize("n_queries", [1, 3, T])
def test_alibi_takes_the_slope_times_the_distance(n_queries):
    bias = alibi_bias(3, n_queries, T)
    for h, slope in enumerate(alibi_slopes(3).tolist()):
        for row in range(n_queries):
            at = T - n_queries + row
            expected = [-slope * max(at - key, 0) for key in range(T)]
            assert_close(bias[h, row].tolist(), expected)
