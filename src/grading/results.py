"""Store the results of each learner in a JSON file; grading again replaces them chapter by chapter."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from course.errors import CourseError
from course.files import write_text
from grading.submissions import Submission, file_name, plain

FOLDER = "results"
Students = list[dict[str, Any]]
KEPT = ("assignment", "where", "time", "late", "hash", "fault", "name")


def path(out: Path, student: str) -> Path:
    """The path of a learner's results."""
    return out / FOLDER / f"{file_name(student)}.json"


def stored(out: Path, student: str) -> dict[str, Any]:
    """The results that are stored for a learner so far. Raises CourseError if the file is broken."""
    try:
        found = json.loads(path(out, student).read_text(encoding="utf-8"))
        if not isinstance(found["chapters"], dict):
            raise TypeError
        return found
    except FileNotFoundError:
        return {"student": student, "chapters": {}}
    except (OSError, ValueError, KeyError, TypeError):
        raise CourseError(
            f"expected results in {path(out, student)}, as this command writes them: "
            "delete the file, and the learner is graded again"
        ) from None


def is_done(out: Path, one: Submission, versions: dict[str, str]) -> bool:
    """True if exactly this submission has been graded with these versions of the exercises.

    A submission that can be read, but whose judge ended without a verdict, will be graded again.
    """
    kept = stored(out, one.student)["chapters"].get(one.chapter)
    if not kept or kept["hash"] != one.hash or kept["fault"] != one.fault:
        return False
    found = kept["exercises"].items()
    tried = one.fault or all(result["status"] != "not graded" for _, result in found)
    return bool(tried) and {id: result["version"] for id, result in found} == versions


def keep(out: Path, one: Submission, exercises: dict[str, dict]) -> None:
    """Store the results of a submission, and replace the earlier ones for its chapter."""
    found = stored(out, one.student)
    facts = {key: value for key, value in asdict(one).items() if key in KEPT}
    found["chapters"][one.chapter] = _plain({**facts, "exercises": exercises})
    if one.chapter:  # an earlier submission without a chapter doesn't count any more
        found["chapters"].pop("", None)
    found["chapters"] = dict(sorted(found["chapters"].items()))
    text = json.dumps(found, indent=1, ensure_ascii=True, sort_keys=True)
    write_text(text + "\n", path(out, one.student))


def _plain(value: Any) -> Any:
    """The same results with each text made `plain`, except for line breaks and tabs."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return plain(value, "\n\t") if isinstance(value, str) else value


def submissions(students: Students) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the learner's id, the chapter and the results of each submission."""
    for student in students:
        for chapter, found in student["chapters"].items():
            yield student["student"], chapter, found


def is_graded(submission: dict[str, Any]) -> bool:
    """True if the submission was graded by hand, or if each of its exercises was judged or graded by hand."""
    exercises = submission["exercises"].values()
    done = all(r["status"] != "not graded" or r.get("by_hand") for r in exercises)
    return "by_hand" in submission or (not submission["fault"] and done)


def mark(student: str, cohort: str) -> str:
    """A code for a learner, which reveals nothing to people who don't know the cohort's secret."""
    return hashlib.sha256(f"{cohort}/{student}".encode()).hexdigest()[:10]
