"""The judge's end: a learner's function in a sandbox, called as if it were here.

`Remote.begin` has the learner's cells run; `attempt` hands over one input and gives the Outcome.
Where an input is itself a function, the sandbox has only a number for it and asks here, with raw
values, so that no exercise's own code is inside.
"""

import importlib
import inspect
import pkgutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

import attention
from course.learn.apart import STOPPED
from course.learn.attempt import Late, Outcome
from course.learn.values import exactly
from grading.line import WireError
from grading.sandbox import Gone, Sandbox
from grading.wire import Reader, Writer, foreign, name_of

DEFINED = 120  # seconds of the processor for the cells that an exercise needs
CALLED = 30  # ... for a call, of which an honest one takes hundredths
ASKED = 20  # ... for a call of an input that is a function
WAITED = 4  # times as many seconds of the clock, for what waits instead of working
ENDED = 240  # seconds until all that an exercise left has gone, on a machine with too much to do
MANY_ASKED = 20_000  # such calls, for one input
MODULES = {part.name for part in pkgutil.iter_modules(attention.__path__)}
LONGEST = 2000  # characters of a text; inside, it is cut there without a sign
OF_COURSE = ("attention.", "torch.nn.")  # modules that the sandbox has, too


class Remote:
    """The submissions' side of one exercise after another, each in a process of its own."""

    def __init__(self, trust: bool = False):
        self.trust, self.box, self.running = trust, None, False
        self.handles: list[Any] = []
        self.replaced: list[str] = []

    def begin(self, id: str, name: str, cells: list[str]) -> tuple[Any, str]:
        """Run what the exercise needs; its function, or why there is none."""
        if self.box is None:
            self.box = Sandbox(trust=self.trust)
            self.box.start()
        request = {"is": "exercise", "id": id, "name": name, "cells": cells, "seconds": DEFINED}
        self._send(request, [])
        self.running = True
        try:
            message, data = self._receive(DEFINED, "ready")
        except Late:
            raise Gone("was still running its cells when the check stopped it") from None
        if why := _text(message["why"]):
            return None, why
        if message["callable"] is not True:
            return _read(Reader(data), message["value"]), ""
        self.replaced = _texts(message["replaced"])
        return Function(name, message["signature"]), ""

    def end(self) -> None:
        """The exercise's process goes; what it left behind does, too."""
        if not self.running:
            return
        self._send({"is": "end"}, [])
        with self._or_gone():
            while self.box.line.receive(ENDED)[0].get("is") != "over":
                pass
        self.running = False

    def attempt(self, function: Callable, inputs: tuple, without: tuple[str, ...] = ()) -> Outcome:
        """What the learner's function does with an input, as course.learn.attempt gives it."""
        self.handles, writer = [], Writer(self._other)
        writer.strided = True
        trees = [writer.tree(value) for value in inputs]
        request = {"is": "inputs", "values": trees, "without": [*without], "seconds": CALLED}
        self._send(request, writer.parts)
        try:
            message, data = self._receive(CALLED, "outcome")
        except Late as late:
            return Outcome(error=late, words=STOPPED)
        return self._outcome(message, Reader(data), len(inputs), without)

    def _outcome(
        self, message: dict, reader: Reader, n_inputs: int, without: tuple[str, ...]
    ) -> Outcome:
        try:
            error = message["error"]
            value = reader.read(message["value"])
            mutated = tuple(n for n in message["mutated"] if type(n) is int and 0 <= n < n_inputs)
            return Outcome(
                value=value if error is None else None,
                error=None if error is None else reader.read(["error", error]),
                words=_text(message["words"]),
                line=_text(message["line"]),
                own=message["own"] is True,
                mutated=mutated,
                printed=_text(message["printed"]),
                changed=tuple(_texts(message["changed"])),
                replaced=tuple(self.replaced + _texts(message["replaced"])),
                used=_known_use(_text(message["used"]), without),
            )
        except (WireError, KeyError, TypeError) as error:
            raise self._lost("sent what no function can return") from error

    # ------------------------------------------------------------ the line

    def _send(self, message: dict, parts: list[bytes]) -> None:
        with self._or_gone():
            self.box.line.send(message, parts, 60)

    def _receive(self, seconds: int, wanted: str) -> tuple[dict, bytes]:
        for _ in range(MANY_ASKED):
            with self._or_gone(Late(STOPPED)):
                message, data = self.box.line.receive(WAITED * seconds, self.box.watch)
            kind = message.get("is")
            if kind == wanted:
                return message, data
            if kind == "over":
                self.running = False
                code = message.get("code")
                raise Late(STOPPED) if code == -signal.SIGPROF else Gone(_ending(code))
            if kind not in ("call", "back") or wanted != "outcome":
                break
            self._answer(message, Reader(data))
        else:
            raise self._lost(f"called what it was given more than {MANY_ASKED:,} times")
        raise self._lost("sent what no function can return")

    @contextmanager
    def _or_gone(self, late: Exception | None = None) -> Iterator[None]:
        try:
            yield
        except TimeoutError:
            gone = self._lost("didn't answer any more")
            raise late or gone from None
        except (WireError, RecursionError):
            raise self._lost("sent what no function can return") from None
        except (EOFError, OSError):
            raise self._lost("ended all of its processes") from None
        except Gone:
            self.close()
            raise

    def _lost(self, why: str) -> Gone:
        self.close()
        return Gone(why)

    def close(self) -> None:
        """End the sandbox; the next exercise gets another."""
        if self.box is not None:
            self.box.__exit__()
            self.box, self.running = None, False

    def __enter__(self) -> "Remote":
        return self

    def __exit__(self, *error) -> None:
        self.close()

    # ------------------------------------------------------------ inputs that are called

    def _other(self, value: Any, writer: Writer) -> Any:
        """How an input goes over that is no raw value."""
        if isinstance(value, nn.Module):
            return self._module(value, writer)
        if inspect.isfunction(value):
            return ["function", self._handle(value), "given"]
        if callable(value):
            plain = [[k, writer.tree(v)] for k, v in vars(value).items() if _is_plain(v)]
            return ["object", self._handle(value), plain]
        raise TypeError(f"no input of an exercise can be {type(value).__name__}")

    def _handle(self, value: Any) -> int:
        self.handles.append(value)
        return len(self.handles) - 1

    def _module(self, module: nn.Module, writer: Writer) -> Any:
        name = ".".join(name_of(type(module)))
        theirs = name.startswith(OF_COURSE)
        handle = None if theirs else self._handle(module)
        attributes = vars(module) if theirs else {**vars(type(module)), **vars(module)}
        plain = [[k, writer.tree(v)] for k, v in attributes.items() if _is_own(k, v)]
        buffers = dict(module.named_buffers(recurse=False))
        numbers = [[k, writer.tree(p), False, True] for k, p in module._parameters.items()]
        numbers += [
            [k, writer.tree(b), True, k not in module._non_persistent_buffers_set]
            for k, b in buffers.items()
        ]
        parts = [[k, writer.tree(m)] for k, m in module.named_children()]
        return ["module", name, handle, module.training, plain, numbers, parts]

    def _answer(self, message: dict, reader: Reader) -> None:
        """Call the exercise's own function with raw values, and send what it gives."""
        answer, writer = {"is": "answer", "number": message.get("number"), "error": None}, Writer()
        try:
            function = self.handles[_index(message["function"], len(self.handles))]
            made = Reader(reader.data, _generator)
            args = [made.read(tree) for tree in message["args"]]
            kwargs = {_text(key): made.read(tree) for key, tree in message["kwargs"]}
            more = made.read(message["more"])
        except (WireError, KeyError, TypeError, ValueError):
            raise self._lost("sent what no function can return") from None
        if message["is"] == "back":
            _first_gradient()
        try:
            with _in_time(ASKED), _mode(function, message.get("training")):
                if message["is"] == "back":
                    value, learns = _gradients(function, args, more), False
                else:
                    with torch.set_grad_enabled(more is True):
                        value = function(*args, **kwargs)
                    learns = isinstance(value, torch.Tensor) and value.requires_grad
        except Exception as error:
            answer |= {"error": foreign(error)[1], "words": str(error)[:1000]}
        else:
            tree = writer.whole(_detached(value))  # the first that is read
            states = [
                [n, writer.tree(arg.get_state())]
                for n, arg in enumerate(args)
                if exactly(arg, torch.Generator)
            ]
            answer |= {"value": tree, "learns": learns, "states": states}
        self._send(answer, writer.parts)


class Function:
    """Stands for the learner's function: what is known of it here is how it is called."""

    def __init__(self, name: str, parameters: Any):
        self.__name__ = name
        try:
            self.__signature__ = inspect.Signature([_parameter(*part) for part in parameters])
        except (TypeError, ValueError):
            self.__signature__ = "unknown"  # then nothing is said of it

    def __call__(self, *args: Any) -> Any:
        raise TypeError("a learner's function runs in the sandbox alone")


class _Shown:
    """A default, of which only the text is known."""

    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _parameter(name: str, kind: int, default: str | None) -> inspect.Parameter:
    shown = inspect.Parameter.empty if default is None else _Shown(_text(default)[:100])
    return inspect.Parameter(_text(name), inspect._ParameterKind(kind), default=shown)


def _read(reader: Reader, tree: Any) -> Any:
    try:
        return reader.read(tree)
    except WireError:
        return None


def _index(number: Any, length: int) -> int:
    if type(number) is not int or not 0 <= number < length:
        raise ValueError("no such function")
    return number


def _text(value: Any) -> str:
    """A text that any file can hold, with a sign where it was cut."""
    text = value if type(value) is str else ""
    text = text if len(text) < LONGEST else f"{text[: LONGEST - 1]}…"
    return text.encode("utf-8", "replace").decode("utf-8")


def _texts(values: Any) -> list[str]:
    return [_text(value)[:200] for value in values][:20] if type(values) is list else []


def _known_use(used: str, without: tuple[str, ...]) -> str:
    """What a function used, if a function of that name is there to be used, else "".

    The words come from the learner's process, and could tell it what it has seen.
    """
    if not without:
        return ""
    owner, _, name = used.strip("`").rpartition(".")
    if "attention" in without and owner.removeprefix("attention.") in MODULES:
        return used if hasattr(importlib.import_module(owner), name) else "`attention`"
    told = used.removeprefix("torch's ").strip("`")
    known = any(told in (n.strip("_") for n in dir(o)) for o in (torch, F, torch.Tensor))
    fits = "torch" in without or any(word in told for word in without)
    return used if known and fits else "a function" if used else ""


def _ending(code: Any) -> str:
    if type(code) is int and code < 0:
        try:
            return f"was ended by the signal {signal.Signals(-code).name}"
        except ValueError:
            pass
    return "ended Python itself"  # with which status, its learner's code decides: it stays here


def _is_plain(value: Any) -> bool:
    return exactly(value, bool, int, float, str, type(None), torch.Tensor)


def _is_own(key: str, value: Any) -> bool:
    """An attribute of a module that isn't PyTorch's own."""
    known = key == "training" or key in nn.Module().__dict__
    return not known and not key.startswith("__") and _is_plain(value)


def _generator(tag: str, parts: list, reader: Reader) -> Any:
    if tag != "generator":
        raise WireError("an unknown tag")
    return torch.Generator().set_state(reader.value(parts[0]))


def _detached(value: Any) -> Any:
    return value.detach() if isinstance(value, torch.Tensor) else value


def _gradients(function: Callable, args: list, gradient: Any) -> tuple:
    """The gradients of a call, for each of its arguments; None where none flows."""
    mine = [a.detach().requires_grad_(a.requires_grad) if _is_tensor(a) else a for a in args]
    learn = [n for n, a in enumerate(mine) if _is_tensor(a) and a.requires_grad]
    with torch.enable_grad():
        out = function(*mine)
    found = torch.autograd.grad(out, [mine[n] for n in learn], gradient, allow_unused=True)
    by_place = dict(zip(learn, found, strict=True))
    return tuple(by_place.get(n) for n in range(len(mine)))


@cache
def _first_gradient() -> None:
    """PyTorch imports for seconds when it is first asked for one; that is nobody's time."""
    one = torch.ones(1, requires_grad=True)
    torch.autograd.grad(one * one, [one], torch.ones(1), allow_unused=True)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


@contextmanager
def _mode(function: Any, training: Any) -> Iterator[None]:
    if not isinstance(function, nn.Module) or type(training) is not bool:
        yield
        return
    before = function.training
    function.train(training)
    try:
        yield
    finally:
        function.train(before)


@contextmanager
def _in_time(seconds: int) -> Iterator[None]:
    """TimeoutError inside after that much time of the processor."""

    def late(*_: object) -> None:
        raise TimeoutError(f"the function you were given took more than {seconds} seconds")

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
