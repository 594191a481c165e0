"""What comes out of a sandbox: exact values come back as they were, and all else is refused."""

import io
import json
import math
import struct

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from course.learn.attempt import Outcome
from course.learn.values import same
from course.learn.words import kind
from grading.answers import HEAD, frames, known_class, packed, sound, unpacked


def there_and_back(value):
    [(message, tensors)] = frames(io.BytesIO(packed(Outcome(value))))
    return unpacked(message, tensors, 1).value


PLAIN = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.binary(),
    st.text(st.characters()),
)  # fmt: skip


@given(st.recursive(PLAIN, lambda inner: st.one_of(
    st.lists(inner), st.lists(inner).map(tuple), st.dictionaries(st.text(), inner),
)))  # fmt: skip
def test_plain_values_come_back_with_their_types(value):
    assert repr(there_and_back(value)) == repr(value)


DTYPES = [
    "bool",
    "uint8",
    "int16",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
]


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
    for value in (torch.Size([2, 3]), {1, 2}, nn.Parameter(torch.ones(2))):
        assert same(there_and_back(value), value)
    assert same(there_and_back(np.float64(0.1)), np.float64(0.1))


class Everything(int):
    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


class Mine(torch.Tensor):
    pass


@pytest.mark.parametrize(
    "value",
    [Everything(3), torch.ones(2).as_subclass(Mine), object(), lambda: 1, np.ones(2), ValueError("x"),
     (n for n in []), nn.Linear(1, 1), np.float32(1), [0] * 10**6],
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
    made = known_class([["__main__", "Mine"], ["builtins", "ValueError"], ["builtins", "object"]])
    assert issubclass(made, ValueError) and made.__name__ == "Mine"
    assert type(there_and_back(there_and_back(KeyError("x")))) is KeyError


HONEST = json.loads(packed(Outcome(True, mutated=(0,)))[HEAD.size :])


def said(value, tensors="", **more):
    """A message that nobody honest sends; tensors are the header of its safetensors."""
    header = json.dumps(tensors).encode() if tensors else b""
    data = struct.pack("<Q", len(header)) + header + bytes(16) if tensors else b""
    text = json.dumps(HONEST | {"value": value} | more).encode()
    return HEAD.pack(len(text), len(data)) + text + data


def tensor(shape, last=16, dtype="F32"):
    return {"0": {"dtype": dtype, "shape": shape, "data_offsets": [0, last]}}


DEEP = None
for _ in range(400):
    DEEP = ["list", [DEEP]]
FIRST = ["tensor", 0]
BAD = {
    "no tag": said({"a": 1}), "an empty tag": said([]), "an unknown tag": said(["eval", "1"]),
    "pickle": said(["pickle", "gASVCg=="]), "a dtype that is none": said(["dtype", "__class__"]),
    "no tensor came": said(FIRST), "no bytes": said(FIRST, tensor([1000, 1000], 0)),
    "too short": said(FIRST, tensor([5])), "too long": said(FIRST, tensor([3])),
    "below 0": said(FIRST, tensor([-2, -2])), "overflow": said(FIRST, tensor([1 << 33, 1 << 31])),
    "a rest": said(FIRST, tensor([2], 8)), "no plain numbers": said(FIRST, tensor([16], 16, "F8_E4M3")),
    "no list": said(["list", 3]), "no exception": said(["error", [["os", "system"]]]),
    "a key that is none": said(["dict", [[["list", []], None]]]), "no pair": said(["dict", [[1]]]),
    "sizes without end": said(["odd", "meta", [1 << 62, 1 << 62]]), "deep": said(DEEP),
    "no exception raised": said(None, error=[["os", "system"]]), "no text": said(1, words=3),
    "no names": said(1, changed=[1]), "no JSON": HEAD.pack(2, 0) + b"{]", "no message": HEAD.pack(3, 0) + b"[1]",
    "nested": HEAD.pack(40_000, 0) + b"[" * 40_000, "4 GiB": HEAD.pack(2**32 - 1, 2**32 - 1),
    "less than it says": HEAD.pack(9, 9) + b"{}", "an endless number": HEAD.pack(9_000, 0) + b"9" * 9_000,
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_outcome_is_refused(name):
    messages = [unpacked(*message, 1) for message in frames(io.BytesIO(BAD[name]))]
    assert messages in ([], [None])


def test_a_message_between_others_says_only_what_can_be():
    one = packed(Outcome(torch.ones(2)))
    odd = said(FIRST, tensor([2, 2]), mutated=[0, 1, 99, -1])
    three = [unpacked(*m, 1) for m in frames(io.BytesIO(one + odd + one + b"rest"))]
    assert [o.mutated for o in three] == [(), (0,), ()] and same(three[2].value, torch.ones(2))


@pytest.mark.parametrize(
    "tensor",
    [torch.ones(4)[:2], torch.ones(1).expand(9), torch.ones(2, dtype=torch.float8_e5m2)],
)
def test_a_tensor_that_has_more_or_fewer_numbers_than_came_is_refused(tensor):
    with pytest.raises(ValueError):
        sound(tensor)


def test_a_byte_that_is_no_truth_is_made_one():
    odd = torch.tensor([2, 0], dtype=torch.uint8).view(torch.bool)
    assert sound(odd).view(torch.uint8).tolist() == [1, 0]
