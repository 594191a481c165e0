"""Whether solutions are shown: one setting in book.toml for checks, book, decks and PDFs.

    [preprocessor.course]
    solutions = "after passing"   # or "shown", the default, or "withheld"

Stored outputs never contain a solution: a notebook shows it when its check runs, and the book and
the decks add it when they are built. If a solution is kept back, a sentence says so.
"""

import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from course.errors import CourseError
from course.notebooks import root

KEPT_BACK = {
    "after passing": "You can see the solution once your answer has passed.",
    "withheld": "Your instructor withholds the solution.",
}
SETTINGS = ("shown", *KEPT_BACK)
PLACE = "preprocessor.course.solutions"


def setting(folder: Path) -> str:
    """Return a folder's setting ("shown" by default). Raises CourseError for a wrong book.toml."""
    try:
        said = [*_said(tomllib.loads((folder / "book.toml").read_text(encoding="utf-8-sig")))]
    except FileNotFoundError:
        return SETTINGS[0]
    except (OSError, ValueError) as error:
        raise CourseError(f"expected TOML in {folder / 'book.toml'}, but: {error}") from None
    found = SETTINGS[0]
    for place, value in said:
        if place != PLACE:
            raise CourseError(
                f"expected {PLACE} in book.toml to say who sees solutions, got {place}: move it"
            )
        found = value
    if found not in SETTINGS:
        raise CourseError(
            f"expected solutions in book.toml to be one of {', '.join(map(repr, SETTINGS))}, "
            f"got {found!r}: correct the line"
        )
    return found


def _said(table: dict, place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every setting of solutions with its place: a misplaced one must not be overlooked."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _said(value, f"{place}{key}.")
        elif key.lower().startswith("solution"):
            yield f"{place}{key}", value


def in_check(passed: bool) -> tuple[bool, str]:
    """Return whether a check shows the solution, and if it doesn't, a sentence that says why.

    Outside of the course's folder, the package's book.toml decides; without one, it is shown.
    """
    if os.environ.get("COURSE_HEADLESS"):
        return False, ""  # because its outputs may be stored
    try:
        folder = root()
    except CourseError:
        folder = Path(__file__).parents[1]
    found = setting(folder)
    shown = found == "shown" or (found == "after passing" and passed)
    return shown, "" if shown else KEPT_BACK[found]


def kept_back(folder: Path) -> str:
    """What the book and the decks say in place of a solution; '' if they show it."""
    return KEPT_BACK.get(setting(folder), "")
