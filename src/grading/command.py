"""`course grade`: its options, for the command line of the course, which finds them by an entry point."""

import argparse
from collections.abc import Callable
from pathlib import Path

from course.cli import Option, at_least_one, option

SUBMISSIONS = option(
    "submissions",
    nargs="+",
    type=Path,
    metavar="SUBMISSIONS",
    help="a zip of Moodle or Canvas, a folder (nbgrader's submitted too), or notebooks",
)
OPTIONS: tuple[Option, ...] = (
    SUBMISSIONS,
    option("--chapter", default="", metavar="NN", help="of all of them (each says its own)"),
    option("--out", type=Path, metavar="DIR", help="folder for the grades (build/grades)"),
    option(
        "--cohort",
        default="",
        metavar="SECRET",
        help="what the hidden inputs are drawn from (DIR/cohort: drawn once, kept, for you alone)",
    ),
    option("-j", "--jobs", type=at_least_one, metavar="N", help="at a time (all processors)"),
    option("--trust", action="store_true", help="without a sandbox: whose code you know"),
    option(
        "--student", action="append", default=[], metavar="X", help="run only theirs; again: more"
    ),
    option("--dry-run", action="store_true", help="say what would be run, and write nothing"),
    option("--due", default="", metavar="DATE", help='"2026-10-12 23:59"; later is late'),
    option(
        "--late", default="", metavar="RULE", help='taken off: "10%% a day", "2 points an hour"'
    ),
    option(
        "--anonymous", action="store_true", help="feedback under marks (DIR/names.csv has both)"
    ),
    option("--export-code", action="store_true", help="also one .py a learner, to compare"),
    option("--canvas", type=Path, metavar="FILE", help="your gradebook, to fill in"),
    option("--moodle", type=Path, metavar="FILE", help="your grading worksheet, to fill in"),
    option("--column", default="", metavar="NAME", help="how the gradebook's column begins"),
    option("--scheduler", default="", metavar="ADDRESS", help="Dask's, to grade on many"),
    option("--seed", type=at_least_one, metavar="N", help="of the cohort's `course variants`"),
)


def register(command: Callable) -> None:
    """Add `course grade`, as the command line adds its own."""
    command(
        "grade", _grade, "grade what learners handed in, each in a sandbox; feedback and tables",
        *OPTIONS,
        epilog="Points, late work and grades set by hand: DIR/grading.toml (see the README). "
        "Exit status: 0 all graded, 1 some couldn't be, 2 bad usage or no sandbox here.",
    )  # fmt: skip


def _grade(arguments: argparse.Namespace) -> int:
    from grading.run import run

    return run(arguments)
