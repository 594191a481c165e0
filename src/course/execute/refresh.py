"""`course refresh`: execute notebooks and store their outputs, the same on every machine.

Data that differ between runs and aren't shown to readers (widget views, times, versions) are removed. If
such data are shown (paths, memory addresses, warnings), the notebook is refused, and its cell named.
"""

from __future__ import annotations

import re
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from course.errors import CourseError
from course.execute.complete import complete, parts
from course.execute.kernel import ONE_THREAD, STORED, Kernels, failure, run_cells
from course.execute.report import Progress, Result
from course.execute.threads import Begins, Job, side_by_side
from course.files import write_bytes
from course.notebooks import changes, chapters, contents, dumps, read, read_text
from course.outline import mark

if TYPE_CHECKING:
    from nbformat import NotebookNode

WIDGET = "application/vnd.jupyter.widget-view+json"
KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE = {"name": "python"}  # without a version, because the outputs are valid for any
READS = "from course.notebooks import"  # the beginning of an import in pages that read other pages
NOISE = ("execution", "papermill", "collapsed", "scrolled", "ExecuteTime")


# ---------------------------------------------------------------- the command


def readers(root: Path) -> list[Path]:
    """Return the pages that are made from others: their outputs may change when another page does."""
    numbers = ((path, path.stem.partition("_")[0]) for path in chapters(root))
    return [path for path, number in numbers if READS in read_text(path) or parts(number)]


def with_readers(notebooks: list[Path], root: Path) -> list[Path]:
    """Return these notebooks and all readers, each once."""
    return list(dict.fromkeys([*notebooks, *readers(root)]))


def refresh(notebooks: list[Path], root: Path, workers: int, timeout: int) -> int:
    """Run notebooks, readers last, and store their outputs; return 0, or 1 if one was refused."""
    for path in notebooks:
        complete(read(path), path, root)  # or refuse it before any is run
    before, late = {path: path.read_bytes() for path in notebooks}, readers(root)
    env, results = {**ONE_THREAD, **STORED}, []
    with Progress() as progress:

        def keep(job: Job, result: Result) -> None:
            progress.finish(result, _keep(job["path"], before[job["path"]], result))

        for last in (False, True):
            paths = [path for path in notebooks if (path in late) == last]
            jobs = [{"path": path, "root": root, "timeout": timeout} for path in paths]
            if jobs:
                results += side_by_side(_refresh, jobs, workers, env, progress, keep)
    return 1 if any(result["error"] for result in results) else 0


def _keep(path: Path, before: bytes, result: Result) -> str:
    """Store a notebook's outputs, unless its file was saved meanwhile; return the verdict in words."""
    if not result["error"]:
        new, now = result.pop("notebook").encode(), path.read_bytes()
        told = result.pop("changes")
        since = f" (since the last time {told})" if told else ""
        if now == new:
            return f"unchanged{since}"
        if now == before:
            write_bytes(new, path)
            return f"refreshed{since}"
        why = (
            f"{path.name} was saved while it ran, and a refresh would lose that: refresh it again"
        )
        result["error"] = failure("refused", why)
    return "refused, left as it was"


def _refresh(job: Job, kernels: Kernels, begins: Begins) -> Result:
    """Execute one notebook; return its result, with the text to store or the error."""
    nb = read(job["path"])
    was = nb.metadata.get("course", {}).get("cells")
    complete(nb, Path(job["path"]), Path(job["root"]))
    result = run_cells(job["path"], nb, job["timeout"], kernels, begins)
    if result["error"]:
        return result
    told = changes(was, contents(nb)) if was else ""
    try:
        return {**result, "notebook": dumps(normalise(nb, Path(job["root"]))), "changes": told}
    except CourseError as refused:  # its message names the cell
        return {**result, "error": failure("refused", str(refused))}


# ---------------------------------------------------------------- outputs


def normalise(nb: NotebookNode, root: Path) -> NotebookNode:
    """Prepare an executed notebook for storing. Raises CourseError if an output must not be stored."""
    from nbformat import from_dict

    mark(nb.cells)
    course = {**nb.metadata.get("course", {}), "cells": contents(nb)}
    ours = {"course": course, "kernelspec": KERNELSPEC, "language_info": LANGUAGE}
    nb.metadata = from_dict({**nb.metadata, **ours})
    nb.metadata.pop("widgets", None)
    nb.metadata.pop("papermill", None)
    private = _private(root)
    number = 0
    for cell in nb.cells:
        _clean_metadata(cell)
        if cell.cell_type != "code":
            continue
        number += 1
        try:
            _check_cell(cell, number)
            cell.outputs = _join_streams(cell.outputs)
            for output in cell.outputs:
                _normalise_output(output, private)
        except CourseError as error:
            raise CourseError(f"code cell {number} {error}") from None
    return nb


def _clean_metadata(cell: NotebookNode) -> None:
    for key in NOISE:
        cell.metadata.pop(key, None)
    view = cell.metadata.get("jupyter", {})  # keep source_hidden, the author's choice
    view.pop("outputs_hidden", None)
    if not view:
        cell.metadata.pop("jupyter", None)


def _check_cell(cell: NotebookNode, number: int) -> None:
    if cell.execution_count != number:
        raise CourseError(
            f"has the count {cell.execution_count}, expected {number}: "
            "remove cells that are empty or tagged skip-execution"
        )
    allowed = "raises-exception" in cell.metadata.get("tags", [])
    if allowed and not any(output.output_type == "error" for output in cell.outputs):
        raise CourseError("is tagged raises-exception, but raises no exception: remove the tag")


def _join_streams(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Join outputs that were printed in a row, because how they were cut into messages is chance."""
    joined: list[NotebookNode] = []
    for output in outputs:
        before = joined[-1] if joined else None
        streams = before and before.output_type == output.output_type == "stream"
        if streams and before.name == output.name:
            before.text += output.text
        else:
            joined.append(output)
    return joined


def _normalise_output(output: NotebookNode, private: re.Pattern[str]) -> None:
    if output.output_type == "stream":
        if output.name == "stderr":
            raise CourseError(
                "writes to stderr, expected stdout only: "
                f"remove the cause of {_quote(output.text)}"
            )
        texts = [output.text]
    elif output.output_type == "error":
        output.traceback = [f"{output.ename}: {output.evalue}"]
        texts = output.traceback
    else:
        _drop_widget(output)
        texts = [
            value
            for kind, value in output.data.items()
            if isinstance(value, str) and (kind.startswith("text/") or kind == "image/svg+xml")
        ]
    for text in texts:
        # An image in HTML is base64, in which any letters can occur by chance.
        if match := private.search(re.sub(r";base64,[A-Za-z0-9+/=\s]+", "", text)):
            line = next(part for part in text.splitlines() if match[0] in part)
            raise CourseError(
                f"shows {match[0]!r}, which belongs only to this machine or this run, "
                f"in {_quote(line)}: print something else"
            )


def _drop_widget(output: NotebookNode) -> None:
    """Remove a widget's view, which is new in every run. Raises CourseError if no still picture is left."""
    if output.data.pop(WIDGET, None) is None:
        return
    if not any(kind == "text/html" or kind.startswith("image/") for kind in output.data):
        raise CourseError(
            "shows a widget that readers without a kernel can't see, expected an image or html with "
            "it: give the widget a still picture (_repr_mimebundle_)"
        )


def _private(root: Path) -> re.Pattern[str]:
    """Return a pattern that matches paths of this machine and addresses in memory."""
    places = {root, root.resolve(), Path(sys.prefix), Path(tempfile.gettempdir())}
    with suppress(RuntimeError):  # the user may have no home folder
        places.add(Path.home())
    places = {re.escape(str(place)) for place in places if place != Path(place.anchor)}
    paths = "|".join(sorted(places, key=len, reverse=True))
    address = r"(?<![\w+/])0x[0-9a-fA-F]{8,}(?![\w+/])"
    return re.compile(rf"(?<![\w.])(?:{paths})(?![\w-])[\w./-]*|{address}")


def _quote(text: str) -> str:
    line = text.strip().partition("\n")[0]
    return repr(line if len(line) <= 120 else line[:117] + "...")
