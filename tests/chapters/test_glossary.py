"""Appendix A1: each word is taught where the glossary says, and PyTorch knows its names."""

import inspect
import re

import nbformat
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from chapters.chA1.glossary import anchor, by_chapter, glossary
from chapters.chA1.words import NOTEBOOKS, PARTS, WORDS
from course.notebooks import chapters
from tests.conftest import ROOT

A1 = ROOT / "notebooks" / "A1_glossary.ipynb"
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
each_word = pytest.mark.parametrize("word", WORDS, ids=anchor)


def sections() -> dict[tuple[str, str], str]:
    """What stands under each heading of each chapter: prose, code, outputs."""
    found: dict[tuple[str, str], str] = {}
    for chapter, name in NOTEBOOKS.items():
        heading = ""
        for cell in nbformat.read(ROOT / "notebooks" / name, 4).cells:
            if cell.cell_type == "markdown" and (heads := HEADING.findall(cell.source)):
                heading = heads[-1]
            key = (chapter, heading)
            found[key] = found.get(key, "") + cell.source + "\n"
    return found


SECTIONS = sections()


def test_the_chapters_are_those_of_the_course():
    named = {path.stem[:2]: path.name for path in chapters(ROOT) if path.stem[:2].isdigit()}
    assert named == NOTEBOOKS


@each_word
def test_a_word_stands_under_its_heading(word):
    assert (word.chapter, word.heading) in SECTIONS, "there is no such heading"
    section = SECTIONS[word.chapter, word.heading].lower()
    stem = re.sub(r"s$", "", word.ours.lower())
    assert re.search(rf"\b{re.escape(stem)}", section.replace("**", "").replace("*", "")), section


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


def test_no_word_has_two_rows_of_one_place():
    assert len({anchor(word) for word in WORDS}) == len(WORDS)


def test_every_chapter_has_words_and_links_both_ways():
    there = "".join(glossary(part)._repr_html_() for part in PARTS)
    back = by_chapter()._repr_html_()
    for word in WORDS:
        assert f'id="{anchor(word)}"' in there and f'href="#{anchor(word)}"' in back
        assert f'href="{NOTEBOOKS[word.chapter]}#' in there
    assert {word.chapter for word in WORDS} == NOTEBOOKS.keys() - {"04"}


def test_a_chapter_ends_with_its_words():
    for chapter, name in NOTEBOOKS.items():
        last = nbformat.read(ROOT / "notebooks" / name, 4).cells[-1].source
        found = re.findall(r"\[([^]]+)\]\(A1_glossary\.ipynb#([^)]+)\)", last)
        assert found == [(word.ours, anchor(word)) for word in WORDS if word.chapter == chapter]


def test_the_page_shows_every_part():
    stored = "".join(
        output.get("data", {}).get("text/html", "")
        for cell in nbformat.read(A1, 4).cells
        for output in cell.get("outputs", [])
    )
    for shown in (*map(glossary, PARTS), by_chapter()):
        assert shown._repr_html_() in stored, "course refresh A1"


def test_an_unknown_part_is_a_sentence():
    with pytest.raises(ValueError, match="part: expected one of Text and batches, .* got 'x'"):
        glossary("x")
