"""The colours of colours.css by their roles: the figures draw with what book and decks link."""

import re
from pathlib import Path

CSS = Path(__file__).with_suffix(".css")
_ROLES = CSS.read_text(encoding="utf-8").partition("}")[
    0
]  # its first block; the others are themes
COLOURS = dict(re.findall(r"--([\w-]+): (#\w{6});", _ROLES))
