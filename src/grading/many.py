"""All submissions graded, several at a time; what is done is kept at once.

So a run that was stopped goes on where it was. Each of the processes that judge takes one submission
after another; where a submission ends one, another takes its place.
"""

import json
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from course.errors import CourseError, NoSandbox
from course.files import write_text
from course.learn import draws
from course.learn.exercises import known, load
from course.learn.record import Exercise
from grading import results
from grading.judge import Result, version
from grading.submissions import Submission

Exercises = dict[str, Exercise]
Results = dict[str, Result]
Task = Callable[[str], dict[str, Any]]
Way = AbstractContextManager[tuple[Executor, Task]]


def kept_seed(out: Path, cohort: str) -> str:
    """The cohort's secret: what was said, or what is kept in this folder; "" if nothing is."""
    file = out / "cohort"
    return cohort or (file.read_text(encoding="utf-8").strip() if file.exists() else "")


def seed(out: Path, cohort: str) -> str:
    """The cohort's secret, which is drawn when a folder is first used."""
    if not kept_seed(out, cohort):
        (out / "cohort").touch(0o600)  # whose mode it keeps
        write_text(secrets.token_hex(16) + "\n", out / "cohort")
    return kept_seed(out, cohort)


def exercises(chapters: set[str]) -> Exercises:
    """The exercises of these chapters."""
    if unknown := chapters - {id[:2] for id in known()}:
        raise CourseError(f"there are no exercises of chapter {', '.join(sorted(unknown))}")
    return {id: load(id) for id in known() if id[:2] in chapters}


def left_to_do(
    out: Path, found: list[Submission], ready: Exercises, cohort: str
) -> list[Submission]:
    """The submissions that haven't been graded as they are."""
    versions: dict[str, dict[str, str]] = {}
    for id, exercise in ready.items():
        versions.setdefault(id[:2], {})[id] = version(exercise, cohort)
    return [one for one in found if not results.is_done(out, one, versions.get(one.chapter, {}))]


def without_code(one: Submission, ready: Exercises, cohort: str, why: str = "") -> Results:
    """The results of a submission of which nothing can be run."""
    return {
        id: {
            "version": version(exercise, cohort),
            "status": "not graded",
            "told": [f"{id}: not graded: {why or one.fault}"],
            "mistake": "",
        }
        for id, exercise in ready.items()
        if id[:2] == one.chapter
    }


def grade(
    todo: list[Submission], ready: Exercises, cohort: str, trust: bool, way: Way
) -> Iterator[tuple[Submission, Results]]:
    """The results of each submission, as they come; one that ends its judge has some, too."""
    yield from ((one, without_code(one, ready, cohort)) for one in todo if one.fault)
    with way as (pool, task):
        given = {
            pool.submit(task, request(one, ready, cohort, trust)): one
            for one in todo
            if not one.fault
        }
        for future in as_completed(given):
            error, one = future.exception(), given[future]
            message = {"failed": str(error)} if error else future.result()
            yield one, results_of(message, one, ready, cohort)


@contextmanager
def here(jobs: int) -> Iterator[tuple[Executor, Task]]:
    """So many judges at a time on this machine, each of which takes one submission after another."""
    judges: SimpleQueue[Judge] = SimpleQueue()
    made = [Judge() for _ in range(jobs)]
    for judge in made:
        judges.put(judge)

    def task(request: str) -> dict[str, Any]:
        judge = judges.get()
        try:
            return judge.ask(request)
        finally:
            judges.put(judge)

    with ThreadPoolExecutor(jobs) as pool:
        try:
            yield pool, task
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for judge in made:
                judge.close()


class Judge:
    """A process that judges submissions, in which no learner's code runs."""

    process: subprocess.Popen | None = None

    def ask(self, request: str) -> dict[str, Any]:
        """What came of a submission: its results, or why there are none."""
        if self.process is None:
            command = [sys.executable, "-P", "-m", "grading.judge"]
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            self.process = subprocess.Popen(
                command, **pipes, stderr=subprocess.DEVNULL, encoding="utf-8"
            )
        try:
            print(request, file=self.process.stdin, flush=True)
            return json.loads(self.process.stdout.readline())
        except (OSError, ValueError):
            self.close()
            return {"failed": "the process that judged it ended"}

    def close(self) -> None:
        """End the process."""
        if self.process:
            self.process.kill()
            self.process.communicate()
        self.process = None


def request(one: Submission, ready: Exercises, cohort: str, trust: bool) -> str:
    """All that a judge has to know of a submission, in a line."""
    ids, variant = [id for id in ready if id[:2] == one.chapter], draws.of_variant()
    facts = {"cells": one.cells, "ids": ids, "cohort": cohort, "trust": trust, "variant": variant}
    return json.dumps(facts)


def results_of(message: dict[str, Any], one: Submission, ready: Exercises, cohort: str) -> Results:
    """The results in a judge's message, or that there are none. NoSandbox if the machine refused."""
    if "refused" in message:
        raise NoSandbox(message["refused"])
    if "results" in message:
        return message["results"]
    return without_code(one, ready, cohort, f"{message['failed']}; look at {one.where} yourself")
