"""The exercises that a learner has passed, saved on their computer, outside of the course's folder.

Checks that pass write into one JSON file, in the system's folder for user data or in the folder that
the variable COURSE_PROGRESS names. Headless runs neither write nor read it, because a page must be
the same everywhere.
"""

import html
import json
import os
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import platformdirs
from filelock import FileLock, Timeout

from course.errors import CourseError
from course.files import write_text
from course.learn.html import RIGHT, UNTRIED

NONE_YET = "You haven't passed any exercise yet. When a check passes, it is saved; then call progress() again."


def file() -> Path:
    """The path of the file with this learner's passed checks."""
    folder = os.environ.get("COURSE_PROGRESS") or platformdirs.user_data_dir("attention-course")
    return Path(folder).expanduser() / "progress.json"


def passed() -> dict[str, str]:
    """Return the ids of the passed exercises, each with the day of its first pass; {} if headless.

    Raises CourseError if the file can't be read or has another form, and doesn't change it.
    """
    if os.environ.get("COURSE_HEADLESS"):
        return {}
    path = file()
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))["passed"]
        if not all(isinstance(part, str) for pair in kept.items() for part in pair):
            raise ValueError("an id or a day that isn't text")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise CourseError(
            f"{path}: expected the record of passed checks, but it can't be read "
            f"({type(error).__name__}: {error}); correct it, or move it away to begin a new one"
        ) from None
    return kept


def keep(id: str) -> None:
    """Save that a check has passed. The file is complete at every moment, even if two kernels write.

    Raises CourseError if it can't be written or is damaged, and doesn't change a damaged one.
    """
    if os.environ.get("COURSE_HEADLESS"):
        return
    path = file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_suffix(".lock"), timeout=60):
            before = passed()
            if id in before:
                return
            both = {"passed": before | {id: date.today().isoformat()}}
            write_text(json.dumps(both, indent=1), path)
    except (OSError, Timeout) as error:
        raise CourseError(f"{path} can't be written ({error})") from None


@dataclass(frozen=True)
class Progress:
    """The exercises of each chapter, and which of them are passed."""

    chapters: dict[str, dict[str, bool]]

    @classmethod
    def of(cls, ids: list[str]) -> "Progress":
        """Return the learner's progress in the exercises with these ids."""
        done, chapters = passed(), {}
        for id in ids:
            chapter, _, name = id.partition(".")
            chapters.setdefault(chapter, {})[name] = id in done
        return cls(chapters)

    def __repr__(self) -> str:
        if not any(any(names.values()) for names in self.chapters.values()):
            return NONE_YET
        lines = [f"{self._count()} exercises passed"]
        for chapter, names in self.chapters.items():
            left = [name for name, done in names.items() if not done]
            share = f"{len(names) - len(left)} of {len(names)}"
            lines.append(f"{chapter}  {share:<8} {'open: ' + ', '.join(left) if left else ''}")
        return "\n".join(line.rstrip() for line in lines)

    def _count(self) -> str:
        done = [done for names in self.chapters.values() for done in names.values()]
        return f"{sum(done)} of {len(done)}"

    def _repr_html_(self) -> str:
        if str(self) == NONE_YET:
            return f"<p>{NONE_YET.replace('progress()', '<code>progress()</code>')}</p>"
        rows = "".join(
            f'<tr><th scope="row">{chapter}</th><td>'
            + ", ".join(
                f'<code style="border-bottom: 3px solid {RIGHT if done else UNTRIED}">'
                f"{'✓ ' if done else ''}{html.escape(name)}</code>"
                for name, done in names.items()
            )
            + "</td></tr>"
            for chapter, names in self.chapters.items()
        )
        return (
            f"<table><caption>{self._count()} exercises passed (✓)</caption>"
            '<thead><tr><th scope="col">Chapter</th><th scope="col">Exercises</th></tr></thead>'
            f"<tbody>{rows}</tbody></table>"
        )
