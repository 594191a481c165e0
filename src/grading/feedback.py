"""Write a page for each submission, with what the notebook's checks say about each exercise.

Pages for notebooks from Moodle are also put into a zip, which Moodle can hand out to the learners.
"""

import html
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from course.files import write_bytes, write_text
from course.learn.exercises import Report, report
from course.learn.record import Exercise
from grading.results import Students, is_graded, submissions
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


def write(
    out: Path, students: Students, ready: dict[str, Exercise], names: dict[str, str]
) -> None:
    """Write the pages of all submissions, and for each chapter a zip of those that Moodle hands out.

    `names` are codes to use instead of the learners' names. A zip has only graded submissions.
    """
    zips: dict[str, dict[str, str]] = {}
    for student, chapter, found in submissions(students):
        text = page(student, chapter, found, ready, names.get(student, ""))
        write_text(text, path(out, names.get(student, student), chapter))
        if (start := in_moodles_names(found["where"])) and is_graded(found):
            zips.setdefault(chapter, {})[f"{start}{chapter}.html"] = text
    for chapter, pages in zips.items():
        write_bytes(_zipped(pages), out / f"{FOLDER}_{chapter}.zip")


def path(out: Path, student: str, chapter: str) -> Path:
    """The path of a submission's page."""
    return out / FOLDER / file_name(student) / f"{chapter or 'none'}.html"


def page(
    student: str, chapter: str, found: dict[str, Any], ready: dict[str, Exercise], mark: str
) -> str:
    """The HTML page of a submission; if there is a `mark`, it shows that instead of the learner's name."""
    parts = [part(id, result, ready) for id, result in found["exercises"].items()]
    if found["fault"]:  # with the entire notebook
        where = "" if mark else f"{found['where']}: "
        parts = [f"<p>Not graded. {html.escape(where + found['fault'])}</p>"]
    who = f"{found['name']} ({student})" if found["name"] else student
    title = html.escape(f"Chapter {chapter or '?'}: {mark or who}")
    said = f"{found['points']:g} of {found['max']:g} points. {found['said']}".strip()
    return PAGE.format(title=title, said=html.escape(said), parts="\n".join(parts))


def part(id: str, result: dict[str, Any], ready: dict[str, Exercise]) -> str:
    """The HTML report of an exercise, as the notebook shows it."""
    lines, status = [*_worth(result), *result["told"]], result["status"]
    judged = id in ready and status != "not graded"
    said = report(ready[id], status, lines) if judged else Report(id, status, tuple(lines))
    return said._repr_html_()


def _worth(result: dict[str, Any]) -> list[str]:
    """One line about an exercise's points; none if it is worth the usual one point and not set by hand."""
    by_hand, most = result.get("by_hand", ""), result["max"]
    if not most and not by_hand:
        return ["It doesn't count."]
    worth = f"{result['points']:g} of {most:g} points. {by_hand}".strip()
    return [worth] if by_hand or most != 1 else []


def _zipped(pages: dict[str, str]) -> bytes:
    body = BytesIO()
    with ZipFile(body, "w") as archive:
        for name, text in sorted(pages.items()):
            entry = ZipInfo(name)  # dated 1980, so the zip depends only on the pages
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, text, ZIP_DEFLATED)
    return body.getvalue()
