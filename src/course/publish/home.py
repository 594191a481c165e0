"""What a reader takes home from the book: the package in a wheel, and notebooks that ask for it."""

import base64
import functools
import hashlib
import json
import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from course import notebooks
from course.errors import CourseError

SRC = Path(__file__).parents[2]
NAME = "attention_course"
WHEEL = "Wheel-Version: 1.0\nGenerator: course book\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
ASKS = """\
# Only where the package of the course is missing, this says how to get it.
try:
    import attention.heads, course.learn.exercises
except ModuleNotFoundError:
    missing = ModuleNotFoundError({says!r})
    missing._render_traceback_ = lambda *_: [str(missing)]
    raise missing from None"""


def github(repository: str) -> str:
    """OWNER/NAME of a repository on GitHub, "" for any other."""
    found = re.fullmatch(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?", repository)
    return found[1] if found else ""


# ---------------------------------------------------------------- the package


@functools.cache
def _installed(*names: str) -> list[str]:
    """The version of the package, and files that its installation has made of pyproject.toml."""
    try:
        found = distribution(NAME)
        return [found.version, *(found.read_text(name) or "" for name in names)]
    except PackageNotFoundError:
        raise CourseError(
            f"expected the package {NAME} to be installed, because the book carries it, found "
            "none: run `python install.py`"
        ) from None


def wheel() -> str:
    """The file name of the package."""
    return f"{NAME}-{_installed()[0]}-py3-none-any.whl"


def write_wheel(folder: Path, settings: Path) -> None:
    """Put the package into a folder. It is plain Python, so its files are all that a wheel needs.

    The course's book.toml goes with it, which says who is shown solutions. The same files make the
    same bytes, at any time and on any machine.
    """
    parts = ("METADATA", "entry_points.txt", "licenses/LICENSE")
    version, *texts = _installed(*parts)
    info = f"{NAME}-{version}.dist-info"
    files = {
        path.relative_to(SRC).as_posix(): path.read_bytes()
        for package in ("attention", "chapters", "course")
        for path in (SRC / package).rglob("[!.]*.*")
        if path.suffix != ".pyc"
    }
    files["course/book.toml"] = settings.read_bytes()
    made = dict(zip((*parts, "WHEEL"), (*texts, WHEEL), strict=True))
    files |= {f"{info}/{name}": text.encode() for name, text in made.items()}
    record = [f"{name},sha256={_hash(body)},{len(body)}" for name, body in sorted(files.items())]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    with ZipFile(folder / wheel(), "w") as archive:
        for name, body in sorted(files.items()):
            entry = ZipInfo(name)  # of 1980
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, body, ZIP_DEFLATED)


def _hash(body: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(body).digest()).rstrip(b"=").decode()


# ---------------------------------------------------------------- a notebook


def notebook(text: str, name: str, repository: str) -> str:
    """A notebook as it is downloaded: before its first code, a cell that asks for the package.

    The cell is on no page, and in JupyterLab collapsed.
    """
    nb = notebooks.parse(text, name)
    first = next((n for n, cell in enumerate(nb["cells"]) if cell["cell_type"] == "code"), None)
    if first is not None:
        metadata = {"tags": ["remove-cell"], "jupyter": {"source_hidden": True}}
        cell = {"cell_type": "code", "id": "the-package", "metadata": metadata}
        cell |= {"execution_count": None, "outputs": [], "source": _asks(repository)}
        nb["cells"].insert(first, cell)
    return json.dumps(nb, ensure_ascii=False) + "\n"


def _asks(repository: str) -> str:
    if place := github(repository):
        how = f"run `%pip install https://github.com/{place}/raw/gh-pages/{wheel()}`"
    else:
        how = (
            f"download {wheel()} from the page that this notebook is from into the folder of the "
            f"notebook, run `%pip install {wheel()}`"
        )
    says = f"This notebook needs the package of its course: {how} in a new cell, and restart the kernel."
    return ASKS.format(says=says)
