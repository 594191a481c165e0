"""All submissions graded, several at a time, each judged by a process of its own that is forked for it.

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
from grading.judge import Result, graded, prepared, version
from grading.probe import END
from grading.submissions import Submission

LIMITS = {"AS": 8 << 30, "CPU": 300}  # bytes and seconds of a judge, who has little to do
Exercises = dict[str, Exercise]
Results = dict[str, Result]


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
    todo: list[Submission], ready: Exercises, cohort: str, jobs: int, trust: bool
) -> Iterator[tuple[Submission, Results]]:
    """The results of each submission, as they come; a submission that ends its judge has some, too."""
    waiting, running = [*reversed(todo)], {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                one = waiting.pop()
                if one.fault:
                    yield one, without_code(one, ready, cohort)
                else:
                    process, end = _begin(one, ready, cohort, trust)
                    running[end] = process, one
            for end in wait([*running]) if running else ():
                process, one = running.pop(end)
                yield one, results_of(_message(process, end), one, ready, cohort)
    finally:
        for end, (process, _) in running.items():
            _end(process, end)


def _begin(one: Submission, ready: Exercises, cohort: str, trust: bool) -> tuple[Any, Connection]:
    mine, theirs = multiprocessing.Pipe(duplex=False)
    arguments = (theirs, one, ready, cohort, trust)
    process = multiprocessing.get_context("fork").Process(target=_one, args=arguments)
    process.start()
    theirs.close()
    return process, mine


def _one(end: Connection, one: Submission, ready: Exercises, cohort: str, trust: bool) -> None:
    """In a process of its own: grade one submission."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command ends it
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with suppress(AttributeError):  # on no other system than Linux
        ctypes.CDLL(None).prctl(END, signal.SIGKILL)  # whatever ends the command ends this
    end.send_bytes(json.dumps(judged(one, ready, cohort, trust)).encode())
    end.close()
    os._exit(0)


def judged(one: Submission, ready: Exercises, cohort: str, trust: bool) -> dict[str, Any]:
    """What came of a submission: its results, or why the machine refused, or what failed here."""
    for name, value in LIMITS.items():
        with suppress(ValueError, OSError):
            kind = getattr(resource, f"RLIMIT_{name}")
            resource.setrlimit(kind, (value, resource.getrlimit(kind)[1]))
    mine = [exercise for id, exercise in ready.items() if id[:2] == one.chapter]
    try:
        return {"results": graded(mine, [*one.cells], cohort, trust)}
    except NoSandbox as error:
        return {"refused": str(error)}
    except Exception as error:
        return {"failed": f"the grader itself failed on it ({type(error).__name__}: {error})"}


def _message(process: Any, end: Connection) -> dict[str, Any]:
    try:
        return json.loads(end.recv_bytes())
    except (EOFError, OSError):
        return {"failed": "the process that judged it ended"}
    finally:
        _end(process, end)


def _end(process: Any, end: Connection) -> None:
    process.kill()
    process.join()
    end.close()


def results_of(message: dict[str, Any], one: Submission, ready: Exercises, cohort: str) -> Results:
    """The results in a judge's message, or that there are none. NoSandbox if the machine refused."""
    if "refused" in message:
        raise NoSandbox(message["refused"])
    if "results" in message:
        return message["results"]
    return without_code(one, ready, cohort, f"{message['failed']}; look at {one.where} yourself")
