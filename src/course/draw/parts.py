"""The files with which a live explorer draws: those that all share, those that its script needs, and its own.

A script names the others that it needs in its first comment, `// Needs gpt, tiles.`; its style has its name.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from course import content
from course.errors import CourseError

SHARED = [Path(__file__).with_name(name) for name in ("live.css", "live.js")]
NEEDS = re.compile(r"^// Needs (.+)\.$", re.MULTILINE)


def parts(modules: Iterable[str]) -> list[Path]:
    """Return the files that these explorers load, in the order in which they can load."""
    files = {file.name: file for file in content.explorer_files()}
    names = dict.fromkeys(name for module in modules for name in _with_needs(module, files))
    own = [
        files[name + kind] for name in names for kind in (".css", ".js") if name + kind in files
    ]
    return [*SHARED, *own] if own else []


def all_modules() -> list[str]:
    """The names of all live explorers, and of the scripts that they share."""
    return [file.stem for file in content.explorer_files() if file.suffix == ".js"]


def _with_needs(module: str, files: Mapping[str, Path]) -> list[str]:
    """The scripts that a script needs, and itself."""
    if f"{module}.js" not in files:
        raise CourseError(
            f"expected {module}.js in the folder of a chapter, found none: correct the name in `Live(...)`, "
            "and refresh the notebook"
        )
    needs = NEEDS.search(files[f"{module}.js"].read_text(encoding="utf-8"))
    others = needs[1].split(", ") if needs else []
    return [*(name for other in others for name in _with_needs(other, files)), module]


def fingerprint(contents: bytes) -> str:
    """A name for a file, computed from its contents, so that different files have different names."""
    return hashlib.sha256(contents).hexdigest()[:16]
