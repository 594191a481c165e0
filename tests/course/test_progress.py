"""Passed checks are kept outside of the course, and shown; nothing is lost, and no headless run counts."""

import json
import os
import subprocess
import sys

import pytest

from course.errors import CourseError
from course.learn.exercises import check, known, progress
from course.learn.progress import NONE_YET, Progress, file, keep, passed
from tests.conftest import answer

ID = "04.averaging_weights"


@pytest.fixture(autouse=True)
def _in_a_notebook(monkeypatch):
    monkeypatch.delenv("COURSE_HEADLESS", raising=False)


def test_a_passed_check_is_kept_and_a_wrong_one_is_not():
    assert repr(progress()) == NONE_YET
    assert check(ID, lambda T: None).status != "passed"
    assert not file().exists()
    assert check(ID, answer(ID)).status == "passed"
    assert list(passed()) == [ID]
    first, *lines = repr(progress()).splitlines()
    assert first == f"1 of {len(known())} exercises passed"
    (line,) = [line for line in lines if line.startswith("04")]
    assert "averaging_weights" not in line and "mean_past" in line
    html = progress()._repr_html_()
    assert html.count("✓ ") == 1 and "✓ averaging_weights" in html


def test_another_pass_keeps_the_first_day():
    keep(ID)
    kept = json.loads(file().read_text())
    kept["passed"][ID] = "2020-02-29"
    file().write_text(json.dumps(kept))
    keep(ID)
    keep("04.mean_past")
    assert passed() | {"04.mean_past": ""} == {ID: "2020-02-29", "04.mean_past": ""}


def test_a_headless_run_neither_keeps_nor_shows(monkeypatch):
    keep(ID)
    before = file().read_text()
    monkeypatch.setenv("COURSE_HEADLESS", "1")
    check("04.mean_past", answer("04.mean_past"))
    assert repr(progress()) == NONE_YET
    assert file().read_text() == before


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"passed": []}', '{"passed": {"04.dot": 1}}', "\xff"]
)
def test_a_damaged_file_is_told_and_left_as_it_is(text):
    keep(ID)
    file().write_text(text, encoding="latin-1")
    with pytest.raises(CourseError, match="move it away to begin a new one"):
        progress()
    report = check(ID, answer(ID))
    assert (
        report.status == "passed" and "could not be saved" in report.lines[-2] + report.lines[-1]
    )
    assert file().read_text(encoding="latin-1") == text


def test_where_nothing_can_be_written_the_check_passes_and_says_so(tmp_path, monkeypatch):
    (tmp_path / "taken").write_text("a file where the folder should be")
    monkeypatch.setenv("COURSE_PROGRESS", str(tmp_path / "taken"))
    report = check(ID, answer(ID))
    assert report.status == "passed"
    assert any(
        "could not be saved" in line and "can't be written" in line for line in report.lines
    )


def test_processes_at_once_lose_nothing():
    code = (
        "import sys; from course.learn.progress import keep; print(flush=True); sys.stdin.read(); "
        "[keep(id) for id in sys.argv[1:]]"
    )
    environment = {k: v for k, v in os.environ.items() if k != "COURSE_HEADLESS"}
    each = [[f"0{n}.exercise_{k}" for k in range(40)] for n in range(3)]
    wait, go = os.pipe()
    pipes = {"stdin": wait, "stdout": subprocess.PIPE, "env": environment}
    started = [subprocess.Popen([sys.executable, "-P", "-c", code, *ids], **pipes) for ids in each]
    os.close(wait)
    for process in started:
        process.stdout.readline()  # it has imported what it needs
    os.close(go)
    for process in started:
        process.communicate()
    assert [process.returncode for process in started] == [0, 0, 0]
    assert set(passed()) == {id for ids in each for id in ids}


def test_the_table_escapes_nothing_twice_and_names_every_exercise():
    shown = Progress.of(known())
    assert sum(len(names) for names in shown.chapters.values()) == len(known())
    assert list(shown.chapters) == sorted(shown.chapters)
