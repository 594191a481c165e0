"""The answers of a submission: its cells and all inputs go into a sandbox, plain data comes out.

Nothing of a record but its inputs is ever inside, and nothing that comes out is answered. The inputs
that nobody has seen go in when the answers to all others are here: none of what is told of those can
speak of them.
"""

import inspect
import pickle
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from typing import IO, Any

from course.learn.apart import STOPPED
from course.learn.attempt import Gone, Late, Outcome
from course.learn.record import Exercise
from grading.answers import WORDS, frames, unpacked, value_of
from grading.byvalue import dumped
from grading.inside import ENDED, LATE
from grading.sandbox import START, Sandbox

DEFINED = (120, 480)  # seconds of the processor, and of a clock, for the cells that are needed
CALLED = (30, 120)  # ... for a call, of which an honest one takes hundredths
LONGEST = 1800  # seconds of a clock for all exercises of a submission, whatever its code does
ENDING = "ended its whole process"  # by a signal, a status, its memory: none of that is told


@dataclass
class Part:
    """The shown or the hidden inputs of an exercise, and what the learner's function did with them."""

    exercise: Exercise
    inputs: list[tuple]
    ended: bytes = b""  # how: b"" while it hasn't
    told: dict[str, Any] = field(default_factory=dict)  # of the function itself
    tensors: dict[str, Any] = field(default_factory=dict)
    outcomes: list[Outcome] = field(default_factory=list)

    def request(self) -> dict[str, Any]:
        """What goes into the sandbox."""
        e = self.exercise
        return {"id": e.id, "name": e.name, "without": e.without, "inputs": dumped(self.inputs)}

    def take(self, file: IO[bytes], ended: bytes) -> None:
        """Read what was written, as far as it is whole."""
        self.ended = ended
        file.seek(0)
        messages = frames(file)
        self.told, self.tensors = next(messages, ({}, {}))
        for message, tensors in messages:
            outcome = unpacked(message, tensors)
            if outcome is None or len(self.outcomes) == len(self.inputs):
                return
            self.outcomes.append(outcome)

    def filled(self) -> list[Outcome]:
        """An outcome for each input; after the one that ended the process, that it did."""
        error = Late(STOPPED) if self.ended == LATE else Gone(ENDING)
        missing = len(self.inputs) - len(self.outcomes)
        return self.outcomes + [Outcome(error=error, words=str(error))] * missing


@dataclass
class Answers:
    """What a learner's cells do for an exercise: a function, or why there is none, and its outcomes."""

    why: str = ""
    function: Any = None  # what stands for it here, or what is in its place
    replaced: tuple[str, ...] = ()
    outcomes: tuple[Outcome, ...] = ()


def collect(
    exercises: Iterable[Exercise], cells: list[str], trust: bool = False
) -> dict[str, Answers]:
    """The answers to all inputs of these exercises, by their ids.

    An exercise that ends its sandbox is over; those after it get another one.
    """
    shown = [Part(e, e.inputs[: e.n_shown]) for e in exercises]
    hidden = [Part(e, e.inputs[e.n_shown :]) for e in exercises]
    until = time.monotonic() + LONGEST
    while todo := [part for part in (*shown, *hidden) if not part.ended]:
        if time.monotonic() < until:
            left = ([p for p in parts if not p.ended] for parts in (shown, hidden))
            _round(*left, cells, trust, until)
        else:
            todo[0].ended = LATE
    return {s.exercise.id: _joined(s, h) for s, h in zip(shown, hidden, strict=True)}


def _round(
    shown: list[Part], hidden: list[Part], cells: list[str], trust: bool, until: float
) -> None:
    """One sandbox: the parts are answered in their order, until it ends."""
    with ExitStack() as opened:
        many = range(len(shown) + len(hidden))
        first, later, *files = (opened.enter_context(TemporaryFile()) for _ in (1, 2, *many))
        limits = {"cells": cells, "defined": DEFINED, "called": CALLED}
        _write(first, {**limits, "shown": [part.request() for part in shown]})
        fds = [file.fileno() for file in (later, *files)]
        box = opened.enter_context(Sandbox("grading.inside", first, fds, trust))
        if not box.hear(time.monotonic() + START):
            raise box.refusal()
        for n, (part, file) in enumerate(zip((*shown, *hidden), files, strict=True)):
            if n == len(shown):  # nothing of the hidden inputs can get into what has been read
                _write(later, [part.request() for part in hidden])
                box.go()
            ended = box.hear(until)
            part.take(file, ended or (LATE if time.monotonic() > until else ENDED))
            if not ended:
                return


def _write(file: IO[bytes], value: Any) -> None:
    pickle.dump(value, file)
    file.seek(0)


def _joined(shown: Part, hidden: Part) -> Answers:
    """What both parts say; of an outcome with a hidden input, only what is compared."""
    told = shown.told
    word = f"`{shown.exercise.without[0]}`" if shown.exercise.without else ""
    unseen = [
        Outcome(o.value, o.error, o.words, own=o.own, mutated=o.mutated, used=o.used and word)
        for o in hidden.filled()
    ]
    try:
        return Answers(
            why=str(told["why"])[:WORDS],
            function=stand_in(told["parameters"])
            if told["callable"] is True
            else value_of(told["value"], shown.tensors),
            replaced=tuple(str(name)[:WORDS] for name in told["replaced"][:20]),
            outcomes=(*shown.filled(), *unseen),
        )
    except Exception:  # nothing was told, or what no cells can say
        late = "were still running when the check stopped them"
        return Answers(f"they {late if shown.ended == LATE else 'ended their whole process'}.")


# ---------------------------------------------------------------- the function, seen from here


def stand_in(parameters: Any) -> Callable:
    """Stands for the learner's function: what is known of it here is how it is called."""

    def function(*inputs: Any) -> Any:
        raise TypeError("a learner's function runs in the sandbox alone")

    try:
        function.__signature__ = inspect.Signature([_parameter(*part) for part in parameters])
    except (TypeError, ValueError):
        function.__signature__ = "unknown"  # then nothing is said of it
    return function


class _Shown:
    """A default, of which only the text is known."""

    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _parameter(name: str, kind: int, default: str | None) -> inspect.Parameter:
    shown = inspect.Parameter.empty if default is None else _Shown(str(default)[:100])
    return inspect.Parameter(str(name)[:100], inspect._ParameterKind(kind), default=shown)
