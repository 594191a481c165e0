"""The front page: what a Markdown page leaves to be filled in from the chapters, in double braces.

`{{cards}}` is a card for each chapter, `{{figure NAME CELL}}` a figure out of one, `{{hours 04 05}}`
how long the main lines of some chapters take (of all if none is named; `{{hours deeper}}` with all
that is Deeper). `{{map 04 05` is the course as a picture, with a short path through these chapters;
each further line, up to the braces, says what a chapter hands on, `00 blocks of numbers`.
"""

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap

from course.errors import CourseError
from course.publish.page import Page, output_html


def fill(text: str, name: str, parts: Mapping[str, list[str]], pages: Mapping[str, Page]) -> str:
    """The text with its braces filled in; `parts` are the titles of SUMMARY.md and their pages."""

    def one(found: re.Match[str]) -> str:
        line, *lines = found[1].splitlines() or [""]
        what, *rest = line.split() or [""]
        try:
            return FILLS[what](parts, pages, *rest, *([lines] if lines else []))
        except (KeyError, TypeError, ValueError, StopIteration):
            raise CourseError(
                f"{name}: expected {{{{cards}}}}, {{{{hours}}}}, with chapters of SUMMARY.md or "
                "`deeper`, {{figure CHAPTER CELL}}, or {{map, with chapters and a line for each, "
                f"got {found[0]}"
            ) from None

    return re.sub(r"\{\{(.*?)\}\}", one, text, flags=re.DOTALL)


def _notebooks(pages: Mapping[str, Page]) -> dict[str, Page]:
    return {path[:2]: page for path, page in pages.items() if path.endswith(".ipynb")}


def _chapters(pages: Mapping[str, Page]) -> dict[str, Page]:
    """Without the appendices, A1 and so on: they are no station, and in no hours."""
    return {name: page for name, page in _notebooks(pages).items() if name.isdecimal()}


def _cards(parts: Mapping[str, list[str]], pages: Mapping[str, Page]) -> str:
    return "\n".join(
        f"<h3>{html.escape(title)}</h3>\n<ol class=course-cards>{_items(found)}</ol>"
        for title, paths in parts.items()
        if (found := [pages[path] for path in paths if path.endswith(".ipynb")])
    )


def _items(pages: Iterable[Page]) -> str:
    found = []
    for page in pages:
        main, deeper = map(round, page.minutes)
        more = f", {deeper} more Deeper" if deeper else ""
        found.append(
            f'<li><a href="{html.escape(page.path)}"><b>{html.escape(page.path[:2])}</b> '
            f"{html.escape(page.title)}</a><span>{main} minutes{more}</span></li>"
        )
    return "".join(found)


def _hours(parts: Mapping[str, list[str]], pages: Mapping[str, Page], *names: str) -> str:
    known = _chapters(pages)
    deeper = names == ("deeper",)
    each = [known[name].minutes for name in (known if deeper or not names else names)]
    return f"{sum(main + deeper * more for main, more in each) / 60:.1f} hours"


def _figure(
    parts: Mapping[str, list[str]], pages: Mapping[str, Page], name: str, cell: str
) -> str:
    found = next(c for c in _notebooks(pages)[name].cells if c["id"] == cell)
    return "".join(map(output_html, found["outputs"]))


# ---------------------------------------------------------------- the course as a line


def _map(
    parts: Mapping[str, list[str]], pages: Mapping[str, Page], *given: str | list[str]
) -> str:
    """A drawing for each part, which a phone stacks, and below them what the lines are.

    A station leads to its chapter by a tap. The keyboard has the cards for that.
    """
    *short, lines = given
    hands = dict(line.split(maxsplit=1) for line in lines)
    known = _chapters(pages)
    if unknown := {*short, *hands} - known.keys():
        raise KeyError(*unknown)
    texts = {n: [*wrap(f"{n} {page.title}", 28), f"→ {hands[n]}"] for n, page in known.items()}
    drawn, said = [], []
    for title, paths in parts.items():
        if names := [path[:2] for path in paths if path[:2] in known]:
            drawn.append(_line(title, names, known, short, texts))
            each = (f"{n} {known[n].title} It hands on {hands[n]}." for n in names)
            said.append(f"{title}: {' '.join(each)}")
    alt = html.escape(f"The course as a line with {len(hands)} stations. {' '.join(said)}")
    legend = (
        f"The line through all stations is the main line, {_hours(parts, pages)}, the one beside it "
        f"the path of an evening, {_hours(parts, pages, *short)}, and a bow is what is Deeper. Below "
        "each question stands what its chapter hands on."
    )
    return (
        f'<figure class="course-map"><span role="img" aria-label="{alt}"></span>'
        f'<div aria-hidden="true">{"".join(drawn)}</div>'
        f"<figcaption>{legend}</figcaption></figure>"
    )


def _line(
    title: str,
    names: Sequence[str],
    known: Mapping[str, Page],
    short: Iterable[str],
    texts: Mapping[str, Sequence[str]],
) -> str:
    """The stations of a part, one below the other, with the two lines that go through them."""
    drawn = []
    place, y = {}, 56
    for name in names:
        place[name] = y
        if known[name].minutes[1]:
            drawn.append(f'<path class="deeper" d="M32 {y - 15}a15 15 0 0 1 0 30"/>')
        drawn.append(f'<a href="{html.escape(known[name].path)}" tabindex="-1">')
        drawn.append(f'<circle cx="32" cy="{y}" r="7"/>')
        for number, text in enumerate(texts[name]):
            kind = ' class="hands"' if text[0] == "→" else ""
            says = (
                html.escape(text)
                if number
                else f"<tspan>{text[:2]}</tspan>{html.escape(text[2:])}"
            )
            drawn.append(f'<text{kind} x="56" y="{y + 5}">{says}</text>')
            y += 17
        drawn.append("</a>")
        y += 16
    for kind, x, stops in (("main", 32, known), ("short", 18, short)):
        here = [place[name] for name in stops if name in place]
        if here:
            top = 32 if min(stops) < names[0] else here[0]
            end = y if max(stops) > names[-1] else here[-1]
            drawn.insert(0, f'<path class="{kind}" d="M{x} {top}V{end}"/>')
            if kind == "short":
                drawn += [f'<circle class="short" cx="{x}" cy="{at}" r="5"/>' for at in here]
    return (
        f'<svg viewBox="0 0 260 {y}">'
        f'<text class="part" x="10" y="18">{html.escape(title)}</text>{"".join(drawn)}</svg>'
    )


FILLS = {"cards": _cards, "hours": _hours, "figure": _figure, "map": _map}
