"""Appendix A3: everything that the sources show has a row, and its links lead to where it is taught."""

import re
from functools import cache
from urllib.parse import unquote

import pytest

from course.publish.page import anchor
from tests.chapters.conftest import below, cells_of
from tests.conftest import ROOT

A3 = ROOT / "notebooks" / "A3_concordance.ipynb"
# The ids are A3's; the numbers left out aren't used.
IDS = {f"S{n}.{i}" for n, last in enumerate((9, 31, 9, 22, 3)) for i in range(1, last + 1)}
IDS |= {f"T{i:02}" for i in range(1, 74) if i not in (37, 38, 39, 40, 46, 47, 64, 65, 66, 67)}
ROW = re.compile(r"^\| ([ST][\d.]+) \|.*\| (.+?) \|$", re.MULTILINE)
LINK = re.compile(r"\[[^]]+\]\(([\w.]*)#([^) ]+)\)")


@cache
def sections(name: str) -> dict[str, set[str]]:
    """Of each heading of a notebook the ids that the cells below it cover."""
    return {
        heading: {id for cell in cells for id in cell.metadata.get("course", {}).get("covers", [])}
        for heading, cells in below(name).items()
    }


def contents(name: str, heading: str) -> str:
    """The sources and the outputs as text of the cells below a heading of a notebook."""
    found = []
    for cell in below(name)[heading]:
        outputs = cell.get("outputs", [])
        shown = [o.get("text", "") + o.get("data", {}).get("text/plain", "") for o in outputs]
        found += [cell.source, *shown]
    return "\n".join(found)


PAGE = "\n".join(cell.source for cell in cells_of(A3.name))
ROWS = dict(ROW.findall(PAGE))
COVERED = {
    id
    for path in (ROOT / "notebooks").glob("*.ipynb")
    for ids in sections(path.name).values()
    for id in ids
}


def test_every_id_has_one_row():
    assert sorted(id for id, _ in ROW.findall(PAGE)) == sorted(IDS)
    assert IDS == COVERED, "a cell covers what has no row, or no cell covers what has one"


@pytest.mark.parametrize("id", sorted(IDS))
def test_its_links_lead_to_a_section_that_shows_it(id):
    links = LINK.findall(ROWS[id])
    assert links
    for notebook, heading in links:
        found = sections(notebook or A3.name)
        heading = anchor(unquote(heading))
        assert heading in found, f"{notebook} has no heading {heading!r}"
        assert id in found[heading], (
            f"no cell below {heading!r} of {notebook} covers {id}: link the section that shows it, "
            f"or add the id to `course.covers` of the cell that does"
        )


def numbers(text: str) -> set[float]:
    return {float(number) for number in re.findall(r"-?\d+(?:\.\d*)?", text.replace("−", "-"))}


SHOWN = {  # of each row whose results are equal, on the course's own text, what the source printed
    id: numbers(re.sub(r"[A-Za-z_]\w*(\[[^]]*\])*(\([^)]*\))?", "", " ".join(printed)))
    for id, shows in re.findall(
        r"^\| (S[\d.]+) \| (.+?) \| equal(?!, on tiny).* \|.+ \|$", PAGE, re.M
    )
    if (printed := re.findall(r"`([^`]+)`", shows))
}


@pytest.mark.parametrize("id", SHOWN)
def test_what_a_source_printed_is_below_the_headings_of_its_links(id):
    """Every number of it, in a source or an output there."""
    places = [(place or A3.name, anchor(unquote(h))) for place, h in LINK.findall(ROWS[id])]
    there = set().union(*(numbers(contents(*place)) for place in places))
    missing = {shown for shown in SHOWN[id] if not any(abs(shown - one) < 1e-4 for one in there)}
    assert not missing, f"{id}: link the section that shows {missing}"


def test_the_counts_are_those_of_the_table():
    ours = re.findall(r"^\| S[\d.]+ \|.*\| (equal, on tiny|[a-z]+).* \|.+ \|$", PAGE, re.MULTILINE)
    kinds = [ours.count(kind) for kind in ("equal, on tiny", "nothing", "another", "not")]
    assert kinds == [10, 10, 3, 5] and len(ours) - sum(kinds[1:]) == 56
    assert "show 74 things. For 56 of them" in PAGE and "in 10 cases on tiny Shakespeare" in PAGE
    assert "For 10, nothing" in PAGE and "We compute three" in PAGE and "Five are not" in PAGE
