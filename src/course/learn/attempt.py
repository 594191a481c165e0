"""A learner's function, run on one input: within a time limit, seen from outside, and put back.

What it returned, raised, printed, wrote into its input, used or changed becomes an Outcome.
"""

import builtins
import contextlib
import copy
import ctypes
import io
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from dis import opmap
from linecache import getline
from types import CoroutineType, FrameType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from course.learn.restore import put_back, settings
from course.learn.values import is_a, kept, same

TIME_LIMIT = 3.0  # seconds for one input
IMPORTS = 10  # so many times longer, while it imports
SENDS, WAIT = 100, 0.01  # how often a late function is told to stop; seconds between two
PRINTED = 2000  # characters that are kept of what a function prints
LEADS_ON = ("__traceback__", "__context__", "__cause__")  # from an exception to what was before


class Late(TimeoutError):
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
        if self.error is None or other.error is None:
            return False
        if to_the_word:
            words = self.words == other.words or (self.own and other.own)
            return type(self.error) is type(other.error) and words
        return is_a(self.error, type(other.error))


def attempt(function: Callable, inputs: tuple, without: tuple[str, ...] = ()) -> Outcome:
    """Run a function on a copy of the inputs and say what it did.

    An exception comes through only when the learner presses stop, which is KeyboardInterrupt.
    """
    mine = copy.deepcopy(inputs)
    call = _Call(function, mine, without)
    with settings() as changed, _streams() as printed:
        try:
            call.within(TIME_LIMIT)
        finally:
            replaced = put_back()
    return Outcome(
        value=kept(call.value),
        error=call.error,
        words=call.words,
        line=call.line,
        own=call.own,
        mutated=tuple(
            n for n, both in enumerate(zip(mine, inputs, strict=True)) if not same(*both, rtol=0.0)
        ),
        printed=printed.getvalue(),
        changed=(*changed, *call.changed),
        replaced=tuple(replaced),
        used=call.watch.found,
    )


class _Call:
    """One call of a function, made by a thread of its own, which works on every system alike."""

    def __init__(self, function: Callable, inputs: tuple, without: tuple[str, ...]):
        self.function, self.inputs = function, inputs
        self.watch, self.done = _Watch(without), threading.Event()
        self.value, self.error, self.changed = None, None, []
        self.words, self.line, self.own = "", "", False

    def run(self) -> None:
        try:
            try:
                with self.watch:
                    self.value = self.function(*self.inputs)
                if type(self.value) is CoroutineType:
                    self.value.close()  # else Python complains that nobody awaits it
            except BaseException as error:  # SystemExit too: no answer may end the kernel
                self.error = error
                self.line, self.own = _place(error)
                self.words = str.__getitem__(str(error), slice(1000))
        except BaseException:  # an exception that has no words
            self.words = ""
        finally:
            if not torch.is_grad_enabled():
                self.changed.append("the gradient mode of torch")
            if torch.get_default_device().type != "cpu":
                self.changed.append("the default device of torch")
            if self.error is not None:
                for name in LEADS_ON:  # else the frames of all of them would be kept alive
                    vars(BaseException)[name].__set__(self.error, None)
            self.done.set()

    def within(self, seconds: float) -> None:
        """Run, or stop after that time; what a module takes to be imported isn't counted."""
        worker = _Worker.current()
        worker.calls.put(self)
        in_time = False
        try:
            in_time = self.done.wait(seconds)
            for _ in range(IMPORTS):
                if not in_time and worker.imports():
                    in_time = self.done.wait(seconds)
        finally:  # also when the learner presses stop
            if not in_time:
                worker.stop(self.done)
        if not in_time:
            self.value, self.words = None, f"still running after {seconds:g} seconds"
            self.error = Late(self.words)


class _Worker(threading.Thread):
    """Makes one call after another: PyTorch takes milliseconds to begin in a new thread."""

    now: "_Worker | None" = None  # who makes the next call

    @classmethod
    def current(cls) -> "_Worker":
        if cls.now is None or not cls.now.is_alive():
            cls.now = cls(daemon=True)
            cls.now.calls = queue.SimpleQueue()
            cls.now.start()
        return cls.now

    def run(self) -> None:
        with contextlib.suppress(_OutOfTime):
            while call := self.calls.get():
                call.run()

    def imports(self) -> bool:
        """True if it is in the middle of an import: PyTorch's optimizers begin with a long one."""
        frame = sys._current_frames().get(self.ident)
        while frame and not frame.f_code.co_filename.startswith("<frozen importlib"):
            frame = frame.f_back
        return frame is not None

    def stop(self, done: threading.Event) -> None:
        """Send it an exception, many times: a function may catch some, and in the depth of a
        recursion Python makes every second one a RecursionError. A function that catches them all,
        or waits for something, is left behind."""
        _Worker.now = None
        self.calls.put(None)  # nothing comes after this call: the thread ends with it
        for _ in range(SENDS):
            _send(self.ident)
            if done.wait(WAIT):
                return
        # While one thread hasn't taken its exception, Python 3.11 hangs in any other that is
        # watched by sys.setprofile. Taking one here ends that.
        with contextlib.suppress(_OutOfTime):
            _send(threading.get_ident())
            while True:
                pass


def _send(thread: int) -> None:
    exception = ctypes.py_object(_OutOfTime)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), exception)


@contextlib.contextmanager
def own_thread() -> Iterator[None]:
    """Calls inside are made by a thread of their own: what a function leaves in it, ends with it."""
    before, _Worker.now = _Worker.now, None
    try:
        yield
    finally:
        if _Worker.now is not None:
            _Worker.now.calls.put(None)
        _Worker.now = before


class _OutOfTime(BaseException):
    """Raised inside a function that takes too long; not an Exception, so few can swallow it."""


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
                ("attention.", "course.", "importlib.")
            )
            if theirs and frame.f_code.co_name != "<module>":
                self.found = self.found or f"`{_module(frame)}.{frame.f_code.co_name}`"


def _module(frame: FrameType) -> str:
    return frame.f_globals.get("__name__") or ""


@contextlib.contextmanager
def _streams() -> Iterator[io.StringIO]:
    """While a function runs, what it prints is kept, and nobody answers its questions."""
    before, ask = (sys.stdout, sys.stderr, sys.stdin), builtins.input
    printed = _Short()
    try:
        sys.stdout = sys.stderr = printed
        sys.stdin, builtins.input = io.StringIO(), _no_answer
        yield printed
    finally:
        (sys.stdout, sys.stderr, sys.stdin), builtins.input = before, ask


class _Short(io.StringIO):
    """Keeps the beginning of what is written, lets the rest go, and can't be closed."""

    def close(self) -> None:
        pass

    def write(self, text: str) -> int:
        super().write(text[: max(0, PRINTED - self.tell())])
        return len(text)


def _no_answer(prompt: object = "") -> str:
    raise EOFError("nobody answers input() during a check")


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
