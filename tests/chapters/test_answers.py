"""Answers that were written without seeing the records: right ones pass, wrong ones are told why.

`tests/chapters/answers/told.txt` holds what each wrong one is told, beside its true cause, so that a change
of words is read by whoever makes it. `python -m tests.chapters.test_answers 05.dot` writes the part of one
exercise anew, without a name all of it.
"""

import os
import re
import subprocess
import sys
from functools import cache
from importlib import import_module
from itertools import groupby
from pathlib import Path

import pytest

from course.check.compare import compare_text
from course.learn.attempt import attempt
from course.learn.exercises import known, load
from course.learn.verdict import judge
from tests.chapters.answers import ANSWERS

FOLDER = Path(__file__).parent / "answers"
TOLD = FOLDER / "told.txt"
for path in sorted(FOLDER.glob("ch*.py")):
    import_module(f"tests.chapters.answers.{path.stem}")
WRONG = {(id, answer.__name__): answer for id, answer, right in ANSWERS if not right}
each_exercise = pytest.mark.parametrize("id", known())


@cache
def found_for(id, answer):
    """What is said of an answer, and what it did with each input."""
    outcomes = []

    def run(*given):
        outcomes.append(attempt(*given))
        return outcomes[-1]

    return judge(load(id), answer, run), outcomes


def answers(id, right):
    return [answer for name, answer, is_right in ANSWERS if (name, is_right) == (id, right)]


@each_exercise
def test_right_answers_pass(id):
    found = {answer.__name__: found_for(id, answer)[0] for answer in answers(id, right=True)}
    assert not {name: said for name, said in found.items() if said.status != "passed"}


@each_exercise
def test_wrong_answers_are_refused(id):
    found = {answer.__name__: found_for(id, answer)[0] for answer in answers(id, right=False)}
    refused = {"wrong", "known mistake"}
    assert not {name: said for name, said in found.items() if said.status not in refused}


@each_exercise
def test_every_exercise_has_six_wrong_answers_and_two_right_ones(id):
    assert len(answers(id, right=False)) >= 6 and len(answers(id, right=True)) >= 2, (
        f"write six wrong and two right answers to {id} in tests/chapters/answers/ch{id[:2]}.py"
    )


@each_exercise
def test_laws_hold_for_all_right_answers(id):
    exercise = load(id)
    for answer in answers(id, right=True):
        outcomes = found_for(id, answer)[1]
        for inputs, outcome in zip(exercise.inputs, outcomes, strict=True):
            if outcome.error is None:
                for law in exercise.laws:
                    assert law(outcome.value, *inputs), (answer.__name__, law.__doc__)


def told(id, name) -> str:
    """A wrong answer with its true cause, and what it is told."""
    answer = WRONG[id, name]
    found, _ = found_for(id, answer)
    kind = "hint" if found.status == "known mistake" else "said"
    cause = " ".join(answer.__doc__.split())
    lines = [f"{id} {name}: {cause}", f"{kind}: {found.sentence}", *found.besides]
    return "\n    ".join(lines)


def stored() -> dict[tuple[str, ...], str]:
    """The parts of told.txt by exercise and answer."""
    parts = TOLD.read_text(encoding="utf-8").strip().split("\n\n")
    return {tuple(part.partition(":")[0].split()): part for part in parts}


def write(ids):
    """Write what the wrong answers to these exercises are told into told.txt."""
    was, order = stored(), [id for id, _ in WRONG]
    keys = [key for key in was | WRONG if key in WRONG]  # what is stored keeps its place
    keys.sort(key=lambda key: order.index(key[0]))
    parts = [told(*key) if key[0] in ids else was.get(key, "") for key in keys]
    TOLD.write_text("\n\n".join(filter(None, parts)) + "\n", encoding="utf-8")


@each_exercise
def test_what_wrong_answers_are_told_is_what_was_read(id):
    was = stored()
    for key in was | WRONG:
        if key[0] == id:
            old = was.get(key, "nothing")
            new = told(*key) if key in WRONG else "nothing"
            if compare_text(old, new):
                pytest.fail(
                    f"stored: {old}\ntold: {new}\n"
                    f"run `python -m tests.chapters.test_answers {id}` and read the diff of {TOLD.name}"
                )


def otherwise(id: str) -> list[str]:
    """Which wrong answers to an exercise are told something else than what is stored."""
    was, keys = stored(), [key for key in WRONG if key[0] == id]
    return [" ".join(key) for key in keys if compare_text(was[key], told(*key))]


@pytest.mark.weekly
def test_on_another_processor_records_load_and_say_the_same():
    """Sums are rounded in another order there, and with two of torch's threads."""
    code = (
        "from tests.chapters import test_answers as t; print(sum(map(t.otherwise, t.known()), []))"
    )
    command, root = [sys.executable, "-c", code], FOLDER.parents[2]
    env = os.environ | {"ATEN_CPU_CAPABILITY": "default", "OMP_NUM_THREADS": "2"}
    done = subprocess.run(command, env=env, cwd=root, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_told_has_every_wrong_answer_once_and_the_exercises_in_order():
    names = [f"{id} {answer.__name__}" for id, answer, right in ANSWERS if not right]
    there = re.findall(r"^(\S+ \w+): ", TOLD.read_text(encoding="utf-8"), re.M)
    again = "run `python -m tests.chapters.test_answers` and read the diff"
    assert sorted(there) == sorted(names), again
    exercises = [id for id, _ in groupby(there, lambda name: name.split()[0])]
    assert exercises == [*dict.fromkeys(id for id, _ in WRONG)], again


def test_one_exercise_is_written_and_the_others_stay(tmp_path, monkeypatch):
    good = stored()
    monkeypatch.setitem(globals(), "TOLD", tmp_path / "told.txt")
    stale = {key: f"{part}, once" for key, part in good.items()}
    TOLD.write_text("\n\n".join(stale.values()), encoding="utf-8")
    write(["05.dot"])
    assert stored() == stale | {key: part for key, part in good.items() if key[0] == "05.dot"}


if __name__ == "__main__":
    write([load(id).id for id in sys.argv[1:] or known()])
