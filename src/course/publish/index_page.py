"""The front page: what a Markdown page leaves to be filled in from the chapters, in double braces.

`{{cards}}` is a card for each chapter, `{{figure NAME CELL}}` a figure out of one, `{{hours 04 05}}`
how long the main lines of some chapters take (of all if none is named; `{{hours deeper}}` with all
that is Deeper). `{{map 04 05` is the course as a picture, with a short path through these chapters;
each further line, up to the braces, says what a chapter hands on, `00 blocks of numbers`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap

from course.errors import CourseError
from course.publish.page import Page, output_html

BRACES = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)


def fill(text: str, name: str, parts: Mapping[str, list[str]], pages: Mapping[str, Page]) -> str:
    """The text with its braces filled in; `parts` are the titles of SUMMARY.md and their pages."""
    course = _Course(parts, {path[:2]: page for path, page in pages.items() if _is_notebook(path)})

    def filled(found: re.Match[str]) -> str:
        line, *lines = found[1].splitlines() or [""]
        what, *rest = line.split() or [""]
        fills = {"cards": course.cards, "hours": course.hours, "figure": course.figure}
        fills["map"] = course.map
        try:
            return fills[what](*rest, *([lines] if lines else []))
        except (KeyError, TypeError, ValueError, StopIteration):
            raise CourseError(
                f"{name}: expected {{{{cards}}}}, {{{{hours}}}}, with chapters of SUMMARY.md or "
                "`deeper`, {{figure CHAPTER CELL}}, or {{map, with chapters and a line for each, "
                f"got {found[0]}"
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
        """Without the appendices, A1 and so on: they are no station, and in no hours."""
        return {name: page for name, page in self.notebooks.items() if name.isdecimal()}

    def cards(self) -> str:
        return "\n".join(
            f"<h3>{escape(title)}</h3>\n<ol class=course-cards>{''.join(map(self._card, found))}</ol>"
            for title, paths in self.parts.items()
            if (found := list(filter(_is_notebook, paths)))
        )

    def _card(self, path: str) -> str:
        page = self.notebooks[path[:2]]
        main, deeper = map(round, page.minutes)
        more = f", {deeper} more Deeper" if deeper else ""
        return (
            f'<li><a href="{escape(path)}"><b>{escape(path[:2])}</b> {escape(page.title)}</a>'
            f"<span>{main} minutes{more}</span></li>"
        )

    def hours(self, *names: str) -> str:
        deeper = names == ("deeper",)
        chosen = self.chapters if deeper or not names else names
        minutes = [self.chapters[name].minutes for name in chosen]
        return f"{sum(main + deeper * more for main, more in minutes) / 60:.1f} hours"

    def figure(self, name: str, cell: str) -> str:
        found = next(c for c in self.notebooks[name].cells if c["id"] == cell)
        return "".join(map(output_html, found["outputs"]))

    def map(self, *given: str | list[str]) -> str:
        """A drawing for each part, which a phone stacks, and below them what the lines are.

        A station leads to its chapter by a tap. The keyboard has the cards for that.
        """
        *short, lines = given
        hands = dict(line.split(maxsplit=1) for line in lines)
        known = self.chapters
        if unknown := {*short, *hands} - known.keys():
            raise KeyError(*unknown)
        drawn, said = [], []
        for title, paths in self.parts.items():
            if names := [path[:2] for path in paths if path[:2] in known]:
                drawn.append(_drawing(title, names, known, short, hands))
                each = (f"{n} {known[n].title} It hands on {hands[n]}." for n in names)
                said.append(f"{title}: {' '.join(each)}")
        alt = escape(f"The course as a line with {len(hands)} stations. {' '.join(said)}")
        legend = (
            f"The line through all stations is the main line, {self.hours()}, the one next to it is "
            f"the path of an evening, {self.hours(*short)}, and a bow is for the Deeper sections. Below "
            "each question is what its chapter hands on."
        )
        return (
            f'<figure class="course-map"><span role="img" aria-label="{alt}"></span>'
            f'<div aria-hidden="true">{"".join(drawn)}</div>'
            f"<figcaption>{legend}</figcaption></figure>"
        )


def _drawing(
    title: str,
    names: Sequence[str],
    known: Mapping[str, Page],
    short: Iterable[str],
    hands: Mapping[str, str],
) -> str:
    """The stations of a part, one below the other, with the two lines that go through them."""
    stations, place, y = [], {}, 56
    for name in names:
        place[name] = y
        lines = [*wrap(f"{name} {known[name].title}", 28), f"→ {hands[name]}"]
        stations.append(_station(known[name], y, lines))
        y += 17 * len(lines) + 16
    drawn = []
    for kind, x, stops in (("main", 32, list(known)), ("short", 18, short)):
        if here := [place[name] for name in stops if name in place]:
            top = 32 if min(stops) < names[0] else here[0]
            end = y if max(stops) > names[-1] else here[-1]
            drawn.insert(0, f'<path class="{kind}" d="M{x} {top}V{end}"/>')
    dots = [
        f'<circle class="short" cx="18" cy="{place[name]}" r="5"/>'
        for name in short
        if name in place
    ]
    return (
        f'<svg viewBox="0 0 260 {y}"><text class="part" x="10" y="18">{escape(title)}</text>'
        f"{''.join([*drawn, *stations, *dots])}</svg>"
    )


def _station(page: Page, y: int, lines: Sequence[str]) -> str:
    """A circle with the question of a chapter and what it hands on, which lead to the chapter."""
    bow = f'<path class="deeper" d="M32 {y - 15}a15 15 0 0 1 0 30"/>' if page.minutes[1] else ""
    first, *others = map(escape, lines)
    texts = [f"<tspan>{first[:2]}</tspan>{first[2:]}", *others]
    kinds = ["", *[""] * (len(others) - 1), ' class="hands"']
    written = "".join(
        f'<text{kind} x="56" y="{y + 5 + 17 * n}">{text}</text>'
        for n, (kind, text) in enumerate(zip(kinds, texts, strict=True))
    )
    link = f'<a href="{escape(page.path)}" tabindex="-1">'
    return f'{bow}{link}<circle cx="32" cy="{y}" r="7"/>{written}</a>'
