"""Exercises on paper: what a sheet holds, and that a browser prints all of it."""

import re

import pytest

from course import notebooks
from course.cli import main
from course.errors import CourseError
from course.learn.exercises import load
from course.learn.solutions import SETTINGS
from course.publish.page import Page
from course.publish.worksheet import asked, build, worksheet
from tests.conftest import ROOT
from tests.pages import cell, notebook, numbered

CHAPTERS = notebooks.chapters(ROOT)
WIDTH = 174  # millimetres between the margins of A4


def page_of(path):
    return Page(path.name, notebooks.read_text(path))


ASKING = [
    path for path in CHAPTERS if not re.match("A[1-4]", path.stem)
]  # the others look things up


def small(*cells):
    return Page("04_small.ipynb", notebook(*numbered(cell("# Small?"), *cells)))


def stub(source="def mean_past(x):\n    raise NotImplementedError"):
    return cell(source, "code", course={"exercise": "04.mean_past"})


@pytest.mark.parametrize("path", ASKING, ids=lambda path: path.stem)
def test_a_sheet_asks_what_the_page_asks_under_its_number(path):
    page = page_of(path)
    found = asked(page)
    ids = [cells[-1]["metadata"]["course"]["exercise"] for cells in found.values()]
    checked = re.findall(
        r"^check\(\"(.+?)\"", "\n".join(cell["source"] for cell in page.cells), re.M
    )
    assert list(found) == list(range(1, len(checked) + 1)) and ids == checked
    text = worksheet(page, [], solved=False)
    assert text.count("<article>") == len(ids) and f"About {4 * len(ids)} minutes" in text
    assert text.count('class="room"') == len(ids)
    assert "NotImplementedError" not in text and "noqa" not in text
    assert not re.search(r"(?:src|href)=\"(?!data:)", text), "it needs another file"


@pytest.mark.parametrize(("words", "formula"), [("Return $x^2$.", True), ("Return x.", False)])
def test_a_sheet_with_a_formula_brings_the_font_of_formulas(words, formula):
    text = worksheet(small(cell(f"### 1. One\n\n{words}"), stub()), [], solved=False)
    assert ("<math" in text) == ("STIX Two Math" in text) == formula


def test_one_exercise_by_its_number_with_the_words_of_its_page():
    text = worksheet(page_of(CHAPTERS[1]), [4], solved=False)
    assert text.count("<article>") == 1 and "Special tokens</h3>" in text
    assert "becomes <code>[&quot;a&quot;, &quot;&lt;|end|&gt;&quot;, &quot;b&quot;]</code>" in text
    assert "Name: " in text and "Points: " in text
    twice = worksheet(page_of(CHAPTERS[1]), [4, 1, 4], solved=False)
    assert re.findall(r"(\d)\. [\w ]+</h3>", twice) == ["4", "1"]


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_sheet_has_solutions_if_it_is_asked_for_them_alone(setting, tmp_path, capsys):
    (tmp_path / "book.toml").write_text(f'[preprocessor.course]\nsolutions = "{setting}"\n')
    (tmp_path / "notebooks").mkdir()
    path = tmp_path / "notebooks" / CHAPTERS[4].name
    path.write_bytes(CHAPTERS[4].read_bytes())
    exercise = load("04.mean_past")
    line, hint, mistake = exercise.solution.splitlines()[-1], exercise.hints[0], "your columns"
    build(tmp_path, [path], [], solved=False)
    build(tmp_path, [path], [], solved=True)
    said = capsys.readouterr().out
    plain, solved = (
        (tmp_path / "build" / "sheets" / f"{path.stem}{more}.html").read_text(encoding="utf-8")
        for more in ("", "_solutions")
    )
    for text in (line.strip(), hint.split("`")[0], mistake):
        assert text in re.sub("<.*?>", "", solved) and text not in re.sub("<.*?>", "", plain)
    assert "Name: " not in solved and "for marking" in solved
    assert ("for learners" in said) == (setting != "shown")


def test_an_exercise_that_is_not_there_is_a_sentence_and_nothing_is_written(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(ROOT)
    assert main(["sheet", "06", "--exercise", "9"]) == 2
    says = "there is no exercise 9 in 06_queries_keys_values.ipynb: it has 1, 2, 3, 4, 5, 6"
    assert says in capsys.readouterr().err
    assert main(["sheet", "6x"]) == 2 and "no notebook '6x'" in capsys.readouterr().err
    with pytest.raises(
        CourseError, match="there are no exercises in 04_small.ipynb: name another"
    ):
        worksheet(small(), [], solved=False)


def test_what_paper_can_not_show_is_a_sentence():
    with pytest.raises(CourseError, match="cell-003: expected a heading with a number"):
        worksheet(small(cell("## Exercises"), stub()), [], solved=False)
    with pytest.raises(CourseError, match="cell-003: expected words, code and formulas"):
        worksheet(small(cell("### 1. Look\n\n![a](a.png)"), stub()), [], solved=False)


@pytest.mark.browser
def test_a_browser_prints_every_line_of_code(visit, tmp_path):
    """All with solutions, which hold the most; a sheet that asks is the same without them."""
    page = visit(viewport={"width": int(WIDTH / 25.4 * 96), "height": 900})
    page.emulate_media(media="print")
    long = stub("def mean_past(x, " + "y" * 200 + "):\n    pass")
    pages = [*map(page_of, ASKING), small(cell("### 1. A long line"), long)]
    for each, solved in [*((each, True) for each in pages), (pages[4], False), (pages[-1], False)]:
        file = tmp_path / "sheet.html"
        file.write_text(worksheet(each, [], solved), encoding="utf-8")
        page.goto(file.as_uri())
        wide = "[...document.querySelectorAll('body, pre, code, article')]"
        wide += ".filter(e => e.scrollWidth > Math.max(e.clientWidth, e.offsetWidth))"
        assert page.evaluate(f"{wide}.length") == 0, (each.path, solved)
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")
