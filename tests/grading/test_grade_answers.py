"""What comes out of a sandbox: exact values come back as they were, and all else is refused."""

import json
import math

import msgpack
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from course.learn.attempt import Outcome
from course.learn.exercises import load
from course.learn.values import same
from course.learn.words import kind
from grading import answers
from grading.answers import known_class, message, messages, outcome_of, sound
from grading.collect import DONE, Part


def there_and_back(value):
    [told] = messages(message(Outcome(value)))
    return outcome_of(told, 1).value


PLAIN = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.binary(),
    st.text(st.characters()),
)  # fmt: skip


@given(st.recursive(PLAIN, lambda inner: st.one_of(
    st.lists(inner), st.lists(inner).map(tuple), st.dictionaries(st.text(), inner),
)))  # fmt: skip
def test_plain_values_come_back_with_their_types(value):
    assert repr(there_and_back(value)) == repr(value)


@pytest.mark.parametrize("dtype", answers.TAKEN)
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3, 5)])
def test_tensors_come_back_to_the_last_bit(dtype, shape):
    value = (torch.randn(shape) * 3).to(dtype)
    assert same(there_and_back(value), value, rtol=0.0)
    if value.ndim > 1:
        assert same(there_and_back([value.mT])[0], value.mT, rtol=0.0)


def test_special_numbers_and_types():
    found = there_and_back(torch.tensor([math.nan, math.inf, -0.0]))
    assert found.isnan()[0] and found[1] == math.inf and math.copysign(1, found[2]) == -1
    for value in (torch.Size([2, 3]), {1, 2}, [{1: 2**70}], nn.Parameter(torch.ones(2))):
        assert same(there_and_back(value), value)
    assert same(there_and_back(np.float64(0.1)), np.float64(0.1))


def test_a_text_that_is_cut_shows_it():
    [told] = messages(message(Outcome(words="x" * 3000)))
    assert outcome_of(told, 1).words == "x" * 1999 + "\u2026"


class Everything(int):
    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


class Mine(torch.Tensor):
    pass


LOOP = []
LOOP.append(LOOP)


@pytest.mark.parametrize(
    "value",
    [Everything(3), torch.ones(2).as_subclass(Mine), object(), lambda: 1, np.ones(2), ValueError("x"),
     (n for n in []), nn.Linear(1, 1), np.float32(1), [0] * 10**7, LOOP],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_anything_else_comes_as_its_kind_alone(value):
    found = there_and_back(value)
    assert kind(found) == kind(value)
    known = isinstance(value, ValueError | torch.Tensor) or kind(value) == "a generator"
    assert known or type(found) is not type(value)
    assert not same(found, value) and (isinstance(found, torch.Tensor) or found != 3)
    assert not isinstance(there_and_back(torch.ones(10**7)), torch.Tensor)


def test_an_exceptions_class_keeps_its_name_and_its_ancestors():
    made = known_class([["__main__", "Mine"], ["builtins", "ValueError"], ["builtins", "object"]])
    assert issubclass(made, ValueError) and made.__name__ == "Mine"
    assert type(there_and_back(there_and_back(KeyError("x")))) is KeyError


HONEST = msgpack.unpackb(message(Outcome(True, mutated=(0,))))


def said(value, **more):
    """A message that nobody honest sends."""
    return msgpack.packb(HONEST | {"value": value} | more)


def ext(kind, part):
    return msgpack.packb(msgpack.ExtType(kind, msgpack.packb(part)))


def tensor(shape, last=16, dtype="F32"):
    """A tensor of 16 bytes, whose header says something else."""
    header = {"": {"dtype": dtype, "shape": shape, "data_offsets": [0, last]}}
    text = json.dumps(header).encode()
    return ext(answers.TENSOR, len(text).to_bytes(8, "little") + text + bytes(16))


def deep(levels):
    made = msgpack.packb(None)
    for _ in range(levels):
        made = msgpack.packb(msgpack.ExtType(answers.TUPLE, b"\x91" + made))
    return made


OTHER = msgpack.packb([["a", "b"]])
BAD = {
    "no value": said(None), "no bytes": said(3), "an empty value": said(b""),
    "a rest": said(b"\x01\x01"), "half of one": said(b"\x92\x01"), "an unknown kind": said(ext(99, "1")),
    "no safetensors": said(ext(answers.TENSOR, b"gASVCg==")), "no bytes of a tensor": said(tensor([1000, 1000], 0)),
    "too short": said(tensor([5])), "too long": said(tensor([3])), "below 0": said(tensor([-2, -2])),
    "overflow": said(tensor([1 << 33, 1 << 31])), "bytes left": said(tensor([2], 8)),
    "no plain numbers": said(tensor([16], 16, "F8_E4M3")), "no list": said(ext(answers.TUPLE, 3)),
    "no exception": said(ext(answers.ERROR, [["os", "system"]])), "no set": said(ext(answers.SET, [[]])),
    "an endless number": said(ext(answers.INT, "9" * 9000)), "a key that is none": said(b"\x81\x90\x01"),
    "too deep": said(deep(100)), "deep without end": said(b"\x91" * 10**6),
    "no exception raised": said(b"\x01", error=[["os", "system"]]), "no text": said(b"\x01", words=3),
    "no names": said(b"\x01", changed=[1]), "no message": b"\x01", "nothing": b"",
    "too many keys": said(msgpack.packb(dict.fromkeys(range(10_001)))),
    "too large a set": said(ext(answers.SET, [*range(10_001)])),
    "too many values": said(msgpack.packb([msgpack.ExtType(answers.OTHER, OTHER)] * 100_001)),
    "too large": said(msgpack.packb(bytes(9 << 20))),
    "too many axes": said(tensor([1] * 70)),
    "4 GiB": b"\xdd\xff\xff\xff\xff" + bytes(99), "less than it says": b"\x82\xa5value", "noise": b"\xc1" * 99,
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_outcome_is_refused(name):
    assert {outcome_of(told, 1) for told in messages(BAD[name])} <= {None}


def test_no_more_messages_are_read_than_an_honest_process_writes():
    part, one = Part(load("05.dot"), 0, [([], []), ([], [])]), message(Outcome(1.0))
    part.take(DONE, msgpack.packb({"why": ""}) + one * 2 + b"\xc1")  # which no message begins with
    assert part.told == {"why": ""} and [o.value for o in part.outcomes] == [1.0, 1.0]
    read = iter([{"why": ""}, *messages(one * 4)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("grading.collect.messages", lambda written: read)
        part.take(DONE, b"")
    assert len([*read]) == 2


def test_a_message_between_others_says_only_what_can_be():
    one, odd = message(Outcome(torch.ones(2))), said(tensor([2, 2]), mutated=[0, 1, 99, -1])
    three = [outcome_of(told, 1) for told in messages(one + odd + one + b"\x92rest")][:3]
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
