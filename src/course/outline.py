"""Separate the main line of a page from its Deeper sections, and estimate the minutes of both.

A section is Deeper if its heading begins with "Deeper:". It ends at the next heading of the same level
or of a level above.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Sequence
from typing import Any

HEADING = re.compile(r"(#+)\s+(Deeper: )?")
TARGET = re.compile(r"(?<=\])\([^)\s]+\)")  # the address of a link, which nobody reads
TIME = re.compile(r"\*\*Time:\*\* [^.]*\.")  # at the beginning of a page
WHY = "What it gives, and why"  # the line under which the answer to a prediction is folded
COLLAPSED = "jp-MarkdownHeadingCollapsed"  # JupyterLab's name, in a heading's metadata
LONGEST = 35.5  # minutes: a main line must take less
WORDS, CODE, EXERCISE, QUIZ = 1 / 120, 0.5, 4, 3  # minutes for each; an exercise has three cells


def sections(cells: Sequence[dict[str, Any]]) -> list[int]:
    """Return the number of each cell's Deeper section, or 0 for a cell on the main line."""
    found, number = [], 0
    level = 0  # of the current Deeper section's heading, 0 on the main line
    for cell in cells:
        if _is_text(cell) and (heading := HEADING.match(_source(cell))):
            depth = len(heading[1])
            if not level or depth <= level:
                level = depth if heading[2] else 0
                number += bool(level)
        found.append(number if level else 0)
    return found


def asks(cell: dict[str, Any]) -> bool:
    """Whether a cell is text that asks for a prediction."""
    return _is_text(cell) and "predict" in cell["metadata"].get("tags", [])


def with_answers(cells: Sequence[dict[str, Any]]) -> Iterator[Sequence[dict[str, Any]]]:
    """Yield the cells one by one, but a prediction together with the cells that answer it."""
    place = 0
    while place < len(cells):
        end = place + 1 + _answer(cells[place + 1 :]) * asks(cells[place])
        yield cells[place:end]
        place = end


def _answer(cells: Sequence[dict[str, Any]]) -> int:
    """Return how many of these cells answer the prediction before them: the code that follows it, and the
    text about the code. If the text ends with a colon, the next cells also belong to the answer."""
    if not cells or _is_text(cells[0]):
        return 0
    for place, cell in enumerate(cells):
        if asks(cell) or _is_text(cell) and HEADING.match(_source(cell)):
            return place
        if _is_text(cell) and not _source(cell).rstrip().endswith(":"):
            return place + 1
    return len(cells)


def minutes(cells: Sequence[dict[str, Any]]) -> tuple[float, float]:
    """Estimate the minutes that the main line and the Deeper sections take.

    The rule is 120 words per minute, half a minute for a code cell with its output, four minutes for an
    exercise, and three for a quiz.
    """
    total = [0.0, 0.0]
    for cell, deeper in zip(cells, sections(cells), strict=True):
        tags = cell["metadata"].get("tags", [])
        if _is_text(cell):
            text = TARGET.sub(
                "", TIME.sub("", _source(cell))
            )  # the minutes themselves don't count
            cost = WORDS * len(re.findall(r"\w+", text))
        elif "exercise" in tags:
            cost = EXERCISE / 2  # its stub and its check
        else:
            cost = QUIZ if "quiz" in tags else CODE
        total[deeper > 0] += cost
    return total[0], total[1]


def marks(cells: Sequence[dict[str, Any]]) -> Iterator[tuple[str, bool]]:
    """Yield each cell's text with the right minutes in it, and whether its section is collapsed at first."""
    before = 0
    main, deeper = map(round, minutes(cells))
    more = f", and {deeper} more for the Deeper sections" if deeper else ""
    for cell, section in zip(cells, sections(cells), strict=True):
        source = _source(cell)
        if _is_text(cell):
            source = TIME.sub(f"**Time:** {main} minutes{more}.", source)
        yield source, section not in (0, before)
        before = section


def mark(cells: Sequence[dict[str, Any]]) -> None:
    """Write the texts of `marks` into the cells, and mark in their metadata which are collapsed."""
    for cell, (source, collapsed) in zip(cells, list(marks(cells)), strict=True):
        cell["source"] = source
        cell["metadata"].pop(COLLAPSED, None)
        if collapsed:
            cell["metadata"][COLLAPSED] = True


def missing(cells: Sequence[dict[str, Any]]) -> Iterator[tuple[int, str]]:
    """Yield a cell's index and a name that the main line uses but only a Deeper section before it defines."""
    known: set[str] = set(dir(builtins))
    below: set[str] = set()
    for place, (cell, deeper) in enumerate(zip(cells, sections(cells), strict=True)):
        if cell["cell_type"] != "code":
            continue
        try:
            tree = ast.parse(_source(cell))
        except SyntaxError:
            continue
        named = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
        defined = {node.id for node in named if isinstance(node.ctx, ast.Store)}
        inner = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                defined.add(node.name)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                defined |= {(name.asname or name.name).split(".")[0] for name in node.names}
        if deeper:
            below |= defined
            continue
        used = {node.id for node in named if isinstance(node.ctx, ast.Load)}
        for name in sorted((used & below) - known - defined - inner):
            yield place, name
        known |= defined


def _is_text(cell: dict[str, Any]) -> bool:
    return cell["cell_type"] == "markdown"


def _source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])
