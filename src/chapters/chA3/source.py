"""What a source notebook printed, and what the course computes in its place.

Two figures are equal if ours has the same numbers in the same order: integers exactly, others within
one unit of the last place that the source printed.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

NUMBER = re.compile(
    r"(?<![\w.])-?(?:\d{1,3}(?:,\d{3})+(?![\d,])|\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?!\w)"
    r"|(?<!\w)-?inf\b"
)


@dataclass(frozen=True)
class Source:
    """One figure of a source notebook.

    `ours` computes it anew from the text of the page. `corpus` says which text the figure belongs
    to; "" means that it is the same for the play. An empty figure means that the source printed
    nothing to compare (a definition, or prose): ours shows what it says. What a `trained` model
    writes differs between machines. Where ours can't be equal, `why_not` gives the reason, and
    `note` says what else is to be known.
    """

    id: str
    shows: str
    ours: Callable[[str], object]
    figure: str = ""
    corpus: str = ""
    trained: bool = False
    why_not: str = ""
    note: str = ""


def written(value: object) -> str:
    """A value as a cell would print it, the parts of a tuple one below the other."""
    if isinstance(value, Tensor):
        return str(value.detach())
    if type(value) is tuple:  # a shape is one too, of a kind of its own
        return "\n".join(map(written, value))
    return str(value)


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
    """True if the outputs show the figure: its numbers in a row, or, if it is a text, its words."""
    wanted, got = numbers(figure), numbers(outputs)
    if sum(map(len, wanted)) < len(figure) / 10:  # an alphabet has ".3" in it, and is no number
        return " ".join(figure.split()) in " ".join(outputs.split())
    starts = range(len(got) - len(wanted) + 1)
    return any(all(map(same_number, wanted, got[start:])) for start in starts)
