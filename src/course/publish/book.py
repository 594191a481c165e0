"""The pages of the book: what mdBook's preprocessor makes of the notebooks.

mdBook 0.5 calls `python -m course.publish.book` with `[context, book]` as JSON on stdin, and takes the
book back on stdout: notebooks and Markdown have become HTML, in blocks that Markdown leaves alone.
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
from course.publish import weights
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

MDBOOK = "0.5"  # the series whose protocol this is
IMPORTS = re.compile("import |from ")  # how a page's first code begins
GOALS = "**You will be able to**"
TIME = re.compile(r"\*\*Time:\*\* (\d+ minutes)")
IN_NOTEBOOK = "Try it in the notebook: its check tells you what is wrong."  # a page can't check

# ---------------------------------------------------------------- pages


def markdown(page: Page, site: Site, repository: str = "", package: str = "") -> str:
    """A page as blocks of HTML: its title, the picture of the whole, and its cells.

    What is Deeper is folded under its heading, and what a reader needs only once under a line.
    """
    page.check_outputs()
    maker, blocks = _Blocks(page, site), []
    numbered = zip(sections(page.cells), page.cells, strict=True)
    for section, found in groupby(numbered, key=lambda pair: pair[0]):
        first, *cells = (cell for _, cell in found)
        title, first = _titled(first) if section or not blocks else ([], first)
        if section:  # a link would take the click that opens it
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
    """The heading that a cell begins with, and the rest of the cell."""
    tokens = cell.get("tokens")
    cut = 3 if tokens and tokens[0].type == "heading_open" else 0
    return (tokens[:cut], cell | {"tokens": tokens[cut:]}) if cut else ([], cell)


def _start(cells: Sequence[Cell]) -> int:
    """How many cells below a title get the page going: goals, imports, parameters, and words between."""
    first = takewhile(lambda cell: not any(headings(cell.get("tokens", []))), cells)
    needed = (
        cell["source"].startswith(GOALS) or {"hide-input", "parameters"} & cell["tags"]
        for cell in first
    )
    return max((place for place, each in enumerate(needed, 1) if each), default=0)


def _once(cells: Sequence[Cell], body: str) -> str:
    """What a reader needs once, behind a line that says how long the page takes; links alone are open."""
    if not cells:
        return body
    time = TIME.search("".join(cell["source"] for cell in cells))
    says = "hat you will learn, what you need, and how to run it"
    line = f"{time[1]}: w{says}" if time else f"W{says}"
    return f'<details class="course-once"><summary>{line}</summary>{body}</details>'


@dataclass
class _Blocks:
    """Cells of a page as blocks of HTML that Markdown leaves alone."""

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
        """A code cell, and what it gave; what its tags hide is folded."""
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
        """A box: the question, the first code, and folded in it what that gives and why.

        An explorer is open, since it is how the question is answered, and so is evidence: what the
        question is about.
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
    """Where the question of a cell begins: at its first paragraph that begins in bold, as in a deck."""
    for at, (opening, inline) in enumerate(pairwise(tokens)):
        paragraph = opening.type == "paragraph_open" and not opening.level
        if paragraph and inline.content.startswith("**"):
            return at
    return 0


def _reachable(tokens: list[Token]) -> list[Token]:
    """Headings that are links to themselves, as mdBook's own."""
    for opening, inline in headings(tokens):
        link = f'<a class="header" href="#{opening.attrs["id"]}">'
        before, after = (Token("html_inline", "", 0, content=tag) for tag in (link, "</a>"))
        inline.children = [before, *inline.children, after]
    return tokens


def _cell(body: str) -> str:
    return f'<div class="course-cell">{body}</div>' if body else ""


def _output(output: Mapping[str, Any], root: Path) -> str:
    """One output; of a check the hints, and the solution if the course shows it."""
    if exercise := output.get("data", {}).get(MIME, {}).get("exercise"):
        says = [line for line in (IN_NOTEBOOK, kept_back(root)) if line]
        return exercise_html(says, *printed(exercise, root), UNTRIED)
    return output_html(output)


def _folded(says: str, body: str) -> str:
    return f'<details class="course-folded"><summary>{says}</summary>{body}</details>'


def _links(path: str, repository: str, package: str) -> str:
    """The line below the title: download the notebook and run it there, or elsewhere."""
    name, where = html.escape(PurePosixPath(path).name), html.escape(path)
    links = [f'<a href="{name}" download>Download this notebook</a>']
    if package:
        up = "../" * path.count("/")
        links.append(f'<a href="{up}{package}" download>The package it needs</a>')
    if repository:
        readme = f"{html.escape(repository)}#set-up"  # a repository's page shows its README
        links.append(f'<a href="{readme}">How to run it</a>')
    if place := github(repository):  # its branch gh-pages is the book
        colab = f"https://colab.research.google.com/github/{place}/blob/gh-pages/{where}"
        binder = f"https://mybinder.org/v2/gh/{place}/main?labpath=notebooks/{where}"
        links += [f'<a href="{colab}">Open in Colab</a>', f'<a href="{binder}">Open in Binder</a>']
    return f'<p class="course-links">{" · ".join(links)}</p>'


# ---------------------------------------------------------------- mdBook's preprocessor


def preprocess(context: Mapping[str, Any], book: dict[str, Any]) -> dict[str, Any]:
    """The book with its pages as HTML; the files that they name lie where mdBook finds them."""
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
        if published == site.src:  # --serve: to this computer, and without files of its own
            chapter["content"] = text + weights.inline(text)
            continue
        chapter["content"] = text + weights.tags(text, "../" * path.count("/"))
        weights.write(text, published)
        if wheel and path.endswith(".ipynb"):
            (published / path).write_text(notebook(source, path, repository, wheel), "utf-8")
    site.copy(published)
    return book


def _pages(chapters: Sequence[dict[str, Any]], parts: Mapping[str, list[str]]) -> dict[str, Page]:
    """The pages by their paths; what the front page leaves to be filled in needs the notebooks."""
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
    """The titles between the chapters, and the pages below each."""
    parts: dict[str, list[str]] = {"": []}
    for item in items:
        if isinstance(item, dict) and "PartTitle" in item:
            parts[item["PartTitle"]] = []
        else:
            parts[[*parts][-1]] += [c["path"] for c in _chapters([item]) if c["path"]]
    return parts


def main(argv: list[str]) -> int:
    """What mdBook asks of a preprocessor."""
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
