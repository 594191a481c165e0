"""Make worksheets: pages of exercises, each a single file of HTML for a browser to print.

The statements and stubs come from the notebook. The room for an answer, and the solution, hints and known
mistakes for marking, come from the exercise's record.
"""

import html
import re
import string
from collections.abc import Sequence
from pathlib import Path

from course import notebooks
from course.errors import CourseError
from course.files import write_text
from course.learn.exercises import load
from course.learn.html import prose
from course.learn.solutions import setting
from course.outline import EXERCISE
from course.publish.page import Cell, Page, code_html, headings, render, words

ASSETS = Path(__file__).parent / "assets"
NUMBER = re.compile(r"(?:Deeper: )?(\d+)\. ")  # at the beginning of a heading
LEFT_OUT = re.compile(r"[ \t]*# noqa.*|\n\s*raise NotImplementedError")  # of a stub, in print
LINE = 8  # millimetres, for a handwritten line
NAME = "".join(f'<p>{what}: <span class="field"></span></p>' for what in ("Name", "Date"))


def asked(page: Page) -> dict[int, list[Cell]]:
    """Return the cells of each exercise, its statement and stub, by the number in its heading."""
    found: dict[int, list[Cell]] = {}
    number, since = None, []
    for cell in page.cells:
        for _, inline in headings(cell.get("tokens", [])):
            number, since = NUMBER.match(words(inline)), []
        since.append(cell)
        if cell["metadata"].get("course", {}).get("exercise"):
            if not number:
                raise CourseError(
                    f"{cell['where']}: expected a heading with a number above this exercise, such "
                    "as `### 3. A mask`: write one"
                )
            found[int(number[1])] = [*since]
    return found


def worksheet(page: Page, numbers: Sequence[int], solved: bool) -> str:
    """Return a worksheet with these exercises of a page, or all. Raises CourseError if one is missing."""
    found = asked(page)
    if not found:
        raise CourseError(f"there are no exercises in {page.path}: name another chapter")
    for number in numbers:
        if number not in found:
            has = f"it has {', '.join(map(str, found))}"
            raise CourseError(f"there is no exercise {number} in {page.path}: {has}")
    chosen = list(dict.fromkeys(numbers)) or list(found)
    body = "".join(_exercise(found[number], solved) for number in chosen)
    chapter = html.escape(page.path[:2])
    says = f"Self-attention, chapter {chapter}. About {EXERCISE * len(chosen)} minutes."
    if solved:
        says = f"Self-attention, chapter {chapter}. Solutions, for marking."
    css = (ASSETS / "worksheet.css").read_text(encoding="utf-8")
    if "<math" in body:
        css += (ASSETS / "math.css").read_text(encoding="utf-8")
    template = string.Template((ASSETS / "worksheet.html").read_text(encoding="utf-8"))
    title = html.escape(page.title, quote=False)
    return template.substitute(
        title=title, css=css, name="" if solved else NAME, says=says, exercises=body
    )


def _exercise(cells: list[Cell], solved: bool) -> str:
    """Return an exercise: its statement, then its stub with room for an answer, or its solution."""
    *asks, stub = cells
    id = stub["metadata"]["course"]["exercise"]
    statement = "".join(render(cell["tokens"]) for cell in asks)
    if "<img" in statement:
        raise CourseError(
            f"{stub['where']}: expected words, code and formulas in an exercise, because paper "
            "can't carry a file, got an image: describe it"
        )
    exercise = load(id)
    code, below = exercise.solution, ""
    if solved:
        mistakes = dict.fromkeys(mistake.hint for mistake in exercise.mistakes)
        lists = {"Hints": exercise.hints, "Known mistakes": mistakes}
        below = "".join(f"<h4>{what}</h4>{_list(each)}" for what, each in lists.items())
    else:
        height = LINE * (code.count("\n") + 2)
        code = LEFT_OUT.sub("", stub["source"])
        below = f'<div class="room" style="height: {height}mm"></div>'
    return (
        '<article><div class="asks"><p class="points">Points: <span class="field"></span></p>'
        f"{statement}{code_html(code)}</div>{below}</article>\n"
    )


def _list(lines: Sequence[str]) -> str:
    return f"<ol>{''.join(f'<li>{prose(line)}</li>' for line in lines)}</ol>"


def build(root: Path, paths: Sequence[Path], numbers: Sequence[int], solved: bool) -> int:
    """Write a worksheet for each chapter into build/sheets, and return 0."""
    src, out = root / "notebooks", root / "build" / "sheets"
    more = "".join(f"_{number}" for number in numbers) + "_solutions" * solved
    made = {}
    for path in paths:
        page = Page(path.relative_to(src).as_posix(), notebooks.read_text(path))
        made[out / f"{path.stem}{more}.html"] = worksheet(page, numbers, solved)
    for path, text in made.items():
        write_text(text, path)
        print(f"open {path} in a browser, and print it")
    if solved and (kept := setting(root)) != "shown":
        print(f"these solutions are only for you: book.toml says {kept!r} for learners")
    return 0
