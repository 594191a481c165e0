"""A learner's function, run on one input: what it did becomes an Outcome, and settings are put back.

What it returned, raised, printed, wrote into its input, used or changed is in the Outcome. A function
that never ends, or that ends its process, is the matter of `apart`.
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

PRINTED = 2000  # characters that are kept of what a function prints


class Gone(Exception):
    """A function ended the process that it ran in."""


class Late(Gone, TimeoutError):
    """A function was still running when its time was over."""


@dataclass(frozen=True)
class Outcome:
    """What a function did with one input: a value, or the exception it raised."""

    value: Any = None
    error: BaseException | None = None
    words: str = ""  # of the exception
    line: str = ""  # of the learner's own code, where the exception came from
    own: bool = False  # raised there on purpose, so that its words are the learner's
    mutated: tuple[int, ...] = ()  # the places of the inputs that it wrote into
    printed: str = ""
    changed: tuple[str, ...] = ()  # outside of itself
    replaced: tuple[str, ...] = ()  # functions that others need
    used: str = ""  # what this exercise is to do without

    def alike(self, other: "Outcome", to_the_word: bool = False) -> bool:
        """True if two outcomes can't be told apart: equal values, or exceptions of one kind.

        `to_the_word` compares the exceptions' messages too, unless they are the learner's own: two
        mistakes may both end in a RuntimeError for quite different reasons.
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
    """Run a function on a copy of the inputs and say what it did.

    An exception comes through only when the learner presses stop, which is KeyboardInterrupt; in a
    process `apart` nobody does, and the function has raised it itself.
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
    """The value, or the exception with its words, its line, and whether it was raised there."""
    try:
        with watch:
            value = function(*inputs)
        if type(value) is CoroutineType:
            value.close()  # else Python complains that nobody awaits it
        return Outcome(value)
    except BaseException as error:  # SystemExit too: no answer may end the kernel
        if type(error) is KeyboardInterrupt and not apart:
            raise
        line, own = _place(error)
        words = _words(error)
        error.with_traceback(None)  # else its frames, and those of the earlier ones,
        error.__context__ = error.__cause__ = None  # would be kept alive
        return Outcome(error=error, words=words, line=line, own=own)


def _words(error: BaseException) -> str:
    try:
        return str.__getitem__(str(error), slice(1000))
    except BaseException:  # an exception that has no words
        return ""


class _Watch(TorchFunctionMode):
    """Notices what an exercise is to do without: functions of torch by a word in their name,
    `torch` as a whole, or `attention`, the helper package, when the learner's own code calls it."""

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
            while caller and _module(caller).startswith("torch."):  # a module's forward
                caller = caller.f_back
            theirs = caller and not _module(caller).startswith(
                ("attention.", "chapters.", "course.", "importlib.")
            )
            if theirs and frame.f_code.co_name != "<module>":
                self.found = self.found or f"`{_module(frame)}.{frame.f_code.co_name}`"


def _module(frame: FrameType) -> str:
    return frame.f_globals.get("__name__") or ""


class _Short(io.StringIO):
    """Keeps the beginning of what is written, lets the rest go, and can't be closed."""

    def close(self) -> None:
        pass

    def write(self, text: str) -> int:
        super().write(text[: max(0, PRINTED - self.tell())])
        return len(text)


def _no_answer(prompt: object = "") -> str:
    raise EOFError("input() gets no answer during a check")


def _place(error: BaseException) -> tuple[str, bool]:
    """The line of the learner's code in which an exception arose, and whether it was raised there."""
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
