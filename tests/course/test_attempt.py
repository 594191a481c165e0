"""A learner's function runs within limits, and whatever it changes is put back and named."""

import math
import random
import sys
import weakref

import numpy as np
import pytest
import torch

from course.learn import attempt as attempts
from course.learn import restore
from course.learn.attempt import Outcome, attempt
from course.learn.exercises import load
from course.learn.record import Exercise
from course.learn.verdict import judge


def double(x):
    return 2 * x


E = Exercise(
    "chapters.ch99.exercises.double", [(torch.tensor([1.0]),), (torch.tensor([2.0, 3.0]),)]
)
E.answer(double)
for hint in "abc":
    E.hint(hint)


def test_outcomes_are_alike_by_the_kind_of_their_exception_or_to_the_word():
    asked, odd, other = (
        Outcome(error=kind(), words=words)
        for kind, words in ((ValueError, "a"), (ValueError, "b"), (TypeError, "a"))
    )
    assert asked.alike(odd) and not asked.alike(odd, to_the_word=True)
    assert asked.alike(asked, to_the_word=True) and not asked.alike(other)
    value = Outcome(value=None)
    assert not value.alike(asked) and not asked.alike(value)


def test_stop_pressed_by_the_learner_comes_through_and_in_a_process_apart_nobody_presses_it():
    def stopped(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attempt(stopped, (1,))
    assert type(attempt(stopped, (1,), apart=True).error) is KeyboardInterrupt


def test_an_input_changed_in_place_is_noticed_and_not_ours():
    def in_place(x):
        x *= 2
        raise ValueError

    assert attempt(in_place, E.fixed[0]).mutated
    assert torch.equal(E.fixed[0][0], torch.tensor([1.0]))
    module = torch.nn.Dropout(0.5)
    assert attempt(lambda m: m.eval(), (module,)).mutated and module.training


def test_what_failed_before_an_exception_is_not_kept_alive():
    class Thing:
        pass

    things = []

    def fails(x):
        thing = Thing()
        things.append(weakref.ref(thing))
        raise ValueError

    def fails_again(x):
        try:
            fails(x)
        except ValueError as error:
            raise KeyError from error

    for function in (fails, fails_again):
        assert attempt(function, (1,)).error is not None
    assert [thing() for thing in things] == [None, None]


# ---------------------------------------------------------------- put back


CHANGES = {
    "the seed of torch": lambda x: torch.manual_seed(1337) and None,
    "the default dtype of torch": lambda x: torch.set_default_dtype(torch.float64),
    "the default device of torch": lambda x: torch.set_default_device("meta"),
    "the gradient mode of torch": lambda x: torch.set_grad_enabled(False) and None,
    "the number of torch's threads": lambda x: torch.set_num_threads(3),
}
READ = (
    torch.initial_seed, torch.get_default_dtype, torch.get_default_device, torch.is_grad_enabled,
    torch.get_num_threads, lambda: torch.get_rng_state().tolist(),
    random.getstate, lambda: repr(np.random.get_state()), lambda: (sys.stdout, sys.stderr),
)  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_a_setting_that_is_changed_is_named_and_put_back(name):
    before = [read() for read in READ]
    found = judge(E, CHANGES[name])
    assert found.remarks == (f"Your function changed {name}; the check has put it back.",)
    assert [read() for read in READ] == before
    assert judge(E, double).remarks == ()


def test_random_streams_are_put_back_without_a_word():
    def draws(x):
        return 2 * x + 0 * (torch.rand(1) + random.random() + np.random.rand())

    before = [read() for read in READ]
    assert judge(E, lambda x: draws(x).float()).remarks == ()
    assert [read() for read in READ] == before


def test_a_check_is_the_same_whatever_the_notebook_has_set():
    threads = torch.get_num_threads()
    try:
        torch.set_default_dtype(torch.float64)
        torch.set_num_threads(3)
        assert judge(E, lambda x: x * torch.tensor(2.0)).status == "passed"
        assert attempt(lambda: (torch.ones(1).dtype, torch.get_num_threads()), ()).value == (
            torch.float32,
            1,  # so that sums are rounded alike
        )
        assert (torch.get_default_dtype(), torch.get_num_threads()) == (torch.float64, 3)
        sys.modules.pop("chapters.ch04.exercises.mean_past", None)
        load("04.mean_past")  # with inputs of float32
    finally:
        torch.set_default_dtype(torch.float32)
        torch.set_num_threads(threads)


def patches(x):
    torch.allclose = torch.equal = lambda *a, **k: True
    torch.Tensor.sum = lambda self, *a, **k: 0
    math.isclose = lambda *a, **k: True
    return 3 * x


def test_functions_that_an_answer_replaces_are_put_back_and_named():
    before = torch.allclose, torch.equal, math.isclose
    found = judge(E, patches)
    assert found.status == "wrong" and "expected [2.0], got [3.0]" in found.sentence
    said = found.remarks[0]
    for name in ("torch.allclose", "torch.equal", "math.isclose", "Tensor.sum"):
        assert name in said
    assert said.endswith("had been replaced; the check used the original.")
    assert (torch.allclose, torch.equal, math.isclose) == before
    assert torch.ones(2).sum() == 2 and judge(E, double).remarks == ()


def test_what_pytorch_replaces_itself_is_not_named(monkeypatch):
    from torch._dynamo.mutation_guard import install_generation_tagging_init

    monkeypatch.setattr(torch.nn.Module, "___needs_generation_tag_patch", True, raising=False)
    for name in ("__init__", "__setstate__"):
        monkeypatch.setattr(torch.nn.Module, name, getattr(torch.nn.Module, name))
    before = torch.nn.Module.__init__
    install_generation_tagging_init()  # as when it compiles for the first time
    torch.optim.SGD([torch.nn.Parameter(torch.ones(1))])
    assert torch.nn.Module.__init__ is not before
    assert restore.replaced() == []


def test_what_is_printed_is_kept_short_and_questions_are_not_answered():
    def talks(x):
        for n in range(10**5):
            print(n)
        return input("x? ")

    before = sys.stdout
    outcome = attempt(talks, (1,))
    assert sys.stdout is before and outcome.printed.startswith("0\n1\n2\n")
    assert len(outcome.printed) == attempts.PRINTED
    assert type(outcome.error) is EOFError and "gets no answer" in outcome.words
