"""A right value through which no gradient flows passes, and the check says what training would do."""

import pytest
import torch

from course.learn import apart
from course.learn.exercises import load
from course.learn.record import Exercise


def mixed(x, y):
    return x.softmax(dim=-1) @ y


def record(answer=mixed):
    draw = lambda d: (d.tensor(2, 3), d.tensor(3, 2))  # noqa: E731
    E = Exercise(f"chapters.ch99.exercises.{answer.__name__}", [], draw=draw, n_drawn=5)
    E.answer(answer)
    return E


MIXED = record()


def in_place(x, y):
    weights = x.exp()
    weights /= weights.sum(dim=-1, keepdim=True).clone()
    total = weights.sum() * 0
    weights.mul_(1)
    return weights @ y + total


def with_numpy(x, y):
    return torch.from_numpy(x.softmax(dim=-1).numpy() @ y.numpy())


def asserts(x, y):
    if x.requires_grad:
        raise AssertionError  # pytest gives those of an assert words
    return mixed(x, y)


@torch.no_grad()
def without_gradients(x, y):
    return mixed(x, y)


FAULTS = {
    "detach": (lambda x, y: mixed(x, y).detach(), "no gradient flows back to `x` and `y`"),
    "data": (lambda x, y: mixed(x.data, y), "no gradient flows back to `x`: "),
    "one input": (lambda x, y: mixed(x, y.detach()), "no gradient flows back to `y`: "),
    "no_grad": (without_gradients, "no gradient flows back to `x` and `y`"),
    "a list": (lambda x, y: torch.tensor(mixed(x, y).tolist()), "flows back to `x` and `y`"),
    "numpy": (with_numpy, "training would stop: with gradients your function raises RuntimeError"),
    "no words": (asserts, "with gradients your function raises AssertionError."),
    "a part": (
        lambda x, y: (e := x.exp()) / e.sum(dim=-1, keepdim=True).detach() @ y,
        "a part of the gradient for `x` is missing",
    ),
}
RIGHT = {
    "another way": lambda x, y: (e := (x - x.max().detach()).exp()) / e.sum(-1, True) @ y,
    "float64": lambda x, y: mixed(x.double(), y.double()).float(),
    "a loop": lambda x, y: torch.stack([row.softmax(dim=0) @ y for row in x]),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_cut_is_told_and_passes(name):
    function, said = FAULTS[name]
    found = apart.verdict(MIXED, function)
    assert (found.status, len(found.remarks)) == ("passed", 1), found
    assert said in found.remarks[0]


@pytest.mark.parametrize("name", RIGHT)
def test_nothing_is_said_of_a_whole_gradient(name):
    found = apart.verdict(MIXED, RIGHT[name])
    assert (found.status, found.remarks) == ("passed", ()), found


def test_nothing_is_said_of_a_call_that_a_clock_has_ended(monkeypatch):
    def loops(x, y):
        while x.requires_grad:
            pass
        return mixed(x, y)

    monkeypatch.setattr(apart, "PROCESSOR", 1)
    found = apart.verdict(MIXED, loops)
    assert (found.status, found.remarks) == ("passed", ())


def test_nothing_is_said_where_the_reference_has_no_gradient():
    def counted(x, y):
        return (x > 0).sum()

    def cut(x, y):
        return (x.detach() > 0).sum()

    assert apart.verdict(record(counted), cut).remarks == ()


def test_nothing_is_said_of_an_exercise_that_is_not_for_training():
    E = record()
    E.trained = False
    assert apart.verdict(E, FAULTS["detach"][0]).remarks == ()


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("04.mean_past", "x"),
        ("05.stable_softmax", "scores"),
        ("06.attend", "W_q"),
        ("09.forward", "module"),
    ],
)
def test_so_it_is_in_the_chapters(id, name):
    exercise = load(id)

    def cut(*inputs):
        return exercise.reference.function(*inputs).detach()

    assert f"`{name}`" in apart.verdict(exercise, cut).remarks[0]
    assert apart.verdict(exercise, exercise.reference.function).remarks == ()
