"""Appendix A4: what the guide names exists, and a known mistake reveals each misconception."""

import re

import pytest

from course.learn.exercises import load
from course.notebooks import chapters
from tests.chapters.conftest import CHAPTERS, cells_of
from tests.conftest import ROOT

A4 = cells_of("A4_instructors_guide.ipynb")
LESSON = re.compile(r"## Chapter (\d\d): (.+)")
BELIEF = re.compile(r"^\d\. .+ Exercise `(\w+)` says “(.+) …”$", re.MULTILINE)
LESSONS = {match[1]: cell.source for cell in A4 if (match := LESSON.match(cell.source))}
BELIEFS = [
    (f"{chapter}.{name}", hint)
    for chapter, says in LESSONS.items()
    for name, hint in BELIEF.findall(says)
]


def test_every_chapter_has_a_lesson_with_its_question_and_three_misconceptions():
    assert list(LESSONS) == list(CHAPTERS), (
        "write a lesson, below `# A4`, into appendices.md of the chapter that has none"
    )
    for chapter, says in LESSONS.items():
        assert len(BELIEF.findall(says)) == 3, (
            f"appendices.md of ch{chapter}: write three lines `1. … Exercise `NAME` says “… …”`, with the "
            "first words of a hint"
        )
        title = cells_of(CHAPTERS[chapter].name)[0].source.splitlines()[0]
        assert title == f"# {LESSON.match(says)[2]}", (
            f"SUMMARY.md asks another question than {chapter}"
        )
        lacks = [part for part in ("**Aim.**", "**Discuss.**", "**Show.**") if part not in says]
        assert not lacks, f"appendices.md of ch{chapter}: write {', '.join(lacks)}"


@pytest.mark.parametrize(("id", "hint"), BELIEFS)
def test_a_misconception_is_revealed_by_a_known_mistake(id, hint):
    assert any(mistake.hint.startswith(hint) for mistake in load(id).mistakes), (
        f"no hint of {id} begins {hint!r}: correct the guide"
    )


def test_the_guide_names_every_page_that_mentions_chapter_12():
    """In prose; a link to it would break, and be seen."""
    pages = {path.stem[:2]: cells_of(path.name) for path in chapters(ROOT)}
    found = {
        name
        for name, cells in pages.items()
        if any(c.cell_type == "markdown" and "chapter 12" in c.source for c in cells)
    }
    assert found == {"11", "13", "A1", "A4"}, "correct A4's cell a4-remove, and this set"
    [says] = [c.source for c in A4 if c.id == "a4-remove"]
    assert "Chapters 11 and 13 do, and so do the glossary and this page." in says


def test_every_chapter_is_in_the_term_and_in_the_longest_path():
    printed = "".join(output.text for cell in A4 for output in cell.get("outputs", []))
    weeks = re.findall(r"^ *\d+  ((?:\d\d ?)+) ", printed, re.MULTILINE)
    again = "run `course refresh A4`"
    assert " ".join(weeks).split() == list(CHAPTERS), again
    longest = re.search(r"12 hours: (.+):", printed)[1]
    assert longest.replace("+", "").split() == list(CHAPTERS), again
