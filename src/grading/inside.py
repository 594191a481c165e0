"""The process in the sandbox: it runs the learner's cells and calls the learner's function.

It imports torch once and then runs no learner's code itself: each exercise has a process of its
own, forked from it, which ends with it. Inputs come one at a time; raw values go back. Nothing that
this process says is believed: it is the learner's.
"""

import inspect
import os
import shutil
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from course.learn import restore
from course.learn.attempt import Outcome, attempt
from course.learn.values import exactly
from grading import cells
from grading.line import Line
from grading.probe import settle
from grading.wire import Reader, Writer, foreign, names

WORDS = 2000  # characters of a text about an outcome
PLACES = ("/tmp", "/dev/shm")  # where a process can write
LONGEST_REQUEST = 1 << 30  # bytes: the judge is believed, and a notebook may be long


def main() -> None:
    """Answer the judge's requests until it leaves. Its words: the socket, the limits, the user."""
    end, limits, user = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    settle(limits, user)
    there = {place: set(os.listdir(place)) for place in PLACES}  # Python itself may live there
    torch.set_num_threads(1)
    restore.remember()
    line = Line(socket.socket(fileno=end), LONGEST_REQUEST)
    alone = os.getpid() == 1
    line.send({"is": "here", "alone": alone}, [])
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    while True:
        try:
            request, _ = line.receive()
        except EOFError:
            os._exit(0)
        if request.get("is") != "exercise":
            continue
        child = os.fork()
        if not child:
            os.setsid()
            Exercise(line, request).serve()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        _sweep(alone, child, there)
        line.send({"is": "over", "code": os.waitstatus_to_exitcode(status)}, [])


def _sweep(alone: bool, child: int, there: dict[str, set[str]]) -> None:
    """End what an exercise left behind, and take away its files; or end with it.

    What was `there` in the places before any of them is left as it is.
    """
    try:
        if not alone:
            os.killpg(child, signal.SIGKILL)
            return
        os.kill(-1, signal.SIGKILL)  # all but this one: it is the first process in here
    except ProcessLookupError:
        pass
    if alone:
        try:
            while True:
                os.waitpid(-1, 0)
        except ChildProcessError:
            pass
        for place, before in there.items():
            for name in set(os.listdir(place)) - before:
                path = os.path.join(place, name)
                folder = os.path.isdir(path) and not os.path.islink(path)
                shutil.rmtree(path) if folder else os.unlink(path)


class Exercise:
    """What one exercise needs, in the process that is for it alone."""

    def __init__(self, line: Line, request: dict):
        self.line, self.request = line, request
        self.asked = 0

    def serve(self) -> None:
        signal.setitimer(signal.ITIMER_PROF, self.request["seconds"])
        function, why, replaced = self.define()
        writer = Writer()
        tree = None if why or callable(function) else writer.whole(function)
        self.line.send(
            {
                "is": "ready",
                "why": why[:WORDS],
                "callable": not why and callable(function),
                "value": tree,
                "signature": None if why else _signature(function),
                "replaced": [name[:200] for name in replaced][:20],
            },
            writer.parts,
        )
        while True:
            message, data = self.line.receive()
            if message.get("is") == "end":
                return
            if message.get("is") != "inputs":  # the answer to a question nobody waits for now
                continue
            reader = Reader(data, self.given)
            inputs = tuple(reader.value(tree) for tree in message["values"])
            signal.setitimer(
                signal.ITIMER_PROF, message["seconds"]
            )  # the kernel ends what goes on
            self.tell(attempt(function, inputs, tuple(message["without"]), apart=True))

    def define(self) -> tuple[Any, str, list[str]]:
        """The learner's function, why there is none, and what its cells had replaced."""
        sources, id, name = (self.request[key] for key in ("cells", "id", "name"))
        page = cells.page(sources)
        end, wanted = page.checks.get(id, (len(sources), name))
        space: dict[str, Any] = {"__name__": "__main__"}
        sys.modules["__main__"].__dict__.update(space)
        why = ""
        for last, expression in ((end, wanted), (len(sources), name)):
            known = [s for s in page.statements if s.cell <= last]
            uses, _ = cells.names(cells.symtable.symtable(expression, "<check>", "eval"))
            troubles = self.run(cells.needed(known, uses), sources, space)
            try:
                return eval(expression, space), "", restore.put_back()
            except BaseException as error:
                shown = _words(error)
                why = why or next(iter(troubles), f"{type(error).__name__}: {shown}")
        fault = next((fault for n, fault in page.faults.items() if name in sources[n]), "")
        mentioned = any(f"def {name}" in source for source in sources)
        return None, fault or (why if mentioned else "missing"), restore.put_back()

    def run(self, statements: list, sources: list[str], space: dict) -> list[str]:
        """Run statements, one after another; what went wrong in each that failed."""
        troubles = []
        for statement in statements:
            try:
                exec(cells.code(statement, sources[statement.cell]), space)
            except BaseException as error:
                where = f"line {statement.node.lineno} of code cell {statement.cell + 1}"
                troubles.append(f"{where}: {type(error).__name__}: {_words(error)}")
        return troubles

    # ------------------------------------------------------------ outcomes

    def tell(self, outcome: Outcome) -> None:
        """Send what the function did with an input."""
        writer = Writer()
        self.line.send(
            {
                "is": "outcome",
                "value": writer.whole(outcome.value),
                "error": None if outcome.error is None else names(type(outcome.error)),
                "words": outcome.words[:WORDS],
                "line": outcome.line[:WORDS],
                "own": outcome.own,
                "mutated": [*outcome.mutated],
                "printed": outcome.printed[:WORDS],
                "changed": [text[:200] for text in outcome.changed][:20],
                "replaced": [text[:200] for text in outcome.replaced][:20],
                "used": outcome.used[:200],
            },
            writer.parts,
        )

    # ------------------------------------------------------------ inputs that are called

    def given(self, tag: str, parts: list, reader: Reader) -> Any:
        """An input that can be called: the judge calls it. A module is built again."""
        if tag == "function":
            handle, name = parts

            def function(*args, **kwargs):
                return self.ask(handle, args, kwargs)

            function.__name__ = name
            return function
        if tag == "object":
            handle, attributes = parts
            made = Given(self, handle)
            made.__dict__.update({key: reader.value(tree) for key, tree in attributes})
            return made
        name, handle, training, attributes, numbers, children = parts
        if handle is None:
            module, _, cls = name.rpartition(".")
            made = nn.Module.__new__(getattr(__import__(module, fromlist=[cls]), cls))
        else:
            made = nn.Module.__new__(GivenModule)
        nn.Module.__init__(made)
        if handle is not None:
            made.__dict__["ask"] = Asker(self, handle)
        for key, tree in attributes:
            made.__dict__[key] = reader.value(tree)
        for key, tree, is_buffer, saved in numbers:
            value = reader.value(tree)
            made.register_buffer(key, value, saved) if is_buffer else made.register_parameter(
                key, value
            )
        for key, tree in children:
            made.add_module(key, reader.value(tree))
        made.training = training
        return made

    def ask(self, handle: int, args: tuple, kwargs: dict, training: bool | None = None) -> Any:
        """What the judge's own function gives for these values; gradients flow through it."""
        with torch._C.DisableTorchFunction():
            tensors = [*args, *kwargs.values()]
            learns = torch.is_grad_enabled() and any(
                isinstance(value, torch.Tensor) and value.requires_grad for value in tensors
            )
            if learns and not kwargs:
                return Asked.apply(self, handle, training, *args)
            value, _ = self.question("call", handle, training, args, kwargs)
            return value

    def question(self, kind: str, handle, training, args, kwargs, more=None) -> tuple[Any, bool]:
        self.asked += 1
        number, writer = self.asked, Writer(_generators)
        self.line.send(
            {
                "is": kind,
                "number": number,
                "function": handle,
                "training": training,
                "args": [writer.tree(value) for value in args],
                "kwargs": [[key, writer.tree(value)] for key, value in kwargs.items()],
                "more": writer.tree(more),
            },
            writer.parts,
        )
        while True:
            message, data = self.line.receive()
            if message.get("number") == number:
                break
        reader = Reader(data)
        if message["error"]:
            error = reader.value(["error", message["error"]])
            error.args = (message["words"],)
            raise error
        value = reader.value(message["value"])
        for place, state in message["states"]:
            args[place].set_state(reader.value(state))
        return value, message["learns"]


class Asked(torch.autograd.Function):
    """A call of the judge's function through which gradients flow back."""

    @staticmethod
    def forward(ctx, exercise, handle, training, *args):
        ctx.asked = exercise, handle, training, args
        value, learns = exercise.question("call", handle, training, args, {}, True)
        if isinstance(value, torch.Tensor) and not learns:
            ctx.mark_non_differentiable(value)
        return value

    @staticmethod
    def backward(ctx, gradient):
        exercise, handle, training, args = ctx.asked
        found, _ = exercise.question("back", handle, training, args, {}, gradient)
        return None, None, None, *found


class Given:
    """An object of the judge's: its plain attributes, and what it does when it is called."""

    def __init__(self, exercise: Exercise, handle: int):
        self._asker = Asker(exercise, handle)

    def __call__(self, *args, **kwargs):
        return self._asker(None, args, kwargs)


class GivenModule(nn.Module):
    """A module of the judge's that is part of one of the course's."""

    def forward(self, *args, **kwargs):
        return self.ask(self.training, args, kwargs)


class Asker:
    """The way to the judge; a copy of an input asks on the same way."""

    def __init__(self, exercise: Exercise, handle: int):
        self.exercise, self.handle = exercise, handle

    def __call__(self, training: bool | None, args: tuple, kwargs: dict) -> Any:
        return self.exercise.ask(self.handle, args, kwargs, training)

    def __deepcopy__(self, memo: dict) -> "Asker":
        return self


def _generators(value: Any, writer: Writer) -> Any:
    """A generator of random numbers goes by its state."""
    if exactly(value, torch.Generator):
        return ["generator", writer.tree(value.get_state())]
    return foreign(value)


def _words(error: BaseException) -> str:
    try:
        return str.__getitem__(str(error), slice(500))
    except BaseException:
        return ""


def _signature(function: Callable) -> list | None:
    """The parameters of a function: name, kind, and the text of its default."""
    try:
        parameters = inspect.signature(function).parameters.values()
        return [
            [p.name, int(p.kind), None if p.default is p.empty else repr(p.default)[:100]]
            for p in parameters
        ][:50]
    except BaseException:
        return None


if __name__ == "__main__":
    main()
