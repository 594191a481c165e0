"""A check leaves nothing behind, ends what never ends, and says the same on every machine."""

import os
import signal
import subprocess
import sys
import time

import pytest
import torch

from course.errors import CourseError, RecordError
from course.learn import apart
from course.learn.attempt import Late
from tests.conftest import ROOT, ended, wait_for
from tests.course.test_attempt import E, double

SAID = "your function was still running when the check stopped it. Does it ever end?"


@pytest.fixture(params=["forked", "here"])
def everywhere(request, monkeypatch):
    """As on a system that forks, and as on one that can't."""
    if request.param == "here":
        monkeypatch.setattr(apart, "_forks", lambda: False)


@pytest.mark.usefixtures("everywhere")
def test_right_and_wrong_answers_get_their_verdicts():
    assert apart.verdict(E, double).sentence == "passed on 2 inputs."
    assert "expected [2.0], got [3.0]" in apart.verdict(E, lambda x: 3 * x).sentence


def test_this_system_forks():
    assert apart._forks()


def loops(x):
    while True:
        pass


def test_only_the_call_that_never_ends_is_blamed(monkeypatch):
    monkeypatch.setattr(apart, "PROCESSOR", 0.5)
    found = apart.verdict(E, lambda x: double(x) if len(x) == 1 else loops(x))
    assert found.sentence == f"on double([2.0, 3.0]), {SAID}"


def test_the_clocks_start_anew_after_a_call_that_is_known_to_end_its_process(monkeypatch):
    starts = []
    monkeypatch.setattr(apart, "_set_clocks", lambda: starts.append("now"))
    apart._judge(bytearray(apart.ROOM), E, double, {1: Late("ended")})
    assert len(starts) == 2  # the first is at the beginning


class OddSignature:
    """A callable whose signature never ends, or ends the process."""

    def __init__(self, end):
        self.end = end

    @property
    def __signature__(self):
        self.end()

    def __call__(self, x):
        return 2 * x


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (lambda: loops(1), "your function was still running when the check stopped it."),
        (lambda: os._exit(4), "your function ended its whole process (exit status 4)."),
        (lambda: os._exit(0), "your function ended its whole process (exit status 0)."),
    ],
)
def test_what_ends_the_process_outside_of_a_call_is_told_too(end, said, monkeypatch):
    monkeypatch.setattr(apart, "PROCESSOR", 0.5)
    assert apart.verdict(E, OddSignature(end)).sentence == said


def test_the_fault_of_a_check_is_no_fault_of_the_answer(monkeypatch):
    monkeypatch.setattr(apart, "judge", lambda *given: 1 / 0)
    with pytest.raises(CourseError, match="ZeroDivisionError: division by zero"):
        apart.verdict(E, double)

    def broken(*given):
        raise RecordError("the record has no answer")

    monkeypatch.setattr(apart, "judge", broken)
    with pytest.raises(RecordError, match="^the record has no answer$"):
        apart.verdict(E, double)


STOPPED = """
import os, threading
from course.learn import apart
from tests.course.test_attempt import E, double

apart._forks()
apart.WALL = 3600  # no clock ends it
wait = os.waitpid

def told(pid, options):
    os.waitpid = wait
    print(pid, flush=True)  # from now on a stop is heard: not so while Python forks
    return wait(pid, options)

os.waitpid = told
try:
    apart.verdict(E, lambda x: threading.Event().wait())
except KeyboardInterrupt:
    print("stopped", apart.verdict(E, double).sentence)
"""


def test_stop_pressed_by_the_learner_ends_the_process_of_the_check(as_in_a_terminal):
    with subprocess.Popen(
        [sys.executable, "-c", STOPPED], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as kernel:
        child = int(kernel.stdout.readline())
        kernel.send_signal(signal.SIGINT)  # it is in the call, and waits for ever
        assert kernel.stdout.readline() == "stopped passed on 2 inputs.\n"
    assert kernel.returncode == 0
    wait_for(lambda: ended(child))


def test_nothing_that_a_function_starts_outlives_its_check(tmp_path):
    def leaves(x):
        if not (pid := os.fork()):
            while True:
                time.sleep(1)  # for ever: it is ended from outside
        (tmp_path / f"{pid}").touch()
        return 2 * x

    assert apart.verdict(E, leaves).status == "passed"
    pids = [int(path.name) for path in tmp_path.iterdir()]
    assert len(pids) >= 2
    wait_for(lambda: all(map(ended, pids)))


def test_where_pytorch_has_threads_a_check_still_ends():
    """A pool of threads doesn't outlive a fork; a function that waited for it would wait for ever."""
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        wide = torch.ones(600, 600)
        (wide @ wide).softmax(dim=-1)  # starts the pool
        found = apart.verdict(E, lambda x: 2 * x + 0 * (wide @ wide).softmax(dim=-1).sum())
        assert found.status == "passed"
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(threads)
