"""Appendix A4: what the guide names exists, and its minutes are those of the chapters."""

import re

import nbformat
import pytest

from chapters.chA1.words import NOTEBOOKS
from chapters.chA4.guide import (
    LESSONS,
    PATHS,
    WEEKS,
    chapter_minutes,
    lesson,
    path_minutes,
    paths,
    term,
)
from course.learn.exercises import load
from tests.conftest import ROOT

A4 = ROOT / "notebooks" / "A4_instructors_guide.ipynb"
each_chapter = pytest.mark.parametrize("chapter", LESSONS)
BELIEFS = [(chapter, *belief) for chapter, found in LESSONS.items() for belief in found.beliefs]


def cells(chapter):
    return nbformat.read(ROOT / "notebooks" / NOTEBOOKS[chapter], 4).cells


def test_every_chapter_has_a_lesson_with_three_misconceptions():
    assert LESSONS.keys() == NOTEBOOKS.keys()
    assert {len(found.beliefs) for found in LESSONS.values()} == {3}


@pytest.mark.parametrize(("chapter", "belief", "name", "hint"), BELIEFS)
def test_a_misconception_is_revealed_by_a_known_mistake(chapter, belief, name, hint):
    hints = [" ".join(mistake.hint.split()) for mistake in load(f"{chapter}.{name}").mistakes]
    assert any(found.startswith(hint) for found in hints), f"{chapter}.{name} has no hint {hint!r}"


@each_chapter
def test_the_explorer_exists_and_its_cell_is_one(chapter):
    found = {cell.id: cell for cell in cells(chapter)}[LESSONS[chapter].cell]
    assert "explorer" in found.metadata["tags"]


@each_chapter
def test_minutes_are_those_that_the_page_says(chapter):
    says = next(re.search(r"\*\*Time:\*\* (\d+) minutes, and (\d+)", c.source) for c in cells(chapter) if "**Time:**" in c.source)  # fmt: skip
    assert chapter_minutes(chapter) == tuple(map(int, says.groups()))


@pytest.mark.parametrize("name", PATHS)
def test_a_path_fits_its_hours_and_fills_them(name):
    hours = int(name.split()[0])
    assert hours * 60 * 0.8 < path_minutes(PATHS[name]) <= hours * 60


def test_a_term_has_every_chapter_once():
    assert " ".join(WEEKS).split() == list(NOTEBOOKS)


def test_the_page_shows_all_of_it():
    stored = "".join(
        output.get("data", {}).get("text/html", "")
        for cell in nbformat.read(A4, 4).cells
        for output in cell.get("outputs", [])
    )
    for shown in (paths(), term(), *map(lesson, LESSONS)):
        assert shown._repr_html_() in stored, "course refresh A4"


def test_an_unknown_chapter_is_a_sentence():
    with pytest.raises(ValueError, match="chapter: expected one of 00, .* got 'x'"):
        lesson("x")
