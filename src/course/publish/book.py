"""The pages of the book: what mdBook's preprocessor makes of the notebooks.

mdBook 0.5 calls `python -m course.publish.book` with `[context, book]` as JSON on stdin, and takes the
book back on stdout: notebooks and Markdown have become HTML, in blocks that Markdown leaves alone.
"""

import html
import json
import multiprocessing
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any

from markdown_it.token import Token

from course.errors import CourseError
from course.learn.html import MIME, UNTRIED, exercise_html
from course.learn.solutions import kept_back, printed
from course.outline import WHY, explanations, sections
from course.publish import home, weights
from course.publish.front import fill
from course.publish.links import Site
from course.publish.mdbook import MDBOOK, wrong_version
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

WORKERS = 4  # processes that make pages; to fork more takes longer than it saves
IMPORTS = re.compile("import |from ")  # how a page's first code begins
FOLDED = "</details>"
ANSWER = f'<details class="course-folded"><summary>{WHY}</summary>'
IN_NOTEBOOK = "Try it in the notebook: its check tells you what is wrong."  # a page can't check

# ---------------------------------------------------------------- pages


def markdown(page: Page, site: Site, repository: str = "", package: str = "") -> str:
    """A page as blocks of HTML: below its title the links, then its cells.

    What is Deeper is folded under its heading. A prediction is a box: the question, the code, and
    folded in it what that gives, with the cell of text that explains it.
    """
    page.check_outputs()
    parts = [_links(page.path, repository, package)] if page.path.endswith(".ipynb") else []
    deeper = 0  # the section
    explained = explanations(page.cells)
    asked = False  # the last cell is a question
    box: list[str] = []  # what closes the box of a question that is open
    for number, (cell, section) in enumerate(zip(page.cells, sections(page.cells), strict=True)):
        tokens = cell.get("tokens")
        headed = bool(tokens) and tokens[0].type == "heading_open"
        explains = number in explained
        if not (explains or (asked and tokens is None)):
            parts, box = parts + box, []
        if explains and FOLDED not in box:  # an explorer: it opens before its answer
            parts.append(ANSWER)
            box.insert(0, FOLDED)
        if deeper and section != deeper:
            parts.append("</details>")
        with well_formed(cell):
            if tokens is None:
                code, shown = _code(cell, site.src.parent)
                if asked and shown and "explorer" not in cell["tags"]:
                    box.insert(0, FOLDED)
                    bodies = ["", _cell(code), ANSWER + _cell(shown)]
                else:
                    bodies = ["", _cell(code + shown)]
                asked = False
            else:
                asked = "predict" in cell["tags"]
                title = 3 if headed and (number == 0 or section != deeper) else 0
                if section not in (0, deeper):  # a link would take the click that opens it
                    top = f'<details class="course-deeper"><summary>{render(tokens[:3])}</summary>'
                else:
                    top = render(_reachable(tokens[:title]))
                body = _reachable(tokens[title:])
                at = _question(body) if asked else len(body)
                bodies = [top, render(body[:at])]
                if asked:
                    bodies.append(f'<div class="course-ask">{render(body[at:])}')
                    box = ["</div>"]
            blocks = [one_block(site.linked(body, page, cell)) for body in bodies]
        parts = [blocks[0], *parts, *blocks[1:]] if number == 0 else [*parts, *blocks]
        deeper = section
    closing = [*box, *["</details>"] * bool(deeper)]
    return "\n\n".join(filter(None, [*parts, *closing])) + "\n"


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


def _code(cell: Cell, root: Path) -> tuple[str, str]:
    """A code cell, and what it gave; what its tags hide is folded or left out."""
    tags, code, shown = cell["tags"], "", ""
    if cell["source"].strip() and "remove-input" not in tags:
        code = code_html(cell["source"])
        says = "The imports" if IMPORTS.match(cell["source"]) else "The code"
        code = _folded(says, code) if "hide-input" in tags else code
    if "remove-output" not in tags:
        shown = "".join(_output(output, root) for output in cell["outputs"])
        shown = _folded("The output", shown) if shown and "hide-output" in tags else shown
    return code, shown


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
    """The line below the title: take the notebook home and run it there, or elsewhere."""
    name = html.escape(PurePosixPath(path).name)
    links = [f'<a href="{name}" download>Download this notebook</a>']
    if package:
        package = "../" * path.count("/") + package
        links.append(f'<a href="{package}" download>The package it needs</a>')
    if repository:
        readme = f"{html.escape(repository)}#set-up"  # a repository's page shows its README
        links.append(f'<a href="{readme}">How to run it</a>')
    if place := home.github(repository):  # its branch gh-pages is the book
        where = html.escape(path)
        colab = f"https://colab.research.google.com/github/{place}/blob/gh-pages/{where}"
        binder = f"https://mybinder.org/v2/gh/{place}/main?labpath=notebooks/{where}"
        links += [f'<a href="{colab}">Open in Colab</a>', f'<a href="{binder}">Open in Binder</a>']
    return f'<p class="course-links">{" · ".join(links)}</p>'


# ---------------------------------------------------------------- mdBook's preprocessor


def preprocess(
    context: Mapping[str, Any], book: dict[str, Any], each: Callable[..., Iterable[Any]] = map
) -> dict[str, Any]:
    """The book with its pages as HTML; the files that they name lie where mdBook finds them.

    `each` makes the pages as `map` does, or side by side.
    """
    came = context.get("mdbook_version", "unknown")
    if not came.startswith(f"{MDBOOK}.") or "items" not in book:
        raise CourseError(wrong_version(came))
    config, root = context["config"], Path(context["root"])
    repository = config.get("output", {}).get("html", {}).get("git-repository-url") or ""
    found = [c for c in _chapters(book["items"]) if c["path"]]
    pages = {
        c["path"]: Page(c["path"], c["content"]) for c in found if c["path"].endswith(".ipynb")
    }
    parts = _parts(book["items"])
    for chapter in found:
        if chapter["path"] not in pages:
            text = fill(chapter["content"], chapter["path"], parts, pages)
            pages[chapter["path"]] = Page(chapter["path"], text)
    site = Site(root / "notebooks", pages.get, pages, _address)
    published = root / config["book"]["src"]
    staged = (published / home.wheel()).is_file()  # not by --serve
    package = home.wheel() if staged else ""

    def made(path: str) -> tuple[str, set[str]]:
        text = markdown(pages[path], site, repository, package)
        needed = weights.tags(text, "../" * path.count("/")) if staged else weights.inline(text)
        return f"{text}\n{needed}\n" if needed else text, site.files

    for chapter, (text, files) in zip(found, each(made, [c["path"] for c in found]), strict=True):
        chapter["content"] = text
        site.files |= files
    site.copy(published)
    if staged:
        weights.write((chapter["content"] for chapter in found), published)
    return book


def _side_by_side(function: Callable[[str], Any], arguments: list[str]) -> Iterable[Any]:
    """`map` in some processes, which are forked with all that the function knows."""
    workers = min(WORKERS, os.cpu_count() or 1)
    try:
        forked = multiprocessing.get_context("fork")
        pool = ProcessPoolExecutor(workers, forked, _know, (function,))
    except (ValueError, ImportError, OSError):  # Windows can't fork, some containers can't wait
        return map(function, arguments)
    with pool:
        return list(pool.map(_do, arguments))


def _know(function: Callable[[str], Any]) -> None:
    global _known
    _known = function


def _do(argument: str) -> Any:
    return _known(argument)


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
        text = json.dumps(preprocess(context, book, _side_by_side))
    except (CourseError, OSError) as error:
        print(f"course: {error}", file=sys.stderr)
        return CourseError.exit_code
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
