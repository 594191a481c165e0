"""The `course` command. Each subcommand imports what it needs only when it is called."""

from __future__ import annotations

import argparse
import io
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn, TextIO

from course import notebooks
from course.errors import CourseError

Option = tuple[tuple[str, ...], dict[str, Any]]  # names and settings


class Parser(argparse.ArgumentParser):
    """argparse whose complaints go the way of all others, and that asks whether a command was meant."""

    commands: Collection[str] = ()

    def parse_args(self, words: Sequence[str], *more: Any) -> argparse.Namespace:
        """The words as options. Raises CourseError for a command that isn't there."""
        if words and not words[0].startswith("-") and words[0] not in self.commands:
            near = get_close_matches(words[0], self.commands, n=1)
            meant = f"; did you mean {near[0]}?" if near else ""
            self.error(f"there is no command {words[0]!r}{meant}")
        return super().parse_args(words, *more)

    def error(self, message: str) -> NoReturn:
        raise CourseError(f"{message} (see `{self.prog} --help`)")


def main(argv: list[str] | None = None) -> int:
    """Do what the command line says; the value is the exit status."""
    if argv is None:
        sys.stdout, sys.stderr = _to_the_end(sys.stdout), _to_the_end(sys.stderr)
    with _ended_like_by_ctrl_c():
        return _done(sys.argv[1:] if argv is None else argv)


def _done(argv: list[str]) -> int:
    """What is wrong is said in a sentence, and has its exit status."""
    try:
        words, options = _split(argv)
        arguments = parser().parse_args(words, argparse.Namespace(handed_on=options))
        return arguments.do(arguments)
    except CourseError as error:
        print(f"course: {error}", file=sys.stderr)
        return error.exit_code
    except OSError as error:  # a full disk, a folder that can't be written, no temporary one
        print(
            f"course: the system refused: {error}: make room there, or write elsewhere",
            file=sys.stderr,
        )
        return 2
    except KeyboardInterrupt:
        print("course: interrupted, everything it had started is ended", file=sys.stderr)
        return 130


class _Unread(io.FileIO):
    """A file to write to, also after its reader has left (`| head`): the command goes on.

    Another error, such as a full disk, is raised once, so that what is said of it ends quietly.
    """

    def write(self, text: Any) -> int:
        try:
            return super().write(text)
        except BrokenPipeError:
            return len(text)
        except OSError:
            self.write = len
            raise


def _to_the_end(stream: TextIO) -> TextIO:
    stream.flush()
    raw = io.BufferedWriter(_Unread(stream.fileno(), "w", closefd=False))
    return io.TextIOWrapper(raw, stream.encoding, stream.errors, line_buffering=True)


@contextmanager
def _ended_like_by_ctrl_c() -> Iterator[None]:
    """A system that shuts down or a terminal that closes ends a command as Ctrl-C does: cleanly.

    The first of these signals ends it; no other cuts short how it clears up.
    """
    names = ("SIGINT", "SIGTERM", "SIGHUP")
    sent = [getattr(signal, name) for name in names if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():
        sent = []
    before = {s: h for s in sent if (h := signal.getsignal(s)) is not signal.SIG_IGN}  # nohup

    def interrupt(*_: object) -> NoReturn:
        for number in before:
            signal.signal(number, lambda *_: None)  # unlike SIG_IGN, no process inherits this
        raise KeyboardInterrupt

    for number in before:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    """What stands before and after the `--` of a command that hands options on."""
    if words[:1] not in (["check"], ["present"], ["start"]) or "--" not in words:
        return words, []
    cut = words.index("--")
    return words[:cut], words[cut + 1 :]


# ---------------------------------------------------------------- what the words mean


def parser() -> Parser:
    """The command line: each command with its options and the function that does it."""
    top = Parser(prog="course", description="Run, refresh and check the notebooks of the course.")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(name: str, do: Callable, summary: str, *options: Option, **more: str) -> None:
        made = commands.add_parser(name, help=summary, **more)
        for names, settings in options:
            made.add_argument(*names, **settings)
        made.set_defaults(do=do)

    command(
        "start", _start, "open JupyterLab on notebooks of your own, which no update overwrites",
        FOLDER, option("--no-lab", action="store_true", help="only copy the notebooks"),
        usage="course start [-h] [--no-lab] [FOLDER] [-- JUPYTERLAB_OPTION ...]",
        epilog="Exit status: JupyterLab's, or 2 if the folder can't be used.",
    )  # fmt: skip
    command(
        "update", _update,
        "bring new versions of the chapters into your own notebooks; your answers stay", FOLDER,
    )  # fmt: skip
    command(
        "run", _run, "execute notebooks side by side, report time, memory and errors",
        NOTEBOOKS, WORKERS, TIMEOUT, PARAMETER, OUT,
        epilog="Exit status: 0 all passed, 1 a notebook failed, 2 bad usage, 130 interrupted.",
    )  # fmt: skip
    command(
        "refresh", _refresh, "execute notebooks and store their outputs in them",
        NOTEBOOKS, WORKERS, TIMEOUT,
        epilog="Exit status: 0 all stored, 1 a notebook was refused, 2 bad usage.",
    )  # fmt: skip
    command(
        "check", _check, "compare what notebooks give now with what is stored in them",
        NOTEBOOKS, WORKERS,
        usage="course check [-h] [-j N] [NOTEBOOK ...] [-- PYTEST_OPTION ...]",
    )  # fmt: skip
    command(
        "book", _book, "make the site of the course with mdBook, in build/book",
        SERVE, port(BOOK_PORT),
        epilog="Exit status: 0 built, 2 the last good build was left as it was.",
    )  # fmt: skip
    command(
        "slides", _slides, "make a talk of each notebook, from its stored outputs: a reveal.js deck",
        NOTEBOOKS, FULL, PDF, SERVE, port(DECK_PORT),
        epilog="Exit status: 0 made, 2 a notebook, a formula or the usage is wrong.",
    )  # fmt: skip
    command(
        "sheet", _sheet, "put exercises on paper: pages that a browser prints, in build/sheets",
        NOTEBOOKS, EXERCISE, SOLUTIONS,
        epilog="Exit status: 0 made, 2 there is no such chapter or exercise.",
    )  # fmt: skip
    command(
        "variants", _variants, "notebooks for cohorts: the same questions, other numbers",
        NOTEBOOKS, SEEDS, VARIANTS,
        epilog="Exit status: 0 made, 2 a seed doesn't do or the usage is wrong; nothing is written.",
    )  # fmt: skip
    command(
        "grade", _grade, "grade what learners handed in, each in a sandbox; feedback and tables",
        SUBMISSIONS, CHAPTER, GRADES, COHORT, JOBS, TRUST, CODE, CANVAS, MOODLE, COLUMN, SCHEDULER,
        VARIANT,
        epilog="Exit status: 0 all graded, 1 some couldn't be, 2 bad usage or no sandbox here.",
    )  # fmt: skip
    command(
        "present", _present, "open JupyterLab on talks to give live: code runs, explorers move",
        NOTEBOOKS, option("--no-lab", action="store_true", help="only make the notebooks"),
        usage="course present [-h] [--no-lab] [NOTEBOOK ...] [-- JUPYTERLAB_OPTION ...]",
        epilog="They are in build/present, made anew each time.",
    )  # fmt: skip
    top.commands = commands.choices
    return top


def option(*names: str, **settings: Any) -> Option:
    """An option as argparse takes it."""
    return names, settings


def at_least_one(text: str) -> int:
    """A whole number from 1, as argparse reads it."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, got {text!r}")
    return number


def port(usual: int) -> Option:
    """The port of a server on this computer."""
    settings = {"type": at_least_one, "metavar": "N"}
    return option("--port", help=f"port of 127.0.0.1 for --serve ({usual})", **settings)


BOOK_PORT, DECK_PORT = 3000, 8000
FOLDER = option("folder", nargs="?", type=Path, metavar="FOLDER", help="of your notebooks (my)")
NOTEBOOKS = option(
    "notebooks",
    nargs="*",
    metavar="NOTEBOOK",
    help="a path, a file name or its beginning, such as 01 or 1 (default: all)",
)
WORKERS = option(
    "-j",
    "--workers",
    type=at_least_one,
    metavar="N",
    help="notebooks at a time (default: as many as processors)",
)
TIMEOUT = option(
    "--timeout",
    type=at_least_one,
    default=600,
    metavar="SECONDS",
    help="longest time for one cell (600)",
)
PARAMETER = option(
    "-p",
    "--parameter",
    nargs=2,
    action="append",
    default=[],
    metavar=("NAME", "VALUE"),
    help="set a parameter in every notebook that has it, such as: -p n_steps 50",
)
OUT = option("--out", type=Path, metavar="DIR", help="folder for the results (build/run)")
SERVE = option("--serve", action="store_true", help="then show it on this computer")
EXERCISE = option(
    "--exercise",
    type=at_least_one,
    action="append",
    default=[],
    metavar="N",
    help="only this one, by its number on the page; may be repeated",
)
SOLUTIONS = option(
    "--solutions",
    action="store_true",
    help="for whoever marks: solutions, hints and known mistakes in place of room to write",
)
FULL = option("--full", action="store_true", help="the whole main line, not only the talk")
PDF = option("--pdf", action="store_true", help="print each deck to a PDF (Chromium)")
SUBMISSIONS = option(
    "submissions",
    nargs="+",
    type=Path,
    metavar="SUBMISSIONS",
    help="a zip of Moodle or Canvas, a folder (nbgrader's submitted too), or notebooks",
)
SEEDS = option(
    "--seed",
    type=at_least_one,
    nargs="+",
    required=True,
    metavar="N",
    help="a whole number for each cohort",
)
VARIANTS = option("--out", type=Path, metavar="DIR", help="folder for them (build/variants)")
CHAPTER = option("--chapter", default="", metavar="NN", help="of all of them (each says its own)")
GRADES = option("--out", type=Path, metavar="DIR", help="folder for the grades (build/grades)")
COHORT = option(
    "--cohort",
    default="",
    metavar="SECRET",
    help="what the hidden inputs are drawn from (a secret of its own for each DIR)",
)
JOBS = option(
    "-j", "--jobs", type=at_least_one, metavar="N", help="at a time (as many as processors)"
)
TRUST = option("--trust", action="store_true", help="without a sandbox: whose code you know")
CODE = option("--export-code", action="store_true", help="also one .py a learner, to compare")
CANVAS = option("--canvas", type=Path, metavar="FILE", help="your gradebook, to fill in")
MOODLE = option("--moodle", type=Path, metavar="FILE", help="your grading worksheet, to fill in")
COLUMN = option("--column", default="", metavar="NAME", help="how the gradebook's column begins")
SCHEDULER = option("--scheduler", default="", metavar="ADDRESS", help="Dask's, to grade on many")
VARIANT = option(
    "--seed", type=at_least_one, metavar="N", help="of the cohort's `course variants`"
)


# ---------------------------------------------------------------- what the commands do


def _start(arguments: argparse.Namespace) -> int:
    from course.learn.copies import start

    root = notebooks.root()
    folder = arguments.folder or root / "my"
    _tell_if_older(root)
    for line in start(root, folder):
        print(line)
    print(f"your notebooks are in {folder}", flush=True)
    return 0 if arguments.no_lab else _lab(folder, arguments.handed_on)


def _lab(folder: Path, options: list[str]) -> int:
    lab = [sys.executable, "-m", "jupyterlab", str(folder), *options]
    if os.name == "nt":  # there it can't become JupyterLab, but leaves Ctrl-C to it
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        return subprocess.call(lab)
    os.execv(sys.executable, lab)  # so that Ctrl-C asks JupyterLab, and it asks back


def _update(arguments: argparse.Namespace) -> int:
    from course.learn.copies import update

    root = notebooks.root()
    _tell_if_older(root)
    for line in update(root, arguments.folder or root / "my"):
        print(line)
    return 0


def _tell_if_older(root: Path) -> None:
    """A sentence if the pins aren't those that install.py installed in this environment."""
    ready, pins = Path(sys.prefix, ".ready"), root / "requirements.txt"
    if ready.exists() and pins.exists() and ready.read_bytes() != pins.read_bytes():
        print("the course needs other packages than before: run install.py again")


def _run(arguments: argparse.Namespace) -> int:
    from course.execute.run import run

    root, paths, workers = _selected(arguments)
    out = arguments.out or root / "build" / "run"
    return run(paths, out, workers, arguments.parameter, arguments.timeout)


def _refresh(arguments: argparse.Namespace) -> int:
    from course.execute.refresh import refresh

    root, paths, workers = _selected(arguments)
    return refresh(paths, root, workers, arguments.timeout)


def _check(arguments: argparse.Namespace) -> int:
    from course.check.guards import check

    root, paths, workers = _selected(arguments)
    return check(paths, root, workers, arguments.handed_on)


def _book(arguments: argparse.Namespace) -> int:
    from course.publish.mdbook import build

    _check_serve(arguments)
    return build(notebooks.root(), arguments.serve, arguments.port or BOOK_PORT)


def _check_serve(arguments: argparse.Namespace) -> None:
    if arguments.port and not arguments.serve:
        raise CourseError("--port is the port of --serve: add --serve, or leave out --port")


def _slides(arguments: argparse.Namespace) -> int:
    from course.publish import decks

    _check_serve(arguments)
    root = notebooks.root()
    out = root / "build" / "slides"
    server = decks.server(out, arguments.port or DECK_PORT) if arguments.serve else None
    try:
        chosen = notebooks.select(root, arguments.notebooks)
        decks.build(root, chosen, out, arguments.pdf, arguments.full)
        if server:
            decks.serve(server)
    finally:
        if server:
            server.server_close()
    return 0


def _sheet(arguments: argparse.Namespace) -> int:
    from course.publish.sheet import build

    root = notebooks.root()
    paths = notebooks.select(root, arguments.notebooks)
    return build(root, paths, arguments.exercise, arguments.solutions)


def _variants(arguments: argparse.Namespace) -> int:
    from course.learn.variants import write_all

    root = notebooks.root()
    paths = notebooks.select(root, arguments.notebooks)
    for line in write_all(paths, arguments.seed, arguments.out or root / "build" / "variants"):
        print(line)
    return 0


def _grade(arguments: argparse.Namespace) -> int:
    from course.grade.run import Wish, run

    wish = Wish(
        arguments.submissions,
        arguments.out or notebooks.root() / "build" / "grades",
        arguments.chapter.zfill(2) if arguments.chapter else "",
        arguments.cohort,
        arguments.jobs or _processors(),
        arguments.trust,
        arguments.export_code,
        arguments.canvas,
        arguments.moodle,
        arguments.column,
        arguments.scheduler,
        str(arguments.seed or ""),
    )
    return run(wish)


def _present(arguments: argparse.Namespace) -> int:
    from course.publish.present import write

    root = notebooks.root()
    out = root / "build" / "present"
    write(root, notebooks.select(root, arguments.notebooks), out)
    print(
        'open a chapter, Run > Run All Cells, click its first cell, then the button "Toggle Deck"'
    )
    sys.stdout.flush()
    return 0 if arguments.no_lab else _lab(out, arguments.handed_on)


def _selected(arguments: argparse.Namespace) -> tuple[Path, list[Path], int]:
    """The course's folder, the notebooks that are meant, and how many at a time."""
    root = notebooks.root()
    paths = notebooks.select(root, arguments.notebooks)
    return root, paths, arguments.workers or max(1, min(_processors(), len(paths)))


def _processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


if __name__ == "__main__":
    sys.exit(main())
