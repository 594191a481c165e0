"""Values as text: their kind, and their digits, not rounded until a wrong value looks right."""

import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from course.learn.values import FLOATS, PLAIN, TENSORS, exactly, odd, same

MANY = 40  # numbers: a tensor with more isn't written out
AN = re.compile("[aeio]|un(?!i)", re.IGNORECASE)  # an int, an UnboundLocalError; a UnicodeError
DIGITS = (4, 6, 9, 17)  # significant digits: the fewest that suffice are shown


def kind(value: Any) -> str:
    """What a value is: `a tensor of shape (2, 3)`, `a list`, `None`."""
    if exactly(value, *TENSORS):
        shape = "" if value.is_nested else f" of shape {tuple(value.shape)}"
        return f"a {odd(value)} tensor{shape}".replace("  ", " ")
    if value is None:
        return "None"
    name = type_name(type(value))
    return f"{'an' if AN.match(name) else 'a'} {name}"


def type_name(cls: type) -> str:
    """The name of a type, with the package that it comes from if it isn't Python's own."""
    name, module = (type.__dict__[part].__get__(cls) for part in ("__name__", "__module__"))
    package = str(module).partition(".")[0]
    return name if package in {"builtins", "__main__"} else f"{package}.{name}"


def listed(names: list[str]) -> str:
    """Names in a sentence, each once: `a, b and c`."""
    *most, last = dict.fromkeys(names)
    return f"{', '.join(most)} and {last}" if most else last


def show(value: Any, unlike: Any = None, wrong: Callable[[Any], bool] | None = None) -> str:
    """A value as text, with as few digits as leave it `unlike` another value, or still `wrong`."""
    for digits in DIGITS:
        text = _text(value, digits)
        differs = unlike is None or text != _text(unlike, digits)
        if differs and (wrong is None or wrong(_rounded(value, digits))):
            break
    return text


def _text(value: Any, digits: int, limit: int = 220) -> str:
    text = ""
    try:
        for piece in _pieces(value, digits):
            text += piece
            if len(text) > limit:
                return text[:limit] + "..."
    except Exception:  # too deep
        return kind(value)
    return text


def _pieces(value: Any, digits: int) -> Iterator[str]:
    """Yield the text of a value piece by piece, so that the caller can stop early."""
    if exactly(value, *TENSORS) and not odd(value) and _is_short(value.shape):
        yield from _pieces(value.tolist(), digits)
    elif exactly(value, list, tuple, dict):
        first, last = {list: "[]", tuple: "()", dict: "{}"}[type(value)]
        yield first
        for n, item in enumerate(value):
            yield ", " * (n > 0)
            yield from _pieces(item, digits)
            if type(value) is dict:
                yield ": "
                yield from _pieces(value[item], digits)
        yield "," * (type(value) is tuple and len(value) == 1) + last
    elif exactly(value, *FLOATS):
        yield _number(float(value), digits)
    elif exactly(value, str, bytes):
        yield "".join(map(_visible, repr(value[:300])))
    else:
        yield repr(value) if exactly(value, *PLAIN) else kind(value)


def _is_short(shape: Sequence[int]) -> bool:
    """Whether a tensor has few numbers and few brackets: without numbers, it can have any number of rows."""
    return math.prod(shape) <= MANY and max(shape, default=0) <= MANY


def _visible(character: str) -> str:
    """Return a combining accent as its code: it would merge with the letter before it."""
    return f"\\u{ord(character):04x}" if unicodedata.combining(character) else character


def _number(value: float, digits: int) -> str:
    """A float as text that looks like a whole number only if it is one.

    >>> _number(1 / 3, 4), _number(0.99999, 4), _number(2.0, 4), _number(1e-9, 4)
    ('0.3333', '0.99999', '2.0', '1e-09')
    """
    if not math.isfinite(value):
        return str(value)
    for more in (digits, *DIGITS):
        shown = float(f"{value:.{more}g}")
        if more >= digits and (not shown.is_integer() or value == shown):
            break
    return repr(shown)


def _rounded(value: Any, digits: int) -> Any:
    if exactly(value, *TENSORS) and value.is_floating_point() and not odd(value):
        numbers = [float(_number(x, digits)) for x in value.flatten().tolist()]
        return torch.tensor(numbers, dtype=value.dtype).view(value.shape)
    if exactly(value, list, tuple) and value:
        return type(value)(_rounded(item, digits) for item in value)
    return float(_number(value, digits)) if type(value) is float else value


def call(name: str, inputs: tuple) -> str:
    """A call as the learner would write it, exact; in a long one, long inputs are named by kind."""
    shown = [getattr(i, "__name__", "") or _exact(i) for i in inputs]
    if sum(map(len, shown)) > 240:  # they would bury the sentence
        shown = [kind(i) if len(s) > 60 else s for i, s in zip(inputs, shown, strict=True)]
    return f"{name}({', '.join(shown)})"


def _exact(value: Any) -> str:
    """The text of an input with the fewest digits that give the same value when typed in."""
    enough = (digits for digits in DIGITS if same(_rounded(value, digits), value, rtol=0.0))
    return _text(value, next(enough, DIGITS[-1]), 120)


def extent(value: Any) -> int:
    """How much there is to read in an input: roughly, its count of numbers and characters."""
    return sum(_sizes(value))


def _sizes(value: Any) -> Iterator[int]:
    if isinstance(value, Tensor):
        yield value.numel()
    elif isinstance(value, str):
        yield len(value)
    elif isinstance(value, list | tuple):
        yield len(value)
        for item in value:
            yield from _sizes(item)
    elif isinstance(value, dict):
        yield from _sizes(list(value.items()))
    elif isinstance(value, int):
        yield min(abs(value), 1000)
