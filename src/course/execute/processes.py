"""The end of a process with everything below it."""

from contextlib import suppress

import psutil


def end(pid: int) -> None:
    """Kill a process with all below it; each is stopped first, so that it can start no other."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        process.suspend()
        for child in process.children():
            end(child.pid)
        process.kill()
