"""What is published is replaced as a whole, by one builder at a time."""

import os
import signal
import subprocess
import sys
import time

import pytest

from course.errors import CourseError
from course.publish.finished import replacing

BUILDER = """
import sys, time
from pathlib import Path
from course.publish.finished import replacing
with replacing(Path(sys.argv[1])) as new:
    new.mkdir()
    for n in range(20):
        (new / f"{n}").write_text(sys.argv[2])
        time.sleep(0.01)
"""


@pytest.fixture
def out(tmp_path):
    folder = tmp_path / "build" / "book"
    with replacing(folder) as new:
        new.mkdir()
        (new / "page").write_text("good")
    return folder


def left(out):
    return sorted(p.name for p in out.parent.iterdir())


def test_a_finished_folder_takes_the_place(out):
    with replacing(out) as new:
        new.mkdir()
        assert (out / "page").read_text() == "good"
        (new / "other").write_text("new")
    assert [p.name for p in out.iterdir()] == ["other"] and left(out) == [".book.lock", "book"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_unfinished_one_does_not(out, error):
    with pytest.raises(error), replacing(out) as new:
        new.mkdir()
        raise error
    assert (out / "page").read_text() == "good" and left(out) == [".book.lock", "book"]


def test_one_that_can_not_be_put_in_place_does_not(out):
    with pytest.raises(CourseError, match="cannot write"), replacing(out):
        pass  # there is no new folder
    assert (out / "page").read_text() == "good" and left(out) == [".book.lock", "book"]


def test_the_last_good_one_comes_back_after_a_kill_between_the_renamings(out):
    out.rename(out.with_name(".book.old"))
    with pytest.raises(ValueError), replacing(out):
        assert (out / "page").read_text() == "good"
        raise ValueError
    assert (out / "page").read_text() == "good"


def test_two_builders_wait_for_each_other(out):
    both = [subprocess.Popen([sys.executable, "-c", BUILDER, out, name]) for name in "ab"]
    assert [builder.wait(60) for builder in both] == [0, 0]
    assert (
        len({page.read_text() for page in out.iterdir()}) == 1 and len(list(out.iterdir())) == 20
    )
    assert left(out) == [".book.lock", "book"]


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
@pytest.mark.parametrize("later", [0.0, 0.05, 0.1, 0.15, 0.2, 0.25])
def test_a_killed_builder_loses_nothing(out, later):
    builder = subprocess.Popen([sys.executable, "-c", BUILDER, out, "x"])
    while builder.poll() is None and not out.with_name(".book.new").exists():
        time.sleep(0.005)
    time.sleep(later)
    builder.send_signal(signal.SIGKILL)
    builder.wait()
    with pytest.raises(ValueError), replacing(out):
        raise ValueError  # the next builder clears away, and fails
    pages = [page.read_text() for page in out.iterdir()]
    assert pages == ["good"] or pages == ["x"] * 20
    assert left(out) == [".book.lock", "book"]
