"""Find, read and write the notebooks of the course.

`notebooks/SUMMARY.md` is the one statement of which notebooks there are and in what order.
"""

from __future__ import annotations

import ast
import json
import os
import re
import sys
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course.errors import CourseError

if TYPE_CHECKING:
    from nbformat import NotebookNode

NUMBERS = re.compile(r"[\d²³¹⁰⁴-⁹]+(?:[.,]\d+)*")  # of any kind, also in names and exponents


def root() -> Path:
    """The folder that holds notebooks/SUMMARY.md: here or above, else where the package is."""
    here = Path.cwd()
    for folder in (here, *here.parents, Path(__file__).resolve().parents[2]):
        if (folder / "notebooks" / "SUMMARY.md").is_file():
            return folder
    raise CourseError(
        f"expected notebooks/SUMMARY.md in {here} or above, found none: "
        "go to the folder of the course and try again"
    )


def chapters(root: Path) -> list[Path]:
    """The notebooks in the order of notebooks/SUMMARY.md, which lists each of them once."""
    folder = root / "notebooks"
    try:
        summary = (folder / "SUMMARY.md").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"expected a readable {folder / 'SUMMARY.md'}, but: {error}") from None
    summary = re.sub(r"<!--.*?-->", "", summary, flags=re.DOTALL)
    links = re.findall(r"\]\(\s*<?([^()<>]+?\.ipynb)>?\s*\)", summary)
    listed = [Path(os.path.normpath(folder / link)) for link in links]
    for path, times in Counter(listed).items():
        name = path.relative_to(folder) if path.is_relative_to(folder) else path
        if times > 1:
            raise CourseError(
                f"notebooks/SUMMARY.md lists {name} {times} times, expected once: "
                "delete the repeated lines"
            )
        if not path.is_file():
            raise CourseError(
                f"notebooks/SUMMARY.md lists {name}, but there is no such file: "
                "correct the line or restore the notebook"
            )
    if not listed:
        raise CourseError(
            "notebooks/SUMMARY.md lists no notebook: give each a line, such as "
            "`- [Start here](00_start_here.ipynb)`"
        )
    return listed


def _unlisted(root: Path, listed: list[Path]) -> str:
    """A sentence that names the notebooks which SUMMARY.md doesn't list; "" if it lists all."""
    folder = root / "notebooks"
    found = [path.relative_to(folder) for path in folder.rglob("*.ipynb") if path not in listed]
    names = sorted(path for path in found if not any(part[0] == "." for part in path.parts))
    if not names:
        return ""
    return (
        f"notebooks/SUMMARY.md does not list {', '.join(map(str, names))}: "
        "add a line for it, or move it out of notebooks/"
    )


def select(root: Path, names: list[str]) -> list[Path]:
    """The notebooks that `names` mean, in the order of the course; no names mean all.

    A name is a path, a file name, or the beginning of one: `01` is `01_text_to_tokens.ipynb`.
    A notebook that SUMMARY.md doesn't list is only named if some are meant, an error if all are.
    """
    known = chapters(root)
    chosen = {_find(root, name, known) for name in names} if names else set(known)
    if sentence := _unlisted(root, known):
        if not names:
            raise CourseError(sentence)
        print(f"course: {sentence}", file=sys.stderr)
    return [path for path in known if path in chosen]


def _find(root: Path, name: str, known: list[Path]) -> Path:
    stem = name.removesuffix(".ipynb")
    exact = [path for path in known if path.stem == stem]
    begins = [path for path in known if path.stem.startswith(stem)]
    if Path(name).name != name:  # with a slash
        places = (Path(name).resolve(), (root / name).resolve())
        found = [path for path in known if path.resolve() in places]
    else:
        found = exact or (begins if stem else [])
    if len(found) == 1:
        return found[0]
    if found:
        raise CourseError(
            f"{name!r} is the beginning of {_names(found)}, expected of one notebook: "
            "write more of the name"
        )
    if Path(name).is_file():
        raise CourseError(
            f"{name} is not listed in notebooks/SUMMARY.md: "
            f"add a line for it, or name one of {_names(known)}"
        )
    raise CourseError(f"there is no notebook {name!r}: name one of {_names(known)}")


def _names(paths: list[Path]) -> str:
    return ", ".join(path.stem for path in paths) or "those that SUMMARY.md lists (none so far)"


def read(path: Path) -> NotebookNode:
    """The notebook in a file; a cell without an id of its own gets one that is always the same."""
    import nbformat

    wrong = f"expected a notebook (nbformat 4) in {path}, but "
    mend = ": restore the file, or open and save it in JupyterLab"
    try:
        text = path.read_text(encoding="utf-8")
        raw = json.loads(text)
    except OSError as error:
        raise CourseError(f"{wrong}it cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise CourseError(
            f"{wrong}it is not JSON ({error}): restore the file (git checkout -- it)"
        ) from None
    if not isinstance(raw, dict) or raw.get("nbformat") != 4:
        came = raw.get("nbformat") if isinstance(raw, dict) else type(raw).__name__
        raise CourseError(f"{wrong}its nbformat is {came}{mend}")
    try:
        nb = nbformat.v4.reads(text)
        _give_ids(nb)
        nbformat.validate(nb)
    except nbformat.ValidationError as error:
        raise CourseError(f"{wrong}{error.message[:200]}{mend}") from None
    except (KeyError, TypeError, AttributeError) as error:
        raise CourseError(f"{wrong}its structure is wrong ({error!r}){mend}") from None
    return nb


def _give_ids(nb: NotebookNode) -> None:
    """Replace ids that are missing or repeated; minor version 5 of the format has them."""
    nb.nbformat_minor = max(nb.nbformat_minor, 5)
    taken = {cell.get("id") for cell in nb.cells}
    seen = set()
    for number, cell in enumerate(nb.cells, 1):
        if not cell.get("id") or cell.id in seen:
            new = f"cell-{number:03}"
            while new in taken:
                new += "x"
            cell.id = new
            taken.add(new)
        seen.add(cell.id)


def contents(nb: dict[str, Any]) -> list[str]:
    """A line for each cell, in order: its id and, of a Markdown cell, the numbers in its prose.

    >>> contents({"cells": [{"id": "a", "cell_type": "markdown", "source": "3.4 · 10³⁸, 1,024"}]})
    ['a 3.4 10³⁸ 1,024']
    """
    lines = []
    for cell in nb["cells"]:
        prose = "".join(cell["source"]) if cell["cell_type"] == "markdown" else ""
        lines.append(" ".join([str(cell.get("id")), *NUMBERS.findall(prose)]))
    return lines


def changes(was: list[str], now: list[str]) -> str:
    """What the `contents` of a notebook have lost and gained, on one line; "" if nothing.

    >>> changes(["a", "b 3 10", "c", "d"], ["c", "a", "b 3 70", "e"])
    'gone: d; new: e; moved: c; other numbers: b (3 10, now 3 70)'
    """
    old, new = ({i: rest for i, _, rest in (x.partition(" ") for x in ls)} for ls in (was, now))
    left, right = [i for i in old if i in new], [i for i in new if i in old]
    stayed = SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
    kept = {i for block in stayed for i in left[block.a : block.a + block.size]}
    said = {
        "gone": [i for i in old if i not in new],
        "new": [i for i in new if i not in old],
        "moved": [i for i in right if i not in kept],
        "other numbers": [f"{i} ({old[i]}, now {new[i]})" for i in left if old[i] != new[i]],
    }
    return "; ".join(f"{what}: {', '.join(cells)}" for what, cells in said.items() if cells)


def dumps(nb: NotebookNode) -> str:
    """The text of a notebook as `write` stores it."""
    import nbformat

    return nbformat.writes(nb).rstrip("\n") + "\n"


def write(nb: NotebookNode, path: Path) -> None:
    """Store a notebook, all of it or nothing."""
    write_text(dumps(nb), path)


def write_text(text: str, path: Path) -> None:
    """Store a text in a file, all of it or nothing: a reader sees the old one or the new one."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        try:
            beside.write_text(text, encoding="utf-8", newline="\n")
            os.replace(beside, path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise CourseError(
            f"cannot write {path} ({error.strerror}): choose another folder, or make room there"
        ) from None


def parameters(nb: NotebookNode) -> dict[str, Any]:
    """Names and defaults of the parameters: the assignments in the cell tagged `parameters`.

    The cell may assign literals only, because the defaults are read without running it.
    """
    found: dict[str, Any] = {}
    for cell in nb.cells:
        if cell.cell_type != "code" or "parameters" not in cell.metadata.get("tags", []):
            continue
        try:
            for line in ast.parse(cell.source).body:
                if isinstance(line, ast.Assign):
                    targets, value = line.targets, line.value
                elif isinstance(line, ast.AnnAssign) and line.value is not None:
                    targets, value = [line.target], line.value
                else:
                    continue
                for target in targets:
                    found[ast.unparse(target)] = ast.literal_eval(value)
        except (SyntaxError, ValueError) as error:
            raise CourseError(
                "expected plain assignments such as `seed = 0` in the cell tagged `parameters`, "
                f"but: {error}"
            ) from None
    return found
