"""What the source notebooks printed, and whether the course prints it too.

A Source says what a source notebook showed under an id of the design (S1.21 and so on). Its
figure is looked for in the outputs of the cells that carry that id in `metadata.course.covers`:
the same numbers in the same order, integers exactly, others within one unit of their last printed
place. Where the figure can't be had, `why_not` gives the reason.
"""

import re
from dataclasses import dataclass

NUMBER = re.compile(
    r"(?<![\w.])-?(?:\d{1,3}(?:,\d{3})+(?![\d,])|\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?!\w)"
    r"|(?<!\w)-?inf\b"
)


@dataclass(frozen=True)
class Source:
    """One item of a source notebook.

    `corpus` says which text the figure belongs to; "" means that it depends on no text. An empty
    figure means that the source printed nothing to compare (a definition, or prose).
    """

    id: str
    shows: str
    figure: str = ""
    corpus: str = ""
    why_not: str = ""


def numbers(text: str) -> list[str]:
    """The numbers in a text, as they are written."""
    return NUMBER.findall(text)


def same_number(wanted: str, got: str) -> bool:
    """Integers exactly (2. is the float 2), others within one unit of the last printed place."""
    if "inf" in wanted or "inf" in got:
        return wanted == got
    a, b = float(wanted.replace(",", "")), float(got.replace(",", ""))
    places = len(wanted.partition(".")[2])
    return abs(a - b) <= (1.000001 * 10**-places if places else 0)


def shown(figure: str, outputs: str) -> bool:
    """True if the outputs show the figure: its numbers in a row, or, if it has none, its text."""
    wanted, got = numbers(figure), numbers(outputs)
    if not wanted:
        return " ".join(figure.split()) in " ".join(outputs.split())
    starts = range(len(got) - len(wanted) + 1)
    return any(all(map(same_number, wanted, got[start:])) for start in starts)
