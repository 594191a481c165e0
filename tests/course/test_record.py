"""The form of an exercise: what is refused where it stands, and what a broken record breaks."""

import sys

import pytest
import torch

import chapters
from course.learn.draws import Draw
from course.learn.exercises import check, known
from course.learn.record import Exercise, RecordError


def double(x):
    return 2 * x


def exercise(draw=None, answer=True):
    """A record with its answer: twice a tensor."""
    inputs = [(torch.tensor([1.0]),), (torch.tensor([1.0, 2.0, 3.0]),)]
    E = Exercise("chapters.ch99.exercises.double", inputs, draw=draw)
    if answer:
        E.answer(double)
    return E


def test_a_record_is_told_in_order():
    E = exercise()
    E.slip("2 * x", "x ** 2", "these are the squares.")
    E.mistake(lambda x: x, "nothing was\n    doubled.")

    @E.mistake
    def half(x):
        """this is half of x."""
        return x / 2

    assert E.id == "99.double" and E.solution == "def double(x):\n    return 2 * x"
    hints = [mistake.hint for mistake in E.mistakes]
    assert hints == ["these are the squares.", "nothing was doubled.", "this is half of x."]
    assert E.mistakes[0].function(torch.tensor(3.0)) == 9
    assert half(4) == 2


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("3 * x", "x", "expected the text '3 \\* x' once in the answer, found it 0 times"),
        ("x", "y", "expected the text 'x' once in the answer, found it 2 times"),
        ("2 * x", "2 * ", "isn't valid Python"),
    ],
)
def test_a_slip_is_refused_where_it_stands(old, new, says):
    E = exercise()
    with pytest.raises(RecordError, match=says):
        E.slip(old, new, "hint")
    assert not E.mistakes


@pytest.mark.parametrize("new", ["x + x", "2  *  x  # doubled", "2 * x.clone()"])
def test_a_slip_that_changes_nothing_is_refused(new):
    E = exercise()
    E.slip("2 * x", "3 * x", "three times.")
    E.compare()
    E.slip("2 * x", new, "hint")
    with pytest.raises(RecordError, match="no input tells this mistake from the answer .'hint'"):
        E.compare()


def test_two_mistakes_that_no_input_tells_apart_are_refused():
    E = exercise()
    E.slip("2 * x", "3 * x", "three times.")
    E.mistake(lambda x: x + x + x, "added twice.")
    with pytest.raises(RecordError, match="from an earlier one .'three times.'.*: add an input"):
        E.compare()


def test_two_errors_of_python_with_other_words_are_two_mistakes():
    E = exercise()
    E.slip("2 * x", "int('long')", "too long.")
    E.slip("2 * x", "int('short')", "too short.")
    E.compare()
    E.slip("2 * x", "int('short') + 1", "too short, too.")
    with pytest.raises(RecordError, match="from an earlier one"):
        E.compare()


def test_the_words_of_an_error_that_is_raised_on_purpose_are_free():
    E = exercise()
    E.slip("return", "raise ValueError('too long')\n    return", "too long.")
    E.slip("2 * x", "int('long')", "a ValueError of Python's own.")
    E.slip("return", "assert False, 'x'\n    return", "another kind.")
    E.compare()
    E.slip("return", "raise ValueError('too short')\n    return", "too short.")
    with pytest.raises(RecordError, match="from an earlier one"):
        E.compare()


def test_a_drawn_input_can_tell_a_mistake_from_the_answer():
    only_small = lambda x: 2 * x if x.numel() < 5 else x  # noqa: E731
    for draw in (None, lambda d: (d.tensor(d.size(5)),)):
        E = exercise(draw=draw)
        E.mistake(only_small, "long ones are left as they are.")
        if draw:
            E.compare()
        else:
            with pytest.raises(RecordError, match="no input tells"):
                E.compare()


def test_drawn_inputs_are_the_same_on_every_run_and_grow():
    one, other = (exercise(draw=lambda d: (d.tensor(*d.sizes(2)),)).inputs for _ in range(2))
    assert len(one) == 26 and all(torch.equal(a[0], b[0]) for a, b in zip(one, other, strict=True))
    sizes = [x.numel() for (x,) in one[2:]]
    assert sizes == sorted(sizes) and len(set(sizes)) > 8


def test_a_hidden_input_is_none_of_those_that_are_shown():
    E = exercise(draw=lambda d: (torch.tensor([float(d.randrange(40))]),))
    E.hide("secret")
    hidden, shown = ([float(x[0]) for (x,) in some] for some in (E.hidden, E.inputs[: E.n_shown]))
    assert len(hidden) == 24 and not {*hidden} & {*shown}


def test_drawn_numbers_reach_both_ends_in_quarters():
    numbers = {Draw("99.double", n).number(-2, 3) for n in range(200)}
    assert numbers == {n / 4 for n in range(-8, 13)}


@pytest.mark.parametrize(
    ("tell", "says"),
    [
        (lambda E: E.slip("a", "b", "c"), "expected @E.answer first"),
        (lambda E: E.mistake(lambda x: x, "hint"), "expected @E.answer above"),
        (lambda E: (E.answer(double), E.answer(double)), "expected one @E.answer, got a second"),
        (lambda E: (E.answer(double), E.mistake(lambda: 1, "h")), r"of \(x\), got \(\) \('h'\)"),
        (
            lambda E: (E.answer(double), E.slip("2 * x", "2 * y", "h"), E.compare()),
            "a NameError, a typo?",
        ),
        (lambda E: E.law(lambda out, x: True), "expected a docstring, the law's sentence, in <l"),
        (lambda E: (E.answer(double), E.fixed.append(3), E.inputs), r"a tuple.* \(x\), got 3"),
        (lambda E: (E.answer(double), E.fixed.append((1, 2)), E.inputs), r"got \(1, 2\)"),
        (lambda E: Exercise("ch99.exercises.x", [(1,)], without=("sofmax",)), "got 'sofmax' in "),
        (
            lambda E: Exercise("ch99.exercises.x", [(1,)], without="softmax"),
            "got 's' in 'softmax'",
        ),
        (lambda E: E.answer(lambda x: x), "expected the answer to be called double"),
        (lambda E: (E.answer(double), E.mistake(lambda x: x)), "a hint or a docstring"),
        (lambda E: E.check(), "3 hints, got no answer, 2 inputs, 0 known mistakes and 0 hints"),
        (
            lambda E: (E.answer(double), E.hint("Add."), E.check()),
            "got an answer, 2 inputs, 0 .* and 1 hi",
        ),
    ],
)
def test_what_is_told_out_of_order_or_missing_is_refused(tell, says):
    with pytest.raises(RecordError, match=says):
        tell(exercise(answer=False))


# ---------------------------------------------------------------- broken records


GOOD = '''"""Return twice x."""
import torch
from course.learn.record import Exercise
E = Exercise(__name__, inputs=[(torch.ones(2),)])
@E.answer
def good(x):
    return 2 * x
for n in (3, 4, 5, 6):
    E.slip("2", str(n), f"{n} times.")
E.hint("a")
E.hint("b")
E.hint("c")
'''


@pytest.fixture
def chapter(tmp_path, monkeypatch):
    """A folder that is chapter 99 of the course; its files are the exercises."""
    folder = tmp_path / "ch99" / "exercises"
    folder.mkdir(parents=True)
    for place in (folder, folder.parent):
        (place / "__init__.py").write_text('"""Chapter 99."""\n')
    (folder / "good.py").write_text(GOOD)
    monkeypatch.setattr(chapters, "__path__", [str(tmp_path)])
    monkeypatch.delenv("COURSE_HEADLESS", raising=False)
    yield folder
    for name in [name for name in sys.modules if name.startswith("chapters.ch99")]:
        del sys.modules[name]


BROKEN = {
    "no_hints": GOOD.replace('E.hint("a")\n', ""),
    "three_mistakes": GOOD.replace("3, ", ""),
    "no_python": "def (:\n",
    "no_record": "x = 1\n",
    "no_module": "import nowhere_to_be_found\n",
    "no_slip": GOOD + 'E.slip("nowhere", "x", "hint")\n',
    "no_answer": "from course.learn.record import Exercise\nE = Exercise(__name__, inputs=[(1,)])\n",
    "raises": "raise SystemExit\n",
    "endless_input": GOOD.replace("[(torch.ones(2),)]", "[]"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_record_breaks_its_own_exercise_only(chapter, name):
    (chapter / f"{name}.py").write_text(BROKEN[name].replace("good", name))
    assert known() == sorted([f"99.{name}", "99.good"])
    said = repr(check(f"99.{name}", lambda x: x))
    assert said.startswith(
        f"99.{name}: this exercise is broken, not your answer (ch99/exercises/{name}.py"
    )
    assert repr(check("99.good", lambda x: x + x)) == "99.good: passed on 1 inputs."


def test_a_broken_record_says_where(chapter):
    (chapter / "no_slip.py").write_text(BROKEN["no_slip"].replace("good", "no_slip"))
    said = repr(check("99.no_slip", lambda x: x))
    assert (
        "ch99/exercises/no_slip.py, line 13: RecordError: expected the text 'nowhere' once" in said
    )


def test_an_exercise_that_does_not_exist_is_named_and_fails_a_headless_run(chapter, monkeypatch):
    said = "there is no exercise '99.god'; expected one of 99.good."
    assert repr(check("99.god", lambda x: x)) == f"99.god: {said}"
    monkeypatch.setenv("COURSE_HEADLESS", "1")
    with pytest.raises(RecordError, match="there is no exercise '99.god'"):
        check("99.god", lambda x: x)
    (chapter / "broken.py").write_text(BROKEN["no_hints"].replace("good", "broken"))
    with pytest.raises(RecordError, match="got an answer, 1 inputs, 4 known mistakes and 2 hints"):
        check("99.broken", lambda x: x)
