"""A page's two ways: where Deeper begins and ends, how long both take, and what leans on what."""

import pytest

from course.notebooks import chapters, read
from course.outline import COLLAPSED, mark, minutes, missing, sections, with_answers
from tests.conftest import ROOT
from tests.pages import cell


def text(source):
    return cell(source)


def code(source, *tags):
    return cell(source, "code", tags=list(tags))


def test_a_deeper_section_ends_at_the_next_heading_of_its_level_or_above():
    cells = [text("# One"), text("## Deeper: a"), code("1"), text("### Its part")]
    cells += [text("no heading"), text("## Back"), text("### Deeper: b")]
    cells += [code("# Deeper: no heading"), text("### Back"), text("### Deeper: c")]
    cells += [text("#### Deeper: within"), text("### Deeper: d"), text("# End")]
    assert sections(cells) == [0, 1, 1, 1, 1, 0, 2, 2, 0, 3, 3, 4, 0]


def test_minutes_by_the_rule():
    exercise = [text("### Deeper: 1. Try"), code("...", "exercise"), code("check(x)", "exercise")]
    cells = [text("## A"), text("word " * 119), code("x"), code("quiz()", "quiz"), *exercise]
    main, deeper = minutes(cells)
    assert main == pytest.approx(1 + 0.5 + 3) and deeper == pytest.approx(4 + 3 / 120)


def test_where_a_link_leads_takes_no_minutes():
    plain, linked = "See [a b](x)" * 120, "See [a b](https://c.org/d/e-f_(g?h=1#i))" * 120
    assert minutes([text("See [a b]" * 120)])[0] == minutes([text(plain)])[0] == 3
    assert minutes([text(linked)])[0] == 3


def test_marks_follow_from_the_sections():
    cells = [text("# A\n\n**Time:** some hours, or so. Go."), code("x"), code("x")]
    cells += [text("w " * 56)]
    cells += [text("## Deeper: b"), code("x"), code("x")]
    cells[3]["metadata"][COLLAPSED] = True
    mark(cells)
    once = [cell["source"] for cell in cells]
    mark(cells)
    assert [cell["source"] for cell in cells] == once
    assert [i for i, cell in enumerate(cells) if COLLAPSED in cell["metadata"]] == [4]
    assert (
        cells[0]["source"] == "# A\n\n**Time:** 1 minutes, and 1 more for the Deeper sections. Go."
    )
    cells[4]["source"] = "## Back"
    mark(cells)
    assert cells[0]["source"].endswith("**Time:** 2 minutes. Go.") and not cells[4]["metadata"]


def test_the_main_line_may_not_lean_on_what_is_deeper():
    deeper = [
        text("## Deeper: a"),
        code("import torch as t\ndef f(a): ...\nx = [y for y in z]\na = 1"),
    ]
    main = [text("## Main"), code("x = t.ones(2)\nprint(f(y))\nlambda a: a"), code("x + len(x)")]
    assert list(missing([*deeper, *main])) == [(3, "f"), (3, "t"), (3, "y")]
    before = [code("import torch as t\nfrom a import f\ny = 1")]
    assert list(missing([*before, *deeper, *main])) == []
    assert list(missing([*deeper, text("## Deeper: b"), code("f(t)")])) == []


def test_the_main_lines_keep_to_the_course():
    """35 minutes a chapter, 00 to 10 in six hours; `tril` in 90 minutes, q, k and v in 150.

    A page that is only looked things up in, A1 to A4, says no time.
    """
    pages = {path.stem[:2]: read(path).cells for path in chapters(ROOT)}
    pages = {name: cells for name, cells in pages.items() if "**Time:**" in cells[1].source}
    assert len(pages) >= 18
    main = {name: minutes(cells)[0] for name, cells in pages.items()}

    def until(name, word):
        """The minutes of the main lines up to the first code cell of a chapter with a word in it."""
        cells = pages[name]
        codes = zip(cells, sections(cells), strict=True)
        place = next(
            i
            for i, (cell, deeper) in enumerate(codes)
            if cell.cell_type == "code" and not deeper and word in cell.source
        )
        return sum(main[n] for n in main if n < name) + minutes(cells[:place])[0]

    shorter = "put a section under 'Deeper: …', or cut words"
    long = {name: round(took, 1) for name, took in main.items() if took >= 35.5}
    assert not long, f"a main line has at most 35 minutes: {shorter}: {long}"
    assert sum(main[name] for name in main if name <= "10") < 360, (
        f"00 to 10 take six hours together: {shorter}: {main}"
    )
    assert until("04", ".tril(") < 90, f"`tril` comes in the first 90 minutes: {shorter} before it"
    assert until("06", "W_q") < 150, f"W_q comes in the first 150 minutes: {shorter} before it"


def test_what_explains_a_prediction():
    ask, why = text("**Predict.** How many?"), text("Because.")
    ask["metadata"]["tags"] = ["predict"]
    lead, more = text("It is 6. Here is why:"), text("Because it is.")
    end, six, seven = text("## B"), code("6"), code("7")

    def explained(*cells):
        found = list(with_answers([ask, *cells]))
        assert [cell for group in found for cell in group] == [ask, *cells]
        answers = [cell for _, *answer in found for cell in answer]
        return [cell["source"] for cell in answers if cell["cell_type"] == "markdown"]

    assert explained(six, why, more, seven, more, ask, seven, end) == ["Because."]
    assert explained(six, ask, seven, why) == ["Because."]
    assert explained(why, six, more) == explained() == explained(six, end) == []
    assert explained(six, seven, why, seven, more) == ["Because."], "code after code is its answer"
    assert explained(six, lead, seven, why, more) == [lead["source"], "Because."]
    assert explained(six, lead, seven, ask) == explained(six, lead, end) == [lead["source"]]
