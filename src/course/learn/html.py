"""Exercises and quizzes as HTML that works without a script, in notebooks, book and decks."""

import html
import re

from course.colours import COLOURS

RIGHT, UNTRIED, WRONG = COLOURS["value"], COLOURS["edge"], COLOURS["wrong"]  # of a bar
STRESSED = re.compile(r"(?<![\w*])\*(\S(?:[^*]*\S)?)\*(?![\w*])")
MIME = "application/vnd.attention-course+json"  # what an output is, for the book and the decks


def prose(text: str) -> str:
    """Escape for HTML, set what stands between backticks as code, and between asterisks as stressed.

    >>> prose("`a < b` is *true*, 2 * 3 * 4")
    '<code>a &lt; b</code> is <em>true</em>, 2 * 3 * 4'
    """
    parts = html.escape(text, quote=False).split("`")
    return "".join(
        f"<code>{part}</code>" if n % 2 else STRESSED.sub(r"<em>\1</em>", part)
        for n, part in enumerate(parts)
    )


def folded(summary: str, body: str) -> str:
    """A line that opens to show more."""
    return f"<details><summary>{summary}</summary>{body}</details>"


def exercise_html(lines: list[str], hints: list[str], solution: str, colour: str) -> str:
    """Sentences with a bar of this colour beside them; the other hints and the solution folded below."""
    parts = [f"<p>{prose(line)}</p>" for line in lines]
    for n, hint in enumerate(hints, 1):
        if f"Hint {n}: {hint}" not in lines:
            parts.append(folded(f"Hint {n}", f"<p>{prose(hint)}</p>"))
    if solution:
        parts.append(folded("Solution", f"<pre><code>{html.escape(solution)}</code></pre>"))
    style = f"border-left: 4px solid {colour}; padding-left: 12px"
    return f'<div class="course-exercise" style="{style}">{"".join(parts)}</div>'
