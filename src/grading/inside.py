"""The process in the sandbox, which runs a learner's cells and calls their functions with the inputs.

It imports torch once, but runs no learner's code in itself. For each request it forks a process, of which
nothing remains but what it wrote into a pipe. The judge doesn't trust anything that comes from here,
because a learner's code may have written it.
"""

import inspect
import os
import pickle
import re
import signal
import socket
import sys
import tempfile
from contextlib import suppress
from select import select
from typing import Any

import msgpack
import torch

from course.learn import restore
from course.learn.attempt import attempt
from grading import cells
from grading.answers import TEXT, WORDS, message, packed
from grading.probe import settle

TIMED = (signal.SIGPROF, signal.SIGALRM, signal.SIGXCPU)  # they end a call that takes too long
MOST = 64 << 20  # the most bytes of all answers to a request
FILES = 10_000  # at a time; the limit of bytes doesn't count what the system keeps about each file
LOOK = 0.005  # seconds between two checks of a request's process
DONE, LATE, ENDED = "done", "late", "ended"  # how a request's process ended


def main() -> None:
    """Answer requests, one after another, until no more come."""
    line = settle()
    torch.set_num_threads(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    requests = line.makefile("rb")
    with suppress(EOFError):
        while True:
            line.sendall(msgpack.packb(_apart(pickle.load(requests), line)))


def _apart(request: dict, line: socket.socket) -> tuple[str, bytes]:
    """Fork a process for a request, and return how it ended and what it wrote."""
    ours, theirs = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        child = os.fork()
        if not child:
            try:
                os.setsid()
                os.chdir(folder)
                os.close(line.fileno())
                os.close(ours)
                Part(request, theirs).serve()
                os._exit(0)
            finally:
                os._exit(1)
        os.close(theirs)
        status, written = _followed(child, ours, line)
    os.close(ours)
    code = os.waitstatus_to_exitcode(status)
    return (DONE if code == 0 else LATE if -code in TIMED else ENDED), written


def _followed(child: int, pipe: int, line: socket.socket) -> tuple[int, bytes]:
    """Wait for a process to end; return its status and what it wrote. If the judge ends first, or there
    is too much output or too many files, end everything in here. (When the judge ends, a process with
    another user's number gets no signal.)"""
    os.set_blocking(pipe, False)
    written = bytearray()
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
        if select([line], [], [], LOOK)[0] or len(written) > MOST or _files() > FILES:
            _sweep(child)
            os._exit(1)
        written += _read(pipe)
    _sweep(child)
    while more := _read(pipe):
        written += more
    return ended[1], bytes(written)


def _read(pipe: int) -> bytes:
    """The bytes that are in a pipe now."""
    with suppress(BlockingIOError):
        return os.read(pipe, 1 << 20)
    return b""


def _files() -> int:
    """The number of files in the sandbox; 0 outside of a sandbox, where they aren't counted."""
    if os.getpid() != 1:
        return 0
    folders = map(os.statvfs, ("/tmp", "/dev/shm"))
    return sum(folder.f_files - folder.f_ffree for folder in folders)


def _sweep(child: int) -> None:
    """End a request's process and everything that it started."""
    alone = os.getpid() == 1  # we are the first process here, so all others are the learner's
    try:
        os.kill(-1, signal.SIGKILL) if alone else os.killpg(child, signal.SIGKILL)
        while alone:
            os.waitpid(-1, 0)
    except (ProcessLookupError, ChildProcessError):
        pass


class Part:
    """A request for the inputs of one exercise, in the process that is forked for it."""

    def __init__(self, request: dict, pipe: int):
        self.request, self.pipe = request, pipe

    def serve(self) -> None:
        self.clocks("defined")
        function, why, replaced = self.define()
        inputs = pickle.loads(self.request["inputs"])
        told = {"why": why[:WORDS], "callable": callable(function), "replaced": replaced[:20]}
        told |= {"takes": _misfit(function, *inputs[:1]), "value": packed(function)}
        self.write(msgpack.packb(told, **TEXT))
        for given in inputs if callable(function) else ():
            self.clocks("called")
            self.write(message(attempt(function, given, self.request["without"], apart=True)))

    def clocks(self, kind: str) -> None:
        """Restart the timers with the limits of this kind; when one runs out, a signal ends this process."""
        processor, wall = self.request[kind]
        signal.setitimer(signal.ITIMER_PROF, processor)
        signal.setitimer(signal.ITIMER_REAL, wall)

    def write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self.pipe, data) :]

    def define(self) -> tuple[Any, str, list[str]]:
        """The learner's function, why there is none (or ""), and the functions that the cells replaced."""
        sources, id, name = (self.request[key] for key in ("cells", "id", "name"))
        page, why = cells.page(sources), ""
        space: dict[str, Any] = {"__name__": "__main__", "display": lambda *_, **__: None}
        sys.modules["__main__"].__dict__.update(space)
        for expression, statements in cells.ways(page, id, name):
            troubles = self.run(statements, sources, space, page.flags)
            try:
                return eval(expression, space), "", restore.put_back()
            except BaseException as error:
                why = why or next(iter(troubles), _words(error))
        fault = next((fault for n, fault in page.faults.items() if name in sources[n]), "")
        mentioned = any(re.search(rf"def {name}\b", source) for source in sources)
        return None, fault or (why if mentioned else "missing"), restore.put_back()

    def run(self, statements: list, sources: list[str], space: dict, flags: int) -> list[str]:
        """Run the statements in order, and return a message for each that failed."""
        troubles = []
        for statement in statements:
            try:
                exec(cells.code(statement, sources[statement.cell], flags), space)
            except BaseException as error:
                where = f"line {statement.node.lineno} of code cell {statement.cell + 1}"
                troubles.append(f"{where}: {_words(error)}")
        return troubles


def _words(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {str.__getitem__(str(error), slice(500))}"
    except BaseException:
        return "an exception without words"


def _misfit(function: Any, inputs: tuple = ()) -> str:
    """The signature of a function that can't be called with these inputs; otherwise ""."""
    try:
        theirs = inspect.signature(function)
        text = str(theirs)[:WORDS]
    except BaseException:  # some built-in functions have no signature
        return ""
    try:
        theirs.bind(*inputs)
        return ""
    except BaseException:
        return text
