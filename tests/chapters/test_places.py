"""What is easily forgotten: the test of a figure, and a refresh of what chapters give to others."""

import ast
import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from course.execute.complete import complete
from course.notebooks import read
from tests.conftest import ROOT

KINDS = {"Picture", "Explorer", "Live"}  # what a figure or an explorer returns
CHAPTERS = sorted(ROOT.glob("src/chapters/ch*"))
FIGURES = sorted(ROOT.glob("src/chapters/ch*/*figure*.py"))
NOTEBOOKS = sorted(ROOT.glob("notebooks/*.ipynb"))
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
each_chapter = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.name)


def drawn(file: Path) -> dict[str, str]:
    """The public functions of a module that draw, with what each returns."""
    tree = ast.parse(file.read_text(encoding="utf-8")) if file.exists() else ast.parse("")
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.returns]
    found = {node.name: ast.unparse(node.returns) for node in functions if node.name[0] != "_"}
    return {name: kind for name, kind in found.items() if kind in KINDS}


def shown_by_example(file: Path) -> set[str]:
    """The functions whose docstring has an example, which tests/test_doctests.py runs."""
    functions = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    functions = (node for node in functions if isinstance(node, ast.FunctionDef))
    return {node.name for node in functions if ">>>" in (ast.get_docstring(node) or "")}


def words(*files: Path) -> set[str]:
    return {word for file in files for word in re.findall(r"\w+", file.read_text("utf-8"))}


def imported(*files: Path) -> set[str]:
    """What is imported from which module, "chapters.ch04.figures.sums_figure"."""
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text("utf-8")))]
    found = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    return {f"{node.module}.{alias.name}" for node in found for alias in node.names}


@cache
def in_tests() -> set[str]:
    """What tests import, and what describes a live explorer for them."""
    return imported(*(ROOT / "tests").rglob("test_*.py"), *ROOT.glob("tests/chapters/ch*/live.py"))


def lacking(chapter: Path, module: str, names: Iterable[str], there: set[str]) -> str:
    return ", ".join(n for n in names if f"chapters.{chapter.name}.{module}.{n}" not in there)


@pytest.mark.parametrize("file", FIGURES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_the_sentence_of_every_figure_is_tested(file):
    """By a test, an example in its docstring, or the test of an explorer that draws with it."""
    chapter = file.parent
    within = words(*(other for other in chapter.glob("*.py") if other.name != file.name))
    new = lacking(
        chapter, file.stem, drawn(file).keys() - within - shown_by_example(file), in_tests()
    )
    test = f"tests/chapters/{chapter.name}/test_chapter_{chapter.name[2:]}.py"
    assert not new, (
        f"show by an example in the docstring, or test in {test}, that the numbers support the "
        f"sentence of {new}"
    )


@each_chapter
def test_every_explorer_is_tested(chapter):
    explorers = drawn(chapter / "explorer.py")
    new = lacking(chapter, "explorer", explorers, in_tests())
    assert not new, (
        f"test {new} in tests/chapters/{chapter.name}/test_chapter_{chapter.name[2:]}.py"
    )


@each_notebook
def test_a_notebook_has_all_that_a_refresh_adds(path):
    """The cells of each exercise, and what each chapter gives to an appendix."""
    now = read(path)
    complete(now, path, ROOT)
    assert now == read(path), f"run `course refresh {path.stem[:2]}`"


@each_notebook
def test_every_question_to_predict_is_tagged(path):
    """The book's box, the place for a learner's own words and the deck's pause go by the tag."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    asks = [cell for cell in cells if "".join(cell["source"]).startswith("**Predict")]
    untagged = [cell["id"] for cell in asks if "predict" not in cell["metadata"].get("tags", [])]
    assert not untagged, f"tag these cells `predict`: {untagged}"
