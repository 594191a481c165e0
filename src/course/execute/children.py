"""Notebooks side by side: one child process each, which owns the kernel.

The command talks with a child (`python -m MODULE`) in lines of JSON: a job goes in, progress and
one result come out. Only the command writes files, so a child may be ended at any moment, and a
child that loses the command ends itself and its kernel.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from course.execute import forkserver
from course.execute.kernel import Tell, full_disk, headless, no_cell

if TYPE_CHECKING:
    from course.execute.report import Progress, Result

LONGEST_LINE = 2**28  # bytes: an executed notebook travels in one line of JSON
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def execute(
    module: str,
    jobs: list[dict[str, Any]],
    workers: int,
    env: dict[str, str],
    progress: Progress,
    keep: Callable[[dict[str, Any], Result], None],
) -> list[Result]:
    """Do each job in a child of its own (`python -m module`), at most `workers` at a time.

    `keep` gets each result as it comes. However this ends, no child and no kernel is left.
    """
    environment = {
        **ONE_THREAD,
        **os.environ,
        **env,
    }
    environment.pop("MPLBACKEND", None)  # else figures would not reach the notebook

    async def one(job: dict[str, Any], slots: asyncio.Semaphore) -> Result:
        async with slots:
            result = await _child(module, job, environment, progress)
            keep(job, result)
            return result

    async def everything() -> list[Result]:
        slots = asyncio.Semaphore(workers)
        with interrupted_at_an_await():
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one(job, slots)) for job in jobs]
        return [task.result() for task in tasks]

    try:
        with forks(environment, len(jobs)) as address:
            environment |= address
            return asyncio.run(everything())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None


@contextmanager
def interrupted_at_an_await() -> Iterator[None]:
    """A signal that raises KeyboardInterrupt cancels this task instead.

    In the middle of a start, a child could get lost.
    """
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    known = {number: signal.getsignal(number) for number in signal.valid_signals()}
    if threading.current_thread() is not threading.main_thread():
        known = {}
    handlers = {number: handler for number, handler in known.items() if callable(handler)}

    def cancel(number: int, frame: Any) -> None:
        try:
            handlers[number](number, frame)
        except KeyboardInterrupt:
            task.cancel()
            loop.call_soon_threadsafe(lambda: None)  # it may be waiting

    for number in handlers:
        signal.signal(number, cancel)
    try:
        yield
    finally:
        for number, handler in handlers.items():
            if signal.getsignal(number) is cancel:
                signal.signal(number, handler)


@contextmanager
def forks(environment: dict[str, str], kernels: int) -> Iterator[dict[str, str]]:
    """The variables by which kernels are forked; none if that is not possible, or not worth it."""
    if sys.platform != "linux" or kernels < 2:
        yield {}
        return
    kind = socket.AF_UNIX, socket.SOCK_SEQPACKET
    with (
        tempfile.TemporaryDirectory(prefix="course-", ignore_cleanup_errors=True) as folder,
        socket.socket(*kind) as listener,
    ):
        try:
            listener.bind(address := os.path.join(folder, "forks"))
        except OSError:  # the name of the folder for temporary files is too long
            yield {}
            return
        listener.listen()
        with subprocess.Popen(
            [sys.executable, "-m", forkserver.__name__, str(listener.fileno()), *forkserver.SLOW],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            cwd=folder,  # where no file can stand in for a module
            env=environment | headless(folder) | {"TMPDIR": folder},  # torch._dynamo makes a folder
            pass_fds=[listener.fileno()],
            start_new_session=True,
        ) as server:  # fmt: skip
            listener.close()
            try:
                yield {forkserver.ADDRESS: address}
            except BaseException:
                end(server.pid)
                server.wait()
                raise


async def _child(
    module: str, job: dict[str, Any], environment: dict[str, str], progress: Progress
) -> Result:
    """Start a child, give it its job, follow its progress, and come back with its result."""
    name = job["path"].stem
    started = time.perf_counter()
    result: Result = {"name": name, "seconds": 0.0, "peak_mib": None, "cells": None, "error": None}
    with (
        tempfile.TemporaryDirectory(prefix="course-", ignore_cleanup_errors=True) as scratch,
        open(f"{scratch}/stderr", "w+", encoding="utf-8", errors="replace") as stderr,
    ):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", module,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=stderr,
            env=environment | headless(scratch),
            limit=LONGEST_LINE,
            start_new_session=True,  # Ctrl-C is ours to pass on
        )  # fmt: skip
        try:
            process.stdin.write(json.dumps(job, default=str).encode() + b"\n")
            finished = False
            async for line in process.stdout:
                message = json.loads(line)
                if "progress" in message:
                    progress.cell(name, *message["progress"])
                else:
                    result.update(message)
                    finished = True
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), timeout=5)
        except json.JSONDecodeError:  # it was ended in the middle of a line
            pass
        except ValueError:  # a line that is longer than the limit
            what = f"its outputs are more than {LONGEST_LINE // 2**20} MiB: print less"
            result["error"], finished = no_cell("OverflowError", what), True
        finally:
            if process.returncode is None:
                end(process.pid)
                await process.wait()
        if not finished:
            stderr.seek(0)
            value = f"the process of the notebook ended early (status {process.returncode})"
            value += full_disk(scratch)
            result["error"] = no_cell("ChildProcessError", value, stderr.read()[-2000:])
    result["seconds"] = round(time.perf_counter() - started, 2)
    return result


def end(pid: int) -> None:
    """Kill a process with all below it; each is stopped first, so that it can start no other."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        process.suspend()
        for child in process.children():
            end(child.pid)
        process.kill()


def serve(work: Callable[[dict[str, Any], Tell], Result]) -> None:
    """Be a child: read the job, do the work, tell progress and the result; die with the parent."""
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library or the kernel prints goes to stderr

    def tell(**message: Any) -> None:
        print(json.dumps(message), file=channel, flush=True)

    def watch_parent() -> None:
        os.read(0, 1)  # returns when the parent's end of the pipe is closed
        for child in psutil.Process().children():
            end(child.pid)
        os._exit(1)

    job = json.loads(sys.stdin.readline())
    threading.Thread(target=watch_parent, daemon=True).start()
    job["path"] = Path(job["path"])
    tell(**work(job, tell))
