"""The kernel of one notebook: apart from all others, this environment's Python, and its failures."""

from __future__ import annotations

import asyncio
import atexit
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from threading import Lock
from typing import TYPE_CHECKING, Any

from click import unstyle

from course.execute.processes import end

if TYPE_CHECKING:
    from nbformat import NotebookNode

START_TIMEOUT = (
    240  # seconds, for a machine with too much to do; a kernel that has ended is noticed at once
)
DIED = "the kernel died: it ran out of memory or disk, or another program ended it"
LONGEST_NAME = 100  # bytes of the name of a Unix socket: macOS takes 103, Linux 107
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
STORED = {  # environment of a kernel whose outputs are stored, or compared with those
    "PYTHONHASHSEED": "0",
    "COURSE_STORED": "1",  # explorers give the frames that a page steps through
}


def headless(folder: str) -> dict[str, str]:
    """Environment of a kernel that nobody watches: it shares no settings, history or connection."""
    return {
        "JUPYTER_RUNTIME_DIR": folder,
        "IPYTHONDIR": os.path.join(folder, "ipython"),
        "COURSE_HEADLESS": "1",  # a check that fails is an error
        "TQDM_DISABLE": "1",  # and no bar shows progress
        # Nor does a shell's environment, or a home's, reach IPython and matplotlib.
        "VIRTUAL_ENV": str(Path(sys.executable).parents[1]),
        "PYTHONSTARTUP": "",
        "MPLBACKEND": "",
        "MATPLOTLIBRC": os.devnull,
        **_matplotlib(folder),
    }


def _matplotlib(folder: str) -> dict[str, str]:
    """A place for matplotlib's list of fonts, where it can't write its own: an output would say so."""
    home = os.environ.get("MPLCONFIGDIR") or os.path.expanduser("~")
    return {} if os.access(home, os.W_OK) else {"MPLCONFIGDIR": folder}


class OwnKernel:
    """Mixed into a kernel manager: a kernel with a folder, an environment and a stderr of its own.

    They talk over Unix sockets in the folder. A TCP port is looked for before the kernel starts and
    bound when it has: another program may take it in between, and then the kernel dies. TCP is used
    only where there are no Unix sockets (Windows) or the folder's name is too long for them.
    """

    env: dict[str, str] = {}  # besides the user's own, before which it goes
    scratch: str  # where its folder is made

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.folder = mkdtemp(dir=self.scratch)
        self.connection_file = os.path.join(self.folder, "kernel.json")
        longest = os.path.join(self.folder, "kernel-ipc-5")
        if os.name == "posix" and len(os.fsencode(longest)) <= LONGEST_NAME:
            self.transport = "ipc"

    async def _async_launch_kernel(self, kernel_cmd: list[str], **options: Any) -> None:
        env = {**ONE_THREAD, **options["env"], **self.env, **headless(self.folder)}
        with open(os.path.join(self.folder, "stderr"), "wb") as said:
            options |= {"env": env, "stdout": said, "stderr": said}
            await super()._async_launch_kernel(kernel_cmd, **options)

    def said(self) -> str:
        """The last that the kernel's process wrote outside of its cells."""
        path = Path(self.folder, "stderr")
        return path.read_text("utf-8", "replace").strip()[-2000:] if path.exists() else ""


class Kernels:
    """The kernels of one command, which end with it."""

    def __init__(self, env: dict[str, str]) -> None:
        self.env, self._running, self._over, self._lock = env, set[int](), False, Lock()
        self._folder = TemporaryDirectory(prefix="course-", ignore_cleanup_errors=True)
        self.scratch = self._folder.name

    def manager(self) -> type:
        """A kernel manager as nbclient takes it, of this Python, whatever kernelspecs there are."""
        from jupyter_client import AsyncKernelManager
        from jupyter_client.kernelspec import KernelSpecManager

        kernels = self

        class Kernel(OwnKernel, AsyncKernelManager):
            env, scratch = kernels.env, kernels.scratch

            def _kernel_spec_manager_default(self) -> KernelSpecManager:
                return KernelSpecManager(kernel_dirs=[])

            async def _async_launch_kernel(self, kernel_cmd: list[str], **options: Any) -> None:
                with kernels._lock:
                    if kernels._over:
                        raise KeyboardInterrupt
                    await super()._async_launch_kernel(kernel_cmd, **options)
                    kernels._running.add(self.provisioner.pid)

        return Kernel

    def end(self) -> None:
        """End them all; none starts any more."""
        with self._lock:
            self._over = True
            for pid in self._running:
                end(pid)

    def close(self) -> None:
        """Remove what they have left, when all have ended."""
        self._folder.cleanup()


def run_cells(
    path: Path,
    nb: NotebookNode,
    timeout: int,
    kernels: Kernels,
    begins: Callable[[int, int], None],
) -> dict[str, Any]:
    """Run the cells of a notebook up to its first error; the number of cells, and the error or None.

    Code cells count from 1, without the one that papermill injects. `begins` is told the number of
    each that begins, and how many there are.
    """
    from nbclient import NotebookClient

    total, now = sum(map(own_code, nb.cells)), {"number": 0, "cell": None}

    def cell_starts(cell: NotebookNode, cell_index: int) -> None:
        if own_code(cell):
            now.update(number=now["number"] + 1, cell=cell)
            begins(now["number"], total)

    client = NotebookClient(
        nb,
        kernel_name="python3",
        kernel_manager_class=kernels.manager(),
        timeout=timeout,
        startup_timeout=START_TIMEOUT,
        shutdown_kernel="immediate",
        resources={"metadata": {"path": str(path.parent)}},
        record_timing=False,
        store_widget_state=False,
        on_cell_start=cell_starts,
    )
    error = None
    try:
        asyncio.run(client.async_execute())  # ends what is pending, too
    except Exception as raised:  # of a cell, a dead kernel, a time-out, one that doesn't start
        error = _failure(raised, timeout, **now)
    finally:
        atexit.unregister(client._cleanup_kernel)  # nbclient leaves it where a kernel was killed
    return {"cells": now["number"], "error": error}


def own_code(cell: NotebookNode) -> bool:
    """Whether this is a code cell of the author's."""
    return cell.cell_type == "code" and "injected-parameters" not in cell.metadata.get("tags", [])


# ---------------------------------------------------------------- what went wrong


def _failure(
    error: Exception, timeout: int, number: int, cell: NotebookNode | None
) -> dict[str, Any]:
    """What went wrong, and in which cell."""
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    name, value, traceback = type(error).__name__, str(error), ""
    if isinstance(error, CellTimeoutError):
        value = f"the cell took longer than {timeout} s (--timeout)"
    elif isinstance(error, DeadKernelError):
        value = DIED
    elif isinstance(error, CellExecutionError) and cell:
        last = [output for output in cell.outputs if output.output_type == "error"][-1]
        name, value, traceback = last.ename, last.evalue, short(last.traceback)
    source = cell.source if cell else ""
    return failure(name, value, traceback, number or None, source)


def failure(
    name: str, value: str, traceback: str = "", cell: int | None = None, source: str = ""
) -> dict[str, Any]:
    """A failure, as a report has it; one outside of any cell has no cell."""
    return {"cell": cell, "source": source, "name": name, "value": value, "traceback": traceback}


def short(traceback: list[str]) -> str:
    """The frames of an IPython traceback, each with the one line that was running."""
    lines = unstyle("\n".join(traceback)).splitlines()
    frames = [line for line in lines if re.match(r"(Cell In|File |-+> )", line)]
    return "\n".join(frames or lines[:-1])  # the last line repeats the error
