"""Search the text of a learner's cells for what an answer mustn't use. Its code can't switch this off.

But a name can be hidden from such a search (`getattr(torch, "soft" + "max")`). So words that help to hide
a use, or to take a given function apart, are listed for the instructor, who should read that code. They
cost no points.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

import torch

from course.learn.record import Exercise
from grading.cells import page, ways

HIDES = {  # words of Python and PyTorch that few exercises need
    *("exec", "eval", "compile", "__import__", "importlib", "import_module", "globals", "vars"),
    *("ctypes", "gc", "inspect", "sys", "_getframe", "setprofile", "settrace", "threading"),
    *("__closure__", "cell_contents", "__code__", "__globals__", "__dict__", "__subclasses__"),
    *("_C", "DisableTorchFunction", "DisableTorchFunctionSubclass"),
    "_disabled_torch_function_impl",
    *("subprocess", "multiprocessing", "fork", "os", "posix", "pickle", "grading", "course"),
    *(
        "concurrent",
        "_thread",
        "asyncio",
        "timeit",
        "runpy",
        "pkgutil",
        "dis",
        "cProfile",
        "msgpack",
    ),
    *("methodcaller", "attrgetter", "overrides", "builtins", "__builtins__", "__name__"),
}


@dataclass(frozen=True)
class Look:
    """What an answer uses although the exercise forbids it, and its words that could hide such a use."""

    uses: str = ""
    hides: str = ""


def look(exercise: Exercise, sources: list[str]) -> Look:
    """Search only the statements that an exercise's function needs, as its check was given it.

    If that might give no function, search those that its name needs, too. Words that hide a use are listed
    from both, and from calls beside them, such as a learner's own tests: these cost no points.
    """
    made, uses, words = page(sources), "", set()
    for fills in (False, True):
        (given, first), (_, second) = ways(made, exercise.id, exercise.name, fills)
        sure = given.startswith("lambda") or any(given in statement.binds for statement in first)
        for statements in (first, second):
            trees = [statement.node for statement in statements]
            trees += [ast.parse(given, mode="eval").body] if statements is first else []
            nodes = [node for tree in trees for node in _walk(tree)]
            imported = {name: path for tree in trees for name, path in _imported(tree)}
            if not fills and (statements is first or not sure):
                found = (_forbidden(node, exercise.without, imported) for node in nodes)
                uses = uses or next(filter(None, found), "")
            words |= _words(nodes, imported) | _in_texts(nodes, exercise.without)
    return Look(uses, ", ".join(sorted(words)))


def _words(nodes: list[ast.AST], imported: dict[str, str]) -> set[str]:
    """The words that could hide a use, also those in the paths of what is imported and used."""
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    paths = {path for name, path in imported.items() if name in used or name.endswith("*")}
    words = paths | {*map(_name, nodes)} | used
    return {part for word in words for part in word.split(".")} & HIDES


def _in_texts(nodes: list[ast.AST], without: tuple[str, ...]) -> set[str]:
    """The forbidden words in texts, with which an attribute can be read; docstrings aren't read."""
    said = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    texts = [
        node.value for node in nodes if isinstance(node, ast.Constant) and id(node) not in said
    ]
    texts = [text.lower() for text in texts if isinstance(text, str)]
    return {f"{word!r}" for word in without for text in texts if word in text}


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
    own = isinstance(node, ast.Attribute) and (
        isinstance(node.ctx, ast.Store) or getattr(node.value, "id", "") in ("self", "cls")
    )
    for said in () if own else (_name(node) or (name if package else "")).split("."):
        if any(word in said.lower() for word in without) and _is_torchs(said):
            return f"torch's `{said.strip('_').lower()}`"
    return ""


def _is_torchs(name: str) -> bool:
    """Whether PyTorch has something of this name; a learner's own attribute may be called `norm_square`."""
    aten, functional = torch.ops.aten, torch.nn.functional
    places = (torch, torch.Tensor, torch.nn, functional, torch.linalg, torch.special, aten)
    return any(hasattr(place, name) for place in places)


def _name(node: ast.AST) -> str:
    """The attribute that a node reads, by a dot or by `getattr` ("vars" if its name is computed), or ""."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.MatchClass):
        return ".".join(node.kwd_attrs)
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "getattr":
        name = node.args[1] if len(node.args) > 1 else None
        return str(name.value) if isinstance(name, ast.Constant) else "vars"
    return ""


def _imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield each name that an import binds, even inside a function, and its full path.

    The name of `from a import *` is "a.*".
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for a in node.names:
                path = f"{node.module}.{a.name}"
                yield path if a.name == "*" else a.asname or a.name, path
        elif isinstance(node, ast.Import):
            for a in node.names:
                yield (a.asname, a.name) if a.asname else (a.name.split(".")[0],) * 2


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all nodes in it, without annotations that neither call nor bind anything."""
    yield node
    for name, part in ast.iter_fields(node):
        for inner in part if isinstance(part, list) else [part]:
            if isinstance(inner, ast.AST) and (
                name not in ("annotation", "returns") or _runs(inner)
            ):
                yield from _walk(inner)


def _runs(annotation: ast.AST) -> bool:
    return any(isinstance(node, ast.NamedExpr | ast.Call) for node in ast.walk(annotation))
