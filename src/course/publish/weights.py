"""The checkpoints that live explorers compute with, as scripts: from a disk no page reads another file.

A page names what it needs by a fingerprint (course.draw.live). Only the checkpoints that come with the
course are published; an explorer of any other keeps its still picture.
"""

import gzip
import hashlib
import re
from base64 import b64encode
from pathlib import Path

from course import content

NEEDED = re.compile(r'<script [^>]*class="course-live" data-weights="([0-9a-f]{16})"')


def tags(page: str, up: str = "") -> str:
    """What loads the weights that the explorers of a page need; `up` leads from it to their folder."""
    return "".join(f'<script src="{up}{name}.js"></script>\n' for name in scripts(page))


def inline(page: str) -> str:
    """The same for a page that has no folder: its weights are in it."""
    return "".join(f"<script>{script}</script>\n" for script in scripts(page).values())


def write(page: str, folder: Path) -> None:
    """Put the weights that a page needs into a folder."""
    for name, script in scripts(page).items():
        (folder / f"{name}.js").write_text(script, encoding="ascii")


def scripts(page: str) -> dict[str, str]:
    """The scripts with the weights that a page needs, by their fingerprints."""
    needed = set(NEEDED.findall(page))
    if not needed:
        return {}
    files = (path.read_bytes() for path in content.weights())
    found = {hashlib.sha256(body).hexdigest()[:16]: body for body in files}
    return {
        name: f'(globalThis.courseWeights ??= {{}})["{name}"] = "{packed(body)}";'
        for name, body in found.items()
        if name in needed
    }


def packed(body: bytes) -> str:
    """A file as text. The two bytes of 16-bit floats lie apart, because that zips better."""
    return b64encode(gzip.compress(body[::2] + body[1::2], mtime=0)).decode("ascii")
