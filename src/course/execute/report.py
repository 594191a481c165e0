"""Show the user a run: its progress, a table of the results, and a summary in Markdown."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import TaskID

Result = dict[str, Any]  # of one notebook: name, seconds, cells, error

COLUMNS = ("notebook", "result", "cells", "time (s)")


class Progress:
    """Show a bar per running notebook on a terminal, or a line at its start; then a line at its end."""

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
        """Show that a notebook has begun its code cell `number`."""
        if name not in self.tasks:
            self.tasks[name] = self.bars.add_task(name, total=total)
            if not self.console.is_terminal:
                self.say(f"{name}: started, {total} cells")
        self.bars.update(self.tasks[name], completed=number - 1)

    def finish(self, result: Result, verdict: str) -> None:
        """Show that a notebook has ended, and its failure if there is one."""
        name = result["name"]
        if name in self.tasks:
            self.bars.remove_task(self.tasks[name])
        self.say(f"{name}: {verdict}, {result['seconds']:.1f} s")
        if result["error"]:
            self.say(describe(result) + "\n")


def describe(result: Result) -> str:
    """Return a text on a notebook's failure: where it is, the cell's source, and the error."""
    error = result["error"]
    where = f"{result['name']}, code cell {error['cell']}" if error["cell"] else result["name"]
    parts = [where, indent(error["source"], "    ", bool), error["traceback"]]
    return "\n\n".join(part for part in (*parts, f"{error['name']}: {error['value']}") if part)


def _row(result: Result) -> tuple[str, str, str, str]:
    """One line of the table: notebook, result, cells, seconds."""
    error, cells = result["error"], result["cells"]
    verdict = "passed"
    if error:
        verdict = f"failed in cell {error['cell']}" if error["cell"] else "failed"
    return result["name"], verdict, str(cells or "-"), f"{result['seconds']:.1f}"


def _totals(report: dict[str, Any]) -> str:
    return f"{report['passed']} passed, {report['failed']} failed in {report['seconds']:.1f} s"


def print_table(report: dict[str, Any], out: Path) -> None:
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
    """Return the table as Markdown, followed by every failure."""
    rows = [COLUMNS, ("---", "---", "---:", "---:"), *map(_row, report["notebooks"])]
    parts = ["# course run", _totals(report), "\n".join(f"| {' | '.join(row)} |" for row in rows)]
    for result in report["notebooks"]:
        if result["error"]:
            parts += [f"## {result['name']}", indent(describe(result), "    ", bool)]
    return "\n\n".join(parts) + "\n"
