"""Programs that a command starts, and their end with all that they have started."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import psutil


@contextmanager
def started(command: Sequence[object], **options: Any) -> Iterator[subprocess.Popen]:
    """A program that writes text; nothing of it is left. It doesn't hear Ctrl-C, which is ours to pass on."""
    words = [str(word) for word in command]
    text = {"encoding": "utf-8", "errors": "replace", "start_new_session": True}
    with subprocess.Popen(words, **text, **options) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                end(process.pid)


def end(pid: int) -> None:
    """Kill a process with all below it; each is stopped first, so that it can start no other."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        process.suspend()
        for child in process.children():
            end(child.pid)
        process.kill()
