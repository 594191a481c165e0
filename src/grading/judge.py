"""One submission graded: every exercise of its chapter, by the verdicts that a notebook's check gives.

This process runs none of the learner's code. What it compares are raw values that came out of the
sandbox, on the inputs of the notebook's own check and on others, drawn from the cohort's seed, that
no learner has seen.
"""

import hashlib
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from course.learn.draws import of_variant
from course.learn.exercises import load, told
from course.learn.record import Exercise
from course.learn.verdict import Verdict, judge
from course.learn.words import call
from grading.remote import Remote
from grading.sandbox import Gone

POINTS = 1  # for each exercise
Result = dict[str, Any]


def version(exercise: Exercise, cohort: str) -> str:
    """What a result depends on, but for the submission: the record and what its inputs come from."""
    record = inspect.getsource(inspect.getmodule(exercise.reference.function))
    drawn = f"{cohort}{of_variant()}"
    return hashlib.sha256(f"{drawn}\n{exercise.id}\n{record}".encode()).hexdigest()[:16]


def prepared(id: str, cohort: str) -> Exercise:
    """An exercise with its hidden inputs, and what its reference does with all of them."""
    exercise = load(id)
    exercise.hide(cohort)
    for n in range(len(exercise.inputs)):
        exercise.reference.outcome(n)
    return exercise


def graded(
    exercises: Iterable[Exercise], cells: list[str], cohort: str, trust: bool = False
) -> dict[str, Result]:
    """The result of each exercise, by its id."""
    found = {}
    with Remote(trust) as remote:
        for exercise in exercises:
            found[exercise.id] = result(exercise, verdict(remote, exercise, cells), cohort)
    return found


def result(exercise: Exercise, found: Verdict, cohort: str) -> Result:
    """A verdict as it is kept: what the learner is told, and the points."""
    level = 1 if found.status == "wrong" and found.answer else 0
    return {
        "version": version(exercise, cohort),
        "status": found.status,
        "points": POINTS if found.status == "passed" else 0,
        "max": POINTS,
        "told": told(exercise, found, level),
        "mistake": found.sentence if found.status == "known mistake" else "",
    }


def verdict(remote: Remote, exercise: Exercise, cells: list[str]) -> Verdict:
    """What is found of an exercise in these cells of a learner's."""
    now: list[int] = []  # the inputs so far

    def run(function: Callable, inputs: tuple, without: tuple[str, ...] = ()) -> Any:
        now.append(next(n for n, known in enumerate(exercise.inputs) if known is inputs))
        return remote.attempt(function, inputs, without)

    try:
        function, why = remote.begin(exercise.id, exercise.name, cells)
        if why == "missing":
            sentence = f"not attempted: no cell defines `{exercise.name}`."
            found = Verdict("not attempted", sentence)
        elif why:
            found = Verdict("wrong", f"your cells don't give a function. {why}")
        else:
            found = judge(exercise, function, run)
        remote.end()
        return found
    except Gone as gone:
        where = ""
        if now and now[-1] < exercise.n_shown:
            where = f"on {call(exercise.name, exercise.inputs[now[-1]])}, "
        return Verdict("wrong", f"{where}your function {gone}.")
