"""Run several notebooks at the same time: a thread for each starts a kernel and waits for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from typing import TYPE_CHECKING, Any

from course.execute.kernel import Kernels

if TYPE_CHECKING:
    from course.execute.report import Progress, Result

Job = dict[str, Any]  # path, timeout, and whatever else the work needs
Begins = Callable[[int, int], None]  # called as a cell starts, with its number and the total


def side_by_side(
    work: Callable[[Job, Kernels, Begins], Result],
    jobs: list[Job],
    workers: int,
    env: dict[str, str],
    progress: Progress,
    keep: Callable[[Job, Result], None],
) -> list[Result]:
    """Do all jobs, at most `workers` at a time, and return their results in the order of the jobs.

    `work` is given a job, the kernels, of which it starts one, and a function to call as each cell starts.
    `keep` is given each result as soon as it exists. Even after an error or Ctrl-C, no kernel is left.
    """
    kernels = Kernels(env)

    def one(job: Job) -> Result:
        name, started = job["path"].stem, time.perf_counter()
        found = work(job, kernels, lambda cell, total: progress.cell(name, cell, total))
        return {"name": name, "seconds": round(time.perf_counter() - started, 2), **found}

    with closing(kernels), ThreadPoolExecutor(workers) as pool:
        running = {pool.submit(one, job): job for job in jobs}
        try:
            for future in as_completed(running):
                keep(running[future], future.result())
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            kernels.end()
    return [future.result() for future in running]
