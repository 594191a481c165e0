"""Explorers with bars that are dragged: every key, and the pointer."""

import pytest

from tests.chapters.bars import Bars
from tests.chapters.live import explorers

pytestmark = pytest.mark.browser
FOUND = [kind for kind in explorers().values() if issubclass(kind, Bars)]
KINDS = pytest.mark.parametrize("kind", FOUND, ids=lambda kind: kind.NAME)


@KINDS
def test_every_bar_follows_every_key(live_table, kind):
    explorer = kind(live_table)
    explorer.goes(
        [
            ((".handle", n, key), lambda bars, n=n, key=key: bars.nudge(n, key))
            for n, key in kind.PRESSED
        ]
    )


@KINDS
def test_bars_follow_the_pointer_and_then_the_keys(open_live, kind):
    page = open_live()
    explorer = kind(page)
    plane = explorer.el.locator("svg").first.bounding_box()
    for n in (0, 5):
        x = plane["x"] + (n + 0.5) / kind.SLOTS * plane["width"]
        page.mouse.move(x, plane["y"] + 0.5 * plane["height"])
        page.mouse.down()
        for down in (0.05, 0.97, -0.3, 1.4, 0.4):
            page.mouse.move(x + 5 * down, plane["y"] + down * plane["height"])
            explorer.put(n, explorer.pulled(down))
            explorer.agrees()
        page.mouse.up()
        page.keyboard.press("Shift+ArrowDown")  # on the handle that was pulled
        explorer.nudge(n, "Shift+ArrowDown")
        explorer.agrees()
