"""Tests that break the rules are refused, and all tests run in the same environment."""

import os
import subprocess
import sys
import textwrap
import threading

import pytest

from tests import refusals
from tests.conftest import ROOT

CLOCK = "asserts what a clock or a meter says"


@pytest.mark.parametrize(
    "body, why",
    [
        ("assert time.monotonic() - start < 2", CLOCK),
        ("assert clock() < 2 or perf_counter() < 2", CLOCK),
        ("assert 0 < time.time() - start", CLOCK),
        ("spent = process_time() - start\n    assert spent < 1", CLOCK),
        ("a = b = monotonic()\n    c = a + 1\n    assert c > 3", CLOCK),
        ("assert result.peak < 300", CLOCK),
        ("assert psutil.Process().num_threads() == 3", CLOCK),
        ("assert threading.active_count() == 1", CLOCK),
        ("assert memory.rss < 300", CLOCK),
        ("assert time.thread_time() < 2", CLOCK),
        ("assert time.time_ns() < 2", CLOCK),
        ("time.sleep(1)", "a sleep needs its reason"),  # this line is refused
        ("assert list(psutil.process_iter())", "lists the processes"),  # refused
        ("x = free_port()", "bind port 0"),  # refused
    ],
)
def test_a_test_that_may_be_red_by_chance_is_refused_with_its_line(body, why):
    (found,) = refusals.refused(f"def test_it():\n    {body}\n")
    assert why in found
    assert int(found.partition(":")[0]) == body.count("\n") + 2


def test_other_tests_are_not():
    good = """
    def other():
        spent = clock()
    def test_it():
        end = monotonic() + 60
        while not done():
            time.sleep(1)  # asks again
        # as long as it takes
        time.sleep(1)
        spent = 3
        assert spent == 3 and timed_out is None
    """  # without a reason none of these sleeps would pass
    assert refusals.refused(textwrap.dedent(good)) == []


def test_a_thread_that_another_is_just_starting_is_waited_for():
    class Starting(threading.Thread):  # threading lists such a thread before it runs
        tries = 0

        def join(self, timeout=None):
            self.tries += 1
            if self.tries == 2:
                self.start()
            super().join(timeout)

    thread = Starting(target=int)
    assert refusals._left(thread) == ""
    assert thread.tries == 2 and thread.ident and not thread.is_alive()


LEAVES = """
import os, signal, subprocess, threading
import pytest

def test_thread():
    threading.Thread(target=threading.Event().wait, name="mine", daemon=True).start()

def test_process():
    os.mine = subprocess.Popen(["sleep", "600"])

def test_settings():
    signal.signal(signal.SIGUSR1, print)
    os.environ["HOME"] = os.environ["MINE"] = "1"
    os.chdir("/")
    os.umask(0)

def test_none():
    threading.Thread(target=print).start()
    subprocess.run(["true"])
    assert os.getcwd() != "/" and os.umask(0o22) == 0o22
    assert os.environ["HOME"] != "1" and "MINE" not in os.environ

def test_once_more():
    os.mine.kill()
    os.mine.wait()

@pytest.fixture(scope="module")
def server():
    command = "exec 3<&0; read x; cat <&3 & echo has started; wait"
    with subprocess.Popen(["sh", "-c", command], stdin=-1, stdout=-1, bufsize=0) as server:
        yield server

def test_what_is_there_before(server):
    server.stdin.write(b"x\\n")
    assert b"has started" in server.stdout.readline()

def test_asks(server):
    pass
"""
CHANCE = """
def test_none():
    pass

def test_chance():
    assert open.peak
"""
SHELL = """
import os, subprocess, sys, time
from pathlib import Path
from tests import shell

def test_shell():
    assert not list(Path.home().iterdir()) and time.tzname[0] == "UTC"
    assert not {"COLUMNS", "GIT_INDEX_FILE", "http_proxy", "ALL_PROXY"} & {*os.environ}
    assert os.umask(0o22) == 0o22
    command = [sys.executable, "-c", "import locale, sys; print(locale.getlocale(), sys.path[1])"]
    said = subprocess.run(command, capture_output=True, text=True).stdout
    assert "UTF-8" in said and "elsewhere" not in said
"""
CONFTEST = """from tests import refusals
from tests.refusals import _a_nothing_is_left, pytest_runtest_setup
refusals.ENDS = 2
"""


ODD = {  # an odd shell; without plugins, because importing them takes seconds
    "HOME": str(ROOT),
    "TZ": "Asia/Kathmandu",
    "COLUMNS": "200",
    "GIT_INDEX_FILE": "/elsewhere",
    "http_proxy": "http://elsewhere",
    "ALL_PROXY": "http://elsewhere",
    "LC_ALL": "C",
    "PYTHONPATH": os.pathsep.join([str(ROOT), "/elsewhere"]),
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
}


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """pytest's output for three test files that are run like these tests, but from an odd shell."""
    folder = tmp_path_factory.mktemp("tests")
    files = {"test_leaves": LEAVES, "test_chance": CHANCE, "test_a_shell": SHELL}
    for name, source in (files | {"conftest": CONFTEST}).items():
        (folder / f"{name}.py").write_text(source)
    command = [sys.executable, "-m", "pytest", "-c", os.devnull, "-p", "no:cacheprovider", "-rA"]
    ours = {name: v for name, v in os.environ.items() if not name.startswith("PYTEST_")}
    ours["CI"] = "true"  # then pytest doesn't shorten the lines of its summary
    done = subprocess.run(command, cwd=folder, env=ours | ODD, capture_output=True, text=True)
    assert "8 passed, 5 errors" in done.stdout, done.stdout + done.stderr
    return done.stdout


def test_a_test_that_leaves_something_fails(said):
    begin = "ERROR test_leaves.py::test_"
    assert f"{begin}thread - AssertionError: the test leaves ['Thread mine']" in said
    assert f"{begin}process - AssertionError: the test leaves ['sleep 600']" in said
    assert (
        "leaves [], and changes ['umask', 'folder', 'HOME', 'MINE', <Signals.SIGUSR1: 10>]" in said
    )
    assert said.count(begin) == 3


def test_a_file_that_may_be_red_by_chance_is_not_run(said):
    line = CHANCE.splitlines().index("    assert open.peak") + 1
    assert said.count("ERROR test_chance.py::") == 2
    assert f"test_chance.py:{line}: asserts what a clock" in said


def test_a_test_sees_the_same_shell_wherever_it_is_started(said):
    assert "PASSED test_a_shell.py::test_shell" in said


def test_where_text_is_not_utf_8_the_shell_says_what_to_do():
    latin = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    command = [sys.executable, "-c", "import tests.shell"]
    env = os.environ | latin
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 1 and "set PYTHONUTF8=1" in done.stderr
