"""Write the speaker's notes for each slide: when it begins, what to say and ask, what the page says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from course.outline import sections
from course.publish.links import Site
from course.publish.page import Cell, Page, output_html, parse, render, words
from course.publish.talk_plan import Planned, Slide

if TYPE_CHECKING:
    from markdown_it.token import Token

DRAWN = re.compile(r'<svg role="img" aria-label="([^"]*)"')


def add_notes(
    slides: Sequence[Slide], plan: Sequence[Planned], notebook: Page, site: Site
) -> None:
    """Begin the notes of each slide with its minutes, the notes of its cells and the text around them.

    The first slide also has the plan of the entire talk.
    """
    ends = list(accumulate(planned.minutes for planned in plan))
    spans = list(pairwise([0, *ends]))
    rows = "".join(
        f"<tr><td>{start}–{end}</td><td>{slide.heading}</td></tr>"
        for slide, (start, end) in zip(slides, spans, strict=True)
    )
    whole = f"<table><tr><th>minute</th><th>slide</th></tr>{rows}</table>"
    shares = _shares(plan, notebook.cells)
    for slide, (start, end), share in zip(slides, spans, shares, strict=True):
        slide.notes[:0] = [
            f"<p><strong>Minute {start} to {end} of {ends[-1]}.</strong></p>",
            *_to_say(share, notebook, site),
            *[whole] * (slide is slides[0]),
            *_on_the_page(share, notebook, site),
        ]


def _shares(plan: Sequence[Planned], cells: Sequence[Cell]) -> list[list[Cell | str]]:
    """Return the cells for the notes of each slide: those that it names, and others in their sections.

    If no slide names a cell of a section on the main line, the slide before it has the section's heading.
    """
    slide_of = {id: n for n, planned in reversed(list(enumerate(plan))) for id in planned.cells}
    shares: list[list[Cell | str]] = [[] for _ in plan]
    last = 0
    for section, deeper in _sections(cells):
        named = [n for n, cell in enumerate(section) if cell["id"] in slide_of]
        heading = _heading(section[0])
        if not named and heading and not deeper:
            shares[last].append(words(heading))
        for n, cell in enumerate(section if named else []):
            last = slide_of[section[_told_with(n, cell, named)]["id"]]
            shares[last].append(cell)
    return shares


def _told_with(n: int, cell: Cell, named: Sequence[int]) -> int:
    """Return the index of the named cell to which a cell belongs: the next, or the last for a fragment."""
    before = [k for k in named if k <= n]
    after = [k for k in named if k >= n]
    late = cell["metadata"].get("slideshow", {}).get("slide_type") == "fragment"
    return before[-1] if before and (late or not after) else after[0]


def _sections(cells: Sequence[Cell]) -> Iterator[tuple[Sequence[Cell], bool]]:
    """Yield the cells under each heading, and whether they are Deeper."""
    heads = [n for n, cell in enumerate(cells) if n == 0 or _heading(cell)]
    deeper = sections(cells)
    for start, end in pairwise([*heads, len(cells)]):
        yield cells[start:end], deeper[start] > 0


def _heading(cell: Cell) -> Token | None:
    """Return the text token of the heading with which a cell begins, or None."""
    tokens = cell.get("tokens")
    return tokens[1] if tokens and tokens[0].type == "heading_open" else None


def _to_say(share: Sequence[Cell | str], notebook: Page, site: Site) -> Iterator[str]:
    """Yield the notes in the cells' metadata, as HTML."""
    for cell in share:
        notes = "" if isinstance(cell, str) else cell["metadata"].get("course", {}).get("notes")
        if notes:
            noted = cell | {"where": f"the notes of {cell['where']}"}
            yield site.linked(render(parse(notes, noted["where"])), notebook, noted)


def _on_the_page(share: Sequence[Cell | str], notebook: Page, site: Site) -> Iterator[str]:
    cells = (cell for cell in share if not isinstance(cell, str))
    if read := "".join(site.linked(_prose(cell), notebook, cell) for cell in cells):
        yield f"<hr><p><em>On the page:</em></p>{read}"
    for title in share:
        if isinstance(title, str):
            yield f"<p>Left to the page: <em>{escape(title)}</em>.</p>"


def _prose(cell: Cell) -> str:
    """Return a cell's text without its heading, or the sentences about its figures."""
    if tokens := cell.get("tokens"):
        return render(tokens[3:] if _heading(cell) else tokens)
    shown = DRAWN.findall("".join(map(output_html, cell["outputs"])))
    return "".join(f"<p>{sentence}</p>" for sentence in shown)
