"""The `course` command. Each subcommand imports what it needs only when it is called."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn, TextIO

import click

from course import notebooks
from course.errors import CourseError
from course.serving import become

BOOK_PORT = 3000


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line, and return its exit status."""
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
            f"expected the package {error.name}, found none: run `python install.py --book` for book and "
            "talks, or `python install.py --grade` to grade a class"
        )
    except OSError as error:  # a full disk, a folder that can't be written, no temporary folder
        return _refused(
            f"the system refused: {error}: make room there, or write to another folder"
        )
    except KeyboardInterrupt:
        return _refused("interrupted; everything that it started has ended", 130)


class _Outlasting(io.FileIO):
    """A file that you can write to even after its reader has left (`| head`), so that the command goes on.

    Another error, such as a full disk, is raised only once, so that its message can be printed.
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
    """End a command as Ctrl-C does when the system shuts down or the terminal is closed.

    The first of these signals interrupts the command. Later ones are ignored while it cleans up.
    """
    numbers = [getattr(signal, n) for n in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, n)]
    heard = [n for n in numbers if signal.getsignal(n) is not signal.SIG_IGN]  # as under nohup

    def interrupt(*_: object) -> NoReturn:
        for number in heard:
            signal.signal(number, lambda *_: None)  # unlike SIG_IGN, children don't inherit this
        raise KeyboardInterrupt

    for number in heard:
        signal.signal(number, interrupt)


def _refused(says: str, status: int = CourseError.exit_code) -> int:
    print(f"course: {says}", file=sys.stderr)
    return status


# ---------------------------------------------------------------- arguments and options


class Commands(click.Group):
    """The commands of the course, then those that packages register as `course.commands`."""

    def list_commands(self, context: click.Context) -> list[str]:
        for point in entry_points(group="course.commands"):
            self.commands.setdefault(point.name, point.load())
        return list(self.commands)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        return self.commands.get(name) or (self.list_commands(context) and self.commands.get(name))


class HandsOn(click.Command):
    """A command that stores the words after `--`, which are for another program, in `context.obj`."""

    def parse_args(self, context: click.Context, words: list[str]) -> list[str]:
        cut = words.index("--") if "--" in words else len(words)
        context.obj = words[cut + 1 :]
        return super().parse_args(context, words[:cut])

    def collect_usage_pieces(self, context: click.Context) -> list[str]:
        return [*super().collect_usage_pieces(context), "[-- OPTION ...]"]


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


N = click.IntRange(min=1)
PATH = click.Path(path_type=Path)


def named(enlist: bool = False) -> Callable:
    """Return the argument NOTEBOOK; `enlist` first adds new notebooks that it names to SUMMARY.md."""

    def find(
        context: click.Context, argument: click.Parameter, names: tuple[str, ...]
    ) -> list[Path]:
        root = notebooks.root()
        if enlist:
            notebooks.enlist(root, names)
        return notebooks.select(root, names)

    return click.argument("paths", nargs=-1, metavar="[NOTEBOOK]...", callback=find)


NOTEBOOKS = named()
FOLDER = click.argument(
    "folder", type=PATH, required=False,
    callback=lambda context, argument, folder: folder or notebooks.root() / "my",
)  # fmt: skip
NO_LAB = click.option(
    "--no-lab", is_flag=True, help="Only make the notebooks, and don't open JupyterLab."
)
WORKERS = click.option(
    "-j", "--workers", type=N, default=processors,
    help="Notebooks to run at a time (default: the number of processors).",
)  # fmt: skip
TIMEOUT = click.option(
    "--timeout",
    type=N,
    default=600,
    metavar="SECONDS",
    help="Longest time for one cell (default: 600).",
)
PARAMETER = click.option(
    "-p", "--parameter", nargs=2, multiple=True, metavar="NAME VALUE",
    help="Set a parameter in every notebook that has it, for example -p n_steps 50.",
)  # fmt: skip


@click.group(
    cls=Commands, no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]}
)
def course() -> None:
    """Run, refresh and check the notebooks of the course.

    A NOTEBOOK is a path, a file name or its beginning, such as 01 or 1; without one, a command takes
    all. For the options of a command: course COMMAND --help.
    """


def into(folder: str) -> Callable:
    """The option --out, whose default is a folder in build."""
    return click.option(
        "--out", type=PATH, metavar="DIR", help=f"Output folder (default: build/{folder}).",
        callback=lambda context, option, out: out or notebooks.root() / "build" / folder,
    )  # fmt: skip


# ---------------------------------------------------------------- for learners


@course.command(cls=HandsOn)
@FOLDER
@NO_LAB
@click.pass_obj
def start(options: list[str], folder: Path, no_lab: bool) -> None:
    """Open JupyterLab on your own copies of the notebooks.

    They are in FOLDER (default: my). Updates never overwrite your work. Options after -- go to JupyterLab.
    Exit status: that of JupyterLab, or 2 if the folder can't be used.
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

    They are in FOLDER (default: my). Your answers stay as they are.
    """
    from course.learn.copies import update

    _bring(update, folder)


def _bring(bring: Callable[[Path, Path], Iterable[str]], folder: Path) -> None:
    root = notebooks.root()
    ready, pins = Path(sys.prefix, ".ready"), root / "requirements.txt"  # install.py copies pins
    if ready.exists() and pins.exists() and ready.read_bytes() != pins.read_bytes():
        print("the pinned versions have changed: run `python install.py` again")
    for line in bring(root, folder):
        print(line)


def _lab(folder: Path, options: list[str]) -> NoReturn:
    become(
        [sys.executable, "-m", "jupyterlab", str(folder), *options], lab_environment(os.environ)
    )


def lab_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment with settings that stop JupyterLab from asking whether to fetch news."""
    ours = str(Path(__file__).parent / "learn" / "jupyter")
    paths = filter(None, [ours, environment.get("JUPYTER_CONFIG_PATH")])
    return {**environment, "JUPYTER_CONFIG_PATH": os.pathsep.join(paths)}


# ---------------------------------------------------------------- notebooks


@course.command()
@NOTEBOOKS
@WORKERS
@TIMEOUT
@PARAMETER
@into("run")
def run(paths: list[Path], workers: int, timeout: int, parameter: Sequence, out: Path) -> int:
    """Run notebooks in parallel, and report times and errors.

    Exit status: 0 all passed, 1 a notebook failed, 2 bad usage, 130 interrupted.
    """
    from course.execute.run import run

    return run(paths, out, min(workers, len(paths)), parameter, timeout)


@course.command()
@named(enlist=True)
@WORKERS
@TIMEOUT
def refresh(paths: list[Path], workers: int, timeout: int) -> int:
    """Run notebooks and store their outputs in them.

    A page that is made from the others, such as a table of all minutes, is refreshed with any of
    them. A new notebook gets its line in SUMMARY.md, and a new exercise its three cells. Exit status: 0 all stored, 1 a notebook was refused, 2 bad usage.
    """
    from course.execute.refresh import refresh, with_readers

    root = notebooks.root()
    paths = with_readers(paths, root)
    return refresh(paths, root, min(workers, len(paths)), timeout)


@course.command(cls=HandsOn)
@NOTEBOOKS
@WORKERS
@click.pass_obj
def check(options: list[str], paths: list[Path], workers: int) -> int:
    """Run notebooks and compare the outputs with the stored ones.

    Options after -- go to pytest.
    """
    from course.check.run import check

    return check(paths, notebooks.root(), min(workers, len(paths)), options)


# ---------------------------------------------------------------- what is published


@course.command()
@click.option("--serve", is_flag=True, help="Then show it on this computer and follow your edits.")
@click.option("--port", type=N, help=f"Port on 127.0.0.1 for --serve (default: {BOOK_PORT}).")
def book(serve: bool, port: int | None) -> int:
    """Build the website of the course with mdBook, in build/book.

    Exit status: 0 built, 2 failed; then the last good build stays.
    """
    from course.publish.mdbook import build

    if port and not serve:
        raise CourseError("--port needs --serve: add --serve, or leave out --port")
    return build(notebooks.root(), serve, port or BOOK_PORT)


@course.command()
@NOTEBOOKS
@click.option("--pdf", is_flag=True, help="Also print each deck to a PDF (needs Chromium).")
def slides(paths: list[Path], pdf: bool) -> None:
    """Turn the talk of each chapter into a reveal.js deck, and a PDF.

    The decks are in build/slides. Exit status: 0 made, 2 a notebook, a formula or the usage is wrong.
    """
    from course.publish import decks

    out = notebooks.root() / "build" / "slides"
    decks.build(notebooks.root(), paths, out, pdf)


@course.command()
@NOTEBOOKS
@click.option(
    "--exercise",
    type=N,
    multiple=True,
    help="Only the exercise with this number on the page; repeat it for more.",
)
@click.option(
    "--solutions", is_flag=True, help="Add solutions, hints and known mistakes, for marking."
)
def sheet(paths: list[Path], exercise: Sequence[int], solutions: bool) -> int:
    """Make pages of exercises for a browser to print.

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

    Code runs and explorers move. The notebooks are in build/present and are made again each time. Options
    after -- go to JupyterLab.
    """
    from course.publish.live_talk import write

    if not no_lab and not find_spec("jupyterlab_slideshow"):
        raise ModuleNotFoundError(name="jupyterlab-slideshow")
    out = notebooks.root() / "build" / "present"
    write(paths, out)
    print(
        'open a chapter, choose Run > Run All Cells, click its first cell, then the button "Toggle Deck"'
    )
    if not no_lab:
        _lab(out, options)


if __name__ == "__main__":
    sys.exit(main())
