"""Publish the checkpoints of live explorers as scripts, since a page on a disk can't read other files.

A page names a checkpoint by its fingerprint (course.draw.live). Only checkpoints that come with the course
are published; an explorer with another checkpoint only shows its still picture.
"""

import gzip
import hashlib
import re
from base64 import b64encode
from pathlib import Path

from course import content

NEEDED = re.compile(r'<script [^>]*class="course-live" data-weights="([0-9a-f]{16})"')


def tags(page: str, up: str = "") -> str:
    """Return script tags that load the weights for a page; `up` leads from the page to their folder."""
    return "".join(f'<script src="{up}{name}.js"></script>\n' for name in scripts(page))


def inline(page: str) -> str:
    """Return script tags that contain the weights, for a page that has no folder for them."""
    return "".join(f"<script>{script}</script>\n" for script in scripts(page).values())


def write(page: str, folder: Path) -> None:
    """Write the scripts with the weights that a page needs into a folder."""
    for name, script in scripts(page).items():
        (folder / f"{name}.js").write_text(script, encoding="ascii")


def scripts(page: str) -> dict[str, str]:
    """Return the scripts with the weights that a page needs, {fingerprint: script}."""
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
    """Compress a file to text. The two bytes of each 16-bit float are separated, which compresses better."""
    return b64encode(gzip.compress(body[::2] + body[1::2], mtime=0)).decode("ascii")
