"""Appendix A3: every figure of the source notebooks is computed anew, equal or with a reason.

Numbers are compared, not presence. `python -m tests.test_concordance` writes places.json.
"""

import html
import json
import os
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import nbformat
import pytest
import torch

from course.appendices import concordance as page
from course.appendices.concordance import CHAPTERS, compare, concordance, figures, sources
from course.appendices.source import Source, shown, written
from course.appendices.traps import TRAPS, TYPOS
from course.learn.exercises import load
from course.notebooks import chapters
from tests.conftest import ROOT

A3 = ROOT / "notebooks" / "A3_concordance.ipynb"
PLACES = Path(page.__file__).with_name("places.json")
# SEEDS.md's ids; T37 to T40, T46, T47 and T64 to T67 were folded into their neighbours.
S_IDS = {f"S{n}.{i}" for n, last in enumerate((9, 31, 9, 22, 3)) for i in range(1, last + 1)}
T_IDS = {f"T{i:02}" for i in range(1, 74)} - {
    f"T{i}" for i in (37, 38, 39, 40, 46, 47, 64, 65, 66, 67)
}
ROWS = [row for chapter in CHAPTERS for row in sources(chapter)]
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@pytest.fixture(autouse=True)
def printed_as_on_the_page():
    torch.set_printoptions(precision=4, sci_mode=False)
    yield
    torch.set_printoptions(profile="default")


def course_cells():
    """Of every chapter the notebook's name and its cells."""
    for path in chapters(ROOT):
        if path.stem[:2].isdigit():
            yield path.name, nbformat.read(path, 4).cells


def where_taught() -> dict[str, list[list[str]]]:
    """Of each id, for each chapter, the first heading above a cell that covers it."""
    found: dict[str, list[list[str]]] = {}
    for name, cells in course_cells():
        heading = ""
        for cell in cells:
            if cell.cell_type == "markdown" and (heads := HEADING.findall(cell.source)):
                heading = heads[-1]
            for id in cell.metadata.get("course", {}).get("covers", []):
                places = found.setdefault(id, [])
                taught = not re.match(r"\d|Deeper: \d|Quiz", heading)  # and not only asked
                if taught and name not in [other for other, _ in places]:
                    places.append([name, heading])
    return dict(sorted(found.items()))


@cache
def nearby() -> dict[str, str]:
    """Of each id what stands at the cells that cover it: text, code, outputs, an exercise's hints."""
    texts: dict[str, str] = {}
    for _, cells in course_cells():
        for n, cell in enumerate(cells):
            course = cell.metadata.get("course", {})
            for id in course.get("covers", []):
                parts = [cells[n - 1].source, cell.source, said(cell)]
                parts += [c.source for c in cells[n + 1 : n + 2] if c.cell_type == "markdown"]
                if name := course.get("exercise"):
                    parts += [mistake.hint for mistake in load(name).mistakes]
                texts[id] = texts.get(id, "") + "\n".join(parts) + "\n"
    return texts


def said(cell) -> str:
    """What a cell has put out, as text."""
    outputs = cell.get("outputs", [])
    return "\n".join(o.get("text") or o.get("data", {}).get("text/plain", "") for o in outputs)


def folded_words(text: str) -> str:
    return " ".join(text.split())


# ---------------------------------------------------------------- the tables


def test_every_id_has_its_row():
    assert {row.id for row in ROWS} == S_IDS
    assert [trap.id for trap in TRAPS] == sorted(T_IDS)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_ours_is_equal_or_has_a_reason_that_is_needed(chapter):
    for found in figures(chapter, "play"):
        row = found.row
        assert found.ours.strip(), f"{row.id}, {row.shows}: nothing is computed"
        if row.figure and not row.corpus:
            assert (found.verdict == page.EQUAL) != bool(row.why_not), (
                row.id,
                row.figure,
                found.ours,
            )


@pytest.mark.weekly
def test_on_tiny_shakespeare_too():
    folder = os.environ.get("ATTENTION_DATA", "")
    if not os.path.isfile(os.path.join(folder, "tinyshakespeare.txt")):
        pytest.skip("ATTENTION_DATA names no folder with tinyshakespeare.txt")
    for chapter in CHAPTERS:
        for found in figures(chapter, "tinyshakespeare"):
            row = found.row
            if row.figure:
                equal = found.verdict == page.EQUAL
                assert equal != bool(row.why_not), (row.id, row.shows, row.figure, found.ours)
    for trap in TRAPS:
        if trap.corpus:
            ours = trap.ours(page.load_corpus(trap.corpus))
            assert shown(trap.figure, written(ours)), (trap.id, ours)


def test_a_changed_figure_is_seen():
    """By one unit too many of the last place; all figures that are equal on the play."""
    changed = 0
    for row in ROWS:
        if (
            row.figure
            and not row.corpus
            and not row.why_not
            and (found := page.numbers(row.figure))
        ):
            if "inf" in found[-1] or sum(map(len, found)) < len(row.figure) / 10:
                continue
            places = len(found[-1].partition(".")[2])
            other = f"{float(found[-1]) + 2 * 10**-places:.{places}f}"
            head, _, tail = row.figure.rpartition(found[-1])
            wrong = replace(row, figure=head + other + tail)
            assert compare(wrong, "play").verdict == page.UNEQUAL, (row.id, other)
            changed += 1
    assert changed > 50


def test_another_text_is_not_called_equal():
    row = Source("S1.2", "the length", len, "1115394", corpus="tinyshakespeare")
    assert compare(row, "play").verdict == page.OTHER_TEXT
    assert compare(replace(row, corpus=""), "play").verdict == page.UNEQUAL


# ---------------------------------------------------------------- the traps


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.id)
def test_a_trap_is_met_and_its_figure_shown(trap):
    if trap.id == "T33":
        assert all(wrong in trap.wrong and right in trap.right for wrong, right in TYPOS.items())
        return
    near = nearby()[trap.id]
    assert folded_words(trap.met) in folded_words(near), f"{trap.id}: {trap.met!r} is not met"
    assert bool(trap.figure) == bool(trap.ours)
    if trap.figure and not trap.here:
        assert shown(trap.figure, near), f"{trap.id}: {trap.figure} is not shown where it is met"
    if trap.figure and not trap.corpus:
        ours = written(trap.ours(page.load_corpus()))
        assert shown(trap.figure, ours), (trap.id, trap.figure, ours)


# ---------------------------------------------------------------- the page


def test_places_are_those_of_the_notebooks():
    assert json.loads(PLACES.read_text(encoding="utf-8")) == where_taught(), (
        "an id is taught elsewhere now: python -m tests.test_concordance"
    )


def stored_rows() -> dict[str, list[str]]:
    """Of each id the rows of the stored page, as HTML."""
    rows: dict[str, list[str]] = {}
    for cell in nbformat.read(A3, 4).cells:
        for output in cell.get("outputs", []):
            shown_html = output.get("data", {}).get("text/html", "")
            for id, row in re.findall(
                r'<tr id="\w+-\d+-([ST][\d.]+)">(.*?)</tr>', shown_html, re.S
            ):
                rows.setdefault(id, []).append(row)
    return rows


@pytest.mark.skipif(not A3.exists(), reason="the page is not written yet")
def test_the_page_shows_every_figure_of_both():
    rows = stored_rows()
    assert rows.keys() == S_IDS | T_IDS
    for row in ROWS:
        texts = [html.unescape(re.sub("<[^>]+>", " ", text)) for text in rows[row.id]]
        assert any(folded_words(row.figure) in folded_words(text) for text in texts), (
            row.id,
            row.figure,
        )
    for trap in TRAPS:
        (text,) = (html.unescape(re.sub("<[^>]+>", " ", text)) for text in rows[trap.id])
        assert not trap.figure or shown(trap.figure, text), (trap.id, trap.figure)


@pytest.mark.skipif(not A3.exists(), reason="the page is not written yet")
def test_the_page_shows_our_figure_in_its_own_column():
    for chapter in CHAPTERS:
        rows = stored_rows()
        for row in sources(chapter):
            if not row.figure or row.corpus or row.why_not:
                continue
            ours = [
                re.findall(r"<td data-head=\"ours\">(.*?)</td>", text, re.S)[0]
                for text in rows[row.id]
            ]
            bare = [html.unescape(re.sub("<[^>]+>", " ", text)) for text in ours]
            assert any(shown(row.figure, text) for text in bare), (row.id, row.shows, bare)


def test_a_wrong_chapter_or_text_is_a_sentence():
    with pytest.raises(ValueError, match="chapter: expected one of 00, .* got '11'"):
        concordance("11")
    with pytest.raises(ValueError, match="text_name: expected play or tinyshakespeare, got 'x'"):
        figures("04", "x")


if __name__ == "__main__":
    lines = [f"{json.dumps(id)}: {json.dumps(p)}" for id, p in where_taught().items()]
    PLACES.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
