"""Several processes on this machine, joined into a group, each running the same task.

On many machines torchrun starts a program on each. Here a function is started, so that a notebook or a
test can wait for its result. Where the system allows it, the processes are forked from one that has
already imported torch, so only the first start takes seconds.
"""

import pickle
import sys
import tempfile
from collections.abc import Callable
from datetime import timedelta
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

PATIENCE = timedelta(minutes=10)  # for an answer of another process; it only stops a hang
GRACE = 5  # seconds for the other processes to report an error after one has failed
SLOW = [
    "torch._dynamo"
]  # imported when DDP, an optimizer or a custom backward is first used
METHOD = "forkserver" if "forkserver" in get_all_start_methods() else "spawn"


def in_processes(n_processes: int, task: Callable, *given: Any) -> list:
    """The results of `task(*given)` in each of the processes, by their ranks.

    The task has to be a function of a module, because each process imports it. Its arguments and result
    have to be picklable. In the task, `torch.distributed` has a group of all processes (gloo). If one of
    them fails, a RuntimeError repeats the message of each, and names those that ended without one.
    """
    if n_processes < 1:
        raise ValueError(f"n_processes: expected 1 or more, got {n_processes}")
    if task.__module__ == "__main__":
        raise ValueError(
            f"task: expected a function of a module, got {task.__name__}, defined here; other "
            f"processes can't import it; write it to a file, and import it from there"
        )
    context = get_context(METHOD)
    if METHOD == "forkserver":
        context.set_forkserver_preload(SLOW)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        job = folder, n_processes, pickle.dumps((task, given))
        started = mp.start_processes(
            _member, job, n_processes, join=False, daemon=True, start_method=METHOD
        )
        try:
            while not started.join(grace_period=GRACE):
                pass
        except (mp.ProcessExitedException, mp.ProcessRaisedException):
            raise RuntimeError(_what_they_said(folder, started.processes)) from None
        return [pickle.loads(_result(folder, rank).read_bytes()) for rank in range(n_processes)]


def _result(folder: Path, rank: int) -> Path:
    return folder / f"result {rank}"


def _words(folder: Path, rank: int) -> Path:
    return folder / f"words {rank}"


def _member(rank: int, folder: Path, n_processes: int, job: bytes) -> None:
    """Run the task as one of the processes."""
    torch.set_num_threads(1)
    try:
        store = dist.FileStore(str(folder / "group"), n_processes)
        dist.init_process_group(
            "gloo", store=store, rank=rank, world_size=n_processes, timeout=PATIENCE
        )
        task, given = pickle.loads(job)
        _result(folder, rank).write_bytes(pickle.dumps(task(*given)))
        dist.destroy_process_group()
    except Exception as error:
        _words(folder, rank).write_text(f"{type(error).__name__}: {error}", "utf-8")
        sys.exit(1)


def _what_they_said(folder: Path, processes: list) -> str:
    """One sentence for each process that failed."""
    said = []
    for rank, process in enumerate(processes):
        if (words := _words(folder, rank)).exists():
            said.append(f"process {rank} said: {words.read_text('utf-8')}")
        elif process.exitcode:
            said.append(f"process {rank} ended without a word (status {process.exitcode})")
    return f"expected {len(processes)} processes to come to an end; " + "; ".join(said)
