"""One reveal.js deck a chapter, from the same notebooks: `course slides`.

Python says what stands on a slide; `deck/deck.js` makes it fit, in the browser that shows it: it
knows the fonts. reveal.js comes out of the package sphinx-revealjs, which carries it unchanged.
"""

from __future__ import annotations

import functools
import html
import importlib.util
import re
import shutil
import string
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from course import notebooks
from course.colours import CSS
from course.errors import CourseError
from course.learn.html import MIME, prose
from course.learn.quizzes import explanation, options_html, quiz
from course.learn.solutions import printed
from course.publish import page
from course.publish.finished import replacing

if TYPE_CHECKING:
    from http.server import ThreadingHTTPServer

    from nbformat import NotebookNode

DECK = Path(__file__).parent / "deck"
SHARED = Path(__file__).parent / "assets"  # with the book: the font of the formulas, frames
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
BOTH = ("math.css", "OFL.txt", "frames.js")  # of assets, what the decks share with the book
PART = re.compile(r"^\*\*([^*\n]+)\*\*[ \t]*$", re.MULTILINE)  # a bold line of its own
HEADING = re.compile(r"#{1,4} ")


@dataclass
class Slide:
    """What one slide shows, in order; a fragment comes at the next press of a key."""

    first: str  # the id of its first cell
    top: bool  # begins a column of slides
    kind: str = ""
    blocks: list[tuple[str, str, bool]] = field(default_factory=list)  # cell, HTML, fragment?
    notes: list[str] = field(default_factory=list)

    def add(self, cell: NotebookNode, body: str, fragment: bool = False) -> None:
        if body.strip():
            self.blocks.append((cell.id, body, fragment))


# ---------------------------------------------------------------- from cells to slides


def slides(nb: NotebookNode, name: str, root: Path) -> list[Slide]:
    """The slides of a notebook: its slide types say where one begins and what is left out.

    A subslide with neither a note nor a heading goes on with the slide above it, as a fragment:
    code beside the words that ask for it. deck.js cuts what is too long for a page. Exercises
    become a question and, on the next press, the solution; the hints go to the speaker. Every
    question of the quiz has a slide, with its explanations for the speaker.
    """
    found: list[Slide] = []
    asked = False  # the last thing said was: predict
    for cell in nb.cells:
        kind = cell.metadata.get("slideshow", {}).get("slide_type", "-")
        tags = set(cell.metadata.get("tags", []))
        notes = cell.metadata.get("course", {}).get("notes", "")
        if "remove-cell" in tags or cell.cell_type == "raw":
            continue
        if "quiz" in tags:
            _quiz(found, cell)
            continue
        if "exercise" in tags and found:
            _exercise(found[-1], cell, root)
            continue
        if kind in {"skip", "notes"}:
            continue
        late = kind == "fragment"
        if kind == "subslide" and found and found[-1].kind not in {"exercise", "quiz"}:
            late = not notes and not HEADING.match(cell.source)
        if not found or kind == "slide" or (kind == "subslide" and not late):
            found.append(Slide(cell.id, kind == "slide" or not found))
        slide = found[-1]
        if notes:
            slide.notes.append(markdown(notes, f"the notes of {name}, cell {cell.id}"))
        if cell.cell_type == "markdown":
            first, *parts = _parts(cell.source)
            slide.add(cell, markdown(first, f"{name}, cell {cell.id}"), late)
            for part in parts:
                found.append(Slide(cell.id, False, notes=list(slide.notes)))
                found[-1].add(cell, markdown(part, f"{name}, cell {cell.id}"))
            asked = "**Predict" in cell.source
        else:
            _code(slide, cell, tags, late, asked)
            asked = False
    if found:
        found[0].kind = "title"
    return [slide for slide in found if slide.blocks]


def _parts(source: str) -> list[str]:
    """A long Markdown cell cut at the bold lines that stand alone; these become headings."""
    cuts = [match.start() for match in PART.finditer(source)]
    pieces = [source[a:b] for a, b in zip([0, *cuts], [*cuts, len(source)], strict=True)]
    return [PART.sub(r"## \1", piece) for piece in pieces if piece.strip()] or [""]


def _code(slide: Slide, cell: NotebookNode, tags: set[str], late: bool, asked: bool) -> None:
    """Code and its outputs: after a prediction they wait for one more press."""
    hidden = tags & {"hide-input", "remove-input", "figure", "explorer"}
    code = "" if hidden else page.code_html(cell.source)
    result = "".join(page.output_html(output) for output in cell.outputs)
    if tags & {"hide-output", "remove-output"}:
        result = ""
    if asked and code:
        slide.add(cell, code, late)
        slide.add(cell, result, True)
    else:
        slide.add(cell, code + result, late)


def _exercise(slide: Slide, cell: NotebookNode, root: Path) -> None:
    """The first line of the answer; of the check, the hints for the speaker and the solution."""
    if cell.metadata.get("course", {}).get("exercise"):
        slide.kind = "exercise"
        slide.add(cell, page.code_html(cell.source))
        return
    hints, solution = printed(_learnt(cell)["exercise"], root)
    for number, hint in enumerate(hints, 1):
        slide.notes.append(f"<p><strong>Hint {number}.</strong> {prose(hint)}</p>")
    if solution:
        body = f"<p>One solution</p>{page.code_html(solution)}"
        slide.add(cell, f'<div class="solution">{body}</div>', True)


def _quiz(found: list[Slide], cell: NotebookNode) -> None:
    """Add a slide for each question; the one that announces the quiz becomes the first."""
    questions = quiz(_learnt(cell)["quiz"]).questions
    for number, question in enumerate(questions, 1):
        slide = Slide(cell.id, False, "quiz")
        if number == 1 and found and "<h2>Quiz</h2>" in "".join(b for _, b, _ in found[-1].blocks):
            announced = found.pop()
            slide.top, slide.notes = announced.top, announced.notes
        asks = f"<p>{prose(question.text)}</p>"
        slide.add(cell, f"<h2>Quiz: question {number} of {len(questions)}</h2>{asks}")
        slide.add(cell, f'<div class="course-quiz">{options_html(question)}</div>')
        for option in question.options:
            said = f"<em>{prose(option.text)}</em> {explanation(option)}"
            slide.notes.append(f"<p>{said}</p>")
        found.append(slide)


def _learnt(cell: NotebookNode) -> dict[str, str]:
    """What the output of a check or a quiz says it is."""
    for output in cell.get("outputs", []):
        if MIME in output.get("data", {}):
            return output.data[MIME]
    raise CourseError(
        f"expected cell {cell.id} to hold the output of a check or a quiz, found none: "
        "run `course refresh` on the notebook"
    )


@functools.cache
def _renderer():
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def markdown(source: str, where: str) -> str:
    """Markdown as HTML, formulas as MathML, links to other notebooks as links to their decks."""
    text = page.convert_math(source, where)
    text = re.sub(r"<math.*?</math>", _no_markdown, text, flags=re.DOTALL)
    body = _renderer().render(text)
    body = re.sub(r'(href="(?!\w+:)[^"#]*)\.ipynb(?:#[^"]*)?"', r'\1.html"', body)
    return body.replace("<p><strong>Predict", '<p class="ask"><strong>Predict')


def _no_markdown(formula: re.Match[str]) -> str:
    return formula[0].replace("*", "&#42;").replace("_", "&#95;")


# ---------------------------------------------------------------- from slides to files


def deck(nb: NotebookNode, name: str, root: Path) -> tuple[str, list[str]]:
    """The page of a deck, and the cells that begin a slide without a note for the speaker."""
    if not any(cell.get("execution_count") for cell in nb.cells):
        raise CourseError(
            f"{name} has no stored outputs, so its slides would be empty: "
            f"run `course refresh {name.removesuffix('.ipynb')}`"
        )
    found = slides(nb, name, root)
    sections, silent, column, head, title = [], [], False, "", ""
    for slide in found:
        body = "".join(block for _, block, _ in slide.blocks)
        own = re.search(r"<h([1-3])[^>]*>(.*?)</h\1>", body, re.DOTALL)
        if own and own[1] != "3":
            head = own[2]
        title = title or re.sub(r"<[^>]+>", "", head)
        if slide.top:
            sections.append("</section><section>" if column else "<section>")
            column = True
        if not slide.notes:
            silent.append(slide.first)
        sections.append(_section(slide, "" if own else head, name))
    sections.append("</section>" if column else "")
    template = string.Template((DECK / "deck.html").read_text(encoding="utf-8"))
    return template.substitute(
        title=title or html.escape(name), slides="\n".join(sections)
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


def build(root: Path, paths: Sequence[Path], out: Path, pdf: bool = False) -> int:
    """Write the decks of these notebooks into `out`; on an error `out` stays as it was."""
    reveal = _reveal()
    chapters = notebooks.chapters(root)
    if pdf:
        chromium = _chromium()
    with replacing(out) as made:
        made.mkdir(parents=True)
        for file in REVEAL:
            (made / "reveal" / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(reveal / file, made / "reveal" / file)
        _theme_without_fonts_elsewhere(made / "reveal")
        for file in (CSS, DECK / "deck.css", DECK / "deck.js", *(SHARED / name for name in BOTH)):
            shutil.copyfile(file, made / file.name)
        titles = {}
        for path in chapters:
            target = made / f"{path.stem}.html"
            if path in paths:
                text, silent = deck(notebooks.read(path), path.name, root)
                target.write_text(text, encoding="utf-8")
                silence = f", without notes for the speaker: {', '.join(silent)}" if silent else ""
                print(f"{path.stem}.html{silence}")
            else:
                for kept in (out / f"{path.stem}.html", out / f"{path.stem}.pdf"):
                    if kept.is_file():
                        shutil.copy2(kept, made / kept.name)
            if target.is_file():
                text = target.read_text(encoding="utf-8")
                titles[path.stem] = text.partition("<title>")[2].partition("</title>")[0]
        if pdf:
            _print(chromium, made, [path.stem for path in paths])
        _index(made, titles)
    print(f"open {out / 'index.html'}")
    return 0


def _index(folder: Path, titles: dict[str, str]) -> None:
    lines = []
    for stem, title in titles.items():
        pdf = f' (<a href="{stem}.pdf">PDF</a>)' if (folder / f"{stem}.pdf").is_file() else ""
        lines.append(f'<li><a href="{stem}.html">{stem[:2]} {title}</a>{pdf}</li>')
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
