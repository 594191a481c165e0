"""One setting decides where solutions are shown: in checks, the book and the decks."""

from pathlib import Path

import pytest

from course import notebooks
from course.errors import CourseError
from course.learn import solutions
from course.learn.exercises import check, load, printed
from course.learn.solutions import KEPT_BACK, setting
from course.publish.book import IN_NOTEBOOK, markdown
from course.publish.links import Site
from course.publish.page import Page
from course.publish.talk import talk
from tests.conftest import ROOT
from tests.pages import cell, learned, notebook, numbered

ID = "04.averaging_weights"
ANSWER = load(ID).reference.function


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A course whose book.toml can be given a setting."""
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "SUMMARY.md").write_text("# Summary\n")
    monkeypatch.chdir(tmp_path / "notebooks")
    monkeypatch.delenv("COURSE_HEADLESS", raising=False)

    def give(value: str) -> Path:
        line = f"solutions = {value}\n" if value else ""
        (tmp_path / "book.toml").write_text(f"[preprocessor.course]\n{line}")
        return tmp_path

    return give


def checks() -> list[str]:
    """What is shown to one who has not tried, who is wrong, who is right."""
    return [check(ID, answer)._repr_html_() for answer in (None, lambda T: 1, ANSWER)]


def in_checks() -> tuple[bool, bool, bool]:
    """Whether the solution is; where it isn't, and nowhere else, a sentence says why."""
    for html in checks():
        assert ("Solution" in html) != any(says in html for says in KEPT_BACK.values())
    return tuple("Solution" in html for html in checks())


def in_print(root: Path) -> tuple[bool, bool]:
    """Whether the solution is shown in the book and in the deck; if not, both say why."""
    tags = {"tags": ["exercise"]}
    check = cell("check()", "code", [learned(exercise=ID)], **tags)
    page = Page("a.ipynb", notebook(*numbered(cell("# Why?"), cell("x", "code", **tags), check)))
    site = Site(root / "notebooks", lambda _: None, (), lambda *_: None)
    (root / "talk.md").write_text("## Try (1 minute)\n\n{{exercise cell-002}}\n")
    [slide] = talk(root / "talk.md", page, site)
    text = markdown(page, site)
    assert IN_NOTEBOOK in text and text.count("<summary>Hint") == 3
    why = KEPT_BACK.get(setting(root))
    assert (why is None or why in text) and slide.notes.count(f"<p>{why}</p>") == bool(why)
    return "<summary>Solution</summary>" in text, "One solution" in "".join(slide.blocks)


@pytest.mark.parametrize(
    ("value", "checks", "book_and_deck"),
    [
        ("", (True, True, True), True),
        ('"shown"', (True, True, True), True),
        ('"after passing"', (False, False, True), False),
        ('"withheld"', (False, False, False), False),
    ],
)
def test_the_setting_is_obeyed_everywhere(course, value, checks, book_and_deck):
    root = course(value)
    assert in_checks() == checks
    assert in_print(root) == (book_and_deck, book_and_deck)


@pytest.mark.parametrize(
    "value", ['"hidden"', "true", "[", '"shown"\n[output.html]\nsolution = "withheld"']
)
def test_another_word_is_refused_and_shows_nothing(course, value):
    root = course(value)
    with pytest.raises(
        CourseError,
        match="expected (solutions in book.toml to be one of 'shown'|TOML|preprocessor.course.sol)",
    ):
        setting(root)
    report = check(ID, ANSWER)
    assert (
        not report.solution
        and "The solution can't be shown (please tell your instructor): " in report.lines[-1]
    )
    with pytest.raises(CourseError):
        printed(ID, root)


def test_a_notebook_that_was_taken_elsewhere_shows_them(course, tmp_path_factory, monkeypatch):
    course('"withheld"')
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    monkeypatch.setattr(notebooks, "__file__", "/nowhere/src/course/notebooks.py")
    assert in_checks() == (True, True, True)


def test_a_package_that_a_book_carries_has_the_setting_with_it(course, tmp_path, monkeypatch):
    """Whoever takes a notebook home from the book installs the package that lies beside it."""
    book = course('"withheld"') / "book.toml"
    (tmp_path / "site" / "course").mkdir(parents=True)
    book.rename(tmp_path / "site" / "course" / "book.toml")
    monkeypatch.chdir(tmp_path / "site")
    (tmp_path / "notebooks" / "SUMMARY.md").unlink()
    monkeypatch.setattr(notebooks, "__file__", "/nowhere/src/course/notebooks.py")
    there = tmp_path / "site" / "course" / "learn" / "solutions.py"
    monkeypatch.setattr(solutions, "__file__", str(there))
    assert in_checks() == (False, False, False)


def test_stored_outputs_never_hold_a_solution(course, monkeypatch):
    monkeypatch.setenv("COURSE_HEADLESS", "1")
    for value in ("", '"withheld"'):  # it doesn't depend on the setting
        course(value)
        assert "olution" not in "".join(checks())
    for path in notebooks.chapters(ROOT):
        assert "<summary>Solution" not in path.read_text(encoding="utf-8"), path


def test_an_exercise_without_a_record_is_named():
    with pytest.raises(CourseError, match="there is no exercise '04.gone'; expected one of 04"):
        printed("04.gone", ROOT)
