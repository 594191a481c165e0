"""`course slides`: a reveal.js deck for the talk of each chapter, and its PDF.

Python decides what is on a slide. `deck/deck.js` makes it fit in the browser, which knows the fonts.
reveal.js comes from the package sphinx-revealjs, which contains it unchanged.
"""

from __future__ import annotations

import functools
import glob
import html
import importlib.util
import shutil
import string
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from course import notebooks
from course.colours import CSS
from course.errors import CourseError
from course.files import atomic_folder
from course.learn.html import prose
from course.publish import explorers
from course.publish.here import here
from course.publish.links import Site
from course.publish.page import Page
from course.publish.pdf import chromium, print_to_pdf
from course.publish.talk import talk
from course.publish.talk_plan import Slide, plan_of

DECK = Path(__file__).parent / "deck"
SHARED = Path(__file__).parent / "assets"  # shared with the book: the font of the formulas, frames
REVEAL = (  # the files of reveal.js that a deck needs
    "LICENSE", "dist/reset.css", "dist/reveal.css", "dist/reveal.js", "dist/theme/white.css",
    "dist/theme/fonts/source-sans-pro", "plugin/notes/notes.js",
)  # fmt: skip
BOTH = (
    "math.css",
    "OFL.txt",
    "frames.js",
    "pictures.js",
    "standin.js",
)  # files that the decks share with the book


# ---------------------------------------------------------------- from slides to files


def deck(notebook: Page, site: Site, plan: Path) -> str:
    """Return the HTML of a deck: the talk about a notebook that the file `plan` describes."""
    notebook.check_outputs()
    slides = talk(plan, notebook, site)
    ends = slides[0], slides[-1]  # these two show where the talk is in the course
    shown = "\n".join(_section(slide, notebook, site, slide in ends) for slide in slides)
    template = string.Template((DECK / "deck.html").read_text(encoding="utf-8"))
    title = html.escape(notebook.title or notebook.path, quote=False)
    return template.substitute(title=title, slides=shown, explorers=explorers.tags(shown))


def _section(slide: Slide, notebook: Page, site: Site, where: bool) -> str:
    lines = [f'<section><section class="page {slide.kind}" data-cell="{html.escape(slide.cell)}">']
    if slide.kind == "title":
        number = html.escape(PurePosixPath(notebook.path).name[:2])
        lines.append(f'<p class="head">Self-attention · chapter {number}</p>')
    for number, body in enumerate(slide.blocks):
        lines.append(f'<div class="block{" fragment" * (number > 0)}">{body}</div>')
    if where:
        lines.append(site.linked(here(notebook.path, site.listed), notebook, notebook.cells[0]))
    lines.append(f'<aside class="notes">{"".join(slide.notes)}</aside>')
    return "\n".join([*lines, "</section></section>"])


def build(root: Path, paths: Sequence[Path], out: Path, pdf: bool = False) -> int:
    """Write the decks of these notebooks into `out`, and return 0; an error leaves `out` unchanged.

    Decks of other notebooks are kept. Raises CourseError for a notebook without a talk, unless all are built.
    """
    course = _Course(root)
    without = [path.stem for path in paths if path not in course.plans]
    if not course.plans or (without and len(paths) < len(notebooks.chapters(root))):
        raise CourseError(
            f"expected a talk.md for {', '.join(without)} among the chapters, found none: write it, or "
            "name a chapter that has one"
        )
    browser = chromium() if pdf else ""
    with atomic_folder(out) as made:
        _copy_what_decks_share(made)
        for path in course.plans:
            if path in paths:
                course.write(path, made)
            else:
                _keep(path.stem, out, made)
        for page in made.glob("*.html"):
            explorers.write(page.read_text(encoding="utf-8"), made)
        if pdf:
            print_to_pdf(browser, made, [path.stem for path in course.plans if path in paths])
        _index(made, {path.stem: title for path, title in course.titles.items()})
    print(f"open {out / 'index.html'}")
    return 0


class _Course:
    """The notebooks of a course, some of which have a talk."""

    def __init__(self, root: Path) -> None:
        self.src, self.titles = root / "notebooks", notebooks.pages(root)
        self.plans = {path: plan for path in notebooks.chapters(root) if (plan := plan_of(path))}
        self.names = {path.relative_to(self.src).as_posix(): path for path in self.titles}
        self.find = functools.cache(self.page)

    def page(self, name: str) -> Page | None:
        path = self.names.get(name)
        is_notebook = path and path.suffix == ".ipynb"
        return Page(name, notebooks.read_text(path)) if is_notebook else None

    def address(self, here: Page, target: str, other: Page | None) -> str | None:
        """Return the address of another deck (None if there is none), or of a file in this deck's folder."""
        if other:
            return f"{Path(target).stem}.html" if self.names[target] in self.plans else None
        return f"{Path(here.path).stem}.files/{target}"

    def write(self, path: Path, folder: Path) -> None:
        """Write the deck of a notebook, and the files that it shows."""
        site = Site(self.src, self.find, self.names, self.address)
        text = deck(self.find(path.relative_to(self.src).as_posix()), site, self.plans[path])
        (folder / f"{path.stem}.html").write_text(text, encoding="utf-8")
        site.copy(folder / f"{path.stem}.files")
        print(f"{path.stem}.html")


def _keep(stem: str, out: Path, folder: Path) -> None:
    """Copy the deck of a notebook from an earlier build."""
    for kept in out.glob(f"{glob.escape(stem)}.*"):
        (shutil.copytree if kept.is_dir() else shutil.copy2)(kept, folder / kept.name)


def _copy_what_decks_share(folder: Path) -> None:
    reveal = _reveal()
    for file in REVEAL:
        (folder / "reveal" / file).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (reveal / file).is_dir() else shutil.copyfile
        copy(reveal / file, folder / "reveal" / file)
    shared = [SHARED / name for name in BOTH]
    for file in (CSS, *DECK.glob("deck.*s"), *shared):
        shutil.copyfile(file, folder / file.name)


def _index(folder: Path, titles: dict[str, str]) -> None:
    lines = []
    for stem, title in titles.items():
        if (folder / f"{stem}.html").is_file():
            pdf = f' (<a href="{stem}.pdf">PDF</a>)' if (folder / f"{stem}.pdf").is_file() else ""
            lines.append(f'<li><a href="{stem}.html">{prose(title)}</a>{pdf}</li>')
    template = string.Template((DECK / "index.html").read_text(encoding="utf-8"))
    text = template.substitute(decks="\n".join(lines))
    (folder / "index.html").write_text(text, encoding="utf-8")


def _reveal() -> Path:
    """Return the folder of reveal.js, without importing its package. Raises CourseError if it is missing."""
    found = importlib.util.find_spec("sphinx_revealjs")
    folder = Path(found.origin).parent / "_static" / "revealjs" if found and found.origin else None
    if not folder or not (folder / "dist" / "reveal.js").is_file():
        raise CourseError(
            "expected reveal.js 5 in the package sphinx-revealjs, found none: "
            "install it with `python install.py --book`"
        )
    return folder
