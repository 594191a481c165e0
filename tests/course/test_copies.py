"""A learner's copies: nothing that was typed is ever lost, and the rest becomes new."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from course import notebooks
from course.cli import main
from course.errors import CourseError
from course.learn import copies
from tests.course.test_notebooks import make_course


@pytest.fixture
def root(tmp_path, monkeypatch):
    make_course(tmp_path, n1=["x = 1", "def answer():\n    ...", "check(answer)"], n2=["2"])
    monkeypatch.chdir(tmp_path)
    run(tmp_path / "notebooks" / "n1.ipynb")
    assert main(["start", "--no-lab"]) == 0
    return tmp_path


def change(path, work):
    notebook = notebooks.read(path)
    work(notebook.cells)
    notebooks.write(notebook, path)


def run(path):
    def work(cells):
        for n, cell in enumerate(cells[1:], 1):
            cell.execution_count = n
            cell.outputs = [new_output("stream", text="7\n")]

    change(path, work)


def sources(path):
    return [cell.source for cell in notebooks.read(path).cells]


def typed(number, source):
    def work(cells):
        cells[number].source = source

    return work


def added(place, source, id):
    def work(cells):
        cells.insert(place, type(cells[-1])(cells[-1] | {"source": source, "id": id}))

    return work


def removed(number):
    def work(cells):
        del cells[number]

    return work


def test_copies_have_no_outputs_and_the_course_keeps_its_own(root):
    theirs, mine = root / "notebooks" / "n1.ipynb", root / "my" / "n1.ipynb"
    assert sources(mine) == sources(theirs)
    assert not any(c.get("outputs") for c in notebooks.read(mine).cells)
    assert all(c.outputs for c in notebooks.read(theirs).cells[1:])


def predicting(path):
    asks = new_markdown_cell("**Predict.** How many?", metadata={"tags": ["predict"]}, id="asks")
    code = new_code_cell("6 * 7", metadata={"tags": ["hide-input"]})
    texts = [new_markdown_cell(source) for source in ("Because.", "So:")]
    notebooks.write(new_notebook(cells=[asks, code, *texts]), path)


def test_what_the_page_folds_is_folded_in_the_copy(tmp_path):
    predicting(path := tmp_path / "n.ipynb")
    cells = copies.fresh(path).cells
    assert [cell.metadata.get("jupyter") for cell in cells][2:4] == [{"source_hidden": True}, None]
    assert [cell.source for cell in cells] == [
        "**Predict.** How many?",
        "*Your prediction:*",
        "6 * 7",
        "<details><summary>What it gives, and why</summary>\n\nBecause.\n\n</details>",
        "So:",
    ]


def test_starting_again_changes_nothing(root, capsys):
    mine = root / "my" / "n1.ipynb"
    change(mine, typed(2, "def answer():\n    return 42"))
    before = mine.read_bytes()
    capsys.readouterr()
    assert main(["start", "--no-lab"]) == 0
    assert mine.read_bytes() == before and "copied" not in capsys.readouterr().out
    change(root / "notebooks" / "n1.ipynb", typed(1, "x = 2"))
    assert main(["start", "--no-lab"]) == 0
    assert mine.read_bytes() == before
    assert "n1: there is a newer version; `course update` brings it in" in capsys.readouterr().out


@pytest.mark.parametrize("command", [["start", "--no-lab"], ["update"]])
def test_pins_that_are_not_those_of_the_environment_are_told(root, command, capsys, monkeypatch):
    ready, pins = root / ".ready", root / "requirements.txt"
    monkeypatch.setattr(sys, "prefix", str(root))
    ready.write_text("rich==14")
    for written, told in (("rich==14", False), ("rich==15", True)):
        pins.write_text(written)  # later than the environment in both cases
        capsys.readouterr()
        assert main(command) == 0
        assert ("run `python install.py` again" in capsys.readouterr().out) == told


def test_an_update_brings_what_is_new_and_keeps_what_was_typed(root, capsys):
    theirs, mine = root / "notebooks" / "n1.ipynb", root / "my" / "n1.ipynb"
    run(mine)
    change(mine, typed(2, "def answer():\n    return 42"))
    change(mine, added(3, "my note", "note"))
    change(theirs, typed(1, "x = 2"))
    change(theirs, added(4, "one more", "more"))
    capsys.readouterr()
    assert main(["update"]) == 0
    assert sources(mine) == [
        "# n1", "x = 2", "def answer():\n    return 42", "my note", "check(answer)", "one more",
    ]  # fmt: skip
    assert capsys.readouterr().out == "n1: 1 cell renewed, 1 cell new\nn2: nothing new\n"
    cells = notebooks.read(mine).cells
    assert cells[2].outputs and cells[4].outputs and not cells[1].outputs  # of another x
    before = mine.read_bytes()
    assert main(["update"]) == 0 and mine.read_bytes() == before


def test_a_prediction_is_kept_when_its_page_changes(root, capsys):
    predicting(root / "notebooks" / "n2.ipynb")
    assert main(["update"]) == 0
    change(root / "my" / "n2.ipynb", typed(1, "*Your prediction:* 41"))
    change(root / "notebooks" / "n2.ipynb", typed(0, "**Predict.** How many now?"))
    assert main(["update"]) == 0
    assert "*Your prediction:*" not in sources(root / "my" / "n2.ipynb")
    assert sources(root / "my" / "n2.ipynb")[:2] == [
        "**Predict.** How many now?",
        "*Your prediction:* 41",
    ]


def test_nothing_new_touches_nothing(root):
    mine = root / "my" / "n1.ipynb"
    mine.write_text(mine.read_text() + " ")
    before = mine.read_text()
    assert main(["update"]) == 0 and mine.read_text() == before


def test_cells_that_go(root):
    theirs, mine = root / "notebooks" / "n1.ipynb", root / "my" / "n1.ipynb"
    change(mine, typed(2, "an answer that the course asks for no more"))
    change(mine, removed(1))  # by the learner
    change(theirs, removed(3))
    change(theirs, removed(2))
    assert main(["update"]) == 0
    assert sources(mine) == ["# n1", "an answer that the course asks for no more"]


def test_a_broken_copy_is_named_and_left(root, capsys):
    mine = root / "my" / "n1.ipynb"
    mine.write_text("{")
    change(root / "notebooks" / "n2.ipynb", typed(1, "3"))
    assert main(["update"]) == 2
    out, err = capsys.readouterr()
    assert out.endswith("n2: 1 cell renewed\n")  # the others are brought up to date
    assert "n1.ipynb, but it can" in err and "Rename it" in err
    assert mine.read_text() == "{"
    mine.rename(mine.with_name("n1_mine.ipynb"))
    assert main(["update"]) == 0
    assert capsys.readouterr().out == "n1: copied\nn2: nothing new\n"


def test_what_the_course_has_changed_and_the_learner_too_is_named(root, capsys):
    theirs, mine = root / "notebooks" / "n1.ipynb", root / "my" / "n1.ipynb"
    change(mine, typed(1, "x = 5\ny = 6"))
    change(mine, typed(3, "check(answer, again)"))
    change(theirs, typed(1, "x = 2"))
    change(theirs, removed(3))
    capsys.readouterr()
    assert main(["update"]) == 0
    assert capsys.readouterr().out == (
        "n1: 1 cell that you have changed, and the course too, left as yours, "
        "1 cell that you have changed, and the course has removed, left as yours\n"
        "    yours: x = 5\n    yours: check(answer, again)\nn2: nothing new\n"
    )


def test_a_deleted_cell_is_told_when_the_course_changes_it(root, capsys):
    change(root / "my" / "n1.ipynb", removed(1))
    change(root / "notebooks" / "n1.ipynb", typed(2, "def answer(): pass"))
    capsys.readouterr()
    assert main(["update"]) == 0
    assert capsys.readouterr().out.startswith("n1: 1 cell renewed\n")
    change(root / "notebooks" / "n1.ipynb", typed(1, "x = 9"))
    assert main(["update"]) == 0
    assert capsys.readouterr().out.startswith("n1: 1 cell that you deleted left out\n")


def test_an_update_needs_copies(root, capsys):
    assert main(["update", "nowhere"]) == 2
    assert "there are no copies in nowhere: `course start nowhere`" in capsys.readouterr().err
    assert not (root / "nowhere").exists()


@pytest.fixture
def two(root):
    """The folder of the course's `n1` and the copy, of which an update has brought a second version."""
    theirs, mine = root / "notebooks" / "n1.ipynb", root / "my" / "n1.ipynb"
    change(mine, typed(2, "mine"))
    first = mine.read_bytes()
    change(theirs, typed(1, "x = 2"))
    change(theirs, added(4, "one more", "more"))
    assert main(["update"]) == 0
    return theirs, mine, first


def test_copies_whose_versions_are_lost_are_brought_up_to_date(two, root, capsys):
    theirs, mine, _ = two
    shutil.rmtree(root / "my" / ".course")
    change(theirs, typed(1, "x = 3"))
    change(theirs, added(2, "new", "new"))
    capsys.readouterr()
    assert main(["start", "--no-lab"]) == 0
    assert "n1: its version is unknown; `course update` finds" in capsys.readouterr().out
    assert main(["update"]) == 0
    assert sources(mine) == ["# n1", "x = 2", "new", "mine", "check(answer)", "one more"]
    said = (
        "n1: 2 cells that differ from the course's, left as yours, 1 cell new\n    yours: x = 2\n"
    )
    assert said in capsys.readouterr().out
    assert main(["update"]) == 0 and capsys.readouterr().out.startswith("n1: nothing new")
    assert main(["start", "--no-lab"]) == 0 and "n1" not in capsys.readouterr().out


def test_a_lost_version_that_the_course_still_has_is_known(two, root):
    _, mine, _ = two
    change(mine, removed(3))
    shutil.rmtree(root / "my" / ".course")
    assert main(["update"]) == 0
    assert sources(mine) == ["# n1", "x = 2", "mine", "one more"]  # what was deleted stays away


def test_a_stale_copy_saved_over_an_update_is_noticed_and_keeps_its_answers(two, capsys):
    _, mine, first = two
    mine.write_bytes(first)
    change(mine, typed(3, "check(mine)"))
    capsys.readouterr()
    assert main(["start", "--no-lab"]) == 0
    said = "n1: an older version was saved over the last update"
    assert f"{said}; `course update` brings the newer" in capsys.readouterr().out
    assert main(["update"]) == 0
    assert capsys.readouterr().out.startswith(f"{said}: 1 cell renewed, 1 cell new\n")
    assert sources(mine) == ["# n1", "x = 2", "mine", "check(mine)", "one more"]
    assert main(["update"]) == 0 and capsys.readouterr().out.startswith("n1: nothing new")


def test_a_stale_copy_is_noticed_after_a_third_version(two, capsys):
    theirs, mine, _ = two
    change(theirs, typed(1, "x = 3"))
    second = mine.read_bytes()
    assert main(["update"]) == 0
    mine.write_bytes(second)
    capsys.readouterr()
    assert main(["update"]) == 0 and sources(mine)[1] == "x = 3"
    assert "saved over the last update: 1 cell renewed" in capsys.readouterr().out


def test_a_copy_that_has_what_is_new_already_is_of_the_new_version(two, capsys):
    theirs, mine, _ = two
    change(mine, typed(1, "x = 3"))
    change(theirs, typed(1, "x = 3"))
    assert main(["update"]) == 0
    capsys.readouterr()
    assert main(["start", "--no-lab"]) == 0 and "saved over" not in capsys.readouterr().out


@pytest.mark.parametrize("lost", ["before/n1.ipynb", "n1.ipynb"])
def test_an_update_that_is_killed_is_done_by_the_next(lost, two, root, monkeypatch, capsys):
    theirs, mine, _ = two
    change(mine, removed(3))
    change(theirs, typed(1, "x = 3"))
    write = copies.write

    def killed(notebook, path):
        if str(path).endswith(f".course/{lost}"):
            raise KeyboardInterrupt
        write(notebook, path)

    monkeypatch.setattr(copies, "write", killed)
    assert main(["update"]) == 130
    monkeypatch.undo()
    monkeypatch.chdir(root)
    capsys.readouterr()
    assert main(["update"]) == 0 and capsys.readouterr().out.startswith("n1: nothing new")
    assert sources(mine) == ["# n1", "x = 3", "mine", "one more"]


def test_a_notebook_that_the_course_has_renamed_leaves_a_sentence_and_the_copy(two, root, capsys):
    theirs, mine, _ = two
    theirs.rename(theirs.with_name("n9.ipynb"))
    summary = root / "notebooks" / "SUMMARY.md"
    summary.write_text(summary.read_text().replace("n1", "n9"))
    before = mine.read_bytes()
    capsys.readouterr()
    said = "n1: the course no longer has a notebook of this name; yours stays as it is\n"
    assert main(["start", "--no-lab"]) == 0
    out = capsys.readouterr().out
    assert "n9: copied" in out and said in out
    assert main(["update"]) == 0 and capsys.readouterr().out.endswith(said)
    assert main(["update"]) == 0 and "n1" not in capsys.readouterr().out  # it is said until then
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
