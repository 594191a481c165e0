"""Chapter 09: the numbers of its figures and its explorer, and what its exercises promise."""

import html
import math
import re

import pytest
import torch
from matplotlib.figure import Figure

from chapters.ch09.explorer import dropout_explorer
from chapters.ch09.figures import anatomy_figure, row_sums_figure
from course.draw.picture import row_sums
from course.learn.exercises import load
from tests.chapters.conftest import says
from tests.conftest import WORDS

UNEQUAL = [[1.0], [0.4, 0.6], [0.5, 0.2, 0.3], [0.1] * 3 + [0.7], [0.2] * 5, [0.5] + [0.1] * 5]
WEIGHTS = torch.tensor([row + [0.0] * (6 - len(row)) for row in UNEQUAL])
NOISE = torch.rand(300, 6, 6, generator=torch.Generator().manual_seed(9))


@pytest.fixture
def explorer(no_pixels):
    return dropout_explorer(WEIGHTS, NOISE, WORDS)


def sums_by_hand(p: float, draw: int) -> list[float]:
    """The row sums of one draw in Python floats."""
    noise = NOISE[draw].tolist()
    return [
        sum(w / (1 - p) for w, u in zip(row, noise[t], strict=False) if u >= p)
        for t, row in enumerate(UNEQUAL)
    ]


def check_sentence(sentence: str, p: float, draw: int, training: bool) -> None:
    """Every number of the explorer's sentence, against sums_by_hand."""
    if not training:
        assert "does nothing" in sentence and f"sum to [{', '.join(['1.00'] * 6)}]" in sentence
        return
    every = [sums_by_hand(p, n) for n in range(len(NOISE))]
    sums = ", ".join(f"{total:f}" for total in every[draw - 1])
    says(sentence, f"p = {p:g}, in draw {draw}, the rows sum to [{sums}]")
    means = [sum(column) / len(every) for column in zip(*every, strict=True)]
    says(
        sentence,
        f"Over {len(every)} draws their means lie between {min(means):f} and {max(means):f}.",
    )
    first, last = (100 * sum(sums[row] == 0 for sums in every) / len(every) for row in (0, 5))
    says(
        sentence,
        f"'Your' doesn't hear any word in {first:f}% of the draws, and 'step' in {last:f}%",
    )


def caption(explorer) -> str:
    return html.unescape(re.search("<figcaption>(.*)</figcaption>", explorer.view.value)[1])


def values(control) -> list:
    if isinstance(control.value, bool):
        return [False, True]
    steps = round((control.max - control.min) / control.step)
    return [control.min + n * control.step for n in range(steps + 1)]


@pytest.mark.parametrize("moved", ["p", "draw", "training"])
def test_every_control_moves_through_its_range(explorer, moved):
    control = explorer.controls[moved]
    shown = set()
    for value in values(control):
        control.value = value
        assert control.value == pytest.approx(value)
        check_sentence(caption(explorer), **explorer.state)
        shown.add(caption(explorer))
    assert len(shown) == len(values(control))


def test_without_training_p_does_nothing(explorer):
    found = {explorer.render(p=p, draw=3, training=False).sentence for p in (0.0, 0.5, 0.9)}
    assert len(found) == 1


def test_row_sums_leave_their_tensors_alone_and_p_0_drops_nothing():
    before = WEIGHTS.clone(), NOISE.clone()
    said = row_sums_figure(WEIGHTS, NOISE, 0.0, WORDS).sentence
    assert "[1.00, 1.00, 1.00, 1.00, 1.00, 1.00]" in said
    assert "means lie between 1.00 and 1.00. 'Your' doesn't hear any word in 0%" in said
    assert torch.equal(WEIGHTS, before[0]) and torch.equal(NOISE, before[1])


def test_the_anatomy_counts_what_is_learnt_and_what_is_not():
    x = torch.zeros(2, 5, 7)
    said = anatomy_figure(
        x, torch.zeros(3, 7), torch.zeros(3, 7), torch.zeros(11, 7), torch.ones(13, 13), 0.25
    ).sentence
    assert "from x, (2, 5, 7), to out, (2, 5, 11)" in said
    assert f"their {2 * 3 * 7 + 11 * 7} numbers are learned and saved" in said
    assert "The mask, 169 entries for up to 13 positions" in said
    assert "Here its (5, 5) corner is used" in said and "p = 0.25" in said


def test_a_row_sum_that_is_not_1_or_no_number_is_marked():
    axes = Figure().add_subplot()
    row_sums(axes, [1.0, 1.004, 0.9, math.nan], 0.0)
    assert [text.get_weight() for text in axes.texts] == ["normal", "normal", "bold", "bold"]
    assert axes.texts[0].get_color() != axes.texts[3].get_color()


def test_the_check_knows_as_many_wrong_forwards_as_the_notes_say():
    assert len(load("09.forward").mistakes) > 20
