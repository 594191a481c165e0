"""The silly and the hostile: what each is told, and that nothing of it is left afterwards."""

import asyncio
import copy
import ctypes
import faulthandler
import functools
import gc
import itertools
import os
import random
import re
import signal
import sys
import threading
import time
import warnings

import numpy as np
import psutil
import pytest
import torch
from torch import nn

from course.learn import apart
from course.learn.exercises import check, load
from course.learn.verdict import judge

EXERCISE = load("04.mean_past")
MEAN = EXERCISE.reference.function
X = EXERCISE.fixed[0][0]


STOPPED = "your function was still running when the check stopped it. Does it ever end?"


@pytest.fixture(autouse=True)
def as_typed(monkeypatch):
    """As by a learner; what waits is stopped after a while that no test has to sit out."""
    monkeypatch.delenv("COURSE_HEADLESS", raising=False)


@pytest.fixture
def soon(monkeypatch):
    monkeypatch.setattr(apart, "PROCESSOR", 0.2)
    monkeypatch.setattr(apart, "WALL", 2.0)


class Lies:
    """Says yes to everything."""

    __class__ = torch.Tensor
    shape, dtype = X.shape, X.dtype

    def __eq__(self, other):
        return True

    def __bool__(self):
        return True

    __hash__ = None


class Raises:
    """Raises at whatever is done with it."""

    def __getattribute__(self, name):
        raise SystemExit(f"{name} of a class")

    __eq__ = __hash__ = __len__ = __bool__ = __iter__ = __getattribute__

    def __repr__(self):
        raise SystemExit("no repr")

    __str__ = __repr__


class Loops:
    def __eq__(self, other):
        while True:
            pass

    __hash__ = __repr__ = __len__ = __eq__


class Strict(type):
    def __eq__(cls, other):
        raise SystemExit("== of a class")

    __hash__ = type.__hash__


class OfStrict(metaclass=Strict):
    pass


class YesTensor(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return True


class YesFloat(float):
    def __eq__(self, other):
        return True

    __hash__ = float.__hash__


class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no words")


class Talks(Exception):
    def __str__(self):
        while True:
            pass


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def in_itself():
    value = []
    value.append(value)
    return value


def laughs():
    value = [1.0]
    for _ in range(60):
        value = [value, value]
    return value


def yields(x):
    yield MEAN(x)


async def waits(x):
    return MEAN(x)


def recursion(x):
    return recursion(x)


def own_recursion(x):
    try:
        return own_recursion(x)
    except RecursionError:
        return own_recursion(x)


def spins(x):
    while True:
        pass


def refuses_to_stop(x):
    while True:
        try:
            time.sleep(0.01)  # for ever: it is stopped from outside
        except BaseException:
            continue


def locks(x):
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


class LoopsAtItsEnd:
    def __del__(self):
        while True:
            pass


def segfaults(x):
    faulthandler.disable()  # else its words would be among those of the tests
    ctypes.string_at(0)


def leaves_a_process(x):
    if not os.fork():
        while True:
            time.sleep(1)  # for ever: it is ended from outside
    return MEAN(x)


def raises(error):
    def answer(x):
        raise error

    return answer


def prints(x):
    print("x" * 10**7)
    sys.stderr.write("also here")
    return MEAN(x)


def closes(x):
    sys.stdout.close()
    return MEAN(x)


def remembers(x, seen=[]):  # noqa: B006
    seen.append(1)
    return MEAN(x) * len(seen)


def one_buffer(x, buffer=torch.zeros(1)):  # noqa: B008
    buffer.resize_(x.shape).copy_(MEAN(x))
    return buffer


def spoils_quietly(x):
    answer = MEAN(x)
    x.numpy()[...] = 0
    return answer


def patches(*names):
    def answer(x):
        for name in names:
            owner, _, attribute = name.rpartition(".")
            place = eval(
                owner, {"torch": torch, "builtins": __builtins__, "copy": copy, "time": time}
            )
            setattr(place, attribute, lambda *given, **more: True)
        return torch.zeros_like(x)

    return answer


def silent(do):
    """Does it, and then answers rightly."""

    def answer(x):
        do()
        return MEAN(x)

    return answer


WRONG = {  # what it does: (answer, what it has to be told)
    "a sparse tensor": (lambda x: MEAN(x).to_sparse(), "got a sparse tensor of shape (1, 2, 1)."),
    "a meta tensor": (lambda x: x.to("meta"), "got a meta device's tensor of shape (1, 2, 1)."),
    "a nested tensor": (
        lambda x: torch.nested.nested_tensor([x[0], x[0, :1]]),
        "a nested tensor.",
    ),
    "a quantized tensor": (
        lambda x: torch.quantize_per_tensor(x, 0.1, 0, torch.qint8),
        "got a quantized tensor of shape (1, 2, 1).",
    ),
    "complex numbers": (lambda x: MEAN(x).cfloat(), "got torch.complex64."),
    "half precision": (lambda x: MEAN(x).half(), "got torch.float16."),
    "a tensor of 10**12 numbers": (lambda x: x[:1, :1].expand(10**6, 10**6, 1), "got (1000000, 1"),
    "a tensor without numbers": (lambda x: x[:0], "expected the shape (1, 2, 1), got (0, 2, 1)."),
    "nan everywhere": (lambda x: x * torch.nan, "got nan (not a number)."),
    "a tensor that says yes": (lambda x: x.as_subclass(YesTensor), "got a tests.YesTensor."),
    "an object that says yes": (lambda x: Lies(), "got a tests.Lies."),
    "an object that raises": (lambda x: Raises(), "got a tests.Raises."),
    "an object that loops": (lambda x: Loops(), "got a tests.Loops."),
    "an object of a strict class": (lambda x: OfStrict(), "got a tests.OfStrict."),
    "a list of such objects": (lambda x: [Raises(), Loops(), OfStrict()], "got a list."),
    "a float that says yes": (lambda x: YesFloat(1), "got a tests.YesFloat."),
    "a dictionary of such keys": (lambda x: {OfStrict(): 1}, "got a dict."),
    "an array": (lambda x: MEAN(x).numpy(), "got a numpy.ndarray."),
    "a deep list": (lambda x: nested(10**4), "got a list."),
    "a list in itself": (lambda x: in_itself(), "got a list."),
    "a list of 2**60 numbers": (lambda x: laughs(), "got a list."),
    "a string that looks right": (lambda x: str(MEAN(x)), "got a str."),
    "the function itself": (lambda x: MEAN, "got a function."),
    "a class": (lambda x: Lies, "got a type."),
    "an exception": (lambda x: ValueError("no"), "got a ValueError."),
    "NotImplemented": (lambda x: NotImplemented, "got a NotImplementedType."),
    "a module": (lambda x: nn.Linear(1, 1), "got a torch.Linear."),
    "a generator": (yields, "Is there a `yield` or an `async` in it?"),
    "a coroutine": (waits, "Is there a `yield` or an `async` in it?"),
    "recursion": (recursion, "raised RecursionError: maximum recursion depth exceeded"),
    "recursion that catches itself": (own_recursion, STOPPED),
    "a loop": (
        spins,
        STOPPED,
    ),
    "a loop that won't stop": (refuses_to_stop, STOPPED),
    "a deadlock": (locks, STOPPED),
    "a loop in C": (lambda x: sum(itertools.repeat(1)), STOPPED),
    "a catastrophic pattern": (lambda x: re.match("(a+)+$", "a" * 64 + "b"), STOPPED),
    "a loop as it is let go": (lambda x: LoopsAtItsEnd() and None, STOPPED),
    "the end of its process": (
        lambda x: os._exit(0),
        "your function ended its whole process (exit status 0).",
    ),
    "a broken pointer": (segfaults, "your function ended its whole process (SIGSEGV)."),
    "sys.exit": (lambda x: sys.exit(3), "your function raised SystemExit: 3"),
    "KeyboardInterrupt": (raises(KeyboardInterrupt()), "your function raised KeyboardInterrupt"),
    "GeneratorExit": (raises(GeneratorExit()), "your function raised GeneratorExit"),
    "MemoryError": (raises(MemoryError("much")), "your function raised MemoryError: much"),
    "NotImplementedError with words": (
        raises(NotImplementedError("later")),
        "Error: later in the",
    ),
    "an exception without words": (raises(Mute()), "your function raised tests.Mute"),
    "an exception that talks on": (raises(Talks()), STOPPED),
    "a long message": (raises(ValueError("no " * 10**6)), "raised ValueError: no no no"),
    "a group": (raises(ExceptionGroup("all", [ValueError()])), "raised ExceptionGroup: all"),
    "input": (lambda x: input("x? "), "raised EOFError: input() gets no answer during a check"),
    "one more each time": (remembers, "Your function does something else when it is called again"),
    "a patched torch": (
        patches("torch.allclose", "torch.isclose"),
        "but you returned [[[0.0], [0",
    ),
    "patched tensors": (
        patches("torch.Tensor.any", "torch.Tensor.abs"),
        "but you returned [[[0.0]",
    ),
    "a patched copy": (patches("copy.deepcopy", "copy.copy"), "but you returned [[[0.0], [0.0]]]"),
    "a patched clock": (patches("time.perf_counter"), "but you returned [[[0.0], [0.0]]]"),
    "its input overwritten unseen": (spoils_quietly, "your function changed `x` in place."),
}
RIGHT = {  # and what is said besides
    "a parameter": (lambda x: nn.Parameter(MEAN(x)), "no gradient flows back to `x`"),
    "gradients": (lambda x: MEAN(x.requires_grad_()), ""),
    "a million lines": (prints, "Your function printed: xxxxxxx"),
    "a closed stream": (closes, ""),
    "one buffer": (one_buffer, "with gradients your function raises RuntimeError: "),
    "a seed": (silent(lambda: torch.manual_seed(7)), "changed the seed of torch; the check has put"),
    "other seeds": (silent(lambda: (random.seed(1), np.random.seed(1), torch.rand(3))), ""),
    "no gradients": (silent(lambda: torch.set_grad_enabled(False)), "the gradient mode of torch"),
    "a default device": (
        silent(lambda: torch.set_default_device(torch.device("cpu", 0))), "",
    ),
    "how torch prints": (silent(lambda: torch.set_printoptions(1)), "changed how torch prints"),
    "another folder": (silent(lambda: os.chdir("/")), "changed the working directory"),
    "warnings": (silent(lambda: warnings.simplefilter("error")), ""),
    "a callable object": (functools.partial(MEAN), ""),
    "a loop of events": (silent(lambda: asyncio.run(asyncio.sleep(0))), ""),  # sleeps for no time
    "the environment": (silent(lambda: os.environ.update(HOME="/nowhere")), ""),
    "the path of modules": (silent(sys.path.clear), ""),
    "no garbage collector": (silent(gc.disable), ""),
    "deterministic algorithms": (silent(lambda: torch.use_deterministic_algorithms(True)), ""),
    "a thread that never ends": (
        silent(lambda: threading.Thread(target=threading.Event().wait).start()), ""
    ),
    "a process that never ends": (leaves_a_process, ""),
    "a thread of its own": (silent(lambda: threading.Thread(target=print).start()), ""),
}  # fmt: skip


def state():
    return (
        torch.initial_seed(), torch.get_rng_state().tolist(), torch.get_default_dtype(),
        torch.get_default_device(), torch.is_grad_enabled(), repr(torch.ones(1) / 3),
        random.getstate(), repr(np.random.get_state()), os.getcwd(), sys.getrecursionlimit(),
        sys.stdout, sys.stderr, list(warnings.filters), torch.allclose, torch.isclose,
        torch.Tensor.any, torch.Tensor.abs, copy.deepcopy, copy.copy, time.perf_counter,
        dict(os.environ), list(sys.path), gc.isenabled(), torch.testing.assert_close,
        torch.are_deterministic_algorithms_enabled(), threading.enumerate(),
        psutil.Process().children(recursive=True), [signal.getsignal(n) for n in signal.Signals],
    )  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WRONG)
def test_what_the_hostile_are_told(name, request):
    answer, told = WRONG[name]
    if told is STOPPED:
        request.getfixturevalue("soon")
    before = state()
    report = check("04.mean_past", answer)
    assert report.status == "wrong" and told in repr(report), repr(report)
    assert report._repr_html_()
    assert state() == before
    assert judge(EXERCISE, MEAN).status == "passed"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", RIGHT)
def test_what_the_right_are_told_besides(name):
    answer, besides = RIGHT[name]
    before = state()
    report = check("04.mean_past", answer)
    assert report.status == "passed", repr(report)
    assert besides in repr(report) and (besides or len(report.lines) == 1), repr(report)
    assert state() == before


NOT_FUNCTIONS = {
    "None": (None, "expected your function itself, got None; pass its name, not a call."),
    "a number": (3, "got an int;"),
    "a result": (torch.zeros(1, 2, 1), "got a tensor of shape (1, 2, 1);"),
    "an object that raises": (Raises(), "got a tests.Raises;"),
    "no parameter": (lambda: 1, "expected a function of (x), yours takes ()."),
    "two parameters": (lambda x, y: 1, "expected a function of (x), yours takes (x, y)."),
    "a keyword": (lambda *, x: 1, "expected a function of (x), yours takes (*, x)."),
    "a class": (dict, "expected a tensor of shape (1, 2, 1), got a dict."),
    "a function of Python": (len, "expected a tensor of shape (1, 2, 1), got an int."),
}


@pytest.mark.parametrize("name", NOT_FUNCTIONS)
def test_what_stands_in_the_place_of_a_function(name):
    given, told = NOT_FUNCTIONS[name]
    assert told in repr(check("04.mean_past", given))
