"""Answers that were written without seeing the records: right ones pass, wrong ones are told why.

`tests/answers/told.txt` holds what each wrong one is told, beside its true cause, so that a change
of words is read by whoever makes it. `python -m tests.test_answers` writes it anew.
"""

from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from course.check.compare import compare_text
from course.learn import verdict
from course.learn.exercises import known, load
from course.learn.verdict import judge
from tests.answers import ANSWERS

FOLDER = Path(__file__).parent / "answers"
TOLD = FOLDER / "told.txt"
for path in sorted(FOLDER.glob("ch*.py")):
    import_module(f"tests.answers.{path.stem}")
EACH = [pytest.param(*answer, id=f"{answer[0]}-{answer[1].__name__}") for answer in ANSWERS]


@pytest.fixture(autouse=True)
def all_the_time_that_it_takes(monkeypatch):
    monkeypatch.setattr(verdict, "PATIENCE", 1000)


@cache
def found_for(id, answer):
    return judge(load(id), answer)


@pytest.mark.parametrize(("id", "answer", "right"), EACH)
def test_right_answers_pass_and_wrong_ones_are_refused(id, answer, right):
    found = found_for(id, answer)
    if right:
        assert found.status == "passed", found.sentence
    else:
        assert found.status in {"wrong", "known mistake"}, answer.__doc__


@pytest.mark.parametrize("id", known())
def test_every_exercise_has_six_wrong_answers_and_two_right_ones(id):
    kinds = [right for name, _, right in ANSWERS if name == id]
    assert kinds.count(False) >= 6 and kinds.count(True) >= 2


@pytest.mark.parametrize("id", known())
def test_laws_hold_for_all_right_answers(id):
    exercise = load(id)
    for name, answer, right in ANSWERS:
        if name == id and right:
            for inputs in exercise.inputs:
                outcome = verdict.attempt(answer, inputs)
                if outcome.error is None:
                    for law in exercise.laws:
                        assert law(outcome.value, *inputs), (answer.__name__, law.__doc__)


def told() -> str:
    lines = []
    for id, answer, right in ANSWERS:
        if not right:
            found = found_for(id, answer)
            kind = "hint" if found.status == "known mistake" else "said"
            lines.append(f"{id} {answer.__name__}: {' '.join(answer.__doc__.split())}")
            lines += [
                f"    {kind}: {found.sentence}",
                *(f"    {more}" for more in found.besides),
                "",
            ]
    return "\n".join(lines)


def test_what_wrong_answers_are_told_is_what_was_read():
    deviation = compare_text(TOLD.read_text(encoding="utf-8"), told())
    assert not deviation, deviation


if __name__ == "__main__":
    verdict.PATIENCE = 1000
    TOLD.write_text(told(), encoding="utf-8")
