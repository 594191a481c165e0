"""The test run itself: it always ends, names a test that doesn't end, and reports each part."""

import subprocess
import sys

import jaxtyping
import pytest

from attention.masks import to_additive
from chapters.ch14.patterns import uniform_weights
from tests import __main__ as whole
from tests.conftest import ROOT

DEAF = """
import time

def test_deaf():  # as in the text of an exception with ten thousand others behind it
    while True:
        try:
            time.sleep(60)  # for ever: nothing stops it
        except BaseException:
            pass
"""


def test_a_test_that_no_exception_stops_is_a_failure_with_a_name(tmp_path):
    (tmp_path / "test_deaf.py").write_text(DEAF)
    limits = [part for name in ("timeout=1", "faulthandler_timeout=2") for part in ("-o", name)]
    command = [sys.executable, "-m", "pytest", "-c", ROOT / "pyproject.toml", "-n", "1", *limits]
    for name in ("nbval", "hypothesispytest", "randomly", "anyio"):  # not needed here
        command += ["-p", f"no:{name}"]
    command += ["-p", "no:cacheprovider", tmp_path]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert run.returncode == 1, run.stdout + run.stderr
    assert "crashed while running" in run.stdout and "test_deaf.py::test_deaf" in run.stdout
    assert "1 failed" in run.stdout
    assert "in test_deaf" in run.stderr


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["== 3 failed, 41 passed in 9.13s ==", "a late line"], "3 failed, 41 passed"),
        (["884 passed in 96.62s (0:01:36)"], "884 passed"),
        (["311 files already formatted", ""], "311 files already formatted"),
        ([], "said nothing"),
    ],
)
def test_a_part_is_counted_in_its_own_words(lines, said):
    assert whole.count(lines) == said


@pytest.mark.parametrize("fails", ["style", "format", "tests", "stored outputs", None])
def test_all_parts_run_whatever_the_others_say(fails, monkeypatch, capsys):
    ran = []

    def run(name, *command):
        ran.append((name, command))
        return int(name == fails), [
            "SKIPPED [1] tests/x.py: no Chromium",
            "=== 7 passed in 1s ===",
        ]

    monkeypatch.setattr(whole, "run", run)
    assert whole.main([]) == int(fails is not None)
    assert [name for name, _ in ran] == ["style", "format", "tests", "stored outputs"]
    said = capsys.readouterr().out
    assert said.count("passed: 7 passed") + said.count("FAILED: 7 passed") == 4
    assert said.count("FAILED") == int(fails is not None)
    assert "SKIPPED [1] tests/x.py: no Chromium" in said and "make test-all" in said


def test_a_part_shows_what_it_says_and_its_status(capfd):
    status, lines = whole.run("a part", "this", "--nothing")
    assert status == 0 and "Simple is better than complex." in lines
    assert "Simple is better than complex." in capfd.readouterr().out
    assert whole.run("another", "no_such_module")[0] != 0


def test_what_is_for_every_week_runs_with_all(monkeypatch):
    ran = []
    monkeypatch.setattr(whole, "run", lambda *part: (ran.append(part), (0, []))[1])
    whole.main(["--all", "-k", "head"])
    [tests] = [part for part in ran if part[0] == "tests"]
    assert "not weekly" not in tests and tests[-2:] == ("-k", "head")


@pytest.mark.parametrize(("function", "given"), [(to_additive, [3]), (uniform_weights, [3.5])])
def test_shapes_and_types_are_checked_in_what_is_taught(function, given):
    with pytest.raises(jaxtyping.TypeCheckError):
        function(*given)
