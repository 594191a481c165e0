"""Answers leave the sandbox as plain data, packed by msgpack, with safetensors for the tensors in it.

Plain data is packed by its exact type, and any other value only as the name of its type. Reading an
answer never imports, calls or unpickles anything, and a tensor has to bring the bytes of all its numbers.
"""

import builtins
import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import msgpack
import numpy as np
import torch
from safetensors.torch import load, save
from torch import Tensor

from course.learn.attempt import Outcome
from course.learn.values import TENSORS, exactly, odd

LONGEST, DEEP = 8 << 20, 60  # the most bytes of a value, and the most levels of tuples in it
BUILT, KEYS = (
    100_000,
    10_000,
)  # the most values without a msgpack format in it, and keys of a set or dict
WORDS, NAME = 2000, 200  # the most characters of a text, and of a name
TAKEN = (
    *(torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64),
    *(torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64),
)
ERRORS = {"re.error": re.error} | {
    f"builtins.{name}": cls
    for name, cls in vars(builtins).items()
    if isinstance(cls, type) and issubclass(cls, BaseException) and "Group" not in name
}
TEXT = {"unicode_errors": "surrogatepass"}  # a string can contain half a character
TUPLE, SET, INT, TENSOR, CLASS, ERROR, OTHER = range(7)  # values without a msgpack format

Names = list[list[str]]


# ---------------------------------------------------------------- writing, in the sandbox


def packed(value: Any) -> bytes:
    """Pack a value as bytes. If it is too large or too deep, only the names of its type are packed."""
    try:
        data = _pack(value)
    except Exception:  # odd values can raise any kind of error
        data = b""
    return data if 0 < len(data) <= LONGEST else _pack(_foreign(value))


def _pack(value: Any) -> bytes:
    return msgpack.packb(value, default=_extended, strict_types=True, **TEXT)


def _extended(value: Any) -> Any:
    """Pack a value that msgpack has no format for. Raises ValueError if it is a tensor that is too large."""
    if exactly(value, tuple, torch.Size):
        return msgpack.ExtType(TUPLE, _pack([*value]))
    if exactly(value, set):
        return msgpack.ExtType(SET, _pack([*value]))
    if exactly(value, int) and value.bit_length() < 4000:
        return msgpack.ExtType(INT, _pack(str(value)))
    if exactly(value, *TENSORS) and not odd(value) and value.dtype in TAKEN:
        if value.numel() * value.itemsize > LONGEST:
            raise ValueError("too large")
        plain = value.detach().resolve_conj().resolve_neg().contiguous().clone()
        return msgpack.ExtType(TENSOR, _pack(save({"": plain})))
    return float(value) if exactly(value, np.float64) else _foreign(value)


def _foreign(value: Any) -> msgpack.ExtType:
    """Pack only the names of a value's type, or of the value itself if it is a class of exceptions."""
    cls = type(value)
    if issubclass(cls, type) and issubclass(value, BaseException):
        return msgpack.ExtType(CLASS, _pack(names(value)))
    kind = ERROR if issubclass(cls, BaseException) else OTHER
    return msgpack.ExtType(kind, _pack(names(cls)))


def names(cls: type) -> Names:
    """The [module, name] of a class and of its ancestors, even if its metaclass claims other ones."""
    told = (type.__dict__[part].__get__ for part in ("__module__", "__name__", "__mro__"))
    module, name, ancestors = told
    return [[str(module(c))[:NAME], str(name(c))[:NAME]] for c in ancestors(cls)[:20]]


def message(outcome: Outcome) -> bytes:
    """Pack what a function did with one input."""
    told = {part.name: _short(getattr(outcome, part.name)) for part in fields(outcome)}
    told["value"] = packed(outcome.value)
    told["error"] = None if outcome.error is None else names(type(outcome.error))
    return msgpack.packb(told, **TEXT)


def _short(value: Any) -> Any:
    if type(value) is tuple:
        return [item[:NAME] if type(item) is str else item for item in value[:20]]
    return value[:WORDS] if type(value) is str else value


# ---------------------------------------------------------------- reading, outside


def messages(data: bytes) -> Iterator[Any]:
    """Yield the messages that were written, up to the first that is broken or incomplete."""
    unpacker = msgpack.Unpacker(max_buffer_size=len(data), strict_map_key=False, **TEXT)
    unpacker.feed(data)
    try:
        yield from unpacker
    except Exception:  # broken messages can raise any kind of error
        return


def outcome_of(told: Any, n_places: int) -> Outcome | None:
    """The Outcome of a call with `n_places` inputs that a message describes, or None if it describes none."""
    try:
        error = told["error"]
        return Outcome(
            value=value_of(told["value"]) if error is None else None,
            error=None if error is None else _instance(error),
            mutated=tuple(n for n in range(n_places) if n in told["mutated"]),
            own=told["own"] is True,
            **{key: _text(told[key]) for key in ("words", "line", "printed", "used")},
            **{key: tuple(map(_text, told[key])) for key in ("changed", "replaced")},
        )
    except Exception:
        return None


def _text(value: Any) -> str:
    if type(value) is not str:
        raise ValueError("no text")
    return value if len(value) < WORDS else f"{value[: WORDS - 1]}…"


def value_of(data: bytes, levels: int = DEEP, counted: Iterator[int] | None = None) -> Any:
    """Unpack a value, which only has plain types and those in `_BUILT`. Raises an error if it is broken.

    What the sandbox never writes is too large here, too: a learner's code may have written it.
    """
    counted = counted or iter(range(BUILT))

    def built(kind: int, part: bytes) -> Any:
        if not levels or next(counted, None) is None:
            raise ValueError("too deep, or too much")
        return _BUILT[kind](value_of(part, levels - 1, counted))

    if len(data) > LONGEST:
        raise ValueError("too large")
    limits = {"max_map_len": KEYS, "strict_map_key": False}
    return msgpack.unpackb(data, ext_hook=built, **limits, **TEXT)


def _set(values: list) -> set:
    if len(values) > KEYS:
        raise ValueError("too many values")
    return set(values)


def sound(tensor: Tensor) -> Tensor:
    """Return a tensor whose bytes hold exactly one number for each of its entries; otherwise ValueError."""
    if tensor.dtype not in TAKEN or not tensor.is_contiguous() or tensor.dim() > DEEP:
        raise ValueError("no plain tensor")
    if tensor.untyped_storage().nbytes() != tensor.numel() * tensor.itemsize:
        raise ValueError("a tensor of another length than its shape")
    return tensor.view(torch.uint8) != 0 if tensor.dtype is torch.bool else tensor


def known_class(chain: Names) -> type:
    """The known exception with the first of these names, or a new one below its nearest known ancestor."""
    place, known = next(
        (n, ERRORS[key]) for n, key in enumerate(map(".".join, chain)) if key in ERRORS
    )
    return _named(chain[0], (known,)) if place else known


def _instance(chain: Names) -> BaseException:
    cls = known_class(chain)
    return cls.__new__(cls)


def _named(name: list[str], bases: tuple[type, ...] = ()) -> type:
    """Make a class of which only the name and the ancestors are known."""
    module, own = ("".join(c if c.isalnum() or c in "._<>" else "_" for c in t) for t in name)
    return type(own[:NAME] or "_", bases, {"__module__": module[:NAME]})


_BUILT = {
    TUPLE: tuple,
    SET: _set,
    INT: int,
    TENSOR: lambda data: sound(load(data)[""]),
    CLASS: known_class,
    ERROR: _instance,
    OTHER: lambda chain: _named(chain[0])(),
}
