"""A live explorer computes where its reader is: a JavaScript module, and a state for it.

The module draws the state and changes it; in JupyterLab the kernel has the state too. The book and
the decks run the same file on a stand-in for the model (publish/assets/standin.js), from a disk, where
Chromium imports no module: so the file is a plain script that enters itself in `courseLive`, and
only a widget's copy of it ends with an export. Where nothing runs the still picture stays.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from course.colours import COLOURS, DARK
from course.draw.picture import Picture

HERE = Path(__file__).parent
LIGHT_ROLES, DARK_ROLES = (
    "".join(f"--{role}: {colour};" for role, colour in colours.items())
    for colours in (COLOURS, DARK)
)


class Live(anywidget.AnyWidget):
    """The explorer that `module`.js draws; what it shows is `state`, here and in the page.

    One that computes with a trained model gets the file of its `weights`. A kernel sends it once; a
    page of the book or a deck has it beside itself, by a name that says which file it is.
    """

    state = traitlets.Dict().tag(sync=True)
    weights = traitlets.Bytes().tag(sync=True)

    _css = (
        f".course-live {{{LIGHT_ROLES}}}\n"
        f"[data-jp-theme-light=false] .course-live {{{DARK_ROLES}}}\n"
    ) + (HERE / "live.css").read_text(encoding="utf-8")

    def __init__(self, module: str, still: Picture, weights: bytes = b"", **state: Any):
        self.module, self.still = module, still
        shared = ("gpt", "tiles") if weights else ("plane",)
        names = ("live", *shared, module)
        scripts = [(HERE / f"{name}.js").read_text(encoding="utf-8") for name in names]
        self._esm = "\n".join([*scripts, f"export default courseLive.{module};"])
        super().__init__(state=state, weights=weights)

    def __repr__(self) -> str:
        return f"[explorer: {self.module}] {self.still.sentence}"

    def _repr_mimebundle_(self, **kwargs) -> tuple[dict, dict]:
        bundle, metadata = super()._repr_mimebundle_(**kwargs)
        data = json.dumps({"module": self.module, "state": self.state}, ensure_ascii=False)
        script = data.replace("<", "\\u003c")
        named = f' data-weights="{fingerprint(self.weights)}"' if self.weights else ""
        bundle["text/html"] = (
            f'{self.still._repr_html_()}<script type="application/json" class="course-live"{named}>'
            f"{script}</script>"
        )
        return bundle, metadata


def fingerprint(weights: bytes) -> str:
    """The name of a file by what is in it; another file has another."""
    return hashlib.sha256(weights).hexdigest()[:16]
