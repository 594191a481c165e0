"""The settings under which a learner's function runs, and what the function changed in them.

A check runs in a forked process (`apart`), and all such changes end with it. This module undoes
those that would affect the next call, or the code that judges this one.
"""

import builtins
import contextlib
import copy
import math
import random
import types
import warnings
from collections.abc import Iterator
from operator import is_
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn


def _device() -> str:
    return torch.get_default_device().type


def _set_device(kind: str) -> None:
    torch.set_default_device(None if kind == "cpu" else kind)  # None removes the device mode


SEED = 2**40 + 7  # PyTorch's seed in a check; a number that no learner would set
SETTINGS = {  # how to read each, how to set it, and its value in a check
    "the seed of torch": (torch.initial_seed, torch.default_generator.manual_seed, SEED),
    "the default dtype of torch": (
        torch.get_default_dtype,
        torch.set_default_dtype,
        torch.float32,
    ),
    "the gradient mode of torch": (torch.is_grad_enabled, torch.set_grad_enabled, True),
    "the default device of torch": (_device, _set_device, "cpu"),
    "the number of torch's threads": (torch.get_num_threads, torch.set_num_threads, 1),
}
STREAMS = (  # every draw changes them, so they are put back without a remark
    (torch.get_rng_state, torch.set_rng_state),
    (random.getstate, random.setstate),
    (np.random.get_state, np.random.set_state),
)


@contextlib.contextmanager
def settings() -> Iterator[list[str]]:
    """Use standard settings inside, restore the old ones after; the list names what was changed."""
    before = [(write, read()) for read, write, _ in SETTINGS.values()]
    streams = [(write, read()) for read, write in STREAMS]
    changed: list[str] = []
    try:
        for _, write, standard in SETTINGS.values():
            write(standard)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield changed
        changed += [name for name, (read, _, usual) in SETTINGS.items() if read() != usual]
    finally:
        for write, old in before + streams:
            write(old)


# ---------------------------------------------------------------- functions that were replaced


FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type)
PARTS = (builtins, copy, math, torch, nn.functional)
PARTS += (Tensor, nn.Module, nn.Linear, nn.Embedding, nn.Dropout)
# Others replace these: Jupyter `input` in every cell, a new default dtype `Storage`, an optimizer
# `manual_seed`, and PyTorch the last two when it compiles for the first time.
EXCEPT = ("input", "Storage", "manual_seed", "__init__", "__setstate__")


def _functions(part: Any) -> dict[str, Any]:
    """The functions of a module or a class by name, with None for those that Tensor inherits."""
    own = vars(part)
    names = set(dir(part) if part is Tensor else own).difference(EXCEPT)
    return {n: own.get(n) for n in names if n not in own or isinstance(own[n], FUNCTIONS)}


_ORIGINALS = {part: _functions(part) for part in PARTS}


def replaced() -> list[str]:
    """The names of the functions that have been replaced."""
    return [f"{part.__name__}.{name}" for part, name, _ in _replaced()]


def put_back() -> list[str]:
    """Restore the original of every function that was replaced, and return their names."""
    found = list(_replaced())
    for part, name, original in found:
        delattr(part, name) if original is None else setattr(part, name, original)
    return [f"{part.__name__}.{name}" for part, name, _ in found]


def _replaced() -> Iterator[tuple[Any, str, Any]]:
    for part, functions in _ORIGINALS.items():
        there = vars(part)
        if not all(map(is_, map(there.get, functions), functions.values())):
            for name, original in functions.items():
                if there.get(name) is not original:
                    yield part, name, original
