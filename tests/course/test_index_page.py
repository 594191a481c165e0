"""The front page: cards, hours and a figure, out of the chapters themselves."""

import re

import pytest

from course.errors import CourseError
from course.notebooks import chapters, read_text
from course.outline import minutes
from course.publish.index_page import fill
from course.publish.page import Page, output_html
from tests.conftest import ROOT
from tests.pages import cell, notebook, shown


def page(name, *cells):
    return Page(name, notebook(cell(f"# What is {name[:2]} < {name[3:4]}?"), *cells))


PAGES = {
    "00_a.ipynb": page("00_a.ipynb", cell("word " * 360), cell("## Deeper: b"), cell("x " * 7200)),
    "01_c.ipynb": page("01_c.ipynb", cell("1", "code", [shown("<img alt='a figure'>")])),
    "02_e.ipynb": page(
        "02_e.ipynb",
        cell(
            "2", "code", [shown("<svg role='img' viewBox='0 0 9 8'><path/><text>a</text></svg>")]
        ),
    ),
}
PARTS = {"": ["index.md"], "One": ["00_a.ipynb"], "Two": ["01_c.ipynb", "02_e.ipynb"]}


def filled(text):
    return fill(text, "index.md", PARTS, PAGES)


def test_a_card_has_the_question_and_the_minutes_of_its_chapter():
    found = filled("{{cards}}")
    assert re.findall("<h3>(.*?)</h3>", found) == ["One", "Two"]
    main, deeper = map(round, minutes(PAGES["00_a.ipynb"].cells))
    assert (main, deeper) == (3, 60)
    assert '<a href="00_a.ipynb"><b>00</b> What is 00 &lt; a?</a>' in found
    assert f"<span>{main} minutes, {main + deeper} with the Deeper sections</span>" in found
    assert "<span>1 minutes</span>" in found and "index.md" not in found


def test_hours_of_some_of_all_and_with_what_is_deeper():
    says = filled("{{hours 00}}, {{hours 01 00}}, {{hours}}, {{hours deeper}}")
    assert says == "0.1 hours, 0.1 hours, 0.1 hours, 1.1 hours"


def test_a_figure_out_of_a_chapter():
    name = PAGES["01_c.ipynb"].cells[1]["id"]
    assert filled("See {{figure 01 " + name + "}}.") == "See <img alt='a figure'>."


def test_a_card_shows_the_figure_that_its_line_names_without_its_words():
    name = PAGES["02_e.ipynb"].cells[1]["id"]
    found = filled("{{cards\n02 " + name + "}}")
    drawing = '<svg viewBox=\'0 0 9 8\' preserveAspectRatio="xMidYMid meet" aria-hidden="true"><path/></svg>'
    assert f'<a href="02_e.ipynb">{drawing}<b>02</b>' in found and found.count("<svg") == 1
    assert filled("{{cards}}") == found, "it is also the first figure"


def test_the_line_of_a_chapter_goes_before_its_first_figure(monkeypatch):
    svg = "<svg role='img' viewBox='0 0 9 8'><path id='{}'/></svg>"
    cells = [cell("2", "code", [shown(svg.format(n))]) for n in (1, 2)]
    monkeypatch.setitem(PAGES, "02_e.ipynb", page("02_e.ipynb", *cells))
    second = PAGES["02_e.ipynb"].cells[2]["id"]
    assert re.findall("path id='(.)'", filled("{{cards}}")) == ["1"]
    assert re.findall("path id='(.)'", filled("{{cards\n02 " + second + "}}")) == ["2"]


def test_each_chapter_of_the_course_has_a_figure_for_its_card():
    for path in chapters(ROOT):
        cells = Page(path.name, read_text(path)).cells if path.stem[:2].isdecimal() else []
        drawn = [c for c in cells if "<svg" in "".join(map(output_html, c.get("outputs", [])))]
        assert drawn or not cells, f"{path.stem} draws nothing: its card has no figure"


@pytest.mark.parametrize(
    "what",
    ["", "map", "cards\n00 a", "cards\n03 a", "cards\n00", "card", "hours 03", "figure 01"]
    + ["figure 01 x", "cards 00"],
)
def test_what_can_not_be_filled_in_is_named(what):
    with pytest.raises(CourseError, match=r"index.md: expected \{\{cards\}\}.*got \{\{" + what):
        filled("{{" + what + "}}")


def test_a_cell_that_has_gone_is_named_among_many_lines():
    name = PAGES["02_e.ipynb"].cells[1]["id"]
    with pytest.raises(CourseError, match=r"\}\}; 01 floors isn't there$"):
        filled("{{cards\n02 " + name + "\n01 floors}}")
