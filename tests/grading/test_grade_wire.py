"""What crosses the boundary: exact values come back as they were, and all else is refused."""

import json
import math
import socket
import struct

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from course.learn.values import same
from course.learn.words import kind
from grading.line import HEAD, Line, WireError
from grading.wire import Reader, Writer, error_of


def there_and_back(value):
    writer = Writer()
    tree = writer.whole(value)
    return Reader(b"".join(writer.parts)).read(json.loads(json.dumps(tree)))


PLAIN = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.complex_numbers(), st.binary(),
    st.text(st.characters()),
)  # fmt: skip


@given(st.recursive(PLAIN, lambda inner: st.one_of(
    st.lists(inner), st.lists(inner).map(tuple), st.dictionaries(st.text(), inner),
)))  # fmt: skip
def test_plain_values_come_back_with_their_types(value):
    assert repr(there_and_back(value)) == repr(value)


DTYPES = (
    "bool",
    "uint8",
    "int16",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3, 5)])
def test_tensors_come_back_to_the_last_bit(dtype, shape):
    value = (torch.randn(shape) * 3).to(getattr(torch, dtype))
    assert same(there_and_back(value), value, rtol=0.0)
    if value.ndim > 1:
        assert same(there_and_back([value.mT])[0], value.mT, rtol=0.0)


def test_special_numbers_and_types():
    found = there_and_back(torch.tensor([math.nan, math.inf, -0.0]))
    assert found.isnan()[0] and found[1] == math.inf and math.copysign(1, found[2]) == -1
    assert there_and_back((True, 1, 1.0)) == (True, 1, 1.0)
    for value in (
        torch.Size([2, 3]),
        np.float64(0.1),
        torch.float32,
        {1, 2},
        nn.Parameter(torch.ones(2)),
    ):
        assert type(there_and_back(value)) is type(value) and same(there_and_back(value), value)


class Everything(int):
    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


class Mine(torch.Tensor):
    pass


@pytest.mark.parametrize(
    "value",
    [Everything(3), torch.ones(2).as_subclass(Mine), object(), lambda: 1, np.ones(2), ValueError("x"),
     (n for n in []), torch.ones(2).to_sparse(), nn.Linear(1, 1), np.float32(1), [0] * 10**6],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_anything_else_comes_as_its_kind_alone(value):
    found = there_and_back(value)
    assert kind(found) == kind(value)
    assert (
        type(found) is not type(value)
        or isinstance(value, ValueError | torch.Tensor)
        or (kind(value) == "a generator")
    )
    assert isinstance(found, torch.Tensor) or found != 3


def test_an_exceptions_class_keeps_its_name_and_its_ancestors():
    made = error_of([["__main__", "Mine"], ["builtins", "ValueError"], ["builtins", "object"]])
    assert isinstance(made, ValueError) and type(made).__name__ == "Mine"
    assert type(there_and_back(there_and_back(KeyError("x")))) is KeyError


BAD = {
    "no tag": {"a": 1}, "an empty tag": [], "an unknown tag": ["eval", "1"], "code": ["int", "a()"],
    "pickle": ["pickle", "gASVCg=="], "strides": ["tensor", "torch.float32", [2], [9], 4, False, False],
    "too short": ["tensor", "torch.float32", [3], None, 4, False, False],
    "too long": ["tensor", "torch.float32", [1], None, 8, False, False],
    "not sent": ["tensor", "torch.float32", [2**20], None, 0, False, False],
    "huge": ["tensor", "torch.float32", [2**39, 2**39], None, 4, False, False],
    "below 0": ["tensor", "torch.float32", [-1], None, 4, False, False],
    "no numbers": ["tensor", "torch.qint8", [4], None, 4, False, False],
    "no text": ["str", 3], "no list": ["list", 3], "no exception": ["error", [["os", "system"]]],
    "a key that is none": ["dict", [[["list", []], None]]], "no pair": ["dict", [[1]]],
    "deep": None,
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_value_is_refused(name):
    tree = BAD[name]
    if name == "deep":
        for _ in range(500):
            tree = ["list", [tree]]
    with pytest.raises(WireError):
        Reader(b"1234").read(tree)


@pytest.mark.parametrize(
    "sent",
    [HEAD.pack(2**31, 0), HEAD.pack(2, 2**60), HEAD.pack(3, 0) + b"[1]", HEAD.pack(2, 0) + b"{]",
     HEAD.pack(40_000, 0) + b"[" * 40_000],
)  # fmt: skip
def test_a_message_that_is_none_is_refused(sent):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(sent)
        with pytest.raises(WireError):
            Line(ours).receive(5)


def test_a_message_that_doesnt_come_or_ends_is_told_apart():
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            theirs.sendall(struct.pack(">I", 9))
            with pytest.raises(TimeoutError):
                Line(ours).receive(0.05)
        with pytest.raises(EOFError):
            Line(ours).receive(5)
