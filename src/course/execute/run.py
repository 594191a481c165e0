"""`course run`: execute several notebooks at the same time, and report the result of each."""

from __future__ import annotations

import ast
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from course.errors import CourseError
from course.execute.kernel import Kernels, run_cells
from course.execute.report import Progress, Result, print_table, summary
from course.execute.threads import Begins, Job, side_by_side
from course.files import write_text
from course.notebooks import dumps, parameters, read

if TYPE_CHECKING:
    from nbformat import NotebookNode


# ---------------------------------------------------------------- the command


def run(
    notebooks: list[Path],
    out: Path,
    workers: int,
    given: list[tuple[str, str]],
    timeout: int,
) -> int:
    """Execute notebooks and write the results to `out`. Returns 0 if all passed, 1 if one failed."""
    nodes = {path: read(path) for path in notebooks}
    chosen = choose(nodes, given)
    _prepare(out, notebooks)
    with _alone(out):
        return _run_all(notebooks, out, workers, chosen, timeout)


def _run_all(
    notebooks: list[Path],
    out: Path,
    workers: int,
    chosen: dict[Path, dict[str, Any]],
    timeout: int,
) -> int:
    jobs = [{"path": path, "parameters": chosen[path], "timeout": timeout} for path in notebooks]
    started = time.perf_counter()
    with Progress() as progress:

        def keep(job: Job, result: Result) -> None:
            write_text(result.pop("notebook"), out / job["path"].name)
            progress.finish(result, "failed" if result["error"] else "passed")

        results = side_by_side(_run, jobs, workers, {}, progress, keep)

    failed = sum(bool(result["error"]) for result in results)
    report = {
        "passed": len(results) - failed,
        "failed": failed,
        "seconds": round(time.perf_counter() - started, 2),
        "workers": workers,
        "notebooks": results,
    }
    write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", out / "report.json")
    write_text(summary(report), out / "summary.md")
    print_table(report, out)
    return 1 if failed else 0


def _run(job: Job, kernels: Kernels, begins: Begins) -> Result:
    """Execute one notebook with its parameters; return its result, with the text of the notebook."""
    from papermill.iorw import load_notebook_node
    from papermill.parameterize import parameterize_notebook

    nb = load_notebook_node(str(job["path"]))
    if job["parameters"]:
        nb = parameterize_notebook(nb, job["parameters"], kernel_name="python3", language="python")
    result = run_cells(job["path"], nb, job["timeout"], kernels, begins)
    return {"parameters": job["parameters"], "notebook": dumps(nb), **result}


def _prepare(out: Path, notebooks: list[Path]) -> None:
    """Make the folder for the results. Raises CourseError if it can't be used."""
    if out.resolve() in {path.parent.resolve() for path in notebooks}:
        raise CourseError(
            f"expected an output folder of its own, got {out}, where the notebooks are: "
            "choose another --out"
        )
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out):
            pass
    except OSError as error:
        raise CourseError(
            f"expected an output folder that can be written, got {out} ({error.strerror}): "
            "choose another --out"
        ) from None


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    """Lock a folder, so that no report mixes two runs; say so if another run has it, and wait."""
    lock = FileLock(out / ".lock")
    try:
        held = lock.acquire(blocking=False)
    except Timeout:
        print(
            f"course: {out}: another `course run` is writing there; waiting for it",
            file=sys.stderr,
        )
        held = lock.acquire()
    with held:
        yield


# ---------------------------------------------------------------- parameters


def choose(
    nodes: dict[Path, NotebookNode], given: list[tuple[str, str]]
) -> dict[Path, dict[str, Any]]:
    """Return, for each notebook, the `given` parameters that it has. Raises CourseError if one is wrong."""
    known = {path: parameters(nb) for path, nb in nodes.items()} if given else {}
    for name, _ in given:
        if not any(name in defaults for defaults in known.values()):
            raise CourseError(
                f"no selected notebook has a parameter {name!r}; known are: {_listing(known)}"
            )
    chosen: dict[Path, dict[str, Any]] = {path: {} for path in nodes}
    for path, defaults in known.items():
        for name, text in given:
            if name not in defaults:
                continue
            try:
                chosen[path][name] = parse(text, defaults[name])
            except ValueError:
                raise CourseError(
                    f"expected {_type(defaults[name])} for the parameter {name!r} of "
                    f"{path.stem}, got {text!r}; known are: {_listing(known)}"
                ) from None
    return chosen


def parse(text: str, default: Any) -> Any:
    """Return `text` as a value of the default's type. Raises ValueError if it has another type.

    A string that looks like a path (with a slash or a suffix) must name a file. Its path is made absolute,
    because the kernel's working directory is the notebook's folder, not the user's.

    >>> parse("1e-3", 0.1), parse("7", 0), parse("false", True), parse("[1, 2]", [])
    (0.001, 7, False, [1, 2])
    """
    if not isinstance(default, str):
        try:
            value = ast.literal_eval(text.capitalize() if isinstance(default, bool) else text)
        except (ValueError, SyntaxError):
            value = text
        if isinstance(default, float) and type(value) is int:
            value = float(value)
        if default is not None and type(value) is not type(default):
            raise ValueError(text)
        if not isinstance(value, str):
            return value
    path = Path(text)
    if path.name == text and not path.suffix:
        return text
    if not path.is_file():
        raise CourseError(f"there is no file {text!r}: check the spelling, or give the full path")
    return str(path.resolve())


def _type(default: Any) -> str:
    return "any value" if default is None else type(default).__name__


def _listing(known: dict[Path, dict[str, Any]]) -> str:
    """List every parameter once, with its type, its default and the notebooks that have it."""
    where: dict[str, list[str]] = {}
    for path, defaults in known.items():
        for name, default in defaults.items():
            entry = f"{name} ({_type(default)}, default {default!r})"
            where.setdefault(entry, []).append(path.stem)
    return "; ".join(f"{entry} in {', '.join(stems)}" for entry, stems in where.items()) or "none"
