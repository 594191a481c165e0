"""A learner's own copies of the notebooks, which a new version of the course never overwrites.

Beside each copy, in the folder .course, stands the version it was made of. So an update knows what
the learner has changed, cell by cell: cells have ids that stay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from course.errors import CourseError
from course.notebooks import chapters, read, write
from course.outline import WHY, explanations

if TYPE_CHECKING:
    from nbformat import NotebookNode

BASE = ".course"  # the folder of the versions that the copies were made of


def start(root: Path, folder: Path) -> Iterator[str]:
    """Copy each notebook that isn't there yet, without outputs; a sentence on each, and on updates."""
    for path in _chapters(root, folder):
        base, new = folder / BASE / path.name, fresh(path)
        if not (folder / path.name).exists():
            yield _copy(new, folder / path.name, base)
        elif not base.exists() or read(base) != new:
            yield f"{path.stem}: there is a newer version; `course update` brings it"


def update(root: Path, folder: Path) -> Iterator[str]:
    """Bring the new versions of all chapters into the copies; a sentence on what was done to each.

    Copies that can't be read are left, and named in the error that is raised after all others.
    """
    paths = _chapters(root, folder)
    if not (folder / BASE).is_dir():
        raise CourseError(f"there are no copies in {folder}: `course start {folder}` makes them")
    bad = []
    for path in paths:
        mine, base, new = folder / path.name, folder / BASE / path.name, fresh(path)
        if not mine.exists():
            yield _copy(new, mine, base)
            continue
        try:
            merged, done = merge(read(base) if base.exists() else new, read(mine), new)
        except CourseError as error:
            bad.append(str(error))
            continue
        if done:
            write(merged, mine)  # first: if the next line fails, another update does the same
        write(new, base)
        yield f"{path.stem}: {done or 'nothing new'}"
    if bad:
        raise CourseError("\n".join([*bad, "Rename it, and `course update` makes a fresh copy."]))


def _chapters(root: Path, folder: Path) -> list[Path]:
    if folder.resolve() == (root / "notebooks").resolve():
        raise CourseError(
            f"expected a folder of your own, got {folder}, which holds the course's notebooks: "
            "name another, or none for `my`"
        )
    return chapters(root)


def _copy(new: NotebookNode, mine: Path, base: Path) -> str:
    write(new, base)
    write(new, mine)
    return f"{mine.stem}: copied"


def fresh(path: Path) -> NotebookNode:
    """A notebook of the course as nobody has run it; what explains a prediction is folded."""
    notebook = read(path)
    for place in explanations(notebook.cells):
        cell = notebook.cells[place]
        cell.source = f"<details><summary>{WHY}</summary>\n\n{cell.source}\n\n</details>"
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return notebook


def merge(old: NotebookNode, mine: NotebookNode, new: NotebookNode) -> tuple[NotebookNode, str]:
    """The new version with all that the learner has changed or added, and a sentence about it.

    A cell that the learner has changed stays as it is, also if the course has changed it, too.
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
            if cell.source not in (
                before[cell.id].source if cell.id in before else "",
                kept.source,
            ):
                done["that you have changed, and the course too, left as yours"] += 1
                yours.append(kept)
            cell = kept
        elif cell.source == kept.source:
            cell = kept  # with its outputs
        else:
            done["renewed"] += 1
        cells.append(cell)
    for place, cell in enumerate(mine.cells):  # the learner's own go behind what they stood behind
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
