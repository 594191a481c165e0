"""The live explorers of chapter 10: every number of heads, and what one head can't do."""

import pytest

from tests.chapters.ch10.live import Cuts, Two

pytestmark = pytest.mark.browser


def test_every_number_of_heads_and_every_output(live_table):
    explorer = Cuts(live_table)
    states = [{"heads": heads, "row": row} for heads in (1, 2, 3, 4, 6) for row in range(6)]
    harmless = {}
    for state, seen in zip(states, explorer.follow(states), strict=True):
        right, wrong = seen["views"]
        harmless[state["heads"]] = right["shares"] == wrong["shares"]
    assert [*harmless.values()] == [True, False, False, False, False], "the answer to its question"


def test_they_open_on_what_the_figure_says_and_on_no_answer(live_table):
    cuts = Cuts(live_table)
    assert cuts.follow([{}])[0]["says"] == cuts.still
    one, two = Two(live_table).follow([{}, {"two": True}])
    assert "outside of the hull" in two["says"] and "outside of the hull" not in one["says"]
