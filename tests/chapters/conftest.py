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


@pytest.fixture(scope="session")
def live_address(tmp_path_factory):
    """A page of the book with the live explorers of all chapters, to be opened from the disk."""
    from course.publish.mdbook import build
    from tests.chapters.live import explorers
    from tests.pages import cell, course, explored

    cells = [cell("# Live")]
    for name, kind in explorers().items():
        cells += [cell(f"## {name}"), explored(kind.first(), f"explore({name!r})")]
    root = course(tmp_path_factory.mktemp("live") / "course", live=cells)
    for name in ("before", "after"):  # where an arrow key would lead
        (root / "notebooks" / f"{name}.md").write_text(f"# {name}\n")
    summary = "# Summary\n\n- [A](before.md)\n- [Live](live.ipynb)\n- [B](after.md)\n"
    (root / "notebooks" / "SUMMARY.md").write_text(summary)
    build(root)
    return (root / "build" / "book" / "live.html").as_uri()


@pytest.fixture(scope="module")
def live_desk(live_address, chrome):
    """One page for all tests that need no phone: what one has left there, the next loads anew."""
    from tests.browser import watched
    from tests.chapters.live import DESK

    page, errors, outside = watched(chrome, viewport=DESK)
    page.add_init_script("localStorage.clear()")  # the theme that another test has chosen
    yield page, errors, outside
    page.close()


@pytest.fixture
def open_live(live_address, chrome, live_desk):
    """A page with the explorers; afterwards it has had no error and asked nobody."""
    from tests.browser import watched
    from tests.chapters.live import DESK

    pages = []

    def load(**options):
        page, errors, outside = (
            watched(chrome, **options) if {*options} - {"viewport"} else live_desk
        )
        page.set_viewport_size(options.get("viewport", DESK))
        page.goto(live_address)
        page.evaluate("window.liveReady")
        pages.append((page, errors, outside))
        return page

    yield load
    live_desk[0].mouse.up()
    for page, errors, outside in pages:
        found = [*errors, *outside]
        errors.clear(), outside.clear()
        assert not found
        if page is not live_desk[0]:
            page.close()


@pytest.fixture(scope="module")
def live_table(live_address, chrome):
    """One page for all tests that ask what is drawn of a state, and need no hand."""
    from tests.browser import watched
    from tests.chapters.live import DESK

    page, errors, outside = watched(chrome, viewport=DESK)
    page.goto(live_address)
    page.evaluate("window.liveReady")
    yield page
    assert not errors and not outside
    page.close()


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
