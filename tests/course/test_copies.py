"""A learner's copies: nothing that was typed is ever lost, and the rest becomes new."""

import json
import os
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from course import notebooks
from course.cli import main
from course.errors import CourseError
from course.learn import copies
from tests.course.test_notebooks import make_course

START, UPDATE = ("start", "--no-lab"), ("update",)


@pytest.fixture
def root(tmp_path, monkeypatch):
    make_course(tmp_path, n1=["x = 1", "def answer():\n    ...", "check(answer)"], n2=["2"])
    monkeypatch.chdir(tmp_path)
    run(tmp_path / "notebooks" / "n1.ipynb")
    assert main([*START]) == 0
    return tmp_path


@pytest.fixture
def theirs(root):
    return root / "notebooks" / "n1.ipynb"


@pytest.fixture
def mine(root):
    return root / "my" / "n1.ipynb"


@pytest.fixture
def said(root, capsys):
    """A function that gives what a command says that ends well."""

    def says(command):
        capsys.readouterr()
        assert main([*command]) == 0
        return capsys.readouterr().out

    return says


@contextmanager
def cells_of(path):
    """The cells of a notebook, which is written as they are changed."""
    notebook = notebooks.read(path)
    yield notebook.cells
    notebooks.write(notebook, path)


def run(path):
    with cells_of(path) as cells:
        for n, cell in enumerate(cells[1:], 1):
            cell.execution_count = n
            cell.outputs = [new_output("stream", text="7\n")]


def sources(path):
    return [cell.source for cell in notebooks.read(path).cells]


def type_in(path, number, source):
    with cells_of(path) as cells:
        cells[number].source = source


def add(path, place, source, id):
    with cells_of(path) as cells:
        cells.insert(place, type(cells[-1])(cells[-1] | {"source": source, "id": id}))


def remove(path, number):
    with cells_of(path) as cells:
        del cells[number]


def test_copies_have_no_outputs_and_the_course_keeps_its_own(theirs, mine):
    assert sources(mine) == sources(theirs)
    assert not any(c.get("outputs") for c in notebooks.read(mine).cells)
    assert all(c.outputs for c in notebooks.read(theirs).cells[1:])


def test_a_copy_has_what_the_course_says_of_its_notebook_and_the_version(tmp_path):
    notebook = new_notebook(cells=[new_code_cell("1")], metadata={"course": {"cells": ["a"]}})
    notebooks.write(notebook, path := tmp_path / "n.ipynb")
    about = copies.fresh(path).metadata.course
    assert about["cells"] == ["a"] and len(about["version"]) == 12


def predicting(path):
    asks = new_markdown_cell("**Predict.** How many?", metadata={"tags": ["predict"]}, id="asks")
    code = new_code_cell("6 * 7", metadata={"tags": ["hide-input"]})
    texts = [new_markdown_cell(source) for source in ("Because.", "So:")]
    notebooks.write(new_notebook(cells=[asks, code, *texts]), path)


def test_what_the_page_folds_is_folded_in_the_copy(tmp_path):
    predicting(path := tmp_path / "n.ipynb")
    cells = copies.fresh(path).cells
    assert [cell.metadata.get("jupyter") for cell in cells][2:4] == [{"source_hidden": True}, None]
    why = "<details><summary>What it gives, and why</summary>\n\nBecause.\n\n</details>"
    asked = ["**Predict.** How many?", "*Your prediction:*"]
    assert [cell.source for cell in cells] == [*asked, "6 * 7", why, "So:"]


def test_starting_again_changes_nothing(theirs, mine, said):
    type_in(mine, 2, "def answer():\n    return 42")
    before = mine.read_bytes()
    assert "copied" not in said(START) and mine.read_bytes() == before
    type_in(theirs, 1, "x = 2")
    assert "n1: there is a newer version; `course update` brings it in" in said(START)
    assert mine.read_bytes() == before


@pytest.mark.parametrize("command", [START, UPDATE])
def test_pins_that_are_not_those_of_the_environment_are_told(root, command, said, monkeypatch):
    ready, pins = root / ".ready", root / "requirements.txt"
    monkeypatch.setattr(sys, "prefix", str(root))
    ready.write_text("rich==14")
    for written, told in (("rich==14", False), ("rich==15", True)):
        pins.write_text(written)  # later than the environment in both cases
        assert ("run `python install.py` again" in said(command)) == told


def test_an_update_brings_what_is_new_and_keeps_what_was_typed(theirs, mine, said):
    run(mine)
    type_in(mine, 2, "def answer():\n    return 42")
    add(mine, 3, "my note", "note")
    type_in(theirs, 1, "x = 2")
    add(theirs, 4, "one more", "more")
    assert said(UPDATE) == "n1: 1 cell renewed, 1 cell new\nn2: nothing new\n"
    assert sources(mine) == [
        "# n1", "x = 2", "def answer():\n    return 42", "my note", "check(answer)", "one more",
    ]  # fmt: skip
    cells = notebooks.read(mine).cells
    assert cells[2].outputs and cells[4].outputs and not cells[1].outputs  # of another x
    before = mine.read_bytes()
    assert said(UPDATE) and mine.read_bytes() == before


def test_a_prediction_is_kept_when_its_page_changes(root, said):
    theirs, mine = root / "notebooks" / "n2.ipynb", root / "my" / "n2.ipynb"
    predicting(theirs)
    said(UPDATE)
    type_in(mine, 1, "*Your prediction:* 41")
    type_in(theirs, 0, "**Predict.** How many now?")
    said(UPDATE)
    assert "*Your prediction:*" not in sources(mine)
    assert sources(mine)[:2] == ["**Predict.** How many now?", "*Your prediction:* 41"]


def test_nothing_new_touches_nothing(mine, said):
    mine.write_text(mine.read_text() + " ")
    before = mine.read_text()
    assert said(UPDATE) and mine.read_text() == before


def test_cells_that_go(theirs, mine, said):
    type_in(mine, 2, "an answer that the course asks for no more")
    remove(mine, 1)  # by the learner
    remove(theirs, 3)
    remove(theirs, 2)
    said(UPDATE)
    assert sources(mine) == ["# n1", "an answer that the course asks for no more"]


def test_a_broken_copy_is_named_and_left(root, mine, said, capsys):
    mine.write_text("{")
    type_in(root / "notebooks" / "n2.ipynb", 1, "3")
    assert main(["update"]) == 2
    out, err = capsys.readouterr()
    assert out.endswith("n2: 1 cell renewed\n")  # the others are brought up to date
    assert "n1.ipynb, but it is not JSON" in err and "Rename it" in err
    assert mine.read_text() == "{"
    mine.rename(mine.with_name("n1_mine.ipynb"))
    assert said(UPDATE) == "n1: copied\nn2: nothing new\n"


def test_what_the_course_has_changed_and_the_learner_too_is_named(theirs, mine, said):
    type_in(mine, 1, "x = 5\ny = 6")
    type_in(mine, 3, "check(answer, again)")
    type_in(theirs, 1, "x = 2")
    remove(theirs, 3)
    assert said(UPDATE) == (
        "n1: 1 cell that you have changed, and the course too, left as yours, "
        "1 cell that you have changed, and the course has removed, left as yours\n"
        "    yours: x = 5\n    yours: check(answer, again)\nn2: nothing new\n"
    )


def test_a_deleted_cell_is_told_when_the_course_changes_it(theirs, mine, said):
    remove(mine, 1)
    type_in(theirs, 2, "def answer(): pass")
    assert said(UPDATE).startswith("n1: 1 cell renewed\n")
    type_in(theirs, 1, "x = 9")
    assert said(UPDATE).startswith("n1: 1 cell that you deleted left out\n")


def test_an_update_needs_copies(root, capsys):
    assert main(["update", "nowhere"]) == 2
    assert "there are no copies in nowhere: `course start nowhere`" in capsys.readouterr().err
    assert not (root / "nowhere").exists()


@pytest.fixture
def first(theirs, mine, said):
    """The first version of a copy with an answer, to which an update has brought a second one."""
    type_in(mine, 2, "mine")
    first = mine.read_bytes()
    type_in(theirs, 1, "x = 2")
    add(theirs, 4, "one more", "more")
    said(UPDATE)
    return first


second = pytest.mark.usefixtures("first")


@second
def test_copies_whose_versions_are_lost_are_brought_up_to_date(theirs, mine, said):
    shutil.rmtree(mine.parent / ".course")
    type_in(theirs, 1, "x = 3")
    add(theirs, 2, "new", "new")
    assert "n1: its version is unknown; `course update` finds" in said(START)
    differ = "n1: 2 cells that differ from the course's, left as yours, 1 cell new\n"
    assert f"{differ}    yours: x = 2\n" in said(UPDATE)
    assert sources(mine) == ["# n1", "x = 2", "new", "mine", "check(answer)", "one more"]
    assert said(UPDATE).startswith("n1: nothing new") and "n1" not in said(START)


@second
def test_a_lost_version_that_the_course_still_has_is_known(mine, said):
    remove(mine, 3)
    shutil.rmtree(mine.parent / ".course")
    said(UPDATE)
    assert sources(mine) == ["# n1", "x = 2", "mine", "one more"]  # what was deleted stays away


def test_a_stale_copy_saved_over_an_update_is_noticed_and_keeps_its_answers(first, mine, said):
    mine.write_bytes(first)
    type_in(mine, 3, "check(mine)")
    stale = "n1: an older version was saved over the last update"
    assert f"{stale}; `course update` brings the newer" in said(START)
    assert said(UPDATE).startswith(f"{stale}: 1 cell renewed, 1 cell new\n")
    assert sources(mine) == ["# n1", "x = 2", "mine", "check(mine)", "one more"]
    assert said(UPDATE).startswith("n1: nothing new")


@second
def test_a_stale_copy_is_noticed_after_a_third_version(theirs, mine, said):
    type_in(theirs, 1, "x = 3")
    before = mine.read_bytes()
    said(UPDATE)
    mine.write_bytes(before)
    assert "saved over the last update: 1 cell renewed" in said(UPDATE)
    assert sources(mine)[1] == "x = 3"


@second
def test_a_copy_that_has_what_is_new_already_is_of_the_new_version(theirs, mine, said):
    type_in(mine, 1, "x = 3")
    type_in(theirs, 1, "x = 3")
    said(UPDATE)
    assert "saved over" not in said(START)


@second
@pytest.mark.parametrize("lost", ["before/n1.ipynb", "n1.ipynb"])
def test_an_update_that_is_killed_is_done_by_the_next(lost, root, theirs, mine, said, monkeypatch):
    remove(mine, 3)
    type_in(theirs, 1, "x = 3")
    write = copies.write

    def killed(notebook, path):
        if str(path).endswith(f".course/{lost}"):
            raise KeyboardInterrupt
        write(notebook, path)

    with monkeypatch.context() as patched:
        patched.setattr(copies, "write", killed)
        assert main(["update"]) == 130
    assert said(UPDATE).startswith("n1: nothing new")
    assert sources(mine) == ["# n1", "x = 3", "mine", "one more"]


@second
def test_a_notebook_that_the_course_has_renamed_leaves_a_sentence_and_the_copy(theirs, mine, said):
    theirs.rename(theirs.with_name("n9.ipynb"))
    summary = theirs.with_name("SUMMARY.md")
    summary.write_text(summary.read_text().replace("n1", "n9"))
    before = mine.read_bytes()
    gone = "n1: the course no longer has a notebook of this name; yours stays as it is\n"
    started = said(START)
    assert "n9: copied" in started and gone in started
    assert said(UPDATE).endswith(gone) and "n1" not in said(UPDATE)  # it is said until then
    assert mine.read_bytes() == before


def test_start_hands_options_on_to_jupyterlab(root, monkeypatch):
    monkeypatch.setattr(os, "name", "posix")
    monkeypatch.setattr(
        os, "execve", lambda *given: called.append(given[1][2:]) or asked.append(given[2])
    )
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "theirs")
    called, asked = [], []
    main(["start", "--", "--allow-root", "--port=9"])
    assert called == [["jupyterlab", str(root / "my"), "--allow-root", "--port=9"]]
    ours, theirs = asked[0]["JUPYTER_CONFIG_PATH"].split(os.pathsep)
    config = json.loads((Path(ours) / "labconfig" / "page_config.json").read_text("utf-8"))
    assert config["disabledExtensions"] == {"@jupyterlab/apputils-extension:announcements": True}
    assert theirs == "theirs"


def test_the_courses_own_folder_is_refused(root):
    for command in copies.start, copies.update:
        with pytest.raises(CourseError, match="expected a folder of your own"):
            list(command(root, root / "notebooks"))


def test_a_folder_that_can_not_be_made_is_a_sentence(root, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(CourseError, match="cannot write .*: choose another folder"):
        list(copies.start(root, tmp_path / "file" / "my"))
