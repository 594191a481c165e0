"""Find the content of the course: only this module knows where the chapters are.

A package of chapters registers itself as the entry point `course.chapters` of its distribution. It has a
folder for each chapter, `chNN`, with the exercises, the quiz and the talk of notebook NN, and with the scripts
and styles of its live explorers. It can also have an overview picture, `whole.svg`, with a part for each
chapter, `<a data-chapter="NN">`. A package with the weights of trained models, with which pages compute,
registers itself as an entry point `course.weights`.
"""

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

from course.errors import CourseError

GROUP, WEIGHTS = "course.chapters", "course.weights"


@cache
def package() -> str:
    """Return the name of the package of chapters. Raises CourseError unless exactly one is installed."""
    names = sorted({point.value for point in entry_points(group=GROUP)})
    if len(names) != 1:
        raise CourseError(
            f"expected one installed package of chapters (entry point {GROUP!r}), "
            f"got {', '.join(names) or 'none'}: run `python install.py` in the course's folder"
        )
    return names[0]


def folder() -> Path:
    """The folder of the chapters."""
    return Path(import_module(package()).__path__[0])


def chapter(number: str) -> Path:
    """The folder of the chapter with this number, such as "04" or "A5"."""
    return folder() / f"ch{number}"


def whole() -> str:
    """Return the overview picture of what the chapters build, as SVG, or "" if there is none."""
    file = folder() / "whole.svg"
    return file.read_text(encoding="utf-8") if file.exists() else ""


def explorer_files() -> list[Path]:
    """Return the scripts and styles of the chapters' live explorers."""
    files = sorted(folder().glob("ch*/*"))
    return [file for file in files if file.suffix in {".css", ".js"}]


def weights() -> list[Path]:
    """Return the files of the trained models that come with the course."""
    folders = (import_module(point.value).__path__[0] for point in entry_points(group=WEIGHTS))
    return sorted(file for folder in folders for file in Path(folder).rglob("*.safetensors"))
