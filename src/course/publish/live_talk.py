"""Make notebooks for a live talk, in which jupyterlab-slideshow shows the slides of talk.md.

Such a notebook has all cells of its chapter in their order, so that it runs, and its slides follow this
order too. Cells on no slide run unseen. A slide shows its cells completely. What waits for a press is on a
subslide below the slide: the down key shows it, and the right key skips it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nbformat.v4 import new_markdown_cell

from course import notebooks
from course.outline import COLLAPSED
from course.publish.talk_plan import Planned, plan_of, read_plan

if TYPE_CHECKING:
    from nbformat import NotebookNode

OUTPUTS = ("output", "figure", "table", "bars", "strip", "quiz")
# Styles for jupyterlab-fonts, which is installed with jupyterlab-slideshow.
STYLES = json.loads((Path(__file__).parent / "deck" / "live.json").read_text(encoding="utf-8"))


def write(paths: Sequence[Path], out: Path) -> None:
    """Write a live notebook for each chapter; without a talk.md, it is the chapter unchanged."""
    out.mkdir(parents=True, exist_ok=True)
    for path in paths:
        notebook, plan = notebooks.read(path), plan_of(path)
        if plan:
            live(notebook, read_plan(plan))
        notebooks.write(notebook, out / path.name)
        print(f"{path.name}{'' if plan else ', the whole main line: it has no talk.md'}")


def live(notebook: NotebookNode, plan: Sequence[Planned]) -> None:
    """Add a plan's slides to a notebook; each slide begins above the first of the cells that it names."""
    order = [cell.id for cell in notebook.cells]
    begins = {id: [s for s in plan if min(s.cells, key=order.index) == id] for id in order}
    cells: list[NotebookNode] = []
    shows: dict[str, int] = {}  # of the current slide: how many presses come before each part
    texts: list[
        str
    ] = []  # of the current slide: what it says before the next press, and after each
    said, reached, tried = 0, 0, False

    def say(text: str, kind: str) -> None:
        metadata = {"slideshow": {"slide_type": kind}} if kind else {}
        cells.append(new_markdown_cell(text.strip(), id=f"talk-{len(cells)}", metadata=metadata))

    def at(press: int) -> str:
        """The kind of a cell that is shown after so many presses."""
        nonlocal reached
        waits, reached = press > reached, max(press, reached)
        return "subslide" if waits else ""

    def say_before(press: int) -> None:
        nonlocal said
        for n in range(said, press):
            if texts[n]:
                say(texts[n], at(n))
        said = max(said, press)

    for cell in notebook.cells:
        for slide in begins[cell.id]:
            say_before(len(texts))
            shows, texts = _parts(slide)
            said, reached = 1, 0
            say(f"{slide.heading}\n\n{texts[0]}", "slide")
        source = {f"code {cell.id}", f"exercise {cell.id}"} & shows.keys()
        shown = source | {f"{kind} {cell.id}" for kind in OUTPUTS} & shows.keys()
        cell.metadata.pop(COLLAPSED, None)
        cell.metadata["slideshow"] = {"slide_type": "skip"}
        if shown or tried:
            press = max((shows[part] for part in shown), default=0)
            say_before(press)
            kind = at(press)
            cell.metadata["slideshow"] = {"slide_type": kind} if kind else {}
            cell.metadata["jupyter"] = {"source_hidden": not source}
        tried = f"exercise {cell.id}" in shows  # its check comes next
        cells.append(cell)
    say_before(len(texts))
    notebook.cells = cells
    notebook.metadata["@deathbeds/jupyterlab-fonts"] = {"styles": STYLES}


def _parts(slide: Planned) -> tuple[dict[str, int], list[str]]:
    """Return how many presses come before each part of a cell, and the texts between presses."""
    shows, texts = {}, [""]
    for step in slide.steps:
        if step == ["press"]:
            texts.append("")
        elif isinstance(step, list):
            shows[step[0]] = len(texts) - 1
        else:
            texts[-1] = f"{texts[-1]}\n\n{step}".strip()
    return shows, texts
