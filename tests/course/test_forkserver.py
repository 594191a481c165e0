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

from course.execute import forkserver
from course.execute.children import forks
from course.execute.forkserver import ADDRESS, Forked
from course.notebooks import read
from tests.conftest import wait_until
from tests.course.test_notebooks import make_course

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux only")

STATE = """import sys
loaded = set(sys.modules)
import gc, os, resource, signal, tempfile
own = {"JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "JPY_PARENT_PID", "COURSE_FORKSERVER"}
modules = {name for name in loaded if name.partition(".")[0] in ("attention", "course")}
({
    "environment": sorted((k, v) for k, v in os.environ.items() if k not in own),
    "folders": (os.getcwd(), tempfile.gettempdir(), os.path.exists(os.environ["JUPYTER_RUNTIME_DIR"])),
    "python": (sys.path, sys.argv[:2], str(sys.flags), gc.get_threshold(), modules),
    "session": (os.getsid(0) == os.getpgid(0) == os.getpid(), os.umask(0o22)),
    "stdin": sys.stdin.read(),
    "signals": [str(signal.getsignal(number)) for number in sorted(signal.valid_signals())],
    "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
    "limits": [resource.getrlimit(number) for number in range(10)],
})"""
LIBRARIES = """import matplotlib, torch
matplotlib.rcParams["backend"], torch.get_num_threads(), str(torch.get_default_dtype())"""
LOADED = """import psutil
"torch" in loaded, psutil.Process().parent().cmdline()[1:3], "COURSE_FORKSERVER" in os.environ"""
DRAWS = """import random, numpy
[random.random(), numpy.random.rand(), torch.rand(1).item()]"""
CELLS = STATE, LIBRARIES, LOADED, DRAWS
HANGS = 120  # seconds, which nothing takes that works


def results(folder: Path, *names: str) -> list[list]:
    """What the last line of each cell of some notebooks gives, by `course run`."""
    command = [sys.executable, "-m", "course", "run", *names]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    paths = sorted((folder / "build" / "run").glob("n*.ipynb"))
    cells = [[cell for cell in read(path).cells if cell.cell_type == "code"] for path in paths]
    return [[ast.literal_eval(cell.outputs[0].data["text/plain"]) for cell in of] for of in cells]


@pytest.fixture(scope="module")
def begun(tmp_path_factory) -> tuple[list, list, list]:
    """What the cells find in two forked kernels, and in one whose server is gone."""
    folder = make_course(tmp_path_factory.mktemp("forks"), n1=CELLS, n2=CELLS)
    one, two = results(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(ADDRESS, str(folder / "gone"))
        return one, two, results(folder, "n1")[0]


def test_a_forked_kernel_begins_as_an_ordinary_one(begun):
    forked, _, ordinary = begun
    assert forked[:2] == ordinary[:2]


def test_of_several_kernels_all_are_forked_and_have_torch_already(begun):
    server = ["-m", "course.execute.forkserver"]
    assert begun[0][2] == begun[1][2] == (True, server, False)


def test_where_the_server_is_gone_an_ordinary_kernel_starts(begun):
    torch, parent, _ = begun[2][2]
    assert not torch and parent == ["-P", "-m"]


def test_forked_kernels_share_no_random_numbers(begun):
    (*_, one), (*_, two), _ = begun
    assert not set(one) & set(two)


# ---------------------------------------------------------------- without notebooks

MODULES = {
    "asleep": "import time\ntime.sleep(600)",  # till it is ended
    "starts": "import subprocess\nsubprocess.run(['sleep', '600'])",
    "stops": "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
}


@pytest.fixture(scope="module", autouse=True)
def modules(tmp_path_factory) -> Iterator[None]:
    """In place of what is slow to import nothing, and in place of a kernel what only waits."""
    folder = tmp_path_factory.mktemp("modules")
    for name, source in MODULES.items():
        (folder / f"{name}.py").write_text(source)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forkserver, "SLOW", ())
        patch.setenv("PYTHONPATH", str(folder))
        yield


@pytest.fixture(scope="module")
def server(modules) -> Iterator[dict[str, str]]:
    """Where a server can be asked for kernels."""
    with forks(dict(os.environ), 2) as address:
        yield address


@pytest.fixture
def ask(server, tmp_path, monkeypatch):
    """Ask for a kernel: as whoever asked has it, and as the process that it is."""
    kernels = []

    def forked(
        address: dict[str, str] = server, module: str = "asleep"
    ) -> tuple[Forked, psutil.Process]:
        monkeypatch.setenv(ADDRESS, address[ADDRESS])
        command = [sys.executable, "-m", module]
        kernels.append(Forked(command, {"env": dict(os.environ), "cwd": tmp_path}))
        return kernels[-1], psutil.Process(kernels[-1].pid)

    yield forked
    for kernel in kernels:
        kernel.connection.close()


def ended(*processes: psutil.Process) -> bool:
    return not psutil.wait_procs(processes, timeout=HANGS)[1]


def test_a_kernel_ends_with_whoever_asked_for_it_and_no_other_does(ask):
    (one, first), (two, second) = ask(), ask()
    one.connection.close()  # as at the end of a process
    assert ended(first)
    assert second.is_running() and two.poll() is None


def test_how_a_kernel_ended_is_told(ask):
    kernel, process = ask()
    process.terminate()
    kernel.connection.settimeout(HANGS)
    assert kernel.poll() == kernel.wait() == -signal.SIGTERM
    assert ended(process)


def test_what_a_kernel_has_started_ends_with_it(ask):
    _, process = ask(module="starts")
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
from course.execute import children, forkserver
forkserver.SLOW = ["stops"]
with children.forks(dict(os.environ), 2):
    os.kill(os.getpid(), 19)"""


def test_a_server_that_has_no_time_for_it_ends_with_a_killed_command():
    command = psutil.Popen([sys.executable, "-c", COMMAND])
    wait_until(lambda: command.status() == psutil.STATUS_STOPPED)
    (server,) = command.children()
    wait_until(lambda: server.status() == psutil.STATUS_STOPPED)  # while it imports
    command.kill()
    assert ended(command, server)


def test_one_kernel_alone_is_an_ordinary_one():
    with forks(dict(os.environ), 1) as address:
        assert address == {}


def test_in_a_folder_whose_name_is_too_long_for_a_socket_kernels_are_ordinary(
    tmp_path, monkeypatch
):
    (long := tmp_path / ("long " * 30)).mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))
    with forks(dict(os.environ), 2) as address:
        assert address == {}


# ---------------------------------------------------------------- a keeper by itself

KEEPER = """import os, signal, socket, sys, time
from types import SimpleNamespace
from course.execute import forkserver
mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
socket.send_fds(theirs, [b"{}"], [1, 2])
"""
ORPHAN = """keeper = os.getpid()
def wait_for_its_end():
    while os.getppid() == keeper:
        time.sleep(0.01)  # the system has no other way to tell of the end of a parent
os.register_at_fork(
    after_in_parent=lambda: os.kill(keeper, signal.SIGKILL), after_in_child=wait_for_its_end
)
forkserver.keep(mine)
print("a kernel without a keeper")"""
MEASURED = """forkserver.end_with_parent = sys.exit  # the kernel's first deed
os.wait4 = lambda pid, how: (pid, 7 << 8, SimpleNamespace(ru_maxrss=123))
os._exit = lambda status: print(theirs.recv(100))
forkserver.keep(mine)"""


def said_by_keeper(part: str) -> str:
    """What a keeper prints, and the kernel that it forks, which has ended when this comes back."""
    command = [sys.executable, "-c", KEEPER + part]
    return subprocess.run(command, stdin=subprocess.PIPE, capture_output=True, text=True).stdout


def test_a_kernel_that_comes_after_the_end_of_its_keeper_ends_at_once():
    assert said_by_keeper(ORPHAN) == ""


def test_the_memory_of_a_kernel_is_what_the_system_says():
    assert said_by_keeper(MEASURED) == "b'[7, 123]'\n"
