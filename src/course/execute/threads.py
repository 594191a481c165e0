"""Several notebooks at a time: a thread for each, which waits for the kernel that it has started."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from typing import TYPE_CHECKING, Any

from course.execute.kernel import Kernels

if TYPE_CHECKING:
    from course.execute.report import Progress, Result

Job = dict[str, Any]  # path, timeout, and what the work needs
Begins = Callable[[int, int], None]  # is told the cell that begins, and of how many


def side_by_side(
    work: Callable[[Job, Kernels, Begins], Result],
    jobs: list[Job],
    workers: int,
    env: dict[str, str],
    progress: Progress,
    keep: Callable[[Job, Result], None],
) -> list[Result]:
    """Do each job, at most `workers` at a time, and `keep` each result as it comes.

    `work` gets the job, the kernels to take one of, and a function that is told each cell that
    begins. However this ends, no kernel is left.
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
