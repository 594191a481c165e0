"""Check and rewrite the addresses on a page, in Markdown, HTML and outputs, for the book and the decks.

A page can show files in notebooks/, and link to them, to other pages and to addresses elsewhere.
"""

import os
import posixpath
import re
import shutil
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, unquote

from bs4 import BeautifulSoup, Tag

from course.errors import CourseError
from course.publish.page import Cell, Page, anchor, output_html, render

GOES = {("a", "href"), ("a", "xlink:href"), ("area", "href"), ("form", "action")}
ADDRESSES = {"src", "href", "xlink:href", "poster", "background", "data", "action"}
CSS = re.compile(r"""(url\(\s*["']?|@import\s+["'])([^"')]+)""", re.IGNORECASE)
SRCSET = re.compile(r"((?:^|,)\s*)(\S*[^\s,])")
ANY = re.compile(rf"(?:{'|'.join(ADDRESSES)}|srcset|srcdoc)\s*=|{CSS.pattern}", re.IGNORECASE)
PAGES = {".ipynb", ".md"}

Resolve = Callable[[str, bool], str | None]  # is given an address, and whether the page loads it


def parse(markup: str) -> BeautifulSoup:
    """Parse HTML into a tree. If an attribute is repeated, the first one counts, as in browsers."""
    return BeautifulSoup(
        markup, "html.parser", multi_valued_attributes=None, on_duplicate_attribute="ignore"
    )


def rewrite(markup: str, resolve: Resolve) -> str:
    """Replace each address in HTML by the one that `resolve` returns; if that is None, remove the link.

    HTML in which no address changes is returned unchanged, character for character.
    """
    soup, changed = parse(markup), False
    for tag in soup.find_all(True):
        for name, value in list(tag.attrs.items()):
            if (new := _attribute(tag, name, value, resolve)) != value:
                changed = True
                tag[name] = new
                if new is None:
                    del tag[name]
        if tag.name == "style" and tag.string:
            css = _each(CSS, tag.string, resolve)
            changed = changed or css != tag.string
            tag.string.replace_with(type(tag.string)(css))
    return soup.decode() if changed else markup


def _attribute(tag: Tag, name: str, value: str, resolve: Resolve) -> str | None:
    if name == "srcdoc":
        return rewrite(value, resolve)
    if name in ("style", "srcset"):
        return _each(CSS if name == "style" else SRCSET, value, resolve)
    return resolve(value, (tag.name, name) not in GOES) if name in ADDRESSES else value


def _each(pattern: re.Pattern[str], value: str, resolve: Resolve) -> str:
    return pattern.sub(lambda match: f"{match[1]}{resolve(match[2], True)}", value)


@dataclass
class Site:
    """Pages that are published together, and the files that they show or link to."""

    src: Path  # notebooks/
    find: Callable[[str], Page | None]  # finds a page by its path in src
    listed: Collection[str]  # the paths that SUMMARY.md lists
    address: Callable[[Page, str, Page | None], str | None]  # of a target in src, seen from a page
    files: set[str] = field(default_factory=set)
    ids: dict[str, set[str]] = field(default_factory=dict)  # the ids in the HTML of each page

    def linked(self, text: str, page: Page, cell: Cell) -> str:
        """Return a cell's HTML with published addresses. Raises CourseError if an address is wrong."""
        if not ANY.search(text):  # true for most, and parsing is slow
            return text
        return rewrite(text, lambda url, loads: self._resolve(url, loads, page, cell))

    def copy(self, folder: Path) -> None:
        """Copy the files that the pages show or link to into a folder."""
        for name in self.files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            if not (folder / name).exists():
                shutil.copyfile(self.src / name, folder / name)

    def _resolve(self, url: str, loads: bool, page: Page, cell: Cell) -> str | None:
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
        nowhere = f"{where}: the link to {unquote(url)!r} leads nowhere: "
        return self._published(url, loads, page, nowhere)

    def _published(self, url: str, loads: bool, page: Page, nowhere: str) -> str | None:
        """Return the published address of a page or file in notebooks/, or None if it isn't published."""
        place, _, fragment = url.partition("#")
        place, fragment = unquote(place.partition("?")[0]), unquote(fragment)
        target = posixpath.join(posixpath.dirname(page.path), place) if place else page.path
        target = posixpath.normpath(target)
        other = None if loads else page if target == page.path else self.find(target)
        if not other:
            self._check(target, loads, nowhere)
            self.files.add(target)
        elif fragment:
            fragment = self._id(other, fragment, nowhere)
        new = self.address(page, target, other) if place else ""
        if new is None:
            return None
        return f"{quote(new)}#{fragment}" if fragment else quote(new)

    def _id(self, page: Page, fragment: str, nowhere: str) -> str:
        """Return the id of a heading or another element of a page. Raises CourseError if it is missing."""
        if (slug := anchor(fragment)) in page.ids:
            return slug
        if page.path not in self.ids:
            found = parse(_shown(page)).find_all(id=True)
            self.ids[page.path] = {tag["id"] for tag in found}
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
                f"{nowhere}it, or the file that a symlink leads to, is outside of notebooks/; put the file "
                "itself there"
            )


def _shown(page: Page) -> str:
    """Return the HTML of all cells of a page, without code."""
    return "".join(
        render(cell["tokens"]) if "tokens" in cell else "".join(map(output_html, cell["outputs"]))
        for cell in page.cells
    )


def _attached(name: str, cell: Cell) -> str:
    """Return an image that was pasted into a cell as a data: address. Raises CourseError if it is missing."""
    known = cell["attachments"]
    for kind, body in known.get(name, {}).items():
        return f"data:{kind};base64,{''.join(body)}"
    raise CourseError(
        f"{cell['where']}: the image {name!r} was pasted, but is not among the attachments of its "
        f"cell ({', '.join(known) or 'none'}): paste it again"
    )
