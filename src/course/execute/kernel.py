"""Run a notebook in its own kernel, which is this Python, and describe what went wrong in it."""

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
    240  # seconds, enough even for a very busy machine; a kernel that has died is noticed at once
)
DIED = "the kernel died: it ran out of memory or disk, or another program ended it"
LONGEST_NAME = 100  # bytes in the path of a Unix socket: macOS allows 103, Linux 107
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
STORED = {  # the environment of a kernel whose outputs are stored, or compared with stored ones
    "PYTHONHASHSEED": "0",
    "COURSE_STORED": "1",  # explorers also output the frames that a reader can step through on a page
}


def headless(folder: str) -> dict[str, str]:
    """Return the environment of a kernel without a user: it shares no settings, history or connections."""
    return {
        "JUPYTER_RUNTIME_DIR": folder,
        "IPYTHONDIR": os.path.join(folder, "ipython"),
        "COURSE_HEADLESS": "1",  # a check that fails raises its error
        "TQDM_DISABLE": "1",  # tqdm shows no progress bars
        # These hide the settings of the user's shell and home folder from IPython and matplotlib.
        "VIRTUAL_ENV": str(Path(sys.executable).parents[1]),
        "PYTHONSTARTUP": "",
        "MPLBACKEND": "",
        "MATPLOTLIBRC": os.devnull,
        **_matplotlib(folder),
    }


def _matplotlib(folder: str) -> dict[str, str]:
    """Give matplotlib a folder if it can't write to its own, which would put a warning into an output."""
    home = os.environ.get("MPLCONFIGDIR") or os.path.expanduser("~")
    return {} if os.access(home, os.W_OK) else {"MPLCONFIGDIR": folder}


class OwnKernel:
    """A mixin for kernel managers: each kernel has its own folder, environment and file for stderr.

    The manager and its kernel talk over Unix sockets in the folder. With TCP, a free port is chosen before
    the kernel starts. If another program takes the port before the kernel does, the kernel dies. So TCP is
    used only if there are no Unix sockets (Windows) or the folder's path is too long for them.
    """

    env: dict[str, str] = {}  # added to the user's environment, and takes precedence over it
    scratch: str  # the folder in which its own folder is made

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
        """Return the last 2,000 characters that the kernel's process itself wrote, outside of its cells."""
        path = Path(self.folder, "stderr")
        return path.read_text("utf-8", "replace").strip()[-2000:] if path.exists() else ""


class Kernels:
    """All kernels that one command starts; the command ends them together."""

    def __init__(self, env: dict[str, str]) -> None:
        self.env, self._running, self._over, self._lock = env, set[int](), False, Lock()
        self._folder = TemporaryDirectory(prefix="course-", ignore_cleanup_errors=True)
        self.scratch = self._folder.name

    def manager(self) -> type:
        """Return a kernel manager class for nbclient that starts this Python, whatever kernelspecs exist."""
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
        """Kill all kernels, and let no other one start."""
        with self._lock:
            self._over = True
            for pid in self._running:
                end(pid)

    def close(self) -> None:
        """Remove the kernels' folders, after all of them have ended."""
        self._folder.cleanup()


def run_cells(
    path: Path,
    nb: NotebookNode,
    timeout: int,
    kernels: Kernels,
    begins: Callable[[int, int], None],
) -> dict[str, Any]:
    """Run a notebook's cells up to the first error; return how many were started, and the error or None.

    Code cells are numbered from 1, without the one that papermill injects. `begins` is called with the
    number of each code cell as it starts, and with the number of all code cells.
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
        asyncio.run(client.async_execute())  # also cancels tasks that are still pending
    except Exception as raised:  # a cell's error, a time-out, a kernel that died or didn't start
        error = _failure(raised, timeout, **now)
    finally:
        atexit.unregister(client._cleanup_kernel)  # left over if a kernel was killed
    return {"cells": now["number"], "error": error}


def own_code(cell: NotebookNode) -> bool:
    """Whether this is a code cell by the author, not the one that papermill injected."""
    return cell.cell_type == "code" and "injected-parameters" not in cell.metadata.get("tags", [])


# ---------------------------------------------------------------- what went wrong


def _failure(
    error: Exception, timeout: int, number: int, cell: NotebookNode | None
) -> dict[str, Any]:
    """Return the failure that an error caused, with the number and source of the cell."""
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
    """Return a failure as a report contains it; `cell` is None if it happened outside of all cells."""
    return {"cell": cell, "source": source, "name": name, "value": value, "traceback": traceback}


def short(traceback: list[str]) -> str:
    """Return the frames of an IPython traceback, each with the one line that was running."""
    lines = unstyle("\n".join(traceback)).splitlines()
    frames = [line for line in lines if re.match(r"(Cell In|File |-+> )", line)]
    return "\n".join(frames or lines[:-1])  # the last line repeats the error
