"""Turns of phrase that read as translated, each with what people say instead.

Each of these was a fault in nine cases out of ten. `lint` looks for them in the Markdown and the
notes of a notebook; tests look for them in exercises, quizzes, talks and the README.
"""

import re
from collections.abc import Iterator

HABITS = {
    r"\b(?:stands?|stood|standing)\b(?! (?:for|in for|out|still|alone)\b)": "is, lies, appears or comes",
    r"\bof yours\b|\bin yours\b|\byours (?:is|are|was|were|has|have|do|does|doesn't|[a-z]+s)\b": "your function",
    r"\A[Rr]ight(?:,| (?:for|until|as|numbers?|values?|shape|rows?|size|only|on|while|at|if|but)\b)":
        "your answer is right",
    r"\bturn(?:s|ed)? (?:it |all |the \w+ )?round\b|\bsign is turned\b": "reversed, inverted or swapped",
    r"\b(?:can't|doesn't|don't) tell(?=[.,;:)])|\btells(?=[.,;:)])": "shows",
    r"\bfor what is Deeper\b": "for the Deeper sections",
    r"\bwhat you may change\b|\bYou may change\b": "you can change",
    r"\bnotebooks? behind this course\b": "the notebooks that this course is based on",
    r"\bLeave [^.]{1,25} as (?:it is|they are)\b": "don't change",
    r"\balso (?:when|where|what|if)\b": "even when, or including",
    r"\bWrite (?:it|this) out\b": "write out the steps",
    r"\b\d\.\d+ for \d\.\d+\b": "instead of",
    r"\bto judge by\b|\bjudge with\b|\bto learn by\b": "judge on, or learn from",
    r"\btogether to a\b": "into a",
    r"\bof chapter \d\d's\b": "of … in chapter",
}  # fmt: skip
# These are correct: people stand, "you can't tell" is an idiom, and the last one labels an axis.
ALLOWED = re.compile(r"people stand in a circle|[Yy]ou can't tell:|\Aright on held-out strings")


def translated(text: str) -> Iterator[str]:
    """Yield a sentence for each turn of phrase in a text that reads as translated.

    >>> list(translated("The sum stands beside the weights."))
    ["'The sum stands beside the weights.' reads as translated: write is, lies, appears or comes"]
    """
    text = ALLOWED.sub("…", " ".join(text.split()))
    for habit, instead in HABITS.items():
        for found in re.finditer(habit, text):
            around = text[max(found.start() - 30, 0) : found.end() + 30]
            yield f"{around!r} reads as translated: write {instead}"
