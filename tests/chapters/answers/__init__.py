"""Answers to exercises, written from the pages alone, before their known mistakes were read.

`@right(id)` and `@wrong(id)` collect them; the docstring of a wrong one is its true cause. Short
wrong ones, and those that differ little from another answer, stand in a table below it:

    slips(by_places)('''
    over_all_positions: divides by T
        - 1) -> )
    one_after: takes the diagonal above
        return weights.diagonal(1, -2, -1).mean(-1)
    ''')

An edit is `old -> new`, and `old` stands there once. Lines without an arrow are the whole body.
"""

import ast
import linecache
import re
from inspect import getsource

ANSWERS = []  # (id, function, is right)


def right(id):
    """A right answer in another style than the reference."""
    return lambda function: ANSWERS.append((id, function, True)) or function


def wrong(id):
    """A plausible wrong answer."""
    return lambda function: ANSWERS.append((id, function, False)) or function


def slips(base):
    """Wrong answers to the exercise of `base`, out of a table of edits and bodies."""
    [id] = [id for id, function, _ in ANSWERS if function is base]

    def collect(table):
        parts = re.split(r"^(\w+): (.+)\n", table, flags=re.M)[1:]
        for name, cause, change in zip(*[iter(parts)] * 3, strict=True):
            text = _changed(base, name, change)
            wrong(id)(_defined(base, name, text)).__doc__ = cause

    return collect


def _changed(base, name, change):
    """The source of `base` under another name, with the edits made, or with another body."""
    head, body = (re.sub(rf"\b{base.__name__}\b", name, part) for part in _parts(base))
    if not re.search(" ->( |$)", change, re.M):
        return head + change
    text = head + body
    for line in change.splitlines():
        old, _, new = f"{line.strip()} ".partition(" -> ")
        if text.count(old) != 1:
            raise ValueError(f"{name}: {old!r} has to stand once in\n{text}")
        text = text.replace(old, new.strip())
    return text


def _parts(function):
    """The first lines of a function, and its body without the docstring."""
    lines = getsource(function).splitlines(keepends=True)
    [node] = ast.parse("".join(lines)).body
    first, begin = node.body[0], node.body[function.__doc__ is not None]
    return "".join(lines[node.lineno - 1 : first.lineno - 1]), "".join(lines[begin.lineno - 1 :])


def _defined(base, name, text):
    """The function, in the module of `base` and with lines that a traceback can quote."""
    text = "\n" * (base.__code__.co_firstlineno - 1) + text
    file = f"<{base.__module__} {base.__name__} {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), base.__globals__)
    return base.__globals__[name]
