"""The process in the sandbox: it runs a learner's cells and calls their functions with all inputs.

It imports torch once and then runs no learner's code itself: each part of the request has a process
of its own, forked from it, which ends with it and writes into a file of its own. The inputs that
nobody has seen come when all that could still be told to the learner is written. Nothing that comes
from here is believed: it is the learner's.
"""

import inspect
import os
import pickle
import re
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from itertools import chain
from select import select
from typing import Any

import torch

from course.learn import restore
from course.learn.attempt import attempt
from grading import cells
from grading.answers import WORDS, Packer, frame, packed
from grading.probe import settle

TIMED = (signal.SIGPROF, signal.SIGALRM, signal.SIGXCPU)  # what ends a call that takes too long
TRIAL = "import torch\ndef trial(): return torch.ones(2)"  # if this fails, no learner is to blame
LOOK = 0.005  # seconds between two looks at a part
DONE, LATE, ENDED = b".", b"L", b"E"  # what is said of a part


def main() -> None:
    """Do all parts of the request, those that are shown first."""
    line, files = settle()
    torch.set_num_threads(1)
    request = pickle.load(sys.stdin.buffer)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    hidden, *files = files
    trial = {"id": "", "name": "trial", "without": (), "inputs": pickle.dumps([()])}
    line.send(_apart(request | {"cells": [TRIAL]}, trial, os.dup(nowhere), line, []))
    for part in chain(request["shown"], _later(line, hidden)):
        line.send(_apart(request, part, files.pop(0), line, [hidden, *files]))


def _later(line: socket.socket, file: int) -> Iterator[dict]:
    """The hidden parts, once the judge has read what was made of those that are shown."""
    if line.recv(1):
        with open(file, "rb") as opened:
            yield from pickle.load(opened)


def _apart(request: dict, part: dict, file: int, line: socket.socket, others: list[int]) -> bytes:
    """One part in a process of its own, of which nothing is left, and how it ended."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        child = os.fork()
        if not child:
            try:
                os.setsid()
                os.chdir(folder)
                for other in (line.fileno(), *others):
                    os.close(other)
                Part(request, part, file).serve()
                os._exit(0)
            finally:
                os._exit(1)
        status = _ended(child, line)
        _sweep(child)
        os.close(file)
    code = os.waitstatus_to_exitcode(status)
    return DONE if code == 0 else LATE if -code in TIMED else ENDED


def _ended(child: int, line: socket.socket) -> int:
    """The status of a process that has ended. If the judge ends before, so does all that is in here.

    No signal says that the judge ended to a process that has taken another user's number.
    """
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
        if select([line], [], [], LOOK)[0]:
            _sweep(child)
            os._exit(1)
    return ended[1]


def _sweep(child: int) -> None:
    """End what a part left behind."""
    alone = os.getpid() == 1  # the first process in here: all others are the learner's
    try:
        os.kill(-1, signal.SIGKILL) if alone else os.killpg(child, signal.SIGKILL)
        while alone:
            os.waitpid(-1, 0)
    except (ProcessLookupError, ChildProcessError):
        pass


class Part:
    """The inputs of one exercise, in the process that is for them alone."""

    def __init__(self, request: dict, part: dict, file: int):
        self.request, self.part, self.file = request, part, file

    def serve(self) -> None:
        self.clocks("defined")
        function, why, replaced = self.define()
        inputs = pickle.loads(self.part["inputs"])
        packer = Packer()
        told = {"why": why[:WORDS], "callable": callable(function), "replaced": replaced[:20]}
        told |= {"takes": _misfit(function, *inputs[:1]), "value": packer.whole(function)}
        self.write(frame(told, packer.tensors))
        for given in inputs if callable(function) else ():
            self.clocks("called")
            self.write(packed(attempt(function, given, self.part["without"], apart=True)))

    def clocks(self, kind: str) -> None:
        """From now on it may take so long, and then the kernel ends it, whatever it does."""
        processor, wall = self.request[kind]
        signal.setitimer(signal.ITIMER_PROF, processor)
        signal.setitimer(signal.ITIMER_REAL, wall)

    def write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self.file, data) :]

    def define(self) -> tuple[Any, str, list[str]]:
        """The learner's function, why there is none, and what its cells had replaced."""
        sources, id, name = self.request["cells"], self.part["id"], self.part["name"]
        page, why = cells.page(sources), ""
        space: dict[str, Any] = {"__name__": "__main__"}
        sys.modules["__main__"].__dict__.update(space)
        for expression, statements in cells.ways(page, id, name):
            troubles = self.run(statements, sources, space)
            try:
                return eval(expression, space), "", restore.put_back()
            except BaseException as error:
                why = why or next(iter(troubles), _words(error))
        fault = next((fault for n, fault in page.faults.items() if name in sources[n]), "")
        mentioned = any(re.search(rf"def {name}\b", source) for source in sources)
        return None, fault or (why if mentioned else "missing"), restore.put_back()

    def run(self, statements: list, sources: list[str], space: dict) -> list[str]:
        """Run statements, one after another; what went wrong in each that failed."""
        troubles = []
        for statement in statements:
            try:
                exec(cells.code(statement, sources[statement.cell]), space)
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
    """The parameters of a function that can't be called with these inputs."""
    try:
        theirs = inspect.signature(function)
        text = str(theirs)[:WORDS]
    except BaseException:  # some of Python's own have none
        return ""
    try:
        theirs.bind(*inputs)
        return ""
    except BaseException:
        return text


if __name__ == "__main__":
    main()
