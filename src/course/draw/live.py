"""A live explorer computes in the reader's browser: a JavaScript module, and a state that it draws.

The module is in the folder of the chapter that first shows it. It draws the state and changes it; in
JupyterLab, the kernel has it too. The book and the decks run the same file with a stand-in for the widget's model
(publish/assets/standin.js). Chromium imports no modules into a page that is opened from a disk, so the file
is a plain script that adds itself to `courseLive`; only the widget's copy ends with an export. Without
scripts, the still picture stays.
"""

import json
from collections.abc import Iterable
from typing import Any

import anywidget
import traitlets

from course.colours import COLOURS, DARK
from course.draw.parts import all_modules, fingerprint, parts
from course.draw.picture import Picture

LIGHT_ROLES, DARK_ROLES = (
    "".join(f"--{role}: {colour};" for role, colour in colours.items())
    for colours in (COLOURS, DARK)
)
ROLES = (
    f".course-live {{{LIGHT_ROLES}}}\n[data-jp-theme-light=false] .course-live {{{DARK_ROLES}}}"
)


class Live(anywidget.AnyWidget):
    """The explorer that `module`.js draws; it shows `state`, which the kernel and the page share.

    If it computes with a trained model, `weights` holds the bytes of the checkpoint. A kernel sends
    them once; a page of the book or a deck finds them by their fingerprint.
    """

    state = traitlets.Dict().tag(sync=True)
    weights = traitlets.Bytes().tag(sync=True)

    def __init__(self, module: str, still: Picture, weights: bytes = b"", **state: Any):
        self.module, self.still = module, still
        self._css = "\n".join(
            [ROLES, *_texts(".css", all_modules())]
        )  # JupyterLab keeps one for all
        self._esm = "\n".join([*_texts(".js", [module]), f"export default courseLive.{module};"])
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


def _texts(kind: str, modules: Iterable[str]) -> list[str]:
    """The texts of the scripts or styles that explorers need, in the order in which they can load."""
    return [file.read_text(encoding="utf-8") for file in parts(modules) if file.suffix == kind]
