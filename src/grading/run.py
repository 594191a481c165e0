"""`course grade`: from submissions to the folder with grades and feedback."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from filelock import FileLock, Timeout

from course.errors import CourseError
from course.files import write_text
from course.learn import draws
from grading import feedback, many, results, rules, tables
from grading.sandbox import is_shown, refuse_or_go
from grading.submissions import Submission, file_name, find
from grading.summary import summary


def run(wish: SimpleNamespace) -> int:
    """Grade what isn't graded yet, and write all tables anew. 1 if something couldn't be graded."""
    out = wish.out
    wish.chapter = wish.chapter.zfill(2) if wish.chapter else ""
    for place in [] if wish.trust else [*wish.submissions, out]:
        if is_shown(place):
            raise CourseError(
                f"expected submissions and grades where no sandbox sees them, got {place}, in a folder "
                "of the system or of Python: move them, such as into your home"
            )
    found, told = find(wish.submissions, wish.chapter)
    _check_students(wish.student, found)
    known = rules.read(out, wish.due, wish.late)
    for sentence in told:
        print(f"course: {sentence}", file=sys.stderr)
    draws.variant(str(wish.seed or ""))
    if wish.dry_run:
        return _tell(wish, found)
    if not wish.scheduler:
        refuse_or_go(wish.trust)
    out.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(out / ".lock", timeout=0):
            return _locked(wish, found, known)
    except Timeout:
        raise CourseError(
            f"expected to be alone in {out}, but another `course grade` is at work there: "
            "wait for it, or name another --out"
        ) from None


def _check_students(wanted: list[str], found: list[Submission]) -> None:
    there = {one.student for one in found}
    if missing := [student for student in wanted if student not in there]:
        raise CourseError(
            f"expected --student to be one of {', '.join(sorted(there))}, got {missing[0]!r}"
        )


def _ready(
    wish: SimpleNamespace, found: list[Submission], cohort: str
) -> tuple[many.Exercises, list[Submission]]:
    """The exercises, and what is to be graded."""
    ready = many.exercises({one.chapter for one in found if one.chapter})
    todo = many.left_to_do(wish.out, found, ready, cohort)
    return ready, [one for one in todo if not wish.student or one.student in wish.student]


def _tell(wish: SimpleNamespace, found: list[Submission]) -> int:
    """Say what would be done with each submission."""
    _, todo = _ready(wish, found, many.kept_seed(wish.out, wish.cohort))
    for one in found:
        state = one.fault or ("to be graded" if one in todo else "left as it is")
        late = " (late, says Canvas)" if one.late else ""
        print(f"{one.student}, chapter {one.chapter or '?'}: {state}: {one.where}{late}")
    print(f"{len(todo)} of {len(found)} submissions would be graded; nothing was written")
    return 0


def _locked(wish: SimpleNamespace, found: list[Submission], known: rules.Rules) -> int:
    """Grade, and write all that is made of it."""
    cohort = many.seed(wish.out, wish.cohort)
    ready, todo = _ready(wish, found, cohort)
    for one, exercises in _with_bar(wish, todo, ready, cohort):
        results.keep(wish.out, one, exercises)
    students = [results.stored(wish.out, s) for s in sorted({one.student for one in found})]
    times = tables.moodles_times(wish.moodle) if wish.moodle else {}
    rules.apply(known, students, cohort, times)
    names = {s["student"]: results.mark(s["student"], cohort) for s in students}
    names = names if wish.anonymous else {}
    for student in students:
        feedback.write(wish.out, student, ready, names.get(student["student"], ""))
    feedback.write_for_moodle(wish.out, students, names)
    tables.write(wish.out, students, names)
    write_text(summary(students), wish.out / "summary.md")
    if wish.export_code:
        _export(wish.out, found, names)
    _give_back(wish, students)
    return _end(wish, found, todo, students)


def _end(
    wish: SimpleNamespace, found: list[Submission], todo: list[Submission], students: list[dict]
) -> int:
    """The last words, and the exit status."""
    all_of_them = results.submissions(students)
    bad = [
        f"{student} ({c['where']})" for student, _, c in all_of_them if not results.is_graded(c)
    ]
    print(f"{len(found)} submissions, {len(todo)} of them graded now; ", end="")
    print(f"grades, feedback and summary.md are in {wish.out}")
    if bad:
        print(f"course: not graded: {', '.join(bad)}", file=sys.stderr)
    return 1 if bad else 0


def _with_bar(
    wish: SimpleNamespace, todo: list[Submission], ready: many.Exercises, cohort: str
) -> Iterator[tuple[Submission, many.Results]]:
    from tqdm import tqdm

    way = many.here(max(1, min(wish.jobs, len(todo))))
    if wish.scheduler:
        from grading.cluster import workers

        way = workers(wish.scheduler)
    found = many.grade(todo, ready, cohort, wish.trust, way)
    yield from tqdm(found, total=len(todo), unit="submission", disable=not todo)


def _export(out: Path, found: list[Submission], names: dict[str, str]) -> None:
    """One .py a learner, for who compares their code."""
    by_student: dict[str, list[str]] = {}
    for one in found:
        cells = "\n\n".join(one.cells)
        by_student.setdefault(one.student, []).append(f"# chapter {one.chapter}\n\n{cells}\n")
    for student, parts in by_student.items():
        text = "\n\n".join(parts).encode("utf-8", "replace").decode("utf-8")
        write_text(text, out / "code" / f"{names.get(student) or file_name(student)}.py")


def _give_back(wish: SimpleNamespace, students: list[dict[str, Any]]) -> None:
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
