"""Appendix A2: the shapes on a card are those that the code makes, and the letters say them."""

import re

import nbformat
import pytest

from chapters.chA1.words import NOTEBOOKS
from chapters.chA2.cards import AXES, CARDS, LETTERS, axes_of, card
from tests.conftest import ROOT

A2 = ROOT / "notebooks" / "A2_shape_cards.ipynb"
each_chapter = pytest.mark.parametrize("chapter", CARDS)


def test_every_chapter_has_a_card_and_no_two_axes_one_size():
    assert CARDS.keys() == NOTEBOOKS.keys()
    assert len(set(AXES.values())) == len(AXES) - 1  # D/2 is 2, as B is: never in one shape
    assert LETTERS.keys() == AXES.keys()


@each_chapter
def test_the_letters_are_the_shape(chapter):
    for name, tensor, axes, _ in card(chapter).rows:
        wanted = tuple(AXES[letter] for letter in axes.split())
        assert tuple(tensor.shape) == wanted, f"{name}: {axes} is {wanted}"
        assert not {"B", "D/2"} <= set(axes.split())


@each_chapter
def test_what_a_card_names_stands_in_its_chapter(chapter):
    cells = nbformat.read(ROOT / "notebooks" / NOTEBOOKS[chapter], 4).cells
    text = "\n".join(cell.source for cell in cells)
    for name, *_ in card(chapter).rows:
        for word in set(re.findall(r"[A-Za-z_]\w*", name)) - {"inf", "and"}:
            assert re.search(rf"\b{word}\b", text), f"{chapter} has no {word!r} ({name})"


def test_the_page_shows_every_card():
    stored = "".join(
        output.get("data", {}).get("text/html", "")
        for cell in nbformat.read(A2, 4).cells
        for output in cell.get("outputs", [])
    )
    for chapter in CARDS:
        assert card(chapter)._repr_html_() in stored, "course refresh A2"


def test_axes_are_written_as_shapes():
    assert [axes_of(a) for a in ("B T C", "T", "")] == ["(B, T, C)", "(T,)", "()"]


def test_an_unknown_chapter_is_a_sentence():
    with pytest.raises(ValueError, match="chapter: expected one of 00, .* got 'x'"):
        card("x")
