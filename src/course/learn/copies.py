"""A learner's own copies of the notebooks; a new version of the course keeps the learner's changes.

The folder .course, next to the copies, holds the version that each copy was made from. An update
compares the two cell by cell to find what the learner has changed, since cells keep their ids.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from course.errors import CourseError
from course.notebooks import chapters, read, write
from course.outline import WHY, with_answers

if TYPE_CHECKING:
    from nbformat import NotebookNode

BASE = ".course"  # the folder of the versions that the copies were made from
STALE = "an older version was saved over the last update"


def start(root: Path, folder: Path) -> Iterator[str]:
    """Copy missing notebooks, without outputs; yield a sentence on each copy and newer version."""
    paths = _chapters(root, folder)
    for path in paths:
        mine, base, new = folder / path.name, folder / BASE / path.name, fresh(path)
        if not mine.exists():
            yield _copy(new, mine, base)
        elif (last := _known(base)) is None:
            yield f"{path.stem}: its version is unknown; `course update` finds it out"
        elif last != new:
            yield f"{path.stem}: there is a newer version; `course update` brings it in"
        elif (copy := _known(mine)) and _version(copy) not in (None, _version(new)):
            yield f"{path.stem}: {STALE}; `course update` brings the newer one again"
    yield from map(_left, _gone(folder, paths))


def update(root: Path, folder: Path) -> Iterator[str]:
    """Merge the new version of each chapter into its copy; yield a sentence on what was done.

    Raises CourseError if there are no copies, and at the end for each copy that can't be read.
    """
    paths = _chapters(root, folder)
    if not (folder / BASE).is_dir() and not any((folder / path.name).exists() for path in paths):
        raise CourseError(f"there are no copies in {folder}: `course start {folder}` makes them")
    bad = []
    for path in paths:
        mine, base, new = folder / path.name, folder / BASE / path.name, fresh(path)
        if not mine.exists():
            yield _copy(new, mine, base)
            continue
        try:
            copy = read(mine)
        except CourseError as error:
            bad.append(str(error))
            continue
        yield _bring(new, copy, mine, base)
    for base in _gone(folder, paths):
        yield _left(base)
        base.unlink()
    if bad:
        raise CourseError("\n".join([*bad, "Rename it, and `course update` makes a fresh copy."]))


def _chapters(root: Path, folder: Path) -> list[Path]:
    if folder.resolve() == (root / "notebooks").resolve():
        raise CourseError(
            f"expected a folder of your own, got {folder}, which holds the course's notebooks: "
            "name another folder, or none for `my`"
        )
    return chapters(root)


def _copy(new: NotebookNode, mine: Path, base: Path) -> str:
    write(new, base)
    write(new, mine)
    return f"{mine.stem}: copied"


def _bring(new: NotebookNode, copy: NotebookNode, mine: Path, base: Path) -> str:
    """Merge the new version into a copy. Keep the last version: an open page may still save it."""
    kept = base.parent / "before" / base.name
    last, before = _known(base), _known(kept)
    old = _made_of(copy, last, before, new)
    merged, done = merge(old, copy, new)
    if done or old != new:
        write(merged, mine)  # first: if a later line fails, the next update does it again
    if last not in (None, new):
        write(last, kept)
    write(new, base)
    stale = last is not None and old not in (last, new)
    return f"{mine.stem}: {f'{STALE}: ' if stale else ''}{done or 'nothing new'}"


def _made_of(copy: NotebookNode, last: NotebookNode | None, *others: NotebookNode | None):
    """Return the version that a copy says it was made from; one without cells if it isn't known."""
    from nbformat import NotebookNode

    said = _version(copy)
    alike = (known for known in (last, *others) if known and said and _version(known) == said)
    return next(alike, NotebookNode(cells=[]))


def _known(path: Path) -> NotebookNode | None:
    """Return the notebook in a file, or None if there is none that can be read."""
    try:
        return read(path)
    except CourseError:
        return None


def _version(notebook: NotebookNode) -> str | None:
    said = notebook.metadata.get("course")
    return said.get("version") if isinstance(said, dict) else None


def _gone(folder: Path, paths: list[Path]) -> list[Path]:
    """The stored versions of copies whose notebook the course has renamed or removed."""
    names = {path.name for path in paths}
    bases = sorted((folder / BASE).glob("*.ipynb"))
    return [base for base in bases if base.name not in names and (folder / base.name).exists()]


def _left(base: Path) -> str:
    return f"{base.stem}: the course no longer has a notebook of this name; yours stays as it is"


def fresh(path: Path) -> NotebookNode:
    """Return a notebook without outputs, with a cell for the learner's answer below each prediction.

    The explanation of the answer is folded, and so is code tagged hide-input. The metadata name the
    version, so that a copy says which version it was made from.
    """
    notebook = read(path)
    notebook.cells = [
        cell
        for question, *answer in with_answers(notebook.cells)
        for cell in (question, *_yours(question, answer), *map(_folded, answer))
    ]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
            if "hide-input" in cell.metadata.get("tags", []):
                cell.metadata["jupyter"] = {"source_hidden": True}  # JupyterLab folds it
    told = [(cell.id, cell.source) for cell in notebook.cells]
    version = hashlib.sha256(repr(told).encode()).hexdigest()[:12]
    notebook.metadata.setdefault("course", {})["version"] = version
    return notebook


def _yours(question: NotebookNode, answer: Sequence[NotebookNode]) -> Iterator[NotebookNode]:
    from nbformat.v4 import new_markdown_cell

    if answer:
        yield new_markdown_cell("*Your prediction:*", id=f"{question.id}-yours")


def _folded(cell: NotebookNode) -> NotebookNode:
    if cell.cell_type == "markdown":
        cell.source = f"<details><summary>{WHY}</summary>\n\n{cell.source}\n\n</details>"
    return cell


def merge(old: NotebookNode, mine: NotebookNode, new: NotebookNode) -> tuple[NotebookNode, str]:
    """Return the new version with everything the learner changed or added, and a sentence about it.

    A cell that the learner has changed is kept, even if the course has changed it as well.
    """
    before, theirs = _by_id(old), _by_id(mine)
    coming = {cell.id for cell in new.cells}
    done: Counter[str] = Counter()
    yours = []

    def touched(cell: NotebookNode) -> bool:
        return cell.id not in before or cell.source != before[cell.id].source

    cells = []
    for cell in new.cells:
        kept = theirs.get(cell.id)
        if kept is None:
            if cell.id in before:
                done["that you deleted left out"] += cell.source != before[cell.id].source
                continue
            done["new"] += 1
        elif touched(kept):
            was, why = "", "differ from the course's"
            if cell.id in before:
                was, why = before[cell.id].source, "you have changed, and the course too"
            if cell.source not in (was, kept.source):
                done[f"that {why}, left as yours"] += 1
                yours.append(kept)
            cell = kept
        elif cell.source == kept.source:
            cell = kept  # with its outputs
        else:
            done["renewed"] += 1
        cells.append(cell)
    for place, cell in enumerate(mine.cells):  # put the learner's own after the same cells
        if cell.id in coming:
            continue
        if not touched(cell):
            done["removed"] += 1
            continue
        if cell.id in before:
            done["that you have changed, and the course has removed, left as yours"] += 1
            yours.append(cell)
        ids = [c.id for c in cells]
        above = [c.id for c in mine.cells[:place] if c.id in ids]
        cells.insert(ids.index(above[-1]) + 1 if above else 0, cell)
    merged = new.copy()
    merged.cells = cells
    said = ", ".join(f"{n} cell{'s' * (n > 1)} {what}" for what, n in done.items() if n)
    return merged, said + "".join(f"\n    yours: {_first_line(cell)}" for cell in yours)


def _first_line(cell: NotebookNode) -> str:
    return next(iter(cell.source.strip().splitlines()), "(an empty cell)")


def _by_id(notebook: NotebookNode) -> dict[str, NotebookNode]:
    return {cell.id: cell for cell in notebook.cells}
