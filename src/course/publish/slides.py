"""One reveal.js deck a chapter, from the same notebooks: `course slides`.

Python says what stands on a slide; `deck/deck.js` makes it fit, in the browser that shows it: it
knows the fonts. reveal.js comes out of the package sphinx-revealjs, which carries it unchanged.
"""

from __future__ import annotations

import functools
import glob
import html
import importlib.util
import re
import shutil
import string
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from course import notebooks
from course.colours import CSS
from course.errors import CourseError
from course.learn.html import MIME, prose
from course.learn.quizzes import explanation, options_html, quiz
from course.learn.solutions import kept_back, printed
from course.outline import sections
from course.publish import page
from course.publish.finished import replacing
from course.publish.links import Site
from course.publish.page import Cell, Page

if TYPE_CHECKING:
    from http.server import ThreadingHTTPServer

    from markdown_it.token import Token

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
BOLD = re.compile(r"\*\*[^*\n]+\*\*")  # a line
BOTH = ("math.css", "OFL.txt", "frames.js", "standin.js")  # what the decks share with the book


@dataclass
class Slide:
    """What one slide shows, in order; a fragment comes at the next press of a key."""

    first: str  # the id of its first cell
    top: bool  # begins a column of slides
    kind: str = ""
    heading: tuple[str, str] | None = None  # the first of h1 to h3: its tag, its HTML
    blocks: list[tuple[str, str, bool]] = field(default_factory=list)  # cell, HTML, fragment?
    notes: list[str] = field(default_factory=list)

    def add(self, cell: Cell, body: str, fragment: bool = False) -> None:
        if body.strip():
            self.blocks.append((cell["id"], body, fragment))


# ---------------------------------------------------------------- from cells to slides


def slides(notebook: Page, site: Site) -> list[Slide]:
    """The slides of a notebook: its slide types say where one begins and what is left out.

    A subslide with neither a note nor a heading goes on with the slide above it, as a fragment:
    code beside the words that ask for it. deck.js cuts what is too long for a page. Exercises
    become a question and, on the next press, the solution; the hints go to the speaker. Every
    question of the quiz has a slide, with its explanations for the speaker.
    """
    found: list[Slide] = []
    asked = False  # the last thing said was: predict
    for cell, deeper in zip(notebook.cells, sections(notebook.cells), strict=True):
        if deeper:
            continue
        with page.well_formed(cell):
            asked = _add(found, cell, asked, notebook, site)
    if found:
        found[0].kind = "title"
    return [slide for slide in found if slide.blocks]


def _add(found: list[Slide], cell: Cell, asked: bool, notebook: Page, site: Site) -> bool:
    """Add what a cell shows to the slides; whether it asks for a prediction."""
    kind = cell["metadata"].get("slideshow", {}).get("slide_type", "-")
    notes = cell["metadata"].get("course", {}).get("notes", "")
    tags, tokens = cell["tags"], cell.get("tokens")
    if "quiz" in tags and tokens is None:
        _quiz(found, cell)
        return asked
    if "exercise" in tags and found:
        _exercise(found[-1], cell, site.src.parent)
        return asked
    if kind in {"skip", "notes"}:
        return asked
    late = kind == "fragment"
    if kind == "subslide" and found and found[-1].kind not in {"exercise", "quiz"}:
        late = not notes and not (tokens and tokens[0].type == "heading_open")
    if not found or kind == "slide" or (kind == "subslide" and not late):
        says = "announced" if "quiz" in tags else ""
        found.append(Slide(cell["id"], kind == "slide" or not found, says))
    if notes:
        noted = cell | {"where": f"the notes of {cell['where']}"}
        body = page.render(page.parse(notes, noted["where"]))
        found[-1].notes.append(site.linked(body, notebook, noted))
    if tokens is None:
        outputs = [] if tags & {"hide-output", "remove-output"} else cell["outputs"]
        shown = site.linked("".join(map(page.output_html, outputs)), notebook, cell)
        _code(found[-1], cell, shown, late, asked)
        return False
    for number, part in enumerate(_parts(cell)):
        if number:
            found.append(Slide(cell["id"], False, notes=list(found[-1].notes)))
        slide = found[-1]
        slide.heading = slide.heading or _heading(part)
        slide.add(cell, site.linked(page.render(part), notebook, cell), late and not number)
    return "predict" in tags


def _parts(cell: Cell) -> list[list[Token]]:
    """What a Markdown cell says, cut at the bold lines that stand alone; these become headings.

    In a cell tagged `predict`, a paragraph that begins in bold is the question.
    """
    tokens, cuts = cell["tokens"], {0}
    for at, (opening, inline) in enumerate(pairwise(tokens)):
        if opening.type != "paragraph_open" or opening.level:
            continue
        if BOLD.fullmatch(inline.content):
            opening.type, opening.tag, tokens[at + 2].tag = "heading_open", "h2", "h2"
            inline.children = [token for token in inline.children if token.tag != "strong"]
            cuts.add(at)
        elif "predict" in cell["tags"] and inline.content.startswith("**"):
            opening.attrSet("class", "course-ask")
    return [tokens[a:b] for a, b in pairwise([*sorted(cuts), len(tokens)])]


def _heading(tokens: list[Token]) -> tuple[str, str] | None:
    """The tag and the HTML of the first heading down to h3; it is repeated, without its links."""
    for opening, inline in page.headings(tokens):
        if opening.tag in {"h1", "h2", "h3"}:
            bare = [t for t in inline.children if t.type not in {"link_open", "link_close"}]
            return opening.tag, page.render([replace(inline, children=bare)])
    return None


def _code(slide: Slide, cell: Cell, result: str, late: bool, asked: bool) -> None:
    """Code and its outputs: after a prediction they wait for one more press."""
    hidden = cell["tags"] & {"hide-input", "remove-input", "figure", "explorer"}
    code = "" if hidden else page.code_html(cell["source"])
    if asked and code:
        slide.add(cell, code, late)
        slide.add(cell, result, True)
    else:
        slide.add(cell, code + result, late)


def _exercise(slide: Slide, cell: Cell, root: Path) -> None:
    """The first line of the answer; of the check, the hints for the speaker and the solution."""
    if cell["metadata"].get("course", {}).get("exercise"):
        slide.kind = "exercise"
        slide.add(cell, page.code_html(cell["source"]))
        return
    hints, solution = printed(_learnt(cell)["exercise"], root)
    for number, hint in enumerate(hints, 1):
        slide.notes.append(f"<p><strong>Hint {number}.</strong> {prose(hint)}</p>")
    if solution:
        body = f"<p>One solution</p>{page.code_html(solution)}"
        slide.add(cell, f'<div class="solution">{body}</div>', True)
    elif says := kept_back(root):
        slide.notes.append(f"<p>{says}</p>")


def _quiz(found: list[Slide], cell: Cell) -> None:
    """Add a slide for each question; the one that announces the quiz becomes the first."""
    questions = quiz(_learnt(cell)["quiz"]).questions
    for number, question in enumerate(questions, 1):
        says = f"Quiz: question {number} of {len(questions)}"
        slide = Slide(cell["id"], False, "quiz", ("h2", says))
        if number == 1 and found and found[-1].kind == "announced":
            announced = found.pop()
            slide.top, slide.notes = announced.top, announced.notes
        slide.add(cell, f"<h2>{says}</h2><p>{prose(question.text)}</p>")
        slide.add(cell, f'<div class="course-quiz">{options_html(question)}</div>')
        for option in question.options:
            said = f"<em>{prose(option.text)}</em> {explanation(option)}"
            slide.notes.append(f"<p>{said}</p>")
        found.append(slide)


def _learnt(cell: Cell) -> dict[str, str]:
    """What the output of a check or a quiz says it is."""
    for output in cell["outputs"]:
        if MIME in output.get("data", {}):
            return output["data"][MIME]
    raise CourseError(
        f"{cell['where']}: expected the output of a check or a quiz, found none: "
        "run `course refresh` on the notebook"
    )


# ---------------------------------------------------------------- from slides to files


def deck(notebook: Page, site: Site) -> tuple[str, list[str]]:
    """The page of a deck, and the cells that begin a slide without a note for the speaker."""
    name = PurePosixPath(notebook.path).name
    notebook.check_outputs()
    sections, silent, column, head = [], [], False, ""
    for slide in slides(notebook, site):
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
    return template.substitute(title=title, slides="\n".join(sections)), silent


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


def build(root: Path, paths: Sequence[Path], out: Path, pdf: bool = False) -> int:
    """Write the decks of these notebooks into `out`; on an error `out` stays as it was."""
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
                text, silent = deck(find(path.relative_to(src).as_posix()), site)
                (made / f"{path.stem}.html").write_text(text, encoding="utf-8")
                site.copy(made / f"{path.stem}.files")
                silence = f", without notes for the speaker: {', '.join(silent)}" if silent else ""
                print(f"{path.stem}.html{silence}")
            else:
                for kept in out.glob(f"{glob.escape(path.stem)}.*"):
                    (shutil.copytree if kept.is_dir() else shutil.copy2)(kept, made / kept.name)
        if pdf:
            _print(chromium, made, [path.stem for path in paths])
        _index(made, {path.stem: titles[path] for path in chapters})
    print(f"open {out / 'index.html'}")
    return 0


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
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=flags)
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
