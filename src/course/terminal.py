"""What a command has to do with its terminal: readers that leave, signals that end it."""

from __future__ import annotations

import io
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, TextIO


def outlive_readers() -> None:
    """Go on where the reader of what is said has left, as by `| head`."""
    sys.stdout, sys.stderr = _to_the_end(sys.stdout), _to_the_end(sys.stderr)


class _Unread(io.FileIO):
    """A file to write to, also after its reader has left (`| head`): the command goes on.

    Another error, such as a full disk, is raised once, so that what is said of it ends quietly.
    """

    def write(self, text: Any) -> int:
        try:
            return super().write(text)
        except BrokenPipeError:
            return len(text)
        except OSError:
            self.write = len
            raise


def _to_the_end(stream: TextIO) -> TextIO:
    stream.flush()
    raw = io.BufferedWriter(_Unread(stream.fileno(), "w", closefd=False))
    return io.TextIOWrapper(raw, stream.encoding, stream.errors, line_buffering=True)


@contextmanager
def ended_like_by_ctrl_c() -> Iterator[None]:
    """A system that shuts down or a terminal that closes ends a command as Ctrl-C does: cleanly."""
    sent = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():
        sent = []
    before = {s: h for s in sent if (h := signal.getsignal(s)) is not signal.SIG_IGN}  # nohup
    for number in before:
        signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt
