"""Exercises that recognise the mistake you made: `check("04.mean_past", mean_past)`.

What is passed is kept, and `progress()` shows it.

A check never raises, except in a headless run for an exercise that doesn't exist or is broken:
whatever the function does becomes a sentence, and nothing that it changes is left behind. Where the
notebook has replaced a function that the check relies on, no answer is judged.
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
    """What the learner is told: a sentence for each line, and what can be unfolded below."""

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
    """Try a learner's function on an exercise and say what was found."""
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
    """The report of these lines, with hints, and the solution where a check shows it."""
    solution = ""
    try:
        shown, why = in_check(status == "passed")
        solution = exercise.solution if shown else ""
        lines = [*lines, why] if why else lines
    except CourseError as error:
        lines = [*lines, f"The solution can't be shown (please tell your instructor): {error}."]
    return Report(exercise.id, status, tuple(lines), tuple(exercise.hints), solution)


def printed(id: str, folder: Path) -> tuple[list[str], str]:
    """An exercise's hints and its solution for book and decks, where nobody passes anything.

    The solution is '' unless the setting is "shown".
    """
    exercise = load(id)
    return exercise.hints, exercise.solution if setting(folder) == "shown" else ""


def progress() -> Progress:
    """The exercises of each chapter, and which of them you have passed on this computer."""
    return Progress.of(known())


def feedback(exercise: Exercise, verdict: Verdict, level: int) -> list[str]:
    """The lines of a report on a verdict; `level` is the number of the hint in it, 0 for none."""
    lines = [f"{exercise.id}: {verdict.sentence}"]
    if verdict.seen:
        lines.append(f"Seen on {verdict.seen}")
    if level:
        lines.append(f"Hint {level}: {exercise.hints[level - 1]}")
    return lines + [*verdict.remarks]


def _level(id: str, answer: str, highest: int) -> int:
    """How many different wrong answers were given so far: each earns a further hint."""
    answers = _answers.setdefault(id, set())
    answers.add(answer)
    return min(len(answers), highest)


_answers: dict[str, set[str]] = {}


def known() -> list[str]:
    """The ids of all exercises: of the modules in `chNN/exercises`."""
    files = sorted(content.folder().glob("ch*/exercises/[!_]*.py"))
    return [f"{path.parts[-3].removeprefix('ch')}.{path.stem}" for path in files]


def load(id: str) -> Exercise:
    """The exercise with this id. Raises RecordError if there is none, or if its file is broken
    in any way."""
    if id not in known():
        near = [name for name in known() if name[:3] == id[:3]] or sorted({n[:2] for n in known()})
        raise RecordError(f"there is no exercise {id!r}; expected one of {', '.join(near)}")
    chapter, _, name = id.partition(".")
    try:
        with restore.settings():  # a record makes its inputs, whatever the notebook has set
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
