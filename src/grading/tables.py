"""Tables for those who keep the grades, in the forms that their programs read.

A text that a spreadsheet would take for a formula gets an apostrophe before it. In the instructor's
own export only the grades and comments change; every other field stays as it was.
"""

import csv
import io
import json
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from course.errors import CourseError
from course.notebooks import write_text
from grading.results import is_graded
from grading.submissions import file_name

Students = list[dict[str, Any]]
FORMULA = ("=", "+", "-", "@", "\t", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
NBGRADER = (
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
    *("raw_score", "late_submission_penalty", "score", "max_score"),
)
OTTER = ("percent_correct", "total_points_earned", "file", "grading_status")
CANVAS = ("Student", "ID")
MOODLE = ("Identifier", "Grade")
POSSIBLE = "Points Possible"  # in the second row of a Canvas export
COMMENTS = "Feedback comments"
PARTICIPANT = "Participant "
MODIFIED = "Last modified (submission)"


def safe(value: Any) -> Any:
    """A field that no spreadsheet calculates.

    >>> safe("=1+1"), safe(-2.5), safe("O'Neil")
    ("'=1+1", -2.5, "O'Neil")
    """
    if not isinstance(value, str):
        return value
    text = value.replace("\r", "\n")  # which csv always puts in quotes
    return f"'{text}" if text.startswith(FORMULA) else text


def _text(rows: list[list[Any]], **form: Any) -> str:
    file = io.StringIO()
    csv.writer(file, **{"lineterminator": "\n", **form}).writerows(rows)
    return file.getvalue()


def _number(value: float) -> str:
    return f"{value:g}"


def grades(students: Students) -> str:
    """A row for each submission, in nbgrader's columns."""
    rows: list[list[Any]] = [[*NBGRADER]]
    for student in students:
        for chapter, found in student["chapters"].items():
            assignment, time = found["assignment"] or f"chapter {chapter or '?'}", found["time"]
            *first, last = found["name"].split(" ") if found["name"] else ("",)
            row = [assignment, found["due"], time, student["student"], last, " ".join(first), ""]
            marks = ["", "", "", _number(found["max"])]  # a zero would be a grade
            if is_graded(found):
                marks = [_number(found[key]) for key in ("raw", "off", "points", "max")]
            rows.append([*map(safe, row), *marks])
    return _text(rows)


def by_exercise(students: Students, chapter: str) -> str:
    """A row for each submission of a chapter, a column for each exercise, as Otter has it."""
    here = [(s["student"], s["chapters"][chapter]) for s in students if chapter in s["chapters"]]
    ids = sorted({id for _, found in here for id in found["exercises"]})
    most = {id: r["max"] for _, found in here for id, r in found["exercises"].items()}
    rows: list[list[Any]] = [["student_id", *ids, *OTTER]]
    total = sum(most.values())
    rows.append(["points-per-question", *(_number(most[id]) for id in ids), "", total, "", ""])
    for student, found in here:
        points, of = found["points"], found["max"]
        each = [_number(found["exercises"].get(id, {}).get("points", 0)) for id in ids]
        status = found["fault"] or "Completed"
        share = _number(points / of if of else 0)
        row = [safe(student), *each, share, _number(points), safe(found["where"]), safe(status)]
        rows.append(row)
    return _text(rows)


def gradescope(found: dict[str, Any]) -> str:
    """The results of a submission as Gradescope's autograders write them."""
    tests = [
        {
            "name": id,
            "score": result["points"],
            "max_score": result["max"],
            "status": "passed" if result["status"] == "passed" else "failed",
            "visibility": "visible",
            "output": "\n".join(result["told"]),
        }
        for id, result in found["exercises"].items()
    ]
    said = found["fault"] or found["said"]
    facts = {"score": found["points"], "output": said, "visibility": "visible", "tests": tests}
    return json.dumps(facts, indent=1) + "\n"


def write(out: Path, students: Students, names: dict[str, str]) -> None:
    """All tables that need no export of the instructor's; `names` are marks instead of them."""
    if names:
        rows = [["mark", "student_id"], *([mark, safe(id)] for id, mark in names.items())]
        write_text(_text(rows), out / "names.csv")
    write_text(grades(students), out / "grades.csv")
    for chapter in sorted({chapter for s in students for chapter in s["chapters"]}):
        write_text(by_exercise(students, chapter), out / f"grades_{chapter or 'none'}.csv")
    for student in students:
        for chapter, found in student["chapters"].items():
            folder = out / "gradescope" / file_name(student["student"]) / (chapter or "none")
            write_text(gradescope(found), folder / "results.json")


# ---------------------------------------------------------------- the instructor's own


def canvas(export: Path, students: Students, column: str) -> tuple[str, list[str]]:
    """A Canvas gradebook with the points in one column, and a sentence on whatever needs a look.

    The points are a share of those that its second row says are possible.
    """
    rows, form, mark = _read(export, CANVAS)
    header, by_id = rows[0], {s["student"]: s for s in students}
    place = _column(header, column, students, header.index("ID") + 1, export)
    chapter, found, told = _chapter(students, column), set(), []
    heads = [row for row in rows[1:] if _field(row, 0).strip() == POSSIBLE]
    possible = _float(_field(heads[0], place), 0) if heads else 0
    for row in rows[1:]:
        student = by_id.get(_field(row, header.index("ID")).strip())
        if student and chapter in student["chapters"] and len(row) > place:
            submission = student["chapters"][chapter]
            points, most = submission["points"], submission["max"]
            new = _number(round(points * (possible or most) / (most or 1), 2))
            told += _put(row, place, new, student["student"], submission, export)
            found.add(student["student"])
    return mark + _text(rows, **form), told + _missing(by_id, found, chapter, export)


def moodle(export: Path, students: Students, column: str) -> tuple[str, list[str]]:
    """A Moodle grading worksheet with grades and comments, and a sentence on what needs a look."""
    rows, form, mark = _read(export, MOODLE)
    header, by_id = rows[0], {s["student"]: s for s in students}
    place, chapter, found = header.index("Grade"), _chapter(students, column), set()
    told: list[str] = []
    for row in rows[1:]:
        id = _participant(row, header)
        student = by_id.get(id)
        if student and chapter in student["chapters"] and len(row) == len(header):
            submission = student["chapters"][chapter]
            points, most = submission["points"], submission["max"]
            if "Maximum Grade" in header:
                points *= _float(row[header.index("Maximum Grade")], most) / (most or 1)
            told += _put(row, place, f"{points:.2f}", id, submission, export)
            if COMMENTS in header and is_graded(submission):
                says = [" ".join(r["told"]) for r in submission["exercises"].values()]
                row[header.index(COMMENTS)] = safe("\n".join(says))
            found.add(id)
    return mark + _text(rows, **form), told + _missing(by_id, found, chapter, export)


def moodles_times(export: Path) -> dict[str, str]:
    """When each participant has handed in, as far as a worksheet says so in English."""
    (header, *rows), *_ = _read(export, MOODLE)
    found = {}
    for row in rows if MODIFIED in header else ():
        with suppress(ValueError):
            time = datetime.strptime(_field(row, header.index(MODIFIED)), "%A, %d %B %Y, %I:%M %p")
            found[_participant(row, header)] = str(time)
    return found


def _participant(row: list[str], header: list[str]) -> str:
    return _field(row, header.index("Identifier")).strip().removeprefix(PARTICIPANT)


def _put(
    row: list[str], place: int, new: str, id: str, submission: dict[str, Any], export: Path
) -> list[str]:
    """Write a grade into its place; a sentence if there is none, or if another one stood there."""
    if not is_graded(submission):
        return [f"{id}: not graded, so the row in {export.name} is as it was"]
    old, row[place] = row[place], new
    if old.strip() and _float(old, -1) != float(new):
        return [f"{id}: {old.strip()} stood in {export.name}, and is {new} now"]
    return []


def _read(export: Path, wanted: tuple[str, ...]) -> tuple[list[list[str]], dict[str, Any], str]:
    """The rows of an export, the form it is written in, and the mark that it begins with."""
    text = _as_it_is(export)
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    first = text.removeprefix(mark).split("\n")[0]
    delimiter = max(",;\t", key=first.count)
    rows = list(csv.reader(io.StringIO(text.removeprefix(mark), newline=""), delimiter=delimiter))
    if not rows or not set(wanted) <= set(rows[0]):
        raise CourseError(
            f"expected the columns {', '.join(wanted)} in {export}, got {', '.join(rows[0] if rows else [])}: "
            "export it again, as it comes"
        )
    end = "\r\n" if first.endswith("\r") else "\n"
    return rows, {"delimiter": delimiter, "lineterminator": end}, mark


def _as_it_is(export: Path) -> str:
    """The text of a file, with its own ends of lines."""
    try:
        with export.open(encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"expected a table in {export}, but: {error}") from None


def _field(row: list[str], place: int) -> str:
    return row[place] if len(row) > place else ""


def _float(text: str, otherwise: float) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return otherwise


def _chapter(students: Students, column: str) -> str:
    """The chapter that an export is about: the only one, or the one that the column names."""
    chapters = sorted({chapter for s in students for chapter in s["chapters"] if chapter})
    named = [chapter for chapter in chapters if chapter in column]
    if len(chapters) == 1 or len(named) == 1:
        return (named or chapters)[0]
    raise CourseError(
        f"expected one chapter for an export, got {', '.join(chapters)}: add `--chapter NN`"
    )


def _column(header: list[str], column: str, students: Students, first: int, export: Path) -> int:
    """The place of the column for the points."""
    exact: Callable[[str], bool] = lambda name: bool(column) and name.startswith(column)  # noqa: E731
    about: Callable[[str], bool] = lambda name: _chapter(students, column) in name  # noqa: E731
    fits = [
        n for n, name in enumerate(header) if n >= first and (exact if column else about)(name)
    ]
    if len(fits) != 1:
        named = (
            f"that begins with {column!r}" if column else "with the chapter's number in its name"
        )
        raise CourseError(
            f"expected one column {named} in {export}, found {len(fits)}: name it by `--column`, "
            f"it is one of {', '.join(header[first:])}"
        )
    return fits[0]


def _missing(by_id: dict[str, Any], found: set[str], chapter: str, export: Path) -> list[str]:
    left = [
        id for id, student in by_id.items() if id not in found and chapter in student["chapters"]
    ]
    return [f"{id}: graded, but not in {export.name}" for id in sorted(left)]
