"""A page for each submission: what the notebook's checks say, exercise by exercise."""

import html
from pathlib import Path
from typing import Any

from course.errors import CourseError
from course.grade.results import score
from course.grade.submissions import file_name
from course.learn.exercises import COLOURS
from course.learn.html import WRONG, exercise_html
from course.learn.record import Exercise
from course.learn.solutions import in_check
from course.notebooks import write_text

FOLDER = "feedback"
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem;
  overflow-wrap: anywhere; }}
.course-exercise {{ margin: 1.5rem 0; }}
pre {{ overflow-x: auto; }}
</style>
<h1>{title}</h1>
<p>{points:g} of {most:g} points.</p>
{parts}
</html>
"""


def write(out: Path, student: dict[str, Any], ready: dict[str, Exercise]) -> None:
    """The pages of a learner, one for each submission."""
    for chapter, found in student["chapters"].items():
        points, most = score(found)
        parts = [part(id, result, ready) for id, result in found["exercises"].items()]
        if found["fault"]:  # of the whole notebook
            parts = [
                f"<p>Not graded. {html.escape(found['where'])}: {html.escape(found['fault'])}</p>"
            ]
        who = f"{found['name']} ({student['student']})" if found["name"] else student["student"]
        title = html.escape(f"Chapter {chapter or '?'}: {who}")
        page = PAGE.format(title=title, points=points, most=most, parts="\n".join(parts))
        write_text(page, path(out, student["student"], chapter))


def path(out: Path, student: str, chapter: str) -> Path:
    """The page of a submission."""
    return out / FOLDER / file_name(student) / f"{chapter or 'none'}.html"


def part(id: str, result: dict[str, Any], ready: dict[str, Exercise]) -> str:
    """An exercise's report, as the notebook shows it."""
    lines, hints, solution = [*result["told"]], [], ""
    if id in ready and result["status"] != "not graded":
        hints = ready[id].hints
        try:
            shown, why = in_check(result["status"] == "passed")
            solution = ready[id].solution if shown else ""
            lines += [why] if why else []
        except CourseError as error:
            lines.append(f"No solution is shown: {error}.")
    return exercise_html(lines, hints, solution, COLOURS.get(result["status"], WRONG))
