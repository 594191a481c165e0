"""Fill in the front page: replace words in double braces by content from the chapters.

`{{cards}}` becomes a card for each chapter, with its first figure. Further lines before the closing braces,
such as `06 cell-032`, choose the figure of another cell. `{{figure 06 cell-032}}` becomes that figure,
`{{hours 04 05}}` the time for the main lines of these chapters, `{{hours}}` that for all main lines, and
`{{hours deeper}}` that for all chapters with their Deeper sections.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from course.errors import CourseError
from course.publish.page import Page, output_html

BRACES = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
SVG = re.compile(r"<svg.*?(viewBox='.*?').*?>(.*?)</svg>", re.DOTALL)
TEXT = re.compile(r"<text.*?</text>", re.DOTALL)  # on a card it would be too small to read


def fill(text: str, name: str, parts: Mapping[str, list[str]], pages: Mapping[str, Page]) -> str:
    """Fill in the braces of a text; `parts` has the titles in SUMMARY.md, each with its pages."""
    course = _Course(parts, {path[:2]: page for path, page in pages.items() if _is_notebook(path)})

    def filled(found: re.Match[str]) -> str:
        line, *lines = found[1].splitlines() or [""]
        what, *rest = line.split() or [""]
        fills = {"cards": course.cards, "hours": course.hours, "figure": course.figure}
        try:
            return fills[what](*rest, *([lines] if lines else []))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            missing = f"; {error.args[0]} isn't there" if isinstance(error, KeyError) else ""
            raise CourseError(
                f"{name}: expected {{{{cards}}}}, with lines such as `06 cell-032`, {{{{hours}}}}, with "
                "chapters of SUMMARY.md or `deeper`, or {{figure CHAPTER CELL}}, "
                f"got {found[0]}{missing}"
            ) from None

    return BRACES.sub(filled, text)


def _is_notebook(path: str) -> bool:
    return path.endswith(".ipynb")


@dataclass
class _Course:
    parts: Mapping[str, list[str]]
    notebooks: dict[str, Page]  # by number, such as "04" or "A1"

    @property
    def chapters(self) -> dict[str, Page]:
        """The notebooks without the appendices, which have no figure on their card and no hours."""
        return {name: page for name, page in self.notebooks.items() if name.isdecimal()}

    def cards(self, lines: Sequence[str] = ()) -> str:
        cells = dict(line.split() for line in lines)
        figures = {name: self.first_figure(page) for name, page in self.chapters.items()}
        figures |= {name: self.figure(name, cell) for name, cell in cells.items()}
        drawn = {name: _thumbnail(figure) for name, figure in figures.items() if figure}
        return "\n".join(
            f"<h3>{escape(title)}</h3>\n<ol class=course-cards>{''.join(cards)}</ol>"
            for title, paths in self.parts.items()
            if (cards := [self._card(path, drawn) for path in filter(_is_notebook, paths)])
        )

    def _card(self, path: str, drawn: Mapping[str, str]) -> str:
        page = self.notebooks[path[:2]]
        main, deeper = map(round, page.minutes)
        more = f", {main + deeper} with the Deeper sections" if deeper else ""
        return (
            f'<li><a href="{escape(path)}">{drawn.get(path[:2], "")}<b>{escape(path[:2])}</b> '
            f"{escape(page.title)}</a><span>{main} minutes{more}</span></li>"
        )

    def hours(self, *names: str) -> str:
        deeper = names == ("deeper",)
        chosen = self.chapters if deeper or not names else names
        minutes = [self.chapters[name].minutes for name in chosen]
        return f"{sum(main + deeper * more for main, more in minutes) / 60:.1f} hours"

    def figure(self, name: str, cell: str) -> str:
        found = next((c for c in self.notebooks[name].cells if c["id"] == cell), None)
        if not found:
            raise KeyError(f"{name} {cell}")
        return _drawn(found)

    @staticmethod
    def first_figure(page: Page) -> str:
        return next(filter(SVG.search, map(_drawn, page.cells)), "")


def _drawn(cell: Mapping[str, Any]) -> str:
    """Return the outputs of a cell as HTML."""
    return "".join(map(output_html, cell.get("outputs", [])))


def _thumbnail(figure: str) -> str:
    """Return the drawing of a figure without its text, because the card says what it is about."""
    view, body = SVG.search(figure).groups()
    shape = f'{view} preserveAspectRatio="xMidYMid meet" aria-hidden="true"'
    return f"<svg {shape}>{TEXT.sub('', body)}</svg>"
