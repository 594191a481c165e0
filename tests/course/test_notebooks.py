"""Finding, reading and writing notebooks; `make_course` builds small courses for these tests."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from course import notebooks
from course.cli import main
from course.errors import CourseError
from course.notebooks import chapters, parameters, read, root, select, write
from tests.conftest import ROOT


def make_course(folder: Path, **cells: list) -> Path:
    """A course in `folder`: for each name a notebook of cells, given as source or as nodes."""
    (folder / "notebooks").mkdir()
    lines = ["# Summary\n"]
    for name, sources in cells.items():
        nodes = [new_code_cell(cell) if isinstance(cell, str) else cell for cell in sources]
        nb = new_notebook(cells=[new_markdown_cell(f"# {name}"), *nodes])
        for number, cell in enumerate(nb.cells):
            cell.id = f"id-{number}"
        nbformat.write(nb, folder / "notebooks" / f"{name}.ipynb")
        lines.append(f"- [The title of {name}]({name}.ipynb)\n")
    (folder / "notebooks" / "SUMMARY.md").write_text("".join(lines))
    return folder


def tagged(source: str, *tags: str) -> nbformat.NotebookNode:
    return new_code_cell(source, metadata={"tags": list(tags)})


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three empty notebooks, the second listed first, and the test standing in their course."""
    make_course(tmp_path, b_02_heads=[], a_01_text=[], a_03_heads=[])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(paths: list[Path]) -> list[str]:
    return [path.stem for path in paths]


def test_root_is_found_from_below_and_from_the_package(course, tmp_path_factory, monkeypatch):
    monkeypatch.chdir(course / "notebooks")
    assert root() == course
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    monkeypatch.setattr(notebooks, "__file__", str(course / "src" / "course" / "notebooks.py"))
    assert root() == course
    monkeypatch.setattr(notebooks, "__file__", "/nowhere/src/course/notebooks.py")
    with pytest.raises(CourseError, match=r"expected notebooks/SUMMARY.md in .* go to the folder"):
        root()


def test_chapters_keep_the_order_of_the_summary(course):
    assert names(chapters(course)) == ["b_02_heads", "a_01_text", "a_03_heads"]


def test_chapters_ignore_checkpoints_comments_and_other_links(course):
    hidden = course / "notebooks" / ".ipynb_checkpoints"
    hidden.mkdir()
    (hidden / "a_01_text-checkpoint.ipynb").write_text("{}")
    with (course / "notebooks" / "SUMMARY.md").open("a") as summary:
        summary.write("[About](about.md)\n<!-- [later](later.ipynb) -->\n")
    (course / "notebooks" / "about.md").write_text("# About\n")
    assert len(chapters(course)) == 3
    titles = {path.name: title for path, title in notebooks.pages(course).items()}
    assert titles["about.md"] == "About" and list(titles)[0] == "b_02_heads.ipynb"


@pytest.mark.parametrize(
    "line, message",
    [
        ("- [x](gone.ipynb)", r"lists gone.ipynb, but there is no such file: correct the line"),
        ("- [x](gone.md)", r"lists gone.md, but there is no such file"),
        ("- [x](../mine.ipynb)", r"lists ../mine.ipynb, which is outside of notebooks/: move it"),
        ("- [x](./a_01_text.ipynb)", r"lists a_01_text.ipynb 2 times, expected once: delete"),
    ],
)
def test_chapters_refuse_a_wrong_summary(course, line, message):
    with (course / "notebooks" / "SUMMARY.md").open("a") as summary:
        summary.write(line + "\n")
    with pytest.raises(CourseError, match=message):
        chapters(course)


def test_no_notebook_is_an_error(course):
    (course / "notebooks" / "SUMMARY.md").write_text("# Summary\n")
    with pytest.raises(CourseError, match="SUMMARY.md lists no notebook: give each a line"):
        notebooks.chapters(course)


def test_a_notebook_that_is_not_listed_is_an_error_only_where_all_are_meant(course, capsys):
    for name in ("Untitled.ipynb", "Copy.ipynb", ".hidden.ipynb"):
        (course / "notebooks" / name).write_text("{}")
    sentence = "SUMMARY.md does not list Copy.ipynb, Untitled.ipynb: add a line for it, or move it"
    with pytest.raises(CourseError, match=sentence):
        select(course, [])
    assert names(select(course, ["b"])) == ["b_02_heads"]
    assert capsys.readouterr().err.count(sentence) == 1


def test_a_new_notebook_gets_its_line_behind_the_one_before_it(course, capsys):
    file = course / "notebooks" / "SUMMARY.md"
    file.write_text(
        "# Summary\n\n# Part\n\n- [a](a_01_text.ipynb)\n- [3](a_03_heads.ipynb)\n\n# Last\n\n"
        "- [b](b_02_heads.ipynb)\n"
    )
    page = new_notebook(cells=[new_markdown_cell("# What is new?\n\nThis.")])
    for name in ("a_04_new", "a_05_later", "0_first"):
        nbformat.write(page, course / "notebooks" / f"{name}.ipynb")
    before = file.read_text()
    notebooks.enlist(course, ["b", "a_0", "z", ""])
    assert file.read_text() == before, "none of these names means one new notebook"
    notebooks.enlist(course, ["notebooks/a_04_new.ipynb"])
    line = "- [a What is new?](a_04_new.ipynb)\n"
    assert file.read_text() == before.replace("heads.ipynb)\n\n", f"heads.ipynb)\n{line}\n")
    assert "SUMMARY.md now lists a_04_new.ipynb, as 'What is new?'" in capsys.readouterr().err
    notebooks.enlist(course, ["a_05", "0_f", "a_05"])
    assert names(chapters(course)) == [
        "0_first", "a_01_text", "a_03_heads", "a_04_new", "a_05_later", "b_02_heads",
    ]  # fmt: skip


def test_only_a_refresh_lists_what_is_new(course, monkeypatch, capsys):
    file = course / "notebooks" / "SUMMARY.md"
    page = new_notebook(cells=[new_markdown_cell("# New")])
    nbformat.write(page, course / "notebooks" / "c_04_new.ipynb")
    assert main(["run", "c_04"]) == 2 and "c_04_new" not in file.read_text()
    seen = []
    monkeypatch.setattr(
        "course.execute.refresh.refresh", lambda paths, *_: seen.append(paths) or 0
    )
    assert main(["refresh", "c_04"]) == 0 and names(seen[0]) == ["c_04_new"]


README = ROOT / "README.md"
TABLE = re.compile(r"^(?:\| \[\w+\]\(notebooks/.+\n)+", re.MULTILINE)


def table() -> str:
    """The rows of the README's table: each notebook of SUMMARY.md with its question."""
    listed = notebooks.pages(ROOT).items()
    titles = {path: title for path, title in listed if path.suffix == ".ipynb"}
    return "".join(
        f"| [{path.stem}](notebooks/{path.name}) | {title.removeprefix(f'{path.stem[:2]} ')} |\n"
        for path, title in titles.items()
    )


def test_the_readme_has_the_table_of_the_summary():
    assert TABLE.findall(README.read_text(encoding="utf-8")) == [table()], (
        "run `python -m tests.course.test_notebooks`, which writes the README's table"
    )


@pytest.mark.parametrize(
    "given, expected",
    [
        ([], ["b_02_heads", "a_01_text", "a_03_heads"]),
        (["a_01"], ["a_01_text"]),
        (["a_03_heads.ipynb"], ["a_03_heads"]),
        (["notebooks/a_01_text.ipynb"], ["a_01_text"]),
        (["./notebooks/a_01_text.ipynb", "a_01_text"], ["a_01_text"]),
        (["a_03", "b"], ["b_02_heads", "a_03_heads"]),
    ],
)
def test_select_takes_paths_names_and_beginnings(course, given, expected):
    assert names(select(course, given)) == expected


def test_a_slash_makes_a_path_where_a_backslash_does_too(course, monkeypatch):
    monkeypatch.setattr(os, "sep", "\\")  # as on Windows
    assert names(select(course, ["notebooks/a_01_text.ipynb"])) == ["a_01_text"]


@pytest.mark.parametrize(
    "name, message",
    [
        ("zzz", r"there is no notebook 'zzz': name one of b_02_heads, a_01_text, a_03_heads"),
        ("", r"there is no notebook ''"),
        ("notebooks/zzz.ipynb", r"there is no notebook 'notebooks/zzz.ipynb'"),
        ("other/a_01_text.ipynb", r"there is no notebook 'other/a_01_text.ipynb'"),
        ("a_", r"'a_' is the beginning of a_01_text, a_03_heads, expected only one of them"),
        ("mine.ipynb", r"name one of b_02.*, or add a line for it to notebooks/SUMMARY.md"),
    ],
)
def test_select_refuses_other_names(course, name, message):
    with pytest.raises(CourseError, match=message):
        select(course, [name])


def test_one_digit_is_the_number_of_a_chapter(tmp_path):
    make_course(tmp_path, **{"00_a": [], "01_b": [], "10_c": []})
    assert names(select(tmp_path, ["1"])) == ["01_b"]
    assert names(select(tmp_path, ["0", "10"])) == ["00_a", "10_c"]
    with pytest.raises(CourseError, match="there is no notebook '5': name one of 00_a"):
        select(tmp_path, ["5"])


def test_an_exact_name_wins_over_a_longer_one(tmp_path):
    make_course(tmp_path, a_1=[], a_10=[])
    assert names(select(tmp_path, ["a_1"])) == ["a_1"]


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "it is not JSON"),
        ('{"cells": [', "it is not JSON"),
        ("[]", "its nbformat is list"),
        ('{"nbformat": 3, "worksheets": []}', "its nbformat is 3"),
        ('{"nbformat": 4, "nbformat_minor": 5, "metadata": {}}', "its structure is wrong"),
        (
            '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "x",'
            ' "metadata": {}, "source": "", "id": "a"}]}',
            r"{'cell_type': 'x'.*} is not valid",
        ),
    ],
)
def test_read_names_the_broken_file(tmp_path, text, message):
    path = tmp_path / "broken.ipynb"
    path.write_text(text)
    with pytest.raises(CourseError, match=rf"expected a notebook .*broken.ipynb, but {message}"):
        read(path)


@pytest.mark.parametrize(
    "change, message",
    [
        ('"source": "\\ud800"', r"after .*source.* half of a character \('.ud800'\): restore"),
        ('"metadata": {"slideshow": null}', "metadata.slideshow of cell a is null, expected a di"),
        ('"metadata": {"course": null}', "metadata.course of cell a is null, expected a dict"),
        ('"metadata": {"tags": null}', "metadata.tags of cell a is null, expected a list"),
        ('"metadata": {"tags": [["quiz"]]}', "its structure is wrong .*a tag isn't a string"),
        ('"attachments": null', "attachments of cell a is null, expected a dict"),
        (f'"metadata": {{"x": {"[" * 99999}{"]" * 99999}}}', "it is nested too deep: restore"),
    ],
    ids=lambda text: text[:40],
)
def test_what_no_command_can_read_is_said_by_all(course, capsys, change, message):
    path = course / "notebooks" / "b_02_heads.ipynb"
    start = '{"cell_type": "markdown", "id": "a", "metadata": {}, "source": "", '
    path.write_text(f'{{"nbformat": 4, "nbformat_minor": 5, "cells": [{start}{change}}}]}}')
    for command in ("run", "refresh", "check", "sheet"):
        assert main([command]) == 2
        found = capsys.readouterr().err
        assert re.match(f"course: expected a notebook .*b_02_heads.ipynb, but {message}", found)
        assert found.count("\n") == 1


def test_read_names_a_file_that_is_not_there(tmp_path):
    with pytest.raises(CourseError, match=r"cannot read .*gone.ipynb \(No such file"):
        read(tmp_path / "gone.ipynb")


def test_read_gives_missing_and_repeated_ids_that_are_always_the_same(tmp_path):
    path = tmp_path / "old.ipynb"
    nb = new_notebook(cells=[new_markdown_cell(str(number)) for number in range(4)])
    raw = json.loads(nbformat.writes(nb))
    for cell, name in zip(raw["cells"], ["cell-002", None, "cell-002", "own"], strict=True):
        cell["id"] = name
        if name is None:
            del cell["id"]
    path.write_text(json.dumps(raw))
    assert [cell.id for cell in read(path).cells] == ["cell-002", "cell-002x", "cell-003", "own"]


def test_write_then_read_gives_the_same_and_ends_with_one_newline(course):
    path = course / "notebooks" / "a_01_text.ipynb"
    nb = read(path)
    write(nb, path)
    assert read(path) == nb
    assert re.search(r"[^\n]\n\Z", path.read_text())
    assert not list(path.parent.glob(".*"))


def test_parameters_are_the_assignments_of_the_tagged_cell():
    cells = [
        new_code_cell("other = 1"),
        tagged(
            "import os\nseed = 0\nlr: float = -1e-3\nsizes = [1, 2]\nnote = None", "parameters"
        ),
    ]
    found = parameters(new_notebook(cells=cells))
    assert found == {"seed": 0, "lr": -1e-3, "sizes": [1, 2], "note": None}


@pytest.mark.parametrize("source", ["seed = len('ab')", "seed = "])
def test_parameters_refuse_what_is_no_literal(source):
    with pytest.raises(CourseError, match=r"expected plain assignments such as `seed = 0`"):
        parameters(new_notebook(cells=[tagged(source, "parameters")]))


def test_help_loads_nothing_heavy():
    heavy = "{'nbformat', 'papermill', 'nbclient', 'rich', 'psutil', 'torch', 'asyncio'}"
    code = f"import sys\nfrom course.cli import main\nmain(['--help'])\nprint({heavy} & set(sys.modules))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert answer.stdout.splitlines()[-1] == "set()"
    assert re.findall(r"^  (\w+)  ", answer.stdout, re.MULTILINE) == [
        *("start", "update", "run", "refresh", "check", "book", "slides", "sheet"),
        *("present", "grade"),
    ]


def test_a_misspelt_command_is_asked_about(capsys):
    for typed, meant in (("rnu", "run"), ("grde", "grade")):
        assert main([typed]) == 2
        said = f"course: no such command '{typed}'. Did you mean '{meant}'?"
        assert capsys.readouterr().err.startswith(said)
    assert main(["xyzzy"]) == 2
    assert "no such command 'xyzzy' (see `course --help`)" in capsys.readouterr().err
    assert main([]) == 2 and "missing command (see" in capsys.readouterr().err


def test_what_stands_behind_two_dashes_is_for_another_program(course, monkeypatch):
    given = []
    monkeypatch.setattr("course.check.run.check", lambda *all: given.append(all) or 0)
    assert main(["check", "b", "-j", "1", "--", "-x", "--", "a"]) == 0
    assert main(["check"]) == 0
    assert [(names(paths), options) for paths, _, _, options in given] == [
        (["b_02_heads"], ["-x", "--", "a"]),
        (["b_02_heads", "a_01_text", "a_03_heads"], []),
    ]


def test_a_port_that_the_book_can_not_have_is_refused_before_it_is_built(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["book", "--serve", "--port", port]) == 2
        assert f"port {port} of 127.0.0.1 can't be used" in capsys.readouterr().err
    assert main(["book", "--serve", "--port", "99999"]) == 2
    assert "port 99999" in capsys.readouterr().err
    assert main(["book", "--port", "8001"]) == 2
    assert "--port needs --serve: add --serve" in capsys.readouterr().err


def test_what_only_who_publishes_needs_is_asked_for(monkeypatch, capsys):
    def build(*_):
        raise ModuleNotFoundError(name="bs4")

    monkeypatch.setattr("course.publish.decks.build", build)
    monkeypatch.setattr("course.cli.find_spec", lambda name: None)
    for command, package in (("slides", "bs4"), ("present", "jupyterlab-slideshow")):
        assert main([command]) == 2
        said = capsys.readouterr().err
        assert said.startswith(f"course: expected the package {package}, found none: run ")
        assert "`python install.py --book`" in said and said.count("\n") == 1


if __name__ == "__main__":
    written = TABLE.sub(lambda _: table(), README.read_text(encoding="utf-8"))
    README.write_text(written, encoding="utf-8")
