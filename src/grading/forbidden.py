"""Search the text of a learner's cells for what an answer mustn't use. Its code can't switch this off.

But a name can be hidden from such a search (`getattr(torch, "soft" + "max")`). So words that help to hide
a use, or to take a given function apart, are listed for the instructor, who should read that code. They
cost no points.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from course.learn.record import Exercise
from grading.cells import Statement, page, ways

HIDES = {  # words of Python and PyTorch that few exercises need
    *("exec", "eval", "compile", "__import__", "importlib", "import_module", "globals", "vars"),
    *("ctypes", "gc", "inspect", "sys", "_getframe", "setprofile", "settrace", "threading"),
    *("__closure__", "cell_contents", "__code__", "__globals__", "__dict__", "__subclasses__"),
    *("_C", "DisableTorchFunction", "DisableTorchFunctionSubclass"),
    "_disabled_torch_function_impl",
    *("subprocess", "multiprocessing", "fork", "os", "pickle", "grading", "course"),
}


@dataclass(frozen=True)
class Look:
    """What an answer uses although the exercise forbids it, and its words that could hide such a use."""

    uses: str = ""
    hides: str = ""


def look(exercise: Exercise, sources: list[str]) -> Look:
    """Search only the statements that an exercise's function needs."""
    _, statements = next(ways(page(sources), exercise.id, exercise.name))
    nodes = [node for statement in statements for node in _walk(statement.node)]
    imported = {name: path for s in statements for name, path in _imported(s)}
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    words = {path for name, path in imported.items() if name in used} | {*map(_name, nodes)} | used
    hides = sorted({part for word in words for part in word.split(".")} & HIDES)
    uses = (_forbidden(node, exercise.without, imported) for node in nodes)
    return Look(next(filter(None, uses), ""), ", ".join(hides))


def _forbidden(node: ast.AST, without: tuple[str, ...], imported: dict[str, str]) -> str:
    """The forbidden thing that a node uses, in the words of the notebook's check; "" if there is none."""
    path = imported.get(node.id, "") if isinstance(node, ast.Name) else ""
    package, _, name = path.rpartition(".")
    if "attention" in without and path.split(".")[0] == "attention":
        return f"`{path}`"
    if "torch" in without and isinstance(node, ast.Call):
        root = node.func
        while isinstance(root, ast.Attribute):
            root = root.value
        if imported.get(getattr(root, "id", ""), "").split(".")[0] == "torch":
            return f"torch's `{ast.unparse(node.func).rpartition('.')[2]}`"
    said = (_name(node) or (name if package else "")).strip("_").lower()
    return f"torch's `{said}`" if any(word in said for word in without) else ""


def _name(node: ast.AST) -> str:
    """The attribute that a node reads, by a dot or by `getattr` ("vars" if its name is computed), or ""."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "getattr":
        name = node.args[1] if len(node.args) > 1 else None
        return str(name.value) if isinstance(name, ast.Constant) else "vars"
    return ""


def _imported(statement: Statement) -> Iterator[tuple[str, str]]:
    """Yield each name that an import in the statement binds, even inside a function, and its full path."""
    for node in ast.walk(statement.node):
        if isinstance(node, ast.ImportFrom):
            yield from ((a.asname or a.name, f"{node.module}.{a.name}") for a in node.names)
        elif isinstance(node, ast.Import):
            for a in node.names:
                yield (a.asname, a.name) if a.asname else (a.name.split(".")[0],) * 2


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all nodes in it except annotations, which are never called."""
    yield node
    for name, part in ast.iter_fields(node):
        if name not in ("annotation", "returns"):
            for inner in part if isinstance(part, list) else [part]:
                yield from _walk(inner) if isinstance(inner, ast.AST) else ()
