"""The front page: what a Markdown page leaves to be filled in from the chapters, in double braces.

`{{cards}}` is a card for each chapter, `{{figure NAME CELL}}` a figure out of one, `{{hours 04 05}}`
how long the main lines of some chapters take (of all if none is named; `{{hours deeper}}` with all
that is Deeper).
"""

import html
import re
from collections.abc import Iterable, Mapping

from course.errors import CourseError
from course.outline import minutes
from course.publish.page import Page, output_html


def fill(text: str, name: str, parts: Mapping[str, list[str]], pages: Mapping[str, Page]) -> str:
    """The text with its braces filled in; `parts` are the titles of SUMMARY.md and their pages."""

    def one(found: re.Match[str]) -> str:
        what, *rest = found[1].split() or [""]
        try:
            return {"cards": _cards, "hours": _hours, "figure": _figure}[what](parts, pages, *rest)
        except (KeyError, TypeError, StopIteration):
            raise CourseError(
                f"{name}: expected {{{{cards}}}}, {{{{hours}}}}, with chapters of SUMMARY.md or "
                f"`deeper`, or {{{{figure CHAPTER CELL}}}}, got {found[0]}"
            ) from None

    return re.sub(r"\{\{(.*?)\}\}", one, text)


def _chapters(pages: Mapping[str, Page]) -> dict[str, Page]:
    return {path[:2]: page for path, page in pages.items() if path.endswith(".ipynb")}


def _cards(parts: Mapping[str, list[str]], pages: Mapping[str, Page]) -> str:
    return "\n".join(
        f"<h3>{html.escape(title)}</h3>\n<ol class=course-cards>{_items(found)}</ol>"
        for title, paths in parts.items()
        if (found := [pages[path] for path in paths if path.endswith(".ipynb")])
    )


def _items(pages: Iterable[Page]) -> str:
    found = []
    for page in pages:
        main, deeper = map(round, minutes(page.cells))
        more = f", {deeper} more Deeper" if deeper else ""
        found.append(
            f'<li><a href="{html.escape(page.path)}"><b>{html.escape(page.path[:2])}</b> '
            f"{html.escape(page.title)}</a><span>{main} minutes{more}</span></li>"
        )
    return "".join(found)


def _hours(parts: Mapping[str, list[str]], pages: Mapping[str, Page], *names: str) -> str:
    known = _chapters(pages)
    deeper = names == ("deeper",)
    each = [minutes(known[name].cells) for name in (known if deeper or not names else names)]
    return f"{sum(main + deeper * more for main, more in each) / 60:.1f} hours"


def _figure(
    parts: Mapping[str, list[str]], pages: Mapping[str, Page], name: str, cell: str
) -> str:
    found = next(c for c in _chapters(pages)[name].cells if c["id"] == cell)
    return "".join(map(output_html, found["outputs"]))
