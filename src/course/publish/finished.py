"""A folder that is published as a whole: the last good one stays until the next one is finished."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir

from filelock import FileLock

from course.errors import CourseError


@contextmanager
def replacing(out: Path) -> Iterator[Path]:
    """A folder to fill, which takes the place of `out` if nothing goes wrong inside.

    Of two builders one waits for the other. A builder that was killed leaves its folders, which the
    next one clears away; if it was killed between the two renamings, the last good one comes back.

    Raises CourseError where the folder can't be written.
    """
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
    except OSError as error:  # a copy names two files, a write that fails in the middle none
        where = error.filename2 or error.filename or f"{out} or into {gettempdir()}"
        raise CourseError(
            f"cannot write {where} ({error.strerror or error}): "
            "make room there, or choose another folder"
        ) from None


def _restore(old: Path, out: Path) -> None:
    if old.exists() and not out.exists():
        old.rename(out)
    shutil.rmtree(old, ignore_errors=True)
