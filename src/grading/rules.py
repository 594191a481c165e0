"""Turn results into points: what exercises are worth, late work, and grades set by hand (`grading.toml`).

The file is in the folder of the grades. Each entry is optional, and no change makes any code run again:

    due = 2026-10-12T23:59:00     # compared with the dates of submissions: UTC for files in a folder
    late = "10% a day"            # of the possible points, for each day begun; or "2 points an hour"

    [points]                      # 1 for an exercise that isn't listed; with 0 it doesn't count
    "04.mean_past" = 2

    [dues]                        # of chapters with a different due date
    "08" = 2026-11-02T23:59:00

    [[by_hand]]                   # a grade that later runs keep
    student = "ada"               # or the code on an anonymous page
    what = "04.mean_past"         # an exercise, or a chapter, for which then nothing else counts
    points = 1.5
    why = "The idea is right."

Canvas marks late work itself (LATE in a file's name), and of its files only these count as late, by at
least one day, hour or week, even if the date is earlier. Moodle's worksheet has the dates of submission.
"""

import math
import re
import tomllib
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from course.errors import CourseError
from course.learn.exercises import known
from grading.results import mark

FILE = "grading.toml"
LATE = re.compile(r"(\d+(?:\.\d+)?) ?(%|points?) an? (hour|day|week)")
UNITS = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(weeks=1)}
KINDS = {"due": datetime, "late": str, "points": dict, "dues": dict, "by_hand": list}
OF_HAND = {"student": str, "what": str, "points": (int, float), "why": str}


@dataclass(frozen=True)
class Rules:
    """The rules in `grading.toml`."""

    due: datetime | None = None
    late: str = ""
    points: dict[str, float] = field(default_factory=dict)
    dues: dict[str, datetime] = field(default_factory=dict)
    by_hand: list[dict[str, Any]] = field(default_factory=list)

    def due_of(self, chapter: str) -> datetime | None:
        return self.dues.get(chapter, self.due)


def read(out: Path, due: str = "", late: str = "") -> Rules:
    """The rules in a folder of grades; `due` and `late` from the command line replace those of the file."""
    file = out / FILE
    try:
        said = tomllib.loads(file.read_text(encoding="utf-8-sig")) if file.exists() else {}
    except (OSError, ValueError) as error:
        raise CourseError(f"expected TOML in {file}, but: {error}") from None
    _check(said, file)
    rules = Rules(**said)
    rules = replace(rules, due=_date(due) if due else rules.due, late=late or rules.late)
    if rules.late and not LATE.fullmatch(rules.late):
        raise CourseError(
            f'expected late work as "10% a day" or "2 points an hour", got {rules.late!r}'
        )
    if rules.late and not (rules.due or rules.dues):
        raise CourseError("expected a date after which work is late: say --due, or due in " + FILE)
    return rules


def _check(said: dict[str, Any], file: Path) -> None:
    """Raise CourseError for an unknown or missing name, or for a value of the wrong type."""
    exercises = dict.fromkeys(known(), (int, float))
    chapters = {id[:2]: datetime for id in known()}
    _check_table(said, KINDS, "", file)
    _check_table(said.get("points", {}), exercises, " in points", file)
    _check_table(said.get("dues", {}), chapters, " in dues", file)
    for row in said.get("by_hand", []):
        _check_table({"by_hand": row}, {"by_hand": dict}, "", file)
        _check_table(row, OF_HAND, " in by_hand", file)
        if missing := {"student", "what", "points"} - row.keys():
            raise CourseError(f"expected {', '.join(sorted(missing))} in each by_hand of {file}")
        _check_table({row["what"]: 0}, exercises | dict.fromkeys(chapters, int), "", file)


def _check_table(said: dict[str, Any], kinds: dict[str, Any], where: str, file: Path) -> None:
    for name, value in said.items():
        if name not in kinds:
            names = "an exercise or a chapter" if len(kinds) > 5 else f"one of {', '.join(kinds)}"
            raise CourseError(f"expected {names}{where} in {file}, got {name!r}")
        is_number = isinstance(value, int | float)
        if not isinstance(value, kinds[name]) or (is_number and not 0 <= value < math.inf):
            raise CourseError(
                f"expected another kind of value for {name}{where} in {file}, got {value!r}"
            )


def _date(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise CourseError(f'expected a date such as "2026-10-12 23:59", got {text!r}') from None


def apply(
    rules: Rules, students: list[dict[str, Any]], cohort: str, times: dict[str, str]
) -> None:
    """Add points to the results. `times` has dates of submission that a platform knows better, by learner."""
    for student in students:
        names = {student["student"], mark(student["student"], cohort)}
        hand = {row["what"]: row for row in rules.by_hand if row["student"] in names}
        for chapter, found in student["chapters"].items():
            found["time"] = times.get(student["student"], found["time"])
            for id, result in found["exercises"].items():
                result["max"] = rules.points.get(id, 1)
                result["points"] = result["max"] if result["status"] == "passed" else 0
                _set_by_hand(result, hand.get(id))
            _sum_up(found, chapter, rules)
            _set_by_hand(found, hand.get(chapter))


def _set_by_hand(marked: dict[str, Any], row: dict[str, Any] | None) -> None:
    if row:
        why = row.get("why", "")
        said = f"Set by hand. {why}".strip()
        marked |= {"points": row["points"], "by_hand": said, "said": said}


def _sum_up(found: dict[str, Any], chapter: str, rules: Rules) -> None:
    """Add up the points of a submission, and subtract points if it is late."""
    results, due = found["exercises"].values(), rules.due_of(chapter)
    raw, most = sum(r["points"] for r in results), sum(r["max"] for r in results)
    off, said = 0.0, ""
    if rules.late and due and (units := _units_late(found, due, rules.late)):
        amount, kind, unit = LATE.fullmatch(rules.late).groups()
        off = min(raw, round(units * float(amount) * (most / 100 if kind == "%" else 1), 2))
        said = f"Late by {units} {unit}{'s' * (units > 1)}: {off:g} points less ({rules.late})."
    found |= {"raw": raw, "max": most, "off": off, "points": raw - off, "said": said}
    found["due"] = str(due or "")


def _units_late(found: dict[str, Any], due: datetime, late: str) -> int:
    """How many hours, days or weeks late a submission is, counting each that has begun."""
    if found["late"] is False:
        return 0
    time = datetime.fromisoformat(found["time"].replace(" UTC", "")) if found["time"] else due
    if due.tzinfo:
        time = time.replace(tzinfo=UTC)
    since = time - due
    units = math.ceil(since / UNITS[LATE.fullmatch(late)[3]])
    return max(units, int(found["late"] is True), 0)
