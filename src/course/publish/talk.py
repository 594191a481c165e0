"""Make the slides that a chapter's talk.md plans, each with its content and the speaker's notes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from course.errors import CourseError
from course.learn.exercises import printed
from course.learn.html import MIME, prose
from course.learn.quizzes import explanation, options_html, quiz
from course.learn.solutions import kept_back
from course.publish.links import Site
from course.publish.page import Cell, Page, code_html, output_html, parse, render
from course.publish.slide_parts import (
    WIDTH,
    bars,
    chosen,
    is_readable,
    panels,
    printed_text,
    readable,
    strip,
    table,
)
from course.publish.talk_notes import add_notes
from course.publish.talk_plan import Planned, Slide, read_plan


def talk(path: Path, notebook: Page, site: Site) -> list[Slide]:
    """Return the slides that this file plans. Raises CourseError, which names the slide, if one is wrong."""
    plan = read_plan(path)
    slides = []
    for planned in plan:
        where = f"{path.parent.name}/{path.name}, {planned.heading!r}"
        slides.append(_Maker(notebook, site, where).slide(planned))
    slides[0].kind = "title"
    add_notes(slides, plan, notebook, site)
    return slides


class _Maker:
    """Makes a slide from its plan, with a method for each word that can begin a line in braces."""

    def __init__(self, notebook: Page, site: Site, where: str) -> None:
        self.notebook, self.site, self.where = notebook, site, where
        self.cells = {cell["id"]: cell for cell in notebook.cells}
        self.shows: dict[str, Callable[..., str]] = {
            "code": self.code, "output": self.output, "figure": self.figure, "table": self.table,
            "bars": self.bars, "strip": self.strip, "exercise": self.exercise, "quiz": self.quiz, "notes": lambda cell: "",
        }  # fmt: skip

    def slide(self, planned: Planned) -> Slide:
        self.check(planned)
        tokens = parse(planned.heading, self.where)
        self.made = Slide(planned.cells[0], render(tokens[1:2]))
        self.body = render(tokens)
        for step in planned.steps:
            if step == ["press"]:
                self.press()
            else:
                shown = self.words(step) if isinstance(step, str) else self.shown(*step)
                self.body += shown  # after the call, because an exercise empties self.body
        self.press()
        return self.made

    def check(self, planned: Planned) -> None:
        for step in planned.steps:
            if isinstance(step, list) and step[0] in self.shows:
                raise self.wrong(f"expected the id of a cell after a space, got {_braces(step)}")
        if unknown := [id for id in planned.cells if id not in self.cells]:
            raise self.wrong(f"{self.notebook.path} has no cell {unknown[0]}, name another")
        if not planned.cells:
            raise self.wrong(
                f"expected a cell of {self.notebook.path} for the speaker to read, got none: "
                "name one in {{notes CELL}}"
            )

    def wrong(self, says: str) -> CourseError:
        return CourseError(f"{self.where}: {says}")

    def press(self) -> None:
        """End a block: what follows is shown at the next press."""
        self.made.add(self.body)
        self.body = ""

    def words(self, text: str) -> str:
        said = {"where": self.where, "attachments": {}, "outputs": []}
        return self.site.linked(render(parse(text, self.where)), self.notebook, said)

    def shown(self, head: str, *more: str) -> str:
        what, _, id = head.partition(" ")
        if what not in self.shows:
            raise self.wrong(f"expected one of {', '.join(self.shows)}, got {what!r}")
        try:
            return self.shows[what](self.cells[id], *more)
        except (TypeError, ValueError, IndexError) as error:
            raise self.wrong(f"{_braces([head, *more])}: {error}") from None

    def code(self, cell: Cell, *ends: str) -> str:
        return code_html(readable(cell["source"], *ends))

    def output(self, cell: Cell, *ends: str) -> str:
        if ends:
            text = chosen(printed_text(cell), *ends)
            return output_html({"output_type": "stream", "text": text})
        return self.site.linked("".join(map(output_html, cell["outputs"])), self.notebook, cell)

    def figure(self, cell: Cell, shown: str = "") -> str:
        drawn = [output for output in cell["outputs"] if "text/html" in output.get("data", {})]
        if not drawn:
            raise ValueError("expected a cell that draws, but it doesn't draw anything")
        whole = self.output(cell | {"outputs": drawn})
        return panels(whole, [int(number) for number in shown.split(",")]) if shown else whole

    def bars(self, cell: Cell, names: str = "", *words: str) -> str:
        return bars(printed_text(cell), _names(names), "|".join(words))

    def strip(self, cell: Cell, names: str = "", *words: str) -> str:
        return strip(printed_text(cell), _names(names), "|".join(words))

    def table(self, cell: Cell, rows: str = "", columns: str = "") -> str:
        return table(printed_text(cell), _names(rows), _names(columns))

    def quiz(self, cell: Cell, number: str) -> str:
        question = quiz(_learnt(cell)["quiz"]).questions[int(number) - 1]
        self.made.kind = "quiz"
        self.made.notes += [
            f"<p><em>{prose(option.text)}</em> {explanation(option)}</p>"
            for option in question.options
        ]
        options = options_html(question)
        return f'<p>{prose(question.text)}</p><div class="course-quiz">{options}</div>'

    def exercise(self, stub: Cell) -> str:
        """Show the stub, and return the solution for the next press; put a long one into the notes."""
        root, (hints, solution) = self.site.src.parent, self.answer(stub)
        self.made.kind = "exercise"
        self.made.notes += [
            f"<p><strong>Hint {n}.</strong> {prose(hint)}</p>" for n, hint in enumerate(hints, 1)
        ]
        self.body += code_html(stub["source"])
        self.press()
        if not solution and (says := kept_back(root)):
            self.made.notes.append(f"<p>{says}</p>")
        if is_readable(solution, WIDTH - 4):  # a solution is indented
            return _solution(solution)
        self.made.notes.append(_solution(solution))
        return ""

    def answer(self, stub: Cell) -> tuple[list[str], str]:
        """Return the hints and the solution of the exercise to which this stub belongs."""
        place = self.notebook.cells.index(stub)
        check = self.notebook.cells[place + 1 : place + 2]
        if not check or "exercise" not in stub["tags"] & check[0]["tags"]:
            raise self.wrong(f"expected the id of an answer's cell, got {stub['id']!r}")
        return printed(_learnt(check[0])["exercise"], self.site.src.parent)


def _names(listed: str) -> list[str]:
    return [name.strip() for name in listed.split(",")] if listed else []


def _braces(step: list[str]) -> str:
    return f"{{{{{' | '.join(step)}}}}}"


def _solution(solution: str) -> str:
    body = f"<p>One solution</p>{code_html(solution)}"
    return f'<div class="solution">{body}</div>' if solution else ""


def _learnt(cell: Cell) -> dict[str, str]:
    """Return the data in the output of a check or a quiz. Raises CourseError if there are none."""
    for output in cell["outputs"]:
        if MIME in output.get("data", {}):
            return output["data"][MIME]
    raise CourseError(
        f"{cell['where']}: expected the output of a check or a quiz, found none: "
        "run `course refresh` on the notebook"
    )
