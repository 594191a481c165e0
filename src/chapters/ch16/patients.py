"""The patients: each is a right program with one edit, its fault, and the chapter that teaches it.

`source` has the ids of this fault in A3_concordance, if the notebooks that the course is based on have it.
"""

import inspect
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from chapters.ch16 import programs


class Patient(NamedTuple):
    """One edit of a right program: `new` replaces `old`."""

    fault: str
    program: str
    old: str
    new: str
    taught: str  # the chapter
    source: str = ""


def _attention(fault: str, old: str, new: str, taught: str, source: str = "") -> Patient:
    return Patient(fault, "attention", old, new, taught, source)


MASKED = '    scores = scores.masked_fill(~mask[:, None], float("-inf"))\n'
SOFTMAX = "    weights = scores.softmax(dim=-1)\n"
SPLIT = ".reshape(B, T, -1, D).transpose(1, 2)"
TRIL, SAME = ".tril()", "(texts[:, :, None] == texts[:, None, :])"
TURNED = "q, k = rotate(q, angles), rotate(k, angles)"
SHARED = ".repeat_interleave(H // Hkv, dim=1)"
SHIFTED = "logits[:, :-1], ids[:, 1:], real[:, 1:]"
DROPOUT = ", training=layers.training"
FORGOTTEN = "    model.eval()\n"
CROPPED = "ids[:, -block_size:]"

PATIENTS = (
    _attention("no mask", MASKED, "", "08"),
    _attention("float==('-inf')", 'float("-inf")', 'float == ("-inf")', "08", "T68"),
    _attention("fill 0", 'float("-inf")', "0.0", "08"),
    _attention("times tril before softmax", MASKED, "    scores = scores * mask[:, None]\n", "08"),
    _attention("mask after softmax", MASKED + SOFTMAX,
               "    weights = scores.softmax(dim=-1) * mask[:, None]\n", "08"),
    _attention("+inf fill", 'float("-inf")', 'float("inf")', "08"),
    _attention("triu kept", TRIL, ".triu()", "08"),
    _attention("inverted comparison", "~mask", "mask", "08"),
    _attention("tril(diagonal=1)", TRIL, ".tril(diagonal=1)", "08"),
    _attention("tril(diagonal=-1)", TRIL, ".tril(diagonal=-1)", "08"),
    _attention("softmax dim=-2", "softmax(dim=-1)", "softmax(dim=-2)", "08"),
    _attention("softmax dim=1", "softmax(dim=-1)", "softmax(dim=1)", "08"),
    _attention("no scale", " * D**-0.5", "", "07", "T02 T26"),
    _attention("scale by C", "D**-0.5", "C**-0.5", "07", "T61"),
    _attention("divide by head size", " * D**-0.5", " / D", "07"),
    _attention("view without transpose", SPLIT, ".reshape(B, -1, T, D)", "10", "T73"),
    _attention("merge without transpose", ".transpose(1, 2).reshape(B, T, C)",
               ".reshape(B, T, C)", "10"),
    _attention("scores overwritten by zeros", " * D**-0.5  # (B, H, T, T)\n",
               " * D**-0.5  # (B, H, T, T)\n    scores = torch.zeros_like(scores)\n", "06", "T01"),
    _attention("times the root", "D**-0.5", "D**0.5", "07", "T28"),
    _attention("softmax dim=0", "softmax(dim=-1)", "softmax(dim=0)", "05", "T51"),
    _attention("divided by the sum", MASKED + SOFTMAX, """\
    scores = scores * mask[:, None]
    weights = scores / scores.sum(dim=-1, keepdim=True)
""", "05", "T52"),
    _attention("projections can't learn", "layers.qkv(x)", "layers.qkv(x).detach()", "06", "T62"),
    _attention("dropout while sampling", DROPOUT, "", "09", "T55"),
    _attention("repeat for repeat_interleave", SHARED, ".repeat(1, H // Hkv, 1, 1)", "15"),
    _attention("rotary on v", TURNED,
               "q, k, v = rotate(q, angles), rotate(k, angles), rotate(v, angles)", "11"),
    _attention("no rotary on k", TURNED, "q = rotate(q, angles)", "11"),
    _attention("attention across documents", SAME,
               "((texts[:, :, None] == 0) == (texts[:, None, :] == 0))", "15"),
    _attention("pad seen by everyone", SAME,
               "((texts[:, :, None] == texts[:, None, :]) | (texts[:, None, :] == 0))", "08"),
    Patient("cache position off by one", "reading", "start=len(kept_k)",
            "start=max(len(kept_k) - 1, 0)", "15"),
    Patient("every call begins at 0", "reading", "start=len(kept_k)", "start=0", "15"),
    Patient("loss over padding", "loss", "costs[judged]", "costs", "13"),
    Patient("padding costs 0", "loss", "costs[judged]", "(costs * judged)", "13"),
    Patient("shifted twice", "loss", SHIFTED, "logits[:, :-2], ids[:, 2:], real[:, 2:]", "13"),
    Patient("not shifted", "loss", SHIFTED, "logits, ids, real", "13"),
    Patient("no eval while sampling", "writing", FORGOTTEN, "", "13"),
    Patient("text never cropped", "writing", CROPPED, "ids", "13", "T23"),
    Patient("oldest words kept", "writing", CROPPED, "ids[:, :block_size]", "13"),
    Patient("drawn from the whole text", "starts", "len(train)", "len(data)", "02", "T13"),
    Patient("loss of the last batch", "judging", "sum(losses) / len(losses)", "losses[-1]",
            "03", "T20 T22"),
)  # fmt: skip
BY_FAULT = {patient.fault: patient for patient in PATIENTS}


def code(patient: Patient) -> str:
    """The patient's source: the right program's source with its edit."""
    return edited(right_code(patient.program), patient.old, patient.new)


@cache
def right_code(program: str) -> str:
    """The source of a right program."""
    return inspect.getsource(getattr(programs, program))


def edited(source: str, old: str, new: str) -> str:
    """The source with `new` instead of `old`, which has to occur in it once. Raises ValueError."""
    if (times := source.count(old)) != 1 or not old:
        raise ValueError(
            f"old: expected a text that occurs once in the program, found {old!r} "
            f"{times if old else 'no'} times; "
            + ("take more of the line" if times else "copy it from the patient's `code`")
        )
    return source.replace(old, new)


def run(source: str, program: str) -> Callable:
    """The function that a program's source defines."""
    namespace = dict(vars(programs))
    exec(compile(source, f"<{program}>", "exec"), namespace)
    return namespace[program]


def right(program: str) -> Callable:
    """A right program."""
    return getattr(programs, program)


@cache
def wrong(fault: str) -> Callable:
    """The program of the patient that has this fault, which is also its name."""
    patient = BY_FAULT[fault]
    function = run(code(patient), patient.program)
    function.__name__ = fault
    return function
