"""Shared by the tests of chapters: pictures without pixels, and what their sentences say."""

import re

import pytest

from course.check.compare import NUMBER
from course.draw.picture import Picture


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
