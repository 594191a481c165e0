"""Write files and folders completely or not at all: readers see the old one or the new one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir

from course.errors import CourseError


def write_text(text: str, path: Path) -> None:
    """Write a text to a file in UTF-8, as `write_bytes` does."""
    write_bytes(text.encode(), path)


def write_bytes(body: bytes, path: Path) -> None:
    """Write a file completely or not at all, and make its folder if necessary.

    A symlink stays a symlink, and the file keeps its mode. Raises CourseError if it can't be written.
    """
    path = path.resolve()
    new = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            new.write_bytes(body)
            if path.exists():
                shutil.copymode(path, new)
            os.replace(new, path)
        finally:
            new.unlink(missing_ok=True)
    except OSError as error:
        raise _cannot_write(path, error) from None


@contextmanager
def atomic_folder(out: Path) -> Iterator[Path]:
    """Yield a path for a new folder, which replaces `out` if the block ends without an error.

    If two processes build the same folder, one waits for the other. If a process was killed, the next one
    removes its unfinished folder, or brings the old one back if `out` was just being replaced.
    Raises CourseError if the folder can't be written.
    """
    from filelock import FileLock

    new, old = (out.with_name(f".{out.name}.{name}") for name in ("new", "old"))
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(out.with_name(f".{out.name}.lock")):
            _restore(old, out)
            shutil.rmtree(new, ignore_errors=True)
            try:
                yield new
                if out.exists():
                    out.rename(old)
                new.rename(out)
            finally:
                _restore(old, out)
                shutil.rmtree(new, ignore_errors=True)
    except OSError as error:  # a failed copy names two files, a write that fails midway none
        where = error.filename2 or error.filename or f"{out} or into {gettempdir()}"
        raise _cannot_write(where, error) from None


def _restore(old: Path, out: Path) -> None:
    if old.exists() and not out.exists():
        old.rename(out)
    shutil.rmtree(old, ignore_errors=True)


def _cannot_write(path: object, error: OSError) -> CourseError:
    return CourseError(
        f"cannot write {path} ({error.strerror or error}): choose another folder, or make room there"
    )
