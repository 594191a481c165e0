"""Find the statements of a notebook that a function needs: those that bind the names it uses, and so on.

A learner's notebook also trains models and draws figures. An exercise that doesn't use them doesn't run
them. If one statement fails, such as the import of a figure, the others still run.
"""

import __future__

import ast
import linecache
import re
import symtable
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from types import CodeType

END = 1 << 30  # after all cells
MAGIC = re.compile(
    r"\s*(?:[\w, ]+=\s*)?[%!]|\s*\?|\s*[\w.]+\?{1,2}\s*$"
)  # a line of IPython's own
TIMED = re.compile(r"(\s*)%(?:time|timeit|prun)\s+(?=[\w(\[])")  # before code that runs
CELL_MAGIC = re.compile(r"\s*%%(?P<runs>time|timeit|capture|prun)?.*(?:\n|$)")


@dataclass
class Statement:
    """One statement at the top of a cell, with the names it uses, binds and changes."""

    cell: int
    node: ast.stmt
    uses: set[str] = field(default_factory=set)
    binds: set[str] = field(default_factory=set)
    touches: set[str] = field(default_factory=set)


@dataclass
class Page:
    """The statements of all cells, in order, and the errors of cells that aren't valid Python, by number."""

    statements: list[Statement]
    faults: dict[int, str]
    checks: dict[str, tuple[int, str]]  # {exercise: (last cell that checks it, what it checks)}
    flags: int = 0  # of what is imported from __future__


def page(sources: list[str]) -> Page:
    """Split the cells into statements, and find the calls of `check` in them."""
    made = Page([], {}, {})
    for number, source in enumerate(sources):
        try:
            tree = ast.parse(_without_magics(source))
            found = [_statement(number, node) for node in tree.body]
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            made.faults[number] = f"{type(error).__name__}: {error}"
            continue
        made.statements += found
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                features = (getattr(__future__, name.name, None) for name in node.names)
                made.flags |= sum(feature.compiler_flag for feature in features if feature)
            elif checked := _checked(node):
                made.checks[checked[0]] = number, checked[1]
    return made


def _checked(node: ast.AST) -> tuple[str, str] | None:
    """The exercise and the expression in a call of `check`; None if it isn't one."""
    match node:
        case ast.Call(ast.Name("check"), [ast.Constant(str(id)), expression, *_]):
            with suppress(SyntaxError):
                compile(
                    text := ast.unparse(expression), "<check>", "eval"
                )  # `*x` is none by itself
                return id, text
    return None


def _without_magics(source: str) -> str:
    """A cell as Python has it. Its magics become blank, one after another, until the rest is Python."""
    if cell_magic := CELL_MAGIC.match(source):
        source = "\n" + source[cell_magic.end() :] if cell_magic["runs"] else ""
    lines = source.split("\n")
    for n in (n for n, line in enumerate(lines) if MAGIC.match(line)):
        try:
            ast.parse("\n".join(lines))
            break
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            lines[n] = TIMED.sub(r"\1", lines[n]) if TIMED.match(lines[n]) else ""
    return "\n".join(lines)


def _statement(cell: int, node: ast.stmt) -> Statement:
    made = Statement(cell, node)
    table = symtable.symtable(ast.unparse(node), "<cell>", "exec")
    made.uses, made.binds = names(table)
    added = (n.target for n in ast.walk(node) if isinstance(n, ast.AugAssign))
    made.uses |= {target.id for target in added if isinstance(target, ast.Name)}
    if isinstance(node, ast.Import):  # `import a.b` adds to what `import a.c` binds
        made.touches |= {name.name.split(".")[0] for name in node.names if not name.asname}
    if isinstance(node, ast.ImportFrom) and any(name.name == "*" for name in node.names):
        made.binds.add("*")
    if not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        for inner in ast.walk(node):  # a function changes things only when it is called
            stored = isinstance(getattr(inner, "ctx", None), ast.Store | ast.Del)
            if isinstance(inner, ast.Attribute | ast.Subscript) and stored:
                made.touches |= _base(inner)
            if isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Call):
                made.touches |= _base(inner.value.func)
                given = (arg for arg in inner.value.args if isinstance(arg, ast.Name))
                made.touches |= {arg.id for arg in given} if _changes(inner.value.func) else set()
    return made


def _changes(function: ast.expr) -> bool:
    """Whether a call whose result nobody takes could change what it is given: `print` doesn't."""
    return getattr(function, "id", "") not in ("print", "display", "check")


def names(table: symtable.SymbolTable) -> tuple[set[str], set[str]]:
    """The global names that a piece of code uses and binds, including those in its inner functions."""
    uses, binds = set(), set()
    top, in_class = (table.get_type() == kind for kind in ("module", "class"))
    for symbol in table.get_symbols():
        here = top or symbol.is_global()
        if (
            here or in_class
        ) and symbol.is_referenced():  # a class's own name can come from outside
            uses.add(symbol.get_name())
        if here and (symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()):
            binds.add(symbol.get_name())
    for child in table.get_children():
        more, others = names(child)
        uses |= more
        binds |= others
    return uses, binds


def _base(node: ast.expr) -> set[str]:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def ways(page: Page, id: str, name: str) -> Iterator[tuple[str, list[Statement]]]:
    """Two ways to get an exercise's function: as its last check was given it, or by the exercise's name.

    Each way is an expression and the statements that it needs.
    """
    end, wanted = page.checks.get(id, (END, name))
    for last, expression in ((end, wanted), (END, name)):
        known = [s for s in page.statements if s.cell <= last]
        uses, _ = names(symtable.symtable(expression, "<check>", "eval"))
        yield expression, needed(known, uses)


def needed(statements: list[Statement], wanted: Iterable[str]) -> list[Statement]:
    """The statements, in order, that bind or change these names, or the names that such statements use."""
    binders: dict[str, list[int]] = {}
    changers: dict[str, list[int]] = {}
    for place, statement in enumerate(statements):
        for places, found in ((binders, statement.binds), (changers, statement.touches)):
            for name in found:
                places.setdefault(name, []).append(place)
    chosen: set[int] = set()
    todo = {(name, len(statements)) for name in wanted}
    seen = set()
    while todo:
        name, before = todo.pop()
        seen.add((name, before))
        for place in _last(binders, name, before) | _last(binders, name, len(statements)):
            for n in {place, *_changed(statements, place, changers.get(name, []))} - chosen:
                chosen.add(n)
                todo |= {(use, n) for use in statements[n].uses} - seen
    return [statements[n] for n in sorted(chosen)]


def _changed(statements: list[Statement], place: int, changers: list[int]) -> list[int]:
    """Of the statements that change a name, those that count for what the one at `place` binds.

    A module is changed only by another import of it, and that may come before.
    """
    if isinstance(statements[place].node, ast.Import | ast.ImportFrom):
        return [n for n in changers if isinstance(statements[n].node, ast.Import)]
    return changers[bisect_left(changers, place) :]


def _last(binders: dict[str, list[int]], name: str, before: int) -> set[int]:
    """The last statement before `before` that binds a name, if there is one; `import *` can bind any name."""
    found = (
        (binders.get(key, []), bisect_left(binders.get(key, []), before)) for key in (name, "*")
    )
    places = [places[n - 1] for places, n in found if n]
    return {max(places)} if places else set()


def code(statement: Statement, source: str, flags: int = 0) -> CodeType:
    """Compile a statement so that a traceback shows the lines of its cell."""
    name = f"<cell {statement.cell + 1}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    return compile(ast.Module([statement.node], []), name, "exec", flags, dont_inherit=True)
