"""Appendix A5: its figure says who holds what, and which blocks are open."""

import re

import pytest

from chapters.chA5.explorer import ring_explorer
from chapters.chA5.figures import ring_figure
from tests.conftest import answer


@pytest.mark.parametrize("n, step", [(2, 1), (3, 0), (3, 1), (4, 3)])
def test_the_figure_says_who_has_what(n, step):
    said = ring_figure(n, step).sentence
    holder = answer("A5.holder")
    for rank in range(n):
        assert f"process {rank} has part {holder(rank, n, step)}" in said
    assert "nothing to compute" not in said


def test_with_a_mask_more_wait_in_each_step_but_never_the_last():
    frames = [ring_figure(4, step, causal=True).sentence for step in range(4)]
    idle = [re.findall(r"(\d) of 4 processes ha\w+ nothing", said) for said in frames]
    assert idle == [[], ["1"], ["2"], ["3"]]


def test_the_explorer_goes_round_with_and_without_a_mask():
    shown = ring_explorer()
    assert list(shown.stops) == ["step", "causal"]
    assert len({frame["svg"] for frame in shown.frames()}) == 8
