"""Grade all submissions, several at a time, on this machine or on many machines by Dask's `distributed`.

Separate processes judge them. If a submission ends its judge, its results say so, and no other submission
is lost. Results come one by one, so that `run` can store each at once and continue after an interruption.
"""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor, ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any

from course.errors import CourseError, NoSandbox
from course.learn.record import Exercise
from grading.judge import Result, version
from grading.submissions import Submission

Exercises = dict[str, Exercise]
Results = dict[str, Result]
mine = threading.local()
judges: list[subprocess.Popen] = []
starting, stopped = threading.Lock(), threading.Event()


def grade(
    todo: list[Submission],
    ready: Exercises,
    cohort: str,
    pool: AbstractContextManager[Executor],
    **how: bool,
) -> Iterator[tuple[Submission, Results]]:
    """Yield each submission and its results as soon as they are there, even if it ended its judge."""
    yield from ((one, without_code(one, ready, cohort)) for one in todo if one.fault)
    with pool as executor:
        given = {
            executor.submit(judge, request(one, ready, cohort, **how)): one
            for one in todo
            if not one.fault
        }
        for future in as_completed(given):
            error, one = future.exception(), given[future]
            message = {"failed": str(error)} if error else future.result()
            yield one, results_of(message, one, ready, cohort)


def request(one: Submission, ready: Exercises, cohort: str, **how: bool) -> str:
    """The request for a judge, as JSON; `how` says whether to `trust` all code, and to `probe` first."""
    ids = [id for id in ready if id[:2] == one.chapter]
    return json.dumps({"cells": one.cells, "ids": ids, "cohort": cohort, **how})


def judge(request: str) -> dict[str, Any]:
    """Send a request to a judge, and return its message: results, or why there are none.

    Each thread has its own judge, which takes one submission after another. If a submission ends the
    judge, the thread starts a new one for the next submission.
    """
    process = vars(mine).get("judge")
    try:
        if process is None or process.poll() is not None:
            process = mine.judge = _started()
        print(request, file=process.stdin, flush=True)
        return json.loads(process.stdout.readline())
    except (OSError, ValueError):
        if process is not None:
            _end(process)
        return {"failed": "the process that judged it ended"}


def _started() -> subprocess.Popen:
    command = [sys.executable, "-P", "-m", "grading.judge"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with starting:
        if stopped.is_set():
            raise ChildProcessError("the run is stopped, so no judge is started any more")
        judges.append(subprocess.Popen(command, **pipes, encoding="utf-8"))
        return judges[-1]


def end_judges() -> None:
    """End the judges of all threads, even if they are at work or just being started."""
    with starting:
        while judges:
            _end(judges.pop())


def _end(process: subprocess.Popen) -> None:
    process.kill()
    with process, suppress(OSError):
        process.stdin.close()


def results_of(message: dict[str, Any], one: Submission, ready: Exercises, cohort: str) -> Results:
    """The results in a judge's message, or "not graded". Raises NoSandbox if the judge's machine refused."""
    if "refused" in message:
        raise NoSandbox(message["refused"])
    if "results" in message:
        return message["results"]
    return without_code(one, ready, cohort, f"{message['failed']}; look at {one.where} yourself")


def without_code(one: Submission, ready: Exercises, cohort: str, why: str = "") -> Results:
    """The results of a submission that can't be run: each exercise is "not graded", with the reason."""
    facts = {"status": "not graded", "mistake": ""}
    return {
        id: facts
        | {"version": version(exercise, cohort), "told": [f"{id}: not graded: {why or one.fault}"]}
        for id, exercise in ready.items()
        if id[:2] == one.chapter
    }


@contextmanager
def here(jobs: int) -> Iterator[Executor]:
    """An executor that runs up to `jobs` judges at a time on this machine."""
    try:
        with ThreadPoolExecutor(jobs) as pool:
            try:
                yield pool
            finally:
                stopped.set()
                pool.shutdown(wait=False, cancel_futures=True)
                end_judges()
    finally:
        stopped.clear()


@contextmanager
def workers(scheduler: str) -> Iterator[Executor]:
    """An executor on all workers of a Dask scheduler; no worker runs a learner's code itself."""
    from distributed import Client

    try:
        client = Client(scheduler, timeout=30, set_as_default=False)
    except (OSError, ValueError) as error:
        raise CourseError(f"expected a Dask scheduler at {scheduler}, but: {error}") from None
    with client:
        try:
            yield client.get_executor(pure=False, retries=0)
            client.run(end_judges)
        except CancelledError:
            raise CourseError(
                f"lost the Dask scheduler at {scheduler}: start it and this command again, which "
                "goes on where it was"
            ) from None
