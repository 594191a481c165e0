"""Turn a notebook's cells into HTML: Markdown, code and outputs, for book, decks and worksheets.

Pure functions of text: nothing here reads a file or starts a program.
"""

from __future__ import annotations

import functools
import html
import re
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from click import unstyle

from course import notebooks
from course.errors import CourseError
from course.outline import minutes
from course.publish.formulas import convert_math

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LINE = 88  # characters of code in a line of the book
DRAWN = re.compile(
    r'<img src="data:image/svg\+xml;base64,([^"]+)" alt="([^"]*)"[^>]*>(<figcaption>\2</figcaption>)?'
)
SENTENCE = re.compile(r".*?[.?](?= [A-Z\d]|$)", re.DOTALL)


# ---------------------------------------------------------------- code and outputs


@functools.cache
def _colours() -> Callable[[str], str]:
    """Return a function that colours Python; it is cached, because Pygments is slow to make it."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    return functools.partial(
        highlight, lexer=PythonLexer(stripnl=False), formatter=HtmlFormatter(nowrap=True)
    )


def code_html(source: str) -> str:
    """Return Python as HTML, with spans for its tokens (in Pygments' short class names) and its lines.

    Each line carries its indentation, so that the rest of a broken line can be indented a bit more.
    """
    lines = _colours()(source).rstrip("\n").split("\n")
    indents = (len(line) - len(line.lstrip()) for line in source.split("\n"))
    text = "\n".join(
        f'<span class="line" style="--in:{n}">{line}</span>' if line else ""
        for n, line in zip(indents, lines, strict=False)
    )
    return f'<pre class="course-code"><code class="nohighlight">{text}</code></pre>'


def output_html(output: Mapping[str, Any]) -> str:
    """Return one output of a cell as HTML: HTML and SVG nearly unchanged, everything else escaped."""
    kind = output["output_type"]
    if kind == "stream":
        return _pre(_text(output["text"]))
    if kind == "error":
        lines = output.get("traceback") or [f"{output['ename']}: {output['evalue']}"]
        return _pre("\n".join(lines), " course-error")
    data = output["data"]
    if "text/html" in data:
        markup = _text(data["text/html"])
        return DRAWN.sub(functools.partial(_inline, moves="<script" in markup), markup)
    if "image/svg+xml" in data:
        return _text(data["image/svg+xml"])
    for image in ("image/png", "image/jpeg"):
        if image in data:
            says = html.escape(unstyle(_text(data.get("text/plain", ""))))
            body = "".join(_text(data[image]).split())
            return f'<img class="course-figure" src="data:{image};base64,{body}" alt="{says}">'
    return _pre(_text(data.get("text/plain", "")))


def _inline(image: re.Match[str], moves: bool = False) -> str:
    """Return a figure as a part of the page, from which it takes its colours; its own style is removed.

    A screen reader reads all sentences about the figure. The caption shows the first one, and the
    others at a click; if the figure moves, it shows all of them.
    """
    svg = b64decode(image[1]).decode("utf-8")
    bare = re.sub("<style>.*?</style>", "", svg, count=1, flags=re.DOTALL)
    drawn = bare.replace("<svg", f'<svg role="img" aria-label="{image[2]}"', 1)
    return drawn + _caption(image[2], moves) * bool(image[3])


def _caption(says: str, moves: bool) -> str:
    first = SENTENCE.match(says)
    if moves or not first or first[0] == says:
        return f'<figcaption aria-hidden="true">{says}</figcaption>'
    folded = f"<summary>{first[0]}</summary>{says[first.end() :]}"
    return f'<figcaption><details class="course-says">{folded}</details></figcaption>'


def _pre(text: str, more: str = "") -> str:
    if _runs_on(text):
        more += " course-words"
    return f'<pre class="course-output{more}">{html.escape(unstyle(text), quote=False)}</pre>'


def _runs_on(text: str) -> bool:
    """Whether an output has a line that is longer than a line of the page, and no columns."""
    return max(map(len, text.splitlines()), default=0) > LINE and "   " not in text


def _text(value: str | list[str]) -> str:
    """Return a text of the notebook format, which can be a list of lines, as one string."""
    return value if isinstance(value, str) else "".join(value)


def one_block(text: str) -> str:
    """Return HTML that Markdown reads as one block: without blank lines, which would end it."""
    raw = r"<(style|script)\b.*?</\1>"  # in these, &#10; wouldn't be read as a line break
    text = re.sub(raw, lambda found: re.sub(r"\n\s*\n", "\n", found[0]), text, flags=re.DOTALL)
    return re.sub(r"\n(?=[ \t]*(?:\n|\Z))", "&#10;", text.strip("\n"))


# ---------------------------------------------------------------- Markdown


@functools.cache
def _parser() -> MarkdownIt:
    """Return a parser for CommonMark with GitHub's tables; its Python code is coloured as in cells."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("table_open", lambda *_: '<div class="table-wrapper"><table>\n')
    parser.add_render_rule("table_close", lambda *_: "</table></div>\n")
    return parser


def _fence(renderer, tokens: list[Token], at: int, options, env) -> str:
    if tokens[at].info.split()[:1] not in (["python"], ["py"]):
        return type(renderer).fence(renderer, tokens, at, options, env)
    return f'<div class="course-cell">{code_html(tokens[at].content)}</div>\n'


def parse(markdown: str, where: str) -> list[Token]:
    """Return the tokens of a Markdown cell, with its formulas as MathML."""
    return _parser().parse(convert_math(markdown, where))


def render(tokens: list[Token]) -> str:
    """Return tokens as HTML."""
    return _parser().renderer.render(tokens, _parser().options, {})


def headings(tokens: list[Token]) -> Iterator[tuple[Token, Token]]:
    """Yield, for each heading, the token that opens it and the token with its content."""
    return (pair for pair in pairwise(tokens) if pair[0].type == "heading_open")


def words(inline: Token) -> str:
    """The text of a heading."""
    return "".join(t.content for t in inline.children if t.type in ("text", "code_inline"))


def anchor(title: str) -> str:
    """Return the id of a heading; the id that JupyterLab uses, such as `Why-scale?`, gives the same one.

    >>> anchor("Why `scale`?"), anchor("Why-scale?")
    ('why-scale', 'why-scale')
    """
    text = re.sub(r"[^\w\s-]", "", title.lower())
    return re.sub(r"\s", "-", text.strip()) or "section"


# ---------------------------------------------------------------- notebooks


Cell = dict[str, Any]  # the JSON of a cell, with `where`, `tags` and, for Markdown, `tokens`


class Page:
    """A notebook or a Markdown file, prepared for the book, a deck or a worksheet."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path  # relative to notebooks/
        self.title = ""
        self.ids: set[str] = set()  # of headings
        self.cells: list[Cell] = []
        times: Counter[str] = Counter()
        for raw in self._raw(text):
            if raw["cell_type"] == "raw":
                continue
            tags = set(raw["metadata"].get("tags", []))
            where = f"{path}, cell {raw['id']}" if raw["id"] else path
            cell = {"outputs": [], "attachments": {}, **raw, "tags": tags, "where": where}
            self.cells.append(cell)
            if cell["cell_type"] != "markdown":
                continue
            cell["tokens"] = parse(cell["source"], where)
            for opening, inline in headings(cell["tokens"]):
                self.title = self.title or words(inline)
                slug = anchor(words(inline))
                times[slug] += 1
                slug += f"-{times[slug] - 1}" if times[slug] > 1 else ""
                opening.attrSet("id", slug)
                self.ids.add(slug)

    @functools.cached_property
    def minutes(self) -> tuple[float, float]:
        """The minutes that the main line and the Deeper sections take."""
        return minutes(self.cells)

    def check_outputs(self) -> None:
        """Raise CourseError if the notebook has code but was never run."""
        ran = [cell.get("execution_count") for cell in self.cells if cell["cell_type"] == "code"]
        if ran and not any(ran):
            raise CourseError(
                f"{self.path} has code, but no stored outputs: "
                f"run `course refresh {PurePosixPath(self.path).stem}`"
            )

    def _raw(self, text: str) -> list[Cell]:
        if self.path.endswith(".ipynb"):
            return notebooks.parse(text, self.path)["cells"]
        return [{"cell_type": "markdown", "id": "", "source": text, "metadata": {}}]


@contextmanager
def well_formed(cell: Cell) -> Iterator[None]:
    """Turn an error that a malformed cell causes into a CourseError that names the cell."""
    try:
        yield
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise CourseError(
            f"{cell['where']}: expected a cell of nbformat 4, but it has {error!r}: "
            "run `course refresh` on the notebook, or restore it"
        ) from None
