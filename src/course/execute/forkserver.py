"""Kernels forked from one process that has imported what is slow to import.

A kernel with torch, its optimizers and matplotlib takes three seconds of a processor before it
teaches anything; a forked one has them at once. Else it begins as any other: in a session, a folder
and an environment of its own, with no module of this course, and with its own random numbers. It
ends with whoever asked for it, and with the command. No notebook's code runs in the server.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import runpy
import signal
import socket
import sys
import tempfile
from contextlib import suppress
from importlib import import_module
from select import select
from typing import Any, ClassVar

ADDRESS = "COURSE_FORKSERVER"  # in the environment of those who may ask
LAUNCHER = ["-m", "ipykernel_launcher"]
SLOW = ("torch._dynamo", "ipykernel.ipkernel", "matplotlib.figure", "anywidget")  # torch.optim's
RANDOM = {"torch": "default_generator", "numpy": "random"}  # Python's own is seeded by each fork
COMMAND = 0  # a pipe, which ends when the command does
PDEATHSIG = 1  # of Linux's prctl: what a process is sent at the end of the one that started it
PATIENCE = 60  # seconds; then an ordinary kernel starts


# ---------------------------------------------------------------- where a kernel is asked for


class Forked:
    """A kernel of the server's, as jupyter_client knows a Popen. OSError: there is none."""

    peaks: ClassVar[list[int]] = []  # KiB, the most memory of each that has ended
    stdin = stdout = stderr = returncode = None

    def __init__(self, argv: list[str], options: dict[str, Any]) -> None:
        folder = os.path.abspath(options.get("cwd") or ".")
        request = {"argv": argv, "cwd": folder, "env": dict(options["env"])}
        files = [1, options["stderr"].fileno() if "stderr" in options else 2]
        self.connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            self.connection.settimeout(PATIENCE)
            self.connection.connect(os.environ[ADDRESS])
            socket.send_fds(self.connection, [json.dumps(request).encode()], files)
            if not (pid := self.connection.recv(100)):
                raise ConnectionError("the server has no kernel to give")
        except OSError:
            self.connection.close()
            raise
        self.connection.settimeout(0)
        self.pid = int(pid)

    def poll(self) -> int | None:
        """How it ended, or None while it runs."""
        if self.returncode is None:
            with suppress(BlockingIOError):
                said = self.connection.recv(100)
                self.returncode, peak = json.loads(said) if said else (-signal.SIGKILL, 0)
                self.peaks.append(peak)
                self.connection.close()
        return self.returncode

    wait = poll  # asked when it has ended

    def send_signal(self, number: int) -> None:
        """Nothing: its group has got it, or is no more."""


# ---------------------------------------------------------------- in the server


def serve(listener: socket.socket) -> socket.socket:
    """Fork a keeper for each that asks, until the command ends; comes back in the keeper."""
    keepers: set[int] = set()
    while True:
        ready = select([listener, COMMAND, *keepers], [], [])[0]
        for ended in keepers.intersection(ready):
            os.waitid(os.P_PIDFD, ended, os.WEXITED)
            os.close(ended)
            keepers.remove(ended)
        if COMMAND in ready:
            for keeper in keepers:
                os.waitid(os.P_PIDFD, keeper, os.WEXITED)
            sys.exit()
        if listener in ready:
            connection = listener.accept()[0]
            if not (pid := os.fork()):
                listener.close()
                for keeper in keepers:
                    os.close(keeper)
                return connection
            connection.close()
            keepers.add(os.pidfd_open(pid))


def keep(connection: socket.socket) -> dict[str, Any]:
    """Fork a kernel and see to its end; comes back in the kernel, with what was asked for."""
    message, files, *_ = socket.recv_fds(connection, 2**20, 2)
    keeper = os.getpid()  # asked before the fork: a kernel may come too late to see it alive
    if not (pid := os.fork()):
        end_with_parent()
        if os.getppid() != keeper:
            os._exit(1)
        os.setsid()
        connection.send(str(os.getpid()).encode())
        connection.close()
        for number, file in enumerate([os.open(os.devnull, os.O_RDONLY), *files]):
            os.dup2(file, number)
            os.close(file)
        return json.loads(message)
    select([os.pidfd_open(pid), connection, COMMAND], [], [])  # whichever ends first
    with suppress(ProcessLookupError):  # it has no group yet
        os.killpg(pid, signal.SIGKILL)
    os.kill(pid, signal.SIGKILL)
    _, status, usage = os.wait4(pid, 0)
    with suppress(BrokenPipeError):
        connection.send(json.dumps([os.waitstatus_to_exitcode(status), usage.ru_maxrss]).encode())
    os._exit(0)


def become(argv: list[str], cwd: str, env: dict[str, str]) -> None:
    """Be what `argv` starts in a new process: `python -m MODULE ...`."""
    for name in [*sys.modules]:
        if name.partition(".")[0] in ("chapters", "course", "__mp_main__"):
            del sys.modules[name]
    tempfile.tempdir = None
    os.environ.clear()
    os.environ.update(env)
    os.environ.pop(ADDRESS)
    os.chdir(cwd)
    sys.path[0] = cwd
    sys.argv = argv[2:]
    runpy.run_module(argv[2], run_name="__main__", alter_sys=True)


def main() -> None:
    """Import, fork, and be a kernel."""
    end_with_parent()  # also while it imports
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"  # read at its import
    _, listener, *slow = sys.argv
    for name in slow:
        import_module(name)
    for name, generator in RANDOM.items():
        if name in sys.modules:
            os.register_at_fork(after_in_child=getattr(sys.modules[name], generator).seed)
    gc.freeze()  # what is here stays, and is looked at no more
    become(**keep(serve(socket.socket(fileno=int(listener)))))


def end_with_parent() -> None:
    """Have the system kill this process when its parent ends."""
    ctypes.CDLL(None).prctl(PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    main()
