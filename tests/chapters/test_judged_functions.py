"""The functions that a learner's test has to judge are what their names say."""

from importlib import import_module

import pytest

from attention.properties import no_future_leak
from tests.conftest import answer

FOUND = {  # the exercise, its functions by name, an input, and those that are clean, blind or healthy
    "08.no_future_leak": (
        "RULES", "X", True,
        {"causal", "masked_after_and_shared_out_again", "itself_only", "itself_but_the_last_one"},
    ),
    "09.mixes_batch": (
        "HEADS", "FOUR", False,
        {"healthy", "forgets_the_mask", "healthy_but_for_rounding", "healthy_to_the_last_bits"},
    ),
    "11.knows_order": (
        "RULES", "X", False,
        {"causal", "no_mask", "two_layers_without_a_mask", "mean_of_the_past", "itself_only"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("id", FOUND)
def test_each_function_is_what_it_is_called(id):
    functions, x, verdict, names = FOUND[id]
    record = import_module(f"chapters.ch{id[:2]}.exercises.{id[3:]}")
    made = getattr(
        record, "attention", vars(record)["HEADS"].get if "HEADS" in vars(record) else 0
    )
    judged = {
        name: answer(id)(made(name), getattr(record, x)) for name in getattr(record, functions)
    }
    assert {name for name, found in judged.items() if found is verdict} == names


def test_the_package_finds_the_same_leaks():
    record = import_module("chapters.ch08.exercises.no_future_leak")
    for name in record.RULES:
        forward = record.attention(name)
        assert no_future_leak(forward, record.X) == answer("08.no_future_leak")(forward, record.X)
