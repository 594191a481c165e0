"""Which module may import what: data flows one way, and heavy things stay where they belong."""

import ast
import re
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src"
MODULES = sorted(SRC.rglob("*.py"))

# A module of `attention` imports only from those above it: the order in which the data flows.
ORDER = re.findall(r"\(`(\w+)`\)", (SRC / "attention" / "__init__.py").read_text(encoding="utf-8"))


def imports(path: Path) -> set[str]:
    """Every module that a file imports, also inside functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or ".")
    return found


def importers(package: str) -> set[str]:
    return {
        path.relative_to(SRC).as_posix()
        for path in MODULES
        if any(name.split(".")[0] == package for name in imports(path))
    }


def test_attention_never_imports_course():
    found = sorted(path for path in importers("course") if path.startswith("attention/"))
    assert not found, f"attention never imports course, but {found} do"


def test_matplotlib_only_in_figures():
    found = importers("matplotlib")
    figures = re.compile(r"(course/draw/(picture|svg)|chapters/ch[\dA]\d/figures)\.py")
    assert found and all(map(figures.fullmatch, found)), found


def test_ipywidgets_only_in_explorers():
    assert importers("ipywidgets") == {"course/draw/explorer.py"}
    assert importers("anywidget") == {"course/draw/live.py"}


# ---------------------------------------------------------------- the rooms of course

ROOMS = {path.parent.name: path for path in (SRC / "course").glob("*/__init__.py")}
GROUND = {"colours", "content", "errors", "files", "notebooks", "outline", "serving"}


def enters(room: str) -> set[str]:
    """The rooms that a room says it enters."""
    said = re.search(r"Enters: (.+?)\.", ROOMS[room].read_text(encoding="utf-8"), re.DOTALL)
    assert said, f"{room}/__init__.py doesn't say which rooms it enters"
    return set(re.findall(r"`(\w+)`", said[1]))


def entered(path: Path) -> set[str]:
    """The rooms that a module imports from; `from course import chapters` imports no code."""
    parts = [name.split(".") for name in imports(path) if name.startswith("course.")]
    return {part[1] for part in parts}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_enters_the_rooms_that_it_names(room):
    found = set().union(*map(entered, ROOMS[room].parent.rglob("*.py")))
    assert found - {room} - GROUND == enters(room)


def test_no_two_rooms_need_each_other():
    left = {room: enters(room) for room in ROOMS}
    while free := [room for room, needs in left.items() if not needs & left.keys()]:
        for room in free:
            del left[room]
    assert not left


@pytest.mark.parametrize("name", sorted(GROUND))
def test_the_ground_floor_enters_no_room(name):
    assert entered(SRC / "course" / f"{name}.py") <= GROUND - {name}


def test_nothing_private_is_imported_by_another_module():
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                private = [alias.name for alias in node.names if alias.name.startswith("_")]
                assert not private or node.module == "__future__", (path, private)


def test_attention_imports_in_the_order_of_the_data():
    names = {path.stem for path in (SRC / "attention").glob("*.py")} - {"__init__"}
    assert set(ORDER) == names, "attention/__init__.py has to name every module, in order"
    for place, name in enumerate(ORDER):
        for found in imports(SRC / "attention" / f"{name}.py"):
            if found.startswith("attention."):
                assert found.removeprefix("attention.") in ORDER[:place], (name, found)


@pytest.mark.parametrize("path", list((SRC / "attention").glob("*.py")), ids=lambda p: p.stem)
def test_attention_is_read_in_an_evening(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 150


@pytest.mark.parametrize("path", list(SRC.rglob("__init__.py")), ids=lambda p: p.parent.name)
def test_package_files_are_a_docstring(path):
    body = ast.parse(path.read_text(encoding="utf-8")).body
    assert len(body) == 1 and isinstance(body[0], ast.Expr), path


def test_a_colour_is_stated_in_one_file():
    places = {}
    for path in (SRC / "course").rglob("*.*"):
        if path.suffix in {".py", ".css", ".js", ".html"} and path.name != "math.css":
            text = path.read_text(encoding="utf-8")
            for colour in re.findall(r"#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{3})\b", text):
                places.setdefault(colour.lower(), set()).add(path.name)
    assert len(places) > 30
    assert {colour: found for colour, found in places.items() if len(found) > 1} == {}
