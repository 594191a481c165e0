"""Exercises that recognise the mistake you made: `check("04.mean_past", mean_past)`.

Exercises that you pass are saved, and `progress()` lists them.

A check turns whatever your function does into a sentence, and leaves none of its changes behind. It
raises errors only in a headless run, if the exercise doesn't exist or is broken. If the notebook has
replaced a library function that the check relies on, the check says so and judges no answer.
"""

import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from traceback import walk_tb

from course import content
from course.errors import CourseError, RecordError
from course.learn import apart, restore
from course.learn.html import MIME, RIGHT, UNTRIED, WRONG, exercise_html
from course.learn.progress import Progress, keep
from course.learn.record import Exercise
from course.learn.solutions import in_check, setting
from course.learn.verdict import Verdict
from course.learn.words import listed

COLOURS = {"passed": RIGHT, "not attempted": UNTRIED}


@dataclass(frozen=True)
class Report:
    """What a check shows the learner: lines of text, with hints and the solution folded below."""

    id: str
    status: str
    lines: tuple[str, ...]
    hints: tuple[str, ...] = ()
    solution: str = ""

    def __repr__(self) -> str:
        return "\n".join(self.lines)

    def _repr_html_(self) -> str:
        return exercise_html(
            self.lines, self.hints, self.solution, COLOURS.get(self.status, WRONG)
        )

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, dict[str, str]]:
        return {MIME: {"exercise": self.id}}


def check(id: str, function: Callable) -> Report:
    """Judge a learner's function for an exercise, save a pass, and return the report."""
    if names := restore.replaced():
        says = f"your notebook has replaced {listed(names)}, which a check needs."
        advice = "Take that out, restart the kernel, and check again."
        return Report(id, "unknown", (f"{id}: {says} {advice}",))
    try:
        exercise = load(id)
        verdict = apart.verdict(exercise, function)
    except Exception as error:
        if os.environ.get("COURSE_HEADLESS"):
            raise
        sentence = f"{error}."
        if not isinstance(error, RecordError):
            sentence = (
                f"the check itself failed, not your answer ({type(error).__name__}: {error})."
            )
        return Report(id, "unknown", (f"{id}: {sentence}",))
    level = 0
    if verdict.status == "wrong" and verdict.answer:
        level = _level(id, verdict.answer, len(exercise.hints))
    lines = feedback(exercise, verdict, level)
    if verdict.status == "passed":
        try:
            keep(id)
        except CourseError as error:
            lines.append(f"Your pass could not be saved: {error}.")
    return report(exercise, verdict.status, lines)


def report(exercise: Exercise, status: str, lines: list[str]) -> Report:
    """Make a report of these lines, with the hints, and the solution if a check may show it."""
    solution = ""
    try:
        shown, why = in_check(status == "passed")
        solution = exercise.solution if shown else ""
        lines = [*lines, why] if why else lines
    except CourseError as error:
        lines = [*lines, f"The solution can't be shown (please tell your instructor): {error}."]
    return Report(exercise.id, status, tuple(lines), tuple(exercise.hints), solution)


def printed(id: str, folder: Path) -> tuple[list[str], str]:
    """Return an exercise's hints and its solution for the book and the decks.

    Since nobody can pass an exercise there, the solution is '' unless the setting is "shown".
    """
    exercise = load(id)
    return exercise.hints, exercise.solution if setting(folder) == "shown" else ""


def progress() -> Progress:
    """The exercises of each chapter, and which of them you have passed on this computer."""
    return Progress.of(known())


def feedback(exercise: Exercise, verdict: Verdict, level: int) -> list[str]:
    """Return the lines of a report on a verdict, with hint number `level`, or none if it is 0."""
    lines = [f"{exercise.id}: {verdict.sentence}"]
    if verdict.seen:
        lines.append(f"Seen on {verdict.seen}")
    if level:
        lines.append(f"Hint {level}: {exercise.hints[level - 1]}")
    return lines + [*verdict.remarks]


def _level(id: str, answer: str, highest: int) -> int:
    """The number of the hint to show: each different wrong answer earns the next one."""
    answers = _answers.setdefault(id, set())
    answers.add(answer)
    return min(len(answers), highest)


_answers: dict[str, set[str]] = {}


def known() -> list[str]:
    """The ids of all exercises, one for each module in `chNN/exercises`."""
    files = sorted(content.folder().glob("ch*/exercises/[!_]*.py"))
    return [f"{path.parts[-3].removeprefix('ch')}.{path.stem}" for path in files]


def load(id: str) -> Exercise:
    """Return the exercise with this id. Raises RecordError if there is none, or if its file is
    broken in any way."""
    if id not in known():
        near = [name for name in known() if name[:3] == id[:3]] or sorted({n[:2] for n in known()})
        raise RecordError(f"there is no exercise {id!r}; expected one of {', '.join(near)}")
    chapter, _, name = id.partition(".")
    try:
        with restore.settings():  # so that its inputs don't depend on the notebook
            module = importlib.import_module(f"{content.package()}.ch{chapter}.exercises.{name}")
        exercise = module.E
        exercise.check()
    except (Exception, SystemExit) as error:
        lines = [
            n
            for frame, n in walk_tb(error.__traceback__)
            if Path(frame.f_code.co_filename).stem == name
        ]
        place = f"ch{chapter}/exercises/{name}.py" + "".join(f", line {n}" for n in lines[-1:])
        raise RecordError(
            f"this exercise is broken, not your answer ({place}: {type(error).__name__}: {error})"
        ) from error
    return exercise
