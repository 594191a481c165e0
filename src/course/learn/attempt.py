"""Call a learner's function on one input, record what it did as an Outcome, and restore settings.

The Outcome holds what the function returned, raised, printed and used, and which inputs and settings
it changed. `apart` handles functions that never end or that end their process.
"""

import builtins
import io
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from copy import deepcopy
from dataclasses import dataclass, replace
from dis import opmap
from linecache import getline
from types import CoroutineType, FrameType
from typing import Any
from unittest.mock import patch

from torch.overrides import TorchFunctionMode

from course.learn.restore import put_back, settings
from course.learn.values import is_a, kept, same

PRINTED = 2000  # characters kept from what a function prints


class Gone(Exception):
    """A function ended the process that it ran in."""


class Late(Gone, TimeoutError):
    """A function was still running when its time was over."""


@dataclass(frozen=True)
class Outcome:
    """What a function did with one input: the value it returned or the exception it raised."""

    value: Any = None
    error: BaseException | None = None
    words: str = ""  # the text of the exception
    line: str = ""  # the line of the learner's code where the exception arose
    own: bool = False  # whether that line is a `raise`, so that the text is the learner's own
    mutated: tuple[int, ...] = ()  # the positions of the inputs that it wrote into
    printed: str = ""
    changed: tuple[str, ...] = ()  # names of the settings that it changed
    replaced: tuple[str, ...] = ()  # names of the library functions that it replaced
    used: str = ""  # the first thing it used that the exercise forbids

    def alike(self, other: "Outcome", to_the_word: bool = False) -> bool:
        """Whether two outcomes agree: equal values and changed inputs, or exceptions of one kind.

        `to_the_word` also compares the messages, unless both functions wrote their own: two
        mistakes can end in a RuntimeError for quite different reasons.
        """
        if self.error is None and other.error is None:
            return self.mutated == other.mutated and same(self.value, other.value)
        if to_the_word:
            words = self.words == other.words or (self.own and other.own)
            return type(self.error) is type(other.error) and words
        return is_a(self.error, type(other.error))


def attempt(
    function: Callable, inputs: tuple, without: tuple[str, ...] = (), apart: bool = False
) -> Outcome:
    """Call a function on a copy of the inputs and return what it did, including an exception.

    Only a KeyboardInterrupt is raised again: the learner has pressed stop. With `apart`, even that
    is recorded, because no key press reaches a forked process: the function has raised it itself.
    """
    mine, watch, printed = deepcopy(inputs), _Watch(without), _Short()
    with (
        settings() as changed,
        redirect_stdout(printed),
        redirect_stderr(printed),
        patch.object(builtins, "input", _no_answer),
    ):
        try:
            outcome = _called(function, mine, watch, apart)
        finally:
            replaced = put_back()
    pairs = enumerate(zip(mine, inputs, strict=True))
    return replace(
        outcome,
        value=kept(outcome.value),
        mutated=tuple(n for n, both in pairs if not same(*both, rtol=0.0)),
        printed=printed.getvalue(),
        changed=tuple(changed),
        replaced=tuple(replaced),
        used=watch.found,
    )


def _called(function: Callable, inputs: tuple, watch: "_Watch", apart: bool) -> Outcome:
    """Call the function; the Outcome holds its value or exception, and `attempt` adds the rest."""
    try:
        with watch:
            value = function(*inputs)
        if type(value) is CoroutineType:
            value.close()  # otherwise Python warns that it was never awaited
        return Outcome(value)
    except BaseException as error:  # even SystemExit: no answer may end the kernel
        if type(error) is KeyboardInterrupt and not apart:
            raise
        line, own = _place(error)
        words = _words(error)
        error.with_traceback(None)  # otherwise its frames, and those of the exceptions
        error.__context__ = error.__cause__ = None  # before it, would be kept alive
        return Outcome(error=error, words=words, line=line, own=own)


def _words(error: BaseException) -> str:
    try:
        return str.__getitem__(str(error), slice(1000))
    except BaseException:  # its __str__ fails
        return ""


class _Watch(TorchFunctionMode):
    """Finds the first use of what an exercise forbids: torch functions with a word in their names, all
    torch functions ("torch"), or calls of the package `attention` by the learner's own code."""

    def __init__(self, without: tuple[str, ...]):
        super().__init__()
        self.without, self.found = without, ""

    def __enter__(self):
        if "attention" in self.without:
            sys.setprofile(self._entered)
        return super().__enter__() if self.without else self

    def __exit__(self, *error):
        if "attention" in self.without:
            sys.setprofile(None)
        return super().__exit__(*error) if self.without else None

    def __torch_function__(self, function, types, args=(), kwargs=None):
        name = getattr(function, "__name__", "").strip("_")
        if "torch" in self.without or any(word in name for word in self.without):
            self.found = self.found or f"torch's `{name}`"
        return function(*args, **(kwargs or {}))

    def _entered(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and _module(frame).startswith("attention."):
            caller = frame.f_back
            while caller and _module(caller).startswith("torch."):  # torch calls forward
                caller = caller.f_back
            theirs = caller and not _module(caller).startswith(
                ("attention.", "chapters.", "course.", "importlib.")
            )
            if theirs and frame.f_code.co_name != "<module>":
                self.found = self.found or f"`{_module(frame)}.{frame.f_code.co_name}`"


def _module(frame: FrameType) -> str:
    return frame.f_globals.get("__name__") or ""


class _Short(io.StringIO):
    """Keeps the first PRINTED characters written to it, drops the rest, and can't be closed."""

    def close(self) -> None:
        pass

    def write(self, text: str) -> int:
        super().write(text[: max(0, PRINTED - self.tell())])
        return len(text)


def _no_answer(prompt: object = "") -> str:
    raise EOFError("input() gets no answer during a check")


def _place(error: BaseException) -> tuple[str, bool]:
    """The learner's line where an exception arose, and whether a `raise` in that line raised it."""
    trace = last = deepest = error.__traceback__.tb_next  # the first entry is ours
    if trace is None:
        return "", False
    name = trace.tb_frame.f_code.co_filename
    while trace := trace.tb_next:
        last = trace
        deepest = trace if trace.tb_frame.f_code.co_filename == name else deepest
    code = last.tb_frame.f_code
    line = getline(name, deepest.tb_lineno, deepest.tb_frame.f_globals).strip()
    raised = code.co_code[last.tb_lasti] == opmap["RAISE_VARARGS"]
    return line, raised and code.co_filename == name
