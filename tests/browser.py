"""A Chromium that reports every console error and every request that leaves this machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from subprocess import Popen
from urllib.parse import urlsplit

import psutil
from playwright.sync_api import Browser, Page, sync_playwright

from tests.conftest import HANG

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def listens(server: Popen) -> int | None:
    """The port on which a server that a test has started listens, or None if it doesn't listen yet."""
    try:
        found = psutil.Process(server.pid).net_connections("tcp")
    except psutil.Error:  # it has just ended
        return None
    return next((each.laddr.port for each in found if each.status == psutil.CONN_LISTEN), None)


def end(server: Popen) -> None:
    """End a server that a test has started, and wait until it is gone."""
    server.terminate()
    try:
        server.wait(HANG)
    finally:
        server.kill()  # does nothing if it has already ended


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
    page.set_default_timeout(1000 * HANG)
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
