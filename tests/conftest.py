"""What all tests share: their environment, the rules that they have to keep, and fixtures."""

from tests import shell  # noqa: F401  before all others

# isort: split
import itertools
import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, TypeVar

import jaxtyping
import psutil
import pytest
import torch
from hypothesis import settings

from tests.refusals import _a_nothing_is_left, pytest_runtest_setup  # noqa: F401

ROOT = Path(__file__).parents[1]
# Check shapes and types in the code that is taught, but not in exercises: learners have them unchecked.
CHAPTERS = ROOT.glob("src/chapters/ch*/[!_]*.py")
TAUGHT = ["attention", *(f"chapters.{path.parent.name}.{path.stem}" for path in CHAPTERS)]
AS_TYPE_CHECKERS = "beartype.beartype(conf=beartype.BeartypeConf(is_pep484_tower=True))"
jaxtyping.install_import_hook(TAUGHT, AS_TYPE_CHECKERS)
TESTS = itertools.count()
T = TypeVar("T")
HANG = 600  # seconds: only a hang takes so long, even with a fiftieth of a core
WORDS = ["Your", "journey", "starts", "with", "one", "step"]
X = torch.tensor(  # the six words of chapters 05 to 10
    [
        [0.43, 0.15, 0.89],
        [0.55, 0.87, 0.66],
        [0.57, 0.85, 0.64],
        [0.22, 0.58, 0.33],
        [0.77, 0.25, 0.10],
        [0.05, 0.80, 0.55],
    ]
)


def matrices() -> list[torch.Tensor]:
    """W_q, W_k and W_v of the head on X."""
    draw = torch.Generator().manual_seed(123)
    return [torch.rand(3, 2, generator=draw) for _ in range(3)]


def answer(id: str):
    """The reference of an exercise, as a learner would call it."""
    from course.learn.exercises import load

    return load(id).reference.function


def wait_for(condition: Callable[[], T], what: str = "what another process does") -> T:
    """Wait until a condition is true, and return its value. A hang fails the test, a busy machine doesn't."""
    end = time.monotonic() + HANG
    while not (found := condition()):
        if time.monotonic() > end:
            pytest.fail(f"waited {HANG} s for {what}")
        time.sleep(0.02)  # leaves the processor to the others
    return found


def ended(pid: int) -> bool:
    """True if a process has ended, even if it is still a zombie because its parent doesn't wait for it."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.fixture(autouse=True)
def _progress_of_nobody(tmp_path_factory, monkeypatch):
    """Each test stores its progress in its own folder, not in the user's or in another test's."""
    folder = tmp_path_factory.getbasetemp() / "progress"  # made only if something is stored
    monkeypatch.setenv("COURSE_PROGRESS", str(folder / str(next(TESTS))))


# No deadline, because a busy machine isn't a bug. The same examples on every run, so failures repeat.
settings.register_profile("course", deadline=None, derandomize=True)
settings.load_profile("course")


@pytest.fixture(autouse=True)
def _the_same_draws_on_every_run():
    """Weights that a test draws without a seed are the same in every run."""
    random.seed(0)
    torch.default_generator.manual_seed(0)  # torch.manual_seed keeps a stack for each device


@pytest.fixture
def as_in_a_terminal():
    """Handle Ctrl-C and a closed terminal as usual, even if tests run in the background or under nohup."""
    default = {"SIGINT": signal.default_int_handler, "SIGHUP": signal.SIG_DFL}
    numbers = {name: getattr(signal, name) for name in default if hasattr(signal, name)}
    before = {n: signal.signal(n, default[name]) for name, n in numbers.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def as_a_user():
    """Turn off the checks of shapes, which only tests make, so that errors are those that a user sees."""
    before = jaxtyping.config.jaxtyping_disable
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", before)


@pytest.fixture(autouse=True)
def _exercises_as_a_user(request):
    """Turn off the checks of shapes in modules that try exercises. A record keeps what its programs did
    for the next tests, so that has to be what they do for a learner, in any order of tests."""
    rooms = ("course.learn", "grading")
    names = [
        getattr(x, "__module__", None) or getattr(x, "__name__", "")
        for x in vars(request.module).values()
    ]
    if any(str(name).startswith(rooms) for name in names):
        request.getfixturevalue("as_a_user")


@pytest.fixture(scope="session")
def transformers():
    return pytest.importorskip(
        "transformers", reason="no transformers: python install.py --book --grade --test"
    )


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium; without one the test is skipped, and in CI it fails."""
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        if path := shutil.which(name):
            return path
    _no_skip_in_ci("no Chromium found on the PATH (apt-get install chromium)")


@pytest.fixture(scope="module")
def chrome(chromium):
    """A Chromium for all tests of a file."""
    from tests.browser import browser

    with browser(chromium) as b:
        yield b


@pytest.fixture
def visit(chrome):
    """A function that opens a page; in the end, the test fails if a page had errors or outside requests."""
    from tests.browser import watched

    seen = []

    def visit(address="", before=lambda page: None, **options):
        page, errors, outside = watched(chrome, **options)
        seen.append((page, errors, outside))
        before(page)
        if address:
            page.goto(address)
        return page

    yield visit
    for page, errors, outside in seen:
        assert not errors and not outside
        page.close()


@pytest.fixture(scope="session")
def bubblewrap() -> None:
    """Skip the test if the sandbox of `course grade` can't work on this machine; in CI, let it fail."""
    from course.errors import NoSandbox
    from grading.sandbox import probe

    try:
        probe()
    except NoSandbox as error:
        _no_skip_in_ci(f"no sandbox here: {error}")


def _no_skip_in_ci(reason: str) -> NoReturn:
    if os.environ.get("CI"):
        pytest.fail(f"{reason}; in CI such a test may not be skipped")
    pytest.skip(reason)
