"""One reveal.js deck a chapter, from the same notebooks: `course slides`.

Python says what stands on a slide; `deck/deck.js` makes it fit, in the browser that shows it: it
knows the fonts. reveal.js comes out of the package sphinx-revealjs, which carries it unchanged.
"""

from __future__ import annotations

import functools
import glob
import html
import importlib.util
import os
import re
import shutil
import string
import sys
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from course import notebooks
from course.colours import CSS
from course.errors import CourseError
from course.learn.html import prose
from course.publish import weights
from course.publish.finished import replacing
from course.publish.links import Site
from course.publish.page import Page
from course.publish.slides import Slide, slides
from course.publish.talk import talk

if TYPE_CHECKING:
    from http.server import ThreadingHTTPServer

DECK = Path(__file__).parent / "deck"
SHARED = Path(__file__).parent / "assets"  # with the book: the font of the formulas, frames
LIVE = Path(__file__).parents[1] / "draw"  # the explorers that run in a page
REVEAL = (  # of reveal.js, what a deck needs
    "LICENSE",
    "dist/reset.css",
    "dist/reveal.css",
    "dist/reveal.js",
    "dist/theme/white.css",
    "dist/theme/fonts/source-sans-pro/LICENSE",
    "dist/theme/fonts/source-sans-pro/source-sans-pro.css",
    "dist/theme/fonts/source-sans-pro/source-sans-pro-italic.woff",
    "dist/theme/fonts/source-sans-pro/source-sans-pro-regular.woff",
    "dist/theme/fonts/source-sans-pro/source-sans-pro-semibold.woff",
    "dist/theme/fonts/source-sans-pro/source-sans-pro-semibolditalic.woff",
    "plugin/notes/notes.js",
)
BOTH = ("math.css", "OFL.txt", "frames.js", "standin.js")  # what the decks share with the book


# ---------------------------------------------------------------- from slides to files


def deck(notebook: Page, site: Site, plan: Path | None = None) -> tuple[str, list[str]]:
    """The page of a deck, and the cells that begin a slide without a note for the speaker.

    `plan` is the file of a talk; without it the deck has the whole main line.
    """
    name = PurePosixPath(notebook.path).name
    notebook.check_outputs()
    sections, silent, column, head = [], [], False, ""
    for slide in talk(plan, notebook, site) if plan else slides(notebook, site):
        if slide.heading and slide.heading[0] != "h3":
            head = slide.heading[1]
        if slide.top:
            sections.append("</section><section>" if column else "<section>")
            column = True
        if not slide.notes:
            silent.append(slide.first)
        sections.append(_section(slide, "" if slide.heading else head, name))
    sections.append("</section>" if column else "")
    template = string.Template((DECK / "deck.html").read_text(encoding="utf-8"))
    title = html.escape(notebook.title or name, quote=False)
    kind = "talk" if plan else "whole"
    shown = "\n".join(sections)
    return template.substitute(
        title=title, kind=kind, slides=shown, weights=weights.tags(shown)
    ), silent


def _section(slide: Slide, head: str, name: str) -> str:
    lines = [f'<section class="page {slide.kind}" data-cell="{html.escape(slide.first)}">']
    if slide.kind == "title":
        lines.append(f'<p class="head">Self-attention · chapter {html.escape(name[:2])}</p>')
    elif head:
        lines.append(f'<p class="head">{head}</p>')
    for cell, body, late in slide.blocks:
        kind = "block fragment" if late else "block"
        lines.append(f'<div class="{kind}" data-of="{html.escape(cell)}">{body}</div>')
    if slide.notes:
        lines.append(f'<aside class="notes">{"".join(slide.notes)}</aside>')
    return "\n".join([*lines, "</section>"])


def build(
    root: Path, paths: Sequence[Path], out: Path, pdf: bool = False, full: bool = False
) -> int:
    """Write the decks of these notebooks into `out`; on an error `out` stays as it was.

    A deck is the talk of its chapter, or, if `full`, its whole main line.
    """
    reveal = _reveal()
    src, chapters = root / "notebooks", notebooks.chapters(root)
    titles = notebooks.pages(root)
    listed = {path.relative_to(src).as_posix() for path in titles}

    @functools.cache
    def find(name: str) -> Page | None:
        has_deck = name in listed and name.endswith(".ipynb")
        return Page(name, notebooks.read_text(src / name)) if has_deck else None

    if pdf:
        chromium = _chromium()
    with replacing(out) as made:
        made.mkdir(parents=True)
        for file in REVEAL:
            (made / "reveal" / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(reveal / file, made / "reveal" / file)
        _theme_without_fonts_elsewhere(made / "reveal")
        shared = [SHARED / name for name in BOTH] + [LIVE / "live.css", *LIVE.glob("*.js")]
        for file in (CSS, DECK / "deck.css", DECK / "deck.js", *shared):
            shutil.copyfile(file, made / file.name)
        for path in chapters:
            if path in paths:
                site = Site(src, find, listed, _address)
                plan = None if full else plan_of(root, path)
                text, silent = deck(find(path.relative_to(src).as_posix()), site, plan)
                (made / f"{path.stem}.html").write_text(text, encoding="utf-8")
                site.copy(made / f"{path.stem}.files")
                whole = "" if full or plan else ", the whole main line: it has no talk.md"
                silence = f", without notes for the speaker: {', '.join(silent)}" if silent else ""
                print(f"{path.stem}.html{whole}{silence}")
            else:
                for kept in out.glob(f"{glob.escape(path.stem)}.*"):
                    (shutil.copytree if kept.is_dir() else shutil.copy2)(kept, made / kept.name)
        weights.write((page.read_text(encoding="utf-8") for page in made.glob("*.html")), made)
        if pdf:
            _print(chromium, made, [path.stem for path in paths])
        _index(made, {path.stem: titles[path] for path in chapters})
    print(f"open {out / 'index.html'}")
    return 0


def plan_of(root: Path, notebook: Path) -> Path | None:
    """The file with the talk of a chapter, if it has one."""
    path = root / "src" / "course" / "chapters" / f"ch{notebook.stem[:2]}" / "talk.md"
    return path if path.is_file() else None


def _address(here: Page, target: str, other: Page | None) -> str:
    """Each deck has its files in a folder of its own."""
    if other:
        return f"{PurePosixPath(target).stem}.html"
    return f"{PurePosixPath(here.path).stem}.files/{target}"


def _index(folder: Path, titles: dict[str, str]) -> None:
    lines = []
    for stem, title in titles.items():
        if (folder / f"{stem}.html").is_file():
            pdf = f' (<a href="{stem}.pdf">PDF</a>)' if (folder / f"{stem}.pdf").is_file() else ""
            lines.append(f'<li><a href="{stem}.html">{prose(title)}</a>{pdf}</li>')
    template = string.Template((DECK / "index.html").read_text(encoding="utf-8"))
    text = template.substitute(decks="\n".join(lines))
    (folder / "index.html").write_text(text, encoding="utf-8")


def _reveal() -> Path:
    """Where the files of reveal.js are; the package around them is not imported."""
    found = importlib.util.find_spec("sphinx_revealjs")
    folder = Path(found.origin).parent / "_static" / "revealjs" if found and found.origin else None
    if not folder or not (folder / "dist" / "reveal.js").is_file():
        raise CourseError(
            "expected reveal.js 5 in the package sphinx-revealjs, found none: "
            "install it with `python install.py`"
        )
    return folder


def _theme_without_fonts_elsewhere(reveal: Path) -> None:
    """Leave in the fonts' style sheet only the files that are copied (woff)."""
    sheet = reveal / "dist/theme/fonts/source-sans-pro/source-sans-pro.css"
    text = sheet.read_text(encoding="utf-8")
    name = r"url\((['\"]?)[^)]*?([\w-]+)\.(?:eot|ttf)[^)]*\)(?:\s*format\([^)]*\))?"
    text = re.sub(rf"src:\s*{name}\s*;", "", text)
    text = re.sub(rf"{name}\s*,\s*|,\s*{name}", "", text)
    sheet.write_text(text, encoding="utf-8")


# ---------------------------------------------------------------- PDF and a server


def _chromium() -> str:
    if importlib.util.find_spec("playwright") is None:
        raise CourseError(
            "a PDF is printed with playwright, and this Python has none: install it with "
            "`python install.py --test`, or leave out --pdf (`make slides PDF=`)"
        )
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        if path := shutil.which(name):
            return path
    raise CourseError(
        "a PDF is printed by Chromium, and none was found on the PATH: install it "
        "(`apt-get install chromium`), or leave out --pdf (`make slides PDF=`)"
    )


def _print(chromium: str, folder: Path, stems: list[str]) -> None:
    from playwright.sync_api import Error, sync_playwright

    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    try:
        with TemporaryDirectory(prefix="course-") as scratch, sync_playwright() as playwright:
            own = {
                **os.environ,
                "TMPDIR": scratch,
            }  # what Chromium leaves if it is ended goes, too
            browser = playwright.chromium.launch(executable_path=chromium, args=flags, env=own)
            sheet = browser.new_page()
            for stem in stems:
                sheet.goto(f"{(folder / stem).absolute().as_uri()}.html?print-pdf")
                sheet.wait_for_selector("html[data-deck=ready] .pdf-page", timeout=120_000)
                sheet.pdf(
                    path=folder / f"{stem}.pdf",
                    prefer_css_page_size=True,
                    print_background=True,
                    tagged=True,
                )
            browser.close()
    except Error as error:
        reason = str(error).splitlines()[0]
        raise CourseError(
            f"Chromium ({chromium}) could not print the decks ({reason}): try it without --pdf, "
            "and print from the browser with ?print-pdf"
        ) from None


def server(folder: Path, port: int) -> ThreadingHTTPServer:
    """A server for this computer only."""
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

        def end_headers(self):
            self.send_header("Cache-Control", "no-store")
            super().end_headers()

    class Server(ThreadingHTTPServer):
        allow_reuse_address = sys.platform != "win32"

    try:
        return Server(("127.0.0.1", port), functools.partial(Quiet, directory=str(folder)))
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CourseError(
            f"cannot serve on port {port} ({reason}): choose another with --port N"
        ) from None


def serve(server: ThreadingHTTPServer) -> None:
    """Serve until the user presses Ctrl+C."""
    print(f"slides at http://127.0.0.1:{server.server_address[1]}/ (stop with Ctrl+C)", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print()
    finally:
        server.server_close()
