"""The decks: what stands on a slide, and every slide of every deck in Chromium."""

import base64
import io
import re
import shutil
import socket
import sys
import threading
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imsave
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from course import cli, notebooks
from course.errors import CourseError
from course.learn.html import MIME
from course.learn.quizzes import quiz
from course.publish import decks, slides
from course.publish.links import Site
from course.publish.page import Page
from tests.browser import browser, wait_for, watched
from tests.conftest import ROOT
from tests.test_book import ALONE, AXE, AXE_RUN, KINDS

ROOM = {"width": 1280, "height": 720}
SHOTS = ROOT / "build" / "screenshots"


def prose(source, kind, **course):
    return new_markdown_cell(
        source, metadata={"slideshow": {"slide_type": kind}, "course": course}
    )


def code(source, kind, *tags, shows=None, **course):
    outputs = [new_output("stream", text=shows)] if shows else []
    cell = new_code_cell(source, outputs=outputs, execution_count=1)
    cell.metadata.update({"slideshow": {"slide_type": kind}, "tags": list(tags)})
    cell.metadata["course"] = course
    return cell


def made(*cells):
    nb = new_notebook(cells=list(cells))
    for number, cell in enumerate(nb.cells, 1):
        cell.id = f"cell-{number:03}"
    return nb


def published(nb, root=ROOT):
    """A notebook as a page, and a site in which it stands alone."""
    site = Site(root / "notebooks", lambda _: None, (), decks._address)
    return Page("00.ipynb", notebooks.dumps(nb)), site


def shown(slide):
    """The text of a slide, block by block; a fragment begins with +."""
    strip = re.compile(r"<[^>]+>")
    return [("+" if late else "") + strip.sub("", body).strip() for _, body, late in slide.blocks]


# ---------------------------------------------------------------- from cells to slides


def test_slide_types_say_what_stands_where():
    nb = made(
        prose("# Why?\n\nBecause.", "slide", notes="Ask *first*."),
        code("import torch", "skip"),
        code("1 + 1", "subslide", shows="2"),
        prose("Two.", "fragment"),
        prose("## Own heading", "subslide"),
        prose("Own note.", "subslide", notes="Slowly."),
        prose("## Next part", "slide"),
    )
    found = slides.slides(*published(nb))
    assert [shown(slide) for slide in found] == [
        ["Why?\nBecause.", "+1 + 12", "+Two."],
        ["Own heading"],
        ["Own note."],
        ["Next part"],
    ]
    assert [slide.top for slide in found] == [True, False, False, True]
    assert [slide.notes for slide in found] == [
        ["<p>Ask <em>first</em>.</p>\n"],
        [],
        ["<p>Slowly.</p>\n"],
        [],
    ]
    text, silent = decks.deck(*published(nb))
    assert silent == ["cell-005", "cell-007"]
    assert text.count('<aside class="notes">') == 2 and "import torch" not in text
    assert "<title>Why?</title>" in text and "$" not in text


def test_what_is_deeper_has_no_slide():
    nb = made(
        prose("# A", "slide", notes="n"), prose("## Deeper: b", "slide", notes="n"),
        code("deep()", "fragment"), prose("## C", "slide", notes="n"),
    )  # fmt: skip
    found = slides.slides(*published(nb))
    assert [slide.heading[1] for slide in found] == ["A", "C"]


def test_an_answer_waits_for_one_more_press():
    asks = prose("**Now.** What is it?\n\nThink.", "slide")
    asks.metadata["tags"] = ["predict"]
    nb = made(asks, code("1 + 1", "subslide", shows="2"))
    [slide] = slides.slides(*published(nb))
    assert shown(slide) == ["Now. What is it?\nThink.", "+1 + 1", "+2"]
    assert slide.blocks[0][1].startswith('<p class="course-ask"><strong>Now.')
    assert slide.blocks[0][1].count("course-ask") == 1
    asks.metadata["tags"] = []
    [slide] = slides.slides(*published(nb))
    assert shown(slide)[1:] == ["+1 + 12"] and "course-ask" not in slide.blocks[0][1]


def test_every_prediction_and_every_quiz_is_announced_by_a_tag():
    for path in notebooks.chapters(ROOT):
        cells = notebooks.read(path).cells
        for cell, below in pairwise(cells):
            if cell.cell_type == "markdown":
                asks = re.search(r"^\*\*Predict", cell.source, re.MULTILINE)
                quizzes = below.cell_type == "code" and "quiz" in below.metadata.get("tags", [])
                wanted = {"predict"} if asks else {"quiz"} if quizzes else set()
                assert set(cell.metadata.get("tags", [])) == wanted, (path.name, cell.id)


def test_a_bold_line_begins_a_slide_with_the_same_note():
    nb = made(prose("# Why?\n\n**You will be able to**\n\n- see", "slide", notes="Slowly."))
    first, goals = slides.slides(*published(nb))
    assert shown(goals)[0].startswith("You will be able to")
    assert "<h2>" in goals.blocks[0][1] and goals.notes == first.notes


@pytest.mark.parametrize(
    ("tag", "wanted"),
    [
        ("hide-input", ["2"]),
        ("remove-input", ["2"]),
        ("hide-output", ["1 + 1"]),
        ("remove-output", ["1 + 1"]),
        ("figure", ["2"]),
        ("remove-cell", None),
    ],
)
def test_tags_hide_what_they_name(tag, wanted):
    nb = made(prose("# Why?", "slide"), code("1 + 1", "slide", tag, shows="2"))
    assert [shown(slide) for slide in slides.slides(*published(nb))][1:] == [wanted] * bool(wanted)


def told(**data):
    """The output of a check or a quiz."""
    return new_output("execute_result", {"text/plain": "", MIME: data}, execution_count=1)


def test_an_exercise_is_a_question_with_its_solution_on_the_next_press():
    check = code("check(...)", "skip", "exercise")
    check.outputs = [told(exercise="04.mean_past")]
    nb = made(
        prose("### 1. The mean", "slide"),
        code(
            "def f(x):\n    raise NotImplementedError", "skip", "exercise", exercise="04.mean_past"
        ),
        check,
        prose("Not of it.", "subslide"),
    )
    question, after = slides.slides(*published(nb))
    assert shown(question)[:2] == ["1. The mean", "def f(x):\n    raise NotImplementedError"]
    assert shown(question)[2].startswith("+One solutiondef mean_past(x):")
    assert [note[:28] for note in question.notes] == [
        f"<p><strong>Hint {n}.</strong> " for n in "123"
    ]
    assert "<code>x[b, : t + 1]</code>" in question.notes[1]


def test_every_question_of_a_quiz_has_a_slide():
    cell = code("quiz('04')", "skip", "quiz")
    cell.outputs = [told(quiz="04")]
    announces = prose("## Questions\n\nChoose.", "slide", notes="Hands up.")
    announces.metadata["tags"] = ["quiz"]
    nb = made(announces, cell)
    first, *_, last = found = slides.slides(*published(nb))
    asked = [question.text.replace("`", "") for question in quiz("04").questions]
    assert [shown(slide)[0] for slide in found] == [
        f"Quiz: question {n} of 5{asks}" for n, asks in enumerate(asked, 1)
    ]
    assert first.top and first.notes[0] == "<p>Hands up.</p>\n" and len(first.notes) == 4
    options = quiz("04").questions[-1].options
    for option, note in zip(options, last.notes, strict=True):
        verdict = "Right" if option.right else "Not this one"
        assert note.startswith(f"<p><em>{slides.prose(option.text)}</em> <strong>{verdict}.")
    assert last.blocks[1][1].count("<details>") == len(options)
    announces.metadata["tags"] = []
    assert shown(slides.slides(*published(nb))[0]) == ["Questions\nChoose."], (
        "it announces nothing"
    )


def test_a_check_or_quiz_without_its_output_is_refused():
    check = code("check(...)", "skip", "exercise", shows="gone")
    nb = made(prose("### 1. The mean", "slide"), check)
    with pytest.raises(
        CourseError, match="cell cell-002: expected the output of a check.*refresh"
    ):
        slides.slides(*published(nb))


def test_formulas_and_links_work_in_a_deck(course):
    path = course / "notebooks" / "00_a.ipynb"
    (course / "notebooks" / "words.csv").write_text("a,b")
    text = "# $a_b * c_d$ and *so* on [in 01](01_b.ipynb#01_b?), `$x$` [data](words.csv)"
    nb = made(prose(text, "slide"), code("1", "subslide"), prose("Next.", "slide"))
    notebooks.write(nb, path)
    assert cli.main(["slides"]) == 0
    out = course / "build" / "slides"
    text = (out / "00_a.html").read_text()
    assert text.count("<math") == 2 and text.count("<em>") == 2, "the heading is repeated"
    assert text.count("01_b.html#01_b") == 1 and "ipynb" not in text and "<code>$x$</code>" in text
    assert 'href="00_a.files/words.csv"' in text
    assert (out / "00_a.files" / "words.csv").read_text() == "a,b"
    path.write_text("{}")
    assert cli.main(["slides", "01"]) == 0
    assert (out / "00_a.files" / "words.csv").read_text() == "a,b", "its deck stays, so it stays"


def test_a_formula_that_cannot_be_shown_names_its_place():
    nb = made(prose(r"# Why?" + "\n\n" + r"$\nosuchthing$", "slide"), code("1", "skip"))
    with pytest.raises(CourseError, match=r"00\.ipynb, cell cell-001.*nosuchthing"):
        decks.deck(*published(nb))


def test_a_notebook_without_outputs_is_refused():
    nb = made(prose("# Why?", "slide"), new_code_cell("1"))
    with pytest.raises(CourseError, match="no stored outputs.*course refresh 00`"):
        decks.deck(*published(nb))


# ---------------------------------------------------------------- files and errors


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A course of two small chapters, built once."""
    folder = tmp_path / "notebooks"
    folder.mkdir()
    (folder / "SUMMARY.md").write_text("[a](00_a.ipynb)\n[b](01_b.ipynb)\n")
    for name in ("00_a", "01_b"):
        nb = made(prose(f"# {name}?", "slide", notes="Yes."), code("1", "subslide", shows="1"))
        notebooks.write(nb, folder / f"{name}.ipynb")
    monkeypatch.chdir(tmp_path)
    assert cli.main(["slides"]) == 0
    return tmp_path


def everything(folder: Path):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_some_notebooks_leave_the_other_decks_as_they_are(course, capsys):
    out = course / "build" / "slides"
    before = everything(out)
    (out / "00_a.html").write_text("<title>mine</title>")
    (out / "01_b.pdf").write_text("old")
    assert cli.main(["slides", "01"]) == 0
    assert capsys.readouterr().out.startswith("01_b.html, the whole main line")
    after = everything(out)
    assert after.pop(Path("00_a.html")) == b"<title>mine</title>"
    assert "01_b.pdf" not in after, "a PDF of an older deck"
    assert set(after) == set(before) - {Path("00_a.html")}
    assert {p.name for p in (course / "build").iterdir()} == {"slides", ".slides.lock"}


def test_pages_name_nothing_outside(course):
    for path, content in everything(course / "build" / "slides").items():
        if path.suffix in {".html", ".css"}:
            text = content.decode()
            assert not re.findall(r"(?:src|href)=\"(?:https?:)?//|url\(['\"]?(?:https?:)?//", text)
            for name in re.findall(r"url\(['\"]?(?!data:)([^'\")]+)", text):
                assert (course / "build" / "slides" / path.parent / name).is_file(), (path, name)


def fails(capsys, *words):
    assert cli.main(["slides", *words]) == 2
    complaint = capsys.readouterr().err
    assert complaint.startswith("course: ") and "Traceback" not in complaint
    return complaint


def test_what_goes_wrong_is_said_and_the_last_good_build_stays(course, capsys, monkeypatch):
    before = everything(course / "build")
    notebook = course / "notebooks" / "01_b.ipynb"
    good = notebook.read_text()
    notebook.write_text("{}")
    assert "01_b.ipynb" in fails(capsys)
    notebook.write_text(good.replace("# 01_b?", r"# $\\frac{1}$"))
    assert "01_b.ipynb, cell cell-001" in fails(capsys)
    notebook.write_text(good)
    summary = course / "notebooks" / "SUMMARY.md"
    listed = summary.read_text()
    summary.write_text(listed + "[c](02_c.ipynb)\n")
    assert "no such file" in fails(capsys)
    summary.write_text(listed)
    assert "there is no notebook '07'" in fails(capsys, "07")
    with monkeypatch.context() as patched:
        patched.setattr(shutil, "which", lambda *args, **kwargs: None)
        assert "apt-get install chromium" in fails(capsys, "--pdf")
        patched.setattr(decks.importlib.util, "find_spec", lambda name: None)
        assert "sphinx-revealjs" in fails(capsys)
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "playwright", None)  # as if it weren't installed
        assert "python install.py --test" in fails(capsys, "--pdf")
    with monkeypatch.context() as patched:
        told = course / "told"
        fake = course / "chromium"
        fake.write_text(f'#!/bin/sh\ntouch "$TMPDIR/left"; echo "$TMPDIR" > "{told}"\n')
        fake.chmod(0o755)
        patched.setattr(decks, "_chromium", lambda: str(fake))
        assert "could not print" in fails(capsys, "--pdf")
        assert not Path(told.read_text().strip()).exists(), "what Chromium leaves"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert f"port {port}" in fails(capsys, "--serve", "--port", port)
    assert "port 99999" in fails(capsys, "--serve", "--port", "99999")
    assert "--port is the port of --serve: add --serve" in fails(capsys, "--port", "8001")
    assert everything(course / "build") == before


# ---------------------------------------------------------------- in Chromium

EVERY = """() => Reveal.getSlides().map((slide) => {
  const { h, v } = Reveal.getIndices(slide);
  Reveal.slide(h, v, 999);
  const { left, top, width, height } = slide.getBoundingClientRect();
  return {
    cell: slide.dataset.cell, high: slide.scrollHeight, wide: slide.scrollWidth,
    size: +slide.style.getPropertyValue("--size"), words: slide.innerText.trim().length,
    code: Math.min(99, ...[...slide.querySelectorAll("pre, table.tensor")]
      .map((e) => parseFloat(getComputedStyle(e).fontSize))),
    whole: slide.matches(".unbroken"), text: Math.min(99, // px, where the room has 1280 × 720
      ...[...slide.querySelectorAll("figure svg text")].map((e) => [e, e.getScreenCTM()])
        .map(([e, at]) => parseFloat(getComputedStyle(e).fontSize) * Math.hypot(at.a, at.b))),
    seen: left >= 0 && top >= 0 && width > 1000 && left + width <= 1280 && top + height <= 720,
    cut: [...slide.querySelectorAll("pre, table, img, figure svg, .course-math")].filter((e) =>
      e.scrollWidth > e.clientWidth + 1 || e.getBoundingClientRect().right > 1280).length,
    small: [...slide.querySelectorAll("figure svg")].filter((i) => i.clientHeight < 150).length,
    notes: slide.querySelectorAll(":scope > aside.notes").length === 1
      && slide.querySelector("aside.notes").textContent.trim().length,
  };
})"""


# Code looks the same everywhere, so that the words of three cells are enough.
@pytest.fixture(scope="module")
def talks(tmp_path_factory):
    """The decks of the course, and a server of them."""
    out = tmp_path_factory.mktemp("decks") / "slides"
    paths = notebooks.chapters(ROOT)
    decks.build(ROOT, paths, out)
    server = decks.server(out, 0)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield out, f"http://127.0.0.1:{server.server_address[1]}", [path.stem for path in paths]
    server.shutdown()
    server.server_close()
    thread.join()


def opened(b, address, **options):
    page, errors, outside = watched(b, viewport=ROOM, **options)
    show(page, address)
    return page, errors, outside


def show(page, address):
    page.goto(address)
    page.wait_for_selector("html[data-deck=ready]")


def misfits(page):
    """The slides of a deck that are too large, too small, empty or without notes; and all slides."""
    found = page.evaluate(EVERY)
    for slide in found:
        slide["good"] = slide["high"] <= 720 and slide["wide"] <= 1280 and slide["size"] >= 0.58
        slide["good"] &= slide["seen"] and not slide["cut"] and not slide["small"]
        slide["good"] &= bool(slide["words"] and slide["notes"])
    return [slide for slide in found if not slide["good"]], found


SHOWS = "all => all.some((e) => getComputedStyle(e).display !== 'none')"
MOVES = "section.page :is(.course-frame-control, div.course-live)"
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

WRITTEN = {"cell-093", "twin-text-code"}  # what a model writes (03, 10), in lines of any length


@pytest.mark.browser
def test_every_talk_fits_is_read_from_the_back_row_and_leads_to_its_explorer(talks, chromium):
    """From the disk, as someone opens a downloaded deck; on a wide page and on a projector's."""
    out, _, names = talks
    given = [name for name in names if not name.startswith("A")]  # appendices are no talks
    with browser(chromium) as b:
        page, errors, outside = watched(b)
        for name in given:
            page.set_viewport_size(ROOM)
            show(page, (out / f"{name}.html").as_uri())
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
            text = min(slide["text"] for slide in slides)
            assert text >= 14, (name, "a picture is too small", text)
            broken = {slide["cell"] for slide in slides if not slide["whole"]}
            assert broken <= WRITTEN, (name, "the lines of an output are broken", broken)
            for button in page.locator("section.page .presets button").all():
                high = button.evaluate(PRESSED)
                assert high <= 720, (name, button.text_content(), high)
            page.set_viewport_size({"width": 1024, "height": 768})
            page.evaluate("Reveal.layout()")
            assert code * page.evaluate("Reveal.getScale()") >= 20, (name, code)
            print(
                f"{name}: {len(slides)} slides, code {code} px, explorer after {presses} presses"
            )


@pytest.mark.browser
def test_every_slide_of_the_whole_main_line_fits(chromium, tmp_path):
    """`course slides --full`, of two chapters: deck.js cuts what is too long for a page."""
    paths = [path for path in notebooks.chapters(ROOT) if path.name[:2] in {"03", "08"}]
    decks.build(ROOT, paths, tmp_path / "slides", full=True)
    with browser(chromium) as b:
        page, errors, _ = watched(b, viewport=ROOM)
        for path in paths:
            show(page, (tmp_path / "slides" / f"{path.stem}.html").as_uri())
            wrong, slides = misfits(page)
            assert not wrong and not errors and len(slides) > 25, (path.stem, wrong, errors)
            assert page.locator(MOVES).count() == 1, path.stem


# Decks of each kind: frames, boxes, threads, a mask painter and a model; all of them once a week.
SOME = ("00", "03", "05", "08", "14")


@pytest.mark.browser
@pytest.mark.parametrize("begins", [SOME, pytest.param(("",), marks=pytest.mark.weekly)])
def test_axe_finds_nothing_serious(talks, chromium, begins):
    """One deck as it is shown, all of them with their slides on pages: one element of each kind."""
    _, address, names = talks
    names = [name for name in names if name.startswith(begins)]
    script = AXE.read_text(encoding="utf-8")
    known = []
    with browser(chromium) as b:
        page, errors, outside = watched(b, viewport=ROOM)
        for place in [f"{names[0]}.html", *(f"{name}.html?print-pdf" for name in names)]:
            show(page, f"{address}/{place}")
            assert not errors and not outside, place
            first = len(known) == 0
            if new := page.evaluate(KINDS, known):
                page.evaluate(script)
                assert not (found := page.evaluate(AXE_RUN, [True, not first])), (place, found)
                page.evaluate(ALONE)
                assert not (found := page.evaluate(AXE_RUN, [False])), (place, found)
            known += new
    assert len(known) > 100


@pytest.mark.browser
def test_a_talk_is_given_by_keyboard_alone(talks, chromium):
    _, address, _ = talks
    place = "Reveal.getSlides().indexOf(Reveal.getCurrentSlide())"
    with browser(chromium) as b:
        page, errors, outside = opened(b, f"{address}/04_averaging_the_past.html")
        assert page.locator(".slide-number").inner_text().split() == [
            "1",
            "/",
            str(page.evaluate("Reveal.getTotalSlides()")),
        ]
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
        assert page.evaluate(place) == here, "the frame moves, the slide stays"
        page.screenshot(path=SHOTS / "slides_explorer.png")
        for _ in range(3):
            page.keyboard.press("PageDown")
        assert page.evaluate(place) > here, "then the talk goes on"
        assert not errors and not outside


@pytest.mark.browser
def test_words_about_an_output_stand_beside_it(chromium, tmp_path):
    """A page too long by its last words: the output that they tell of goes with them."""
    asks = prose("## Section\n\n**Predict.** What will it be?", "slide", notes="Ask.")
    asks.metadata["tags"] = ["predict"]
    nb = made(
        prose("# Title", "slide", notes="Hello."),
        prose(
            "## Section\n\n" + "A question comes first, and takes room. " * 8,
            "slide",
            notes="Ask.",
        ),
        code("print()", "subslide", shows="long line\n" * 17),
        prose("This output *says* something. " * 6, "fragment"),
        asks,
        code("print()\n" * 17, "subslide", shows="line\n" * 9),
        prose("This output says something, too.", "fragment"),
        code("print(1)", "subslide", shows="line\n" * 17),
        prose("Far too long to stand beside an output. " * 60, "fragment"),
    )
    path = tmp_path / "notebooks" / "00_a.ipynb"
    path.parent.mkdir()
    (path.parent / "SUMMARY.md").write_text("[a](00_a.ipynb)\n")
    notebooks.write(nb, path)
    decks.build(tmp_path, [path], tmp_path / "slides")
    with browser(chromium) as b:
        page, errors, _ = opened(b, (tmp_path / "slides" / "00_a.html").as_uri())
        found = page.evaluate("""() => Reveal.getSlides().map((slide) =>
            [...slide.querySelectorAll(":scope > .block")].map((e) =>
                [e.dataset.of, e.matches(".fragment")]))""")
    words = [[(int(cell[-3:]), late) for cell, late in slide] for slide in found]
    assert words[:3] == [[(1, False)], [(2, False)], [(3, False), (4, True)]]
    assert words[3:6] == [[(5, False)], [(6, False)], [(6, False), (7, True)]]
    assert words[6:] == [[(8, False)], [(9, False)]]
    assert not errors


@pytest.mark.browser
def test_a_pasted_picture_fits_and_a_link_reaches_its_slide(chromium, tmp_path):
    file = io.BytesIO()
    imsave(file, np.zeros((1200, 1600, 3)), format="png")
    picture = prose("## Picture\n\n![x](attachment:x.png)\n\nAnd words.", "slide")
    picture.attachments = {"x.png": {"image/png": base64.b64encode(file.getvalue()).decode()}}
    nb = made(prose("# Title\n\n[go](#last-part)", "slide"), picture, code("1", "subslide"))
    nb.cells.append(prose("## Last part", "slide"))
    text, _ = decks.deck(*published(nb))
    decks.build(ROOT, [], tmp_path / "slides")
    (tmp_path / "slides" / "deck.html").write_text(text)
    with browser(chromium) as b:
        page, errors, outside = opened(b, (tmp_path / "slides" / "deck.html").as_uri())
        assert page.evaluate(
            "[...document.querySelectorAll('img')].map((i) => i.naturalWidth)"
        ) == [1600]
        found = page.evaluate(EVERY)
        assert all(slide["high"] <= 720 and slide["seen"] and not slide["cut"] for slide in found)
        page.evaluate("Reveal.slide(0)")
        page.get_by_role("link", name="go").click()
        wait_for(lambda: page.get_by_text("Last part").last.is_visible(), "the last slide")
        assert not errors and not outside


@pytest.mark.browser
def test_a_pdf_has_a_page_for_every_slide(chromium, tmp_path):
    path = ROOT / "notebooks" / "04_averaging_the_past.ipynb"
    decks.build(ROOT, [path], tmp_path / "slides", pdf=True)
    pdf = (tmp_path / "slides" / f"{path.stem}.pdf").read_bytes()
    pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
    with browser(chromium) as b:
        page, _, _ = opened(b, (tmp_path / "slides" / f"{path.stem}.html").as_uri())
        assert pages == page.evaluate("Reveal.getTotalSlides()")
    assert f"{path.stem}.pdf" in (tmp_path / "slides" / "index.html").read_text(encoding="utf-8")
