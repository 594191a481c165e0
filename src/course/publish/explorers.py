"""Publish what live explorers need: their scripts and styles, and the checkpoints that they compute with.

A checkpoint becomes a script, since a page on a disk can't read other files. A page names it by its
fingerprint (course.draw.parts). Only checkpoints that come with the course are published; an explorer with
another checkpoint only shows its still picture.
"""

import gzip
import re
from base64 import b64encode
from pathlib import Path

from course import content
from course.draw.parts import fingerprint, parts

MODULE = re.compile(r'<script [^>]*class="course-live"[^>]*>\{"module": "(\w+)"')
NEEDED = re.compile(r'<script [^>]*class="course-live" data-weights="([0-9a-f]{16})"')


def tags(page: str, up: str = "") -> str:
    """Return the tags that load what a page needs; `up` leads from the page to the folder with the files."""
    lines = []
    for name, text in files(page).items():
        address = f"{up}{name}?{fingerprint(text.encode())[:8]}"  # a changed file isn't taken from a cache
        style, script = (
            f'<link rel="stylesheet" href="{address}">',
            f'<script src="{address}"></script>',
        )
        lines.append(style if name.endswith(".css") else script)
    return "".join(f"{line}\n" for line in lines)


def inline(page: str) -> str:
    """Return tags that contain what a page needs, for a page that has no folder for the files."""
    kinds = {name: "style" if name.endswith(".css") else "script" for name in files(page)}
    return "".join(
        f"<{kinds[name]}>{text}</{kinds[name]}>\n" for name, text in files(page).items()
    )


def write(page: str, folder: Path) -> None:
    """Write the files that a page needs into a folder."""
    for name, text in files(page).items():
        (folder / name).write_text(text, encoding="utf-8")


def files(page: str) -> dict[str, str]:
    """Return the files that the explorers of a page need, {name: text}, in the order in which they can load."""
    found = {path.name: path.read_text(encoding="utf-8") for path in parts(MODULE.findall(page))}
    needed = set(NEEDED.findall(page))
    for path in content.weights() if needed else ():
        body = path.read_bytes()
        if (name := fingerprint(body)) in needed:
            found[f"{name}.js"] = (
                f'(globalThis.courseWeights ??= {{}})["{name}"] = "{packed(body)}";'
            )
    return found


def packed(body: bytes) -> str:
    """Compress a file to text. The two bytes of each 16-bit float are separated, which compresses better."""
    return b64encode(gzip.compress(body[::2] + body[1::2], mtime=0)).decode("ascii")
