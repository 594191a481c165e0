"""Write grades into tables, in the formats of nbgrader, Otter, Canvas and Moodle.

If a spreadsheet would take a text for a formula, an apostrophe is put before it. In the instructor's
own export only grades and comments change, and all other fields stay the same.
"""

import csv
import io
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from course.errors import CourseError
from course.files import write_text
from grading.results import Students, is_graded, submissions

FORMULA = ("=", "+", "-", "@", "\t", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
NBGRADER = (
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
    *("raw_score", "late_submission_penalty", "score", "max_score"),
)
OTTER = ("percent_correct", "total_points_earned", "file", "grading_status")
CANVAS = ("Student", "ID")
MOODLE = ("Identifier", "Grade")
DONE = "Completed"
POSSIBLE = "Points Possible"  # in the second row of a Canvas export
COMMENTS = "Feedback comments"
PARTICIPANT = "Participant "
MODIFIED = "Last modified (submission)"


def safe(value: Any) -> Any:
    """The value, or a text that no spreadsheet takes for a formula.

    >>> safe("=1+1"), safe(-2.5), safe("O'Neil")
    ("'=1+1", -2.5, "O'Neil")
    """
    if not isinstance(value, str):
        return value
    text = value.replace("\r", "\n")  # csv always puts a line break in quotes
    return f"'{text}" if text.startswith(FORMULA) else text


def _text(rows: list[list[Any]], **form: Any) -> str:
    """The rows as CSV; `form` has options of csv, such as an export's delimiter."""
    file = io.StringIO()
    csv.writer(file, **{"lineterminator": "\n", **form}).writerows(rows)
    return file.getvalue()


def grades(students: Students) -> str:
    """A CSV with a row for each submission, in nbgrader's columns."""
    rows: list[list[Any]] = [[*NBGRADER]]
    for student, chapter, found in submissions(students):
        assignment, time = found["assignment"] or f"chapter {chapter or '?'}", found["time"]
        first, _, last = found["name"].rpartition(" ")
        marks = ["", "", "", f"{found['max']:g}"]  # empty, because 0 would be a grade
        if is_graded(found):
            marks = [f"{found[key]:g}" for key in ("raw", "off", "points", "max")]
        row = [assignment, found["due"], time, student, last, first, ""]
        rows.append([*map(safe, row), *marks])
    return _text(rows)


def by_exercise(students: Students, chapter: str) -> str:
    """A CSV as Otter writes it: a row for each submission of a chapter, a column for each exercise."""
    here = [(student, found) for student, one, found in submissions(students) if one == chapter]
    ids = (item for _, found in here for item in found["exercises"].items())
    most = {id: result["max"] for id, result in sorted(ids, key=lambda item: item[0])}
    of_each = [f"{n:g}" for n in most.values()]
    rows: list[list[Any]] = [["student_id", *most, *OTTER]]
    rows.append(["points-per-question", *of_each, "", sum(most.values()), "", ""])
    for student, found in here:
        points, results = found["points"], found["exercises"]
        each = [f"{results.get(id, {}).get('points', 0):g}" for id in most]
        marks = [*each, f"{points / (found['max'] or 1):g}", f"{points:g}"]
        rows.append([safe(student), *marks, safe(found["where"]), safe(found["fault"] or DONE)])
    return _text(rows)


def write(out: Path, students: Students, names: dict[str, str]) -> None:
    """Write all tables that need no export of the instructor's; `names` are the learners' codes, if any."""
    if names:
        rows = [["code", "student_id"], *([mark, safe(id)] for id, mark in names.items())]
        write_text(_text(rows), out / "names.csv")
    write_text(grades(students), out / "grades.csv")
    for chapter in {chapter for _, chapter, _ in submissions(students)}:
        write_text(by_exercise(students, chapter), out / f"grades_{chapter or 'none'}.csv")


# ---------------------------------------------------------------- the instructor's own


class Export:
    """A table that the instructor exported; only the fields that are filled in change."""

    def __init__(self, path: Path, wanted: tuple[str, ...]):
        self.path = path
        try:
            with path.open(encoding="utf-8", newline="") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError) as error:
            raise CourseError(f"expected a table in {path}, but: {error}") from None
        self.mark = "\ufeff" if text.startswith("\ufeff") else ""
        text = text.removeprefix(self.mark)
        first = text.split("\n")[0]
        delimiter = max(",;\t", key=first.count)
        end = "\r\n" if first.endswith("\r") else "\n"
        self.form = {"delimiter": delimiter, "lineterminator": end}
        rows = [*csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)]
        self.header, *self.rows = rows or [[]]
        if not set(wanted) <= set(self.header):
            raise CourseError(
                f"expected the columns {', '.join(wanted)} in {path}, got {', '.join(self.header)}: "
                "export it again, as it comes"
            )

    def field(self, row: list[str], name: str) -> str:
        """The value of a row in a column, or "" if there is no such column."""
        place = self.header.index(name) if name in self.header else len(row)
        return row[place].strip() if place < len(row) else ""

    def id(self, row: list[str]) -> str:
        """The id of the learner whose row it is."""
        return self.field(row, "ID") or self.field(row, "Identifier").removeprefix(PARTICIPANT)

    def filled(
        self, students: Students, chapter: str, place: int, grade: Callable[[list[str], dict], str]
    ) -> tuple[str, list[str]]:
        """The table with grades in the column `place`, and a sentence for each row that needs a look."""
        left = {s["student"]: s["chapters"][chapter] for s in students if chapter in s["chapters"]}
        told = []
        for row in self.rows:
            id = self.id(row)
            if id not in left or len(row) <= place:
                continue
            submission = left.pop(id)
            if not is_graded(submission):
                told.append(f"{id}: not graded, so the row in {self.path.name} is as it was")
                continue
            old, row[place] = row[place].strip(), grade(row, submission)
            if old and _float(old, -1) != float(row[place]):
                told.append(f"{id}: {old} stood in {self.path.name}, and is {row[place]} now")
        text = self.mark + _text([self.header, *self.rows], **self.form)
        return text, told + [f"{id}: graded, but not in {self.path.name}" for id in sorted(left)]


def canvas(path: Path, students: Students, column: str) -> tuple[str, list[str]]:
    """Fill points into one column of a Canvas gradebook, scaled to its "Points Possible"; see `filled`."""
    export, chapter = Export(path, CANVAS), _chapter(students, column)
    place = _column(export, column, chapter)
    heads = [row for row in export.rows if row and row[0].strip() == POSSIBLE]
    possible = _float(export.field(heads[0], export.header[place]), 0) if heads else 0

    def grade(_: list[str], found: dict[str, Any]) -> str:
        most = found["max"]
        return f"{round(found['points'] * (possible or most) / (most or 1), 2):g}"

    return export.filled(students, chapter, place, grade)


def moodle(path: Path, students: Students, column: str) -> tuple[str, list[str]]:
    """Fill grades and comments into a Moodle grading worksheet; see `filled`."""
    export, chapter = Export(path, MOODLE), _chapter(students, column)

    def grade(row: list[str], found: dict[str, Any]) -> str:
        if COMMENTS in export.header:
            says = [" ".join(result["told"]) for result in found["exercises"].values()]
            row[export.header.index(COMMENTS)] = safe("\n".join([*says, found["said"]]).strip())
        most = _float(export.field(row, "Maximum Grade"), found["max"])
        return f"{found['points'] * most / (found['max'] or 1):.2f}"

    return export.filled(students, chapter, export.header.index("Grade"), grade)


def moodles_times(path: Path) -> dict[str, str]:
    """The date of each participant's submission, by id, if the worksheet has it in English."""
    export, found = Export(path, MOODLE), {}
    for row in export.rows:
        with suppress(ValueError):
            time = datetime.strptime(export.field(row, MODIFIED), "%A, %d %B %Y, %I:%M %p")
            found[export.id(row)] = str(time)
    return found


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


def _column(export: Export, column: str, chapter: str) -> int:
    """The index of the column for the points. Raises CourseError unless exactly one column fits."""
    first = export.header.index("ID") + 1
    fits = [
        n
        for n, name in enumerate(export.header)
        if n >= first and (name.startswith(column) if column else chapter in name)
    ]
    if len(fits) == 1:
        return fits[0]
    named = f"that begins with {column!r}" if column else "with the chapter's number in its name"
    raise CourseError(
        f"expected one column {named} in {export.path}, found {len(fits)}: name it by `--column`, "
        f"it is one of {', '.join(export.header[first:])}"
    )
