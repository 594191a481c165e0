"""Shared by the tests of chapters: notebooks by their parts, pictures and what their sentences say."""

import re
from functools import cache

import nbformat
import pytest

from attention.checkpoint import STORIES, load_checkpoint
from attention.stories import write_stories
from chapters.ch13.story_model import word_tokenizer
from course import notebooks
from course.check.compare import NUMBER
from course.draw.picture import Picture
from course.publish.page import anchor
from tests.conftest import ROOT

CHAPTERS = {p.stem[:2]: p for p in notebooks.chapters(ROOT) if p.stem[:2].isdigit()}
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@cache
def cells_of(name: str) -> list:
    return nbformat.read(ROOT / "notebooks" / name, 4).cells


@cache
def below(name: str) -> dict[str, list]:
    """Of each heading of a notebook the cells below it, by its anchor."""
    found: dict[str, list] = {}
    heading = ""
    for cell in cells_of(name):
        if cell.cell_type == "markdown" and (heads := HEADING.findall(cell.source)):
            heading = anchor(heads[-1])
        found.setdefault(heading, []).append(cell)
    return found


@pytest.fixture(scope="module")
def trained():
    """The model of stories and its tokenizer."""
    return load_checkpoint(STORIES)[:2]


@pytest.fixture(scope="session")
def tokenizer():
    """The words of stories, of which each is one token."""
    return word_tokenizer("".join(write_stories(300)))


@pytest.fixture
def no_pixels(request, monkeypatch):
    """Pictures of the chapter with their sentence and without pixels, which take the time."""
    chapter = request.module.__name__.rpartition("_")[2]
    monkeypatch.setattr(
        f"chapters.ch{chapter}.figures.picture",
        lambda figure, sentence: Picture("", " ".join(sentence.split())),
    )


def says(sentence: str, wanted: str) -> None:
    """Hold that a sentence has these words and numbers, the numbers rounded to the places it shows."""
    parts = NUMBER.split(wanted)
    found = re.search(NUMBER.pattern.join(map(re.escape, parts[::2])), sentence)
    assert found, (wanted, sentence)
    for told, number in zip(found.groups(), parts[1::2], strict=True):
        digits = told.partition("e")[0].partition(".")[2]
        place = 10.0 ** -len(digits)
        assert float(told) == pytest.approx(float(number), abs=0.501 * place), (told, wanted)
