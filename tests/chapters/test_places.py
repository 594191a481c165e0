"""What is easily forgotten with a new figure or explorer: its test, and the time of its redraw."""

import ast
import re
from pathlib import Path

import pytest

from tests.conftest import ROOT

KINDS = {"Picture", "Explorer", "Live"}  # what a figure or an explorer returns
CHAPTERS = sorted(ROOT.glob("src/chapters/ch*"))
each_chapter = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.name)


def drawn(file: Path) -> dict[str, str]:
    """The public functions of a module that draw, with what each returns."""
    tree = ast.parse(file.read_text(encoding="utf-8")) if file.exists() else ast.parse("")
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.returns]
    found = {node.name: ast.unparse(node.returns) for node in functions if node.name[0] != "_"}
    return {name: kind for name, kind in found.items() if kind in KINDS}


def words(*files: Path) -> set[str]:
    return {word for file in files for word in re.findall(r"\w+", file.read_text("utf-8"))}


TESTED = words(*(ROOT / "tests").rglob("test_*.py"))
TIMED = words(ROOT / "benchmarks" / "redraw_time.py")


@each_chapter
def test_the_sentence_of_every_figure_is_tested(chapter):
    """By its name in a test, or in a module that draws with it: an explorer has a test of its own."""
    within = words(*(file for file in chapter.glob("*.py") if file.name != "figures.py"))
    new = sorted(drawn(chapter / "figures.py").keys() - TESTED - within)
    test = f"tests/chapters/test_chapter_{chapter.name[2:]}.py"
    assert not new, f"test in {test} that the numbers support the sentence of {', '.join(new)}"


@each_chapter
def test_every_explorer_is_tested_and_its_redraw_is_timed(chapter):
    explorers = drawn(chapter / "explorer.py")
    new = sorted(explorers.keys() - TESTED)
    assert not new, f"test {', '.join(new)} in tests/chapters/test_chapter_{chapter.name[2:]}.py"
    slow = sorted({name for name, kind in explorers.items() if kind == "Explorer"} - TIMED)
    assert not slow, f"add to the dict of benchmarks/redraw_time.py: {', '.join(slow)}"
