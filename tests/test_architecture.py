"""Which module may import which: data flows one way, and heavy packages stay where they belong."""

import ast
import re
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src"
MODULES = sorted(SRC.rglob("*.py"))
EXPLORERS = [path for kind in ("css", "js") for path in (SRC / "chapters").rglob(f"*.{kind}")]

# The order in which the data flows: a module of `attention` imports only from modules before it.
ORDER = re.findall(r"\(`(\w+)`\)", (SRC / "attention" / "__init__.py").read_text(encoding="utf-8"))


def imports(path: Path) -> set[str]:
    """Every module that a file imports, in any form: even inside functions, and by its name in a string."""
    found, here = set(), ".".join(path.relative_to(SRC).with_suffix("").parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                found |= {alias.name for alias in names}
            case ast.ImportFrom(module=module, names=names, level=level):
                base = here.rsplit(".", level)[0] if level else ""
                name = ".".join(filter(None, (base, module)))
                found |= {name, *(f"{name}.{alias.name}" for alias in names)}
            case ast.Call(func=function, args=[ast.Constant(value=str(name)), *_]):
                called = ast.unparse(function).rpartition(".")[2]
                found |= {name} if called in BY_NAME else set()
    return found


BY_NAME = {"import_module", "__import__", "find_spec", "files", "importorskip"}


def importers(package: str) -> set[str]:
    return {
        path.relative_to(SRC).as_posix()
        for path in MODULES
        if any(name.split(".")[0] == package for name in imports(path))
    }


ENTERS = {  # which of the other packages each one may import
    "attention": set(),
    "course": set(),
    "chapters": {"attention", "course"},
    "grading": {"course"},
}


def test_every_package_has_its_place():
    assert {path.parent.name for path in SRC.glob("*/__init__.py")} == ENTERS.keys()


@pytest.mark.parametrize("package", ENTERS)
def test_imports_between_packages_go_one_way(package):
    others = ENTERS.keys() - {package}
    found = {
        (path.relative_to(SRC).as_posix(), other)
        for other in others - ENTERS[package]
        for path in (SRC / package).rglob("*.py")
        if any(name.split(".")[0] == other for name in imports(path))
    }
    assert not found


@pytest.mark.parametrize(
    "line",
    (
        "import chapters",
        "from chapters import ch04",
        "from chapters.ch04 import figures",
        "import_module('chapters.ch04')",
        "importlib.util.find_spec('chapters')",
        "def f():\n    from chapters.ch04.figures import draw",
    ),
)
def test_every_form_of_import_is_seen(line, tmp_path, monkeypatch):
    monkeypatch.setattr("tests.test_architecture.SRC", tmp_path)
    (tmp_path / "one.py").write_text(line)
    assert any(name.split(".")[0] == "chapters" for name in imports(tmp_path / "one.py"))


def test_matplotlib_only_in_figures():
    found = importers("matplotlib")
    figures = re.compile(r"(course/draw/(picture|svg)|chapters/ch[\dA]\d/(\w+_)?figures?)\.py")
    assert found and all(map(figures.fullmatch, found)), found


def test_ipywidgets_only_in_explorers():
    assert importers("ipywidgets") == {"course/draw/explorer.py"}
    assert importers("anywidget") == {"course/draw/live.py"}


# ---------------------------------------------------------------- rooms of `course`, and what enters them

ROOMS = {path.parent.name: path for path in (SRC / "course").glob("*/__init__.py")}
ROOMS |= {name: SRC / name / "__init__.py" for name in ("chapters", "grading")}
GROUND = {"colours", "content", "errors", "files", "notebooks", "outline", "serving"}


def enters(room: str) -> set[str]:
    """The rooms that a room says it enters."""
    said = re.search(r"Enters: (.+?)\.", ROOMS[room].read_text(encoding="utf-8"), re.DOTALL)
    assert said, f"{room}/__init__.py doesn't say which rooms it enters"
    return set(re.findall(r"`(\w+)`", said[1]))


def entered(path: Path) -> set[str]:
    """The rooms of course that a module imports from."""
    parts = [name.split(".") for name in imports(path) if name.startswith("course.")]
    return {part[1] for part in parts}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_enters_the_rooms_that_it_names(room):
    found = set().union(*map(entered, ROOMS[room].parent.rglob("*.py")))
    assert found - {room} - GROUND == enters(room), (
        f"the sentence `Enters: …` in {room}/__init__.py has to name the rooms that it imports"
    )


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
                assert found.split(".")[1] in ORDER[:place], (name, found)


@pytest.mark.parametrize("path", list((SRC / "attention").glob("*.py")), ids=lambda p: p.stem)
def test_attention_is_read_in_an_evening(path):
    lines = 250 if path.stem == "gpt" else 150  # it holds a complete GPT
    assert len(path.read_text(encoding="utf-8").splitlines()) <= lines


@pytest.mark.parametrize("path", list(SRC.rglob("__init__.py")), ids=lambda p: p.parent.name)
def test_package_files_are_a_docstring(path):
    body = ast.parse(path.read_text(encoding="utf-8")).body
    assert len(body) == 1 and isinstance(body[0], ast.Expr), path


def test_an_explorer_stands_beside_its_chapter_and_no_machinery_names_it():
    names = [path.name for path in EXPLORERS]
    assert sorted(names) == sorted(set(names)), "a page finds them by their names"
    shared = {path.name for path in (SRC / "course").rglob("*.*")}
    assert not shared & set(names), "a deck has all of them in one folder"
    assert {path.stem for path in EXPLORERS} == {name[:-3] for name in names if name[-3:] == ".js"}
    own = re.compile("|".join(rf"course-{path.stem}\b|\b{path.name}\b" for path in EXPLORERS))
    for path in (SRC / "course").rglob("*.*"):
        if path.suffix in {".py", ".css", ".js", ".html", ".json"}:
            assert not own.findall(path.read_text(encoding="utf-8")), path


def test_a_colour_is_stated_in_one_file():
    places = {}
    for path in [*(SRC / "course").rglob("*.*"), *EXPLORERS]:
        if path.suffix in {".py", ".css", ".js", ".html"} and path.name != "math.css":
            text = path.read_text(encoding="utf-8")
            for colour in re.findall(r"#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{3})\b", text):
                places.setdefault(colour.lower(), set()).add(path.name)
    assert len(places) > 30
    assert {colour: found for colour, found in places.items() if len(found) > 1} == {}
