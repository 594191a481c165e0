"""`course grade` and its options. The `course` command finds it by an entry point in `pyproject.toml`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import click

from course.cli import PATH, N, into, processors


# fmt: off
@click.command()
@click.argument("submissions", nargs=-1, required=True, type=PATH)
@click.option("--chapter", default="", metavar="NN",
    help="Chapter of all submissions (default: the one that each notebook names).")
@into("grades")
@click.option("--cohort", default="", metavar="SECRET",
    help="Secret for the hidden inputs (default: one drawn once, in DIR/cohort).")
@click.option("-j", "--jobs", type=N, default=processors,
    help="Submissions at a time (default: the number of processors).")
@click.option("--trust", is_flag=True,
    help="Grade without a sandbox; only for code that you have read.")
@click.option("--student", multiple=True, metavar="X", help="Grade only X; repeat it for more.")
@click.option("--dry-run", is_flag=True, help="Say what would be graded, and write nothing.")
@click.option("--due", default="", metavar="DATE",
    help='Work is late after this: "2026-10-12 23:59".')
@click.option("--late", default="", metavar="RULE",
    help='What late work loses: "10% a day", "2 points an hour".')
@click.option("--anonymous", is_flag=True,
    help="Put codes instead of names on feedback; DIR/names.csv has both.")
@click.option("--export-code", is_flag=True,
    help="Also write each learner's code to a .py, to compare.")
@click.option("--canvas", type=PATH, metavar="FILE", help="Your Canvas gradebook, to fill in.")
@click.option("--moodle", type=PATH, metavar="FILE",
    help="Your Moodle grading worksheet, to fill in.")
@click.option("--column", default="", metavar="NAME",
    help="First characters of the column's name in the gradebook.")
@click.option("--scheduler", default="", metavar="ADDRESS",
    help="Address of a Dask scheduler, to grade on many machines.")
# fmt: on
def grade(**options: Any) -> int:
    """Grade submissions, each in a sandbox; write feedback and tables.

    SUBMISSIONS are a zip of Moodle or Canvas, a folder (nbgrader's submitted too), or notebooks.
    Points, late work and grades set by hand: DIR/grading.toml (see the README).
    Exit status: 0 all graded, 1 some couldn't be, 2 bad usage or no sandbox here.
    """
    from grading.run import run

    return run(SimpleNamespace(**options))
