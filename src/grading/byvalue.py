"""Pickle inputs for the sandbox: functions and classes of the chapters by value, functions under one name.

So a learner's code can't tell by the names which of the given functions is the right one. It can still
see how a function is made if it takes the function apart (its closure, its code).
"""

import inspect
import sys
from io import BytesIO
from types import CodeType, FunctionType
from typing import Any

import cloudpickle

from course import content

NAME, MODULE = "function", "course.given"


def dumped(inputs: list[tuple]) -> bytes:
    """Pickle inputs so that `pickle.loads` needs no module of the chapters or of `course`."""

    class Pickler(cloudpickle.Pickler):
        def reducer_override(self, value: Any) -> Any:
            is_function = type(value) is FunctionType and not _is_elsewhere(value)
            return super().reducer_override(nameless(value) if is_function else value)

    def nameless(value: Any) -> Any:
        return _nameless(value, worlds) if type(value) is FunctionType else value

    worlds: dict[int, dict[str, Any]] = {}
    file, chapters = BytesIO(), sys.modules[content.package()]
    given = [tuple(map(nameless, row)) for row in inputs]
    cloudpickle.register_pickle_by_value(chapters)
    try:
        Pickler(file).dump(given)
    finally:
        cloudpickle.unregister_pickle_by_value(chapters)
    return file.getvalue()


def _is_elsewhere(function: FunctionType) -> bool:
    """True if the sandbox can import the function, from an installed package or from `attention`."""
    package = (function.__module__ or "").partition(".")[0]
    return package in sys.modules and package not in (content.package(), "course", "__main__")


def _nameless(function: FunctionType, worlds: dict[int, dict[str, Any]]) -> FunctionType:
    """A copy of the function that shows neither its name nor where it comes from."""
    raw = inspect.unwrap(function)
    code = _plain(raw.__code__)
    names = {k: v for k, v in raw.__globals__.items() if not k.startswith("__")}
    world = worlds.setdefault(id(raw.__globals__), {**names, "__name__": MODULE})
    made = FunctionType(code, world, NAME, raw.__defaults__, raw.__closure__)
    made.__kwdefaults__, made.__module__, made.__doc__ = raw.__kwdefaults__, MODULE, None
    made.__qualname__ = NAME
    return made


def _plain(code: CodeType) -> CodeType:
    """A copy of the code, and of the functions in it, without their names, file and line numbers."""
    parts = tuple(_plain(part) if type(part) is CodeType else part for part in code.co_consts)
    told = {"co_name": NAME, "co_qualname": NAME, "co_filename": f"<{MODULE}>"}
    return code.replace(**told, co_firstlineno=1, co_consts=parts)
