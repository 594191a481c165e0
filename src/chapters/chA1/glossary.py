"""The glossary as tables, each word with a link to where it is taught, and each chapter with its words."""

import html
from collections.abc import Iterator
from dataclasses import dataclass

from chapters.chA1.words import NOTEBOOKS, PARTS, WORDS, Word
from course.learn.html import prose, table

HEADS = ("our word", "what it means", "in papers", "in PyTorch", "in the sources", "taught in")


@dataclass(frozen=True)
class Table:
    """Rows of HTML below heads, the first cell of each a heading of its row."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: str

    def __repr__(self) -> str:
        return self.words

    def _repr_html_(self) -> str:
        return table(self.heads, self.rows)


def address(notebook: str, heading: str) -> str:
    """Where a heading of a notebook stands, as a link says it."""
    return html.escape(f"{notebook}#{heading.replace(' ', '-')}")


def glossary(part: str) -> Table:
    """The words of one part."""
    if part not in PARTS:
        raise ValueError(f"part: expected one of {', '.join(PARTS)}, got {part!r}")
    rows = tuple(
        (
            f'<span id="{anchor(word)}">{prose(word.ours)}</span>',
            *map(prose, (word.means, word.papers, word.torch, word.sources)),
            link(word),
        )
        for word in PARTS[part]
    )
    return Table(HEADS, rows, "\n".join(f"{word.ours}: {word.means}" for word in PARTS[part]))


def anchor(word: Word) -> str:
    """The id of a word on the page."""
    return f"word-{word.chapter}-{word.ours.replace(' ', '-').lower()}"


def link(word: Word) -> str:
    """A link to the heading under which a word is taught."""
    says = f"{word.chapter}: {word.heading.removeprefix('Deeper: ')}"
    return f'<a href="{address(NOTEBOOKS[word.chapter], word.heading)}">{html.escape(says)}</a>'


def by_chapter() -> Table:
    """Each chapter with its words, each a link to its row."""
    rows = []
    for chapter, notebook in NOTEBOOKS.items():
        links = [
            f'<a href="#{anchor(word)}">{html.escape(word.ours)}</a>'
            for word in sorted(WORDS)
            if word.chapter == chapter
        ]
        rows.append((f'<a href="{notebook}">{chapter}</a>', ", ".join(links)))
    lines = [f"{chapter}: {', '.join(_words_of(chapter))}" for chapter in NOTEBOOKS]
    return Table(("chapter", "its words"), tuple(rows), "\n".join(lines))


def _words_of(chapter: str) -> Iterator[str]:
    return (word.ours for word in sorted(WORDS) if word.chapter == chapter)
