"""The kernel of one notebook: apart from all others, this environment's Python, and its failures."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course.errors import CourseError
from course.execute.forkserver import ADDRESS, LAUNCHER, Forked

if TYPE_CHECKING:
    from nbformat import NotebookNode

Tell = Callable[..., None]

START_TIMEOUT = 60  # seconds
ROOM = 2**20  # bytes: a disk without so much room is full
LONGEST_NAME = 100  # bytes of the name of a Unix socket: macOS takes 103, Linux 107
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
    """A place for matplotlib's list of fonts, where it has none: it would say so in an output."""
    homes = (
        os.environ.get(name) or os.path.expanduser(usual)  # which stays as it is without a home
        for name, usual in (("XDG_CONFIG_HOME", "~/.config"), ("XDG_CACHE_HOME", "~/.cache"))
    )
    given = os.environ.get("MPLCONFIGDIR")
    places = [given] if given else [os.path.join(home, "matplotlib") for home in homes]
    return {} if all(map(_can_be_made, places)) else {"MPLCONFIGDIR": folder}


def _can_be_made(folder: str) -> bool:
    """Whether this is a folder to write to, or may become one."""
    while not os.path.exists(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return os.path.isdir(folder) and os.access(folder, os.W_OK)


class OwnKernel:
    """Mixed into a kernel manager: a kernel is forked where a server forks some, else it is started.

    They talk over Unix sockets in the runtime folder. A TCP port is looked for before the kernel starts and bound when it has: another program may
    take it in between, and then the kernel dies. TCP is used only where there are no Unix sockets
    (Windows) or the folder's name is too long for them.
    """

    def _connection_file_default(self) -> str:
        return os.path.join(os.environ["JUPYTER_RUNTIME_DIR"], "kernel.json")

    def _transport_default(self) -> str:
        longest = self._connection_file_default().replace(".json", "-ipc-5")
        return "ipc" if os.name == "posix" and len(os.fsencode(longest)) <= LONGEST_NAME else "tcp"

    async def _async_launch_kernel(self, kernel_cmd: list[str], **options: Any) -> None:
        if ADDRESS in os.environ and kernel_cmd[1:3] == LAUNCHER:
            with suppress(OSError):
                kernel = self.provisioner.process = Forked(kernel_cmd, options)
                self.provisioner.pid = self.provisioner.pgid = kernel.pid
                return
        await super()._async_launch_kernel(kernel_cmd, **options)


def check_kernel(path: Path, nb: NotebookNode) -> None:
    """Refuse a notebook that asks for another kernel than this environment's Python."""
    name = nb.metadata.get("kernelspec", {}).get("name", "python3")
    if name != "python3":
        raise CourseError(
            f"{path.name} asks for the kernel {name!r}, expected 'python3', the Python of this "
            "environment: choose 'Python 3 (ipykernel)' in JupyterLab (Kernel, Change Kernel) "
            "and save"
        )
    if importlib.util.find_spec("ipykernel") is None:
        raise CourseError(
            f"the kernel 'python3' is missing, because {sys.executable} has no ipykernel: "
            "activate the environment of the course"
        )


def client_options(nb: NotebookNode, job: dict[str, Any], tell: Tell) -> dict[str, Any]:
    """Settings of nbclient: this environment's Python as kernel, progress told cell by cell.

    Code cells count from 1, without the one that papermill injects; the number of the latest is
    kept in `job["cell"]`, the cell itself in `job["current"]`.
    """
    from jupyter_client import AsyncKernelManager
    from jupyter_client.kernelspec import KernelSpecManager

    class Kernel(OwnKernel, AsyncKernelManager):
        """The Python that runs this, whatever kernelspecs lie about on the machine."""

        def _kernel_spec_manager_default(self) -> KernelSpecManager:
            return KernelSpecManager(kernel_dirs=[])

    total = sum(own_code(cell) for cell in nb.cells)
    job["cell"], job["current"] = 0, None

    def cell_starts(cell: NotebookNode, cell_index: int) -> None:
        if own_code(cell):
            job["cell"], job["current"] = job["cell"] + 1, cell
            tell(progress=[job["cell"], total])

    return {"kernel_manager_class": Kernel, "on_cell_start": cell_starts}


def own_code(cell: NotebookNode) -> bool:
    """Whether this is a code cell of the author's."""
    return cell.cell_type == "code" and "injected-parameters" not in cell.metadata.get("tags", [])


def failure(job: dict[str, Any], error: Exception | None = None) -> dict[str, Any]:
    """What went wrong, and in which cell."""
    from nbclient.exceptions import CellTimeoutError, DeadKernelError

    if isinstance(error, CourseError):  # its sentence names the cell
        return no_cell("refused", str(error))
    cell = job["current"] or {"source": "", "outputs": []}
    raised = [output for output in cell["outputs"] if output["output_type"] == "error"]
    name, value, traceback = type(error).__name__, str(error), ""
    if isinstance(error, CellTimeoutError):
        value = f"the cell took longer than {job['timeout']} s (--timeout)"
    elif isinstance(error, DeadKernelError):
        guess = ": it ran out of memory, or something ended the process"
        value = f"the kernel died{full_disk(os.environ['JUPYTER_RUNTIME_DIR']) or guess}"
    elif raised:
        last = raised[-1]
        name, value, traceback = last.ename, last.evalue, short(last.traceback)
    elif error:
        value += full_disk(os.environ["JUPYTER_RUNTIME_DIR"])
    return {
        "cell": job["cell"] or None,
        "source": cell["source"],
        "name": name,
        "value": value,
        "traceback": traceback,
    }


def full_disk(folder: str) -> str:
    """What to add to an error if nothing can be written into the folder of a kernel; "" if it can.

    What fails there seldom says so: it can't write that either.
    """
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(ROOM))
    except OSError as error:
        return (
            f": {os.path.dirname(folder)} takes no temporary files ({error.strerror}): "
            "make room there, or name another folder in the variable TMPDIR"
        )
    return ""


def no_cell(name: str, value: str, traceback: str = "") -> dict[str, Any]:
    """A failure outside of any cell."""
    return {"cell": None, "source": "", "name": name, "value": value, "traceback": traceback}


def short(traceback: list[str]) -> str:
    """The frames of an IPython traceback, each with the one line that was running."""
    lines = re.sub(r"\x1b\[[\d;]*m", "", "\n".join(traceback)).splitlines()
    frames = [line for line in lines if re.match(r"(Cell In|File |-+> )", line)]
    return "\n".join(frames or lines[:-1])  # the last line repeats the error
