"""A talk out of a chapter: `talk.md` in the chapter's folder says what stands on its slides.

    ## How well do two words fit? (4 minutes)

    Multiply number by number, add up: the **dot product**.

    > Which of the three products is the largest?

    {{code cell-008 | products | print(products)}}
    {{press}}
    {{output cell-008}}

What is quoted asks the room. A line in braces takes something from a cell of the notebook:

- `{{code CELL}}` its code, without the lines that only check it;
- `{{output CELL}}` what it gives: text, a figure, an explorer; `{{figure CELL}}` only what it draws,
  `{{figure CELL | 1, 3}}` of its panels the first and the third;
- `{{code CELL | FIRST | LAST}}`, `{{output CELL | FIRST | LAST}}` the lines from the one that begins
  with FIRST to the next that begins with LAST;
- `{{table CELL | ROWS | COLUMNS}}` the numbers in the tensors that it prints, shaded, with names;
- `{{bars CELL | NAMES | WORD}}` the numbers in its tensors as bars, or the last one of each line, or
  the one after WORD (without NAMES with what the line says; `-` leaves a number out);
- `{{strip CELL | NAMES | WORD}}` what its lines list, in boxes, or those lines in which WORD is;
- `{{exercise CELL}}` what the learner is given, and the solution at the next press (if it is long,
  in the notes);
- `{{quiz CELL | NUMBER}}` one question;
- `{{notes CELL}}` nothing: its words are for the speaker.

What comes after `{{press}}` waits for a press. The speaker reads when each slide begins, and what the
page says around the cells that are named.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from course import content
from course.errors import CourseError
from course.notebooks import read_text

SLIDE = re.compile(r"(?m)^(#{1,2} .+?)(?: \((\d+) minutes?\))?$")
BRACES = re.compile(r"(?m)^\{\{(.*)\}\}$")


@dataclass
class Slide:
    """What one slide shows, block by block, and what the speaker reads; each press brings a block."""

    cell: str  # the id of the first cell that it names
    heading: str  # HTML
    kind: str = ""  # title, exercise or quiz
    blocks: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, body: str) -> None:
        self.blocks += [body] * bool(body.strip())


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


def plan_of(notebook: Path) -> Path | None:
    """The file with the talk of a chapter, if it has one."""
    path = content.chapter(notebook.stem[:2]) / "talk.md"
    return path if path.is_file() else None


def read_plan(path: Path) -> list[Planned]:
    """The slides that a talk has, in order."""
    before, *parts = SLIDE.split(read_text(path))
    slides = list(zip(parts[::3], parts[1::3], parts[2::3], strict=True))
    untimed = [heading for heading, minutes, _ in slides if minutes is None]
    if before.strip() or untimed or not slides:
        wrong = [before.strip()] * bool(before.strip()) + untimed + ["nothing"]
        raise CourseError(
            f"{path}: expected each slide to begin like `## Heading (3 minutes)`, got {wrong[0]!r}"
        )
    return [
        Planned(heading, int(minutes), list(_steps(body))) for heading, minutes, body in slides
    ]


def _steps(body: str) -> Iterator[str | list[str]]:
    for number, part in enumerate(BRACES.split(body)):
        if number % 2:
            yield [word.strip() for word in part.split("|")]
        elif part.strip():
            yield part
