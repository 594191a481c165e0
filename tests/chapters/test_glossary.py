"""Appendix A1: each word is taught where its row says, and PyTorch knows its names."""

import inspect
import re
from typing import NamedTuple
from urllib.parse import unquote

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from course.publish.page import anchor
from tests.chapters.conftest import CHAPTERS, below, cells_of

PAGE = "\n".join(cell.source for cell in cells_of("A1_glossary.ipynb"))
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


def test_every_row_is_read():
    assert len(WORDS) == PAGE.count('<span id="word-') > 50
    for word in WORDS:
        name = re.sub(r"\W", "-", word.ours).lower()
        assert (word.id, word.notebook[:2]) == (f"word-{word.chapter}-{name}", word.chapter)
    assert len({word.id for word in WORDS}) == len(WORDS)


@each_word
def test_a_word_stands_under_its_heading(word):
    cells = below(word.notebook).get(anchor(unquote(word.heading)))
    assert cells, f"{word.notebook} has no heading {word.heading!r}"
    section = "\n".join(cell.source for cell in cells).lower().replace("*", "")
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


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_ends_with_its_words(chapter):
    last = cells_of(CHAPTERS[chapter].name)[-1].source
    found = re.findall(r"\[([^]]+)\]\(A1_glossary\.ipynb#([^)]+)\)", last)
    assert found == [(word.ours, word.id) for word in WORDS if word.chapter == chapter], (
        f"the last cell of {chapter} has to link the words that A1 gives to it, in A1's order"
    )
