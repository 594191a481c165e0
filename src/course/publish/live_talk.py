"""Make notebooks for a live talk, in which jupyterlab-slideshow shows the slides of talk.md.

Such a notebook has all cells of its chapter in their order, so that it runs, and its slides follow this
order too. Cells on no slide run unseen. A slide shows its cells completely. If they wait for a press, they
are on a subslide below the slide: the down key shows it, and the right key skips it.
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
    steps: set[str] = set()  # of the current slide
    waits, answer, tried = "", "", False

    def say(text: str, kind: str) -> None:
        metadata = {"slideshow": {"slide_type": kind}} if kind else {}
        cells.append(new_markdown_cell(text.strip(), id=f"talk-{len(cells)}", metadata=metadata))

    for cell in notebook.cells:
        for slide in begins[cell.id]:
            if answer:
                say(answer, waits)
            asked, answer = _words(slide)
            say(f"{slide.heading}\n\n{asked}", "slide")
            steps = {step[0] for step in slide.steps if isinstance(step, list)}
            waits = "subslide" if "press" in steps else ""
        source = {f"code {cell.id}", f"exercise {cell.id}"} & steps
        shown = source or {f"{kind} {cell.id}" for kind in OUTPUTS} & steps or tried
        tried = f"exercise {cell.id}" in steps  # its check comes next
        cell.metadata.pop(COLLAPSED, None)
        cell.metadata["slideshow"] = {"slide_type": "skip"}
        if shown:
            cell.metadata["slideshow"] = {"slide_type": waits} if waits else {}
            cell.metadata["jupyter"] = {"source_hidden": not source}
            waits = ""  # the rest of the slide appears with it
        cells.append(cell)
    if answer:
        say(answer, waits)
    notebook.cells = cells
    notebook.metadata["@deathbeds/jupyterlab-fonts"] = {"styles": STYLES}


def _words(slide: Planned) -> tuple[str, str]:
    """Return the text that a slide shows at once, and the text that it shows after a press."""
    press = next((n for n, step in enumerate(slide.steps) if step == ["press"]), len(slide.steps))
    parts = slide.steps[:press], slide.steps[press:]
    asked, answer = ("\n\n".join(s for s in part if isinstance(s, str)) for part in parts)
    return asked, answer
