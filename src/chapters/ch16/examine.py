"""The answer of each check for every patient, computed by running it."""

from collections.abc import Callable
from functools import cache

import torch
from torch import Tensor

from chapters.ch16 import training
from chapters.ch16.checks import HOW_MUCH, SIX, TEXTS, case, equals, one_text
from chapters.ch16.patients import BY_FAULT, PATIENTS, wrong
from chapters.ch16.training import TRAINING

ATTENTIONS = ("attention", "reading")


def ward(program: str) -> str:
    """The ward in which a program is examined."""
    return "attention" if program in ATTENTIONS else "training"


def question(name: str) -> str:
    """The question that a check answers."""
    check = SIX[name] if name in SIX else equals if name == "equals" else TRAINING[name][1]
    return check.__doc__


def examine(program: Callable, kind: str) -> dict[str, bool]:
    """Each check for a program of this kind; True if it finds nothing wrong."""
    if ward(kind) == "attention":
        layers, x = case()
        said = {name: check(program, layers, x) for name, check in SIX.items()}
        return said | {"equals": equals(program, layers, x)}
    return {name: check(program) for name, (of, check) in TRAINING.items() if of == kind}


@cache
def found(fault: str) -> dict[str, bool]:
    """The answer of each check for a patient."""
    return examine(wrong(fault), BY_FAULT[fault].program)


@cache
def answer(fault: str, name: str) -> str:
    """The full answer of a check for a patient: yes or no, and the details."""
    said = "Yes." if found(fault)[name] else "No."
    if name not in HOW_MUCH:
        return said
    return f"{said} {HOW_MUCH[name](wrong(fault), *case())}"


@cache
def table(place: str = "attention") -> dict[str, dict[str, bool]]:
    """The answer of each check for every patient in a ward."""
    return {p.fault: found(p.fault) for p in PATIENTS if ward(p.program) == place}


# ---------------------------------------------------------------- the same program?


def outputs(program: Callable, kind: str) -> list[Tensor]:
    """The outputs of a program in several cases, to compare with another program of its kind."""
    if ward(kind) == "attention":
        said = []
        for seed, n_kv_head, positions in ((1, 2, "rotary"), (2, 4, "none"), (3, 1, "rotary")):
            layers, x = case(seed, n_kv_head, positions)
            for texts in (TEXTS, one_text(x)):
                said += program(x, layers, texts)
        return [part.detach() for part in said]
    if kind == "loss":
        return [torch.as_tensor(program(training.LOGITS[:n], training.IDS[:n], training.REAL[:n])) for n in (1, 2, 3)]
    if kind == "writing":
        cases = [training.written(program, ids, n) for ids in (training.IDS, training.IDS[:, :2]) for n in (1, 5)]
        return [torch.zeros(0) if ids is None else ids for ids in cases]
    if kind == "starts":
        blocks = program(torch.arange(100), 60, 5, 40, torch.Generator().manual_seed(0))
        return [torch.cat(list(blocks))]
    return [torch.tensor(program(some)) for some in ([3.0, 2.0, 2.5], [1.0])]


def alike(a: list[Tensor], b: list[Tensor]) -> bool:
    """True if two programs' outputs are the same up to rounding; nan is the same as nan."""
    return all(
        x.shape == y.shape and torch.allclose(x.float(), y.float(), atol=1e-5, equal_nan=True)
        for x, y in zip(a, b, strict=True)
    )
