"""Read the plan of a talk: `talk.md` in a chapter's folder says what is on each slide.

    ## How well do two words fit? (4 minutes)

    Multiply number by number, add up: the **dot product**.

    > Which of the three products is the largest?

    {{code cell-008 | products | print(products)}}
    {{press}}
    {{output cell-008}}

A quoted line is a question to the audience. A line in braces shows a part of a cell of the notebook:

- `{{code CELL}}`: its code, without the lines that only check it;
- `{{output CELL}}`: its output, such as text, a figure or an explorer; `{{figure CELL}}`: only its figure;
  `{{figure CELL | 1, 3}}`: only the first and the third panel of its figure;
- `{{code CELL | FIRST | LAST}}`, `{{output CELL | FIRST | LAST}}`: the lines from the one that begins
  with FIRST to the next that begins with LAST;
- `{{table CELL | ROWS | COLUMNS}}`: the numbers in its printed tensors, shaded, with these names;
- `{{bars CELL | NAMES | WORD}}`: the numbers in its tensors as bars, or the last number of each line, or
  the first one after WORD, named by the text before it or by NAMES (the name `-` leaves a number out);
- `{{strip CELL | NAMES | WORD}}`: the lists in its output, in boxes; with WORD, only the lines that have it;
- `{{exercise CELL}}`: the stub for the learner, and the solution at the next press (if it is long, in
  the notes);
- `{{quiz CELL | NUMBER}}`: one question;
- `{{notes CELL}}`: nothing, but the speaker's notes have the text of the cell.

Everything after `{{press}}` is shown when the speaker presses a key. The notes say when each slide
begins, and what the page says around the cells that the slide names.
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
    """A slide as blocks, of which each press shows the next one, and the speaker's notes."""

    cell: str  # the id of the first cell that it names
    heading: str  # HTML
    kind: str = ""  # title, exercise or quiz
    blocks: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, body: str) -> None:
        self.blocks += [body] * bool(body.strip())


@dataclass(frozen=True)
class Planned:
    """A slide as planned in `talk.md`; each step is Markdown, or the text in braces, split at the bars."""

    heading: str
    minutes: int
    steps: list[str | list[str]]

    @property
    def cells(self) -> list[str]:
        """The ids of the cells that its braces name."""
        heads = [step[0].partition(" ") for step in self.steps if isinstance(step, list)]
        return [cell for _, _, cell in heads if cell]


def plan_of(notebook: Path) -> Path | None:
    """Return the file with the talk of a chapter, or None if it has no talk."""
    path = content.chapter(notebook.stem[:2]) / "talk.md"
    return path if path.is_file() else None


def read_plan(path: Path) -> list[Planned]:
    """Return the planned slides of a talk. Raises CourseError if one has no heading or no minutes."""
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
