"""Frames per second while a live explorer changes at every frame, and their ratio to an empty page's.

Run: course book, then python benchmarks/frame_time.py [the beginning of a page's name ...]
The aim is more than 50 frames per second. The script types a letter into a text field; in explorers
without one, it drags what can be dragged, moves a slider, or presses anything else. An empty page takes
turns with the explorers. The processor draws the pages, without a GPU.
"""

import shutil
import statistics
import sys

from playwright.sync_api import sync_playwright

from course.notebooks import root

FRAMES, REPEATS, AIM = 240, 3, 50
PRESSED = "() => addEventListener('pointerdown', e => { window.pressed = e.pointerId; }, true)"
CHANGE = """async ([n, frames]) => {
    const el = document.querySelectorAll("div.course-live")[n];
    const grip = el?.querySelector(".grip"), at = grip?.getBoundingClientRect();
    const pressed = el ? [...el.querySelectorAll("[data-cell]")] : [];
    if (el && !pressed.length) pressed.push(...el.querySelectorAll("tbody button"));
    const field = el?.querySelector("textarea"), slider = el?.querySelector("[type=range]");
    const move = (t) => {
        if (field) {
            field.setRangeText("the king said"[t % 13], field.value.length - 1, field.value.length, "end");
            field.dispatchEvent(new InputEvent("input", {bubbles: true}));
        } else if (grip) grip.dispatchEvent(new PointerEvent("pointermove", {
            bubbles: true, pointerId: window.pressed,
            clientX: at.x + 60 * Math.sin(t / 9), clientY: at.y + 60 * Math.cos(t / 9),
        }));
        else if (slider) {
            slider.valueAsNumber = Number(slider.min) + (t % 20) / 19 * (slider.max - slider.min);
            slider.dispatchEvent(new InputEvent("input", {bubbles: true}));
        } else pressed[t % pressed.length]?.click();
    };
    let changed = 0;
    const watch = new MutationObserver(() => { changed += 1; });
    watch.observe(el ?? document.body, {subtree: true, attributes: true, childList: true, characterData: true});
    const began = performance.now();
    for (let t = 0; t < frames; t += 1) {
        move(t);
        await new Promise(requestAnimationFrame);
    }
    const rate = frames * 1000 / (performance.now() - began);
    watch.disconnect();
    return [rate, changed];
}"""


def rate(page, n: int) -> float:
    """Return the frames per second of the n-th explorer of a page, or of the page if it has none."""
    one = page.locator("div.course-live").nth(n)
    if one.count():
        one.scroll_into_view_if_needed()
        if grip := one.locator(".grip").count():
            page.evaluate(PRESSED)
            box = one.locator(".grip").first.bounding_box()
            page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            page.mouse.down()
    per_second, changed = page.evaluate(CHANGE, [n, FRAMES])
    if one.count() and changed < FRAMES / 2:
        sys.exit(f"expected a change at each frame in {page.url}, got {changed} in {FRAMES}")
    if one.count() and grip:
        page.mouse.up()
    return per_second


def main() -> None:
    book = root() / "build" / "book"
    pages = sorted(
        p
        for p in [*book.glob("[01A]*.html"), book / "index.html"]
        if 'class="course-live"' in p.read_text("utf-8")
        and p.name.startswith(tuple(sys.argv[1:]) or "")
    )
    if not pages:
        sys.exit(f"expected the book in {book}: run `course book` first")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        view = {"width": 1200, "height": 900}
        empty = chromium.new_page(viewport=view)
        for path in pages:
            page = chromium.new_page(viewport=view)
            page.goto(path.as_uri())
            page.evaluate(
                "() => document.querySelectorAll('details').forEach(d => { d.open = true; })"
            )
            page.wait_for_selector("div.course-live")
            for n in range(page.locator("div.course-live").count()):
                pairs = []
                for _ in range(REPEATS):
                    empty.bring_to_front()
                    peer = rate(empty, 0)
                    page.bring_to_front()
                    pairs.append((rate(page, n), peer))
                middle = statistics.median(one for one, _ in pairs)
                ratio = statistics.median(one / peer for one, peer in pairs)
                says = "" if middle > AIM else "  below the aim"
                print(
                    f"{path.stem}, {n + 1}: {middle:.0f} frames a second, {ratio:.2f} of an empty page's{says}"
                )
            page.close()
        chromium.close()


if __name__ == "__main__":
    main()
