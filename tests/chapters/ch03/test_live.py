"""The live explorer of chapter 03: temperatures, characters, and what is never drawn."""

import math
import random

import pytest

from tests.chapters.ch03.live import MOST, VOCAB, Temperature

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("many", [20, pytest.param(60, marks=pytest.mark.weekly)])
def test_every_temperature_and_every_character(live_table, many):
    explorer, luck = Temperature(live_table), random.Random(3)
    states = [{"temperature": tenth / 10} for tenth in range(31)]
    states += [
        {"temperature": degree, "last": last, "moved": {}}
        for degree in (0.0, 1.0, 3.0)
        for last in range(len(VOCAB))
    ]
    for _ in range(many):
        moved = {
            f"{luck.randrange(len(VOCAB))}": luck.choice([0, 1, 2.5, 40])
            for _ in range(luck.randrange(4))
        }
        last, tenths, seed = luck.randrange(len(VOCAB)), luck.randrange(31), luck.randrange(99)
        states += [{"temperature": tenths / 10, "last": last, "moved": moved, "seed": seed}]
    explorer.follow(states)


def test_a_forbidden_character_comes_no_more(live_table):
    explorer = Temperature(live_table)
    only = {"last": VOCAB.index("q"), "moved": {}}  # only u follows it: nothing is known without
    downs = 1 + 10 * MOST
    steps = [only, *[(".handle", 0, "ArrowDown")] * downs, {"last": VOCAB.index("u"), "moved": {}}]
    *_, never, other = explorer.through(steps)
    explorer.state |= only
    explorer.put(0, -math.inf)
    assert explorer.compare(never)["told"] == "never"
    explorer.state |= steps[-1]  # whose own row nobody has moved
    explorer.compare(other)


def test_it_opens_on_what_the_figure_says(live_table):
    explorer = Temperature(live_table)
    assert explorer.follow([{}])[0]["says"] == explorer.still


def test_a_bar_that_is_never_drawn_stays_so_until_it_rises(live_table):
    explorer, keys = Temperature(live_table), ["ArrowDown"] * 3 + ["ArrowRight"] * 2
    explorer.goes(
        [((".handle", 12, key), lambda bars, key=key: bars.nudge(12, key)) for key in keys]
    )
    assert explorer.at(12) == pytest.approx(0.1)
