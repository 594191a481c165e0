"""Files and folders are replaced as a whole; a folder by one builder at a time."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile

import pytest
from filelock import FileLock, Timeout

from course import files
from course.errors import CourseError
from course.files import atomic_folder, write_text

# ---------------------------------------------------------------- a file


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "folder" / "a.ipynb"
    write_text("old", path)  # which makes the folder
    return path


def test_a_file_that_can_not_be_written_stays_as_it_was(file, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "replace", full)
    with pytest.raises(CourseError, match=r"cannot write .*a.ipynb \(No space left"):
        write_text("new", file)
    assert file.read_text() == "old" and list(file.parent.iterdir()) == [file]


@pytest.mark.skipif(os.name == "nt", reason="modes and links are POSIX's")
def test_a_link_stays_a_link_and_its_file_keeps_the_mode(file, tmp_path):
    elsewhere = file.rename(tmp_path / "kept.ipynb")
    elsewhere.chmod(0o600)
    file.symlink_to(elsewhere)
    write_text("new", file)
    assert file.is_symlink() and elsewhere.read_text() == "new"
    assert elsewhere.stat().st_mode & 0o777 == 0o600
    assert not list(tmp_path.rglob("*.tmp"))


# ---------------------------------------------------------------- a folder

BUILDER = """
import shutil, sys
from pathlib import Path
from course.files import atomic_folder

out, text, n_steps = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])

def counted(function):
    def step(*given, **more):
        global n_steps
        if not n_steps:
            print("here", flush=True)
            sys.stdin.read()  # until it is killed
        n_steps -= 1
        return function(*given, **more)
    return step

for owner, name in ((Path, "rename"), (Path, "mkdir"), (Path, "write_text"), (shutil, "rmtree")):
    setattr(owner, name, counted(getattr(owner, name)))
with atomic_folder(out) as new:
    new.mkdir()
    for n in range(3):
        (new / f"{n}").write_text(text)
"""
STEPS = 12  # of a builder: folders, files and renamings


def builder(out, text, n_steps=-1):
    """A builder in a process of its own, which waits before its step n_steps."""
    command = [sys.executable, "-c", BUILDER, out, text, str(n_steps)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@pytest.fixture
def out(tmp_path):
    folder = tmp_path / "build" / "book"
    with atomic_folder(folder) as new:
        new.mkdir()
        (new / "page").write_text("good")
    return folder


def left(out):
    return sorted(p.name for p in out.parent.iterdir())


def test_a_finished_folder_takes_the_place(out):
    with atomic_folder(out) as new:
        new.mkdir()
        assert (out / "page").read_text() == "good"
        (new / "other").write_text("new")
    assert [p.name for p in out.iterdir()] == ["other"] and left(out) == [".book.lock", "book"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_unfinished_one_does_not(out, error):
    with pytest.raises(error), atomic_folder(out) as new:
        new.mkdir()
        raise error
    assert (out / "page").read_text() == "good" and left(out) == [".book.lock", "book"]


def test_one_that_can_not_be_put_in_place_does_not(out):
    with pytest.raises(CourseError, match="cannot write"), atomic_folder(out):
        pass  # there is no new folder
    assert (out / "page").read_text() == "good" and left(out) == [".book.lock", "book"]


@pytest.mark.parametrize(
    "error, named",
    [
        (OSError(28, "Full", "read", None, "written"), "written (Full)"),  # of a copy
        (OSError(28, "Full", "written"), "written (Full)"),
        (OSError(28, "Full"), f"{{out}} or into {tempfile.gettempdir()} (Full)"),  # of a write
        (shutil.Error(["three files"]), f"{{out}} or into {tempfile.gettempdir()} (['three"),
    ],
)
def test_what_could_not_be_written_is_named(out, error, named):
    with pytest.raises(CourseError) as said, atomic_folder(out):
        raise error
    assert str(said.value).startswith(f"cannot write {named.format(out=out)}")


def test_the_last_good_one_comes_back_after_a_kill_between_the_renamings(out):
    out.rename(out.with_name(".book.old"))
    with pytest.raises(ValueError), atomic_folder(out):
        assert (out / "page").read_text() == "good"
        raise ValueError
    assert (out / "page").read_text() == "good"


def test_two_builders_wait_for_each_other(out):
    with builder(out, "a", 4) as first, builder(out, "b") as second:
        assert first.stdout.readline() == "here\n"  # in the middle, and holds the lock
        with pytest.raises(Timeout), FileLock(out.with_name(".book.lock"), timeout=0):
            pass
        first.stdin.close()  # it goes on
        assert [first.wait(), second.wait()] == [0, 0]
    pages = [page.read_text() for page in out.iterdir()]
    assert pages in (["a"] * 3, ["b"] * 3)
    assert left(out) == [".book.lock", "book"]


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
@pytest.mark.parametrize("n_steps", range(STEPS))
def test_a_builder_that_is_killed_before_any_of_its_steps_loses_nothing(out, n_steps):
    with builder(out, "x", n_steps) as killed:
        assert killed.stdout.readline() == "here\n"
        killed.send_signal(signal.SIGKILL)
    with pytest.raises(ValueError), atomic_folder(out):
        raise ValueError  # the next builder clears away, and fails
    pages = [page.read_text() for page in out.iterdir()]
    assert pages in (["good"], ["x"] * 3)
    assert left(out) == [".book.lock", "book"]


def test_a_builder_has_no_more_steps(out):
    with builder(out, "x", STEPS) as whole:
        whole.stdin.close()
        assert whole.stdout.read() == ""
    assert whole.returncode == 0
