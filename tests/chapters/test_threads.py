"""Explorers with arrows that are dragged: any state, every key, and the pointer."""

import math
import random

import pytest

from tests.chapters.live import explorers, stepped
from tests.chapters.threads import Threads

pytestmark = pytest.mark.browser
FOUND = [kind for kind in explorers().values() if issubclass(kind, Threads)]
KINDS = pytest.mark.parametrize("kind", FOUND, ids=lambda kind: kind.NAME)


@KINDS
@pytest.mark.parametrize("many", [25, pytest.param(200, marks=pytest.mark.weekly)])
def test_any_state_is_drawn_as_torch_computes_it(live_table, kind, many):
    explorer, luck = kind(live_table), random.Random(5)
    states = [{}, *(explorer.any_state(luck) for _ in range(many))]
    explorer.follow(states)


@KINDS
def test_the_arrow_follows_every_key(live_table, kind):
    explorer = kind(live_table)
    which, kinds = explorer.hand
    x, y = explorer.state["queries"][which]
    angle, length = math.degrees(math.atan2(y, x)) % 360, math.hypot(x, y)
    turns = ["ArrowRight"] * 73 + ["ArrowLeft"] * 3 + ["Shift+ArrowLeft"] * 2
    lengths = ["ArrowUp"] * 28 + ["Shift+ArrowDown"] * 2 + ["ArrowDown"] * 27
    keys = [*turns, *lengths, "ArrowRight", "ArrowUp"]
    found = explorer.through([(".handle", 0, key) for key in keys])
    for key, seen in zip(keys, found, strict=True):
        if key.endswith(("Left", "Right")):
            angle = stepped(angle, key, 1, 5)
        else:
            length = min(max(0, stepped(length, key, 0.01, 0.1)), explorer.state["reach"])
        explorer.aim(angle, length)
        explorer.compare(seen)
        assert seen["told"] == f"{round(angle) % 360} degrees, length {length:.2f}"
        place = f"{round(angle) % 360}\N{DEGREE SIGN} with length {length:.2f}"
        assert length == 0 or "keys" in kinds or place in seen["says"]


@KINDS
def test_the_arrow_follows_pointer_and_keys(open_live, kind):
    page = open_live()
    explorer = kind(page)
    opening = explorer.agrees()["says"]
    explorer.drag((0.1, 0.9), (1.5, 0.2), (0.5, 0.5), (0.7, 0.3))
    where, top = page.url, page.evaluate("scrollY")
    assert (explorer.agrees()["says"] == opening) == explorer.DEAF, "the answer to its question"
    assert explorer.el.locator("[aria-busy]").count() == 0, "what the picture shows is read out"
    x, y = explorer.state["queries"][explorer.hand[0]]
    page.keyboard.press("ArrowRight")  # the handle has the focus
    angle = stepped(math.degrees(math.atan2(y, x)), "ArrowRight", 1, 5)
    explorer.aim(angle, math.hypot(x, y))
    explorer.agrees()
    page.keyboard.press("ArrowDown")
    explorer.aim(angle, stepped(math.hypot(x, y), "ArrowDown", 0.01, 0.1))
    explorer.agrees()
    assert page.url == where and page.evaluate("scrollY") == top, "the page stays where it is"
