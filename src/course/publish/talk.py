"""A talk out of a chapter: `talk.md` in the chapter's folder says what stands on its slides.

    ## How well do two words fit? (4 minutes)

    Multiply number by number, add up: the **dot product**.

    > Which of the three products is the largest?

    {{code cell-008 | products | print(products)}}
    {{press}}
    {{output cell-008}}

What is quoted asks the room. A line in braces takes something from a cell of the notebook:

- `{{code CELL}}` its code, without the lines that only check it;
- `{{output CELL}}` what it gives: text, a figure, an explorer; `{{figure CELL}}` only what it draws;
- `{{code CELL | FIRST | LAST}}`, `{{output CELL | FIRST | LAST}}` the lines from the one that begins
  with FIRST to the next that begins with LAST;
- `{{table CELL | ROWS | COLUMNS}}` the numbers in the tensors that it prints, shaded, with names;
- `{{exercise CELL}}` what the learner is given, and the solution at the next press (if it is long,
  in the notes);
- `{{quiz CELL | NUMBER}}` one question;
- `{{notes CELL}}` nothing: its words are for the speaker.

What comes after `{{press}}` waits for a press. The speaker reads when each slide begins, and what the
page says around the cells that are named.
"""

from __future__ import annotations

import ast
import html
import math
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from course.errors import CourseError
from course.learn.quizzes import quiz
from course.learn.solutions import kept_back, printed
from course.outline import sections
from course.publish import page
from course.publish.links import Site
from course.publish.page import Cell, Page
from course.publish.slides import (
    Slide,
    answer_notes,
    hint_notes,
    learnt,
    question_html,
    solution_html,
)

if TYPE_CHECKING:
    from markdown_it.token import Token

LINES, WIDTH = 10, 74  # of code on a slide: 25 px where it has 1280 × 720
SLIDE = re.compile(r"(?m)^(#{1,2} .+?)(?: \((\d+) minutes?\))?$")
BRACES = re.compile(r"(?m)^\{\{(.*)\}\}$")
LINTER = re.compile(r"[ \t]*#[ \t]*(?:noqa|fmt|type:|ruff|pylint).*")
CAPTION = re.compile(r"<figcaption>(.*?)</figcaption>", re.DOTALL)
TENSOR = re.compile(r"tensor\((\[[^()]*\])")
NUMBER = re.compile(r"[^\s,\[\]]+")


@dataclass(frozen=True)
class Planned:
    """A slide as `talk.md` has it: steps are Markdown, or what stands in braces, cut at its bars."""

    heading: str
    minutes: int
    steps: list[str | list[str]]

    @property
    def cells(self) -> list[str]:
        """The ids that its braces name."""
        heads = [step[0].partition(" ") for step in self.steps if isinstance(step, list)]
        return [cell for _, _, cell in heads if cell]


def talk(path: Path, notebook: Page, site: Site) -> list[Slide]:
    """The slides of the talk in this file. Raises CourseError with the slide that is wrong."""
    plan = read(path.read_text(encoding="utf-8"), path.name)
    cells = {cell["id"]: cell for cell in notebook.cells}
    found = []
    for planned in plan:
        where = f"{path.parent.name}/{path.name}, {planned.heading!r}"
        if unnamed := [step for step in planned.steps if _names_no_cell(step)]:
            says = f"{{{{{' | '.join(unnamed[0])}}}}}"
            raise CourseError(f"{where}: expected the id of a cell after a space, got {says}")
        if unknown := [id for id in planned.cells if id not in cells]:
            raise CourseError(f"{where}: {notebook.path} has no cell {unknown[0]}, name another")
        if not planned.cells:
            raise CourseError(
                f"{where}: expected a cell of {notebook.path} for the speaker to read, got none: "
                "name one in {{notes CELL}}"
            )
        found.append(_slide(planned, where, cells, notebook, site))
    found[0].kind = "title"
    ends = list(accumulate(planned.minutes for planned in plan))
    spans = list(pairwise([0, *ends]))
    for slide, span, share in zip(found, spans, _shares(plan, notebook.cells), strict=True):
        whole = _whole(found, spans) if slide is found[0] else ""
        slide.notes[:0] = [_minutes(*span, ends[-1]), *_notes(share, notebook, site, whole)]
    return found


def read(text: str, name: str) -> list[Planned]:
    """The slides that a talk has, in order."""
    before, *parts = SLIDE.split(text)
    if before.strip() or not parts or None in parts:
        wrong = before.strip() or next((h for h, m in _pairs(parts) if m is None), "nothing")
        raise CourseError(
            f"{name}: expected each slide to begin like `## Heading (3 minutes)`, got {wrong!r}"
        )
    return [
        Planned(heading, int(minutes), list(_steps(body)))
        for heading, minutes, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    ]


def _names_no_cell(step: str | list[str]) -> bool:
    return isinstance(step, list) and step[0] in {*SHOWS, "exercise"}


def _pairs(parts: list[str]) -> Iterator[tuple[str, str]]:
    return zip(parts[::3], parts[1::3], strict=True)


def _steps(body: str) -> Iterator[str | list[str]]:
    for number, part in enumerate(BRACES.split(body)):
        if number % 2:
            yield [word.strip() for word in part.split("|")]
        elif part.strip():
            yield part


# ---------------------------------------------------------------- what stands on a slide


def _slide(planned: Planned, where: str, cells: dict, notebook: Page, site: Site) -> Slide:
    tokens = page.parse(planned.heading, where)
    slide = Slide(planned.cells[0], True, heading=(tokens[0].tag, page.render(tokens[1:2])))
    first, body, late = cells[slide.first], page.render(tokens), False
    order = list(cells.values())
    for step in planned.steps:
        if isinstance(step, str):
            said = {"where": where, "attachments": {}, "outputs": []}
            body += site.linked(page.render(page.parse(step, where)), notebook, said)
            continue
        what, _, id = step[0].partition(" ")
        if what == "press":
            slide.add(first, body, late)
            body, late = "", True
        elif what == "exercise":
            stub, *rest = order[order.index(cells[id]) :]
            if not rest or "exercise" not in stub["tags"] & rest[0]["tags"]:
                raise CourseError(f"{where}: expected the id of an answer's cell, got {id!r}")
            check = rest[0]
            hints, solution = printed(learnt(check)["exercise"], site.src.parent)
            slide.kind = "exercise"
            slide.notes += hint_notes(hints)
            slide.add(first, body + page.code_html(stub["source"]), late)
            if not solution and (says := kept_back(site.src.parent)):
                slide.notes.append(f"<p>{says}</p>")
            if not _is_read(solution, WIDTH - 4):  # it stands further in
                slide.notes.append(solution_html(solution))
                solution = ""
            body, late = solution_html(solution), True
        elif what in SHOWS:
            try:
                body += SHOWS[what](slide, cells[id], notebook, site, *step[1:])
            except (TypeError, ValueError, IndexError) as error:
                raise CourseError(f"{where}: {{{{{' | '.join(step)}}}}}: {error}") from None
        else:
            raise CourseError(f"{where}: expected one of {', '.join(SHOWS)}, got {what!r}")
    slide.add(first, body, late)
    return slide


def _code(slide: Slide, cell: Cell, notebook: Page, site: Site, *ends: str) -> str:
    source = bare(cell["source"])
    shown = chosen(source, *ends) if ends else source
    if not _is_read(shown):
        lines = shown.splitlines()
        raise ValueError(
            f"expected at most {LINES} lines of {WIDTH} characters, got {len(lines)} of up to "
            f"{max(map(len, lines))}: choose some, | FIRST | LAST"
        )
    return page.code_html(shown)


def _output(slide: Slide, cell: Cell, notebook: Page, site: Site, *ends: str) -> str:
    if ends:
        return page.output_html({"output_type": "stream", "text": chosen(_text(cell), *ends)})
    return site.linked("".join(map(page.output_html, cell["outputs"])), notebook, cell)


def _figure(slide: Slide, cell: Cell, notebook: Page, site: Site) -> str:
    drawn = [output for output in cell["outputs"] if "text/html" in output.get("data", {})]
    if not drawn:
        raise ValueError("expected a cell that draws, and it draws nothing")
    return _output(slide, cell | {"outputs": drawn}, notebook, site)


def _table(
    slide: Slide, cell: Cell, notebook: Page, site: Site, rows: str = "", columns: str = ""
) -> str:
    names = [[n.strip() for n in side.split(",")] if side else [] for side in (rows, columns)]
    return table(_text(cell), *names)


def _quiz(slide: Slide, cell: Cell, notebook: Page, site: Site, number: str) -> str:
    question = quiz(learnt(cell)["quiz"]).questions[int(number) - 1]
    slide.kind = "quiz"
    slide.notes += answer_notes(question)
    return "".join(question_html(question))


def _nothing(slide: Slide, cell: Cell, notebook: Page, site: Site) -> str:
    return ""


SHOWS: dict[str, Callable[..., str]] = {
    "code": _code, "output": _output, "figure": _figure, "table": _table, "quiz": _quiz,
    "notes": _nothing,
}  # fmt: skip


def bare(source: str) -> str:
    """Code without the statements that only check it, without words to a linter, and without the
    comment that makes a line too long.

    >>> print(bare("x = f(2)  # noqa: B008\\nassert x > 1\\ntorch.testing.assert_close(x, y)"))
    x = f(2)
    """
    lines = source.splitlines()
    for node in reversed(ast.parse(source).body):
        if re.match(r"assert |torch\.testing\.assert_", ast.unparse(node)):
            del lines[node.lineno - 1 : node.end_lineno]
    lines = [LINTER.sub("", line) for line in lines]
    lines = [re.sub("  #.*", "", line) if len(line) > WIDTH else line for line in lines]
    text = "\n".join(line.rstrip() for line in lines)
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n")


def chosen(text: str, first: str, last: str) -> str:
    """The lines from the one that begins with `first` to the next that begins with `last`.

    >>> chosen("a = 1\\nb = 2\\nc = 3", "b", "c")
    'b = 2\\nc = 3'
    """
    lines = text.splitlines()
    begins = [n for n, line in enumerate(lines) if line.strip().startswith(first)]
    if len(begins) != 1:
        raise ValueError(f"expected one line that begins with {first!r}, found {len(begins)}")
    for n in range(begins[0], len(lines)):
        if lines[n].strip().startswith(last):
            return textwrap.dedent("\n".join(lines[begins[0] : n + 1]))
    raise ValueError(f"expected a line that begins with {last!r} after it, found none")


def _is_read(code: str, width: int = WIDTH) -> bool:
    """Whether code can be read from the back row."""
    lines = code.splitlines()
    return len(lines) <= LINES and all(len(line) <= width for line in lines)


def _text(cell: Cell) -> str:
    """What a cell prints."""
    return "".join(
        "".join(output.get("text") or output["data"].get("text/plain", ""))
        for output in cell["outputs"]
    )


def table(printed: str, rows: list[str], columns: list[str]) -> str:
    """The numbers of printed tensors as a table: the larger, the darker, and another hue below 0.

    Tensors as wide as the first follow below it, as far as there are names for the rows.
    """
    found = [
        numbers
        for tensor in TENSOR.findall(printed)
        for row in tensor.split("]")
        if (numbers := NUMBER.findall(row))
    ]
    found = [row for row in found if len(row) == len(found[0])]
    found = found[: len(rows) or None]
    if not found or len(found) < len(rows) or len(columns) not in (0, len(found[0])):
        sizes = f"{len(found)} rows of {len(found[0]) if found else 0}"
        raise ValueError(f"expected names for {sizes}, got {len(rows)} and {len(columns)}")
    values = [x for row in found for text in row if math.isfinite(x := _value(text))]
    most = max(map(abs, values), default=0) or 1.0
    above = "above" if min(values, default=0) < 0 else "share"
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in columns)
    lines = [f"<tr>{'<td></td>' * bool(rows)}{head}</tr>"] if head else []
    for number, row in enumerate(found):
        name = f'<th scope="row">{html.escape(rows[number])}</th>' if rows else ""
        lines.append(f"<tr>{name}{''.join(_td(text, most, above) for text in row)}</tr>")
    return f'<table class="tensor">{"".join(lines)}</table>'


def _value(text: str) -> float:
    return float({"True": "1", "False": "0"}.get(text, text))


def _td(text: str, most: float, above: str) -> str:
    value, says = _value(text), text.removesuffix(".").replace("-", "−")
    if not math.isfinite(value):
        return f"<td>{says}</td>"
    kind = "below" if value < 0 else above
    return f'<td class="{kind}" style="--dark: {round(50 * abs(value) / most)}%">{says}</td>'


# ---------------------------------------------------------------- what the speaker reads


def _minutes(start: int, end: int, last: int) -> str:
    return f"<p><strong>Minute {start} to {end} of {last}.</strong></p>"


def _whole(found: list[Slide], spans: list[tuple[int, int]]) -> str:
    """When each slide begins and ends."""
    rows = [
        f"<tr><td>{start}–{end}</td><td>{slide.heading[1]}</td></tr>"
        for slide, (start, end) in zip(found, spans, strict=True)
    ]
    return f"<table><tr><th>minute</th><th>slide</th></tr>{''.join(rows)}</table>"


def _shares(plan: list[Planned], cells: list[Cell]) -> list[list[Cell | str]]:
    """Of which cells each slide tells: those it names, and the words around them on the main line.

    A section of which no slide shows anything is named by its heading, to the slide before it.
    """
    place = {id: n for n, planned in reversed(list(enumerate(plan))) for id in planned.cells}
    shares: list[list[Cell | str]] = [[] for _ in plan]
    last = 0
    for section, deeper in _sections(cells):
        named = [n for n, cell in enumerate(section) if cell["id"] in place]
        if not named:
            if not deeper and (heading := _heading(section[0])):
                shares[last].append(page.words(heading))
            continue
        for n, cell in enumerate(section):
            before = [k for k in named if k <= n]
            after = [k for k in named if k >= n]
            late = cell["metadata"].get("slideshow", {}).get("slide_type") == "fragment"
            to = before[-1] if before and (late or not after) else after[0]
            last = place[section[to]["id"]]
            shares[last].append(cell)
    return shares


def _sections(cells: list[Cell]) -> Iterator[tuple[list[Cell], bool]]:
    """The cells under each heading, and whether they are Deeper."""
    heads = [n for n, cell in enumerate(cells) if n == 0 or _heading(cell)]
    deeper = sections(cells)
    for start, end in pairwise([*heads, len(cells)]):
        yield cells[start:end], deeper[start] > 0


def _heading(cell: Cell) -> Token | None:
    """What stands in the heading that a cell begins with."""
    tokens = cell.get("tokens")
    return tokens[1] if tokens and tokens[0].type == "heading_open" else None


def _notes(share: list[Cell | str], notebook: Page, site: Site, whole: str) -> Iterator[str]:
    """What to say and ask; the plan of the whole talk, if it is given; what the page says."""
    cells = [cell for cell in share if not isinstance(cell, str)]
    for cell in cells:
        if notes := cell["metadata"].get("course", {}).get("notes"):
            noted = cell | {"where": f"the notes of {cell['where']}"}
            yield site.linked(page.render(page.parse(notes, noted["where"])), notebook, noted)
    yield from filter(None, [whole])
    read = [site.linked(_prose(cell), notebook, cell) for cell in cells]
    if any(read):
        yield f"<hr><p><em>On the page:</em></p>{''.join(read)}"
    for title in share:
        if isinstance(title, str):
            yield f"<p>Left to the page: <em>{html.escape(title)}</em>.</p>"


def _prose(cell: Cell) -> str:
    """What a page says in a cell, without its heading; of a figure its caption."""
    if tokens := cell.get("tokens"):
        return page.render(tokens[3:] if _heading(cell) else tokens)
    captions = CAPTION.findall("".join(map(page.output_html, cell["outputs"])))
    return "".join(f"<p>{caption}</p>" for caption in captions)
