"""The answers of a submission: its cells and all inputs go into a sandbox, plain data comes out.

Nothing of a record but its inputs is ever inside, and nothing that comes out is answered. The inputs
that nobody has seen go in when the answers to all others are here: none of what is told of those can
speak of them.
"""

import pickle
import time
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from typing import IO, Any, NoReturn

from course.learn.apart import STOPPED
from course.learn.attempt import Gone, Late, Outcome
from course.learn.record import Exercise
from grading.answers import WORDS, frames, unpacked, value_of
from grading.byvalue import dumped
from grading.inside import DONE, ENDED, LATE
from grading.sandbox import START, Sandbox

DEFINED = (120, 480)  # seconds of the processor, and of a clock, for the cells that are needed
CALLED = (30, 120)  # ... for a call, of which an honest one takes hundredths
PART = 600  # ... of a clock for an exercise, whose code could stop its own clocks
LONGEST = 1800  # seconds of a clock for all exercises of a submission, whatever its code does
ENDING = "ended its whole process"  # by a signal, a status, its memory: none of that is told


@dataclass
class Part:
    """The shown or the hidden inputs of an exercise, and what the learner's function did with them."""

    exercise: Exercise
    first: int  # the number of the first of its inputs
    inputs: list[tuple]
    before: "Part | None" = None  # the shown inputs, for those that are hidden
    ended: bytes = b""  # how: b"" while it hasn't
    told: dict[str, Any] = field(default_factory=dict)  # of the function itself
    tensors: dict[str, Any] = field(default_factory=dict)
    outcomes: list[Outcome] = field(default_factory=list)

    def is_open(self) -> bool:
        """True if it is still to be answered: what is hidden, only where all that is shown is right."""
        return not self.ended and (self.before is None or self.before.is_right())

    def is_right(self) -> bool:
        rights = (self.exercise.reference.outcome(self.first + n) for n in range(len(self.inputs)))
        every = zip(self.outcomes, rights, strict=False)
        return len(self.outcomes) == len(self.inputs) and all(a.alike(b) for a, b in every)

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
            if len(self.outcomes) == len(self.inputs):
                return
            outcome = unpacked(message, tensors, len(self.inputs[len(self.outcomes)]))
            if outcome is None:
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
    takes: str = ""  # its parameters, where it can't be called with the inputs
    function: Any = None  # what stands for it here, or what is in its place
    replaced: tuple[str, ...] = ()
    outcomes: tuple[Outcome, ...] = ()


def collect(
    exercises: Iterable[Exercise], cells: list[str], trust: bool = False
) -> dict[str, Answers]:
    """The answers to the inputs of these exercises, by their ids: to those that are hidden only where
    all others are right, so that anything else is told what the notebook's check says.

    An exercise that ends its sandbox is over; those after it get another one.
    """
    shown = [Part(e, 0, e.inputs[: e.n_shown]) for e in exercises]
    hidden = [Part(s.exercise, len(s.inputs), s.exercise.hidden, s) for s in shown]
    until = time.monotonic() + LONGEST
    while todo := [p for p in shown if p.is_open()] or [p for p in hidden if p.is_open()]:
        if time.monotonic() < until:
            _round([p for p in shown if p.is_open()], hidden, cells, trust, until)
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
        if box.hear(time.monotonic() + START) != DONE:
            raise box.refusal()
        if _answered(shown, files[: len(shown)], box, until):
            # What is shown has been read: nothing of the hidden inputs can get into it now.
            hidden = [part for part in hidden if part.is_open()]
            _write(later, [part.request() for part in hidden])
            box.go()
            _answered(hidden, files[len(shown) :], box, until)


def _answered(parts: list[Part], files: list[IO[bytes]], box: Sandbox, until: float) -> bool:
    """True if all parts were answered, False if one of them has ended the sandbox."""
    for part, file in zip(parts, files, strict=False):
        end = min(until, time.monotonic() + PART)
        ended = box.hear(end)
        part.take(file, ended or (LATE if time.monotonic() > end else ENDED))
        if not ended:
            return False
    return True


def _write(file: IO[bytes], value: Any) -> None:
    pickle.dump(value, file)
    file.seek(0)


def _joined(shown: Part, hidden: Part) -> Answers:
    """What both parts say; of an outcome with a hidden input, only what is compared."""
    told = shown.told
    word = f"`{shown.exercise.without[0]}`" if shown.exercise.without else ""
    unseen = [_compared(o, word) for o in hidden.filled()] if hidden.ended else []
    try:
        return Answers(
            why=str(told["why"])[:WORDS],
            takes=str(told["takes"])[:WORDS],
            function=elsewhere
            if told["callable"] is True
            else value_of(told["value"], shown.tensors),
            replaced=tuple(str(name)[:WORDS] for name in told["replaced"][:20]),
            outcomes=(*shown.filled(), *unseen),
        )
    except Exception:  # nothing was told, or what no cells can say
        late = "were still running when the check stopped them"
        return Answers(f"They {late if shown.ended == LATE else 'ended their whole process'}.")


def elsewhere(*inputs: Any) -> NoReturn:
    """Stands for the learner's function."""
    raise TypeError("a learner's function runs in the sandbox alone")


def _compared(o: Outcome, word: str) -> Outcome:
    """What is compared of an outcome, and no more; the stub's own error is one as any other."""
    words = o.words or ("raised" if type(o.error) is NotImplementedError else "")
    return Outcome(o.value, o.error, words, own=o.own, mutated=o.mutated, used=o.used and word)
