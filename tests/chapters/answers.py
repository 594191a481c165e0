"""Answers to exercises, written from the pages alone, before their known mistakes were read.

`@right(id)` collects a right answer. The wrong ones of an exercise stand in a table below one of its
right answers, each with its true cause:

    slips(by_places)('''
    over_all_positions: divides by T
        - 1) -> )
    one_after: takes the diagonal above
        return weights.diagonal(1, -2, -1).mean(-1)
    one_after_all_heads of one_after: and averages the heads
        .mean(-1) -> .mean()
    ''')

An edit is `old -> new`, where `old` stands once in that right answer, or in the answer named after
`of`. Lines without an arrow are the whole body.
"""

import ast
import linecache
import re
from inspect import getsource

ANSWERS = []  # (id, function, is right)


def right(id):
    """A right answer in another style than the reference."""
    return lambda function: ANSWERS.append((id, function, True)) or function


def slips(base):
    """The wrong answers to the exercise of `base`, out of a table of edits and bodies."""
    [id] = [id for id, function, _ in ANSWERS if function is base]
    parts = {f.__name__: _parts(f) for other, f, right in ANSWERS if right and other == id}

    def collect(table):
        rows = re.split(r"^(\w+)(?: of (\w+))?: (.+)\n", table, flags=re.M)[1:]
        for name, of, cause, change in zip(*[iter(rows)] * 4, strict=True):
            of = of or base.__name__
            renamed = [re.sub(rf"\b{of}\b", name, part) for part in parts[of]]
            parts[name] = _changed(name, *renamed, change)
            function = _defined(base, name, "".join(parts[name]))
            function.__doc__ = cause
            ANSWERS.append((id, function, False))

    return collect


def _changed(name, head, body, change):
    """The two parts of a function with the edits made, or with another body."""
    if not re.search(" ->( |$)", change, re.M):
        return head, change
    for line in change.splitlines():
        old, _, new = f"{line.strip()} ".partition(" -> ")
        if body.count(old) != 1:
            raise ValueError(f"{name}: {old!r} has to stand once in\n{body}")
        body = body.replace(old, new.strip())
    return head, body


def _parts(function):
    """The first lines of a function, and its body."""
    lines = getsource(function).splitlines(keepends=True)
    [node] = ast.parse("".join(lines)).body
    first = node.body[0].lineno - 1
    return "".join(lines[node.lineno - 1 : first]), "".join(lines[first:])


def _defined(base, name, text):
    """The function, in the module of `base` and with lines that a traceback can quote."""
    text = "\n" * (base.__code__.co_firstlineno - 1) + text
    file = f"<{base.__module__} {base.__name__} {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), base.__globals__)
    return base.__globals__[name]
