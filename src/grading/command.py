"""`course grade`, which the `course` command finds by the entry point `course.commands`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from course import notebooks
from course.cli import PATH, N, processors


@click.command()
@click.argument("submissions", nargs=-1, required=True, type=PATH)
@click.option("--chapter", default="", metavar="NN", help="Of all of them (each says its own).")
@click.option("--out", type=PATH, metavar="DIR", help="Folder for the grades (build/grades).")
@click.option(
    "--cohort", default="", metavar="SECRET",
    help="What the hidden inputs are drawn from (a secret of its own for each DIR).",
)  # fmt: skip
@click.option("-j", "--jobs", type=N, help="At a time (as many as processors).")
@click.option("--trust", is_flag=True, help="Without a sandbox: whose code you know.")
@click.option("--export-code", is_flag=True, help="Also one .py a learner, to compare.")
@click.option("--canvas", type=PATH, metavar="FILE", help="Your gradebook, to fill in.")
@click.option("--moodle", type=PATH, metavar="FILE", help="Your grading worksheet, to fill in.")
@click.option("--column", default="", metavar="NAME", help="How the gradebook's column begins.")
@click.option("--scheduler", default="", metavar="ADDRESS", help="Dask's, to grade on many.")
@click.option("--seed", type=N, help="Of the cohort's `course variants`.")
def grade(
    submissions: Sequence[Path],
    chapter: str,
    out: Path | None,
    cohort: str,
    jobs: int | None,
    trust: bool,
    export_code: bool,
    canvas: Path | None,
    moodle: Path | None,
    column: str,
    scheduler: str,
    seed: int | None,
) -> int:
    """Grade what learners handed in, each in a sandbox.

    SUBMISSIONS are a zip of Moodle or Canvas, a folder (nbgrader's submitted too), or notebooks.
    Exit status: 0 all graded, 1 some couldn't be, 2 bad usage or no sandbox here.
    """
    from grading.run import Wish, run

    wish = Wish(
        list(submissions),
        out or notebooks.root() / "build" / "grades",
        chapter.zfill(2) if chapter else "",
        cohort,
        jobs or processors(),
        trust,
        export_code,
        canvas,
        moodle,
        column,
        scheduler,
        str(seed or ""),
    )
    return run(wish)
