"""The still picture of a model that writes: its text with arcs, the next tokens, and the maps of its heads."""

from collections.abc import Sequence

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from torch import Tensor

from course.draw.picture import (
    QUERY,
    STYLE,
    WEIGHTS,
    Picture,
    cells,
    picture,
    place,
    sheet,
    tint,
)

LEAST = 0.25  # the smallest weight that has an arc, as in writer.js
WIDE, ROW, SIZE = 4.4, 0.36, 12.5  # inches, inches, and points, which are 12 pixels on a phone
TILE = 0.56  # inches: the size of a head's map
Spot = tuple[float, float, float]  # x, y and width of a token


def writer_figure(tokens: Sequence[str], maps: Tensor, guesses: Sequence[tuple[str, float]]) -> Picture:
    """Draw the text with the arcs of all heads, and below it the next tokens and the maps (L, H, T, T)."""
    spots = _spots(tokens)
    low = len(maps) * TILE + 0.25  # the height at which the text ends
    n_layer, n_head = maps.shape[:2]
    figure, (page, *panels) = sheet(low + 0.35 - spots[-1][1], 1 + n_layer * n_head, WIDE)
    top = page.get_ylim()[1] - 0.35
    with mpl.rc_context(STYLE):
        _write(page, tokens, [(x, y + top, wide) for x, y, wide in spots], maps[:, :, -1])
        _bars(page, guesses, low - 0.4)
        for n, axes in enumerate(panels):
            _tile(axes, maps.flatten(0, 1)[n], *divmod(n, n_head), (n_layer, n_head))
    for axes in (page, *panels):
        axes.set_gid("writer")  # one name, so that a phone doesn't stack them
    return picture(figure, _sentence(tokens, maps[:, :, -1], *guesses[0]))


def _sentence(tokens: Sequence[str], looks: Tensor, best: str, chance: float) -> str:
    block, head, place = (looks == looks.max()).nonzero()[0].tolist()
    return (
        f"A small GPT reads \"{''.join(tokens[1:])}\". From the newest token, '{tokens[-1].strip()}', "
        f"the largest weight is on '{tokens[place].strip()}': {looks.max():.2f}, in head {head} of block "
        f"{block}. The most probable next token is '{best}', with {100 * chance:.1f} %."
    )


def _spots(tokens: Sequence[str]) -> list[Spot]:
    """The position and the width of each token, in inches from the beginning of the text."""
    spots, x, y = [], 0.0, 0.0
    for token in tokens:
        wide = TextPath((0, 0), token.strip(), size=SIZE).get_extents().width / 72
        x += 0.07 if token.startswith(" ") or len(spots) == 1 else 0.02  # the start isn't a word
        if x + wide > WIDE:
            x, y = 0.0, y - ROW
        spots.append((x, y, wide))
        x += wide
    return spots


def _write(page: Axes, tokens: Sequence[str], spots: Sequence[Spot], looks: Tensor) -> None:
    """Draw the arcs and the words, each tinted by the largest weight that a head gives it, (L, H, T)."""
    x, y, wide = spots[-1]
    for n, (token, (left, base, width)) in enumerate(zip(tokens, spots, strict=True)):
        there = looks[..., n][looks[..., n] >= LEAST].tolist()
        colour = WEIGHTS(max(there, default=0.0))
        box = Rectangle((left - 0.02, base - 0.06), width + 0.04, 0.24, color=colour, linewidth=0)
        page.add_patch(box)
        page.text(left + width / 2, base, token.strip(), ha="center", fontsize=SIZE)
        end = left + width / 2, base + (-0.07 if base > y else 0.2)
        for weight in there:
            page.add_patch(_arc((x + wide / 2, y + 0.2), end, weight))


def _arc(start: tuple[float, float], end: tuple[float, float], weight: float) -> PathPatch:
    """A curve that goes up from the newest word, and then down or further up to another word."""
    (x, y), (a, b) = start, end
    high = max(0.18, (b - y) / 2)
    end_high = b - high if b > y + 0.1 else b + high
    path = Path([start, (x, y + high), (a, end_high), end], [1, 4, 4, 4])
    return PathPatch(path, fill=False, edgecolor=QUERY, linewidth=0.75 + 4.5 * weight, capstyle="round")


def _bars(page: Axes, guesses: Sequence[tuple[str, float]], top: float) -> None:
    page.text(0, top + 0.1, "The next token", fontsize=SIZE, weight="bold")
    for n, (token, chance) in enumerate(guesses, 1):
        y = top - 0.28 * n + 0.1
        bar = Rectangle((0.8, y - 0.05), 1.25 * chance, 0.2, color=tint(QUERY, 0.45), linewidth=0)
        page.add_patch(bar)
        page.text(0.72, y, token, ha="right", fontsize=SIZE)
        page.text(2.75, y, f"{100 * chance:.1f} %", ha="right", fontsize=SIZE)


def _tile(axes: Axes, weights: Tensor, block: int, head: int, size: Sequence[int]) -> None:
    """Draw the map of one head at its place in the grid."""
    T, (n_layer, n_head) = len(weights), size
    x, y = WIDE - (n_head - head) * (TILE + 0.1), (n_layer - 1 - block) * TILE + 0.03
    place(axes, x, y, TILE - 0.08, TILE - 0.08)
    axes.set_axis_on()
    cells(axes, weights, digits=None)
    axes.set(xticks=[], yticks=[], xlim=(-0.5, T - 0.5), ylim=(T - 0.5, -0.5))
