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
from course.notebooks import chapters, dumps, read, write_text

if TYPE_CHECKING:
    from nbformat import NotebookNode

BASE = ".course"  # the folder of the versions that the copies were made of


def start(root: Path, folder: Path) -> list[str]:
    """Copy each notebook that isn't there yet, without outputs; a sentence on each, and on updates."""
    told: list[str] = []
    for name, _, base, new in _copied(root, folder, told):
        if not base.exists() or read(base) != new:
            told.append(f"{name}: there is a newer version; `course update` brings it")
    return told


def update(root: Path, folder: Path) -> list[str]:
    """Bring the new versions of all chapters into the copies, and say what was done to each."""
    told: list[str] = []
    for name, mine, base, new in _copied(root, folder, told):
        merged, done = merge(read(base) if base.exists() else new, read(mine), new)
        if done:
            _store(merged, mine)  # first: if the next line fails, another update does the same
        _store(new, base)
        told.append(f"{name}: {done or 'nothing new'}")
    return told


def _copied(
    root: Path, folder: Path, told: list[str]
) -> Iterator[tuple[str, Path, Path, NotebookNode]]:
    """Of each notebook that has a copy: its name, the copy, the version that was copied, and the
    one of now. Those that have none are copied, and told."""
    if folder.resolve() == (root / "notebooks").resolve():
        raise CourseError(
            f"expected a folder of your own, got {folder}, which holds the course's notebooks: "
            "name another, or none for `my`"
        )
    for path in chapters(root):
        mine, base, new = folder / path.name, folder / BASE / path.name, fresh(path)
        if mine.exists():
            yield path.stem, mine, base, new
        else:
            _store(new, base)
            _store(new, mine)
            told.append(f"{path.stem}: copied")


def fresh(path: Path) -> NotebookNode:
    """A notebook of the course as nobody has run it."""
    notebook = read(path)
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

    def touched(cell: NotebookNode) -> bool:
        return cell.id not in before or cell.source != before[cell.id].source

    cells = []
    for cell in new.cells:
        kept = theirs.get(cell.id)
        if kept is None:
            if cell.id in before:
                done["that you deleted left out"] += 1
                continue
            done["new"] += 1
        elif touched(kept):
            if cell.source not in (
                before[cell.id].source if cell.id in before else "",
                kept.source,
            ):
                done["that you have changed, and the course too, left as yours"] += 1
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
        ids = [c.id for c in cells]
        above = [c.id for c in mine.cells[:place] if c.id in ids]
        cells.insert(ids.index(above[-1]) + 1 if above else 0, cell)
    merged = new.copy()
    merged.cells = cells
    return merged, ", ".join(f"{n} cell{'s' * (n > 1)} {what}" for what, n in done.items())


def _by_id(notebook: NotebookNode) -> dict[str, NotebookNode]:
    return {cell.id: cell for cell in notebook.cells}


def _store(notebook: NotebookNode, path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CourseError(
            f"cannot make the folder {path.parent} ({error.strerror}): choose another"
        ) from None
    write_text(dumps(notebook), path)
