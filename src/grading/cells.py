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
DEFINES = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
MAGIC = re.compile(  # a line of IPython's own
    r"\s*(?:[\w, .\[\]'\"]+=\s*)?[%!]|\s*\?|\s*[\w.]+\?{1,2}\s*$"
)
MAGICS = 50  # in a cell; then all lines that look like one are taken for one
TIMED = re.compile(r"(\s*)%(?:time|timeit|prun)\s+(?=[\w(\[])")  # before code that runs
CELL_MAGIC = re.compile(r"\s*%%(?P<runs>time|timeit|capture|prun|memit)?.*(?:\n|$)")


@dataclass
class Statement:
    """One statement at the top of a cell, with the names it uses and binds, stores into, and may fill by calls."""

    cell: int
    node: ast.stmt
    uses: set[str] = field(default_factory=set)
    binds: set[str] = field(default_factory=set)
    stores: set[str] = field(default_factory=set)
    fills: set[str] = field(default_factory=set)


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
                for feature in filter(None, features):
                    made.flags |= feature.compiler_flag
            elif checked := _checked(node):
                made.checks[checked[0]] = number, checked[1]
    return made


def _checked(node: ast.AST) -> tuple[str, str] | None:
    """The exercise and the expression in a call of `check`; None if it isn't one."""
    match node:
        case ast.Call(ast.Name("check"), [ast.Constant(str(id)), expression, *_]):
            text = ast.unparse(expression)
            with suppress(SyntaxError):  # `*x` is no expression by itself
                compile(text, "<check>", "eval")
                return id, text
    return None


def _without_magics(source: str) -> str:
    """A cell as Python has it. Its magics become `pass`, one after another, until the rest is Python."""
    while cell_magic := CELL_MAGIC.match(source):
        source = "\n" + source[cell_magic.end() :] if cell_magic["runs"] else ""
    lines = source.split("\n")
    for _ in range(MAGICS):
        try:
            ast.parse("\n".join(lines))
            break
        except SyntaxError as error:
            if not _passed(lines, (error.lineno or 1) - 1):
                break
        except (ValueError, RecursionError, MemoryError):
            break
    else:
        for n in range(len(lines)):
            _passed(lines, n)
    return "\n".join(lines)


def _passed(lines: list[str], n: int) -> bool:
    """Take the magic out of line n, and out of the lines that go on with it; False if it has none."""
    if n >= len(lines) or not MAGIC.match(lines[n]):
        return False
    indent = lines[n][: len(lines[n]) - len(lines[n].lstrip())]
    while lines[n].endswith("\\") and n + 1 < len(lines):
        lines[n], n = f"{indent}pass", n + 1
    lines[n] = TIMED.sub(r"\1", lines[n]) if TIMED.match(lines[n]) else f"{indent}pass"
    return True


def _statement(cell: int, node: ast.stmt) -> Statement:
    made = Statement(cell, node)
    table = symtable.symtable(ast.unparse(node), "<cell>", "exec")
    made.uses, made.binds = names(table)
    added = (n.target for n in ast.walk(node) if isinstance(n, ast.AugAssign))
    made.uses |= {target.id for target in added if isinstance(target, ast.Name)} & made.binds
    for inner in (n for n in ast.walk(node) if isinstance(n, ast.ClassDef)):
        made.uses |= _read_first(inner)
    if isinstance(node, ast.Import):  # `import a.b` adds to what `import a.c` binds
        made.stores |= {name.name.split(".")[0] for name in node.names if not name.asname}
    if isinstance(node, ast.ImportFrom) and any(name.name == "*" for name in node.names):
        made.binds.add("*")
    if not isinstance(node, DEFINES):
        for inner in ast.walk(node):  # a function changes things only when it is called
            stored = isinstance(getattr(inner, "ctx", None), ast.Store | ast.Del)
            if isinstance(inner, ast.Attribute | ast.Subscript) and stored:
                made.stores |= _base(inner)
            nobody = isinstance(inner, ast.Assign) and ast.unparse(inner.targets[0]) == "_"
            if isinstance(inner, ast.Expr) or nobody:
                made.fills |= _filled(inner.value)
    return made


def _filled(value: ast.expr) -> set[str]:
    """The names that calls whose result nobody takes might change: of their objects and of what they are given."""
    found = set()
    for call in (node for node in ast.walk(value) if isinstance(node, ast.Call)):
        if getattr(call.func, "id", "") not in ("print", "display", "check"):
            given = [*call.args, *(keyword.value for keyword in call.keywords)]
            parts = (node for part in given for node in ast.walk(part))
            found |= _base(call.func) | {node.id for node in parts if isinstance(node, ast.Name)}
    return found


def _read_first(node: ast.ClassDef) -> set[str]:
    """The names that a class's body reads before it binds them."""
    read, bound = set(), set()
    for statement in (s for s in node.body if not isinstance(s, DEFINES)):
        inner = [n for n in ast.walk(statement) if isinstance(n, ast.Name)]
        read |= {n.id for n in inner if isinstance(n.ctx, ast.Load)} - bound
        bound |= {n.id for n in inner if isinstance(n.ctx, ast.Store)}
    return read


def names(table: symtable.SymbolTable) -> tuple[set[str], set[str]]:
    """The global names that a piece of code uses and binds, including those in its inner functions."""
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


def ways(
    page: Page, id: str, name: str, fills: bool = True
) -> Iterator[tuple[str, list[Statement]]]:
    """Two ways to get an exercise's function: as its last check was given it, or by the exercise's name.

    Each way is an expression and the statements that it needs, with or without calls that might change
    what they are given.
    """
    end, wanted = page.checks.get(id, (END, name))
    for last, expression in ((end, wanted), (END, name)):
        known = [s for s in page.statements if s.cell <= last]
        uses, _ = names(symtable.symtable(expression, "<check>", "eval"))
        yield expression, needed(known, uses, fills)


def needed(
    statements: list[Statement], wanted: Iterable[str], fills: bool = True
) -> list[Statement]:
    """The statements, in order, that bind or change these names, or the names that such statements use."""
    places: list[dict[str, list[int]]] = [
        {},
        {},
        {},
    ]  # of binding, of storing and of filling, by name
    for place, statement in enumerate(statements):
        found = statement.binds, statement.stores, statement.fills if fills else ()
        for kind, some in zip(places, found, strict=True):
            for name in some:
                kind.setdefault(name, []).append(place)
    binders, stores, filled = places
    chosen: set[int] = set()
    todo = {(name, len(statements)) for name in wanted}
    seen = set()
    while todo:
        name, before = todo.pop()
        seen.add((name, before))
        both = (_last(statements, binders, name, end) for end in (before, len(statements)))
        for place in set().union(*both):
            changers = stores.get(name, [])
            if not _defines(
                statements[place].node, name
            ):  # no call changes what `def` has defined
                changers = changers + filled.get(name, [])
            for n in {place, *_changed(statements, place, changers)} - chosen:
                chosen.add(n)
                todo |= {(use, n) for use in statements[n].uses} - seen
    return [statements[n] for n in sorted(chosen)]


def _defines(node: ast.stmt, name: str) -> bool:
    """Whether a statement defines a function that stays as it is: a decorator can keep a table of it."""
    plain = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.decorator_list
    return plain and node.name == name


def _changed(statements: list[Statement], place: int, changers: list[int]) -> list[int]:
    """Of the statements that change a name, those that count for what the one at `place` binds.

    A module is changed only by another import of it, and that may come before.
    """
    if isinstance(statements[place].node, ast.Import | ast.ImportFrom):
        return [n for n in changers if isinstance(statements[n].node, ast.Import)]
    return [n for n in changers if n >= place]


def _last(
    statements: list[Statement], binders: dict[str, list[int]], name: str, before: int
) -> set[int]:
    """The last statement before `before` that surely binds a name, and those after it that might.

    An `if`, a `try`, a function that sets a global, and `import *` might bind a name.
    """
    places = sorted({*binders.get(name, []), *binders.get("*", [])})
    found = set()
    for place in reversed(places[: bisect_left(places, before)]):
        found.add(place)
        if _binds(statements[place].node, name):
            break
    return found


def _binds(node: ast.stmt, name: str) -> bool:
    """Whether a statement surely binds a name that it can bind."""
    if isinstance(node, DEFINES):
        return node.name == name
    if isinstance(node, ast.ImportFrom):
        return all(part.name != "*" for part in node.names)
    valued = isinstance(node, ast.AnnAssign) and node.value is not None
    return valued or isinstance(node, ast.Assign | ast.AugAssign | ast.Import)


def code(statement: Statement, source: str, flags: int = 0) -> CodeType:
    """Compile a statement so that a traceback shows the lines of its cell."""
    name = f"<cell {statement.cell + 1}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    return compile(ast.Module([statement.node], []), name, "exec", flags, dont_inherit=True)
