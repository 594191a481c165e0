"""The same grading on Dask's `distributed`: many machines, one sandboxed process for each submission.

A worker runs none of a learner's code: its task starts a judge on that machine. A task that ends its
judge is not tried again; one whose worker was lost is, as that was no learner's doing.
"""

import json
from collections.abc import Iterator
from typing import Any

from course.errors import CourseError, NoSandbox
from grading.many import Exercises, Judge, Results, request, results_of, without_code
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
            future = client.submit(task, request(one, ready, cohort, trust), pure=False, retries=0)
            given[future] = one
        for future in as_completed([*given], loop=client.loop):
            one = given.pop(future)
            yield one, results_of(_message(future), one, ready, cohort)


def _allow(losses: int, dask_scheduler: Any = None) -> None:
    """A task that was on three lost workers isn't yet to blame."""
    dask_scheduler.allowed_failures = losses


def _message(future: Any) -> dict[str, Any]:
    error = future.exception()
    return {"failed": str(error)} if error else future.result()


def task(request: str) -> dict[str, Any]:
    """On a worker: one submission, judged by a process of its own, in a sandbox of that machine."""
    judge = Judge()
    try:
        refuse_or_go(json.loads(request)["trust"])
        return judge.ask(request)
    except NoSandbox as error:
        return {"refused": f"on a worker: {error}"}
    finally:
        judge.close()
