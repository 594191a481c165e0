"""The `course` command. Each subcommand imports what it needs only when it is called."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn, TextIO

import click

from course import notebooks
from course.errors import CourseError
from course.serving import become, check_port

BOOK_PORT, DECK_PORT = 3000, 8000


def main(argv: Sequence[str] | None = None) -> int:
    """Do what the command line says; the value is the exit status."""
    if argv is None:
        hear_signals()
        sys.stdout, sys.stderr = _outlasting(sys.stdout), _outlasting(sys.stderr)
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        with course.make_context("course", words) as context:
            return course.invoke(context) or 0
    except click.exceptions.Exit as done:  # --help
        return done.exit_code
    except click.UsageError as error:
        said = error.format_message()
        place = error.ctx.command_path if error.ctx else "course"
        return _refused(f"{said[:1].lower()}{said[1:].rstrip('.')} (see `{place} --help`)")
    except CourseError as error:
        return _refused(str(error), error.exit_code)
    except ModuleNotFoundError as error:
        return _refused(
            f"expected the package {error.name}, found none: install what makes book and talks with "
            "`python install.py --book`, and what grades a class with --grade"
        )
    except OSError as error:  # a full disk, a folder that can't be written, no temporary one
        return _refused(f"the system refused: {error}: make room there, or write elsewhere")
    except KeyboardInterrupt:
        return _refused("interrupted, everything it had started is ended", 130)


class _Outlasting(io.FileIO):
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


def _outlasting(stream: TextIO) -> TextIO:
    raw = io.BufferedWriter(_Outlasting(stream.fileno(), "w", closefd=False))
    return io.TextIOWrapper(raw, stream.encoding, stream.errors, line_buffering=True)


def hear_signals() -> None:
    """Let a system that shuts down, or a terminal that closes, end a command as Ctrl-C does.

    The first of these signals ends it; no other cuts short how it clears up.
    """
    numbers = [getattr(signal, n) for n in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, n)]
    heard = [n for n in numbers if signal.getsignal(n) is not signal.SIG_IGN]  # as under nohup

    def interrupt(*_: object) -> NoReturn:
        for number in heard:
            signal.signal(number, lambda *_: None)  # unlike SIG_IGN, no process inherits this
        raise KeyboardInterrupt

    for number in heard:
        signal.signal(number, interrupt)


def _refused(says: str, status: int = CourseError.exit_code) -> int:
    print(f"course: {says}", file=sys.stderr)
    return status


# ---------------------------------------------------------------- what the words mean


class Commands(click.Group):
    """The commands of the course, then those that packages enter as `course.commands`."""

    def list_commands(self, context: click.Context) -> list[str]:
        for point in entry_points(group="course.commands"):
            self.commands.setdefault(point.name, point.load())
        return list(self.commands)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        return self.commands.get(name) or (self.list_commands(context) and self.commands.get(name))


class HandsOn(click.Command):
    """A command that hands on to another program what stands behind `--`, as `context.obj`."""

    def parse_args(self, context: click.Context, words: list[str]) -> list[str]:
        cut = words.index("--") if "--" in words else len(words)
        context.obj = words[cut + 1 :]
        return super().parse_args(context, words[:cut])

    def collect_usage_pieces(self, context: click.Context) -> list[str]:
        return [*super().collect_usage_pieces(context), "[-- OPTION ...]"]


class ManySeeds(click.Command):
    """A command whose --seed takes all the numbers behind it."""

    def parse_args(self, context: click.Context, words: list[str]) -> list[str]:
        known, taking = [], False
        for word in words:
            taking = word == "--seed" or (taking and not word.startswith("-"))
            if word != "--seed":
                known += ["--seed", word] if taking else [word]
        return super().parse_args(context, known)


class WholeNumber(click.ParamType):
    """A whole number from 1."""

    name = "N"

    def convert(self, value: Any, parameter: Any, context: click.Context | None) -> int:
        if str(value).isdecimal() and int(value) >= 1:
            return int(value)
        self.fail(f"expected a whole number from 1, got {value!r}", parameter, context)


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


N = WholeNumber()
PATH = click.Path(path_type=Path)
NOTEBOOKS = click.argument(
    "paths", nargs=-1, metavar="[NOTEBOOK]...",
    callback=lambda context, argument, names: notebooks.select(notebooks.root(), names),
)  # fmt: skip
FOLDER = click.argument(
    "folder", type=PATH, required=False,
    callback=lambda context, argument, folder: folder or notebooks.root() / "my",
)  # fmt: skip
NO_LAB = click.option("--no-lab", is_flag=True, help="Only make the notebooks.")
WORKERS = click.option(
    "-j", "--workers", type=N, default=processors,
    help="Notebooks at a time (as many as processors).",
)  # fmt: skip
TIMEOUT = click.option(
    "--timeout", type=N, default=600, metavar="SECONDS", help="Longest time for one cell (600)."
)
PARAMETER = click.option(
    "-p", "--parameter", nargs=2, multiple=True, metavar="NAME VALUE",
    help="Set a parameter in every notebook that has it, such as: -p n_steps 50.",
)  # fmt: skip
SERVE = click.option("--serve", is_flag=True, is_eager=True, help="Then show it on this computer.")


def port(usual: int) -> Callable:
    """The option --port, of a server on this computer."""

    def checked(context: click.Context, option: click.Parameter, number: int | None) -> int:
        if number and not context.params["serve"]:
            raise CourseError("--port is the port of --serve: add --serve, or leave out --port")
        return number or usual

    says = f"Port of 127.0.0.1 for --serve ({usual})."
    return click.option("--port", type=N, help=says, callback=checked)


@click.group(
    cls=Commands, no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]}
)
def course() -> None:
    """Run, refresh and check the notebooks of the course.

    A NOTEBOOK is a path, a file name or its beginning, such as 01 or 1; none means all. Each command
    says the rest: course COMMAND --help.
    """


def into(folder: str) -> Callable:
    """The option --out, whose default is a folder in build."""
    return click.option(
        "--out", type=PATH, metavar="DIR", help=f"Folder for what is made (build/{folder}).",
        callback=lambda context, option, out: out or notebooks.root() / "build" / folder,
    )  # fmt: skip


# ---------------------------------------------------------------- for learners


@course.command(cls=HandsOn)
@FOLDER
@NO_LAB
@click.pass_obj
def start(options: list[str], folder: Path, no_lab: bool) -> None:
    """Open JupyterLab on notebooks of your own.

    They are copies in FOLDER (my), which no update overwrites. What stands behind -- is for JupyterLab.
    Exit status: JupyterLab's, or 2 if the folder can't be used.
    """
    from course.learn.copies import start

    _bring(start, folder)
    print(f"your notebooks are in {folder}")
    if not no_lab:
        _lab(folder, options)


@course.command()
@FOLDER
def update(folder: Path) -> None:
    """Bring new versions of the chapters into your own notebooks.

    They are in FOLDER (my). Your answers stay.
    """
    from course.learn.copies import update

    _bring(update, folder)


def _bring(bring: Callable[[Path, Path], Iterable[str]], folder: Path) -> None:
    root = notebooks.root()
    ready, pins = (
        Path(sys.prefix, ".ready"),
        root / "requirements.txt",
    )  # install.py's copy of them
    if ready.exists() and pins.exists() and ready.read_bytes() != pins.read_bytes():
        print("the course needs other packages than before: run install.py again")
    for line in bring(root, folder):
        print(line)


def _lab(folder: Path, options: list[str]) -> NoReturn:
    become([sys.executable, "-m", "jupyterlab", str(folder), *options])


# ---------------------------------------------------------------- notebooks


@course.command()
@NOTEBOOKS
@WORKERS
@TIMEOUT
@PARAMETER
@into("run")
def run(paths: list[Path], workers: int, timeout: int, parameter: Sequence, out: Path) -> int:
    """Execute notebooks side by side; report time, memory and errors.

    Exit status: 0 all passed, 1 a notebook failed, 2 bad usage, 130 interrupted.
    """
    from course.execute.run import run

    return run(paths, out, min(workers, len(paths)), parameter, timeout)


@course.command()
@NOTEBOOKS
@WORKERS
@TIMEOUT
def refresh(paths: list[Path], workers: int, timeout: int) -> int:
    """Execute notebooks and store their outputs in them.

    Exit status: 0 all stored, 1 a notebook was refused, 2 bad usage.
    """
    from course.execute.refresh import refresh

    return refresh(paths, notebooks.root(), min(workers, len(paths)), timeout)


@course.command(cls=HandsOn)
@NOTEBOOKS
@WORKERS
@click.pass_obj
def check(options: list[str], paths: list[Path], workers: int) -> int:
    """Compare what notebooks give now with what is stored in them.

    What stands behind -- is for pytest.
    """
    from course.check.run import check

    return check(paths, notebooks.root(), min(workers, len(paths)), options)


@course.command(cls=ManySeeds)
@NOTEBOOKS
@click.option(
    "--seed", type=N, multiple=True, required=True, help="A whole number for each cohort."
)
@into("variants")
def variants(paths: list[Path], seed: Sequence[int], out: Path) -> None:
    """Make notebooks for cohorts: the same questions, other numbers.

    Exit status: 0 made, 2 a seed doesn't do or the usage is wrong; nothing is written.
    """
    from course.learn.variants import write_all

    for line in write_all(paths, list(seed), out):
        print(line)


# ---------------------------------------------------------------- what is published


@course.command()
@SERVE
@port(BOOK_PORT)
def book(serve: bool, port: int) -> int:
    """Make the site of the course with mdBook, in build/book.

    Exit status: 0 built, 2 the last good build was left as it was.
    """
    from course.publish.mdbook import build

    return build(notebooks.root(), serve, port)


@course.command()
@NOTEBOOKS
@click.option("--pdf", is_flag=True, help="Print each deck to a PDF (Chromium).")
@SERVE
@port(DECK_PORT)
def slides(paths: list[Path], pdf: bool, serve: bool, port: int) -> None:
    """Make a reveal.js deck of each chapter's talk, and its PDF.

    They are in build/slides. Exit status: 0 made, 2 a notebook, a formula or the usage is wrong.
    """
    from course.publish import decks

    out = notebooks.root() / "build" / "slides"
    if serve:
        check_port(port)
    decks.build(notebooks.root(), paths, out, pdf)
    if serve:
        decks.serve(out, port)


@course.command()
@NOTEBOOKS
@click.option(
    "--exercise", type=N, multiple=True, help="Only this one, by its number on the page."
)
@click.option("--solutions", is_flag=True, help="Solutions, hints and known mistakes, to mark by.")
def sheet(paths: list[Path], exercise: Sequence[int], solutions: bool) -> int:
    """Put exercises on paper: pages that a browser prints.

    They are in build/sheets. Exit status: 0 made, 2 there is no such chapter or exercise.
    """
    from course.publish.worksheet import build

    return build(notebooks.root(), paths, exercise, solutions)


@course.command(cls=HandsOn)
@NOTEBOOKS
@NO_LAB
@click.pass_obj
def present(options: list[str], paths: list[Path], no_lab: bool) -> None:
    """Open JupyterLab on talks to give live.

    There code runs and explorers move. The notebooks are in build/present, made anew each time. What
    stands behind -- is for JupyterLab.
    """
    from course.publish.live_talk import write

    if not no_lab and not find_spec("jupyterlab_slideshow"):
        raise ModuleNotFoundError(name="jupyterlab-slideshow")
    out = notebooks.root() / "build" / "present"
    write(paths, out)
    print(
        'open a chapter, Run > Run All Cells, click its first cell, then the button "Toggle Deck"'
    )
    if not no_lab:
        _lab(out, options)


if __name__ == "__main__":
    sys.exit(main())
