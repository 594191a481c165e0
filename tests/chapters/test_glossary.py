"""Appendix A1: each word is taught where its row says, and PyTorch knows its names."""

import inspect
import re
from typing import NamedTuple
from urllib.parse import unquote

import nbformat
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from course.notebooks import chapters
from course.publish.page import anchor
from tests.conftest import ROOT

NOTEBOOKS = {p.stem[:2]: p for p in chapters(ROOT) if p.stem[:2].isdigit()}
A1 = ROOT / "notebooks" / "A1_glossary.ipynb"
PAGE = "\n".join(cell.source for cell in nbformat.read(A1, 4).cells)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
ROW = re.compile(
    r'^\| <span id="(?P<id>word-[\w-]+)">\[(?P<ours>[^]]+)\]\((?P<notebook>[^)#]+)#(?P<heading>[^)]+)\)'
    r"</span>, (?P<chapter>\d\d) \|.*\|.*\| (?P<torch>.*?) \|$",
    re.MULTILINE,
)


class Word(NamedTuple):
    """A row of the glossary."""

    id: str
    ours: str
    notebook: str
    heading: str
    chapter: str
    torch: str


WORDS = [Word(**match.groupdict()) for match in ROW.finditer(PAGE)]
each_word = pytest.mark.parametrize("word", WORDS, ids=[word.id for word in WORDS])


def sections() -> dict[tuple[str, str], str]:
    """The text under each heading of each chapter, by the heading's anchor."""
    found: dict[tuple[str, str], str] = {}
    for path in NOTEBOOKS.values():
        heading = ""
        for cell in nbformat.read(path, 4).cells:
            if cell.cell_type == "markdown" and (heads := HEADING.findall(cell.source)):
                heading = anchor(heads[-1])
            key = (path.name, heading)
            found[key] = found.get(key, "") + cell.source + "\n"
    return found


SECTIONS = sections()


def test_every_row_is_read():
    assert len(WORDS) == PAGE.count('<span id="word-') > 50
    for word in WORDS:
        name = re.sub(r"\W", "-", word.ours).lower()
        assert (word.id, word.notebook[:2]) == (f"word-{word.chapter}-{name}", word.chapter)
    assert len({word.id for word in WORDS}) == len(WORDS)


@each_word
def test_a_word_stands_under_its_heading(word):
    place = (word.notebook, anchor(unquote(word.heading)))
    assert place in SECTIONS, f"{word.notebook} has no heading {word.heading!r}"
    section = SECTIONS[place].lower().replace("*", "")
    assert re.search(rf"\b{re.escape(re.sub(r's$', '', word.ours.lower()))}", section), section


@each_word
def test_pytorch_has_its_name(word):
    names = re.findall(r"`([^`]+)`(?: of `([^`]+)`)?", word.torch)
    assert bool(names) == bool(word.torch)
    for name, owner in names:
        if owner:
            known = resolved(owner)
            says = inspect.getsource(known) if isinstance(known, type) else known.__doc__
            assert re.search(rf"\b{name}\b", says), f"{owner} knows no {name}"
        else:
            assert resolved(name) is not None


def resolved(name: str):
    """What a name of PyTorch means."""
    first, *rest = name.split(".")
    found = {"F": F, "nn": nn, "torch": torch}[first]
    for part in rest:
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("chapter", NOTEBOOKS)
def test_a_chapter_ends_with_its_words(chapter):
    last = nbformat.read(NOTEBOOKS[chapter], 4).cells[-1].source
    found = re.findall(r"\[([^]]+)\]\(A1_glossary\.ipynb#([^)]+)\)", last)
    assert found == [(word.ours, word.id) for word in WORDS if word.chapter == chapter], (
        f"the last cell of {chapter} has to link the words that A1 gives to it, in A1's order"
    )
