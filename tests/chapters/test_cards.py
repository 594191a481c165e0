"""Appendix A2: the axes on a card are those of the tensors that its code makes."""

import re

import pytest
import torch

from tests.chapters.conftest import CHAPTERS, cells_of

A2 = cells_of("A2_shape_cards.ipynb")
LETTER = re.compile(r"^\| ([\w/]+) \| (\d+) \|", re.MULTILINE)
ROW = re.compile(r"^\| `(.+)` \| \((.*?),?\) \|", re.MULTILINE)
SIZES = {letter: int(size) for cell in A2 for letter, size in LETTER.findall(cell.source)}


@pytest.fixture(scope="module")
def cards() -> dict[str, list[tuple[str, list[str], tuple[int, ...]]]]:
    """Of each chapter the rows of its card: what is made, its letters, and the shape that it has."""
    names: dict[str, object] = {}
    found, chapter = {}, ""
    with torch.random.fork_rng():
        for cell in A2:
            if cell.cell_type == "code":
                exec(cell.source, names)
                continue
            chapter = next(
                iter(re.findall(r"^## Chapter (\d\d)", cell.source, re.MULTILINE)), chapter
            )
            for what, axes in ROW.findall(cell.source):
                row = (what, axes.split(", ") if axes else [], tuple(eval(what, names).shape))
                found.setdefault(chapter, []).append(row)
    return found


def test_every_chapter_has_a_card_and_no_two_letters_one_size(cards):
    assert list(cards) == list(CHAPTERS), (
        "write a card, `# A2` and a table of shapes, into appendices.md of the chapter that has none"
    )
    assert len(set(SIZES.values())) == len(SIZES) - 1  # D/2 is 2, as B is: never in one shape
    for rows in cards.values():
        assert not any({"B", "D/2"} <= set(axes) for _, axes, _ in rows)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_letters_are_the_shape(chapter, cards):
    for what, axes, shape in cards.get(chapter, []):
        unknown = [axis for axis in axes if axis not in SIZES]
        assert not unknown, f"{what}: {unknown} aren't letters of A2, {', '.join(SIZES)}"
        wanted = tuple(SIZES[letter] for letter in axes)
        assert shape == wanted, f"{what} has the shape {shape}; {axes} is {wanted}"


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_what_a_card_names_stands_in_its_chapter(chapter, cards):
    text = "\n".join(cell.source for cell in cells_of(CHAPTERS[chapter].name))
    for what, *_ in cards.get(chapter, []):
        for word in set(re.findall(r"[A-Za-z_]\w*", what)):
            assert re.search(rf"\b{word}\b", text), f"{chapter} has no {word!r} ({what})"
