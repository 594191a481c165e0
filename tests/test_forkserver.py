"""Forked kernels begin as ordinary ones do, and end with whoever asked for them."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from course.execute.children import forks
from course.execute.forkserver import ADDRESS, LAUNCHER, Forked
from course.execute.kernel import headless
from course.notebooks import read
from tests.test_check import wait_until
from tests.test_notebooks import make_course

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux only")

STATE = """import sys
loaded = set(sys.modules)
import gc, os, psutil, resource, signal, tempfile, threading
own = {"JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "JPY_PARENT_PID"}
modules = {name for name in loaded if name.partition(".")[0] in ("attention", "course")}
({
    "environment": sorted((k, v) for k, v in os.environ.items() if k not in own),
    "folders": (os.getcwd(), tempfile.gettempdir(), os.path.exists(os.environ["JUPYTER_RUNTIME_DIR"])),
    "python": (sys.path, sys.argv[:2], str(sys.flags), gc.get_threshold(), modules),
    "session": (os.getsid(0) == os.getpgid(0) == os.getpid(), os.umask(0o22)),
    "stdin": sys.stdin.read(),
    "signals": [str(signal.getsignal(number)) for number in sorted(signal.valid_signals())],
    "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
    "threads": (sorted(thread.name for thread in threading.enumerate()), psutil.Process().num_threads()),
    "files": len(os.listdir("/proc/self/fd")),
    "limits": [resource.getrlimit(number) for number in range(10)],
})"""
LIBRARIES = """import matplotlib, torch
matplotlib.rcParams["backend"], torch.get_num_threads(), str(torch.get_default_dtype())"""
LOADED = '"torch" in loaded, psutil.Process().parent().cmdline()[-3:-1]'
DRAWS = """import random, numpy
[random.random(), numpy.random.rand(), torch.rand(1).item()]"""
CELLS = STATE, LIBRARIES, LOADED, DRAWS


def results(folder: Path, *names: str) -> list[list]:
    """What the last line of each cell of some notebooks gives, by `course run`."""
    command = [sys.executable, "-m", "course", "run", *names]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    paths = sorted((folder / "build" / "run").glob("n*.ipynb"))
    cells = [[cell for cell in read(path).cells if cell.cell_type == "code"] for path in paths]
    return [[ast.literal_eval(cell.outputs[0].data["text/plain"]) for cell in of] for of in cells]


@pytest.fixture(scope="module")
def begun(tmp_path_factory) -> tuple[list, list, list]:
    """What the cells find in two forked kernels, and in an ordinary one of the first notebook."""
    folder = make_course(tmp_path_factory.mktemp("forks"), n1=CELLS, n2=CELLS)
    one, two = results(folder)
    return one, two, results(folder, "n1")[0]


def test_a_forked_kernel_begins_as_an_ordinary_one(begun):
    forked, _, ordinary = begun
    assert forked[:2] == ordinary[:2]


def test_of_several_kernels_all_are_forked_and_have_torch_already(begun):
    server = ["-m", "course.execute.forkserver"]
    assert begun[0][2] == begun[1][2] == (True, server)
    torch, parent = begun[2][2]
    assert not torch and parent != server


def test_forked_kernels_share_no_random_numbers(begun):
    (*_, one), (*_, two), _ = begun
    assert not set(one) & set(two)


def test_where_the_server_is_gone_an_ordinary_kernel_starts(tmp_path, monkeypatch):
    folder = make_course(tmp_path, n1=["import os\nos.getpid()"])
    monkeypatch.setenv(ADDRESS, str(tmp_path / "gone"))
    assert results(folder, "n1")[0][0] > 0


# ---------------------------------------------------------------- without notebooks


@pytest.fixture(scope="module")
def server() -> Iterator[dict[str, str]]:
    """Where a server can be asked for kernels."""
    with forks(dict(os.environ), 2) as address:
        yield address


@pytest.fixture
def ask(server, tmp_path, monkeypatch):
    """Ask for a kernel: as whoever asked has it, and as the process that it is."""
    kernels = []

    def forked(
        address: dict[str, str] = server, option: str = ""
    ) -> tuple[Forked, psutil.Process]:
        monkeypatch.setenv(ADDRESS, address[ADDRESS])
        command = [sys.executable, *LAUNCHER, "-f", str(tmp_path / "kernel.json"), option]
        environment = {**os.environ, **headless(str(tmp_path))}
        kernels.append(Forked(command, {"env": environment, "cwd": tmp_path}))
        return kernels[-1], psutil.Process(kernels[-1].pid)

    yield forked
    for kernel in kernels:
        kernel.connection.close()


def ended(*processes: psutil.Process) -> bool:
    return not psutil.wait_procs(processes, timeout=30)[1]


def test_a_kernel_ends_with_whoever_asked_for_it_and_no_other_does(ask):
    (one, first), (two, second) = ask(), ask()
    one.connection.close()  # as at the end of a process
    assert ended(first)
    assert second.is_running() and two.poll() is None


def test_how_a_kernel_ended_and_its_memory_are_told(ask, monkeypatch):
    monkeypatch.setattr(Forked, "peaks", [])
    kernel, process = ask()
    process.terminate()
    kernel.connection.settimeout(30)
    assert kernel.poll() == kernel.wait() == -signal.SIGTERM
    assert 50 * 1024 < kernel.peaks[0] < 2**21
    assert ended(process)


def test_what_a_kernel_has_started_ends_with_it(ask):
    sleep = "__import__('subprocess').Popen(['sleep', '600'])"
    _, process = ask(option=f"--IPKernelApp.exec_lines={sleep}")
    wait_until(process.children)
    below = process.children()
    process.kill()
    assert ended(process, *below)


def test_a_kernel_does_not_outlive_its_keeper(ask):
    kernel, process = ask()
    process.parent().kill()
    assert ended(process)
    assert kernel.poll() == -signal.SIGKILL


def test_the_end_of_the_server_ends_no_kernel_and_is_an_error_for_the_next(ask):
    with forks(dict(os.environ), 2) as address:
        kernel, process = ask(address)
        server = process.parent().parent()
        server.kill()
        assert ended(server)
        with pytest.raises(OSError):
            ask(address)
        assert process.is_running() and kernel.poll() is None
    assert ended(process)


@pytest.mark.parametrize("error", [None, KeyboardInterrupt])
def test_at_the_end_of_a_command_all_have_ended(error, ask):
    with suppress(KeyboardInterrupt), forks(dict(os.environ), 2) as address:
        process = ask(address)[1]
        above = process.parents()[:2]
        if error:
            raise error
    assert ended(process, *above)
    assert not Path(address[ADDRESS]).exists()


COMMAND = """import os
from course.execute.children import forks
with forks(dict(os.environ), 2):
    os.kill(os.getpid(), 19)"""


def test_a_server_that_has_no_time_for_it_ends_with_a_killed_command():
    command = psutil.Popen([sys.executable, "-c", COMMAND])
    wait_until(lambda: command.status() == psutil.STATUS_STOPPED)
    (server,) = command.children()
    wait_until(lambda: any("torch" in part.path for part in server.memory_maps()))
    server.suspend()
    command.kill()
    assert not psutil.wait_procs([command, server], timeout=30)[1]


def test_one_kernel_alone_is_an_ordinary_one():
    with forks(dict(os.environ), 1) as address:
        assert address == {}
