"""Messages between the judging process and a sandbox: a JSON text, and bytes behind it.

Lengths come first and are looked at before anything is read, so nobody can make the other read on.
"""

import json
import socket
import struct
import time
from collections.abc import Callable
from typing import Any

HEAD = struct.Struct(">IQ")  # the lengths of the text and of the bytes
LONGEST_TEXT, MOST_BYTES = 4 << 20, 64 << 20


class WireError(Exception):
    """What came is no message."""


class Line:
    """One end of a socket on which messages go to and fro."""

    def __init__(self, end: socket.socket, longest_text: int = LONGEST_TEXT):
        self.end, self.buffer, self.longest_text = end, bytearray(), longest_text

    def send(
        self, message: dict[str, Any], parts: list[bytes], seconds: float | None = None
    ) -> None:
        text = json.dumps(message).encode()
        self.end.settimeout(seconds)
        data = b"".join(parts)
        self.end.sendall(HEAD.pack(len(text), len(data)) + text + data)

    def receive(
        self, seconds: float | None = None, meanwhile: Callable[[], None] | None = None
    ) -> tuple[dict, bytes]:
        """The next message. TimeoutError after that time, EOFError at the end, WireError."""
        until = None if seconds is None else time.monotonic() + seconds
        while (size := self._size()) > len(self.buffer):
            wait = None if until is None else until - time.monotonic()
            if wait is not None and wait <= 0:
                raise TimeoutError
            if meanwhile:
                meanwhile()
                wait = min(0.2, wait or 0.2)
            self.end.settimeout(wait)
            try:
                came = self.end.recv(1 << 20)
            except TimeoutError:
                continue
            if not came:
                raise EOFError
            self.buffer += came
        n_text, _ = HEAD.unpack_from(self.buffer)
        text = bytes(self.buffer[HEAD.size : HEAD.size + n_text])
        data = bytes(self.buffer[HEAD.size + n_text : size])
        del self.buffer[:size]
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            raise WireError("no JSON") from None
        if type(message) is not dict:
            raise WireError("no message")
        return message, data

    def _size(self) -> int:
        if len(self.buffer) < HEAD.size:
            return HEAD.size
        n_text, n_bytes = HEAD.unpack_from(self.buffer)
        if n_text > self.longest_text or n_bytes > MOST_BYTES:
            raise WireError("too long")
        return HEAD.size + n_text + n_bytes
