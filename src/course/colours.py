"""The colours in colours.css by role, so that figures have the same colours as the book and the decks.

DARK has the colours that the dark themes change.
"""

import re
from pathlib import Path

CSS = Path(__file__).with_suffix(".css")
ROLE = re.compile(r"--([\w-]+): (#\w{6});")
_FIRST, *_THEMES = CSS.read_text(encoding="utf-8").split("}")
COLOURS = dict(ROLE.findall(_FIRST))
DARK = dict(ROLE.findall(next(block for block in _THEMES if ".coal, .navy" in block)))
