"""Raw values on the line to a sandbox: numbers, strings, lists, tensors; no code, never pickle.

What is read is built of exact types out of a short list, or refused with a WireError: nothing that
comes is imported, called or unpickled. A value of any other type comes as the name of its type.
"""

import math
from collections.abc import Callable
from types import CoroutineType, GeneratorType
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from course.learn.values import TENSORS, exactly, odd
from grading.line import MOST_BYTES, WireError

MANY, DEEP, NAME = 100_000, 60, 200  # items, levels, characters of a name
DTYPES = {str(t): t for t in vars(torch).values() if type(t) is torch.dtype}
ARRAYS = {
    f"torch.{name}": getattr(torch, name)
    for name in (
        *("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"),
        *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
    )
}
Tree = Any  # what JSON can say


# ---------------------------------------------------------------- writing


class TooMuch(Exception):
    """A value that nobody would read."""


class Writer:
    """Values as trees, the bytes of their tensors beside them; `other` says what no tag does."""

    def __init__(self, other: Callable[[Any, "Writer"], Tree] | None = None):
        self.parts: list[bytes] = []
        self.other = other or (lambda value, writer: foreign(value))
        self.left, self.level = MANY, 0

    def whole(self, value: Any) -> Tree:
        """The tree of a value; of one that is too large or too deep only its type is told."""
        n_parts = len(self.parts)
        try:
            return self.tree(value)
        except TooMuch:
            self.level = 0
            del self.parts[n_parts:]
            return foreign(value)

    def tree(self, value: Any) -> Tree:
        """The tree of a value or of a part of one. Raises TooMuch."""
        self.left -= 1
        if self.left < 0 or self.level > DEEP:
            raise TooMuch
        self.level += 1
        tree = self._tree(value)
        self.level -= 1
        return tree

    def _tree(self, value: Any) -> Tree:
        if value is None or exactly(value, bool):
            return value
        if exactly(value, int):
            return ["int", hex(value)] if value.bit_length() < 8 * NAME else foreign(value)
        if exactly(value, float):
            return ["float", value.hex()]
        if exactly(value, np.float64):
            return ["float64", float(value).hex()]
        if exactly(value, complex):
            return ["complex", value.real.hex(), value.imag.hex()]
        if exactly(value, str):
            self.left -= len(value) // 50
            return ["str", value]
        if exactly(value, bytes):
            self.left -= len(value) // 50
            return ["bytes", value.hex()]
        if exactly(value, torch.Size):
            return ["Size", [hex(n) for n in value]]
        if exactly(value, torch.dtype):
            return ["dtype", str(value)]
        if exactly(value, list, tuple, set):
            return [type(value).__name__, [self.tree(item) for item in value]]
        if exactly(value, dict):
            return ["dict", [[self.tree(key), self.tree(item)] for key, item in value.items()]]
        if exactly(value, *TENSORS) and not odd(value) and str(value.dtype) in ARRAYS:
            return self._tensor(value)
        return self.other(value, self)

    def _tensor(self, value: Tensor) -> Tree:
        flat, strides = value.detach(), None
        if flat.is_conj() or flat.is_neg():
            flat = flat.resolve_conj().resolve_neg()
        if flat.numel() and not flat.is_contiguous() and self.strided:
            strides = flat.stride()
            span = 1 + sum((n - 1) * s for n, s in zip(flat.shape, strides, strict=True))
            flat = flat.as_strided((span,), (1,))
        flat = flat.contiguous().view(-1)
        if sum(map(len, self.parts)) + flat.nbytes > MOST_BYTES:
            raise TooMuch
        self.parts.append(flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b"")
        marks = [type(value) is nn.Parameter, value.requires_grad]
        shape = [*value.shape]
        return ["tensor", str(value.dtype), shape, strides, len(self.parts[-1]), *marks]

    strided = False  # True: the reader gets the tensors' own strides, too


def foreign(value: Any) -> Tree:
    """Only the type of a value, by its name."""
    cls = type(value)
    if cls is GeneratorType or cls is CoroutineType:
        return ["paused", cls is CoroutineType]
    if issubclass(cls, type) and issubclass(value, BaseException):
        return ["class", names(value)]
    if issubclass(cls, BaseException):
        return ["error", names(cls)]
    if issubclass(cls, Tensor):
        plain = exactly(value, *TENSORS) and not value.is_nested
        if plain and odd(value) in ("sparse", "meta device's"):
            return ["odd", odd(value), [*value.shape]]
    return ["other", *name_of(cls)]


def name_of(cls: type) -> list[str]:
    """The module and the name of a class, whatever it says of itself."""
    parts = (type.__dict__[part].__get__(cls) for part in ("__module__", "__name__"))
    return [str(part)[:NAME] for part in parts]


def names(cls: type) -> list[list[str]]:
    """The names of an exception's class and of those that it is made of."""
    return [name_of(part) for part in type.__dict__["__mro__"].__get__(cls)][:20]


# ---------------------------------------------------------------- reading


class Reader:
    """Values out of trees and their bytes; every type is exact, every length is looked at first."""

    def __init__(self, data: bytes, other: Callable[[str, list, "Reader"], Any] | None = None):
        self.data, self.place, self.other = data, 0, other
        self.left, self.level = 10 * MANY, 0

    def read(self, tree: Tree) -> Any:
        """The value of a tree, or a WireError, whatever is wrong with it."""
        try:
            return self.value(tree)
        except WireError:
            raise
        except Exception as error:
            raise WireError(f"{type(error).__name__}: {error}") from None

    def value(self, tree: Tree) -> Any:
        self.left -= 1
        self.level += 1
        if self.left < 0 or self.level > 2 * DEEP:
            raise WireError("too much, or too deep")
        try:
            return self._value(tree)
        finally:
            self.level -= 1

    def _value(self, tree: Tree) -> Any:
        if tree is None or type(tree) is bool:
            return tree
        if type(tree) is not list or not tree or type(tree[0]) is not str:
            raise WireError("a value without a tag")
        tag, *parts = tree
        if tag in _PLAIN and len(parts) == 1 and type(parts[0]) is str:
            return _PLAIN[tag](parts[0])
        if tag == "complex":
            return complex(*map(float.fromhex, parts))
        if tag == "Size":
            return torch.Size(int(n, 16) for n in parts[0])
        if tag in _BOXES:
            return _BOXES[tag](self.value(item) for item in parts[0])
        if tag == "dict":
            return {self.value(key): self.value(item) for key, item in parts[0]}
        if tag == "tensor":
            return self._tensor(*parts)
        return self.other(tag, parts, self) if self.other else _foreign(tag, parts)

    def _tensor(self, dtype, shape, strides, n_bytes, is_parameter, learns) -> Tensor:
        if not all(type(n) is int and 0 <= n < 2**40 for n in shape) or len(shape) > 32:
            raise WireError("no shape")
        kind = ARRAYS[dtype]
        if strides is not None and not self.other:
            raise WireError("strides")
        if type(n_bytes) is not int or not 0 <= n_bytes <= len(self.data) - self.place:
            raise WireError("the bytes of a tensor are missing")
        if strides is None and n_bytes != math.prod(shape) * kind.itemsize:
            raise WireError("a tensor of another length than its shape")
        part = bytearray(self.data[self.place : self.place + n_bytes])
        self.place += n_bytes
        if not part:
            made = torch.empty(shape, dtype=kind)
        elif kind is torch.bool:
            made = torch.frombuffer(part, dtype=torch.uint8) != 0
        else:
            made = torch.frombuffer(part, dtype=kind).clone()
        if part:
            made = made.view(shape) if strides is None else made.as_strided(shape, strides)
        if is_parameter is True:
            return nn.Parameter(made, requires_grad=learns is True)
        return made.requires_grad_(learns is True)


def _dtype(name: str) -> torch.dtype:
    return DTYPES[name]


_PLAIN = {
    "int": lambda text: int(text, 16),
    "float": float.fromhex,
    "float64": lambda text: np.float64(float.fromhex(text)),
    "str": str,
    "bytes": bytes.fromhex,
    "dtype": _dtype,
}
_BOXES = {"list": list, "tuple": tuple, "set": set}


def _foreign(tag: str, parts: list) -> Any:
    """Something of the same kind, in which nothing of a learner's is."""
    if tag == "paused":
        return _closed() if parts[0] is True else (_ for _ in ())
    if tag == "class":
        return known_class(parts[0])
    if tag == "error":
        return error_of(parts[0])
    if tag == "odd" and all(type(n) is int and 0 <= n < 2**31 for n in parts[1]):
        if parts[0] == "sparse":
            return torch.sparse_coo_tensor(size=parts[1], check_invariants=True)
        return torch.empty(parts[1], device="meta")
    if tag == "other" and len(parts) == 2:
        module, name = parts
        return type(_word(name), (), {"__module__": _word(module)})()
    raise WireError("an unknown tag")


def _closed() -> CoroutineType:
    async def nothing():
        pass

    made = nothing()
    made.close()
    return made


def _word(text: str) -> str:
    if type(text) is not str or not 0 < len(text) <= NAME:
        raise WireError("no name")
    return "".join(c if c.isalnum() or c in "._<>" else "_" for c in text)


def known_class(chain: list) -> type:
    """A class of this name, which is what its nearest known ancestor is."""
    for module, name in chain:
        known = _ERRORS.get(f"{module}.{name}")
        if known is not None:
            break
    else:
        raise WireError("no exception")
    module, name = map(_word, chain[0])
    if f"{module}.{name}" in _ERRORS:
        return known
    return type(name, (known,), {"__module__": module})


def error_of(chain: list) -> BaseException:
    """An exception without words of a class of this name."""
    cls = known_class(chain)
    return cls.__new__(cls)


def _all_errors(cls: type) -> dict[str, type]:
    found = {".".join(name_of(cls)): cls}
    for sub in cls.__subclasses__():
        found |= _all_errors(sub) if name_of(sub)[0].split(".")[0] in _OURS else {}
    return found


_OURS = {"builtins", "torch", "numpy", "json", "re", "copy"}
_ERRORS = _all_errors(BaseException)
_ERRORS.pop("builtins.BaseExceptionGroup", None)
_ERRORS.pop("builtins.ExceptionGroup", None)
