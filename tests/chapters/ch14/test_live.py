"""The live explorer of chapter 14: any text, every key, a phone, and the colours of a theme."""

import random

import pytest

from tests.chapters.ch14.live import Typed
from tests.chapters.live import PHONE, fits_a_phone
from tests.pages import turn

pytestmark = pytest.mark.browser


def test_every_head_of_any_text(live_table):
    explorer, luck = Typed(live_table), random.Random(14)
    notes = {
        "": "Type a character: with nothing to read there is no map, and no guess.",
        "x": "",
        "a king\nand/": "The model has never seen '/': left out.",
        "12\u00e91": "The model has never seen '1', '2', '\u00e9': left out. Type a character: with",
        "the king of the ": "",
        "the queen of the " * 12: "It reads at most 128 characters: the last 128 of 204.",
    }
    states = [
        {"text": text, "block": luck.randrange(3), "head": luck.randrange(4)} for text in notes
    ]
    for seen, note in zip(explorer.follow(states), notes.values(), strict=True):
        assert seen["note"].startswith(note) and bool(seen["note"]) == bool(note)


def test_every_head_follows_every_key_however_fast_they_come(open_live):
    page = open_live()
    explorer = Typed(page)
    explorer.el.locator("textarea").click()
    page.keyboard.press("Control+a")
    where, text = page.url, "k\nd s/?"  # of which the book has some for itself
    for key in text:
        page.keyboard.press("Enter" if key == "\n" else key)
    assert explorer.has(text=text)["note"] == "The model has never seen '/': left out."
    for key in ("ArrowLeft", "Backspace", "ArrowLeft", "ArrowRight"):
        page.keyboard.press(key)
    assert explorer.has(text=text[:-2] + "?")["note"] == ""
    explorer.el.get_by_role("button", name="block 1, head 3").click()
    for key in ("ArrowUp", "ArrowLeft"):  # the second where the first has led
        page.keyboard.press(key)
    explorer.has(block=0, head=2)
    assert page.url == where, "an arrow key turns no page"
    whole = "Mind the eel, for he is not cargo but a passenger. " * 3
    explorer.el.locator("textarea").fill(whole[:122])
    page.keyboard.type(whole[122:132])  # all at once; the last need a whole pass for each
    said = explorer.has(text=whole[:132], block=0, head=2)["note"]
    assert said == "It reads at most 128 characters: the last 128 of 132."
    for _ in range(5):
        page.keyboard.press("Backspace")
    explorer.has(text=whole[:127])


def test_words_name_the_rows_where_a_cell_is_too_small_for_a_letter(open_live):
    page = open_live()
    explorer = Typed(page)
    page.add_style_tag(
        content="div.course-maps .map { font-size: 24px !important }"
    )  # as on a slide
    explorer.el.locator("textarea").fill("the king and\nthe kingdom of x")
    page.evaluate(
        "async () => { for (const _ of '12') await new Promise(requestAnimationFrame); }"
    )
    cell = explorer.el.locator(".map").evaluate(
        "e => parseFloat(e.style.getPropertyValue('--cell'))"
    )
    assert 12 <= cell < 20
    for side, measure in (("rows", "height"), ("columns", "width")):
        seen = explorer.el.locator(f".{side} span").evaluate_all(
            f"all => all.map((e) => [e.textContent, e.getBoundingClientRect().{measure}])"
        )
        assert [word for word, _ in seen] == ["the", "king", "and", "the", "kingdom", "of", "x"]
        long = [cell * n for n in (4, 5, 4, 4, 8, 3, 1)]
        assert [room for _, room in seen] == pytest.approx(long, abs=0.5)


def test_the_maps_have_the_colour_of_the_theme(open_live):
    page = open_live()
    explorer = Typed(page)
    first = """e => {
        const canvas = e.querySelector(".map canvas");
        const shown = [...canvas.getContext("2d").getImageData(0, 0, 1, 1).data.slice(0, 3)];
        return [shown, getComputedStyle(e).getPropertyValue("--query").trim()];
    }"""
    found = []
    for theme in ("light", "navy"):
        turn(page, theme)
        explorer.agrees()
        shown, role = explorer.el.evaluate(first)
        assert shown == [int(role[n : n + 2], 16) for n in (1, 3, 5)]
        found.append(role)
    assert found[0] != found[1]


def test_on_a_phone_the_newest_row_is_seen_and_typed(open_live):
    page = open_live(**PHONE)
    explorer = Typed(page)
    ends = "e => [e.scrollWidth - e.clientWidth - e.scrollLeft, e.scrollWidth - e.clientWidth]"
    left, room = explorer.el.locator(".map").evaluate(ends)
    assert abs(left) <= 1 < room, "the newest row is seen at once"
    explorer.el.get_by_role("button", name="block 2, head 3").tap()
    explorer.el.locator("textarea").tap()
    page.keyboard.type(" and a line that is much longer than a phone is wide")
    typed = explorer.el.locator("textarea").input_value()
    explorer.has(block=2, head=3, text=typed)
    fits_a_phone(page, explorer, "button, textarea, table")
    assert explorer.el.locator(".map").get_attribute("tabindex") == "0", "keys scroll it"


def test_it_opens_on_what_the_figure_says(live_table):
    explorer = Typed(live_table)
    assert explorer.follow([{}])[0]["says"] == explorer.still
