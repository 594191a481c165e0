"""All submissions graded, several at a time, each by a process of its own that is forked for it.

The exercises are prepared once, here. What is done is kept at once, so that a run that was stopped
goes on where it was.
"""

import ctypes
import json
import multiprocessing
import os
import resource
import secrets
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import torch

from course.errors import CourseError, NoSandbox
from course.learn.exercises import known
from course.learn.record import Exercise
from course.notebooks import write_text
from grading import results
from grading.judge import POINTS, graded, prepared, version
from grading.probe import END
from grading.submissions import Submission

LONGEST = 3600  # seconds for one submission
ADDRESSES = 8 << 30  # bytes of a judging process: what an input makes of a learner's values
Exercises = dict[str, Exercise]
Results = dict[str, dict[str, Any]]


def seed(out: Path, cohort: str) -> str:
    """The cohort's secret: what was said, or what was drawn when this folder was first used."""
    if cohort:
        return cohort
    file = out / "cohort"
    if not file.exists():
        write_text(secrets.token_hex(16) + "\n", file)
        file.chmod(0o600)
    return file.read_text(encoding="utf-8").strip()


def exercises(chapters: set[str], cohort: str) -> Exercises:
    """The prepared exercises of these chapters."""
    torch.set_num_threads(1)  # a fork has no pool of threads, and would wait for it for ever
    if unknown := chapters - {id[:2] for id in known()}:
        raise CourseError(f"there are no exercises of chapter {', '.join(sorted(unknown))}")
    return {id: prepared(id, cohort) for id in known() if id[:2] in chapters}


def left_to_do(
    out: Path, found: list[Submission], ready: Exercises, cohort: str
) -> list[Submission]:
    """The submissions that haven't been graded as they are."""
    versions = {id: version(exercise, cohort) for id, exercise in ready.items()}
    return [
        one
        for one in found
        if not results.is_done(
            out, one, {id: v for id, v in versions.items() if id[:2] == one.chapter}
        )
    ]


def without_code(one: Submission, ready: Exercises, cohort: str, why: str = "") -> Results:
    """The results of a submission of which nothing can be run."""
    return {
        id: {
            "version": version(exercise, cohort),
            "status": "not graded",
            "points": 0,
            "max": POINTS,
            "told": [f"{id}: not graded: {why or one.fault}"],
            "mistake": "",
        }
        for id, exercise in ready.items()
        if id[:2] == one.chapter
    }


def grade(
    todo: list[Submission], ready: Exercises, cohort: str, jobs: int, trust: bool
) -> Iterator[tuple[Submission, Results]]:
    """The results of each submission, as they come; a submission that ends its judge has some, too."""

    def begin(one: Submission) -> tuple[Any, Connection]:
        mine, theirs = multiprocessing.Pipe(duplex=False)
        arguments = (theirs, one, ready, cohort, trust)
        process = multiprocessing.get_context("fork").Process(target=_one, args=arguments)
        process.start()
        theirs.close()
        return process, mine

    waiting = [one for one in reversed(todo)]
    running: dict[Connection, tuple[Any, Submission, float]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                one = waiting.pop()
                if one.fault:
                    yield one, without_code(one, ready, cohort)
                    continue
                process, end = begin(one)
                running[end] = process, one, time.monotonic()
            for end in [*wait([*running], 1)] + _late(running):
                if end not in running:
                    continue
                process, one, _ = running.pop(end)
                yield one, _result(process, end, one, ready, cohort)
    finally:
        for end, (process, _, _) in running.items():
            process.kill()
            process.join()
            end.close()


def _late(running: dict[Connection, tuple[Any, Submission, float]]) -> list[Connection]:
    now = time.monotonic()
    return [end for end, (_, _, started) in running.items() if now - started > LONGEST]


def _result(
    process: Any, end: Connection, one: Submission, ready: Exercises, cohort: str
) -> Results:
    try:
        message = json.loads(end.recv_bytes()) if end.poll() else {"late": True}
    except (EOFError, OSError):
        message = {}
    process.kill()
    process.join()
    end.close()
    if "refused" in message:
        raise NoSandbox(message["refused"])
    if "results" in message:
        return message["results"]
    why = message.get("failed", "the process that judged it ended")
    return without_code(one, ready, cohort, f"{why}; look at {one.where} yourself")


def _one(end: Connection, one: Submission, ready: Exercises, cohort: str, trust: bool) -> None:
    """In a process of its own: grade one submission."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command ends it
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(END, signal.SIGKILL)  # whatever ends the command ends this
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    end.send_bytes(json.dumps(judged(one, ready, cohort, trust)).encode())
    end.close()
    os._exit(0)


def judged(one: Submission, ready: Exercises, cohort: str, trust: bool) -> dict[str, Any]:
    """What came of a submission: its results, or why the machine refused, or what failed here."""
    mine = [exercise for id, exercise in ready.items() if id[:2] == one.chapter]
    try:
        return {"results": graded(mine, [*one.cells], cohort, trust)}
    except NoSandbox as error:
        return {"refused": str(error)}
    except Exception as error:
        return {"failed": f"the grader itself failed on it ({type(error).__name__}: {error})"}
