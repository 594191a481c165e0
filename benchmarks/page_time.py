"""Size of each page of the book, and the time until it is painted and until its explorers are live.

Run: course book, then python benchmarks/page_time.py [the beginning of a page's name ...]
Each page is opened from disk in a new browser, so that nothing is cached. The weights of models are
scripts at the end of a page. The peer is a page of one word, which takes turns with the page.
"""

import shutil
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from playwright.sync_api import BrowserType, sync_playwright

from course.notebooks import root

REPEATS = 3
KINDS = ("page", "scripts", "weights", "styles", "fonts", "images")
LIVE = """async () => {
    await Promise.all([window.framesReady, window.liveReady]);
    const live = performance.now(), painted = () => performance.getEntriesByName("first-contentful-paint")[0];
    while (!painted()) await new Promise(requestAnimationFrame);
    return [painted().startTime, live];
}"""


def kind(path: Path, resource: str) -> str:
    """Return the kind of a file that a page loads, one of KINDS."""
    if resource == "script" and path.read_bytes()[:40].startswith(b"(globalThis.courseWeights"):
        return "weights"
    names = {"document": "page", "script": "scripts", "stylesheet": "styles", "font": "fonts"}
    return names.get(resource, "images")


def opened(chromium: BrowserType, address: str) -> tuple[Counter[str], list[float]]:
    """Open a page; return its bytes by kind, and the milliseconds until it was painted and was live."""
    found: dict[Path, str] = {}
    browser = chromium.launch(
        executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
    )
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.on(
        "request",
        lambda r: found.setdefault(Path(unquote(urlsplit(r.url).path)), r.resource_type),
    )
    page.goto(address)
    times = page.evaluate(LIVE)
    browser.close()
    bytes_of: Counter[str] = Counter()
    for path, resource in found.items():
        if path.is_file():
            bytes_of[kind(path, resource)] += path.stat().st_size
    return bytes_of, times


def measured(chromium: BrowserType, pages: list[Path], empty: str) -> Iterator[str]:
    """Yield a line of results for each page."""
    for path in pages:
        runs = [opened(chromium, each) for _ in range(REPEATS) for each in (path.as_uri(), empty)]
        weight = runs[0][0]
        painted, live = (statistics.median(times[n] for _, times in runs[::2]) for n in (0, 1))
        ratios = [one[1][0] / peer[1][0] for one, peer in zip(runs[::2], runs[1::2], strict=True)]
        kilobytes = "".join(f"{weight[each] / 1000:9.0f}" for each in KINDS)
        yield (
            f"{path.stem:34}{kilobytes}{painted:9.0f}{live:9.0f}{statistics.median(ratios):9.2f}"
        )


def main() -> None:
    book = root() / "build" / "book"
    pages = [
        path
        for path in sorted(book.glob("[01A]*.html")) + [book / "index.html"]
        if path.name.startswith(tuple(sys.argv[1:]) or "") and path.is_file()
    ]
    if not pages:
        sys.exit(f"expected the book in {book}: run `course book` first")
    print(
        f"{'kB, ms':34}" + "".join(f"{each:>9}" for each in (*KINDS, "painted", "live", "ratio"))
    )
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        empty = Path(folder, "empty.html")
        empty.write_text("<!doctype html><title>empty</title><p>word", encoding="ascii")
        for line in measured(playwright.chromium, pages, empty.as_uri()):
            print(line, flush=True)


if __name__ == "__main__":
    main()
