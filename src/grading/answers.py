"""What comes out of the sandbox: plain data, a JSON text and safetensors for each answer.

A value is told by its exact type, or by the name of its type where it is no plain data. What is read
is never imported, called or unpickled; of a tensor every number has to be among the bytes that came.
"""

import builtins
import json
import re
import struct
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, BinaryIO

import numpy as np
import torch
from safetensors.torch import load, save
from torch import Tensor

from course.learn.attempt import Outcome
from course.learn.values import TENSORS, exactly, odd

HEAD = struct.Struct(">II")  # the lengths of the text and of the tensors
MANY, DEEP, LONGEST = 100_000, 60, 8 << 20  # items and levels of a value, bytes of its parts
WORDS, NAME = 2000, 200  # characters of a text, of a name
TAKEN = (
    *(torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64),
    *(torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64),
)
ERRORS = {"re.error": re.error} | {
    f"builtins.{name}": cls
    for name, cls in vars(builtins).items()
    if isinstance(cls, type) and issubclass(cls, BaseException) and "Group" not in name
}
Tree = Any  # what JSON can say


# ---------------------------------------------------------------- writing, in the sandbox


class TooMuch(Exception):
    """A value that nobody would read."""


class Packer:
    """Values as trees; their tensors beside them, and a tree has a tensor's number."""

    def __init__(self) -> None:
        self.tensors: list[Tensor] = []
        self.items, self.room = MANY, LONGEST

    def whole(self, value: Any) -> Tree:
        """The tree of a value; of one that is too large or too deep only its type is told."""
        try:
            return self.tree(value, DEEP)
        except TooMuch:
            self.tensors.clear()
            return foreign(value)

    def tree(self, value: Any, levels: int) -> Tree:
        self.items -= 1
        self.room -= len(value) if exactly(value, str, bytes) else 0
        if self.items < 0 or self.room < 0 or not levels:
            raise TooMuch
        if exactly(value, type(None), bool, float, str):
            return value
        if exactly(value, int) and value.bit_length() < 4000:
            return value
        if exactly(value, bytes):
            return ["bytes", value.hex()]
        if exactly(value, list, tuple, set, torch.Size):
            tag = "tuple" if exactly(value, torch.Size) else type(value).__name__
            return [tag, [self.tree(item, levels - 1) for item in value]]
        if exactly(value, dict):
            pairs = [[self.tree(part, levels - 1) for part in pair] for pair in value.items()]
            return ["dict", pairs]
        if exactly(value, *TENSORS) and not odd(value) and value.dtype in TAKEN:
            return self.tensor(value)
        return float(value) if exactly(value, np.float64) else foreign(value)

    def tensor(self, value: Tensor) -> Tree:
        self.room -= value.numel() * value.itemsize
        if self.room < 0:
            raise TooMuch
        self.tensors.append(value.detach().resolve_conj().resolve_neg().contiguous().clone())
        return ["tensor", len(self.tensors) - 1]


def foreign(value: Any) -> Tree:
    """Only the type of a value, by its name."""
    cls = type(value)
    if issubclass(cls, type) and issubclass(value, BaseException):
        return ["class", names(value)]
    return ["error", names(cls)] if issubclass(cls, BaseException) else ["other", name_of(cls)]


def name_of(cls: type) -> list[str]:
    """The module and the name of a class, whatever it says of itself."""
    parts = (type.__dict__[part].__get__(cls) for part in ("__module__", "__name__"))
    return [str(part)[:NAME] for part in parts]


def names(cls: type) -> list[list[str]]:
    """The names of an exception's class and of those that it is made of."""
    return [name_of(part) for part in type.__dict__["__mro__"].__get__(cls)][:20]


def frame(message: dict[str, Any], tensors: list[Tensor]) -> bytes:
    """A message and its tensors, with their lengths before them."""
    text = json.dumps(message).encode()
    data = save({str(n): tensor for n, tensor in enumerate(tensors)}) if tensors else b""
    return HEAD.pack(len(text), len(data)) + text + data


def packed(outcome: Outcome) -> bytes:
    """What a function did with an input, as bytes."""
    packer, error = Packer(), outcome.error
    told = {part.name: _short(getattr(outcome, part.name)) for part in fields(outcome)}
    told["value"] = packer.whole(outcome.value)
    told["error"] = None if error is None else names(type(error))
    return frame(told, packer.tensors)


def _short(value: Any) -> Any:
    if type(value) is tuple:
        return [item[:NAME] if type(item) is str else item for item in value[:20]]
    return value[:WORDS] if type(value) is str else value


# ---------------------------------------------------------------- reading, outside


def frames(file: BinaryIO) -> Iterator[tuple[dict, dict[str, Tensor]]]:
    """The messages in a file, as far as they are whole."""
    while len(head := file.read(HEAD.size)) == HEAD.size:
        n_text, n_data = HEAD.unpack(head)
        if n_text > 4 * LONGEST or n_data > 2 * LONGEST:
            return
        text, data = file.read(n_text), file.read(n_data)
        if len(text) < n_text or len(data) < n_data:
            return
        try:
            yield json.loads(text), {k: sound(t) for k, t in load(data).items()} if data else {}
        except Exception:  # as many kinds as there are ways to write what is none
            return


def sound(tensor: Tensor) -> Tensor:
    """A tensor that has a number of its own in the bytes that came for each of its places."""
    if tensor.dtype not in TAKEN or not tensor.is_contiguous():
        raise ValueError("no plain tensor")
    if tensor.untyped_storage().nbytes() != tensor.numel() * tensor.itemsize:
        raise ValueError("a tensor of another length than its shape")
    return tensor.view(torch.uint8) != 0 if tensor.dtype is torch.bool else tensor


def unpacked(message: dict, tensors: dict[str, Tensor], n_places: int) -> Outcome | None:
    """What a function did with its arguments, so many; None if the message says no such thing."""
    try:
        error = message["error"]
        return Outcome(
            value=value_of(message["value"], tensors) if error is None else None,
            error=None if error is None else _instance(error),
            mutated=tuple(n for n in range(n_places) if n in message["mutated"]),
            own=message["own"] is True,
            **{key: _text(message[key]) for key in ("words", "line", "printed", "used")},
            **{key: tuple(map(_text, message[key])) for key in ("changed", "replaced")},
        )
    except Exception:
        return None


def _text(value: Any) -> str:
    if type(value) is not str:
        raise ValueError("no text")
    return value if len(value) < WORDS else f"{value[: WORDS - 1]}…"


def value_of(tree: Tree, tensors: dict[str, Tensor], levels: int = DEEP) -> Any:
    """The value of a tree, built of exact types out of a short list. Raises whatever is wrong."""
    if tree is None or exactly(tree, bool, int, float, str):
        return tree
    if not levels:
        raise ValueError("too deep")
    tag, part = tree
    if tag in _BOXES:
        return _BOXES[tag](value_of(item, tensors, levels - 1) for item in part)
    if tag == "dict":
        return {value_of(k, tensors, 2): value_of(v, tensors, levels - 1) for k, v in part}
    return tensors[str(part)] if tag == "tensor" else _SINGLE[tag](part)


_BOXES = {"list": list, "tuple": tuple, "set": set}
_SINGLE = {
    "bytes": bytes.fromhex,
    "class": lambda chain: known_class(chain),
    "error": lambda chain: _instance(chain),
    "other": lambda name: _named(name, ())(),
}


def known_class(chain: list[list[str]]) -> type:
    """A class of the first of these names, which is what its nearest known ancestor is."""
    place, known = next(
        (n, ERRORS[key]) for n, key in enumerate(map(".".join, chain)) if key in ERRORS
    )
    return _named(chain[0], (known,)) if place else known


def _instance(chain: list[list[str]]) -> BaseException:
    cls = known_class(chain)
    return cls.__new__(cls)


def _named(name: list[str], bases: tuple[type, ...]) -> type:
    """A class of which nothing but its name and its ancestors is known."""
    module, own = ("".join(c if c.isalnum() or c in "._<>" else "_" for c in t) for t in name)
    return type(own[:NAME] or "_", bases, {"__module__": module[:NAME]})
