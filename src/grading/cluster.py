"""The same grading on Dask's `distributed`: many machines, one sandboxed process for each submission.

A worker runs none of a learner's code: its task starts a process that does what `course grade` does
here, on that machine, in a sandbox of that machine. A task that ends its process is not tried
again; one whose worker was lost is, as that was no learner's doing.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from course.errors import CourseError, NoSandbox
from course.learn import draws
from grading.many import LONGEST, Exercises, Results, exercises, judged, without_code
from grading.sandbox import refuse_or_go
from grading.submissions import Submission

LOSSES = 10  # of workers, until a submission is given up


def grade(
    todo: list[Submission], ready: Exercises, cohort: str, scheduler: str, trust: bool
) -> Iterator[tuple[Submission, Results]]:
    """The results of each submission, as they come."""
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise CourseError(
            'expected Dask for --scheduler: pip install "attention-course[grade]", there and here'
        ) from None
    try:
        client = Client(scheduler, timeout=30, set_as_default=False)
    except (OSError, ValueError) as error:
        raise CourseError(f"expected a Dask scheduler at {scheduler}, but: {error}") from None
    with client:
        client.run_on_scheduler(_allow, LOSSES)
        given = {}
        for one in todo:
            if one.fault:
                yield one, without_code(one, ready, cohort)
                continue
            request = {
                "cells": one.cells,
                "chapter": one.chapter,
                "cohort": cohort,
                "trust": trust,
                "variant": draws.of_variant(),
            }
            future = client.submit(task, json.dumps(request), pure=False, retries=0)
            given[future] = one
        for future in as_completed([*given], loop=client.loop):
            one = given.pop(future)
            yield one, _result(future, one, ready, cohort)


def _allow(losses: int, dask_scheduler: Any = None) -> None:
    """A task that was on three lost workers isn't yet to blame."""
    dask_scheduler.allowed_failures = losses


def _result(future: Any, one: Submission, ready: Exercises, cohort: str) -> Results:
    error = future.exception()
    message = {"failed": str(error)} if error else json.loads(future.result())
    if "refused" in message:
        raise NoSandbox(f"on a worker: {message['refused']}")
    if "results" in message:
        return message["results"]
    return without_code(one, ready, cohort, f"{message['failed']}; look at {one.where} yourself")


def task(request: str) -> str:
    """On a worker: one submission, graded by a process of its own."""
    command = [sys.executable, "-m", "grading.cluster"]
    try:
        done = subprocess.run(
            command, input=request, capture_output=True, text=True, timeout=LONGEST, check=False
        )
    except subprocess.TimeoutExpired:
        return json.dumps({"failed": "the process that judged it took too long"})
    if done.returncode:
        last = (done.stderr.strip() or "it says nothing").split("\n")[-1]
        return json.dumps({"failed": f"the process that judged it ended: {last}"})
    return done.stdout


def main() -> None:
    """In that process: the request comes in, the results go out."""
    request = json.load(sys.stdin)
    one = Submission("", chapter=request["chapter"], cells=tuple(request["cells"]))
    try:
        refuse_or_go(request["trust"])
    except NoSandbox as error:
        print(json.dumps({"refused": str(error)}))
        return
    draws.variant(request["variant"])
    ready = exercises({one.chapter}, request["cohort"])
    print(json.dumps(judged(one, ready, request["cohort"], request["trust"])))


if __name__ == "__main__":
    main()
