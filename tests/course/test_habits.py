"""Turns of phrase that read as translated: each is found, and the course has none of them."""

import ast
import json
import re
from pathlib import Path

import pytest

from course import content
from course.check.habits import HABITS, translated
from course.check.lint import lint
from course.notebooks import chapters
from tests.conftest import ROOT

FOUND = [
    "Its sum stands beside it.",
    "every row of yours is its mean",
    "yours takes it for the future",
    "right until a row is nan",
    "your mask is turned round",
    "A shape can't tell.",
    "28 minutes more for what is Deeper",
    "You may change the seed.",
    "One notebook behind this course did.",
    "Leave `x` as it is.",
    "also where it is masked",
    "Write it out by hand.",
    "2.30 for 1.81",
    "a number to judge by",
    "They are put together to a row.",
    "the sums of chapter 04's table",
]
RIGHT = [
    "B stands for batch, and one head stands out.",
    "The choice is yours.",
    "The rows are right until then.",
    "Turn it into a round number.",
    "A shape can't tell you that, and a map tells you more.",
    "It is also in chapter 04, and so also a table.",
    "Let three people stand in a circle.",
]


@pytest.mark.parametrize("text", FOUND)
def test_a_habit_is_found_and_quoted(text):
    (says,) = translated(f"{text}\nNext line.")
    assert "reads as translated: write " in says


def test_every_habit_is_tried():
    assert all(any(re.search(habit, text) for text in FOUND) for habit in HABITS)


@pytest.mark.parametrize("text", RIGHT)
def test_good_english_is_not(text):
    assert list(translated(text)) == []


@pytest.mark.parametrize("where", ["Markdown", "notes"])
def test_lint_reads_markdown_and_notes(where):
    notebook = json.loads(chapters(ROOT)[0].read_text(encoding="utf-8"))
    cell = notebook["cells"][0]
    if where == "notes":
        cell["metadata"]["course"]["notes"] = FOUND[0]
    else:
        cell["source"] = [*cell["source"], f"\n\n{FOUND[0]}"]
    assert [says for says in lint(notebook) if "reads as translated" in says]


def texts(path: Path) -> list[str]:
    """What a file says: its Markdown, or the strings of its code, such as hints and captions."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return [text]
    nodes = ast.walk(ast.parse(text))
    values = (node.value for node in nodes if isinstance(node, ast.Constant))
    return [value for value in values if isinstance(value, str)]


def test_hints_quizzes_talks_and_pages_have_none():
    files = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "notebooks/index.md")]
    files += [path for kind in ("*.md", "*.py") for path in content.folder().rglob(kind)]
    assert len(files) > 150
    assert not [
        (path, says) for path in files for text in texts(path) for says in translated(text)
    ]
