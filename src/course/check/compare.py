"""Compare a stored output with a computed one: text exactly, numbers with tolerance.

A float passes within one unit of its last printed place or within `rtol` of the stored value;
integers, shapes and all text must be equal. A figure is SVG, so it is compared as text with numbers,
those that a reader sees and coordinates in tenths of a pixel. Only images are compared by pixels.
"""

import gzip
import re
import zlib
from base64 import b64decode
from dataclasses import dataclass
from decimal import Decimal
from io import BytesIO
from math import inf
from os.path import commonprefix

RTOL = 1e-3

# A number isn't part of a word: `float32`, `3x3`, `x1`, `0x7f`, `#a1b2c3` and `2.13.0` are text. A
# sign belongs to it unless something is subtracted (`7-5`, `f(x)-0.5`) or joined (`2024-01-02`).
NUMBER = re.compile(
    r"((?:(?<![\w.#)\]])[-+])?(?<![\w.#])"
    r"(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][-+]?[0-9]{1,3})?(?!\w|\.[0-9]))"
)
PNG = re.compile(r"iVBORw0KGgo[A-Za-z0-9+/]+={0,2}")  # how every PNG begins in base64
SVG = re.compile(r"data:image/svg\+xml;base64,([A-Za-z0-9+/]+={0,2})")
FRAMES = re.compile(r'(?<=class="course-frames">)[A-Za-z0-9+/]+={0,2}')  # of an explorer
# Whether torch and numpy break the line before these depends on the width of the numbers.
SUFFIX = re.compile(r",\s+(?=(?:grad_fn|dtype|device|requires_grad|size)=)")

SHADE = 2  # of 255: how far each channel of a pixel may be off
WIDTH = 72  # characters of an excerpt


@dataclass(frozen=True)
class Deviation:
    """A difference from the stored output, `excess` times what is allowed (inf: no tolerance)."""

    message: str
    excess: float = inf
    stored: str = ""  # the text around the place
    computed: str = ""


def compare_text(
    stored: str, computed: str, rtol: float = RTOL, atol: float = 0.0
) -> Deviation | None:
    """Return the largest deviation between two texts, or None if they agree.

    White space next to a number is ignored, since a minus sign moves a tensor's columns. An SVG in
    base64 and zipped frames are decoded and compared as text, a PNG as an image.

    >>> compare_text("tensor([ 0.1250, 2.])", "tensor([-0.1251, 2.])").message
    'line 1: largest deviation 0.2501 (stored 0.1250, computed -0.1251, allowed 0.000125)'
    >>> compare_text("tensor([0.0000, 0.1250])", "tensor([-0.0000,  0.1251])")
    """
    stored, computed = (
        SVG.sub(lambda found: b64decode(found[1]).decode("utf-8"), unzipped(text))
        for text in (stored, computed)
    )
    images = zip(PNG.findall(stored), PNG.findall(computed), strict=False)
    stored, computed = PNG.sub("(png)", stored), PNG.sub("(png)", computed)
    ours, theirs = NUMBER.split(stored), NUMBER.split(computed)  # text, number, text, …, text
    last = min(len(ours), len(theirs)) - 1
    for i in range(0, last + 1, 2):
        if _text(ours, i) != _text(theirs, i):
            return _text_deviation(ours, theirs, i)
    if len(ours) != len(theirs):
        return _text_deviation(ours, theirs, last)
    found = [_number_deviation(ours, theirs, i, rtol, atol) for i in range(1, last, 2)]
    found += [compare_image(*pair) for pair in images]
    return max(filter(None, found), key=lambda deviation: deviation.excess, default=None)


def unzipped(text: str) -> str:
    """Return an output with the frames of its explorer unzipped, as text."""
    return FRAMES.sub(_unzip, text)


def _unzip(found: re.Match[str]) -> str:
    try:
        return gzip.decompress(b64decode(found[0])).decode("utf-8")
    except (ValueError, OSError, EOFError, zlib.error):
        return found[0]  # damaged


def _text(parts: list[str], i: int) -> str:
    """The text at `i` without the white space that touches a number."""
    text = SUFFIX.sub(", ", parts[i])
    text = text.lstrip() if i > 0 else text
    return text.rstrip() if i < len(parts) - 1 else text


def _text_deviation(ours: list[str], theirs: list[str], i: int) -> Deviation:
    before, after = "".join(ours[:i]), "".join(theirs[:i])
    rest, other = "".join(ours[i:]), "".join(theirs[i:])
    same = len(commonprefix([rest, other]))
    line = (before + rest[:same]).count("\n") + 1
    return Deviation(
        f"line {line}: text differs",
        inf,
        excerpt(before + rest, len(before) + same),
        excerpt(after + other, len(after) + same),
    )


def _number_deviation(
    ours: list[str], theirs: list[str], i: int, rtol: float, atol: float
) -> Deviation | None:
    a, b = ours[i], theirs[i]
    diff, allowed = abs(Decimal(a) - Decimal(b)), _allowed(a, b, rtol, atol)
    if allowed is not None and diff <= allowed:
        return None
    limit = "both integer or both float" if allowed is None else f"{allowed.normalize():f}"
    before, after = "".join(ours[:i]), "".join(theirs[:i])
    line = before.count("\n") + 1
    return Deviation(
        f"line {line}: largest deviation {diff:f} (stored {a}, computed {b}, allowed {limit})",
        float(diff / allowed) if allowed else inf,
        excerpt("".join(ours), len(before)),
        excerpt("".join(theirs), len(after)),
    )


def _allowed(stored: str, computed: str, rtol: float, atol: float) -> Decimal | None:
    """How far `computed` may be from `stored`; None if one is an integer and the other a float.

    It is one unit of the last place, in the number with more places (0.0001 for 0.5 and 0.5234), or
    what `rtol` or `atol` allow, if that is more. Without digits after the point there is no last
    place: `6.` and `7.` differ unless `atol` allows it, and `1e-05` has only `rtol` and `atol`.
    """
    kinds = {bool(set(number) & set(".eE")) for number in (stored, computed)}
    if kinds == {False}:
        return Decimal(0)
    if kinds == {True, False}:
        return None
    if stored.endswith(".") and computed.endswith("."):
        return Decimal(str(atol))
    places = [n for n in (stored, computed) if re.search(r"\.[0-9]", n)]
    if "e" in computed.lower() and len(places) == 2:
        places = [stored]
    units = [Decimal(1).scaleb(Decimal(n).as_tuple().exponent) for n in places]
    relative = Decimal(str(rtol)) * abs(Decimal(stored))
    return max(min(units, default=Decimal(0)), relative, Decimal(str(atol)))


def compare_image(stored: str, computed: str) -> Deviation | None:
    """Return the deviation between two base64 PNGs, or None if their pixels agree within SHADE."""
    import numpy as np
    from PIL import Image

    ours, theirs = (
        np.asarray(Image.open(BytesIO(b64decode(data))).convert("RGBA"), np.int16)
        for data in (stored, computed)
    )
    if ours.shape != theirs.shape:
        return Deviation(f"image: {ours.shape[1::-1]} pixels became {theirs.shape[1::-1]}")
    off = np.abs(ours - theirs).max(axis=2)
    if off.max() <= SHADE:
        return None
    row, column = np.unravel_index(off.argmax(), off.shape)
    return Deviation(f"image: pixel ({column}, {row}) changed by {off.max()}/255")


def excerpt(text: str, at: int) -> str:
    """The line around a position, cut to WIDTH and quoted, so that white space shows."""
    start = max(text.rfind("\n", 0, at) + 1, at - WIDTH // 2)
    end = text.find("\n", at) + 1 or len(text)
    return repr(text[start : min(end, start + WIDTH)])
