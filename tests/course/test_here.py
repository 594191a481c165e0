"""You are here: the picture of the whole, with the part of one chapter lit."""

import re

import pytest

from course import content
from course.notebooks import chapters
from course.publish.here import here
from tests.conftest import ROOT

WHOLE = """<svg><a data-chapter="00"><rect/><text>a &amp; b</text></a>
<a data-chapter="A1" class="frame"><text>c</text></a></svg>"""


@pytest.fixture
def whole(monkeypatch):
    monkeypatch.setattr(content, "whole", lambda: WHOLE)


def test_the_part_of_a_chapter_is_lit_and_each_leads_to_its_page(whole):
    found = here("00_one.ipynb", ["index.md", "00_one.ipynb", "part/A1_b.ipynb"])
    assert '<a href="00_one.ipynb" tabindex="-1" data-here><rect/>' in found
    assert '<a href="part/A1_b.ipynb" tabindex="-1" class="frame">' in found
    assert 'aria-label="You are here: a &amp; b"' in found
    assert "<a><rect/>" in here("A1_b.ipynb", ["A1_b.ipynb"]), "without a page there is no link"


def test_a_page_without_a_part_has_no_picture(whole, monkeypatch):
    assert here("01_two.ipynb", ["01_two.ipynb"]) == here("index.md", []) == ""
    monkeypatch.setattr(content, "whole", lambda: "")
    assert here("00_one.ipynb", ["00_one.ipynb"]) == ""


def test_each_chapter_of_the_course_has_one_part():
    numbers = [path.name[:2] for path in chapters(ROOT) if not path.name.startswith("A")]
    parts = sorted(re.findall('<a data-chapter="(.*?)"', content.whole()))
    assert parts == numbers, (
        'give each chapter one part, `<a data-chapter="NN">…</a>`, in src/chapters/whole.svg'
    )
