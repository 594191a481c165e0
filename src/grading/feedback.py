"""A page for each submission: what the notebook's checks say, exercise by exercise.

Those whose notebooks came from Moodle are in a zip, too, from which Moodle hands them out.
"""

import html
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from course.files import write_bytes, write_text
from course.learn.exercises import Report, report
from course.learn.record import Exercise
from grading.results import is_graded, submissions
from grading.submissions import file_name, in_moodles_names

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
<p>{said}</p>
{parts}
</html>
"""


def write(out: Path, student: dict[str, Any], ready: dict[str, Exercise], mark: str = "") -> None:
    """The pages of a learner, one for each submission; under a mark, without a name."""
    for chapter, found in student["chapters"].items():
        parts = [part(id, result, ready) for id, result in found["exercises"].items()]
        if found["fault"]:  # of the whole notebook
            where = "" if mark else f"{found['where']}: "
            parts = [f"<p>Not graded. {html.escape(where + found['fault'])}</p>"]
        who = f"{found['name']} ({student['student']})" if found["name"] else student["student"]
        title = html.escape(f"Chapter {chapter or '?'}: {mark or who}")
        said = f"{found['points']:g} of {found['max']:g} points. {found['said']}"
        said = html.escape(said.strip())
        page = PAGE.format(title=title, said=said, parts="\n".join(parts))
        write_text(page, path(out, mark or student["student"], chapter))


def write_for_moodle(out: Path, students: list[dict[str, Any]], names: dict[str, str]) -> None:
    """A zip of the pages of a chapter, by the names of which Moodle knows whose they are.

    As in its table, what isn't graded isn't there.
    """
    pages: dict[str, dict[str, Path]] = {}
    for student, chapter, found in submissions(students):
        if (start := in_moodles_names(found["where"])) and is_graded(found):
            page = path(out, names.get(student, student), chapter)
            pages.setdefault(chapter, {})[f"{start}{chapter}.html"] = page
    for chapter, by_name in pages.items():
        body = BytesIO()
        with ZipFile(body, "w") as archive:
            for name, page in sorted(by_name.items()):
                entry = ZipInfo(name)  # of 1980
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, page.read_bytes(), ZIP_DEFLATED)
        write_bytes(body.getvalue(), out / f"{FOLDER}_{chapter}.zip")


def path(out: Path, student: str, chapter: str) -> Path:
    """The page of a submission."""
    return out / FOLDER / file_name(student) / f"{chapter or 'none'}.html"


def part(id: str, result: dict[str, Any], ready: dict[str, Exercise]) -> str:
    """An exercise's report, as the notebook shows it."""
    lines, status = [*_worth(result), *result["told"]], result["status"]
    judged = id in ready and status != "not graded"
    said = report(ready[id], status, lines) if judged else Report(id, status, tuple(lines))
    return said._repr_html_()


def _worth(result: dict[str, Any]) -> list[str]:
    """What an exercise is worth, where it isn't the usual point."""
    if "by_hand" in result:
        return [f"{result['points']:g} of {result['max']:g} points. {result['by_hand']}"]
    if result["max"] == 1:
        return []
    return [
        f"{result['points']:g} of {result['max']:g} points."
        if result["max"]
        else "It doesn't count."
    ]
