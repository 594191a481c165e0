"""The clinic: you use three checks on a patient, then name its fault and repair it.

`patient(n)` opens a case. All its answers come from running programs: a wrong name is compared with the
checks that you used, and a repair with the right program.
"""

import difflib
import random
from collections.abc import Callable
from functools import cache

from chapters.ch16 import examine
from chapters.ch16.checks import SIX
from chapters.ch16.patients import (
    BY_FAULT,
    PATIENTS,
    Patient,
    code,
    edited,
    right,
    right_code,
    run,
    wrong,
)

CHECKS = 3  # how many you can use for a patient
FIRST = ("float==('-inf')", "softmax dim=0", "scores overwritten by zeros", "repeat for repeat_interleave")


class Told(str):
    """A sentence that is shown without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def numbered() -> list[Patient]:
    """The patients by number, from 1 on: the page's four, then the others of each ward, shuffled."""
    others = [patient for patient in PATIENTS if patient.fault not in FIRST]
    random.Random(16).shuffle(others)
    others.sort(key=lambda patient: examine.ward(patient.program))
    return [BY_FAULT[fault] for fault in FIRST] + others


def patient(number: int) -> "Case":
    """Open the case of a patient."""
    waiting = numbered()
    if number not in range(1, len(waiting) + 1):
        raise ValueError(f"number: expected 1 to {len(waiting)}, got {number!r}")
    return Case(number, waiting[number - 1])


def faults(place: str = "attention") -> list[str]:
    """The names of all faults in a ward, `attention` or `training`."""
    return [p.fault for p in PATIENTS if examine.ward(p.program) == place]


class Case:
    """One patient: `check` up to three times, `name` the fault, read the `code`, `repair` it."""

    def __init__(self, number: int, patient: Patient):
        self.number, self._patient = number, patient
        self._spent: dict[str, bool] = {}
        self._named = False

    @property
    def _ward(self) -> str:
        return examine.ward(self._patient.program)

    def check(self, name: str) -> Told:
        """Use one of the checks. You can use three; repeating one doesn't count again."""
        checks = list(examine.found(self._patient.fault))
        if name not in checks:
            raise ValueError(_expected("check", checks, name))
        if name not in self._spent and len(self._spent) == CHECKS:
            spent = ", ".join(self._spent)
            return Told(f"You have used your three checks: {spent}. Name the fault.")
        self._spent[name] = examine.answer(self._patient.fault, name)
        left, alike = CHECKS - len(self._spent), len(self._suspects())
        word = "fault" if alike == 1 else "faults"
        return Told(
            f"{name}: {examine.question(name)}\n{self._spent[name]}\n"
            f"Checks left: {left}. The same answers fit {alike} {word}."
        )

    def _suspects(self) -> list[str]:
        """The faults that would have given the same answers to your checks as this patient."""
        return [fault for fault in self._names() if not self._clash(fault)]

    def _names(self) -> list[str]:
        """The possible faults: both attention programs look alike, and the others don't."""
        kinds = examine.ATTENTIONS if self._ward == "attention" else (self._patient.program,)
        return [patient.fault for patient in PATIENTS if patient.program in kinds]

    def _clash(self, fault: str) -> list[str]:
        """The used checks to which a fault would have given a different answer."""
        return [name for name, said in self._spent.items() if examine.answer(fault, name) != said]

    def name(self, fault: str) -> Told:
        """Say what is wrong; a wrong name is compared with the checks that you used."""
        if fault not in self._names():
            raise ValueError(_expected("fault", self._names(), fault))
        mine = self._patient.fault
        if fault == mine or fault in twins(mine):
            self._named = True
            also = f"({fault!r} and {mine!r} are the same function.)\n" if fault != mine else ""
            return Told(f"Yes, it is {mine!r}.\n{also}`code` shows the program; repair it.")
        if clash := self._clash(fault):
            would = examine.answer(fault, clash[0])
            return Told(f"No. For {fault!r}, {clash[0]!r} would have said:\n{would}")
        checks = [*SIX, "equals"] if self._ward == "attention" else examine.found(mine)
        for other in checks:
            if examine.answer(fault, other) != examine.answer(mine, other):
                return Told(f"No, although your checks allow it. {other!r} distinguishes the two.")
        return Told("No, although none of the checks distinguishes the two.")

    def give_up(self) -> Told:
        """Return the fault and its repair."""
        self._named = True
        old, new = repair_of(self._patient)
        return Told(
            f"It is {self._patient.fault!r}, chapter {self._patient.taught}. The lines\n\n{old}\n\n"
            f"should be\n\n{new}"
        )

    @property
    def code(self) -> Told:
        """The patient's program, once its fault is named."""
        if not self._named:
            return Told("You can see the code when you have named the fault, or after `give_up()`.")
        return Told(code(self._patient).rstrip())

    def repair(self, old: str, new: str) -> Told:
        """Replace `old` by `new` in the code, and return whether the program is then right."""
        if not self._named:
            return Told("Name the fault first; then `code` shows the program that you can repair.")
        return Told(judged(edited(code(self._patient), old, new), self._patient))

    def __repr__(self) -> str:
        asked = ", ".join(f"{name} {said.split('.')[0].lower()}" for name, said in self._spent.items())
        checks = [n for n in examine.found(self._patient.fault) if n != "equals"]
        return (
            f"Patient {self.number}, a program called {self._patient.program!r}.\n"
            f"Checks: {', '.join(checks)}.\nUsed: {asked or 'none yet'}. "
            f"Left: {CHECKS - len(self._spent)}."
        )


def _expected(what: str, names, got: str) -> str:
    near = difflib.get_close_matches(str(got), list(names), 1, 0.5)
    near = f"; did you mean {near[0]!r}?" if near else ""
    return f"{what}: expected one of {', '.join(map(repr, names))}, got {got!r}{near}"


@cache
def twins(fault: str) -> frozenset[str]:
    """The other faults that give the same function, so that no output distinguishes them."""
    mine = BY_FAULT[fault].program
    ours = examine.outputs(wrong(fault), mine)
    others = [p for p in PATIENTS if p.program == mine and p.fault != fault]
    return frozenset(
        p.fault
        for p in others
        if examine.found(p.fault) == examine.found(fault)
        and examine.alike(examine.outputs(wrong(p.fault), mine), ours)
    )


def repair_of(patient: Patient) -> tuple[str, str]:
    """The patient's own lines around its edit, and the right ones."""
    source, sick = right_code(patient.program), code(patient)
    at = source.index(patient.old)
    first = sick.rfind("\n", 0, at) + 1
    last = sick.find("\n", at + len(patient.new.rstrip("\n")))
    return sick[first:last], source[first : last + len(patient.old) - len(patient.new)]


@cache
def _rights(kind: str) -> list:
    return examine.outputs(right(kind), kind)


def judged(source: str, patient: Patient) -> str:
    """The verdict on a repair: compare it with the right program, and then run the checks."""
    kind = patient.program
    if source == code(patient):
        return "Not repaired: nothing has changed."
    try:
        repaired: Callable = run(source, kind)
        same = examine.alike(examine.outputs(repaired, kind), _rights(kind))
        said = examine.examine(repaired, kind)
    except Exception as error:
        return f"Not repaired: it raises {type(error).__name__}: {str(error).splitlines()[0]}"
    if same and all(said.values()):
        return f"Repaired: it does the same as the right program. (Chapter {patient.taught}.)"
    if seen := [name for name, fine in said.items() if not fine and name != "equals"]:
        return f"Not repaired: {examine.question(seen[0])} No. ({seen[0]!r})"
    return "Not repaired: the checks find nothing, but its numbers differ from the right program's."


