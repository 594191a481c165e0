"""Median and maximum of the milliseconds from an event to its picture, for each explorer of the book.

Run: course book, then python benchmarks/paint_time.py [the beginning of a page's name ...]
Chromium receives real events: the script drags what can be dragged, types letters into a text, moves a
slider by keys, or presses anything else. A picture counts as soon as its frame was handed on. The aim is
less than 50 ms. The peer is a page that draws nothing, in which a frame has to come nevertheless.
"""

import shutil
import statistics
import sys
from collections.abc import Callable, Iterator

from playwright.sync_api import Locator, Page, sync_playwright

from course.notebooks import root

EVENTS, AIM = 40, 50
EXPLORERS = "div.course-live, .course-frame-control"
LISTEN = """() => {
    window.took = [];
    for (const kind of ["pointermove", "input", "click"]) addEventListener(kind, ({ timeStamp }) => {
        requestAnimationFrame(() => { // before that of the explorer, in the same frame
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => took.push(performance.now() - timeStamp);
            port2.postMessage(0);
        });
    }, true);
}"""
SETTLED = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def acts(page: Page, one: Locator) -> Callable[[int], None]:
    """Return a function of n that changes an explorer for the n-th time."""
    if (grip := one.locator(".grip").first).count():
        grip.scroll_into_view_if_needed()
        box = grip.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        return lambda n: page.mouse.move(x + n % 7, y + n % 30)
    if (field := one.locator("textarea:visible")).count():
        field.focus()
        return lambda n: page.keyboard.press("the king said"[n % 13])
    if (slider := one.locator("input[type=range]").last).count():
        slider.focus()
        first = slider.input_value() == slider.get_attribute("max")
        return lambda n: page.keyboard.press(
            "ArrowRight" if (n % 2 == 0) != first else "ArrowLeft"
        )
    if (choice := one.locator("select").first).count():
        choice.focus()
        return lambda n: page.keyboard.press("ArrowUp" if n % 2 else "ArrowDown")
    pressed = one.locator("[data-cell]:enabled, tbody button:enabled, input[type=checkbox]")
    return lambda n: pressed.nth(n % pressed.count()).click()


def times(page: Page, act: Callable[[int], None]) -> list[float]:
    """Return the milliseconds from each of EVENTS events to its picture. Exits if too few were seen."""
    page.evaluate("took.length = 0")
    for n in range(EVENTS):
        act(n)
        page.evaluate(SETTLED)
    page.mouse.up()
    found = page.evaluate("took")
    if len(found) < EVENTS / 2:
        sys.exit(f"expected {EVENTS} events in {page.url}, got {len(found)}")
    return found


def explorers(page: Page, name: str) -> Iterator[tuple[str, list[float]]]:
    """Yield a name and the times for each explorer of a page."""
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    page.evaluate("Promise.all([window.framesReady, window.liveReady])")
    page.evaluate(LISTEN)
    for n, one in enumerate(page.locator(EXPLORERS).all(), 1):
        one.scroll_into_view_if_needed()
        kind = one.evaluate("e => e.className.replace('course-live course-', '')")
        yield f"{name[:2]} {n} {kind}", times(page, acts(page, one))


def main() -> None:
    book = root() / "build" / "book"
    pages = [
        path
        for path in [*sorted(book.glob("[01A]*.html")), book / "index.html"]
        if path.name.startswith(tuple(sys.argv[1:]) or "") and path.is_file()
    ]
    if not pages:
        sys.exit(f"expected the book in {book}: run `course book` first")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        view = {"viewport": {"width": 1200, "height": 900}, "reduced_motion": "reduce"}
        empty = chromium.new_page(**view)
        empty.set_content("<input type=range>")
        empty.evaluate(LISTEN)
        peer = statistics.median(times(empty, acts(empty, empty.locator("body"))))
        print(f"a page that draws nothing: {peer:.0f} ms")
        for path in pages:
            page = chromium.new_page(**view)
            page.goto(path.as_uri())
            for name, took in explorers(page, path.stem):
                middle = statistics.median(took)
                says = "" if middle < AIM else "  above the aim"
                print(f"{name}: {middle:.0f} ms, at most {max(took):.0f}{says}", flush=True)
            page.close()
        chromium.close()


if __name__ == "__main__":
    main()
