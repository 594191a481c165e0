"""Compare a stored output with a computed one: text exactly, numbers and images with tolerance.

A float passes within one unit of its last printed place or within `rtol` of the stored value;
integers, shapes and all text must be equal. Two images pass when they differ by no more than
antialiasing and a few turned digits.
"""

import re
from base64 import b64decode
from dataclasses import dataclass
from decimal import Decimal
from io import BytesIO
from math import inf
from os.path import commonprefix

RTOL = 1e-3

# A number stands alone: `float32`, `3x3`, `x1`, `0x7f`, `#a1b2c3` and `2.13.0` are text. A sign
# belongs to it unless something is subtracted (`7-5`, `f(x)-0.5`) or joined (`2024-01-02`).
NUMBER = re.compile(
    r"((?:(?<![\w.#)\]])[-+])?(?<![\w.#])"
    r"(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][-+]?[0-9]{1,3})?(?!\w|\.[0-9]))"
)
PNG = re.compile(r"iVBORw0KGgo[A-Za-z0-9+/]+={0,2}")  # how every PNG begins in base64
# Whether torch and numpy break the line before these depends on the width of the numbers.
SUFFIX = re.compile(r",\s+(?=(?:grad_fn|dtype|device|requires_grad|size)=)")

# A pixel differs by its most changed channel, 0 to 255. An image is refused when all of 9 x 9
# pixels differ by more than 8 (a cell of a heat map, by 0.03 of its scale), when a stroke two
# pixels thick and 28 long differs by more than 96 (a bar, a curve), or 0.2 % of all pixels do
# (a title, dots). Edges moved by a pixel and some turned digits pass, so a number in a picture is
# not checked. Measured on matplotlib's figures at 80 to 200 dpi; the tests hold both sides.
FAINT, PATCH = 8, 9
STRONG, STROKE, SHARE = 96, 28, 0.002


@dataclass(frozen=True)
class Deviation:
    """A place where computed left stored by `excess` times what is allowed (inf: no tolerance)."""

    message: str
    excess: float = inf
    stored: str = ""  # the text around the place
    computed: str = ""


def compare_text(
    stored: str, computed: str, rtol: float = RTOL, atol: float = 0.0
) -> Deviation | None:
    """The largest deviation between two texts, or None where they agree.

    White space next to a number is free, since a minus sign moves a tensor's columns. PNGs
    embedded in base64 are compared as images.

    >>> compare_text("tensor([ 0.1250, 2.])", "tensor([-0.1251, 2.])").message
    'line 1: largest deviation 0.2501 (stored 0.1250, computed -0.1251, allowed 0.000125)'
    >>> compare_text("tensor([0.0000, 0.1250])", "tensor([-0.0000,  0.1251])")
    """
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
    """How far `computed` may lie from `stored`; None where an integer meets a float.

    One unit of the stored last place, or of the computed one where that shows more places (a
    rounded 0.5 against 0.5234). Without digits after the point there is no such place: `6.` is
    exact against `7.`, and `1e-05` has `rtol` alone.
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
    """The deviation between two base64 images, or None where a reader would see the same."""
    import numpy as np
    from PIL import Image, ImageFilter

    ours, theirs = (
        Image.open(BytesIO(b64decode(data))).convert("RGBA") for data in (stored, computed)
    )
    if ours.size != theirs.size:
        return Deviation(f"image of {ours.size} pixels became {theirs.size}")
    pixels = np.abs(np.asarray(ours, np.int16) - np.asarray(theirs, np.int16)).max(axis=2)
    faint = Image.fromarray(np.uint8(255 * (pixels > FAINT)))
    if box := faint.filter(ImageFilter.MinFilter(PATCH)).getbbox():
        return Deviation(f"image: an area around pixel {box[:2]} changed by {pixels.max()}/255")
    strong = pixels > STRONG
    if strong.mean() > SHARE:
        return Deviation(f"image: {strong.sum()} of {strong.size} pixels changed strongly")
    thick = strong[1:, 1:] & strong[1:, :-1] & strong[:-1, 1:] & strong[:-1, :-1]
    if (size := _extent(set(map(tuple, np.argwhere(thick).tolist())))) > STROKE:
        return Deviation(f"image: a stroke of {size} pixels changed")
    return None


def _extent(pixels: set[tuple[int, int]]) -> int:
    """The longest side of a box around pixels that touch one another."""
    longest = 0
    while pixels:
        group, pending = [], [pixels.pop()]
        while pending:
            y, x = pending.pop()
            group.append((y, x))
            near = {(y + j, x + i) for j in (-1, 0, 1) for i in (-1, 0, 1)} & pixels
            pixels -= near
            pending += near
        longest = max(longest, *(max(axis) - min(axis) + 1 for axis in zip(*group, strict=True)))
    return longest


def excerpt(text: str, at: int, width: int = 72) -> str:
    """The line around a position, cut to `width` and quoted, so that white space shows."""
    start = max(text.rfind("\n", 0, at) + 1, at - width // 2)
    end = text.find("\n", at) + 1 or len(text)
    return repr(text[start : min(end, start + width)])
