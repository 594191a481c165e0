"""The live explorer of chapter 05: what each word wins, and what the figure says."""

import math

import pytest
import torch

from chapters.ch05.figures import arrows_figure
from tests.chapters.ch05.live import KEYS, Turned
from tests.conftest import WORDS

pytestmark = pytest.mark.browser


def test_a_word_is_dragged_and_turned_until_it_wins_ground(open_live):
    page = open_live()
    explorer = Turned(page)
    explorer.el.get_by_label("shade where each word would win").check()
    explorer.state["ground"] = True
    explorer.agrees()
    grounds = explorer.el.locator("path.ground")
    assert [
        len(d) > 0 for d in grounds.evaluate_all("all => all.map(e => e.getAttribute('d'))")
    ] == [word != "journey" for word in WORDS]
    grip = explorer.el.get_by_role("slider", name="the arrow of 'journey'")
    grip.focus()
    for key, angle, length in (
        ("ArrowUp", 70, 1.1),
        ("ArrowRight", 75, 1.1),
        ("Shift+ArrowDown", 75, 1.09),
    ):
        page.keyboard.press(key)
        tip = [length * math.cos(math.radians(angle)), length * math.sin(math.radians(angle))]
        for kind in ("keys", "values"):
            explorer.state[kind] = [*explorer.state[kind]]
            explorer.state[kind][1] = tip
        explorer.agrees()
        assert grip.get_attribute("aria-valuetext") == f"{angle} degrees, length {length:.2f}"
    for _ in range(9):
        page.keyboard.press("ArrowUp")
    assert grounds.nth(1).get_attribute("d"), "a longer arrow wins some direction"


def test_the_explorer_and_the_figure_say_the_same(live_table):
    explorer, nothing = Turned(live_table), [0.0, 0.0]
    first, unasked = (seen["says"] for seen in explorer.follow([{}, {"queries": [nothing]}]))
    assert first == explorer.still
    assert unasked == arrows_figure(torch.tensor(nothing), KEYS, WORDS).sentence
