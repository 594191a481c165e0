"""The same grading on Dask's `distributed`: many machines, one sandboxed process for each submission.

A worker runs none of a learner's code: its task starts a judge on that machine. A task that ends its
judge is not tried again; one whose worker was lost is, as that was no learner's doing.
"""

import json
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor
from contextlib import contextmanager
from typing import Any

from course.errors import CourseError, NoSandbox
from grading.many import Judge, Task
from grading.sandbox import refuse_or_go

LOSSES = 10  # of workers, until a submission is given up


@contextmanager
def workers(scheduler: str) -> Iterator[tuple[Executor, Task]]:
    """All workers of a scheduler."""
    try:
        from distributed import Client
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
        try:
            yield client.get_executor(pure=False, retries=0), task
        except CancelledError:
            raise CourseError(
                f"lost the Dask scheduler at {scheduler}: start it and this command again, which "
                "goes on where it was"
            ) from None


def _allow(losses: int, dask_scheduler: Any = None) -> None:
    """A task that was on three lost workers isn't yet to blame."""
    dask_scheduler.allowed_failures = losses


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
