"""Where the addresses on a page lead: one check for book and decks, of Markdown, HTML and outputs.

A page shows and links to other pages and to files in notebooks/; links may also lead elsewhere.
"""

import html
import os
import posixpath
import re
import shutil
from collections.abc import Callable, Container
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote, unquote

from course.errors import CourseError
from course.publish.page import Cell, Page, anchor, output_html, render

GOES = {("a", "href"), ("a", "xlink:href"), ("area", "href"), ("form", "action")}
ADDRESSES = {"src", "href", "xlink:href", "poster", "background", "data", "action"}
CSS = re.compile(r"""(url\(\s*["']?|@import\s+["'])([^"')]+)""", re.IGNORECASE)
SRCSET = re.compile(r"((?:^|,)\s*)(\S*[^\s,])")
ANY = re.compile(rf"{'|'.join(ADDRESSES)}|{CSS.pattern}", re.IGNORECASE)
PAGES = {".ipynb", ".md"}


class Markup(HTMLParser):
    """HTML in which `resolve(address, loads)` replaces each address; all else stays as it was."""

    def __init__(self, text: str, resolve: Callable[[str, bool], str]) -> None:
        super().__init__()
        self.resolve = resolve
        self.ids: set[str | None] = set()
        self.parts: list[str] = []
        self.done = 0  # what of the text is in the parts
        self.whole = text
        self.lines = [0, *(match.end() for match in re.finditer("\n", text))]
        self.feed(text)
        self.close()
        self.text = "".join([*self.parts, text[self.done :]])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids |= {value for name, value in attrs if name == "id"}
        found = [(name, self._address(tag, name, value)) for name, value in attrs]
        if found != attrs:
            old = self.get_starttag_text()
            named = [n if v is None else f'{n}="{html.escape(v)}"' for n, v in found]
            self._replace(old, f"<{' '.join([tag, *named])}{'/>' if old.endswith('/>') else '>'}")

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "style" and (css := self._each(CSS, data)) != data:
            self._replace(data, css)

    def _address(self, tag: str, name: str, value: str | None) -> str | None:
        if value is None:
            return None
        if name == "srcdoc":
            return Markup(value, self.resolve).text
        if name in ("style", "srcset"):
            return self._each(CSS if name == "style" else SRCSET, value)
        if name in ADDRESSES:
            return self.resolve(value, (tag, name) not in GOES)
        return value

    def _each(self, pattern: re.Pattern[str], value: str) -> str:
        return pattern.sub(lambda match: match[1] + self.resolve(match[2], True), value)

    def _replace(self, old: str, new: str) -> None:
        """Put `new` for what begins where the parser stands."""
        line, column = self.getpos()
        start = self.lines[line - 1] + column
        self.parts += [self.whole[self.done : start], new]
        self.done = start + len(old)


@dataclass
class Site:
    """Pages that are published together, and the files that they show or link to."""

    src: Path  # notebooks/
    find: Callable[[str], Page | None]  # a page by its path in src
    listed: Container[str]  # what SUMMARY.md names
    address: Callable[[Page, str, Page | None], str]  # of a target in src, as seen from a page
    files: set[str] = field(default_factory=set)
    ids: dict[str, set[str | None]] = field(default_factory=dict)  # in the HTML of a page

    def linked(self, text: str, page: Page, cell: Cell) -> str:
        """The HTML of a cell with addresses of what is published; CourseError for any other."""
        if not ANY.search(text):  # as most: parsing takes its time
            return text
        return Markup(text, lambda url, loads: self._resolve(url, loads, page, cell)).text

    def copy(self, folder: Path) -> None:
        """Put the files that were found on the pages into a folder."""
        for name in self.files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            if not (folder / name).exists():
                shutil.copyfile(self.src / name, folder / name)

    def _resolve(self, url: str, loads: bool, page: Page, cell: Cell) -> str:
        where, url = cell["where"], url.strip()
        if url.startswith("attachment:"):
            return _attached(unquote(url.removeprefix("attachment:")), cell)
        if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//", url):
            if loads and not url.startswith("data:"):
                raise CourseError(
                    f"{where}: {url} is loaded from elsewhere, but book and decks must work "
                    "offline: draw it in a cell, or put the file into notebooks/"
                )
            return url
        if loads and url.startswith("#"):  # a part of the same picture
            return url
        place, _, fragment = url.partition("#")
        place, fragment = unquote(place.partition("?")[0]), unquote(fragment)
        folder = posixpath.dirname(page.path)
        target = posixpath.normpath(posixpath.join(folder, place)) if place else page.path
        other = None if loads else page if target == page.path else self.find(target)
        nowhere = f"{where}: the link to {unquote(url)!r} leads nowhere: "
        if not other:
            self._check(target, loads, nowhere)
            self.files.add(target)
        elif fragment:
            fragment = self._id(other, fragment, nowhere)
        new = quote(self.address(page, target, other)) if place else ""
        return f"{new}#{fragment}" if fragment else new

    def _id(self, page: Page, fragment: str, nowhere: str) -> str:
        """The id of a heading on a page, or of something in its HTML."""
        if (slug := anchor(fragment)) in page.ids:
            return slug
        if page.path not in self.ids:
            self.ids[page.path] = Markup(_shown(page), lambda url, _: url).ids
        if fragment not in self.ids[page.path]:
            known = ", ".join(sorted(page.ids))
            raise CourseError(f"{nowhere}{page.path} has no such heading; its headings: {known}")
        return fragment

    def _check(self, target: str, loads: bool, nowhere: str) -> None:
        file = self.src / target
        no_file = file.suffix in PAGES and (loads or target not in self.listed)
        if no_file or not os.path.isfile(file):
            raise CourseError(
                f"{nowhere}expected a page of SUMMARY.md or a file in notebooks/; correct it"
            )
        if not file.resolve().is_relative_to(self.src.resolve()):
            raise CourseError(
                f"{nowhere}it lies outside of notebooks/, or a symlink there does; put the file "
                "itself there"
            )


def _shown(page: Page) -> str:
    """The HTML of all cells of a page."""
    return "".join(
        render(cell["tokens"]) if "tokens" in cell else "".join(map(output_html, cell["outputs"]))
        for cell in page.cells
    )


def _attached(name: str, cell: Cell) -> str:
    """The image that was pasted into a cell, as an address that holds it."""
    known = cell["attachments"]
    for kind, body in known.get(name, {}).items():
        return f"data:{kind};base64,{''.join(body)}"
    raise CourseError(
        f"{cell['where']}: the image {name!r} was pasted, but is not among the attachments of its "
        f"cell ({', '.join(known) or 'none'}): paste it again"
    )
