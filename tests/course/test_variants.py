"""A cohort's own numbers: in the notebooks that it gets, in its checks, in its feedback."""

import json
import subprocess
import sys
from functools import cache
from types import SimpleNamespace

import nbformat
import pytest

from course import cli
from course.errors import CourseError, RecordError
from course.learn import draws, variants
from course.learn.exercises import check, load
from tests.conftest import ROOT, answer

WRONG = "def mean_past(x):\n    return x + 1000"  # no known mistake: it is shown an input


@cache  # each is a process that imports torch
def told(seed):
    """What the check says of a wrong answer and of the right one, in a process of its own."""
    program = "import torch\nfrom course.learn.exercises import check\n"
    program += f"from course.learn.draws import variant\nvariant({seed})\n"
    for source in (WRONG, load("04.mean_past").solution):
        program += f'\n{source}\nprint(repr(check("04.mean_past", mean_past)))'
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert not done.returncode, done.stderr
    return done.stdout.rsplit("04.mean_past: ", 1)


def test_each_seed_has_numbers_of_its_own_and_right_stays_right():
    given = (lambda x: x + 1000, answer("04.mean_past"))
    here = [repr(check("04.mean_past", f)).partition(": ")[2] for f in given]
    wrong, right = zip(here, *map(told, (1, 3)), strict=True)
    right = [said.strip() for said in right]
    assert len(set(wrong)) == 3
    assert len(set(right)) == 1 and right[0].startswith("passed on")


def test_a_folder_for_each_cohort(tmp_path, capsys):
    assert cli.main(["variants", "04", "A2", "--seed", "1", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.split(": ", 1)[1] for line in said] == ["other numbers in 6 of 6 exercises"]
    assert {p.stem[:2] for p in (tmp_path / "seed-1").glob("*.ipynb")} == {"04", "A2"}
    cells = nbformat.read(next(tmp_path.glob("seed-1/04*")), 4).cells
    setup = next(cell.source for cell in cells if variants.IMPORT in cell.source)
    assert setup.endswith("\nvariant(1)  # this class's numbers")
    compile(setup, "setup", "exec")
    assert not any(cell.get("outputs") for cell in cells)
    plain = nbformat.read(next(tmp_path.glob("seed-1/A2*")), 4)
    assert not any("variant(" in cell.source for cell in plain.cells)


def test_every_page_with_a_check_has_the_line_it_goes_behind():
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        code = [cell.source for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]
        n_checks = sum(source.startswith("check(") for source in code)
        assert bool(n_checks) == any(variants.IMPORT in source for source in code), path.name


def test_nothing_is_written_where_one_seed_does_not_do(tmp_path, monkeypatch):
    def unchanged(seed, ids):
        if seed == 2:
            raise CourseError("seed 2 can't be used")
        return []

    monkeypatch.setattr(variants, "unchanged", unchanged)
    paths = sorted((ROOT / "notebooks").glob("04*.ipynb"))
    with pytest.raises(CourseError, match="seed 2"):
        list(variants.write_all(paths, [1, 2], tmp_path))
    assert not [*tmp_path.iterdir()]


def test_a_seed_with_which_two_mistakes_cannot_be_told_apart_is_refused(monkeypatch):
    def load(id):
        if drawn:
            raise RecordError("this exercise is broken (ch05/can_win.py, line 9: RecordError)")
        return SimpleNamespace(inputs=[])

    drawn = []  # the seeds that numbers were drawn from
    monkeypatch.setattr(variants, "load", load)
    monkeypatch.setattr(variants, "variant", drawn.append)
    monkeypatch.setattr(variants.content, "package", lambda: "no_chapters")
    monkeypatch.setattr(sys, "argv", ["variants", "8", "05.can_win"])
    with pytest.raises(SystemExit, match=r"ch05/can_win.py can't be told apart; choose another"):
        variants.main()
    assert drawn == ["8"]


def test_what_a_seed_is_refused_for_is_told(monkeypatch):
    done = subprocess.CompletedProcess([], 1, "", "more\ntwo mistakes can't be told apart")
    monkeypatch.setattr(variants.subprocess, "run", lambda *given, **more: done)
    with pytest.raises(CourseError, match="seed 8 can't be used: two mistakes can't"):
        variants.unchanged(8, ["05.can_win"])


def test_numbers_do_not_change_between_two_checks():
    load("04.mean_past")
    with pytest.raises(CourseError, match="before the first check"):
        draws.variant(5)
    assert draws.of_variant() == ""


def test_feedback_speaks_of_the_numbers_that_the_learner_has_seen(tmp_path):
    cells = ["import torch", WRONG, 'check("04.mean_past", mean_past)']
    parts = [nbformat.v4.new_code_cell(source) for source in cells]
    folder = tmp_path / "in" / "ada"
    folder.mkdir(parents=True)
    nbformat.write(nbformat.v4.new_notebook(cells=parts), folder / "04_averaging_the_past.ipynb")
    command = [sys.executable, "-m", "course", "grade", str(tmp_path / "in"), "--seed", "3"]
    more = ["--chapter", "04", "--trust", "--out", str(tmp_path / "out")]
    done = subprocess.run([*command, *more], capture_output=True, text=True, cwd=ROOT)
    assert not done.returncode, done.stderr
    kept = json.loads(next((tmp_path / "out" / "results").glob("*.json")).read_text("utf-8"))
    lines = kept["chapters"]["04"]["exercises"]["04.mean_past"]["told"]
    assert lines[0] == told(3)[0].splitlines()[0] and "returned" in lines[0]
