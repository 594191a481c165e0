"""`course grade`: its options, for the command line of the course, which finds them by an entry point."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import click

from course.cli import PATH, N, into, processors


@click.command()
@click.argument("submissions", nargs=-1, required=True, type=PATH)
@click.option("--chapter", default="", metavar="NN", help="Of all of them (each says its own).")
@into("grades")
@click.option(
    "--cohort", default="", metavar="SECRET",
    help="What the hidden inputs are drawn from (DIR/cohort: drawn once, kept, for you alone).",
)  # fmt: skip
@click.option("-j", "--jobs", type=N, default=processors, help="At a time (all processors).")
@click.option("--trust", is_flag=True, help="Without a sandbox: whose code you know.")
@click.option("--student", multiple=True, metavar="X", help="Run only theirs; again: more.")
@click.option("--dry-run", is_flag=True, help="Say what would be run, and write nothing.")
@click.option("--due", default="", metavar="DATE", help='"2026-10-12 23:59"; later is late.')
@click.option(
    "--late", default="", metavar="RULE", help='Taken off: "10% a day", "2 points an hour".'
)
@click.option("--anonymous", is_flag=True, help="Feedback under marks (DIR/names.csv has both).")
@click.option("--export-code", is_flag=True, help="Also one .py a learner, to compare.")
@click.option("--canvas", type=PATH, metavar="FILE", help="Your gradebook, to fill in.")
@click.option("--moodle", type=PATH, metavar="FILE", help="Your grading worksheet, to fill in.")
@click.option("--column", default="", metavar="NAME", help="How the gradebook's column begins.")
@click.option("--scheduler", default="", metavar="ADDRESS", help="Dask's, to grade on many.")
@click.option("--seed", type=N, help="Of the cohort's `course variants`.")
def grade(**wish: Any) -> int:
    """Grade what learners handed in, each in a sandbox; feedback and tables.

    SUBMISSIONS are a zip of Moodle or Canvas, a folder (nbgrader's submitted too), or notebooks.
    Points, late work and grades set by hand: DIR/grading.toml (see the README).
    Exit status: 0 all graded, 1 some couldn't be, 2 bad usage or no sandbox here.
    """
    from grading.run import run

    return run(SimpleNamespace(**wish))
