"""Exercises and quizzes as HTML that works without a script, in notebooks, book and decks."""

import html

from course.colours import COLOURS

RIGHT, UNTRIED, WRONG = COLOURS["value"], COLOURS["edge"], COLOURS["wrong"]  # of a bar
MIME = "application/vnd.attention-course+json"  # what an output is, for the book and the decks


def prose(text: str) -> str:
    """Escape for HTML and set what stands between backticks as code.

    >>> prose("`a < b` is true")
    '<code>a &lt; b</code> is true'
    """
    parts = html.escape(text, quote=False).split("`")
    return "".join(f"<code>{p}</code>" if n % 2 else p for n, p in enumerate(parts))


def folded(summary: str, body: str) -> str:
    """A line that opens to show more."""
    return f"<details><summary>{summary}</summary>{body}</details>"


def exercise_html(lines: list[str], hints: list[str], solution: str, colour: str) -> str:
    """Sentences with a bar of this colour beside them, hints and solution folded below."""
    parts = [f"<p>{prose(line)}</p>" for line in lines]
    parts += [folded(f"Hint {n}", f"<p>{prose(hint)}</p>") for n, hint in enumerate(hints, 1)]
    if solution:
        parts.append(folded("Solution", f"<pre><code>{html.escape(solution)}</code></pre>"))
    style = f"border-left: 4px solid {colour}; padding-left: 12px"
    return f'<div class="course-exercise" style="{style}">{"".join(parts)}</div>'
