"""The tables of the concordance: what the sources printed, what is computed here, and where it is met.

`places.json` says under which headings an id is shown; `python -m tests.chapters.test_concordance` writes it
from the notebooks.
"""

import html
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from attention.corpus import load_corpus
from chapters.chA3.source import Source, numbers, shown, written
from chapters.chA3.traps import TRAPS, Trap
from course.learn.html import folded, prose, table

CHAPTERS = [f"{number:02}" for number in range(11)]
TEXTS = ("play", "tinyshakespeare")
EQUAL, RUNS, OTHER_TEXT, UNEQUAL = "equal", "runs", "another text", "not equal"
LONG = 44  # characters of a figure that is folded away
HEADS = {
    "sources": ("id", "what the source shows", "the source's figure", "ours", "is it equal?", "taught in"),
    "traps": ("id", "what was wrong", "what is right", "measured here", "where you meet it"),
}  # fmt: skip


def places() -> dict[str, list[list[str]]]:
    """Of each id the headings under which it is taught, each with its notebook."""
    text = Path(__file__).with_name("places.json").read_text(encoding="utf-8")
    return json.loads(text)


def sources(chapter: str) -> list[Source]:
    """What a chapter takes over from the source notebooks."""
    return import_module(f"chapters.chA3.sources.ch{chapter}").SOURCES


def traps(chapter: str) -> list[Trap]:
    """The bugs that a learner meets first in a chapter; "A3" has those that are met here alone."""
    met = {id: place[0][0][:2] for id, place in places().items()}
    return [trap for trap in TRAPS if met.get(trap.id, "A3") == chapter]


class Figure(NamedTuple):
    """A row that has been computed: our figure, and how it compares with the source's."""

    row: Source
    ours: str
    verdict: str
    why: str


def compare(row: Source, text_name: str) -> Figure:
    """Compute our figure from a text, and compare it with the source's."""
    ours = written(row.ours(load_corpus(text_name)))
    why = "; ".join(filter(None, (row.why_not, row.note)))
    if not row.figure:
        return Figure(row, ours, RUNS, why or "nothing was printed to compare with")
    if row.corpus not in ("", text_name):
        return Figure(row, ours, OTHER_TEXT, why or f"equal on {row.corpus}")
    return Figure(row, ours, EQUAL if shown(row.figure, ours) else UNEQUAL, why)


@cache
def figures(chapter: str, text_name: str) -> list[Figure]:
    """All figures of a chapter."""
    if text_name not in TEXTS:
        raise ValueError(
            f"text_name: expected {' or '.join(TEXTS)}, got {text_name!r}; the sources' figures belong "
            "to tiny Shakespeare, and the play has the same alphabet"
        )
    return [compare(row, text_name) for row in sources(chapter)]


def verdicts(text_name: str) -> str:
    """How many figures there are of each verdict, a line each."""
    found = [figure for chapter in CHAPTERS for figure in figures(chapter, text_name)]
    counts = Counter(figure.verdict for figure in found)
    ids = {figure.row.id for figure in found}
    lines = [f"{len(ids)} things shown, {len(found)} figures; {len(TRAPS)} bugs and traps"]
    lines += [f"{counts[name]:>3} {name}" for name in (EQUAL, RUNS, OTHER_TEXT, UNEQUAL)]
    return "\n".join(lines)


@dataclass(frozen=True)
class Table:
    """What one chapter takes over, with every figure computed, and the bugs that it is there for."""

    chapter: str
    text_name: str
    trained: bool

    def __repr__(self) -> str:
        lines = [f"{f.row.id:<6}{f.verdict}: {f.row.shows}" for f in self._figures()]
        return "\n".join([*lines, *(f"{trap.id:<6}{trap.wrong}" for trap in self._traps())])

    def _figures(self) -> list[Figure]:
        found = figures(self.chapter, self.text_name) if self.chapter in CHAPTERS else []
        return [figure for figure in found if figure.row.trained == self.trained]

    def _traps(self) -> list[Trap]:
        return [] if self.trained else traps(self.chapter)

    def _repr_html_(self) -> str:
        rows = [
            (f.row.id, prose(f.row.shows), pre(f.row.figure), pre(f.ours), verdict(f), self._links(f.row.id))
            for f in self._figures()
        ]  # fmt: skip
        bugs = [
            (t.id, prose(t.wrong), prose(t.right), pre(self._measured(t)), self._links(t.id))
            for t in self._traps()
        ]
        both = {"sources": rows, "traps": bugs}
        return "".join(
            table(HEADS[kind], each, [f"{kind}-{n}-{id}" for n, (id, *_) in enumerate(each)])
            for kind, each in both.items()
            if each
        )

    def _measured(self, trap: Trap) -> str:
        if not trap.ours:
            return ""
        if trap.corpus not in ("", self.text_name):
            return f"on {trap.corpus}: {trap.figure}"
        return written(trap.ours(load_corpus(self.text_name)))

    def _links(self, id: str) -> str:
        return "<br>".join(links(id)) or "here"


def links(id: str) -> Iterator[str]:
    """A link to each heading under which an id is taught."""
    for notebook, heading in places().get(id, []):
        target = f"{notebook}#{heading.replace(' ', '-')}"
        words = f"{notebook[:2]}: {heading.removeprefix('Deeper: ')}".replace("`", "")
        yield f'<a href="{html.escape(target)}">{html.escape(words)}</a>'


def verdict(figure: Figure) -> str:
    """Whether a figure is equal, and the reason if it is not."""
    return folded(figure.verdict, f"<p>{prose(figure.why)}</p>") if figure.why else figure.verdict


def pre(text: str) -> str:
    """A figure as it was printed; a long one opens from how it begins."""
    body = f"<pre>{html.escape(text, quote=False)}</pre>"
    short = " ".join(text.split())
    if len(short) <= LONG:
        return f"<code>{html.escape(short, quote=False)}</code>" if short else ""
    count = len(numbers(text))
    says = f"{count} numbers: " if count > 3 else ""
    return folded(f"{says}<code>{html.escape(short[:24], quote=False)} …</code>", body)


def concordance(chapter: str, text_name: str = "play", trained: bool = False) -> Table:
    """The table of a chapter, such as "04"; "A3" has the bugs that are met in no chapter.

    With `trained` it has what trained models wrote, and nothing else: that differs between machines.
    """
    if chapter not in (*CHAPTERS, "A3"):
        raise ValueError(
            f"chapter: expected one of {', '.join(CHAPTERS)} or A3, got {chapter!r}; the later "
            "chapters take nothing over from the sources"
        )
    return Table(chapter, text_name, trained)
