"""Exercises that recognise the mistake you made.

An exercise is one record: its reference, the inputs it is tried on (smallest first), the laws its
answer obeys, and the mistakes learners make, each a wrong implementation with the hint that fits
it. `check` runs the learner's function on the inputs. Equal to the reference, it passes; equal to
a known mistake, it gets that mistake's hint; else it sees the first thing that is wrong, on the
smallest input. A check never raises: whatever the function does becomes a sentence.
"""

import copy
import ctypes
import html
import importlib
import inspect
import math
import pkgutil
import textwrap
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from course import chapters

TIME_LIMIT = 3.0  # seconds for one input


@dataclass(frozen=True)
class Mistake:
    """A wrong implementation that learners write, and what to tell them."""

    wrong: Callable
    hint: str


@dataclass(frozen=True)
class Law:
    """A sentence about every right answer, and a test of it: holds(answer, *inputs)."""

    says: str
    holds: Callable[..., bool]


@dataclass(frozen=True)
class Exercise:
    """One exercise; `reference` has the name that the learner's function has in the notebook."""

    id: str
    asks: str
    reference: Callable
    inputs: Sequence[tuple]
    mistakes: Sequence[Mistake]
    hints: tuple[str, str, str]
    laws: Sequence[Law] = ()

    @property
    def solution(self) -> str:
        """The reference's own source, as the learner would type it."""
        return textwrap.dedent(inspect.getsource(self.reference)).rstrip()


@dataclass(frozen=True)
class Outcome:
    """What a function did with one input: a value, or the exception it raised."""

    value: Any = None
    error: BaseException | None = None
    mutated: bool = False


@dataclass(frozen=True)
class Report:
    """What the learner is told: status is passed, not attempted, known mistake, wrong, unknown."""

    id: str
    status: str
    says: str
    exercise: Exercise | None = field(default=None, repr=False)
    tries: int = 0

    def __repr__(self) -> str:
        lines = [f"{self.id}: {self.says}"]
        if self.status == "wrong" and self.tries:
            level = min(self.tries, len(self.exercise.hints))
            lines.append(f"Hint {level}: {self.exercise.hints[level - 1]}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        colour = {"passed": "#009E73", "not attempted": "#767676"}.get(self.status, "#D55E00")
        said = "".join(f"<p>{_prose(line)}</p>" for line in repr(self).split("\n"))
        folded = []
        if self.exercise:
            folded += [
                _details(f"Hint {n}", f"<p>{_prose(hint)}</p>")
                for n, hint in enumerate(self.exercise.hints, 1)
            ]
            solution = f"<pre><code>{html.escape(self.exercise.solution)}</code></pre>"
            folded.append(_details("Solution", solution))
        return (
            f'<div class="course-exercise" style="border-left: 4px solid {colour}; '
            f'padding-left: 12px">{said}{"".join(folded)}</div>'
        )


def check(id: str, function: Callable) -> Report:
    """Try a learner's function on an exercise and say what was found; never raises."""
    known = {exercise.id: exercise for exercise in exercises()}
    if id not in known:
        return Report(
            id, "unknown", f"there is no exercise of this name; known: {', '.join(known)}."
        )
    exercise = known[id]
    report = examine(exercise, function)
    tries = 0
    if report.status == "wrong":
        tries = _tries[id] = _tries.get(id, 0) + 1
    return Report(id, report.status, report.says, exercise, tries)


_tries: dict[str, int] = {}  # wrong answers so far, which decide how much the next hint says


def exercises() -> list[Exercise]:
    """Every exercise of the course, in the order of its chapters."""
    names = sorted(module.name for module in pkgutil.iter_modules(chapters.__path__))
    modules = [importlib.import_module(f"course.chapters.{name}") for name in names]
    return [exercise for module in modules for exercise in module.EXERCISES]


def examine(exercise: Exercise, function: Callable) -> Report:
    """Compare a function with the exercise's reference, its known mistakes and its laws."""

    def report(status, says):
        return Report(exercise.id, status, says, exercise)

    if not callable(function):
        return report(
            "wrong",
            f"expected your function itself, got {_kind(function)}; pass its name without calling it.",
        )
    outcomes, rights = [], []
    for inputs in exercise.inputs:
        outcomes.append(attempt(function, inputs))
        error = outcomes[-1].error
        if isinstance(error, NotImplementedError) and not error.args:  # torch's have a message
            return report(
                "not attempted",
                "not attempted yet. Replace the line that raises, and run the cell again.",
            )
        rights.append(attempt(exercise.reference, inputs))
        if isinstance(outcomes[-1].error, TimeoutError):
            break  # one wait is enough
    pairs = list(zip(outcomes, rights, strict=True))
    if all(same(ours, right) for ours, right in pairs):
        return report("passed", f"passed on {len(pairs)} inputs.")
    for mistake in exercise.mistakes:
        if all(
            same(ours, attempt(mistake.wrong, inputs), to_the_word=True)
            for ours, inputs in zip(outcomes, exercise.inputs, strict=False)
        ):
            return report("known mistake", mistake.hint)
    for ours, right, inputs in zip(outcomes, rights, exercise.inputs, strict=False):
        if not same(ours, right):
            return report("wrong", _complaint(exercise, ours, right, inputs))
    raise AssertionError("some outcome differs")  # pragma: no cover


def attempt(function: Callable, inputs: tuple) -> Outcome:
    """Run a function on a copy of the inputs, within the time limit, and catch what it raises."""
    mine = copy.deepcopy(inputs)
    try:
        value = within_limit(function, mine, TIME_LIMIT)
        return Outcome(value=value, mutated=not _equal(mine, inputs))
    except KeyboardInterrupt:
        raise  # the learner pressed stop
    except BaseException as error:  # SystemExit too: nothing a learner writes may end the kernel
        return Outcome(error=error, mutated=not _equal(mine, inputs))


class _OutOfTime(BaseException):
    """Raised inside a function that takes too long; not an Exception, so few can swallow it."""


def within_limit(function: Callable, inputs: tuple, seconds: float) -> Any:
    """Return function(*inputs), or raise TimeoutError after about that many seconds.

    The function runs in a thread of its own, which works on every system alike. Out of time, it
    is sent an exception, several times in case it catches the first; one that catches them all
    is left behind.
    """
    outcome = {}

    def run():
        try:
            outcome["value"] = function(*inputs)
        except BaseException as error:
            outcome["error"] = error

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        thread.join(seconds)
    finally:  # also when the learner presses stop
        for _ in range(10):
            if thread.is_alive():
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(thread.ident), ctypes.py_object(_OutOfTime)
                )
                thread.join(0.1)
    error = outcome.get("error")
    if isinstance(error, _OutOfTime) or not outcome:
        raise TimeoutError(f"still running after {seconds:g} seconds")
    if error is not None:
        raise error
    return outcome["value"]


def same(ours: Outcome, other: Outcome, to_the_word: bool = False) -> bool:
    """True if two outcomes can't be told apart: equal values, or exceptions of one kind.

    `to_the_word` compares the exceptions' messages too: two mistakes may both end in a
    RuntimeError for quite different reasons.
    """
    if ours.error or other.error:
        return type(ours.error) is type(other.error) and (
            not to_the_word or str(ours.error) == str(other.error)
        )
    return ours.mutated == other.mutated and _equal(ours.value, other.value)


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        return torch.allclose(a, b, rtol=1e-4, atol=1e-6, equal_nan=True)
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-6) or (a != a and b != b)
    if isinstance(a, torch.nn.Module) and isinstance(b, torch.nn.Module):
        return type(a) is type(b) and _equal(dict(a.state_dict()), dict(b.state_dict()))
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return (
            isinstance(a, list) == isinstance(b, list)  # a torch.Size is a tuple
            and len(a) == len(b)
            and all(_equal(x, y) for x, y in zip(a, b, strict=True))
        )
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_equal(a[key], b[key]) for key in a)
    try:
        return a is b or (type(a) is type(b) and bool(a == b))
    except Exception:  # a type whose == fails is not the answer
        return False


def _complaint(exercise: Exercise, ours: Outcome, right: Outcome, inputs: tuple) -> str:
    """The first thing that is wrong, in a sentence, with the input it was seen on."""
    on = f"on {_call(exercise.reference.__name__, inputs)}"
    if isinstance(ours.error, TimeoutError):
        return f"{on}, your function was {ours.error}. Does its loop ever end?"
    if ours.error:
        where = _line(ours.error)
        name, text = type(ours.error).__name__, str(ours.error).split("\n")[0][:200]
        if right.error:
            wanted = _kind(right.error)
            return f"{on}, expected {wanted}, got {_kind(ours.error)}{where}: {text}"
        return f"{on}, your function raised {name}{where}: {text or 'no message'}"
    if right.error and isinstance(ours.value, BaseException):
        return f"{on}, your function returned {_kind(ours.value)}. Write raise, not return."
    if right.error:
        return f"{on}, expected {_kind(right.error)}, got {_show(ours.value)}."
    value, wanted = ours.value, right.value
    if value is None and wanted is not None:
        return f"{on}, your function returned None. Is the return line missing?"
    if ours.mutated and not right.mutated:
        return f"{on}, your function changed its input in place. Work on a new object instead."
    if type(value) is not type(wanted):
        return f"{on}, expected {_kind(wanted)}, got {_kind(value)}."
    if isinstance(value, torch.Tensor):
        if value.shape != wanted.shape:
            return f"{on}, expected the shape {tuple(wanted.shape)}, got {tuple(value.shape)}."
        if value.dtype != wanted.dtype:
            return f"{on}, expected numbers of type {wanted.dtype}, got {value.dtype}."
    for law in exercise.laws:
        try:
            holds = bool(law.holds(value, *copy.deepcopy(inputs)))
        except Exception:
            holds = False
        if not holds:
            return f"{on}, {law.says}, but you returned {_show(value)}."
    if isinstance(wanted, dict) and wanted.keys() == value.keys():
        wanted = {key: item for key, item in wanted.items() if not _equal(item, value[key])}
        value = {key: value[key] for key in wanted}  # what agrees needs no words
    return f"{on}, expected {_show(wanted)}, got {_show(value)}."


def _line(error: BaseException) -> str:
    """Where in the learner's own function an exception came from."""
    frames = inspect.getinnerframes(error.__traceback__) if error.__traceback__ else []
    mine = [f for f in frames if f.filename != __file__ and f.code_context]
    return f" in the line `{mine[0].code_context[0].strip()}`" if mine else ""


def _kind(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0].lower() in 'aeio' else 'a'} {name}"


def _show(value: Any, limit: int = 220) -> str:
    if isinstance(value, torch.Tensor):
        text = str(_rounded(value.tolist())) if value.numel() <= 40 else _kind(value)
    elif isinstance(value, torch.nn.Module):
        text = f"a {type(value).__name__}"
    else:
        text = repr(value)
    return text if len(text) <= limit else text[:limit] + "..."


def _rounded(value: Any) -> Any:
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return round(value, 4) if isinstance(value, float) else value


def _call(name: str, inputs: tuple) -> str:
    shown = [getattr(i, "__name__", None) or _show(i, 120) for i in inputs]
    if sum(map(len, shown)) > 240:  # long inputs would bury the sentence
        shown = [
            _kind(i) if len(text) > 60 else text for i, text in zip(inputs, shown, strict=True)
        ]
    return f"{name}({', '.join(shown)})"


def _prose(text: str) -> str:
    """Escape for HTML and set what stands between backticks as code."""
    parts = html.escape(text, quote=False).split("`")
    return "".join(f"<code>{p}</code>" if n % 2 else p for n, p in enumerate(parts))


def _details(summary: str, body: str) -> str:
    return f"<details><summary>{summary}</summary>{body}</details>"
