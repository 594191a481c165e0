"""The front page: cards, hours and a figure, out of the chapters themselves."""

import re

import pytest

from course.errors import CourseError
from course.outline import minutes
from course.publish.index_page import fill
from course.publish.page import Page
from tests.pages import cell, notebook, shown


def page(name, *cells):
    return Page(name, notebook(cell(f"# What is {name[:2]} < {name[3:4]}?"), *cells))


PAGES = {
    "00_a.ipynb": page("00_a.ipynb", cell("word " * 360), cell("## Deeper: b"), cell("x " * 7200)),
    "01_c.ipynb": page("01_c.ipynb", cell("1", "code", [shown("<img alt='a figure'>")])),
}
PARTS = {"": ["index.md"], "One": ["00_a.ipynb"], "Two": ["01_c.ipynb"]}


def filled(text):
    return fill(text, "index.md", PARTS, PAGES)


def test_a_card_has_the_question_and_the_minutes_of_its_chapter():
    found = filled("{{cards}}")
    assert re.findall("<h3>(.*?)</h3>", found) == ["One", "Two"]
    main, deeper = map(round, minutes(PAGES["00_a.ipynb"].cells))
    assert (main, deeper) == (3, 60)
    assert '<a href="00_a.ipynb"><b>00</b> What is 00 &lt; a?</a>' in found
    assert f"<span>{main} minutes, {deeper} more Deeper</span>" in found
    assert "<span>1 minutes</span>" in found and "index.md" not in found


def test_hours_of_some_of_all_and_with_what_is_deeper():
    says = filled("{{hours 00}}, {{hours 01 00}}, {{hours}}, {{hours deeper}}")
    assert says == "0.1 hours, 0.1 hours, 0.1 hours, 1.1 hours"


def test_a_figure_out_of_a_chapter():
    name = PAGES["01_c.ipynb"].cells[1]["id"]
    assert filled("See {{figure 01 " + name + "}}.") == "See <img alt='a figure'>."


MAP = "{{map 01\n00 a < b\n01 the end}}"


def test_the_map_has_a_line_for_each_part_with_stations_and_what_they_hand_on():
    found = filled(MAP)
    assert re.findall('class="part".*?>(.*?)<', found) == ["One", "Two"]
    one, two = re.findall("<svg.*?</svg>", found)
    assert (
        "<tspan>00</tspan> What is 00 &lt; a?<" in one
        and ">→ a &lt; b<" in one
        and ">→ the end<" in two
    )
    assert [drawing.count('class="deeper"') for drawing in (one, two)] == [1, 0]
    assert [drawing.count('circle class="short"') for drawing in (one, two)] == [0, 1]
    height = float(re.search(r'viewBox="0 0 260 (\d+)"', one)[1])
    assert f'class="main" d="M32 56V{height:.0f}"' in one, "it goes on below"
    assert 'class="main" d="M32 32V56"' in two, "it comes from above and ends at the station"
    assert 'class="short" d="M18 56V56"' in two
    link = re.search(r'<a href="00_a.ipynb" tabindex="-1">(.*?)</a>', one)[1]
    assert "<circle" in link and "What is 00" in link and "a &lt; b" in link and "01_c" in two
    alt = re.search('role="img" aria-label="(.*?)"', found)[1]
    assert "2 stations" in alt and "One: 00 What is 00 &lt; a? It hands on a &lt; b." in alt
    assert "an evening, 0.0 hours," in found and "\n\n" not in found


@pytest.mark.parametrize(
    "what",
    [
        "",
        "map",
        "map 02\n00 a\n01 b",
        "map 00\n00 a",
        "cards\n00 a",
        "card",
        "hours 02",
        "figure 01",
        "figure 01 x",
        "cards 00",
    ],
)
def test_what_can_not_be_filled_in_is_named(what):
    with pytest.raises(CourseError, match=r"index.md: expected \{\{cards\}\}.*got \{\{" + what):
        filled("{{" + what + "}}")
