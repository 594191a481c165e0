"""What the user sees of a run: progress, the table, the summary, JUnit's XML."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

if TYPE_CHECKING:
    from rich.progress import TaskID

Result = dict[str, Any]  # of one notebook: name, seconds, peak_mib, cells, error

COLUMNS = ("notebook", "result", "cells", "time (s)", "peak memory (MiB)")
ALL_COLUMNS = 90  # characters that a table of all columns needs


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


def _totals(report: dict[str, Any]) -> str:
    return f"{report['passed']} passed, {report['failed']} failed in {report['seconds']:.1f} s"


def print_table(report: dict[str, Any], out: Path) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 120
    shown = len(COLUMNS) if console.width >= ALL_COLUMNS else 2  # report.json has the others, too
    table = Table()
    for number, column in enumerate(COLUMNS[:shown]):
        table.add_column(column, justify="right" if number > 1 else "left", overflow="fold")
    for result in report["notebooks"]:
        table.add_row(*_row(result)[:shown], style="red" if result["error"] else None)
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
