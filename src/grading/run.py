"""`course grade`: from submissions to the folder with grades and feedback."""

import secrets
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

from filelock import FileLock, Timeout
from tqdm import tqdm

from course.errors import CourseError
from course.files import write_text
from course.learn.exercises import known, load
from grading import feedback, many, results, rules, tables
from grading.judge import version
from grading.sandbox import is_shown, refuse_or_go
from grading.submissions import Submission, file_name, find
from grading.summary import summary


def run(options: SimpleNamespace) -> int:
    """Grade what isn't graded yet, and write all tables again. Returns 1 if something couldn't be graded."""
    options.chapter = options.chapter.zfill(2) if options.chapter else ""
    _check_places(options)
    found, told = find(options.submissions, options.chapter)
    _check_students(options.student, found)
    said = rules.read(options.out, options.due, options.late)
    _say(told)
    if options.dry_run:
        return _tell(options, found)
    if not options.scheduler:
        refuse_or_go(options.trust)
    options.out.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(options.out / ".lock", timeout=0):
            return _locked(options, found, said)
    except Timeout:
        raise CourseError(
            f"expected to be alone in {options.out}, but another `course grade` is at work there: "
            "wait for it, or name another --out"
        ) from None


def _say(sentences: list[str]) -> None:
    for sentence in sentences:
        print(f"course: {sentence}", file=sys.stderr)


def _check_places(options: SimpleNamespace) -> None:
    for place in [] if options.trust else [*options.submissions, options.out]:
        if is_shown(place):
            raise CourseError(
                f"expected submissions and grades where no sandbox sees them, got {place}, in a folder "
                "of the system or of Python: move them, such as into your home"
            )


def _check_students(wanted: list[str], found: list[Submission]) -> None:
    there = {one.student for one in found}
    if missing := [student for student in wanted if student not in there]:
        raise CourseError(
            f"expected --student to be one of {', '.join(sorted(there))}, got {missing[0]!r}"
        )


# ---------------------------------------------------------------- what there is to do


def kept_secret(out: Path, cohort: str) -> str:
    """The cohort's secret: `cohort` if it is given, or the one stored in this folder, or ""."""
    file = out / "cohort"
    return cohort or (file.read_text(encoding="utf-8").strip() if file.exists() else "")


def secret(out: Path, cohort: str) -> str:
    """The cohort's secret, which is drawn and stored when a folder is first used."""
    if not kept_secret(out, cohort):
        (out / "cohort").touch(0o600)  # write_text keeps this mode
        write_text(secrets.token_hex(16) + "\n", out / "cohort")
    return kept_secret(out, cohort)


def exercises(chapters: set[str]) -> many.Exercises:
    """The exercises of these chapters, by id. Raises CourseError for a chapter that has none."""
    if unknown := chapters - {id[:2] for id in known()}:
        raise CourseError(f"there are no exercises of chapter {', '.join(sorted(unknown))}")
    return {id: load(id) for id in known() if id[:2] in chapters}


def _ready(
    options: SimpleNamespace, found: list[Submission], cohort: str
) -> tuple[many.Exercises, list[Submission]]:
    """The exercises of all submissions, and the submissions that still have to be graded."""
    ready = exercises({one.chapter for one in found if one.chapter})
    versions: dict[str, dict[str, str]] = {}
    for id, exercise in ready.items():
        versions.setdefault(id[:2], {})[id] = version(exercise, cohort)
    mine = [one for one in found if not options.student or one.student in options.student]
    return ready, [
        one for one in mine if not results.is_done(options.out, one, versions.get(one.chapter, {}))
    ]


def _tell(options: SimpleNamespace, found: list[Submission]) -> int:
    """Print what would be done with each submission."""
    _, todo = _ready(options, found, kept_secret(options.out, options.cohort))
    for one in found:
        state = one.fault or ("to be graded" if one in todo else "left as it is")
        late = " (late, says Canvas)" if one.late else ""
        print(f"{one.student}, chapter {one.chapter or '?'}: {state}: {one.where}{late}")
    print(f"{len(todo)} of {len(found)} submissions would be graded; nothing was written")
    return 0


# ---------------------------------------------------------------- doing it


def _locked(options: SimpleNamespace, found: list[Submission], said: rules.Rules) -> int:
    """Grade, and write results, feedback and tables, while `run` holds the folder's lock."""
    cohort = secret(options.out, options.cohort)
    ready, todo = _ready(options, found, cohort)
    for one, graded in _with_bar(options, todo, ready, cohort):
        results.keep(options.out, one, graded)
    students = [results.stored(options.out, s) for s in sorted({one.student for one in found})]
    times = tables.moodles_times(options.moodle) if options.moodle else {}
    rules.apply(said, students, cohort, times)
    marks = [(s["student"], results.mark(s["student"], cohort)) for s in students]
    names = dict(marks if options.anonymous else [])
    feedback.write(options.out, students, ready, names)
    tables.write(options.out, students, names)
    write_text(summary(students), options.out / "summary.md")
    if options.export_code:
        _export(options.out, found, names)
    _give_back(options, students)
    print(f"{len(found)} submissions, {len(todo)} of them graded now; ", end="")
    print(f"grades, feedback and summary.md are in {options.out}")
    left = [(s, c) for s, _, c in results.submissions(students) if not results.is_graded(c)]
    named = ", ".join(f"{student} ({found['where']})" for student, found in left)
    _say([f"not graded: {named}"] if left else [])
    return 1 if left else 0


def _with_bar(
    options: SimpleNamespace, todo: list[Submission], ready: many.Exercises, cohort: str
) -> Iterator[tuple[Submission, many.Results]]:
    far, jobs = bool(options.scheduler), max(1, min(options.jobs, len(todo)))
    pool = many.workers(options.scheduler) if far else many.here(jobs)
    found = many.grade(todo, ready, cohort, pool, trust=options.trust, probe=far)
    yield from tqdm(found, total=len(todo), unit="submission", disable=not todo)


def _export(out: Path, found: list[Submission], names: dict[str, str]) -> None:
    """Write each learner's code into a .py file, so that it can be compared with others'."""
    by_student: dict[str, list[str]] = {}
    for one in found:
        cells = "\n\n".join(one.cells)
        by_student.setdefault(one.student, []).append(f"# chapter {one.chapter}\n\n{cells}\n")
    for student, parts in by_student.items():
        text = "\n\n".join(parts).encode("utf-8", "replace").decode("utf-8")
        write_text(text, out / "code" / f"{names.get(student) or file_name(student)}.py")


def _give_back(options: SimpleNamespace, students: results.Students) -> None:
    """Write copies of the instructor's own exports, with the grades filled in."""
    for way, export in ((tables.canvas, options.canvas), (tables.moodle, options.moodle)):
        if export is None:
            continue
        target = options.out / export.name
        if target.resolve() == export.resolve():
            raise CourseError(
                f"expected an export elsewhere than in {options.out}: move {export.name}"
            )
        text, told = way(export, students, options.column or options.chapter)
        write_text(text, target)
        _say(told)
