"""A learner's function runs within limits, and whatever it changes is put back and named."""

import math
import os
import random
import sys
import weakref

import numpy as np
import pytest
import torch

from course.learn import attempt as attempts
from course.learn import restore
from course.learn.attempt import attempt
from course.learn.record import Exercise
from course.learn.restore import originals, remember
from course.learn.verdict import judge


def double(x):
    return 2 * x


E = Exercise(
    "chapters.ch99.exercises.double", [(torch.tensor([1.0]),), (torch.tensor([2.0, 3.0]),)]
)
E.answer(double)
for hint in "abc":
    E.hint(hint)


@pytest.mark.parametrize(
    "error", [SystemExit(1), RecursionError("deep"), GeneratorExit(), MemoryError()]
)
def test_nothing_that_is_raised_comes_through(error):
    def broken(x):
        raise error

    assert f"raised {type(error).__name__}" in judge(E, broken).sentence


def test_stop_pressed_by_the_learner_comes_through_and_in_a_process_apart_nobody_presses_it():
    def stopped(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attempt(stopped, (1,))
    assert type(attempt(stopped, (1,), apart=True).error) is KeyboardInterrupt


class Wordless(Exception):
    def __str__(self):
        raise RuntimeError("no words")


def test_an_exception_need_not_have_words():
    def broken(x):
        raise Wordless

    assert "raised tests.Wordless" in judge(E, broken).sentence


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


def chdir(x):
    os.chdir("/")


CHANGES = {
    "the seed of torch": lambda x: torch.manual_seed(1337) and None,
    "the default dtype of torch": lambda x: torch.set_default_dtype(torch.float64),
    "the default device of torch": lambda x: torch.set_default_device("meta"),
    "the gradient mode of torch": lambda x: torch.set_grad_enabled(False) and None,
    "the number of torch's threads": lambda x: torch.set_num_threads(3),
    "the recursion limit": lambda x: sys.setrecursionlimit(sys.getrecursionlimit() + 500),
    "the working directory": chdir,
}
READ = (
    torch.initial_seed, torch.get_default_dtype, torch.get_default_device, torch.is_grad_enabled,
    torch.get_num_threads, sys.getrecursionlimit, os.getcwd, lambda: torch.get_rng_state().tolist(),
    random.getstate, lambda: repr(np.random.get_state()), lambda: (sys.stdout, sys.stderr),
)  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_a_setting_that_is_changed_is_named_and_put_back(name):
    before = [read() for read in READ]
    found = judge(E, CHANGES[name])
    assert found.besides == (f"Your function changed {name}; the check has put it back.",)
    assert [read() for read in READ] == before
    assert judge(E, double).besides == ()


def test_random_streams_are_put_back_without_a_word():
    def draws(x):
        return 2 * x + 0 * (torch.rand(1) + random.random() + np.random.rand())

    before = [read() for read in READ]
    assert judge(E, lambda x: draws(x).float()).besides == ()
    assert [read() for read in READ] == before


def test_a_check_is_the_same_whatever_the_notebook_has_set():
    before = torch.get_default_dtype()
    try:
        torch.set_default_dtype(torch.float64)
        assert judge(E, lambda x: x * torch.tensor(2.0)).status == "passed"
        assert attempt(lambda: torch.ones(1).dtype, ()).value == torch.float32
        assert torch.get_default_dtype() == torch.float64
    finally:
        torch.set_default_dtype(before)


def test_sums_are_rounded_alike_however_many_threads_the_notebook_has():
    threads = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        assert attempt(torch.get_num_threads, ()).value == 1
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(threads)


def patches(x):
    torch.allclose = torch.equal = lambda *a, **k: True
    torch.Tensor.sum = lambda self, *a, **k: 0
    math.isclose = lambda *a, **k: True
    return 3 * x


def test_functions_that_an_answer_replaces_are_put_back_and_named():
    before = torch.allclose, torch.equal, math.isclose
    remember()
    found = judge(E, patches)
    assert found.status == "wrong" and "expected [2.0], got [3.0]" in found.sentence
    said = found.besides[0]
    for name in ("torch.allclose", "torch.equal", "math.isclose", "Tensor.sum"):
        assert name in said
    assert said.endswith("had been replaced; the check used the original.")
    assert (torch.allclose, torch.equal, math.isclose) == before
    assert torch.ones(2).sum() == 2 and judge(E, double).besides == ()


def test_what_pytorch_wraps_itself_was_not_replaced(monkeypatch):
    def steps(x):  # as PyTorch does with manual_seed when the first optimizer is made
        torch.sigmoid = torch._disable_dynamo(sigmoid)
        return 2 * x

    remember()
    sigmoid = torch.sigmoid
    monkeypatch.setattr(torch, "sigmoid", sigmoid)
    assert judge(E, steps).besides == ()


def test_what_pytorch_tags_when_it_compiles_was_not_replaced(monkeypatch):
    from torch._dynamo.mutation_guard import install_generation_tagging_init

    Module = torch.nn.Module
    monkeypatch.setattr(restore, "_ORIGINALS", {})  # PyTorch may have compiled before this test
    remember()
    for name in ("__init__", "__setstate__"):
        monkeypatch.setattr(Module, name, getattr(Module, name))
    monkeypatch.setattr(Module, "___needs_generation_tag_patch", True, raising=False)
    before = Module.__init__
    install_generation_tagging_init()
    assert Module.__init__ is not before
    with originals() as replaced:
        assert replaced == []


def test_functions_that_a_notebook_has_replaced_are_the_notebooks_again_afterwards(monkeypatch):
    remember()
    always = lambda *a, **k: True  # noqa: E731
    monkeypatch.setattr(torch, "allclose", always)
    found = judge(E, lambda x: 3 * x)
    assert found.status == "wrong" and found.besides[0].startswith("torch.allclose had been repl")
    assert torch.allclose is always
    with originals() as names:
        assert torch.allclose is not always and names == ["torch.allclose"]


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
