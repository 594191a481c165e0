"""The decks: their files, what goes wrong, and every slide of every deck in Chromium."""

import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imsave

from course import cli, content, notebooks
from course.publish import decks
from tests import pages
from tests.browser import watched
from tests.conftest import ROOT, wait_for
from tests.pages import SHOTS, axe_finds_nothing, cell, printed

ROOM = {"width": 1280, "height": 720}
TALK = "# {} (2 minutes)\n\n{{{{code says}}}}\n\n## More (1 minute)\n\n{{{{notes says}}}}\n\n"


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A course of two small chapters with a talk and a third without one, built once."""
    code = cell("1", "code", [printed("1")]) | {"id": "says"}
    names = ("00_a", "01_b", "02_c")
    pages.course(tmp_path, **{name: [cell(f"# {name}?"), code] for name in names})
    monkeypatch.setattr(content, "folder", lambda: tmp_path / "chapters")
    for name in names[:2]:
        talk = tmp_path / "chapters" / f"ch{name[:2]}" / "talk.md"
        talk.parent.mkdir(parents=True)
        talk.write_text(TALK.format(name))
    monkeypatch.chdir(tmp_path)
    assert cli.main(["slides"]) == 0
    return tmp_path


def write_talk(course, text, number="00"):
    (course / "chapters" / f"ch{number}" / "talk.md").write_text(TALK.format("Title") + text)


def everything(folder: Path):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_deck_has_a_slide_for_each_that_is_planned_and_notes_on_all(course, capsys):
    text = (course / "build" / "slides" / "00_a.html").read_text()
    assert "<title>00_a?</title>" in text and "$" not in text
    assert text.count('<section class="page') == text.count('<aside class="notes">') == 2
    assert "fragment" not in text
    write_talk(course, "{{press}}\n\nIt waits.\n")
    assert cli.main(["slides"]) == 0
    waiting = re.findall(
        r'(?s)<div class="block fragment">(.*?)</div>',
        (course / "build" / "slides" / "00_a.html").read_text(),
    )
    assert waiting == ["<p>It waits.</p>\n"], "for a press"
    said = capsys.readouterr().out.splitlines()
    assert said[-3:] == ["00_a.html", "01_b.html", f"open {course / 'build/slides/index.html'}"]
    index = (course / "build" / "slides" / "index.html").read_text()
    assert 'href="01_b.html"' in index and "02_c" not in index


def test_formulas_files_and_links_work_in_a_deck(course):
    (course / "notebooks" / "words.csv").write_text("a,b")
    links = "[in 01](01_b.ipynb#01_b?), [in 02](02_c.ipynb#02_c?), [data](words.csv)"
    write_talk(
        course, f"## $a_b * c_d$ and *so* on (1 minute)\n\n`$x$` {links}\n\n{{{{notes says}}}}"
    )
    assert cli.main(["slides"]) == 0
    out = course / "build" / "slides"
    text = (out / "00_a.html").read_text()
    assert text.count("<math") == 2 and text.count("<em>so") == 2, "the plan has the heading, too"
    assert 'href="01_b.html#01_b"' in text and "<code>$x$</code>" in text
    assert "<a>in 02</a>" in text, "it has no deck to lead to"
    assert 'href="00_a.files/words.csv"' in text
    (course / "notebooks" / "00_a.ipynb").write_text("{}")
    assert cli.main(["slides", "01"]) == 0
    assert (out / "00_a.files" / "words.csv").read_text() == "a,b", "its deck stays, so it stays"


def test_some_notebooks_leave_the_other_decks_as_they_are(course, capsys):
    out = course / "build" / "slides"
    before = everything(out)
    (out / "00_a.html").write_text("<title>mine</title>")
    (out / "01_b.pdf").write_text("old")
    assert cli.main(["slides", "01"]) == 0
    after = everything(out)
    assert after.pop(Path("00_a.html")) == b"<title>mine</title>"
    assert "01_b.pdf" not in after, "a PDF of an older deck"
    assert set(after) == set(before) - {Path("00_a.html")}
    assert {p.name for p in (course / "build").iterdir()} == {"slides", ".slides.lock"}


def test_pages_name_nothing_outside(course):
    for path, body in everything(course / "build" / "slides").items():
        if path.suffix in {".html", ".css"}:
            text = body.decode()
            assert not re.findall(r"(?:src|href)=\"(?:https?:)?//|url\(['\"]?(?:https?:)?//", text)
            for name in re.findall(r"url\(['\"]?(?!data:)([^'\")?#]+)", text):
                assert (course / "build" / "slides" / path.parent / name).is_file(), (path, name)


def apart(function, *given, **how):
    """Called in a thread of its own, where a program may start the browser that these tests have, too."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function, *given, **how).result()


def fails(capsys, *words):
    assert cli.main(["slides", *words]) == 2
    complaint = capsys.readouterr().err
    assert complaint.startswith("course: ") and "Traceback" not in complaint
    return complaint


def test_what_goes_wrong_is_said_and_the_last_good_build_stays(course, capsys, monkeypatch):
    before = everything(course / "build")
    path = course / "notebooks" / "01_b.ipynb"
    good = path.read_text()
    for text, says in (
        ("{}", "01_b.ipynb"),
        (good.replace("# 01_b?", r"# $\\nosuch$"), r"01_b.ipynb, cell .*nosuch"),
        (good.replace('"execution_count": 1', '"execution_count": null'), "course refresh 01_b`"),
    ):
        path.write_text(text)
        assert re.search(says, fails(capsys))
    path.write_text(good)
    assert "there is no notebook '07'" in fails(capsys, "07")
    assert "expected a talk.md for 02_c among the chapters, found none" in fails(capsys, "02")
    with monkeypatch.context() as patched:
        patched.setattr(shutil, "which", lambda *args, **kwargs: None)
        assert "apt-get install chromium" in fails(capsys, "--pdf")
        patched.setattr(decks.importlib.util, "find_spec", lambda name: None)
        assert "sphinx-revealjs" in fails(capsys)
        patched.setitem(sys.modules, "playwright", None)  # as if it weren't installed
        assert "python install.py --book" in fails(capsys, "--pdf")
    with monkeypatch.context() as patched:
        patched.setattr(decks, "chromium", lambda: "/bin/false")
        assert "could not print the decks (BrowserType.launch" in apart(fails, capsys, "--pdf")
    assert everything(course / "build") == before


# ---------------------------------------------------------------- in Chromium

SEEN = """
function drawn(svg) { return [...svg.querySelectorAll("text")].filter((e) => e.textContent.trim() && e.checkVisibility()); }
function texts(slide) { // of pictures: their sizes in px, where the room has 1280 × 720
  const svgs = [...slide.querySelectorAll(".block svg")].flatMap(drawn).map((e) => [e, e.getScreenCTM()])
    .map(([e, at]) => parseFloat(getComputedStyle(e).fontSize) * Math.hypot(at.a, at.b));
  const own = (e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
  const others = ".block :is(div.course-live, .course-frame-control, table.bars, table.strip, table.tensor) *";
  return [...svgs, ...[...slide.querySelectorAll(others)]
    .filter((e) => !e.closest("svg, script, option") && own(e) && e.checkVisibility() && e.clientWidth !== 1)
    .map((e) => parseFloat(getComputedStyle(e).fontSize))];
}
function meet(slide) { // texts of a figure that cover each other, or that are read as one; lines that begin in one
  const words = (text) => /[a-z]{2}|=/i.test(text), space = (one, other) => (words(one) && words(other) ? 12 : -6);
  return [...slide.querySelectorAll(".course-figure > svg")].flatMap((svg) => {
    const boxes = drawn(svg).filter((e) => !/rotate\(-?[1-7]/.test(e.getAttribute("transform") ?? ""))
      .map((e) => [e.hasAttribute("transform") ? "" : e.textContent, e.getBoundingClientRect()]);
    const lines = [...svg.querySelectorAll("path")].map((e) => e.getBoundingClientRect()).filter((b) => b.height < 3 && b.width > 15);
    const begins = (b, a) => a.top - 2 < b.top && b.bottom < a.bottom && b.left > a.left + 3 && b.left < a.right - 3;
    const begin = boxes.filter(([says, a]) => /[a-z(]/i.test(says) && lines.some((b) => begins(b, a))).map(([says]) => `${says} | a line`);
    return begin.concat(boxes.flatMap(([says, a], n) => boxes.slice(n + 1).filter(([other, b]) =>
      Math.max(a.left, b.left) - Math.min(a.right, b.right) < space(says, other)
      && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5 * Math.min(a.height, b.height))
      .map(([other]) => `${says} | ${other}`)));
  });
}
function picture(slide) { // how much of the slide its pictures have
  const all = ".course-figure > svg, div.course-live, table:is(.bars, .strip, .tensor), .course-here svg";
  const areas = [...slide.querySelectorAll(all)].map((e) => e.getBoundingClientRect());
  return areas.reduce((sum, { width, height }) => sum + width * height, 0) / (1280 * 720);
}
"""
EVERY = (
    "() => {"
    + SEEN
    + """return Reveal.getSlides().map((slide) => {
  const { h, v } = Reveal.getIndices(slide);
  Reveal.slide(h, v, 999);
  const { left, top, width, height } = slide.getBoundingClientRect();
  return {
    cell: slide.dataset.cell, high: slide.scrollHeight, wide: slide.scrollWidth,
    size: +slide.style.getPropertyValue("--size"), words: slide.innerText.trim().length,
    code: Math.min(99, ...[...slide.querySelectorAll("pre, table.tensor")]
      .map((e) => parseFloat(getComputedStyle(e).fontSize))),
    whole: slide.matches(".unbroken"), texts: texts(slide), meet: meet(slide),
    kind: slide.className, picture: picture(slide),
    seen: left >= 0 && top >= 0 && width > 1000 && left + width <= 1280 && top + height <= 720,
    cut: [...slide.querySelectorAll("pre, table, img, figure svg, .course-math")].filter((e) =>
      e.scrollWidth > e.clientWidth + 1 || e.getBoundingClientRect().right > 1280).length,
    small: [...slide.querySelectorAll("figure svg")].filter((i) => i.clientHeight < 150).length,
    notes: slide.querySelectorAll(":scope > aside.notes").length === 1
      && slide.querySelector("aside.notes").textContent.trim().length,
  };
})}"""
)


@pytest.fixture(scope="module")
def talks(tmp_path_factory):
    """The decks of the course, opened from the disk as someone opens downloaded ones."""
    out = tmp_path_factory.mktemp("decks") / "slides"
    decks.build(ROOT, notebooks.chapters(ROOT), out)
    return {path.stem: path.as_uri() for path in sorted(out.glob("[01]*.html"))}


def show(page, address):
    page.goto(address)
    page.wait_for_selector("html[data-deck=ready]")


@pytest.fixture
def opened(visit):
    """A function that opens a deck."""

    def opened(address):
        page = visit(viewport=ROOM)
        show(page, address)
        return page

    return opened


def misfits(page):
    """The slides of a deck that are too large, too small, empty or without notes; and all slides."""
    found = page.evaluate(EVERY)
    for slide in found:
        slide["good"] = slide["high"] <= 720 and slide["wide"] <= 1280 and slide["size"] >= 0.58
        slide["good"] &= slide["seen"] and not slide["cut"] and not slide["small"]
        slide["good"] &= bool(slide["words"] and slide["notes"])
    return [slide for slide in found if not slide["good"]], found


SHOWS = "all => all.some((e) => getComputedStyle(e).display !== 'none')"
EXPLORER = """() => {  // how wide the one is that stands on this slide, 0 where there is none
  const moves = ".page.present :is(.course-frame-control, div.course-live)";
  const found = document.querySelector(moves);
  return found && !found.closest(".fragment:not(.visible)")
    ? found.closest(".block").getBoundingClientRect().width : 0;
}"""

PRESSED = """async (button) => {  // on its slide; how high that is then
  const page = button.closest("section.page"), { h, v } = Reveal.getIndices(page);
  Reveal.slide(h, v, 99);
  button.click();
  for (const _ of "12") await new Promise(requestAnimationFrame);
  return page.scrollHeight;
}"""

# Texts with long lines (03, 10, 13).
WRITTEN = {"cell-093", "twin-text-code", "world", "write", "judged"}
BACK_ROW = 24  # px of 720: the smallest text of a picture
MAIN = 0.2  # of a slide: a picture is the main thing on it
SHARE = 2 / 3  # of the slides, without the title and the exercise, have such a picture


def pictures_are_read_and_are_most(name, slides):
    """Fail if pictures have texts that are too small, that cover each other, or are too few."""
    small = [text for slide in slides for text in slide["texts"] if text < BACK_ROW - 0.05]
    assert not small, (name, len(small), min(small))
    meet = [(slide["cell"], pair) for slide in slides for pair in slide["meet"]]
    assert not meet, (name, "texts cover each other", meet)
    shown = [slide for slide in slides if not {"title", "exercise"} & set(slide["kind"].split())]
    without = [slide["cell"] for slide in shown if slide["picture"] < MAIN]
    assert len(without) <= (1 - SHARE) * len(shown) + 1e-9, (
        f"{name}: {len(without)} of {len(shown)} slides have no picture, at most a third may: {without}: "
        "give them a {{figure}}, {{bars}}, {{table}} or {{strip}}"
    )


@pytest.mark.browser
def test_every_talk_fits_is_read_from_the_back_row_and_leads_to_its_explorer(talks, chrome):
    """On a wide page and on a projector's."""
    page, errors, outside = watched(chrome)
    for name, address in talks.items():
        page.set_viewport_size(ROOM)
        show(page, address)
        presses = 0
        while not (width := page.evaluate(EXPLORER)) and presses < 20:
            page.keyboard.press("Space")
            presses += 1
        assert width >= 1100, (name, "within twenty presses, on all of the page")
        assert not page.locator("script").evaluate_all(SHOWS), name
        wrong, slides = misfits(page)
        assert not wrong and not errors and not outside, (name, wrong, errors, outside)
        code = min(slide["code"] for slide in slides)
        assert page.evaluate("Reveal.getScale()") == 1 and code >= 24, (name, code)
        pictures_are_read_and_are_most(name[:2], slides)
        broken = {slide["cell"] for slide in slides if not slide["whole"]}
        assert broken <= WRITTEN, (name, "the lines of an output are broken", broken)
        for button in page.locator("section.page .presets button").all():
            high = button.evaluate(PRESSED)
            assert high <= 720, (name, button.text_content(), high)
        page.set_viewport_size({"width": 1024, "height": 768})
        page.evaluate("Reveal.layout()")
        assert code * page.evaluate("Reveal.getScale()") >= 20, (name, code)
        print(f"{name}: {len(slides)} slides, code {code} px, explorer after {presses} presses")


# Decks of each kind: frames, boxes, threads, a mask painter and a model; all of them once a week.
SOME = ("00", "03", "05", "08", "14")


@pytest.mark.browser
@pytest.mark.parametrize("begins", [SOME, pytest.param(("",), marks=pytest.mark.weekly)])
def test_axe_finds_nothing_serious(talks, chrome, begins):
    """One deck as it is shown, all of them with their slides on pages: one element of each kind."""
    decks = [address for name, address in talks.items() if name.startswith(begins)]
    known = []
    page, errors, outside = watched(chrome, viewport=ROOM)
    for place in [decks[0], *(f"{address}?print-pdf" for address in decks)]:
        show(page, place)
        assert not errors and not outside, place
        known += axe_finds_nothing(page, place, known, whole=not known)
        page.goto("about:blank")  # until then an explorer misses what was taken out for axe
        errors.clear()
    assert len(known) > 100


@pytest.mark.browser
def test_the_first_slide_and_the_last_say_where_we_are_and_leads_to_other_talks(talks, opened):
    page = opened(talks["04_averaging_the_past"])
    assert page.locator(".course-here").count() == 2
    assert page.locator("section.page").last.locator(".course-here [data-here]").count() == 1
    text = page.locator(".present.title .course-here [data-here] text")
    assert text.text_content() == "mean"
    scale = text.evaluate("t => parseFloat(getComputedStyle(t).fontSize) * t.getScreenCTM().a")
    assert scale >= 24 * page.viewport_size["height"] / 720
    page.locator(".present .course-here a", has_text="positions").click()
    page.wait_for_url("**/11_where_am_i.html")


@pytest.mark.browser
def test_a_talk_is_given_by_keyboard_alone(talks, opened):
    place = "Reveal.getSlides().indexOf(Reveal.getCurrentSlide())"
    page = opened(talks["04_averaging_the_past"])
    number = page.locator(".slide-number").inner_text()
    assert number.split() == ["1", "/", str(page.evaluate("Reveal.getTotalSlides()"))]
    with page.context.expect_page() as popup:
        page.keyboard.press("s")
    speaker = popup.value
    notes = speaker.locator(".speaker-controls-notes .value")
    wait_for(lambda: "Ask the room first" in notes.inner_text(), "the speaker's notes")
    page.keyboard.press("ArrowRight")
    wait_for(lambda: "the step most lectures skip" in notes.inner_text(), "the next note")
    speaker.close()

    presses, last = 0, page.evaluate("Reveal.getTotalSlides()") - 1
    seen = {page.evaluate(place)}
    while page.evaluate(place) < last and presses < 300:
        page.keyboard.press("Space")
        presses += 1
        seen.add(page.evaluate(place))
    assert seen >= set(range(2, last + 1)), "Space reaches every slide"

    def go(selector):
        page.evaluate(
            "s => { const i = Reveal.getIndices(document.querySelector(s).closest('.page'));"
            " document.activeElement.blur(); Reveal.slide(i.h, i.v); }",
            selector,
        )
        for _ in range(12):
            page.keyboard.press("Tab")
            if page.evaluate("s => document.activeElement.matches(s)", selector):
                return page.evaluate(place)
        raise AssertionError(f"Tab never reached {selector}")

    here = go(".course-quiz summary")
    for key, wanted in (("Space", True), ("Enter", False), ("Enter", True)):
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.parentElement.open") is wanted
        assert page.evaluate(place) == here, "the answer opens, the slide stays"
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / "slides_quiz.png")

    here = go("input[type=range]")
    image = page.locator("section.page.present figure svg")
    before = image.inner_html(), image.get_attribute("aria-label")
    page.keyboard.press("ArrowRight")
    assert image.inner_html() != before[0]
    assert image.get_attribute("aria-label") != before[1]
    sizes = image.locator("text").evaluate_all(
        "all => all.map((e) => parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a)"
    )
    upright = [size for size in sizes if size > 1]  # of what is turned, a isn't its scale
    assert min(upright) >= BACK_ROW - 0.05, "the next frame is laid out as the first"
    assert page.evaluate(place) == here, "the frame moves, the slide stays"
    page.screenshot(path=SHOTS / "slides_explorer.png")
    for _ in range(3):
        page.keyboard.press("PageDown")
    assert page.evaluate(place) > here, "then the talk goes on"


@pytest.mark.browser
def test_a_large_picture_fits_beside_its_words(course, opened):
    imsave(course / "notebooks" / "large.png", np.zeros((750, 1000, 3)))
    write_talk(
        course, "## Picture (1 minute)\n\n![x](large.png)\n\nAnd words.\n\n{{notes says}}\n"
    )
    assert cli.main(["slides"]) == 0
    page = opened((course / "build" / "slides" / "00_a.html").as_uri())
    wide = "[...document.querySelectorAll('img')].map((i) => i.naturalWidth)"
    assert page.evaluate(wide) == [1000]
    wrong, _ = misfits(page)
    assert not wrong


@pytest.mark.browser
def test_a_pdf_has_a_page_for_every_slide(chromium, tmp_path):
    path = ROOT / "notebooks" / "04_averaging_the_past.ipynb"
    apart(decks.build, ROOT, [path], tmp_path / "slides", pdf=True)
    pdf = (tmp_path / "slides" / f"{path.stem}.pdf").read_bytes()
    deck = (tmp_path / "slides" / f"{path.stem}.html").read_text(encoding="utf-8")
    slides = deck.count('<section class="page')
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == slides >= 10
    assert f"{path.stem}.pdf" in (tmp_path / "slides" / "index.html").read_text(encoding="utf-8")
