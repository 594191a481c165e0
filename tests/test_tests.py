"""The run of the tests itself: it ends, and says by name which test could not."""

import subprocess
import sys

from tests.conftest import ROOT

DEAF = """
import time

def test_before():
    pass

def test_deaf():  # as in the text of an exception with ten thousand others behind it
    while True:
        try:
            time.sleep(60)
        except BaseException:
            pass

def test_after():
    pass
"""


def test_a_test_that_no_exception_stops_is_a_failure_with_a_name(tmp_path):
    (tmp_path / "test_deaf.py").write_text(DEAF)
    limits = [part for name in ("timeout=1", "faulthandler_timeout=3") for part in ("-o", name)]
    command = [sys.executable, "-m", "pytest", "-c", ROOT / "pyproject.toml", "-n", "1", *limits]
    command += ["-p", "no:cacheprovider", tmp_path]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert run.returncode == 1, run.stdout + run.stderr
    assert "crashed while running" in run.stdout and "test_deaf.py::test_deaf" in run.stdout
    assert "1 failed, 2 passed" in run.stdout
    assert "in test_deaf" in run.stderr
