"""The answers of a submission: its cells and all inputs go into a sandbox, plain data comes out.

Nothing of a record but its inputs is ever inside, and nothing that comes out is answered. The inputs
that nobody has seen go in when the answers to all others are here: none of what is told of those can
speak of them.
"""

import pickle
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from course.learn.apart import STOPPED
from course.learn.attempt import Gone, Late, Outcome
from course.learn.record import Exercise
from grading.answers import WORDS, messages, outcome_of, value_of
from grading.byvalue import dumped
from grading.inside import DONE, ENDED, LATE
from grading.sandbox import START, Sandbox

LIMITS = {  # seconds of the processor, and of a clock
    "defined": (120, 480),  # for the cells that are needed
    "called": (30, 120),  # for a call, of which an honest one takes hundredths
}
PART = 600  # seconds of a clock for an exercise, whose code could stop its own clocks
LONGEST = 1800  # ... for all exercises of a submission, whatever its code does
ENDING = "ended its whole process"  # by a signal, a status, its memory: none of that is told
TRIAL = {  # if this can't be answered, no learner is to blame
    **{"cells": ["import torch\ndef trial(): return torch.ones(2)"], "id": "", "name": "trial"},
    **{"without": (), "inputs": pickle.dumps([()])},
}


@dataclass
class Part:
    """The shown or the hidden inputs of an exercise, and what the learner's function did with them."""

    exercise: Exercise
    first: int  # the number of the first of its inputs
    inputs: list[tuple]
    ended: str = ""  # how
    told: dict[str, Any] = field(default_factory=dict)  # of the function itself
    outcomes: list[Outcome] = field(default_factory=list)

    def is_right(self) -> bool:
        rights = (self.exercise.reference.outcome(self.first + n) for n in range(len(self.inputs)))
        every = zip(self.outcomes, rights, strict=False)
        return len(self.outcomes) == len(self.inputs) and all(a.alike(b) for a, b in every)

    def request(self) -> dict[str, Any]:
        """What goes into the sandbox."""
        e = self.exercise
        return {"id": e.id, "name": e.name, "without": e.without, "inputs": dumped(self.inputs)}

    def take(self, ended: str, written: bytes) -> None:
        """Read what was written, as far as it is whole."""
        self.ended = ended
        self.told, *rest = [*messages(written)] or [{}]
        for told, given in zip(rest, self.inputs, strict=False):
            if (outcome := outcome_of(told, len(given))) is None:
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
    all that is shown is right, so that anything else is told what the notebook's check says."""
    sandboxes = Sandboxes(cells, trust)
    try:
        parts = [sandboxes.answered(Part(e, 0, e.inputs[: e.n_shown])) for e in exercises]
        return {part.exercise.id: _joined(part, sandboxes) for part in parts}
    finally:
        sandboxes.close()


class Sandboxes:
    """One after another: a part that ends its sandbox is over, and those after it get the next."""

    def __init__(self, cells: list[str], trust: bool):
        self.request, self.trust = {**LIMITS, "cells": cells}, trust
        self.until = time.monotonic() + LONGEST
        self.box: Sandbox | None = None

    def answered(self, part: Part) -> Part:
        """The same part, with what was answered to it."""
        until, said = self.until, None
        if time.monotonic() < until:
            self.box = self.box or self.started()
            until = min(time.monotonic() + PART, until)
            said = self.box.ask(self.request | part.request(), until)
        if said:
            part.take(*said)
        else:
            self.close()
            part.ended = LATE if time.monotonic() >= until else ENDED
            part.told = {"why": "", "takes": "", "callable": True, "replaced": []}
        return part

    def started(self) -> Sandbox:
        """A sandbox in which something can be computed. Raises NoSandbox."""
        box = Sandbox("grading.inside", self.trust)
        said = box.ask(self.request | TRIAL, time.monotonic() + START)
        if not said or said[0] != DONE:
            raise box.refusal()
        return box

    def close(self) -> None:
        if self.box:
            self.box.close()
        self.box = None


def _joined(shown: Part, sandboxes: Sandboxes) -> Answers:
    """What both parts say; of an outcome with a hidden input, only what is compared."""
    told, exercise = shown.told, shown.exercise
    word = f"`{exercise.without[0]}`" if exercise.without else ""
    hidden = Part(exercise, len(shown.inputs), exercise.hidden)
    if exercise.hidden and shown.is_right():
        sandboxes.answered(hidden)
    unseen = [_compared(o, word) for o in hidden.filled()] if hidden.ended else []
    try:
        return Answers(
            why=str(told["why"])[:WORDS],
            takes=str(told["takes"])[:WORDS],
            function=elsewhere if told["callable"] is True else value_of(told["value"]),
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
