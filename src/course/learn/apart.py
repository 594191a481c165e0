"""Judge an answer in a forked process, so that nothing the learner's function does is left behind.

A function that never ends is killed with that process, even where Python can't interrupt it. The
kernel isn't affected, so nothing has to be put back. Where a system can't fork (Windows), or PyTorch
fails in a fork, this process judges the answer, and the learner has to stop an endless function.
"""

import contextlib
import mmap
import os
import pickle
import signal
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

import torch

from course.errors import CourseError
from course.learn.attempt import Gone, Late, Outcome, attempt
from course.learn.gradient import fault
from course.learn.record import Exercise
from course.learn.verdict import Verdict, judge

PROCESSOR, WALL = 10.0, 60.0  # seconds for one call: of processor time, and by the clock
STOPPED = "was still running when the check stopped it"  # without seconds, so the same everywhere
ROOM = 2**20  # bytes of memory that both processes share
COUNT = 8  # the first of these bytes: the number of the call that is running


def verdict(exercise: Exercise, function: Callable) -> Verdict:
    """Judge a learner's function. Raises KeyboardInterrupt when the learner presses stop."""
    if not _forks():
        return _found(exercise, function, attempt)
    exercise.prepare()  # once, here: what a forked process computes is lost when it ends
    gone: dict[int, Gone] = {}  # the calls that ended their process, by number
    while True:
        with mmap.mmap(-1, ROOM) as box:
            how = _wait(_fork(partial(_judge, box, exercise, function, gone)))
            number, left = int.from_bytes(box[:COUNT]), box[COUNT:]
        if how == 0 and left[0]:
            return _unpacked(left)
        if number in {0, *gone}:  # outside of a call, such as when reading the signature
            return Verdict("wrong", f"your function {_ending(how)}.")
        gone[number] = _ending(how)


def _found(exercise: Exercise, function: Callable, run: Callable[..., Outcome]) -> Verdict:
    """Judge a function, and if it passes, add a remark on what would go wrong in training."""
    found = judge(exercise, function, run)
    if (
        found.status == "passed"
        and exercise.trained
        and (sentence := fault(exercise, function, run))
    ):
        return replace(found, remarks=(*found.remarks, sentence))
    return found


def _judge(box: mmap.mmap, exercise: Exercise, function: Callable, gone: dict[int, Gone]) -> None:
    """In the forked process: write each call's number into the box, and the verdict at the end."""
    calls = 0

    def run(function: Callable, inputs: tuple, without: tuple[str, ...] = ()) -> Outcome:
        nonlocal calls
        calls += 1
        box[:COUNT] = calls.to_bytes(COUNT)
        _set_clocks()
        if error := gone.get(calls):
            return Outcome(error=error, words=str(error))
        outcome = attempt(function, inputs, without, apart=True)
        _set_clocks()  # a new limit for what the check does next
        return outcome

    _set_clocks()
    try:
        found = pickle.dumps(_found(exercise, function, run))
    except Exception as error:  # a fault of the record or of the check
        ours = isinstance(error, CourseError)
        found = pickle.dumps(error if ours else CourseError(f"{type(error).__name__}: {error}"))
    box[COUNT : COUNT + len(found)] = found


def _set_clocks() -> None:
    """Restart both clocks. When one runs out, a signal ends the process, whatever it is doing."""
    signal.setitimer(signal.ITIMER_PROF, PROCESSOR)
    signal.setitimer(signal.ITIMER_REAL, WALL)


def _unpacked(left: bytes) -> Verdict:
    found = pickle.loads(left)
    if isinstance(found, Exception):
        raise found
    return found


def _fork(work: Callable[[], None]) -> int:
    """Start a process that does this work and exits with 0, or 1 if it fails. Returns its id."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # warns of a fork with threads
        pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        os.setsid()  # so that Ctrl-C reaches only the kernel
        for number in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)
        torch.set_num_threads(1)  # PyTorch's other threads weren't forked
        work()
        status = 0
    finally:
        os._exit(status)


def _wait(pid: int) -> int:
    """Return how a process ended, its status or minus a signal, and kill the rest of its group."""
    status = None
    try:
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        return status
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        if status is None:  # the learner pressed stop
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _ending(status: int) -> Gone:
    if status in (-signal.SIGPROF, -signal.SIGALRM):
        return Late(STOPPED)
    how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
    return Gone(f"ended its whole process ({how})")


@cache
def _forks() -> bool:
    """Whether PyTorch works in a forked process. One probe in each session finds out."""
    if not hasattr(os, "fork"):
        return False

    def probe() -> None:
        _set_clocks()
        x = torch.ones(300, 300, requires_grad=True)
        (x @ x).softmax(-1).sum().backward()

    return _wait(_fork(probe)) == 0
