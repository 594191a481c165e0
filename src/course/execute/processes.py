"""Start programs, and end a process together with all processes that it has started."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import psutil


@contextmanager
def started(command: Sequence[object], **options: Any) -> Iterator[subprocess.Popen]:
    """Start a program that Ctrl-C doesn't reach; if it outlives the block, end it with its descendants."""
    words = [str(word) for word in command]
    text = {"encoding": "utf-8", "errors": "replace", "start_new_session": True}
    with subprocess.Popen(words, **text, **options) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                end(process.pid)


def end(pid: int) -> None:
    """Kill a process and its descendants; each is suspended first, so that it can't start others."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        process.suspend()
        for child in process.children():
            end(child.pid)
        process.kill()
