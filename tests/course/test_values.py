"""Values compared and shown: any value, and never a number that looks better than it is."""

import copy

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course.learn.values import kept, same
from course.learn.words import call, extent, kind, show

NAN, INF = float("nan"), float("inf")
LAYERS = [torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)]
ASLEEP = copy.deepcopy(LAYERS[0]).eval()


class Agrees:
    """Says that it is equal to everything, and shows what isn't so."""

    def __eq__(self, other):
        return True

    def __repr__(self):
        return "the right answer"

    __hash__ = None


class AgreesFloat(float):
    __eq__ = Agrees.__eq__
    __hash__ = float.__hash__


class AgreesTensor(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return True


def nested_list(depth: int) -> list:
    value = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (0.5, 0.5 + 1e-6, True),
        (0.5, 0.501, False),
        (0.0, 1e-7, True),
        (NAN, NAN, True),
        (NAN, 0.5, False),
        (INF, INF, True),
        (INF, -INF, False),
        (1e39, INF, False),
        (16777217.0, 16777216.0, True),
        (1e300, 2e300, False),
        (1, 1, True),
        (1, 2, False),
        (1, True, False),
        (1, 1.0, False),
        (torch.tensor([NAN]), torch.tensor([NAN]), True),
        (torch.tensor([1.0]), torch.tensor([1.0]).double(), False),
        (torch.tensor([1.0]), torch.tensor([[1.0]]), False),
        (torch.tensor([1.0]), 1.0, False),
        (torch.tensor([1.0, 0.0]), torch.tensor([1.0, 1e-7]), True),
        (torch.tensor([1.0, 0.0]), torch.tensor([1.0, 1e-5]), False),
        (torch.tensor([9e4, 0.0]), torch.tensor([9e4, 1e-2]), True),
        (torch.nn.Parameter(torch.ones(1)), torch.ones(1), True),
        (torch.tensor([True]), torch.tensor([1]), False),
        ([1, 0.5], [1, 0.5 + 1e-6], True),
        ([1, 2], (1, 2), False),
        ([1, 2], [1], False),
        ([1], 1, False),
        ((1,), 1, False),
        (torch.Size([2, 3]), (2, 3), True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": 2}, False),
        ({"a": 1}, {"b": 1}, False),
        ({"a": 1}, 1, False),
        ({1, 2}, {2, 1}, True),
        ("a", "a", True),
        ("a", "b", False),
        (b"a", "a", False),
        (None, None, True),
        (LAYERS[0], copy.deepcopy(LAYERS[0]), True),
        (LAYERS[0], LAYERS[1], False),
        (LAYERS[0], ASLEEP, False),
        (torch.nn.Identity(), torch.nn.Tanh(), False),
        (LAYERS[0], None, False),
        (Agrees(), 1, False),
        (Agrees(), Agrees(), False),
        ([Agrees()], [1], False),
        ({Ellipsis: 1}, {"a": 1}, False),
        (AgreesFloat(2), 1.0, False),
        (torch.ones(1).as_subclass(AgreesTensor), torch.zeros(1), False),
        (torch.ones(2, 2).to_sparse(), torch.ones(2, 2), False),
        (torch.ones(2, device="meta"), torch.ones(2), False),
        (nested_list(10**5), [[]], False),
        (nested_list(10**5), nested_list(10**5), False),
    ],
)
def test_what_is_alike(one, other, alike):
    assert same(one, other) is alike
    assert same(other, one) is alike


def test_a_number_of_numpy_is_a_float():
    import numpy as np

    assert same(np.float64(0.5), 0.5) and not same(np.float64(0.5), 1)
    assert kind(np.bool_(True)) == "a numpy.bool"


def test_a_kind_has_its_article():
    values = (
        1,
        UnboundLocalError(),
        UnicodeError(),
        UserWarning(),
        torch.ones(1, dtype=torch.uint8),
    )
    assert [kind(value).split()[0] for value in values] == ["an", "an", "a", "a", "a"]


def test_a_copy_that_is_kept_does_not_change_with_the_original():
    value = [torch.ones(1), {"a": [1]}]
    copied = kept(value)
    value[0].zero_()
    value[1]["a"].append(2)
    assert same(copied, [torch.ones(1), {"a": [1]}])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (torch.tensor([[1 / 3, 2.0]]), "[[0.3333, 2.0]]"),
        ([0.1 + 0.2, 1e-9, NAN, -INF], "[0.3, 1e-09, nan, -inf]"),
        (0.999999, "0.999999"),
        (torch.tensor(0.99999994), "0.99999994"),
        ((1,), "(1,)"),
        ({"a": (0.5, True)}, "{'a': (0.5, True)}"),
        (torch.ones(7, 7), "a tensor of shape (7, 7)"),
        (Agrees(), "a tests.Agrees"),
        ([Agrees()], "[a tests.Agrees]"),
        (nested_list(10**5), "[" * 220 + "..."),
        ("x" * 999, "'" + "x" * 219 + "..."),
    ],
)
def test_what_a_value_looks_like(value, text):
    assert show(value) == text


def test_two_values_are_shown_with_digits_enough_to_differ():
    assert show(0.33334, unlike=0.33333) == "0.33334"
    assert show(torch.tensor([1.0, 1e-8]), unlike=torch.tensor([1.0, 0.0])) == "[1.0, 1e-08]"


def test_a_broken_law_still_shows_in_the_digits():
    row = torch.tensor([0.50004, 0.50004])
    assert show(row) == "[0.5, 0.5]"
    off = lambda row: abs(float(row.sum()) - 1) > 5e-5  # noqa: E731
    assert show(row, wrong=off) == "[0.50004, 0.50004]"


@given(st.floats(allow_nan=False))
def test_a_float_is_shown_as_whole_only_if_it_is(number):
    text = show(number)
    assert not text.endswith(".0") or float(text) == number
    if abs(number) < 1e15:
        assert float(text) == pytest.approx(number, rel=1e-3)


def test_a_call_names_long_inputs_by_their_kind():
    assert call("f", (1, "ab", same)) == "f(1, 'ab', same)"
    long = [list(range(60)), list(range(60))]
    assert call("f", (*long, 0.5)) == "f(a list, a list, 0.5)"


def test_the_extent_of_inputs_counts_numbers_and_characters():
    sizes = [
        extent(value) for value in ("", "abc", [1, 2], torch.ones(2, 5), (torch.ones(3), "ab"))
    ]
    assert sizes == [0, 3, 5, 10, 7]


def test_a_tensor_of_many_rows_without_numbers_is_not_written_out():
    """A list of its rows could fill the memory."""
    assert show(torch.empty(1000, 0)) == "a tensor of shape (1000, 0)"
    assert show(torch.empty(2, 0)) == "[[], []]"
