"""The preprocessor of mdBook that turns notebooks and Markdown files into the pages of the book.

mdBook 0.5 calls `python -m course.publish.book` with `[context, book]` as JSON on stdin, and reads the
book back from stdout. Each page is then HTML, in blocks that mdBook's Markdown parser doesn't change.
"""

import html
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, pairwise, takewhile
from pathlib import Path, PurePosixPath
from typing import Any

from markdown_it.token import Token

from course.errors import CourseError
from course.learn.exercises import printed
from course.learn.html import MIME, UNTRIED, exercise_html
from course.learn.solutions import kept_back
from course.outline import WHY, asks, sections, with_answers
from course.publish import explorers
from course.publish.download import github, notebook
from course.publish.here import here
from course.publish.index_page import fill
from course.publish.links import Site
from course.publish.page import (
    Cell,
    Page,
    code_html,
    headings,
    one_block,
    output_html,
    render,
    well_formed,
)

MDBOOK = "0.5"  # the series whose protocol this module follows
IMPORTS = re.compile("import |from ")  # the beginning of a cell of imports
GOALS = "**You will be able to**"
TIME = re.compile(r"\*\*Time:\*\* (\d+ minutes)")
IN_NOTEBOOK = "Try it in the notebook: its check tells you what is wrong."  # a page can't check

# ---------------------------------------------------------------- pages


def markdown(page: Page, site: Site, repository: str = "", package: str = "") -> str:
    """Return a page as blocks of HTML: its title, the overview picture, and its cells.

    Each Deeper section is folded under its heading, and the cells that a reader needs once under a line.
    """
    page.check_outputs()
    maker, blocks = _Blocks(page, site), []
    numbered = zip(sections(page.cells), page.cells, strict=True)
    for section, found in groupby(numbered, key=lambda pair: pair[0]):
        first, *cells = (cell for _, cell in found)
        title, first = _titled(first) if section or not blocks else ([], first)
        if section:  # without a link, which would take the click that opens the section
            heading = maker.text(first, title)
            blocks.append(f'<details class="course-deeper"><summary>{heading}</summary>')
        else:
            blocks.append(maker.text(first, _reachable(title)))
        cells = [first, *cells]
        if not section and len(blocks) == 1 and page.path.endswith(".ipynb"):
            blocks.append(site.linked(here(page.path, site.listed), page, first))
            end = 1 + _start(cells[1:])
            once = chain([_links(page.path, repository, package)], *map(maker.cell, cells[1:end]))
            blocks += [*maker.cell(first), _once(cells[1:end], "".join(once))]
            cells = cells[end:]
        for group in with_answers(cells):
            blocks += maker.prediction(*group) if asks(group[0]) else maker.cell(group[0])
        blocks += ["</details>"] * bool(section)
    return "\n\n".join(filter(None, blocks)) + "\n"


def _titled(cell: Cell) -> tuple[list[Token], Cell]:
    """Return the tokens of the heading with which a cell begins, and the rest of the cell."""
    tokens = cell.get("tokens")
    cut = 3 if tokens and tokens[0].type == "heading_open" else 0
    return (tokens[:cut], cell | {"tokens": tokens[cut:]}) if cut else ([], cell)


def _start(cells: Sequence[Cell]) -> int:
    """Return how many cells after the title hold goals, imports, parameters, and text between them."""
    first = takewhile(lambda cell: not any(headings(cell.get("tokens", []))), cells)
    needed = (
        cell["source"].startswith(GOALS) or {"hide-input", "parameters"} & cell["tags"]
        for cell in first
    )
    return max((place for place, each in enumerate(needed, 1) if each), default=0)


def _once(cells: Sequence[Cell], body: str) -> str:
    """Fold the cells that a reader needs once under a line with the minutes; without cells, fold nothing."""
    if not cells:
        return body
    time = TIME.search("".join(cell["source"] for cell in cells))
    says = "hat you will learn, what you need, and how to run it"
    line = f"{time[1]}: w{says}" if time else f"W{says}"
    return f'<details class="course-once"><summary>{line}</summary>{body}</details>'


@dataclass
class _Blocks:
    """Turns the cells of a page into blocks of HTML that mdBook's Markdown parser doesn't change."""

    page: Page
    site: Site

    def text(self, cell: Cell, tokens: list[Token]) -> str:
        with well_formed(cell):
            return one_block(self.site.linked(render(tokens), self.page, cell))

    def cell(self, cell: Cell) -> list[str]:
        if "tokens" in cell:
            return [self.text(cell, _reachable(cell["tokens"]))]
        return [_cell("".join(self.code(cell)))]

    def code(self, cell: Cell) -> tuple[str, str]:
        """Return a code cell's code and its output as HTML, folded if the cell's tags hide them."""
        tags, code = cell["tags"], ""
        if cell["source"].strip():
            code = code_html(cell["source"])
            says = "The imports" if IMPORTS.match(cell["source"]) else "The code"
            code = _folded(says, code) if "hide-input" in tags else code
        with well_formed(cell):
            root = self.site.src.parent
            shown = "".join(_output(output, root) for output in cell["outputs"])
            shown = _folded("The output", shown) if shown and "hide-output" in tags else shown
            code, shown = (self.site.linked(part, self.page, cell) for part in (code, shown))
        return one_block(code), one_block(shown)

    def prediction(self, question: Cell, *answer: Cell) -> list[str]:
        """Return the text before a question, and a box with the question, its code and its folded answer.

        The output isn't folded if it is an explorer, with which the reader finds the answer, or
        evidence, which the question is about.
        """
        tokens = _reachable(question["tokens"])
        cut = _question(tokens)
        box, folded = [self.text(question, tokens[cut:])], []
        if answer:
            source, shown = self.code(answer[0])
            opens = bool({"explorer", "evidence"} & answer[0]["tags"])
            box.append(_cell(source + shown if opens else source))
            folded = ["" if opens else _cell(shown), *chain(*map(self.cell, answer[1:]))]
        if any(folded):
            box.append(_folded(WHY, "".join(folded)))
        body = "".join(box)
        return [self.text(question, tokens[:cut]), f'<div class="course-ask">{body}</div>']


def _question(tokens: list[Token]) -> int:
    """Return the index of the token where a cell's question begins: its first paragraph in bold, or 0."""
    for at, (opening, inline) in enumerate(pairwise(tokens)):
        paragraph = opening.type == "paragraph_open" and not opening.level
        if paragraph and inline.content.startswith("**"):
            return at
    return 0


def _reachable(tokens: list[Token]) -> list[Token]:
    """Make each heading a link to itself, as mdBook does with its own headings."""
    for opening, inline in headings(tokens):
        link = f'<a class="header" href="#{opening.attrs["id"]}">'
        before, after = (Token("html_inline", "", 0, content=tag) for tag in (link, "</a>"))
        inline.children = [before, *inline.children, after]
    return tokens


def _cell(body: str) -> str:
    return f'<div class="course-cell">{body}</div>' if body else ""


def _output(output: Mapping[str, Any], root: Path) -> str:
    """Return one output as HTML; for a check, its hints, and the solution if the course shows it."""
    if exercise := output.get("data", {}).get(MIME, {}).get("exercise"):
        says = [line for line in (IN_NOTEBOOK, kept_back(root)) if line]
        return exercise_html(says, *printed(exercise, root), UNTRIED)
    return output_html(output)


def _folded(says: str, body: str) -> str:
    return f'<details class="course-folded"><summary>{says}</summary>{body}</details>'


def _links(path: str, repository: str, package: str) -> str:
    """Return the line of links below the title, for downloading the notebook and for running it."""
    name, where = html.escape(PurePosixPath(path).name), html.escape(path)
    links = [f'<a href="{name}" download>Download this notebook</a>']
    if package:
        up = "../" * path.count("/")
        links.append(f'<a href="{up}{package}" download>The package it needs</a>')
    if repository:
        readme = f"{html.escape(repository)}#set-up"  # a repository's page shows its README
        links.append(f'<a href="{readme}">How to run it</a>')
    if place := github(repository):  # the book is on its branch gh-pages
        colab = f"https://colab.research.google.com/github/{place}/blob/gh-pages/{where}"
        binder = f"https://mybinder.org/v2/gh/{place}/main?labpath=notebooks/{where}"
        links += [f'<a href="{colab}">Open in Colab</a>', f'<a href="{binder}">Open in Binder</a>']
    return f'<p class="course-links">{" · ".join(links)}</p>'


# ---------------------------------------------------------------- mdBook's preprocessor


def preprocess(context: Mapping[str, Any], book: dict[str, Any]) -> dict[str, Any]:
    """Return the book with its pages as HTML, and put the files that they need where mdBook finds them."""
    came = context.get("mdbook_version", "unknown")
    if not came.startswith(f"{MDBOOK}.") or "items" not in book:
        raise CourseError(
            f"expected mdBook {MDBOOK}.x, found {came}: install the pinned one with "
            "`python install.py --book`"
        )
    config, root = context["config"], Path(context["root"])
    repository = config.get("output", {}).get("html", {}).get("git-repository-url") or ""
    published = root / config["book"]["src"]
    wheel = next((path.name for path in published.glob("*.whl")), "")
    chapters = [c for c in _chapters(book["items"]) if c["path"]]
    pages = _pages(chapters, _parts(book["items"]))
    site = Site(root / "notebooks", pages.get, pages, _address)
    for chapter in chapters:
        path, source = chapter["path"], chapter["content"]
        text = markdown(pages[path], site, repository, wheel)
        if published == site.src:  # with --serve, no file may be added to notebooks/
            chapter["content"] = f"{text}\n{explorers.inline(text)}"  # a blank line ends HTML
            continue
        chapter["content"] = text + explorers.tags(text, "../" * path.count("/"))
        explorers.write(text, published)
        if wheel and path.endswith(".ipynb"):
            (published / path).write_text(notebook(source, path, repository, wheel), "utf-8")
    site.copy(published)
    return book


def _pages(chapters: Sequence[dict[str, Any]], parts: Mapping[str, list[str]]) -> dict[str, Page]:
    """Return the pages by path, notebooks first, because Markdown pages are filled in from them."""
    texts = {chapter["path"]: chapter["content"] for chapter in chapters}
    pages = {path: Page(path, text) for path, text in texts.items() if path.endswith(".ipynb")}
    for path in texts.keys() - pages.keys():
        pages[path] = Page(path, fill(texts[path], path, parts, pages))
    return pages


def _address(page: Page, target: str, other: Page | None) -> str:
    there = PurePosixPath(target).with_suffix(".html") if other else target
    return os.path.relpath(there, PurePosixPath(page.path).parent).replace(os.sep, "/")


def _chapters(items: list[Any]) -> Iterator[dict[str, Any]]:
    for item in items:
        if isinstance(item, dict) and "Chapter" in item:
            yield item["Chapter"]
            yield from _chapters(item["Chapter"]["sub_items"])


def _parts(items: list[Any]) -> dict[str, list[str]]:
    """Return the titles of the parts, each with the paths of the pages below it."""
    parts: dict[str, list[str]] = {"": []}
    for item in items:
        if isinstance(item, dict) and "PartTitle" in item:
            parts[item["PartTitle"]] = []
        else:
            parts[[*parts][-1]] += [c["path"] for c in _chapters([item]) if c["path"]]
    return parts


def main(argv: list[str]) -> int:
    """Do what mdBook asks of a preprocessor, and return the exit status."""
    if argv[:1] == ["supports"]:
        return 0 if argv[1:] == ["html"] else 1
    try:
        context, book = json.loads(sys.stdin.buffer.read())
        text = json.dumps(preprocess(context, book))
    except (CourseError, OSError) as error:
        print(f"course: {error}", file=sys.stderr)
        return CourseError.exit_code
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
