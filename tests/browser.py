"""A Chromium that reports every console error and every request that leaves this machine."""

import random
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def free_port() -> int:
    """A port for a server that is started later: from where no system picks ports by itself."""
    for port in random.SystemRandom().sample(range(20_000, 32_000), 50):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)):
                return port
    raise AssertionError("fifty ports tried, and something answers at each")


@contextmanager
def browser(executable: str) -> Iterator[Browser]:
    """A headless Chromium."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        try:
            yield chromium
        finally:
            chromium.close()


def watched(chromium: Browser, **options) -> tuple[Page, list[str], list[str]]:
    """A new page with two lists that fill while it lives: its errors and its outside requests."""
    page = chromium.new_page(**options)
    errors: list[str] = []
    outside: list[str] = []

    def look(request):
        address = urlsplit(request.url)
        if address.scheme in {"http", "https", "ws", "wss"} and address.hostname != "127.0.0.1":
            outside.append(request.url)

    page.on("request", look)
    page.on("websocket", look)
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    return page, errors, outside
