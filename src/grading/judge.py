"""Grade one submission: give each exercise of its chapter the verdict that the notebook's check gives.

This process runs none of the learner's code. It compares plain data that came out of the sandbox, for
the inputs of the notebook's check and for hidden inputs, which are drawn from the cohort's secret and
which no learner has seen. It doesn't test whether a right answer could be trained, because that gives no
points, and the notebook says it.
"""

import copy
import hashlib
import inspect
import json
import os
import resource
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any

import torch

from course.errors import NoSandbox
from course.learn.exercises import feedback, load
from course.learn.record import Exercise
from course.learn.verdict import Verdict, judge
from grading.collect import Answers, collect
from grading.forbidden import Look, look
from grading.sandbox import refuse_or_go

Result = dict[str, Any]
LIMITS = {"AS": 8 << 30, "CPU": 300}  # bytes of addresses, and processor seconds per submission


def main() -> None:
    """Judge the requests on stdin, one JSON text a line, and print a line of JSON with the result of each."""
    torch.set_num_threads(1)
    for line in iter(sys.stdin.readline, ""):
        spent = int(sum(os.times()[:2]))
        for name, value in {**LIMITS, "CPU": LIMITS["CPU"] + spent}.items():
            with suppress(ValueError, OSError):
                kind = getattr(resource, f"RLIMIT_{name}")
                resource.setrlimit(kind, (value, resource.getrlimit(kind)[1]))
        print(json.dumps(judged(json.loads(line))), flush=True)


def judged(request: dict[str, Any]) -> dict[str, Any]:
    """The "results" of a submission, or why this machine "refused" to grade it, or what "failed" here."""
    cohort, trust = request["cohort"], request["trust"]
    try:
        if request["probe"]:
            refuse_or_go(trust)
        exercises = [_prepared(id, cohort) for id in request["ids"]]
        return {"results": graded(exercises, request["cells"], cohort, trust)}
    except NoSandbox as error:
        return {"refused": f"on a worker: {error}" if request["probe"] else str(error)}
    except Exception as error:
        return {"failed": f"the grader itself failed on it ({type(error).__name__}: {error})"}


def version(exercise: Exercise, cohort: str) -> str:
    """A hash of what a result depends on, apart from the submission: the record and the cohort's secret."""
    record = inspect.getsource(inspect.getmodule(exercise.reference.function))
    return hashlib.sha256(f"{cohort}\n{exercise.id}\n{record}".encode()).hexdigest()[:16]


def prepared(id: str, cohort: str) -> Exercise:
    """Load an exercise, draw its hidden inputs, and find out what its reference does with all inputs."""
    exercise = load(id)
    exercise.hide(cohort)
    exercise.prepare()
    return exercise


_prepared = cache(prepared)


def graded(
    exercises: Iterable[Exercise], cells: list[str], cohort: str, trust: bool = False
) -> dict[str, Result]:
    """The result of each exercise, by its id."""
    exercises = [*exercises]
    answers = collect(exercises, cells, trust)
    found = {}
    for e in exercises:
        seen = look(e, cells)
        found[e.id] = result(e, verdict(e, answers[e.id], seen), cohort) | {"look": seen.hides}
    return found


def result(exercise: Exercise, found: Verdict, cohort: str) -> Result:
    """A verdict in the form in which it is stored, with what the learner is told. `rules` adds the points."""
    level = 1 if found.status == "wrong" and found.answer else 0
    return {
        "version": version(exercise, cohort),
        "status": found.status,
        "told": feedback(exercise, found, level),
        "mistake": found.sentence if found.status == "known mistake" else "",
    }


def verdict(exercise: Exercise, answers: Answers, seen: Look) -> Verdict:
    """The verdict on an exercise, from its answers and from what the text of the cells uses."""
    if answers.why == "missing":
        return Verdict("not attempted", f"not attempted: no cell defines `{exercise.name}`.")
    if answers.why:
        return Verdict("wrong", f"your cells don't give a function. {answers.why}")
    if answers.takes:
        ours = inspect.signature(exercise.reference.function)
        return Verdict("wrong", f"expected a function of {ours}, yours takes {answers.takes}.")
    outcomes = {
        id(given): replace(
            outcome,
            used=outcome.used or seen.uses,
            replaced=(*answers.replaced, *outcome.replaced),
        )
        for given, outcome in zip(exercise.inputs, answers.outcomes, strict=False)
    }
    if len(outcomes) < len(exercise.inputs):  # the hidden ones weren't tried
        exercise = copy.copy(exercise)
        exercise.inputs, exercise.hidden = exercise.inputs[: exercise.n_shown], []
    return judge(exercise, answers.function, lambda _, given, without=(): outcomes[id(given)])


if __name__ == "__main__":
    main()
