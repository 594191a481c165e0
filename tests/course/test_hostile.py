"""The silly and the hostile: what each is told, and that nothing of it is left afterwards."""

import asyncio
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
import pytest
import torch
from torch import nn

from course.learn import apart
from course.learn.exercises import check, load
from course.learn.verdict import judge

EXERCISE = load("04.mean_past")
MEAN = EXERCISE.reference.function
STOPPED = "your function was still running when the check stopped it. Does it ever end?"


@pytest.fixture(autouse=True)
def as_typed(monkeypatch):
    """As by a learner; what waits is stopped after a while that no test has to sit out."""
    monkeypatch.delenv("COURSE_HEADLESS", raising=False)


@pytest.fixture(autouse=True, scope="module")
def _right_is_right_afterwards():
    yield
    assert judge(EXERCISE, MEAN).status == "passed"


class Lies:
    """Says yes to everything."""

    __class__ = torch.Tensor
    shape, dtype = EXERCISE.fixed[0][0].shape, torch.float32

    def __eq__(self, other):
        return True

    __bool__ = __eq__
    __hash__ = None


class Raises:
    """Raises at whatever is done with it."""

    def __getattribute__(self, name):
        raise SystemExit(f"{name} of a class")

    __eq__ = __hash__ = __len__ = __bool__ = __iter__ = __getattribute__

    def __repr__(self):
        raise SystemExit("no repr")


class Loops:
    def __eq__(self, other=None):
        while True:
            pass

    __hash__ = __repr__ = __len__ = __del__ = __eq__


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


class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no words")


class Talks(Exception):
    def __str__(self):
        while True:
            pass


def nested(depth):
    return [nested(depth - 1)] if depth else []


def in_itself():
    value = []
    value.append(value)
    return value


def laughs():
    value = [1.0]
    for _ in range(60):
        value = [value, value]
    return value


def own_recursion(x):
    try:
        return own_recursion(x)
    except RecursionError:
        return own_recursion(x)


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


def segfaults(x):
    faulthandler.disable()  # else its words would be among those of the tests
    ctypes.string_at(0)


def raises(error):
    def answer(x):
        raise error

    return answer


def closes(x):
    sys.stdout.close()
    return MEAN(x)


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
            setattr(eval(owner), attribute, lambda *given, **more: True)
        return torch.zeros_like(x)

    return answer


WRONG = {  # what it does: (answer, what it has to be told)
    "a sparse tensor": (lambda x: MEAN(x).to_sparse(), "got a sparse tensor of shape (1, 2, 1)."),
    "a meta tensor": (lambda x: x.to("meta"), "got a meta device's tensor of shape (1, 2, 1)."),
    "a nested tensor": (lambda x: torch.nested.nested_tensor([x[0], x[0, :1]]), "nested tensor."),
    "a quantized tensor": (
        lambda x: torch.quantize_per_tensor(x, 0.1, 0, torch.qint8), "got a quantized tensor",
    ),
    "complex numbers": (lambda x: MEAN(x).cfloat(), "got torch.complex64."),
    "a tensor of 10**12 numbers": (lambda x: x[:1, :1].expand(10**6, 10**6, 1), "got (1000000, 1"),
    "a tensor without numbers": (lambda x: x[:0], "expected the shape (1, 2, 1), got (0, 2, 1)."),
    "a tensor that says yes": (lambda x: x.as_subclass(YesTensor), "got a tests.YesTensor."),
    "an object that says yes": (lambda x: Lies(), "got a tests.Lies."),
    "an object that raises": (lambda x: Raises(), "got a tests.Raises."),
    "an object of a strict class": (lambda x: OfStrict(), "got a tests.OfStrict."),
    "a list of such objects": (lambda x: [Raises(), OfStrict()], "got a list."),
    "a dictionary of such keys": (lambda x: {OfStrict(): 1}, "got a dict."),
    "a deep list": (lambda x: nested(900), "got a list."),
    "a list in itself": (lambda x: in_itself(), "got a list."),
    "a list of 2**60 numbers": (lambda x: laughs(), "got a list."),
    "a class": (lambda x: Lies, "got a type."),
    "a module": (lambda x: nn.Linear(1, 1), "got a torch.Linear."),
    "recursion that catches itself": (own_recursion, STOPPED),
    "a loop that won't stop": (refuses_to_stop, STOPPED),
    "a deadlock": (locks, STOPPED),
    "a loop in C": (lambda x: sum(itertools.repeat(1)), STOPPED),
    "a catastrophic pattern": (lambda x: re.match("(a+)+$", "a" * 64 + "b"), STOPPED),
    "a loop as it is let go": (lambda x: Loops() and None, STOPPED),
    "an exception that talks on": (raises(Talks()), STOPPED),
    "the end of its process": (lambda x: os._exit(0), "ended its whole process (exit status 0)."),
    "a broken pointer": (segfaults, "your function ended its whole process (SIGSEGV)."),
    "KeyboardInterrupt": (raises(KeyboardInterrupt()), "your function raised KeyboardInterrupt"),
    "sys.exit": (raises(SystemExit(3)), "your function raised SystemExit: 3"),
    "an exception without words": (raises(Mute()), "your function raised tests.Mute"),
    "a long message": (raises(ValueError("no " * 10**6)), "raised ValueError: no no no"),
    "a group": (raises(ExceptionGroup("all", [ValueError()])), "raised ExceptionGroup: all"),
    "a patched torch": (patches("torch.allclose", "torch.isclose"), "but you returned [[[0.0], [0"),
    "patched tensors": (patches("torch.Tensor.any", "torch.Tensor.abs"), "but you returned [[[0.0"),
    "patched builtins": (patches("sys.modules['builtins'].issubclass"), "but you returned [[[0.0]"),
    "its input overwritten unseen": (spoils_quietly, "your function changed `x` in place."),
}  # fmt: skip
RIGHT = {  # and what is said besides
    "a parameter": (lambda x: nn.Parameter(MEAN(x)), "no gradient flows back to `x`"),
    "gradients": (lambda x: MEAN(x.requires_grad_()), ""),
    "a closed stream": (closes, ""),
    "one buffer": (one_buffer, "with gradients your function raises RuntimeError: "),
    "the default device": (lambda x: torch.set_default_device("cpu:0") or MEAN(x), ""),
    "a callable object": (functools.partial(MEAN), ""),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WRONG)
def test_what_the_hostile_are_told(name, monkeypatch):
    answer, told = WRONG[name]
    if told is STOPPED:
        monkeypatch.setattr(apart, "PROCESSOR", 1)
    if answer in (refuses_to_stop, locks):  # they wait
        monkeypatch.setattr(apart, "WALL", 10)
    report = check("04.mean_past", answer)
    assert report.status == "wrong" and told in repr(report), repr(report)
    assert report._repr_html_()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", RIGHT)
def test_what_the_right_are_told_besides(name):
    answer, besides = RIGHT[name]
    report = check("04.mean_past", answer)
    assert report.status == "passed", repr(report)
    assert besides in repr(report) and (besides or len(report.lines) == 1), repr(report)


def state():
    return (
        torch.initial_seed(), torch.get_rng_state().tolist(), torch.is_grad_enabled(),
        repr(torch.ones(1) / 3), random.getstate(), repr(np.random.get_state()), os.getcwd(),
        list(warnings.filters), torch.allclose, dict(os.environ), list(sys.path), gc.isenabled(),
        torch.are_deterministic_algorithms_enabled(),
        [signal.getsignal(n) for n in signal.Signals],
    )  # fmt: skip


def changes_all(x):
    """Answers rightly, and leaves nothing as it was."""
    torch.manual_seed(7), random.seed(1), np.random.seed(1)
    torch.set_grad_enabled(False), torch.set_printoptions(1), os.chdir("/")
    warnings.simplefilter("error"), gc.disable(), torch.use_deterministic_algorithms(True)
    os.environ["HOME"] = "/nowhere"
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    asyncio.run(asyncio.sleep(0))  # a loop of events; it sleeps for no time
    threading.Thread(target=threading.Event().wait).start()
    if not os.fork():
        threading.Event().wait()
    torch.allclose = None
    sys.path.clear()
    return MEAN(x)


@pytest.mark.filterwarnings("ignore")
def test_nothing_is_left_of_what_an_answer_changed():
    """A thread or a process that is left would fail any test (`tests/refusals.py`)."""
    before = state()
    said = repr(check("04.mean_past", changes_all))
    assert "passed on 27 inputs." in said and "torch.allclose had been replaced" in said
    assert "Your function changed the seed of torch and the gradient mode of torch;" in said
    assert state() == before


def test_in_a_notebook_that_has_replaced_a_function_no_answer_is_judged(monkeypatch):
    always = lambda *a, **k: True  # noqa: E731
    monkeypatch.setattr(torch, "allclose", always)
    report = check("04.mean_past", MEAN)
    assert report.status == "unknown" and "has replaced torch.allclose" in repr(report)
    assert torch.allclose is always


def test_a_function_without_a_signature_is_called():
    assert "expected a tensor of shape (1, 2, 1), got a dict." in repr(check("04.mean_past", dict))
