"""`course grade`: from submissions to the folder with grades and feedback."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course.errors import CourseError
from course.learn import draws
from course.notebooks import write_text
from grading import feedback, many, results, tables
from grading.sandbox import is_shown, refuse_or_go
from grading.submissions import Submission, file_name, find
from grading.summary import summary


@dataclass(frozen=True)
class Wish:
    """What the command line asks for."""

    places: list[Path]
    out: Path
    chapter: str = ""
    cohort: str = ""
    jobs: int = 1
    trust: bool = False
    export_code: bool = False
    canvas: Path | None = None
    moodle: Path | None = None
    column: str = ""
    scheduler: str = ""
    variant: str = ""


def run(wish: Wish) -> int:
    """Grade what isn't graded yet, and write all tables anew. 1 if something couldn't be graded."""
    for place in [] if wish.trust else [*wish.places, wish.out]:
        if is_shown(place):
            raise CourseError(
                f"expected submissions and grades where no sandbox sees them, got {place}, in a folder "
                "of the system or of Python: move them, such as into your home"
            )
    found, told = find(wish.places, wish.chapter)
    if not wish.scheduler:
        refuse_or_go(wish.trust)
    for sentence in told:
        print(f"course: {sentence}", file=sys.stderr)
    draws.variant(wish.variant)
    cohort = many.seed(wish.out, wish.cohort)
    ready = many.exercises({one.chapter for one in found if one.chapter}, cohort)
    todo = many.left_to_do(wish.out, found, ready, cohort)
    for one, exercises in _with_bar(wish, todo, ready, cohort, len(found)):
        results.keep(wish.out, one, exercises)
    students = _of(wish.out, found)
    for student in students:
        feedback.write(wish.out, student, ready)
    feedback.write_for_moodle(wish.out, students)
    tables.write(wish.out, students)
    write_text(summary(students), wish.out / "summary.md")
    if wish.export_code:
        _export(wish.out, found)
    _give_back(wish, students)
    bad = [
        f"{student['student']} ({found['where']})"
        for student in students
        for found in student["chapters"].values()
        if found["fault"] or any(r["status"] == "not graded" for r in found["exercises"].values())
    ]
    print(f"{len(found)} submissions, {len(found) - len(todo)} of them graded before; ", end="")
    print(f"grades, feedback and summary.md are in {wish.out}")
    if bad:
        print(f"course: not graded: {', '.join(bad)}", file=sys.stderr)
    return 1 if bad else 0


def _of(out: Path, found: list[Submission]) -> list[dict[str, Any]]:
    """What is kept of those who have handed in something now, learner by learner."""
    return [results.stored(out, student) for student in sorted({one.student for one in found})]


def _with_bar(
    wish: Wish, todo: list[Submission], ready: many.Exercises, cohort: str, total: int
) -> Iterator[tuple[Submission, many.Results]]:
    from tqdm import tqdm

    if wish.scheduler:
        from grading.cluster import grade

        way = grade(todo, ready, cohort, wish.scheduler, wish.trust)
    else:
        way = many.grade(todo, ready, cohort, wish.jobs, wish.trust)
    done = total - len(todo)
    with tqdm(total=total, initial=done, unit="submission", disable=not todo) as bar:
        for one, exercises in way:
            yield one, exercises
            bar.update()


def _export(out: Path, found: list[Submission]) -> None:
    """One .py a learner, for who compares their code."""
    by_student: dict[str, list[str]] = {}
    for one in found:
        cells = "\n\n".join(one.cells)
        by_student.setdefault(one.student, []).append(f"# chapter {one.chapter}\n\n{cells}\n")
    for student, parts in by_student.items():
        text = "\n\n".join(parts).encode("utf-8", "replace").decode("utf-8")
        write_text(text, out / "code" / f"{file_name(student)}.py")


def _give_back(wish: Wish, students: list[dict[str, Any]]) -> None:
    """The instructor's own exports, with the grades in them."""
    for way, export in ((tables.canvas, wish.canvas), (tables.moodle, wish.moodle)):
        if export is None:
            continue
        target = wish.out / export.name
        if target.resolve() == export.resolve():
            raise CourseError(
                f"expected an export elsewhere than in {wish.out}: move {export.name}"
            )
        text, told = way(export, students, wish.column or wish.chapter)
        write_text(text, target)
        for sentence in told:
            print(f"course: {sentence}", file=sys.stderr)
