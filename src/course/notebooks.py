"""Find, read and write the notebooks of the course.

Only `notebooks/SUMMARY.md` says which notebooks belong to the course, and in which order.
"""

from __future__ import annotations

import ast
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course.errors import CourseError
from course.files import write_text

if TYPE_CHECKING:
    from nbformat import NotebookNode

# Without this line, jsonschema, which nbformat imports, builds a grammar for a kind of address that no
# notebook has. That takes more than a second in every process.
sys.modules.setdefault("rfc3987_syntax", None)

NUMBERS = re.compile(r"[\d²³¹⁰⁴-⁹]+(?:[.,]\d+)*")  # of any kind, even in names and exponents
KINDS = {"cell_type": str, "id": str, "outputs": list, "attachments": dict}
KINDS |= {"metadata.tags": list, "metadata.slideshow": dict, "metadata.course": dict}


def root() -> Path:
    """Return the folder that holds notebooks/SUMMARY.md: here or above, or the one of this package."""
    here = Path.cwd()
    for folder in (here, *here.parents, Path(__file__).resolve().parents[2]):
        if (folder / "notebooks" / "SUMMARY.md").is_file():
            return folder
    raise CourseError(
        f"expected notebooks/SUMMARY.md in {here} or above, found none: "
        "go to the folder of the course and try again"
    )


def pages(root: Path) -> dict[Path, str]:
    """Return {path: title} as listed in notebooks/SUMMARY.md. Raises CourseError if an entry is wrong."""
    folder = root / "notebooks"
    summary = re.sub(r"<!--.*?-->", "", read_text(folder / "SUMMARY.md"), flags=re.DOTALL)
    links = re.findall(
        r"\[((?:[^][]|\[[^]]*\])*)\]\(\s*<?([^()<>]+?\.(?:ipynb|md))>?\s*\)", summary
    )
    listed = [(Path(os.path.normpath(folder / link)), title) for title, link in links]
    for path, times in Counter(path for path, _ in listed).items():
        says = f"notebooks/SUMMARY.md lists {os.path.relpath(path, folder)}"
        if times > 1:
            raise CourseError(f"{says} {times} times, expected once: delete the repeated lines")
        if not path.is_relative_to(folder):
            raise CourseError(f"{says}, which is outside of notebooks/: move it there")
        if not path.is_file():
            raise CourseError(
                f"{says}, but there is no such file: correct the line or restore the file"
            )
    return dict(listed)


def chapters(root: Path) -> list[Path]:
    """Return the notebooks in the order of notebooks/SUMMARY.md. Raises CourseError if it lists none."""
    listed = [path for path in pages(root) if path.suffix == ".ipynb"]
    if not listed:
        raise CourseError(
            "notebooks/SUMMARY.md lists no notebook: give each a line, such as "
            "`- [Start here](00_start_here.ipynb)`"
        )
    return listed


def _unlisted(root: Path, listed: list[Path]) -> list[Path]:
    """Return the paths, relative to notebooks/, of the notebooks there that SUMMARY.md doesn't list."""
    folder = root / "notebooks"
    found = [path.relative_to(folder) for path in folder.rglob("*.ipynb") if path not in listed]
    return sorted(path for path in found if not any(part[0] == "." for part in path.parts))


def select(root: Path, names: Sequence[str]) -> list[Path]:
    """Return the notebooks that `names` mean, in the order of the course; without names, all of them.

    A name is a path, a file name or the beginning of one: `01` and `1` mean `01_text_to_tokens.ipynb`.
    If notebooks/ has a notebook that SUMMARY.md doesn't list, a call with names prints a warning, and
    one without names raises CourseError. So does a name that doesn't mean exactly one notebook.
    """
    known = chapters(root)
    chosen = {_find(root, name, known) for name in names} if names else set(known)
    if unlisted := _unlisted(root, known):
        sentence = (
            f"notebooks/SUMMARY.md does not list {', '.join(map(str, unlisted))}: "
            "add a line for it, or move it out of notebooks/"
        )
        if not names:
            raise CourseError(sentence)
        print(f"course: {sentence}", file=sys.stderr)
    return [path for path in known if path in chosen]


def enlist(root: Path, names: Sequence[str]) -> None:
    """Add a line to SUMMARY.md for each new notebook that is named, after the one before it by name."""
    listed, file = chapters(root), root / "notebooks" / "SUMMARY.md"
    for name in names:
        begin = Path(name).name.removesuffix(".ipynb")
        new = [path for path in _unlisted(root, listed) if path.stem.startswith(begin)]
        if not begin or len(new) != 1 or any(path.stem.startswith(begin) for path in listed):
            continue
        [path] = new
        title = read(root / "notebooks" / path).cells[0].source.partition("\n")[0].lstrip("# ")
        line = f"- [{path.stem.partition('_')[0]} {title}]({path.as_posix()})\n"
        before = [known for known in listed if known.name < path.name]
        near = max(before, key=lambda known: known.name) if before else listed[0]
        lines = read_text(file).splitlines(keepends=True)
        place = next(n for n, said in enumerate(lines) if near.name in said) + bool(before)
        write_text("".join([*lines[:place], line, *lines[place:]]), file)
        print(f"course: notebooks/SUMMARY.md now lists {path}, as {title!r}", file=sys.stderr)
        listed = chapters(root)


def _find(root: Path, name: str, known: list[Path]) -> Path:
    stem = name.removesuffix(".ipynb")
    if re.fullmatch("[0-9]", stem):  # the number of a chapter
        stem = f"0{stem}"
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
            f"{name!r} is the beginning of {_names(found)}, expected only one of them: "
            "write more of the name"
        )
    raise CourseError(
        f"there is no notebook {name!r}: name one of {_names(known)}, or add a line for it to "
        "notebooks/SUMMARY.md"
    )


def _names(paths: list[Path]) -> str:
    return ", ".join(path.stem for path in paths) or "those that SUMMARY.md lists (none so far)"


def read_text(path: Path) -> str:
    """Return the text in a file. Raises CourseError if it can't be read, or isn't UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise CourseError(f"cannot read {path} ({error.strerror}): restore the file") from None
    except UnicodeDecodeError as error:
        raise CourseError(f"expected UTF-8 in {path}, but: {error}: restore the file") from None


def read(path: Path) -> NotebookNode:
    """Return the notebook in a file. Raises CourseError if it isn't valid by the schema of nbformat 4."""
    import nbformat

    try:
        nb = nbformat.v4.to_notebook(parse(read_text(path), path))
        nbformat.validate(nb)
    except nbformat.ValidationError as error:
        raise _wrong(path, error.message[:200]) from None
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _wrong(path, f"its structure is wrong ({error!r})") from None
    return nb


def parse(text: str, name: object) -> dict[str, Any]:
    """Return the JSON of a notebook. Raises CourseError if a part that the course reads has a wrong type.

    Each cell's source becomes one string. A cell without a unique id is given one that is always the
    same. Only `read` also checks the schema of nbformat, because that takes seconds.
    """
    try:
        nb = json.loads(text)
        if not isinstance(nb, dict) or nb.get("nbformat") != 4:
            came = nb.get("nbformat") if isinstance(nb, dict) else type(nb).__name__
            raise _wrong(name, f"its nbformat is {came}")
        json.dumps(nb, ensure_ascii=False).encode()
        _give_ids(nb)
        for cell in nb["cells"]:
            cell["source"] = "".join(cell["source"])
            parts = {**cell, **{f"metadata.{key}": v for key, v in cell["metadata"].items()}}
            for key, kind in KINDS.items():
                if not isinstance(value := parts.get(key, kind()), kind):
                    came = f"{key} of cell {cell['id']} is {json.dumps(value)}"
                    raise _wrong(name, f"{came}, expected a {kind.__name__}")
            if not all(isinstance(tag, str) for tag in parts.get("metadata.tags", [])):
                raise TypeError("a tag isn't a string")
    except RecursionError:
        raise _wrong(name, "it is nested too deep") from None
    except UnicodeEncodeError as error:
        before, half = error.object[: error.start][-20:], error.object[error.start]
        raise _wrong(name, f"after {before!r} there is half of a character ({half!r})") from None
    except ValueError as error:
        raise _wrong(name, f"it is not JSON ({error})") from None
    except (KeyError, TypeError, AttributeError) as error:
        raise _wrong(name, f"its structure is wrong ({error!r})") from None
    return nb


def _wrong(name: object, why: str) -> CourseError:
    return CourseError(
        f"expected a notebook (nbformat 4) in {name}, but {why}: "
        "restore the file, or open and save it in JupyterLab"
    )


def _give_ids(nb: dict[str, Any]) -> None:
    """Give an id to each cell whose id is missing or repeated; ids need minor version 5 of the format."""
    nb["nbformat_minor"] = max(nb["nbformat_minor"], 5)
    taken = {cell.get("id") for cell in nb["cells"]}
    seen = set()
    for number, cell in enumerate(nb["cells"], 1):
        if not cell.get("id") or cell["id"] in seen:
            new = f"cell-{number:03}"
            while new in taken:
                new += "x"
            cell["id"] = new
            taken.add(new)
        seen.add(cell["id"])


def contents(nb: dict[str, Any]) -> list[str]:
    """Return a line for each cell, in order: its id and, for a Markdown cell, the numbers in its text.

    >>> contents({"cells": [{"id": "a", "cell_type": "markdown", "source": "3.4 · 10³⁸, 1,024"}]})
    ['a 3.4 10³⁸ 1,024']
    """
    lines = []
    for cell in nb["cells"]:
        prose = "".join(cell["source"]) if cell["cell_type"] == "markdown" else ""
        lines.append(" ".join([str(cell.get("id")), *NUMBERS.findall(prose)]))
    return lines


def changes(was: list[str], now: list[str]) -> str:
    """Return, on one line, how the `contents` of a notebook have changed, or "" if they haven't.

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
    """Return the text of a notebook as `write` stores it."""
    import nbformat

    return nbformat.writes(nb).rstrip("\n") + "\n"


def write(nb: NotebookNode, path: Path) -> None:
    """Write a notebook to a file, completely or not at all."""
    write_text(dumps(nb), path)


def parameters(nb: NotebookNode) -> dict[str, Any]:
    """Return a notebook's parameters, {name: default}, from assignments in the cell tagged `parameters`.

    Raises CourseError if a default isn't a literal, because the cell isn't run to read the defaults.
    """
    found: dict[str, Any] = {}
    for cell in nb.cells:
        if cell.cell_type != "code" or "parameters" not in cell.metadata.get("tags", []):
            continue
        try:
            for line in ast.parse(cell.source).body:
                if isinstance(line, ast.Assign | ast.AnnAssign) and line.value is not None:
                    targets = line.targets if isinstance(line, ast.Assign) else [line.target]
                    value = ast.literal_eval(line.value)
                    found |= {ast.unparse(target): value for target in targets}
        except (SyntaxError, ValueError) as error:
            raise CourseError(
                "expected plain assignments such as `seed = 0` in the cell tagged `parameters`, "
                f"but: {error}"
            ) from None
    return found
