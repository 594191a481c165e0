"""What a learner's function may change outside of itself, and how all of it is put back."""

import builtins
import contextlib
import copy
import io
import math
import operator
import os
import random
import sys
import threading
import time
import types
import warnings
from builtins import all, hasattr, isinstance, len, list, map, setattr, vars, zip  # noqa: UP029
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return os.curdir


def _device() -> str:
    return torch.get_default_device().type


def _set_device(kind: str) -> None:
    torch.set_default_device(None if kind == "cpu" else kind)  # with None PyTorch looks no more


SEED = 2**40 + 7  # PyTorch's in a check: a number that nobody else sets
PRINTING = vars(torch._tensor_str.PRINT_OPTS)  # PyTorch has no function that tells them
SETTINGS = {  # how to read it, how to set it, and what it is in a check (None: what it was before)
    "the seed of torch": (torch.initial_seed, torch.default_generator.manual_seed, SEED),
    "the default dtype of torch": (
        torch.get_default_dtype,
        torch.set_default_dtype,
        torch.float32,
    ),
    "the gradient mode of torch": (torch.is_grad_enabled, torch.set_grad_enabled, True),
    "the default device of torch": (_device, _set_device, "cpu"),
    "the number of torch's threads": (torch.get_num_threads, torch.set_num_threads, 1),
    "how torch prints": (PRINTING.copy, PRINTING.update, None),
    "the working directory": (_folder, os.chdir, None),
    "the recursion limit": (sys.getrecursionlimit, sys.setrecursionlimit, None),
}
STREAMS = (  # they move on with every draw: put back without a word
    (torch.get_rng_state, torch.set_rng_state),
    (random.getstate, random.setstate),
    (np.random.get_state, np.random.set_state),
)


@contextlib.contextmanager
def settings() -> Iterator[list[str]]:
    """The standard inside, afterwards what was before; yields the names of what was changed."""
    before = [(write, read()) for read, write, _ in SETTINGS.values()]
    streams = [(write, read()) for read, write in STREAMS]
    changed: list[str] = []
    try:
        for _, write, standard in SETTINGS.values():
            if standard is not None:
                write(standard)
        during = {name: read() for name, (read, _, _) in SETTINGS.items()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield changed
        changed += [name for name, old in during.items() if SETTINGS[name][0]() != old]
    finally:
        for write, old in before + streams:
            write(old)


# ---------------------------------------------------------------- functions that were replaced


FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type)
MODULES = (builtins, copy, io, math, random, threading, time, np.random, torch, nn.functional)
CLASSES = (
    Tensor,
    nn.Module,
    nn.Linear,
    nn.Embedding,
    nn.Dropout,
    threading.Thread,
    threading.Event,
)
OUR_MODULES = ("attention.", "course.learn.")
NONE = object()  # there is no such function
# (The builtins used here are imported above, so that what puts them back doesn't miss them.)
EXCEPT = ("input", "Storage")  # Jupyter's in every cell; moves with the default dtype
_WRAPPER = torch._disable_dynamo(len).__code__
_METHODS = frozenset(vars(Tensor))
_ORIGINALS: dict[Any, tuple[tuple[str, ...], tuple[Any, ...]]] = {}


def remember() -> None:
    """Note the functions of all that a check relies on, as they are now."""
    ours = [module for name, module in sys.modules.items() if name.startswith(OUR_MODULES)]
    for part in (*MODULES, *CLASSES, *ours):
        functions = [(n, f) for n, f in vars(part).items() if isinstance(f, FUNCTIONS)]
        kept = [(name, function) for name, function in functions if name not in EXCEPT]
        _ORIGINALS.setdefault(part, tuple(zip(*kept, strict=True)) or ((), ()))


@contextlib.contextmanager
def originals() -> Iterator[list[str]]:
    """PyTorch's and Python's own functions inside; yields the names of those that were replaced,
    which are again afterwards what the notebook had made of them."""
    before = list(_replaced())
    try:
        yield put_back()
    finally:
        for part, name, theirs, _ in before:
            _put(part, name, theirs)


def put_back() -> list[str]:
    """Put the original of every function that was replaced in its place, and name them."""
    for module in MODULES:
        sys.modules[module.__name__] = module
    return [_put(part, name, original) for part, name, _, original in list(_replaced())]


def _replaced() -> Iterator[tuple[Any, str, Any, Any]]:
    """Of each function that was replaced: where, its name, what is there, and the original."""
    for part, (names, functions) in _ORIGINALS.items():
        there = vars(part)
        if not all(map(operator.is_, map(there.get, names), functions)):
            for name, original in zip(names, functions, strict=True):
                now = there.get(name, NONE)
                if now is not original and not _compiled(now, original):
                    yield part, name, now, original
    if len(vars(Tensor)) > len(_METHODS):
        for name in vars(Tensor).keys() - _METHODS:  # such as sum, which is inherited otherwise
            if hasattr(torch._C.TensorBase, name):
                yield Tensor, name, vars(Tensor)[name], NONE


def _compiled(now: Any, original: Any) -> bool:
    """True if PyTorch itself put a function around its own: manual_seed, at the first optimizer,
    and two of Module's, when it compiles for the first time (FlexAttention does)."""
    code = getattr(now, "__code__", None)
    if code is _WRAPPER:
        return now.__wrapped__ is original
    guard = sys.modules.get("torch._dynamo.mutation_guard")
    own = guard.install_generation_tagging_init.__code__.co_consts if guard and code else ()
    return any(code is known for known in own) and original in (
        cell.cell_contents for cell in now.__closure__
    )


def _put(part: Any, name: str, function: Any) -> str:
    if function is NONE:
        type.__delattr__(part, name) if isinstance(part, type) else delattr(part, name)
    else:
        setattr(part, name, function)
    return f"{part.__name__}.{name}"
