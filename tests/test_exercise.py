"""The exercise engine turns whatever a learner writes into a sentence."""

import contextlib
import dataclasses
import threading
import time

import pytest
import torch

from course import exercise
from course.exercise import Exercise, Law, Mistake, Outcome, attempt, check, examine, same


def double(x):
    return 2 * x


DOUBLE = Exercise(
    id="99.double",
    asks="Return twice x.",
    reference=double,
    inputs=[(torch.tensor([1.0]),), (torch.tensor([1.0, 2.0, 3.0]),)],
    mistakes=[Mistake(lambda x: x**2, "you squared x: 2 * x and x ** 2 agree only at 0 and 2.")],
    hints=("Think of addition.", "x plus x.", "2 * x"),
    laws=[Law("every entry has to be even", lambda out, x: bool((out % 2 == 0).all()))],
)


@pytest.fixture
def known(monkeypatch):
    monkeypatch.setattr(exercise, "exercises", lambda: [DOUBLE])
    monkeypatch.setattr(exercise, "_tries", {})


def says(function):
    return examine(DOUBLE, function).says


def test_the_reference_passes():
    report = examine(DOUBLE, double)
    assert (report.status, report.says) == ("passed", "passed on 2 inputs.")


def test_a_right_answer_written_differently_passes():
    assert examine(DOUBLE, lambda x: x + x).status == "passed"


def test_an_unattempted_one_says_so():
    def stub(x):
        raise NotImplementedError

    report = examine(DOUBLE, stub)
    assert report.status == "not attempted"
    assert report.says.startswith("not attempted yet.")


def test_not_implemented_inside_a_library_is_an_attempt():
    report = examine(DOUBLE, lambda x: torch.softmax(x > 0, dim=-1))
    assert report.status == "wrong" and "raised NotImplementedError" in report.says


def test_another_exception_of_the_same_kind_is_another_mistake():
    def wrong(x):
        raise RuntimeError("sizes")

    def learner(x):
        raise RuntimeError("quite another thing")

    exercise = dataclasses.replace(DOUBLE, mistakes=[Mistake(wrong, "You mixed up the sizes.")])
    assert examine(exercise, wrong).status == "known mistake"
    assert examine(exercise, learner).status == "wrong"


def test_an_error_that_is_returned_should_be_raised():
    def reference(x):
        raise ValueError("no")

    exercise = dataclasses.replace(DOUBLE, reference=reference, mistakes=[])
    report = examine(exercise, lambda x: ValueError("no"))
    assert "returned a ValueError. Write raise, not return." in report.says
    assert "expected a ValueError, got [2.0]." in examine(exercise, double).says
    assert examine(exercise, reference).status == "passed"


def test_of_a_dictionary_only_what_differs_is_said():
    exercise = dataclasses.replace(
        DOUBLE, reference=lambda: {"a": 1, "b": 2}, inputs=[()], laws=[], mistakes=[]
    )
    assert "expected {'b': 2}, got {'b': 3}." in examine(exercise, lambda: {"a": 1, "b": 3}).says


def test_a_known_mistake_gets_its_own_hint():
    report = examine(DOUBLE, lambda x: x * x)
    assert (report.status, report.says) == ("known mistake", DOUBLE.mistakes[0].hint)


def test_none_is_noticed():
    assert "returned None. Is the return line missing?" in says(lambda x: None)


def test_a_wrong_shape_is_named():
    said = says(lambda x: (2 * x)[None])
    assert "expected the shape (1,), got (1, 1)" in said


def test_a_wrong_dtype_is_named():
    assert "of type torch.float32, got torch.float64" in says(lambda x: 2 * x.double())


def test_a_wrong_kind_is_named():
    assert "expected a tensor of shape (1,), got a list" in says(lambda x: (2 * x).tolist())


def test_an_exception_is_quoted_with_its_line():
    def broken(x):
        return x.no_such_thing

    said = says(broken)
    assert "raised AttributeError in the line `return x.no_such_thing`" in said


@pytest.mark.parametrize("error", [SystemExit(1), RecursionError("deep"), GeneratorExit()])
def test_nothing_that_is_raised_comes_through(error):
    def broken(x):
        raise error

    assert f"raised {type(error).__name__}" in says(broken)


def test_stop_pressed_by_the_learner_does_come_through():
    def stopped(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        examine(DOUBLE, stopped)


def test_an_input_changed_in_place_is_noticed():
    def in_place(x):
        x *= 2
        return x

    assert "changed its input in place" in says(in_place)
    assert torch.equal(DOUBLE.inputs[0][0], torch.tensor([1.0]))


def endless(x):
    while True:
        pass


def endless_and_stubborn(x):
    while True:
        with contextlib.suppress(BaseException):
            time.sleep(0.01)


@pytest.mark.parametrize("function", [endless, endless_and_stubborn])
def test_an_endless_loop_ends(function, monkeypatch):
    monkeypatch.setattr(exercise, "TIME_LIMIT", 0.3)
    start = time.monotonic()
    assert "still running after 0.3 seconds. Does its loop ever end?" in says(function)
    assert time.monotonic() - start < 5


def test_an_endless_loop_is_not_left_running(monkeypatch):
    monkeypatch.setattr(exercise, "TIME_LIMIT", 0.3)
    before = set(threading.enumerate())
    says(endless)
    assert set(threading.enumerate()) <= before


def test_a_slow_function_within_the_limit_is_left_alone(monkeypatch):
    monkeypatch.setattr(exercise, "TIME_LIMIT", 0.3)

    def slow(x):
        time.sleep(0.1)
        return 2 * x

    assert examine(DOUBLE, slow).status == "passed"
    time.sleep(0.4)  # an interrupt that came late would hit here


NAN = float("nan")
LAYERS = [torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)]


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (0.5, 0.5 + 1e-6, True),
        (0.5, 0.501, False),
        (0.0, 1e-7, True),
        (NAN, NAN, True),
        (NAN, 0.5, False),
        (0.5, NAN, False),
        (1, 1, True),
        (1, 2, False),
        (1, True, False),
        (1, 1.0, False),
        (torch.tensor([NAN]), torch.tensor([NAN]), True),
        (torch.tensor([1.0]), torch.tensor([1.0]).double(), False),
        (torch.tensor([1.0]), 1.0, False),
        ([1, 0.5], [1, 0.5 + 1e-6], True),
        ([1, 2], (1, 2), False),
        ([1, 2], [1], False),
        ([1], 1, False),
        ((1,), 1, False),
        (torch.Size([2, 3]), (2, 3), True),
        ({"a": 1}, {"a": 1}, True),
        ({"a": 1}, {"a": 2}, False),
        ({"a": 1}, {"b": 1}, False),
        ({"a": 1}, 1, False),
        ("a", "a", True),
        ("a", "b", False),
        (None, None, True),
        (LAYERS[0], LAYERS[0], True),
        (LAYERS[0], LAYERS[1], False),
        (LAYERS[0], torch.nn.Identity(), False),
        (torch.nn.Identity(), torch.nn.Tanh(), False),
        (LAYERS[0], None, False),
    ],
)
def test_what_is_alike(one, other, alike):
    assert same(Outcome(one), Outcome(other)) is alike
    assert same(Outcome(other), Outcome(one)) is alike


def test_an_error_is_like_no_value_and_an_input_changed_before_it_is_noticed():
    error = Outcome(error=ValueError("a"))
    assert not same(error, Outcome(None)) and not same(Outcome(None), error)
    assert same(error, Outcome(error=ValueError("b")))

    def spoil(x):
        x *= 2
        raise ValueError

    assert attempt(spoil, (torch.ones(2),)).mutated
    assert not attempt(len, (3,)).mutated


def test_a_broken_law_is_said_on_the_smallest_input():
    said = says(lambda x: 2 * x + 1)
    assert said == "on double([1.0]), every entry has to be even, but you returned [3.0]."


def test_where_no_law_is_broken_both_values_are_shown():
    assert says(lambda x: 4 * x) == "on double([1.0]), expected [2.0], got [4.0]."


def test_what_is_no_function_is_named():
    assert "expected your function itself, got a list" in says([1])
    assert "got None" in says(None)


def test_a_wrong_number_of_arguments_is_an_exception_like_any_other():
    assert "raised TypeError" in says(lambda: 1)


@pytest.mark.usefixtures("known")
def test_hints_come_one_after_the_other():
    shown = [repr(check("99.double", lambda x: 4 * x)).split("\n")[1] for _ in range(4)]
    assert shown == ["Hint 1: Think of addition.", "Hint 2: x plus x.", *["Hint 3: 2 * x"] * 2]


@pytest.mark.usefixtures("known")
def test_the_page_holds_hints_and_the_references_own_source_folded_up():
    page = check("99.double", double)._repr_html_()
    assert page.count("<details>") == 4
    assert "def double(x):\n    return 2 * x" in page
    assert page.index("passed on 2 inputs.") < page.index("<details>")


@pytest.mark.usefixtures("known")
def test_what_a_learner_returns_can_not_become_markup():
    page = check("99.double", lambda x: "<script>alert(1)</script>")._repr_html_()
    assert "<script>" not in page


@pytest.mark.usefixtures("known")
def test_an_unknown_exercise_lists_the_known_ones():
    assert "known: 99.double" in repr(check("99.tripel", double))
