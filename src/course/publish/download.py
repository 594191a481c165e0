"""Make what a reader downloads from the book: the package as a wheel, and notebooks that ask for it."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from course import notebooks
from course.errors import CourseError

BUILD = "import sys, setuptools.build_meta as backend; backend.build_wheel(sys.argv[1])"  # PEP 517
UNPACKED = shutil.ignore_patterns("__pycache__", "*.egg-info", ".*")
EPOCH = "315532800"  # 1980, the earliest date in a zip: the same files always make the same wheel
ASKS = """\
# If the package of the course is missing, this says how to get it.
try:
    import course.learn.exercises
except ModuleNotFoundError:
    missing = ModuleNotFoundError({says!r})
    missing._render_traceback_ = lambda *_: [str(missing)]
    raise missing from None"""


def github(repository: str) -> str:
    """Return OWNER/NAME for the address of a repository on GitHub, and "" for any other address."""
    found = re.fullmatch(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?", repository)
    return found[1] if found else ""


def build_wheel(root: Path, folder: Path) -> str:
    """Build the course's package as a wheel in a folder. Returns the file's name; "" without pyproject.toml.

    The wheel contains book.toml, which says who is shown solutions. setuptools builds from a copy, because
    it leaves files next to the sources. Raises CourseError if the build fails.
    """
    if not (root / "pyproject.toml").is_file():
        return ""
    with TemporaryDirectory(prefix="course-") as copy:
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(root / name, copy)
        shutil.copytree(root / "src", Path(copy, "src"), ignore=UNPACKED)
        shutil.copy(root / "book.toml", Path(copy, "src", "course"))
        done = subprocess.run(
            [sys.executable, "-c", BUILD, folder], cwd=copy, capture_output=True, text=True,
            env=os.environ | {"SOURCE_DATE_EPOCH": EPOCH},
        )  # fmt: skip
    if done.returncode:
        raise CourseError(
            "expected setuptools to build the package that the book carries, but: "
            f"{done.stderr.strip().splitlines()[-1]}: correct it, or run `python install.py --book`"
        )
    [wheel] = folder.glob("*.whl")
    return wheel.name


def notebook(text: str, name: str, repository: str, wheel: str) -> str:
    """Return a notebook's text for download, with a cell before its first code that asks for the package.

    JupyterLab hides the code of this cell.
    """
    nb = notebooks.parse(text, name)
    first = next((n for n, cell in enumerate(nb["cells"]) if cell["cell_type"] == "code"), None)
    if first is not None:
        metadata = {"jupyter": {"source_hidden": True}}
        cell = {"cell_type": "code", "id": "the-package", "metadata": metadata}
        cell |= {"execution_count": None, "outputs": [], "source": _asks(repository, wheel)}
        nb["cells"].insert(first, cell)
    return json.dumps(nb, ensure_ascii=False) + "\n"


def _asks(repository: str, wheel: str) -> str:
    how = (
        f"download {wheel} from the page of this notebook into the folder of the "
        f"notebook, run `%pip install {wheel}`"
    )
    if place := github(repository):
        how = f"run `%pip install https://github.com/{place}/raw/gh-pages/{wheel}`"
    says = f"This notebook needs the package of its course: {how} in a new cell, and restart the kernel."
    return ASKS.format(says=says)
