"""Exercises and quizzes as HTML that works without a script, in notebooks, book and decks."""

from __future__ import annotations

import functools
import html
from typing import TYPE_CHECKING

from course.colours import COLOURS

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

RIGHT, UNTRIED, WRONG = COLOURS["value"], COLOURS["edge"], COLOURS["wrong"]  # bar colours
MIME = "application/vnd.attention-course+json"  # tells the book and the decks what an output is


def prose(text: str) -> str:
    """Turn a line of Markdown into HTML: code in backticks and emphasis in asterisks, nothing else.

    >>> prose("`a < b` is *true*, 2 * 3 * 4")
    '<code>a &lt; b</code> is <em>true</em>, 2 * 3 * 4'
    """
    return _inline().renderInline(text)


@functools.cache
def _inline() -> MarkdownIt:
    from markdown_it import MarkdownIt

    def text(_, tokens, at, *__) -> str:
        return html.escape(tokens[at].content, quote=False)  # quotes stay, as in stored outputs

    def code(*given) -> str:
        return f"<code>{text(*given)}</code>"

    parser = MarkdownIt("zero").enable(["backticks", "emphasis"])
    parser.add_render_rule("text", text)
    parser.add_render_rule("code_inline", code)
    return parser


def folded(summary: str, body: str) -> str:
    """The HTML of a line that opens to show more."""
    return f"<details><summary>{summary}</summary>{body}</details>"


def exercise_html(lines: list[str], hints: list[str], solution: str, colour: str) -> str:
    """The HTML of lines next to a coloured bar, with the other hints and the solution folded."""
    parts = [f"<p>{prose(line)}</p>" for line in lines]
    for n, hint in enumerate(hints, 1):
        if f"Hint {n}: {hint}" not in lines:
            parts.append(folded(f"Hint {n}", f"<p>{prose(hint)}</p>"))
    if solution:
        parts.append(folded("Solution", f"<pre><code>{html.escape(solution)}</code></pre>"))
    style = f"border-left: 4px solid {colour}; padding-left: 12px"
    return f'<div class="course-exercise" style="{style}">{"".join(parts)}</div>'
