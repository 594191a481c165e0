"""Collect the answers of a submission: cells and inputs go into a sandbox, and plain data comes out.

Of an exercise's record, only the inputs go in, and the sandbox gets no reply to what it sends. The hidden
inputs go in only after the answers to all shown inputs have come out. So whatever the learner is told
about the shown inputs can't reveal the hidden ones.
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

LIMITS = {  # seconds of processor time, and of clock time
    "defined": (120, 480),  # to run the statements that are needed
    "called": (30, 120),  # for a call; an honest one takes hundredths of a second
}
PART = 600  # seconds of clock time for one part, because its code could stop its own timers
LONGEST = 1800  # ... for all exercises of a submission, whatever its code does
ENDING = "ended its whole process"  # by a signal, an exit status or its memory; learners aren't told which
TRIAL = {  # if this request gets no answer, the fault isn't the learner's
    **{"cells": ["import torch\ndef trial(): return torch.ones(2)"], "id": "", "name": "trial"},
    **{"without": (), "inputs": pickle.dumps([()])},
}


@dataclass
class Part:
    """The shown or the hidden inputs of an exercise, and what the learner's function did with them."""

    exercise: Exercise
    first: int  # the index of the first of its inputs
    inputs: list[tuple]
    ended: str = ""  # how its process ended: DONE, LATE or ENDED
    told: dict[str, Any] = field(default_factory=dict)  # about the function itself
    outcomes: list[Outcome] = field(default_factory=list)

    def is_right(self) -> bool:
        rights = (self.exercise.reference.outcome(self.first + n) for n in range(len(self.inputs)))
        every = zip(self.outcomes, rights, strict=False)
        return len(self.outcomes) == len(self.inputs) and all(a.alike(b) for a, b in every)

    def request(self) -> dict[str, Any]:
        """What goes into the sandbox for this part."""
        e = self.exercise
        return {"id": e.id, "name": e.name, "without": e.without, "inputs": dumped(self.inputs)}

    def take(self, ended: str, written: bytes) -> None:
        """Read the messages that its process wrote, up to the first that is broken."""
        self.ended = ended
        came = messages(written)
        self.told = next(came, {})
        for given, told in zip(self.inputs, came, strict=False):
            if (outcome := outcome_of(told, len(given))) is None:
                return
            self.outcomes.append(outcome)

    def filled(self) -> list[Outcome]:
        """An outcome for each input; if there is no answer, an error that says how the process ended."""
        error = Late(STOPPED) if self.ended == LATE else Gone(ENDING)
        missing = len(self.inputs) - len(self.outcomes)
        return self.outcomes + [Outcome(error=error, words=str(error))] * missing


@dataclass
class Answers:
    """What a learner's cells do for an exercise: a function, or why there is none, and its outcomes."""

    why: str = ""
    takes: str = ""  # its signature, if it can't be called with the inputs
    function: Any = None  # a placeholder for the function; if it isn't callable, the value itself
    replaced: tuple[str, ...] = ()
    outcomes: tuple[Outcome, ...] = ()


def collect(
    exercises: Iterable[Exercise], cells: list[str], trust: bool = False
) -> dict[str, Answers]:
    """The answers to the inputs of these exercises, by exercise id. Hidden inputs are tried only if all
    answers to the shown ones are right; otherwise learners are told what the notebook's check says."""
    sandboxes = Sandboxes(cells, trust)
    try:
        parts = [sandboxes.answered(Part(e, 0, e.inputs[: e.n_shown])) for e in exercises]
        return {part.exercise.id: _joined(part, sandboxes) for part in parts}
    finally:
        sandboxes.close()


class Sandboxes:
    """Sandboxes, one after another: if a part ends its sandbox, the next part gets a new one."""

    def __init__(self, cells: list[str], trust: bool):
        self.request, self.trust = {**LIMITS, "cells": cells}, trust
        self.until = time.monotonic() + LONGEST
        self.box: Sandbox | None = None

    def answered(self, part: Part) -> Part:
        """Send a part into the sandbox, and return it with its answers, or with how the sandbox ended."""
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
        """Start a sandbox and try a small function in it. Raises NoSandbox if that doesn't work."""
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
    """The answers to the shown inputs and, if all are right, to the hidden ones, cut by `_compared`."""
    told, exercise = shown.told, shown.exercise
    hidden = Part(exercise, len(shown.inputs), exercise.hidden)
    if exercise.hidden and shown.is_right():
        sandboxes.answered(hidden)
    unseen = [*map(_compared, hidden.filled())] if hidden.ended else []
    try:
        return Answers(
            why=str(told["why"])[:WORDS],
            takes=str(told["takes"])[:WORDS],
            function=elsewhere if told["callable"] is True else value_of(told["value"]),
            replaced=tuple(str(name)[:WORDS] for name in told["replaced"][:20]),
            outcomes=(*shown.filled(), *unseen),
        )
    except Exception:  # no message came, or one that `inside` never writes
        late = "were still running when the check stopped them"
        return Answers(f"They {late if shown.ended == LATE else 'ended their whole process'}.")


def elsewhere(*inputs: Any) -> NoReturn:
    """A placeholder for the learner's function, which runs only in the sandbox."""
    raise TypeError("a learner's function runs in the sandbox alone")


def _compared(o: Outcome) -> Outcome:
    """An outcome with only what is compared. The stub's error gets words, so it counts as any other error.

    What is used only here counts as a wrong answer: that it is used would tell more than right or wrong.
    """
    if o.used:
        return Outcome(error=Gone(ENDING), words=ENDING)
    words = o.words or ("raised" if type(o.error) is NotImplementedError else "")
    return Outcome(o.value, o.error, words, own=o.own, mutated=o.mutated)
