"""From a notebook's cells to slides: the whole main line. `talk` chooses, `decks` writes the files."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from course.errors import CourseError
from course.learn.html import MIME, prose
from course.learn.quizzes import Question, explanation, options_html, quiz
from course.learn.solutions import kept_back, printed
from course.outline import sections
from course.publish import page
from course.publish.links import Site
from course.publish.page import Cell, Page

if TYPE_CHECKING:
    from markdown_it.token import Token

BOLD = re.compile(r"\*\*[^*\n]+\*\*")  # a line


@dataclass
class Slide:
    """What one slide shows, in order; a fragment comes at the next press of a key."""

    first: str  # the id of its first cell
    top: bool  # begins a column of slides
    kind: str = ""
    heading: tuple[str, str] | None = None  # the first of h1 to h3: its tag, its HTML
    blocks: list[tuple[str, str, bool]] = field(default_factory=list)  # cell, HTML, fragment?
    notes: list[str] = field(default_factory=list)

    def add(self, cell: Cell, body: str, fragment: bool = False) -> None:
        if body.strip():
            self.blocks.append((cell["id"], body, fragment))


# ---------------------------------------------------------------- from cells to slides


def slides(notebook: Page, site: Site) -> list[Slide]:
    """The slides of a notebook: its slide types say where one begins and what is left out.

    A subslide with neither a note nor a heading goes on with the slide above it, as a fragment:
    code beside the words that ask for it. deck.js cuts what is too long for a page. Exercises
    become a question and, on the next press, the solution; the hints go to the speaker. Every
    question of the quiz has a slide, with its explanations for the speaker.
    """
    found: list[Slide] = []
    asked = False  # the last thing said was: predict
    for cell, deeper in zip(notebook.cells, sections(notebook.cells), strict=True):
        if deeper:
            continue
        with page.well_formed(cell):
            asked = _add(found, cell, asked, notebook, site)
    if found:
        found[0].kind = "title"
    return [slide for slide in found if slide.blocks]


def _add(found: list[Slide], cell: Cell, asked: bool, notebook: Page, site: Site) -> bool:
    """Add what a cell shows to the slides; whether it asks for a prediction."""
    kind = cell["metadata"].get("slideshow", {}).get("slide_type", "-")
    notes = cell["metadata"].get("course", {}).get("notes", "")
    tags, tokens = cell["tags"], cell.get("tokens")
    if "quiz" in tags and tokens is None:
        _quiz(found, cell)
        return asked
    if "exercise" in tags and found:
        _exercise(found[-1], cell, site.src.parent)
        return asked
    if kind in {"skip", "notes"}:
        return asked
    late = kind == "fragment"
    if kind == "subslide" and found and found[-1].kind not in {"exercise", "quiz"}:
        late = not notes and not (tokens and tokens[0].type == "heading_open")
    if not found or kind == "slide" or (kind == "subslide" and not late):
        says = "announced" if "quiz" in tags else ""
        found.append(Slide(cell["id"], kind == "slide" or not found, says))
    if notes:
        noted = cell | {"where": f"the notes of {cell['where']}"}
        body = page.render(page.parse(notes, noted["where"]))
        found[-1].notes.append(site.linked(body, notebook, noted))
    if tokens is None:
        outputs = [] if tags & {"hide-output", "remove-output"} else cell["outputs"]
        shown = site.linked("".join(map(page.output_html, outputs)), notebook, cell)
        _code(found[-1], cell, shown, late, asked)
        return False
    for number, part in enumerate(_parts(cell)):
        if number:
            found.append(Slide(cell["id"], False, notes=list(found[-1].notes)))
        slide = found[-1]
        slide.heading = slide.heading or _heading(part)
        slide.add(cell, site.linked(page.render(part), notebook, cell), late and not number)
    return "predict" in tags


def _parts(cell: Cell) -> list[list[Token]]:
    """What a Markdown cell says, cut at the bold lines that stand alone; these become headings.

    In a cell tagged `predict`, a paragraph that begins in bold is the question.
    """
    tokens, cuts = cell["tokens"], {0}
    for at, (opening, inline) in enumerate(pairwise(tokens)):
        if opening.type != "paragraph_open" or opening.level:
            continue
        if BOLD.fullmatch(inline.content):
            opening.type, opening.tag, tokens[at + 2].tag = "heading_open", "h2", "h2"
            inline.children = [token for token in inline.children if token.tag != "strong"]
            cuts.add(at)
        elif "predict" in cell["tags"] and inline.content.startswith("**"):
            opening.attrSet("class", "course-ask")
    return [tokens[a:b] for a, b in pairwise([*sorted(cuts), len(tokens)])]


def _heading(tokens: list[Token]) -> tuple[str, str] | None:
    """The tag and the HTML of the first heading down to h3; it is repeated, without its links."""
    for opening, inline in page.headings(tokens):
        if opening.tag in {"h1", "h2", "h3"}:
            bare = [t for t in inline.children if t.type not in {"link_open", "link_close"}]
            return opening.tag, page.render([replace(inline, children=bare)])
    return None


def _code(slide: Slide, cell: Cell, result: str, late: bool, asked: bool) -> None:
    """Code and its outputs: after a prediction they wait for one more press."""
    hidden = cell["tags"] & {"hide-input", "remove-input", "figure", "explorer"}
    code = "" if hidden else page.code_html(cell["source"])
    if asked and code:
        slide.add(cell, code, late)
        slide.add(cell, result, True)
    else:
        slide.add(cell, code + result, late)


def _exercise(slide: Slide, cell: Cell, root: Path) -> None:
    """The first line of the answer; of the check, the hints for the speaker and the solution."""
    if cell["metadata"].get("course", {}).get("exercise"):
        slide.kind = "exercise"
        slide.add(cell, page.code_html(cell["source"]))
        return
    hints, solution = printed(learnt(cell)["exercise"], root)
    slide.notes += hint_notes(hints)
    if solution:
        slide.add(cell, solution_html(solution), True)
    elif says := kept_back(root):
        slide.notes.append(f"<p>{says}</p>")


def hint_notes(hints: list[str]) -> list[str]:
    """The hints of an exercise for the speaker."""
    return [f"<p><strong>Hint {n}.</strong> {prose(hint)}</p>" for n, hint in enumerate(hints, 1)]


def solution_html(solution: str) -> str:
    """A solution as it stands on a slide; '' if there is none to show."""
    body = f"<p>One solution</p>{page.code_html(solution)}"
    return f'<div class="solution">{body}</div>' if solution else ""


def _quiz(found: list[Slide], cell: Cell) -> None:
    """Add a slide for each question; the one that announces the quiz becomes the first."""
    questions = quiz(learnt(cell)["quiz"]).questions
    for number, question in enumerate(questions, 1):
        says = f"Quiz: question {number} of {len(questions)}"
        slide = Slide(cell["id"], False, "quiz", ("h2", says))
        if number == 1 and found and found[-1].kind == "announced":
            announced = found.pop()
            slide.top, slide.notes = announced.top, announced.notes
        asks, options = question_html(question)
        slide.add(cell, f"<h2>{says}</h2>{asks}")
        slide.add(cell, options)
        slide.notes += answer_notes(question)
        found.append(slide)


def question_html(question: Question) -> tuple[str, str]:
    """A question of a quiz, and its options, each folded over its explanation."""
    options = f'<div class="course-quiz">{options_html(question)}</div>'
    return f"<p>{prose(question.text)}</p>", options


def answer_notes(question: Question) -> list[str]:
    """The options of a question with their explanations for the speaker."""
    return [f"<p><em>{prose(o.text)}</em> {explanation(o)}</p>" for o in question.options]


def learnt(cell: Cell) -> dict[str, str]:
    """What the output of a check or a quiz says it is."""
    for output in cell["outputs"]:
        if MIME in output.get("data", {}):
            return output["data"][MIME]
    raise CourseError(
        f"{cell['where']}: expected the output of a check or a quiz, found none: "
        "run `course refresh` on the notebook"
    )
