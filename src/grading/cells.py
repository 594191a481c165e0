"""Which statements of a notebook a function needs: those that bind its names, and theirs.

A learner's page trains models and draws figures. None of that is run for an exercise that doesn't
use it, and a statement that fails, such as the import of a figure, ends no other.
"""

import ast
import linecache
import re
import symtable
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import CodeType

END = 1 << 30  # behind all cells
MAGIC = re.compile(r"^\s*(?:%|!|\?)|\?$", re.MULTILINE)


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
    """The statements of all cells, in order; cells that are no Python, by their numbers."""

    statements: list[Statement]
    faults: dict[int, str]
    checks: dict[str, tuple[int, str]]  # of each exercise: the last cell that checks it, and what


def page(sources: list[str]) -> Page:
    """Take the cells apart."""
    made = Page([], {}, {})
    for number, source in enumerate(sources):
        if source.lstrip().startswith("%%"):
            continue
        text = _without_magics(source)
        try:
            tree = ast.parse(text)
            found = [_statement(number, node) for node in tree.body]
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            made.faults[number] = f"{type(error).__name__}: {error}"
            continue
        made.statements += found
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if isinstance(call.func, ast.Name) and call.func.id == "check" and len(call.args) > 1:
                first = call.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    made.checks[first.value] = number, ast.unparse(call.args[1])
    return made


def _without_magics(source: str) -> str:
    try:
        ast.parse(source)
        return source
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        lines = source.split("\n")
        return "\n".join("" if MAGIC.search(line) else line for line in lines)


def _statement(cell: int, node: ast.stmt) -> Statement:
    made = Statement(cell, node)
    table = symtable.symtable(ast.unparse(node), "<cell>", "exec")
    made.uses, made.binds = names(table)
    if isinstance(node, ast.ImportFrom) and any(name.name == "*" for name in node.names):
        made.binds.add("*")
    if not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        for inner in ast.walk(node):  # what a function does happens when it is called
            stored = isinstance(getattr(inner, "ctx", None), ast.Store | ast.Del)
            if isinstance(inner, ast.Attribute | ast.Subscript) and stored:
                made.touches |= _base(inner)
            if isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Call):
                made.touches |= _base(inner.value.func)
    return made


def names(table: symtable.SymbolTable) -> tuple[set[str], set[str]]:
    """The global names that a piece of code uses and binds, in functions within it too."""
    uses, binds = set(), set()
    top = table.get_type() == "module"
    for symbol in table.get_symbols():
        here = top or symbol.is_global()
        if here and symbol.is_referenced():
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
    """How to get at an exercise's function: what its last check was given, else what has its name.

    An expression, and the statements that it needs.
    """
    end, wanted = page.checks.get(id, (END, name))
    for last, expression in ((end, wanted), (END, name)):
        known = [s for s in page.statements if s.cell <= last]
        uses, _ = names(symtable.symtable(expression, "<check>", "eval"))
        yield expression, needed(known, uses)


def needed(statements: list[Statement], wanted: Iterable[str]) -> list[Statement]:
    """The statements that bind or change these names, or names that those use, in their order."""
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
            imported = isinstance(statements[place].node, ast.Import | ast.ImportFrom)
            later = [] if imported else changers.get(name, [])
            for n in {place, *later[bisect_left(later, place) :]} - chosen:
                chosen.add(n)
                todo |= {(use, n) for use in statements[n].uses} - seen
    return [statements[n] for n in sorted(chosen)]


def _last(binders: dict[str, list[int]], name: str, before: int) -> set[int]:
    """The last place before this one that binds a name, if there is one; a star binds any."""
    found = (
        (binders.get(key, []), bisect_left(binders.get(key, []), before)) for key in (name, "*")
    )
    places = [places[n - 1] for places, n in found if n]
    return {max(places)} if places else set()


def code(statement: Statement, source: str) -> CodeType:
    """A statement compiled; a traceback shows the lines of its cell."""
    name = f"<cell {statement.cell + 1}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    return compile(ast.Module([statement.node], []), name, "exec")
