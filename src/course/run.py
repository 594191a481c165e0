"""`course run`: execute notebooks side by side, and say how each of them went.

The command starts one child process per notebook (`python -m course.run`) and talks with it in
lines of JSON: a job goes in, progress and one result come out. The child owns the kernel. Only
the command writes files, so a child may be ended at any moment, and a child that loses the
command ends itself and its kernel.
"""

from __future__ import annotations

import ast
import asyncio
import importlib.util
import json
import os
import re
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import psutil

from course.kernel import Apart, apart
from course.notebooks import CourseError, dumps, parameters, read, write_text

if TYPE_CHECKING:
    from nbformat import NotebookNode
    from rich.progress import TaskID

Result = dict[str, Any]
Tell = Callable[..., None]

START_TIMEOUT = 60  # seconds
LONGEST_LINE = 2**28  # bytes: an executed notebook travels in one line of JSON
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


# ---------------------------------------------------------------- the command


def run(
    notebooks: list[Path],
    out: Path,
    workers: int,
    given: list[tuple[str, str]],
    timeout: int,
) -> int:
    """Execute `notebooks`, leave the results in the folder `out`: 0 all passed, 1 one failed."""
    nodes = {path: read(path) for path in notebooks}
    for path, nb in nodes.items():
        check_kernel(path, nb)
    chosen = choose(nodes, given)
    _prepare(out, notebooks)

    jobs = [{"path": path, "parameters": chosen[path], "timeout": timeout} for path in notebooks]
    started = time.perf_counter()
    with Progress() as progress:

        def keep(job: dict[str, Any], result: Result) -> None:
            result["parameters"] = job["parameters"]
            if "notebook" in result:
                write_text(result.pop("notebook"), out / job["path"].name)
            progress.finish(result, "failed" if result["error"] else "passed")

        results = execute("course.run", jobs, workers, {}, progress, keep)

    failed = sum(bool(result["error"]) for result in results)
    report = {
        "passed": len(results) - failed,
        "failed": failed,
        "seconds": round(time.perf_counter() - started, 2),
        "workers": workers,
        "notebooks": results,
    }
    write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", out / "report.json")
    write_text(junit(report), out / "junit.xml")
    write_text(summary(report), out / "summary.md")
    _print_table(report, out)
    return 1 if failed else 0


def check_kernel(path: Path, nb: NotebookNode) -> None:
    """Refuse a notebook that asks for another kernel than this environment's Python."""
    name = nb.metadata.get("kernelspec", {}).get("name", "python3")
    if name != "python3":
        raise CourseError(
            f"{path.name} asks for the kernel {name!r}, expected 'python3', the Python of this "
            "environment: choose 'Python 3 (ipykernel)' in JupyterLab (Kernel, Change Kernel) "
            "and save"
        )
    if importlib.util.find_spec("ipykernel") is None:
        raise CourseError(
            f"the kernel 'python3' is missing, because {sys.executable} has no ipykernel: "
            "activate the environment of the course"
        )


def _prepare(out: Path, notebooks: list[Path]) -> None:
    """Make the folder for the results, and see that it can be written."""
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


# ---------------------------------------------------------------- parameters


def choose(
    nodes: dict[Path, NotebookNode], given: list[tuple[str, str]]
) -> dict[Path, dict[str, Any]]:
    """For each notebook the values of those `given` parameters that it has."""
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
            except (ValueError, SyntaxError):
                raise CourseError(
                    f"expected {_type(defaults[name])} for the parameter {name!r} of "
                    f"{path.stem}, got {text!r}; known are: {_listing(known)}"
                ) from None
    return chosen


def parse(text: str, default: Any) -> Any:
    """Read `text` as a value of the default's type.

    A text that looks like a path (it has a slash or a suffix) and names a file is made absolute,
    because the kernel's working directory is the notebook's folder, not the user's.

    >>> parse("1e-3", 0.1), parse("7", 0), parse("false", True), parse("[1, 2]", [])
    (0.001, 7, False, [1, 2])
    """
    if isinstance(default, bool):
        values = {"true": True, "false": False}
        if text.lower() not in values:
            raise ValueError(text)
        return values[text.lower()]
    if isinstance(default, int | float):
        return type(default)(text)
    if isinstance(default, list | dict):
        value = ast.literal_eval(text)
        if type(value) is not type(default):
            raise ValueError(text)
        return value
    if default is None:
        with suppress(ValueError, SyntaxError):
            return ast.literal_eval(text)
    elif not isinstance(default, str):
        raise ValueError(text)
    looks_like_path = os.sep in text or bool(Path(text).suffix)
    return str(Path(text).resolve()) if looks_like_path and Path(text).is_file() else text


def _type(default: Any) -> str:
    return "any value" if default is None else type(default).__name__


def _listing(known: dict[Path, dict[str, Any]]) -> str:
    """Every parameter once, with its type, its default and the notebooks that have it."""
    where: dict[str, list[str]] = {}
    for path, defaults in known.items():
        for name, default in defaults.items():
            entry = f"{name} ({_type(default)}, default {default!r})"
            where.setdefault(entry, []).append(path.stem)
    return "; ".join(f"{entry} in {', '.join(stems)}" for entry, stems in where.items()) or "none"


# ---------------------------------------------------------------- processes


def execute(
    module: str,
    jobs: list[dict[str, Any]],
    workers: int,
    env: dict[str, str],
    progress: Progress,
    keep: Callable[[dict[str, Any], Result], None],
) -> list[Result]:
    """Do each job in a child of its own (`python -m module`), at most `workers` at a time.

    `keep` gets each result as it comes. However this ends, no child and no kernel is left.
    """
    environment = {
        **ONE_THREAD,
        **os.environ,
        "COURSE_HEADLESS": "1",  # progress bars in notebooks stay silent
        **env,
    }
    environment.pop("MPLBACKEND", None)  # else figures would not reach the notebook

    async def one(job: dict[str, Any], slots: asyncio.Semaphore) -> Result:
        async with slots:
            result = await _child(module, job, environment, progress)
            keep(job, result)
            return result

    async def everything() -> list[Result]:
        with suppress(RuntimeError):  # on Windows, or not in the main thread
            loop, task = asyncio.get_running_loop(), asyncio.current_task()
            loop.add_signal_handler(signal.SIGTERM, task.cancel)
        slots = asyncio.Semaphore(workers)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(job, slots)) for job in jobs]
        return [task.result() for task in tasks]

    try:
        return asyncio.run(everything())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None


async def _child(
    module: str, job: dict[str, Any], environment: dict[str, str], progress: Progress
) -> Result:
    """Start a child, give it its job, follow its progress, and come back with its result."""
    name = job["path"].stem
    started = time.perf_counter()
    result: Result = {"name": name, "seconds": 0.0, "peak_mib": None, "cells": None, "error": None}
    with (
        tempfile.TemporaryDirectory(prefix="course-", ignore_cleanup_errors=True) as scratch,
        open(f"{scratch}/stderr", "w+", encoding="utf-8", errors="replace") as stderr,
    ):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", module,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=stderr,
            env=environment | apart(scratch),
            limit=LONGEST_LINE,
            start_new_session=True,  # Ctrl-C is ours to pass on
        )  # fmt: skip
        try:
            process.stdin.write(json.dumps(job, default=str).encode() + b"\n")
            finished = False
            async for line in process.stdout:
                message = json.loads(line)
                if "progress" in message:
                    progress.cell(name, *message["progress"])
                else:
                    result.update(message)
                    finished = True
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), timeout=5)
        finally:
            if process.returncode is None:
                end(process.pid)
                await process.wait()
        if not finished:
            stderr.seek(0)
            value = f"the process of the notebook ended early (status {process.returncode})"
            result["error"] = no_cell("ChildProcessError", value, stderr.read()[-2000:])
    result["seconds"] = round(time.perf_counter() - started, 2)
    return result


def end(pid: int) -> None:
    """Kill a process with all below it; each is stopped first, so that it can start no other."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        process.suspend()
        for child in process.children():
            end(child.pid)
        process.kill()


# ---------------------------------------------------------------- in the child


def serve(work: Callable[[dict[str, Any], Tell], Result]) -> None:
    """Be a child: read the job, do the work, tell progress and the result; die with the parent."""
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library or the kernel prints goes to stderr

    def tell(**message: Any) -> None:
        print(json.dumps(message), file=channel, flush=True)

    def watch_parent() -> None:
        os.read(0, 1)  # returns when the parent's end of the pipe is closed
        for child in psutil.Process().children():
            end(child.pid)
        os._exit(1)

    job = json.loads(sys.stdin.readline())
    threading.Thread(target=watch_parent, daemon=True).start()
    job["path"] = Path(job["path"])
    tell(**work(job, tell))


def client_options(nb: NotebookNode, job: dict[str, Any], tell: Tell) -> dict[str, Any]:
    """Settings of nbclient: this environment's Python as kernel, progress told cell by cell.

    Code cells count from 1, without the one that papermill injects; the number of the latest is
    kept in `job["cell"]`, the cell itself in `job["current"]`.
    """
    from jupyter_client import AsyncKernelManager
    from jupyter_client.kernelspec import KernelSpecManager

    class Kernel(Apart, AsyncKernelManager):
        """The Python that runs this, whatever kernelspecs lie about on the machine."""

        def _kernel_spec_manager_default(self) -> KernelSpecManager:
            return KernelSpecManager(kernel_dirs=[])

    total = sum(own_code(cell) for cell in nb.cells)
    job["cell"], job["current"] = 0, None

    def cell_starts(cell: NotebookNode, cell_index: int) -> None:
        if own_code(cell):
            job["cell"], job["current"] = job["cell"] + 1, cell
            tell(progress=[job["cell"], total])

    return {"kernel_manager_class": Kernel, "on_cell_start": cell_starts}


def own_code(cell: NotebookNode) -> bool:
    """Whether this is a code cell of the author's."""
    return cell.cell_type == "code" and "injected-parameters" not in cell.metadata.get("tags", [])


def failure(job: dict[str, Any], error: Exception | None = None) -> dict[str, Any]:
    """What went wrong, and in which cell."""
    from nbclient.exceptions import CellTimeoutError, DeadKernelError

    if isinstance(error, CourseError):  # its sentence names the cell
        return no_cell("refused", str(error))
    cell = job["current"] or {"source": "", "outputs": []}
    raised = [output for output in cell["outputs"] if output["output_type"] == "error"]
    name, value, traceback = type(error).__name__, str(error), ""
    if isinstance(error, CellTimeoutError):
        value = f"the cell took longer than {job['timeout']} s (--timeout)"
    elif isinstance(error, DeadKernelError):
        value = "the kernel died: it ran out of memory, or something ended the process"
    elif raised:
        last = raised[-1]
        name, value, traceback = last.ename, last.evalue, short(last.traceback)
    return {
        "cell": job["cell"] or None,
        "source": cell["source"],
        "name": name,
        "value": value,
        "traceback": traceback,
    }


def no_cell(name: str, value: str, traceback: str = "") -> dict[str, Any]:
    """A failure outside of any cell."""
    return {"cell": None, "source": "", "name": name, "value": value, "traceback": traceback}


def short(traceback: list[str]) -> str:
    """The frames of an IPython traceback, each with the one line that was running."""
    lines = re.sub(r"\x1b\[[\d;]*m", "", "\n".join(traceback)).splitlines()
    frames = [line for line in lines if re.match(r"(Cell In|File |-+> )", line)]
    return "\n".join(frames or lines[:-1])  # the last line repeats the error


def peak_mib() -> float | None:
    """Peak resident memory of the largest process this one has waited for: the kernel."""
    try:
        import resource
    except ImportError:  # on Windows
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit / 2**20, 1)


def _run(job: dict[str, Any], tell: Tell) -> Result:
    """Execute one notebook with papermill, up to its first error."""
    from papermill.engines import papermill_engines
    from papermill.execute import execute_notebook

    os.chdir(job["path"].parent)
    nb = execute_notebook(
        job["path"].name,
        None,
        parameters=job["parameters"],
        kernel_name="python3",
        language="python",
        prepare_only=True,
        progress_bar=False,
    )
    error = None
    try:
        # Not execute_notebook: it takes an exception that a tag allows for a failure.
        papermill_engines.execute_notebook_with_engine(
            None,
            nb,
            kernel_name="python3",
            progress_bar=False,
            execution_timeout=job["timeout"],
            start_timeout=START_TIMEOUT,
            **client_options(nb, job, tell),
        )
        if nb.metadata.papermill["exception"]:
            error = failure(job)
    except Exception as exception:  # a dead kernel, a timeout, a kernel that does not start
        error = failure(job, exception)
    return {"notebook": dumps(nb), "cells": job["cell"], "peak_mib": peak_mib(), "error": error}


# ---------------------------------------------------------------- what the user sees


class Progress:
    """A bar per notebook where stderr is a terminal, else a line when one starts and ends."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bars

        self.console = Console(stderr=True, highlight=False)
        self.bars = Bars(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("cells"),
            TimeElapsedColumn(),
            console=self.console,
            transient=True,
            disable=not self.console.is_terminal,
        )
        self.tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Progress:
        self.bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.bars.stop()

    def say(self, text: str) -> None:
        self.console.print(text, markup=False, soft_wrap=True)

    def cell(self, name: str, number: int, total: int) -> None:
        """A notebook has begun its code cell `number`."""
        if name not in self.tasks:
            self.tasks[name] = self.bars.add_task(name, total=total)
            if not self.console.is_terminal:
                self.say(f"{name}: started, {total} cells")
        self.bars.update(self.tasks[name], completed=number - 1)

    def finish(self, result: Result, verdict: str) -> None:
        """A notebook has come to its end."""
        name = result["name"]
        if name in self.tasks:
            self.bars.remove_task(self.tasks[name])
        self.say(f"{name}: {verdict}, {result['seconds']:.1f} s")
        if result["error"]:
            self.say(describe(result) + "\n")


def describe(result: Result) -> str:
    """The failure of a notebook: where, the cell's source, the error."""
    error = result["error"]
    where = f"{result['name']}, code cell {error['cell']}" if error["cell"] else result["name"]
    parts = [where, _indent(error["source"]), error["traceback"]]
    return "\n\n".join(part for part in (*parts, f"{error['name']}: {error['value']}") if part)


def _indent(source: str) -> str:
    return "\n".join(f"    {line}" for line in source.splitlines())


def _row(result: Result) -> tuple[str, str, str, str, str]:
    """One line of the table: notebook, result, cells, seconds, MiB."""
    error, cells, peak = result["error"], result["cells"], result["peak_mib"]
    verdict = "passed"
    if error:
        verdict = f"failed in cell {error['cell']}" if error["cell"] else "failed"
    memory = "-" if peak is None else f"{peak:.0f}"
    return result["name"], verdict, str(cells or "-"), f"{result['seconds']:.1f}", memory


COLUMNS = ("notebook", "result", "cells", "time (s)", "peak memory (MiB)")


def _totals(report: dict[str, Any]) -> str:
    return f"{report['passed']} passed, {report['failed']} failed in {report['seconds']:.1f} s"


def _print_table(report: dict[str, Any], out: Path) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 120
    table = Table()
    for number, column in enumerate(COLUMNS):
        table.add_column(column, justify="right" if number > 1 else "left", overflow="fold")
    for result in report["notebooks"]:
        table.add_row(*_row(result), style="red" if result["error"] else None)
    console.print(table)
    console.print(f"{_totals(report)}; results in {out}", markup=False, soft_wrap=True)


def summary(report: dict[str, Any]) -> str:
    """The table as Markdown, and below it every failure."""
    rows = [COLUMNS, ("---", "---", "---:", "---:", "---:"), *map(_row, report["notebooks"])]
    parts = ["# course run", _totals(report), "\n".join(f"| {' | '.join(row)} |" for row in rows)]
    for result in report["notebooks"]:
        if result["error"]:
            parts += [f"## {result['name']}", _indent(describe(result))]
    return "\n\n".join(parts) + "\n"


def junit(report: dict[str, Any]) -> str:
    """The report as JUnit XML: one suite, a case per notebook."""
    suite = ElementTree.Element(
        "testsuite",
        name="course run",
        tests=str(len(report["notebooks"])),
        failures=str(report["failed"]),
        errors="0",
        skipped="0",
        time=str(report["seconds"]),
    )
    for result in report["notebooks"]:
        case = ElementTree.SubElement(
            suite,
            "testcase",
            classname="notebooks",
            name=result["name"],
            time=str(result["seconds"]),
        )
        if error := result["error"]:
            element = ElementTree.SubElement(
                case, "failure", type=error["name"], message=_xml(error["value"])
            )
            element.text = _xml(describe(result))
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    text = ElementTree.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _xml(text: str) -> str:
    """Text without the characters that XML forbids."""
    allowed = r"\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff"
    return re.sub(f"[^{allowed}]", "\N{REPLACEMENT CHARACTER}", text)


if __name__ == "__main__":
    serve(_run)
