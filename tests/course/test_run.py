"""`course run`, with real kernels in small notebooks."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from course.cli import main
from course.errors import CourseError
from course.execute import refresh
from course.execute.kernel import headless, short
from course.execute.processes import end
from course.execute.report import print_table
from course.execute.run import choose, parse
from course.notebooks import read, write
from tests.conftest import ended, wait_for
from tests.course.test_notebooks import make_course, tagged

PARAMETERS = tagged("corpus = 'names'\nseed = 0\nfast = True", "parameters")
SHOW = "print(corpus, seed, fast)"
FAILING = ["def f(x):\n    return 1 / x", "import math\n\nf(0)  # here", "print('never')"]


def text_of(path: Path) -> list[str]:
    """What each code cell of a notebook printed."""
    cells = [cell for cell in read(path).cells if cell.cell_type == "code"]
    return ["".join(output.get("text", "") for output in cell.outputs) for cell in cells]


def files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# ---------------------------------------------------------------- a run with every outcome


@pytest.fixture(scope="module")
def ran(tmp_path_factory) -> tuple[int, str, str, Path]:
    """Exit status, stdout, stderr and folder of a run over four notebooks."""
    above = tmp_path_factory.mktemp("ran") / "Kurs für alle ★"
    above.mkdir()
    folder = make_course(
        above,
        n1_passes=[
            PARAMETERS,
            SHOW,
            tagged("1 / 0", "raises-exception"),
            "import os, sys\nfor name in 'OMP_NUM_THREADS', 'MKL_NUM_THREADS', 'COURSE_HEADLESS':"
            "\n    print(os.environ[name])\nprint(os.getcwd())\nprint(sys.executable)",
        ],
        n2_fails=FAILING,
        n3_dies=["1", "import os; os._exit(1)", "2"],
        n4_other=[tagged("other = 1.5", "parameters"), "print(other)"],
    )
    other = read(path := folder / "notebooks" / "n4_other.ipynb")
    other.metadata["kernelspec"] = {"name": "mine", "display_name": "Of another environment"}
    write(other, path)
    (folder / "mine.txt").write_text("abc")
    old = folder / "build" / "run" / "n1_passes.ipynb"
    old.parent.mkdir(parents=True)
    old.write_text("old")
    environment = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    # A kernelspec of the user's that would run something else.
    spec = folder / "jupyter" / "kernels" / "python3" / "kernel.json"
    spec.parent.mkdir(parents=True)
    spec.write_text(json.dumps({"argv": ["/bin/false"], "display_name": "x", "language": "x"}))
    answer = subprocess.run(
        [sys.executable, "-m", "course", "run", "-p", "corpus", "mine.txt",
         "-p", "seed", "-7", "-p", "other", "2"],
        cwd=folder, capture_output=True, text=True,
        env=environment | {"JUPYTER_PATH": str(folder / "jupyter")},
    )  # fmt: skip
    return answer.returncode, answer.stdout, answer.stderr, folder


def report_of(folder: Path) -> dict:
    report = json.loads((folder / "build" / "run" / "report.json").read_text())
    return {entry["name"]: entry for entry in report["notebooks"]}


def test_a_failed_notebook_makes_the_status_1_and_stops_at_its_first_error(ran):
    status, out, err, folder = ran
    assert status == 1
    assert "2 passed, 2 failed" in out
    executed = read(folder / "build" / "run" / "n2_fails.ipynb")
    assert "never" not in text_of(folder / "build" / "run" / "n2_fails.ipynb")[-1]
    assert executed.cells[-1].execution_count is None


def test_a_failure_shows_the_cell_and_the_error(ran):
    _, _, err, folder = ran
    assert "n2_fails, code cell 2\n\n    import math\n    \n    f(0)  # here\n" in err
    assert "----> 2     return 1 / x" in err
    assert "ZeroDivisionError: division by zero" in err
    assert report_of(folder)["n2_fails"]["error"] == {
        "cell": 2,
        "source": FAILING[1],
        "name": "ZeroDivisionError",
        "value": "division by zero",
        "traceback": "Cell In[2], line 3\n----> 3 f(0)  # here\nCell In[1], line 2, in f(x)\n"
        "----> 2     return 1 / x",
    }


def test_a_kernel_that_dies_is_a_failure_with_its_cell(ran):
    error = report_of(ran[3])["n3_dies"]["error"]
    assert (error["cell"], error["name"]) == (2, "DeadKernelError")
    assert "the kernel died" in ran[2]


def test_a_cell_that_takes_too_long_is_a_failure(tmp_path, monkeypatch, capsys):
    make_course(tmp_path, n1_hangs=["import threading; threading.Event().wait()"])
    monkeypatch.chdir(tmp_path)
    assert main(["run", "--timeout", "1"]) == 1
    error = report_of(tmp_path)["n1_hangs"]["error"]
    assert error["value"] == "the cell took longer than 1 s (--timeout)"
    assert error["cell"] == 1


def test_parameters_reach_the_notebooks_that_have_them(ran):
    folder = ran[3]
    entry = report_of(folder)["n1_passes"]
    assert entry["error"] is None
    assert entry["parameters"] == {"corpus": str(folder / "mine.txt"), "seed": -7}
    printed = text_of(folder / "build" / "run" / "n1_passes.ipynb")
    assert printed[2] == f"{folder / 'mine.txt'} -7 True\n"  # after the injected cell
    assert text_of(folder / "build" / "run" / "n4_other.ipynb")[2] == "2.0\n"


def test_the_kernel_is_this_python_in_the_notebook_folder_with_one_thread(ran):
    folder = ran[3]
    printed = text_of(folder / "build" / "run" / "n1_passes.ipynb")[-1].splitlines()
    assert printed == ["1", "1", "1", str(folder / "notebooks"), sys.executable]


def test_time_and_cells_are_in_table_and_reports(ran):
    _, out, _, folder = ran
    entries = report_of(folder)
    entry = entries["n4_other"]
    assert [entry["cells"] for entry in entries.values()] == [4, 2, 2, 2]
    summary = (folder / "build" / "run" / "summary.md").read_text()
    for line in (out, summary):
        assert "time (s)" in line and "failed in cell 2" in line
    row = f"| n4_other | passed | 2 | {entry['seconds']:.1f} |"
    assert row in summary
    assert "ZeroDivisionError" in summary


def test_progress_is_told_per_notebook(ran):
    assert "n1_passes: started, 4 cells\n" in ran[2]
    assert "n1_passes: passed, " in ran[2] and "n2_fails: failed, " in ran[2]


def test_results_replace_old_ones_and_leave_nothing_else(ran):
    folder = ran[3]
    expected = {"report.json", "summary.md", ".lock"}
    expected |= {f"{name}.ipynb" for name in report_of(folder)}
    assert {path.name for path in (folder / "build" / "run").iterdir()} == expected
    assert read(folder / "notebooks" / "n1_passes.ipynb").cells[1].execution_count is None


LOG = "with open('log', 'a') as log:\n    log.write({!r})"
GO = "import os, time\nwhile not os.path.exists('go'):\n    time.sleep(0.01)  # asks again"


def test_of_two_runs_one_waits_and_neither_needs_a_reader(tmp_path):
    make_course(tmp_path, n1=[LOG.format("begin "), GO, LOG.format("end ")])
    readers, writer = os.pipe()
    os.close(readers)  # as `| head` does when it has seen enough
    command = [sys.executable, "-m", "course", "run"]

    def start():
        return subprocess.Popen(
            command, cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE, text=True
        )

    log = tmp_path / "notebooks" / "log"
    with start() as first:
        wait_for(log.exists)
        with start() as second:
            os.close(writer)
            waits = second.stderr.readline()
            (tmp_path / "notebooks" / "go").touch()
            said = [run.communicate()[1] for run in (first, second)]
    assert "another `course run` is writing there; waiting for it" in waits
    assert [first.returncode, second.returncode] == [0, 0], said
    assert log.read_text() == "begin end begin end "


def test_words_are_at_the_left_of_their_column_and_numbers_at_the_right(capsys, tmp_path):
    result = {"name": "n", "seconds": 1, "cells": 3, "error": None}
    print_table({"passed": 1, "failed": 0, "seconds": 1, "notebooks": [result]}, tmp_path)
    assert "│ n        │ passed │     3 │      1.0 │" in capsys.readouterr().out


# ---------------------------------------------------------------- refused before anything runs


@pytest.fixture
def course(tmp_path, monkeypatch) -> Path:
    make_course(tmp_path, n1=[PARAMETERS, SHOW], n2=[tagged("lr = 0.1\nseed = 3", "parameters")])
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "words, message",
    [
        (["-p", "sed", "1"], "selected notebook has a parameter 'sed'; known are: corpus (str,"),
        (["n2", "-p", "corpus", "x"], "known are: lr (float, default 0.1) in n2; seed (int,"),
        (["-p", "seed", "1.5"], "expected int for the parameter 'seed' of n1, got '1.5'; known"),
        (["-p", "lr", "fast"], "expected float for the parameter 'lr' of n2, got 'fast'"),
        (["-p", "fast", "1"], "expected bool for the parameter 'fast' of n1, got '1'"),
        (["-p", "seed"], "option '-p' requires 2 arguments"),
        (["-j", "0"], "'-j' / '--workers': 0 is not in the range x>=1 (see"),
        (["-j", "two"], "'two' is not a valid integer range"),
        (["--timeout", "-1"], "-1 is not in the range x>=1"),
        (["--outt", "x"], "no such option '--outt'"),
        (["--out", "notebooks"], "expected an output folder of its own, got notebooks"),
        (["--out", "notebooks/SUMMARY.md"], "expected an output folder that can be written"),
        (["--out", "notebooks/SUMMARY.md/x"], "notebooks/SUMMARY.md/x (Not a directory): choose"),
        (["n3"], "there is no notebook 'n3': name one of n1, n2"),
    ],
)
def test_bad_usage_is_status_2_with_one_sentence_and_changes_nothing(
    course, capsys, words, message
):
    before = files(course)
    assert main(["run", *words]) == 2
    out, err = capsys.readouterr()
    assert message in err and err.count("\n") == 1 and out == ""
    assert files(course) == before


# ---------------------------------------------------------------- no room


def test_a_full_disk_is_said_and_leaves_the_old_results(course, capsys, monkeypatch):
    out = course / "build" / "run"
    out.mkdir(parents=True)
    (out / "n1.ipynb").write_text("old")

    def side_by_side(work, jobs, workers, env, progress, keep):
        keep(jobs[0], {"name": "n1", "notebook": "new"})

    def write_bytes(path, body):
        with path.open("wb") as file:
            file.write(body[:1])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("course.execute.run.side_by_side", side_by_side)
    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    assert main(["run"]) == 2
    assert re.fullmatch(
        "course: cannot write .*n1.ipynb .No space left on device.: .*\n", capsys.readouterr().err
    )
    left = {path.name: path.read_text() for path in out.iterdir()}
    assert left == {"n1.ipynb": "old", ".lock": ""}


@pytest.mark.parametrize("command", ["run", "check"])
def test_without_a_folder_for_temporary_files_it_says_so(course, capsys, monkeypatch, command):
    def none(*_, **__):
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found in ['/tmp']")

    monkeypatch.setattr("tempfile._sanitize_params", none)
    assert main([command]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert re.fullmatch("course: .*(No usable temporary directory|can be written).*: .*", said)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full disk by name")
def test_what_can_not_be_said_ends_a_command_with_a_sentence(course):
    command = [sys.executable, "-m", "course", "start", "--no-lab", "mine"]
    with open("/dev/full", "w") as full:
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert ended.returncode == 2
    (said,) = ended.stderr.splitlines()
    assert "No space left on device" in said and said.startswith("course: ")


def test_outputs_are_stored_also_for_a_user_without_a_home(tmp_path, monkeypatch):
    def home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", home)
    assert refresh._private(tmp_path).search(f"in {tmp_path}")


NOWHERE = f"{os.devnull}/x"  # no user may make this, not even root


@pytest.mark.parametrize(
    "given, place",
    [
        ({"HOME": "{tmp}"}, None),
        ({"HOME": NOWHERE}, "scratch"),
        ({"HOME": "~"}, "scratch"),  # as where a user has no home
        ({"HOME": NOWHERE, "MPLCONFIGDIR": "{tmp}"}, None),
        ({"HOME": "{tmp}", "MPLCONFIGDIR": NOWHERE}, "scratch"),
    ],
)
def test_matplotlib_has_a_place_for_its_fonts_also_without_a_home(
    given, place, tmp_path, monkeypatch
):
    monkeypatch.delenv("MPLCONFIGDIR", raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value.format(tmp=tmp_path))
    assert headless("scratch").get("MPLCONFIGDIR") == place
    assert not list(tmp_path.iterdir())


# ---------------------------------------------------------------- parts


@pytest.mark.parametrize(
    "text, default, value",
    [
        ("7", 0, 7),
        ("7", 0.5, 7.0),
        ("FALSE", True, False),
        ("7", "x", "7"),
        ("[1, 2]", [], [1, 2]),
        ("{'a': 1}", {}, {"a": 1}),
        ("3", None, 3),
        ("text", None, "text"),
    ],
)
def test_parse_reads_the_type_of_the_default(text, default, value):
    parsed = parse(text, default)
    assert parsed == value and type(parsed) is type(value)


@pytest.mark.parametrize("text, default", [("(1, 2)", []), ("1", {}), ("1.5", 1), ("1", True)])
def test_parse_refuses_another_type(text, default):
    with pytest.raises(ValueError, match="1"):
        parse(text, default)


def test_only_what_looks_like_a_path_and_is_a_file_becomes_one(tmp_path, monkeypatch):
    (tmp_path / "mine.txt").write_text("")
    (tmp_path / "names").write_text("")
    (tmp_path / "some.dir").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "sep", "\\")  # as on Windows, where a slash makes a path too
    assert parse("mine.txt", "") == str(tmp_path / "mine.txt")
    assert parse("./names", "") == str(tmp_path / "names")
    assert parse("names", "") == "names"
    for text in ("gone.txt", "some.dir", "./gone"):
        with pytest.raises(CourseError, match=f"there is no file '{text}': check the spelling"):
            parse(text, "")


def test_parameters_without_literals_matter_only_when_one_is_given(course):
    path = course / "notebooks" / "n2.ipynb"
    nb = read(path)
    nb.cells[1].source = "lr = 10 ** -1"
    assert choose({path: nb}, []) == {path: {}}
    with pytest.raises(CourseError, match="expected plain assignments"):
        choose({path: nb}, [("lr", "1")])


def test_short_keeps_a_syntax_error_readable():
    traceback = ["  \x1b[36mCell\x1b[39m In[1], line 1\n    x = = 1\n        ^\nSyntaxError: bad"]
    assert short(traceback) == "  Cell In[1], line 1\n    x = = 1\n        ^"


# ---------------------------------------------------------------- interruption


SLEEP = """import os, pathlib, time
pathlib.Path("mine").write_text(str(os.getpid()))
os.rename("mine", "kernel")
time.sleep(600)  # till it is ended"""


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
@pytest.mark.parametrize(
    ("sent", "status"),
    [("SIGINT", 130), ("SIGKILL", -9), pytest.param("SIGTERM", 130, marks=pytest.mark.weekly)],
)
def test_an_interrupted_run_leaves_no_process_and_no_partial_file(
    tmp_path, sent, status, as_in_a_terminal
):
    make_course(tmp_path, n1_sleeps=[SLEEP], n2_waits=["1"])
    out = tmp_path / "build" / "run"
    out.mkdir(parents=True)
    (out / "n1_sleeps.ipynb").write_text("old")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "course", "run", "-j", "1"],
        cwd=tmp_path,
        env=os.environ | {"TMPDIR": str(scratch)},
        stderr=subprocess.PIPE,
        text=True,
    )
    kernel = tmp_path / "notebooks" / "kernel"
    try:
        wait_for(lambda: kernel.exists() or process.poll() is not None)
        below = [p.pid for p in psutil.Process(process.pid).children(recursive=True)]
        assert int(kernel.read_text()) in below
        process.send_signal(getattr(signal, sent))
        _, err = process.communicate()
    finally:
        end(process.pid)
    assert process.returncode == status
    assert "Traceback" not in err
    if status == 130:
        assert "course: interrupted" in err
        assert not list(scratch.iterdir())
    wait_for(lambda: all(map(ended, below)))
    left = {path.name: path.read_text() for path in out.iterdir()}
    assert left == {"n1_sleeps.ipynb": "old", ".lock": ""}
