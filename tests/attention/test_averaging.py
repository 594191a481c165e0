"""Laws of the mean of the past, for all four versions."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from attention.averaging import (
    mean_past_loop,
    mean_past_running_sum,
    mean_past_softmax,
    mean_past_tril,
)
from tests.attention.draws import draw

VERSIONS = [mean_past_loop, mean_past_running_sum, mean_past_tril, mean_past_softmax]
versions = pytest.mark.parametrize("version", VERSIONS, ids=lambda v: v.__name__)


@versions
@given(st.sampled_from([1, 2, 3]), st.sampled_from([1, 2, 5, 7]), st.sampled_from([1, 3, 11]))
def test_every_row_is_the_mean_of_its_past(version, B, T, C):
    x = draw(B, T, C)
    out = version(x)
    for t in range(T):
        assert_close(out[:, t], x[:, : t + 1].mean(dim=1))


@versions
def test_the_input_is_left_as_it_was_and_its_type_kept(version):
    for dtype in (torch.float64, torch.float32, torch.bfloat16):
        x = draw(2, 5, 3).to(dtype)
        before = x.clone()
        assert version(x).dtype == dtype
        assert torch.equal(x, before)


@versions
@pytest.mark.parametrize("x", [torch.zeros(4), torch.zeros(1, 0, 2), torch.zeros(1, 4, 2).long()])
def test_what_has_no_past_or_no_mean_is_refused(version, x, as_a_user):
    with pytest.raises(ValueError, match="x: expected floating-point numbers of shape"):
        version(x)


def test_the_sources_own_numbers():
    """Seeds 1337 and 42: S1.21 and S2.5 of A3_concordance, to the printed digits."""
    x = torch.randn(4, 8, 2, generator=torch.Generator().manual_seed(1337))
    assert_close(mean_past_tril(x)[0, -1], torch.tensor([-0.0341, 0.1332]), rtol=0, atol=5e-5)
    rows = torch.randint(0, 10, (3, 2), generator=torch.Generator().manual_seed(42)).float()
    expected = torch.tensor([[2, 7], [4, 5.5], [4.6667, 5.3333]])
    assert_close(mean_past_tril(rows), expected, rtol=0, atol=5e-5)
