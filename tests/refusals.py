"""Refuse tests that depend on how busy the machine is, or that leave something behind."""

import ast
import os
import re
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import psutil
import pytest

MEASURES = {"monotonic", "perf_counter", "process_time", "thread_time", "time.time"}
MEASURES |= {f"{clock}_ns" for clock in MEASURES}
MEASURES |= {"peak", "rss", "ru_maxrss", "memory_info", "cpu_times", "num_fds"}
MEASURES |= {"num_threads", "active_count"}
LINES = {  # {what a line may not have: advice}; a comment in it or above it is a reason
    r"\bsleep\((?!0\))": "a sleep needs its reason beside it: better wait for what has to happen",
    r"\b(process_iter|pids)\(": "lists the processes of the machine: ask your own for its children",
    r"\b(free|unused)_port\(": "a port that is free now may be taken then: bind port 0",
}
KNOWN = {  # threads and processes that, once started, live as long as Python does
    "TMonitor",  # the thread of all tqdm bars
    "asyncio_",  # the pool of threads of an event loop
    "multiprocessing.resource_tracker",  # it cleans up after its processes
    "multiprocessing.forkserver",  # it also forks later processes
}
OTHERS = {"PYTEST_CURRENT_TEST", "TORCHINDUCTOR_CACHE_DIR"}  # set by pytest, and by torch
SIGNALS = signal.valid_signals() - {
    getattr(signal, "SIGALRM", None)
}  # pytest-timeout uses that one
ENDS = 30  # seconds to wait for an end; only a hang takes longer


# ---------------------------------------------------------------- in the text of a test


def refused(source: str) -> list[str]:
    """The lines of a test file that can make a test pass or fail by chance, each as `LINE: reason`."""
    tree = ast.parse(source)
    found = [
        (
            line,
            f"asserts what a clock or a meter says ({name}): inject it, or assert what happened",
        )
        for function in _all(tree, ast.FunctionDef)
        for line, name in _measured(function)
    ]
    lines = source.splitlines()
    for number, (above, line) in enumerate(zip(["", *lines], lines, strict=False), 1):
        if "#" not in line and not above.lstrip().startswith("#"):
            found += [(number, why) for words, why in LINES.items() if re.search(words, line)]
    return [f"{number}: {why}" for number, why in sorted(set(found))]


def _measured(function: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and name for each assert that uses a clock or a meter, even through a variable."""
    known = set(MEASURES)
    for given in _all(function, ast.Assign):
        if _names(given.value) & known:
            known |= {name.id for target in given.targets for name in _all(target, ast.Name)}
    for claim in _all(function, ast.Assert):
        yield from ((claim.lineno, name) for name in sorted(_names(claim.test) & known))


def _all(tree: ast.AST, kind: type) -> Iterator:
    return (node for node in ast.walk(tree) if isinstance(node, kind))


def _names(tree: ast.AST) -> set[str]:
    attributes = [(node.attr, ast.unparse(node)) for node in _all(tree, ast.Attribute)]
    return {name for names in attributes for name in names} | {n.id for n in _all(tree, ast.Name)}


@cache
def _refused(path: Path) -> list[str]:
    return refused(path.read_text(encoding="utf-8"))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail all tests of a file with such a line, without running them."""
    if found := _refused(item.path):
        pytest.fail("\n".join(f"{item.path.name}:{line}" for line in found), pytrace=False)


# ---------------------------------------------------------------- what a test leaves


@pytest.fixture(autouse=True)
def _a_nothing_is_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves something. Its name sorts first, so it also sees what other fixtures leave.

    Processes that fixtures of a module or a session started before the test may start others.
    """
    before, threads, processes = _settings(), set(threading.enumerate()), _children()
    yield
    left = []
    if request.path.stem != "test_grade_cluster":  # Dask restarts its threads and processes
        left += [name for t in set(threading.enumerate()) - threads if (name := _left(t))]
        left += [" ".join(p.cmdline()) for p in _new(processes)]
    now = _settings()
    changed = [name for name in {**now, **before} if now.get(name) != before.get(name)]
    _put_back(before)
    assert not left and not changed, f"the test leaves {left}, and changes {changed}"


def _left(thread: threading.Thread) -> str:
    """The name of a thread that doesn't end; "" if it ends or is in KNOWN."""
    name = f"{type(thread).__name__} {thread.name}"
    if any(known in name for known in KNOWN):
        return ""
    _join(thread)
    return name if thread.is_alive() else ""


def _join(thread: threading.Thread) -> None:
    """Wait until a thread ends, even if another thread is just starting it."""
    while True:
        try:
            return thread.join(ENDS)
        except RuntimeError:  # threading lists a thread a moment before it can be joined
            time.sleep(0)


def _children() -> set[psutil.Process]:
    """The processes that this one has started and that still exist; it is quick if there are none."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except (ChildProcessError, AttributeError):  # no child, or no such function (Windows)
        return set()
    return set(psutil.Process().children(recursive=True))


def _new(known: set[psutil.Process]) -> list[psutil.Process]:
    """The new processes that don't end, except those that an earlier process has started."""
    new = []
    for process in _children() - known:
        with suppress(psutil.NoSuchProcess):
            name = " ".join(process.cmdline())
            if known.isdisjoint(process.parents()) and not any(word in name for word in KNOWN):
                new.append(process)
    return psutil.wait_procs(new, ENDS)[1] if new else []


def _settings() -> dict:
    umask = os.umask(0o22)
    os.umask(umask)
    return {
        "umask": umask,
        "folder": os.getcwd(),
        **{name: value for name, value in os.environ.items() if name not in OTHERS},
        **{number: signal.getsignal(number) for number in SIGNALS},
    }


def _put_back(settings: dict) -> None:
    """Restore what `_settings` gives, so that a test's fault isn't found in later tests."""
    os.umask(settings["umask"])
    os.chdir(settings["folder"])
    for name in os.environ.keys() - OTHERS - settings.keys():
        del os.environ[name]
    variables = {name: value for name, value in settings.items() if isinstance(value, str)}
    os.environ.update({name: value for name, value in variables.items() if name != "folder"})
    for number in SIGNALS:
        if (handler := settings[number]) is not None and handler != signal.getsignal(number):
            signal.signal(number, handler)
