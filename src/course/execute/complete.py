"""Add missing cells to a notebook from the chapters' folders, before `course refresh` runs it.

For an exercise that has a record but no cells, it adds three cells: statement, stub and check. For an
appendix such as A2, it collects the part `# A2` of each chapter's `appendices.md`: the text becomes
Markdown cells, and the code between fences becomes code cells.
"""

from __future__ import annotations

import ast
import re
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING

from course import content
from course.errors import CourseError
from course.notebooks import pages, read_text
from course.outline import LONGEST, minutes

if TYPE_CHECKING:
    from nbformat import NotebookNode

PART = re.compile(r"^# ([A-Z]\w*)\n(.*?)(?=^# [A-Z]\w*\n|\Z)", re.M | re.S)
FENCE = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)
UNDER = {"slideshow": {"slide_type": "subslide"}}
SKIPPED = {"slideshow": {"slide_type": "skip"}, "tags": ["exercise"]}


def complete(nb: NotebookNode, path: Path, root: Path) -> None:
    """Add missing exercises to a notebook, and update the cells that an appendix has from chapters."""
    number = path.stem.partition("_")[0]
    if given := parts(number):
        collect(nb, number, given, pages(root))
    for file in sorted((content.chapter(number) / "exercises").glob("[!_]*.py")):
        add_exercise(nb, f"{number}.{file.stem}", read_text(file))


# ---------------------------------------------------------------- an appendix


def parts(appendix: str) -> dict[str, str]:
    """Return the texts that chapters have for an appendix, {number of the chapter: text}."""
    found = {}
    for file in sorted(content.folder().glob("ch*/appendices.md")):
        texts = dict(PART.findall(read_text(file)))
        found |= {file.parent.name[2:]: texts[appendix].strip()} if appendix in texts else {}
    return found


def collect(
    nb: NotebookNode, appendix: str, given: dict[str, str], titles: dict[Path, str]
) -> None:
    """Replace an appendix's cells from chapters by those of `given`, in the order of the course."""
    ours = re.compile(rf"{appendix.lower()}-\w+-\d+")
    old = {cell.id: cell for cell in nb.cells if ours.fullmatch(cell.id)}
    like = {cell.cell_type: cell.metadata for cell in reversed(old.values())}
    new = []
    for path, title in titles.items():
        chapter = path.stem.partition("_")[0]
        if chapter not in given:
            continue
        texts = FENCE.split(given[chapter])
        asks = title.removeprefix(chapter).strip()
        texts[0] = f"## Chapter {chapter}: {asks}\n\n{texts[0]}"
        for n, text in enumerate(texts):
            if text.strip():
                kind, id = ("markdown", "code")[n % 2], f"{appendix.lower()}-{chapter}-{n + 1}"
                cell = old.get(id)
                if not cell or cell.cell_type != kind:
                    cell = _cell(kind, id, "", like.get(kind, UNDER))
                cell.source = text.strip()
                new.append(cell)
    places = [place for place, cell in enumerate(nb.cells) if cell.id in old] or [len(nb.cells)]
    kept = [cell for cell in nb.cells if cell.id not in old]
    nb.cells = [*kept[: places[0]], *new, *kept[places[0] :]]


# ---------------------------------------------------------------- an exercise


def add_exercise(nb: NotebookNode, id: str, record: str) -> None:
    """Add three cells for an exercise that has none, after the other exercises or before the quiz."""
    there = [cell for cell in nb.cells if "exercise" in cell.metadata.get("course", {})]
    if any(cell.metadata.course.exercise == id for cell in there):
        return
    says, name, stub = _told(id, record)
    title = f"{len(there) + 1}. {name.replace('_', ' ').capitalize()}"
    asked = {**SKIPPED, "course": {"exercise": id}}
    begin = name.lower().replace("_", "-")
    new = [
        _cell("markdown", f"{begin}-asks", f"### {title}\n\n{says}", UNDER),
        _cell("code", f"{begin}-answer", stub, asked),
        _cell("code", f"{begin}-check", f'check("{id}", {name})', SKIPPED),
    ]
    tags = [cell.metadata.get("tags", []) for cell in nb.cells]
    after = [place + 1 for place, found in enumerate(tags) if "exercise" in found]
    before = [place for place, found in enumerate(tags) if "quiz" in found]
    place = max(after, default=min(before, default=len(tags)))
    nb.cells[place:place] = new
    if minutes(nb.cells)[0] >= LONGEST:
        new[0].source = new[0].source.replace("### ", "### Deeper: ", 1)


def _told(id: str, record: str) -> tuple[str, str, str]:
    """Return a record's statement, its answer's name, and a stub. Raises CourseError if it is broken."""
    try:
        tree = ast.parse(record)
    except SyntaxError as error:
        raise CourseError(f"expected Python in the record of {id}, but: {error}") from None
    for node in tree.body:
        marks = map(ast.unparse, getattr(node, "decorator_list", []))
        if any(mark.partition("(")[0] == "E.answer" for mark in marks):
            node.decorator_list = []
            for function in ast.walk(node):
                if isinstance(function, ast.FunctionDef):
                    function.body = ast.parse("raise NotImplementedError").body
            return _unwrapped(ast.get_docstring(tree) or ""), node.name, ast.unparse(node)
    raise CourseError(f"the record of {id} has no answer: decorate one with `@E.answer`")


def _unwrapped(text: str) -> str:
    """Return a text with each paragraph on one line; lists and tables stay as they are."""
    return re.sub(r"(?<=\S)\n(?=[^\s|*-])", " ", text)


def _cell(kind: str, id: str, source: str, metadata: dict) -> NotebookNode:
    from nbformat import v4

    make = v4.new_markdown_cell if kind == "markdown" else v4.new_code_cell
    return make(source, id=id, metadata=deepcopy(metadata))
