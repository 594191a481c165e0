"""The whole GPT as a still picture: its parts, a vector that goes through them, and the next token."""

from collections.abc import Mapping
from typing import NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, Rectangle
from torch import Tensor

from course.draw.picture import (
    FAINT,
    INK,
    PAPER,
    QUERY,
    SMALL,
    STYLE,
    Picture,
    headline,
    picture,
    place,
    sheet,
    tint,
)


class Part(NamedTuple):
    """A box in the picture of a GPT, measured in pixels; a box without a key can't be pressed."""

    key: str
    label: str
    shape: str
    says: str
    x: float
    y: float
    wide: float
    high: float


PARTS = (
    Part("", "text", "", "text", 0, 2, 62, 42),
    Part("ids", "ids", "(T)", "ids", 92, 2, 66, 42),
    Part("vectors", "vectors", "(T, C)", "vectors", 188, 2, 92, 42),
    Part("qkv", "q, k, v", "(H, T, D)", "queries, keys and values", 10, 108, 88, 42),
    Part("weights", "weights", "(H, T, T)", "weights", 116, 108, 88, 42),
    Part("mix", "W_O", "(T, C)", "the heads' mixes times W_O", 222, 108, 78, 42),
    Part("heard", "+", "", "the vectors plus attention", 321, 116, 26, 26),
    Part("hidden", "hidden", "(T, 4C)", "the MLP's hidden numbers", 116, 188, 88, 42),
    Part("mlp", "MLP", "(T, C)", "the MLP's result", 222, 188, 78, 42),
    Part("out", "+", "", "the vectors plus the MLP", 321, 196, 26, 26),
    Part("norm", "norm", "(T, C)", "the last norm", 0, 272, 78, 42),
    Part("logits", "logits", "(T, V)", "logits", 108, 272, 84, 42),
    Part("next", "next token", "(V)", "probabilities of the next token", 222, 272, 118, 42),
)  # fmt: skip
TABS = tuple((58 + 32 * n, 63, 26, 26) for n in range(3))  # one for each block
FRAME = {"x": 0, "y": 58, "wide": 360, "high": 182, "below": 316}
NOTES = ((30, 81, "block"), (292, 90, "norm"), (292, 170, "norm"))  # x, y, text
LINES = (  # the points of each arrow
    ((62, 23), (92, 23)), ((158, 23), (188, 23)), ((280, 23), (334, 23), (334, 116)),
    ((334, 96), (54, 96), (54, 108)), ((98, 129), (116, 129)), ((204, 129), (222, 129)), ((300, 129), (321, 129)),
    ((334, 142), (334, 196)), ((334, 176), (160, 176), (160, 188)), ((204, 209), (222, 209)), ((300, 209), (321, 209)),
    ((334, 222), (334, 254), (39, 254), (39, 272)), ((78, 293), (108, 293)), ((192, 293), (222, 293)),
)  # fmt: skip


def whole_figure(token: str, streams: Tensor, guesses: Mapping[str, float], n_tokens: int) -> Picture:
    """Draw the parts of a GPT, the last token's vector in `streams` (L + 1, T, C), before and after blocks,
    and the most probable of the `n_tokens` tokens that can come next."""
    n_blocks, T, C = len(streams) - 1, *streams.shape[1:]
    figure, (parts, numbers) = sheet(3.65, 2)
    headline(figure, "The whole GPT, from a text to its next token")
    place(parts, 0.08, 0.06, 3.6, FRAME["below"] / 100)
    place(numbers, 4.0, 0.06, 3.7, FRAME["below"] / 100)
    parts.set(xlim=(0, 360), ylim=(FRAME["below"], 0))
    numbers.set(xlim=(0, 370), ylim=(FRAME["below"], 0))
    with mpl.rc_context(STYLE):
        _diagram(parts)
        _carried(numbers, token, streams[:, -1], guesses)
    best, chance = next(iter(guesses.items()))
    return picture(
        figure,
        f"A GPT. The text's {T} tokens become ids, and the ids become vectors of {C} numbers. In each of "
        f"{n_blocks} blocks, attention and an MLP compute what is added to these vectors. A last norm and a "
        f"Linear turn them into {n_tokens} logits, one for each token that can come next. After '{token}', "
        f"the most probable is '{best}', with {100 * chance:.1f} %.",
    )


def _diagram(axes: Axes) -> None:
    frame = Rectangle((FRAME["x"], FRAME["y"]), FRAME["wide"], FRAME["high"], fill=False, ec=FAINT)
    axes.add_patch(frame)
    for *points, start, end in LINES:
        axes.plot(*zip(*points, start, end, strict=True), color=INK, linewidth=1.2)
        axes.annotate("", end, start, arrowprops={"arrowstyle": "->", "color": INK, "shrinkA": 0, "shrinkB": 0})
    for part in (*PARTS, *(Part("", f"{n}", "", "", *tab) for n, tab in enumerate(TABS))):
        _part(axes, part)
    for x, y, text in NOTES:
        axes.text(x, y, text, ha="center", fontsize=SMALL)


def _part(axes: Axes, part: Part) -> None:
    round_ = (part.wide if part.wide == part.high else 10) / 2
    shape = f"round,pad=0,rounding_size={round_}"
    axes.add_patch(FancyBboxPatch((part.x, part.y), part.wide, part.high, facecolor=PAPER, ec=INK,
                                  boxstyle=shape, zorder=3))  # fmt: skip
    middle = part.x + part.wide / 2, part.y + part.high / 2
    put = {"ha": "center", "va": "center", "zorder": 4}
    axes.text(middle[0], middle[1] - 9 * bool(part.shape), part.label, weight="bold", **put)
    axes.text(middle[0], middle[1] + 10, part.shape, fontsize=SMALL, **put)


def _carried(axes: Axes, token: str, vectors: Tensor, guesses: Mapping[str, float]) -> None:
    """Draw the first numbers of one token's vector at each stage, (L + 1, C), and bars for the next token."""
    axes.text(0, 22, f"The vector of '{token}' begins", weight="bold")
    for n, vector in enumerate(vectors.tolist()):
        y, name = 50 + 26 * n, f"after block {n - 1}" if n else "from the table"
        axes.text(0, y, name)
        for c, value in enumerate(vector[:4]):
            axes.text(172 + 62 * c, y, three_digits(value), ha="right")
    axes.text(0, 182, "The next token", weight="bold")
    for n, (guess, chance) in enumerate(guesses.items()):
        y = 208 + 25 * n
        said = f"{100 * chance:.1f} %" if chance >= 0.0005 else "< 0.1 %"
        axes.add_patch(Rectangle((76, y - 13), 160 * chance, 17, color=tint(QUERY, 0.45), lw=0))
        axes.text(68, y, guess, ha="right")
        axes.text(306, y, said, ha="right")


def three_digits(value: float) -> str:
    """A number with three digits, but at most two decimals, and with a typographic minus."""
    places = 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
    return f"{round(value, places) + 0.0:.{places}f}".replace("-", "\u2212")
