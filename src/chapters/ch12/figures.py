"""Chapter 12: the block as a path, and what depth does to words, their size and their gradient."""

import math
from collections.abc import Mapping, Sequence

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch
from torch import Tensor, nn

from chapters.ch12.depth import Propagation
from course.draw.picture import (
    FAINT,
    INK,
    LIGHT,
    PAPER,
    QUERY,
    SIGNED,
    SMALL,
    STYLE,
    WRONG,
    Picture,
    canvas,
    headline,
    picture,
    place,
    sheet,
    tint,
)

LOWEST, HIGHEST = 1e-10, 1e4  # the range of the charts; a line with smaller values leaves at the bottom
LOOKS = (  # the styles of the lines, in the order in which they are given
    dict(color=WRONG, linewidth=2),
    dict(color=FAINT, linewidth=2),
    dict(color=QUERY, linewidth=2, linestyle="--"),
    dict(color=INK, linewidth=2.4),
)
RAISED = {ord(digit): raised for digit, raised in zip("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079", strict=True)}
TINY = 1e-12  # a caption gives no digits of smaller numbers, because they differ between machines
CHANNELS = 16  # how many channels of each word are shown


def block_figure(block: nn.Module) -> Picture:
    """Draw the residual stream with the two parts that add to it, and how many numbers each part learns."""
    figure, halves = sheet(2.7, 2)  # a narrow page puts the second half below the first
    headline(figure, "x goes straight through, and two parts add to it")
    ways = (
        (0.95, 2.15, "words hear each other", (("norm", block.norm_1), ("attention", block.attention))),
        (4.15, 5.35, "each word alone", (("norm", block.norm_2), ("MLP", block.mlp))),
    )
    with mpl.rc_context(STYLE):
        for axes, (start, middle, says, parts) in zip(halves, ways, strict=True):
            end = start + 2.65
            _arrow(axes, [(start, 0.6), (start, 1.45), (middle - 1.08, 1.45)])
            _arrow(axes, [(middle - 0.12, 1.45), (middle + 0.08, 1.45)])
            _arrow(axes, [(middle + 1.12, 1.45), (end, 1.45), (end, 0.76)])
            for n, (name, part) in enumerate(parts):
                x, wide = middle + (0.6 if n else -0.6), 1.04 if n else 0.96
                axes.add_patch(FancyBboxPatch((x - wide / 2, 1.13), wide, 0.64, lw=0,
                                              facecolor=tint(QUERY, 0.25) if n else LIGHT,
                                              boxstyle="round,pad=0,rounding_size=0.08"))  # fmt: skip
                axes.text(x, 1.56, name, ha="center", va="center", fontsize=9.5)
                axes.text(x, 1.31, f"{_count(part):,}", ha="center", va="center", fontsize=SMALL)
            axes.text(middle + 0.13, 1.98, says, ha="center", fontsize=SMALL, style="italic")
        first, second = halves
        first.plot([0.6, 3.88], [0.6, 0.6], color=INK, linewidth=3)
        _arrow(second, [(3.88, 0.6), (7.0, 0.6), (7.18, 0.6)], width=3)
        first.text(0.52, 0.6, "x", ha="right", va="center")
        second.text(7.24, 0.6, "out", ha="left", va="center")
        first.text(2.28, 0.2, "the residual stream", ha="center", fontsize=SMALL, style="italic")
        for axes, end in zip(halves, (3.6, 6.8), strict=True):
            axes.plot([end], [0.6], "o", color=INK, markersize=17)
            axes.plot([end], [0.6], "o", color=PAPER, markersize=14)
            axes.text(end, 0.6, "+", ha="center", va="center", fontsize=14)
    heard, thought = _count(block.attention), _count(block.mlp)
    return picture(
        figure,
        f"A block. The residual stream goes straight from x to out. Attention reads a normalised "
        f"copy of it, and its output is added to the stream. The MLP does the same. The boxes "
        f"show how many numbers each part learns: {heard:,} in attention, {thought:,} in the MLP, "
        f"{_count(block) - heard - thought} in the two norms.",
    )


def depth_figure(propagations: Mapping[str, Propagation]) -> Picture:
    """Draw size, gradient and diversity at each depth, with one line for each way of wiring."""
    figure, axes = canvas(3.7, 3, layout=None)
    for n, ax in enumerate(axes):
        place(ax, 0.62 + 2.52 * n, 1.12, 2.02, 2.2)
    titles = ("size of the numbers", "size of the gradient", "diversity of words")
    for ax, title, name in zip(axes, titles, Propagation._fields, strict=False):
        with mpl.rc_context(STYLE):
            for propagation, look in zip(propagations.values(), LOOKS, strict=False):
                _line(ax, getattr(propagation, name), **look)
            _log_axes(ax, LOWEST, 2 if name == "diversity" else HIGHEST)
            ax.set_title(title, fontsize=10)
            ax.set_xlabel("layer", fontsize=SMALL)
            ax.set_xlim(0, _depth(propagations))
    keys = [figure.add_axes((0.03 + 0.5 * n, 0, 0.46, 0.19)) for n in (0, 1)]  # a phone stacks them
    for ax in keys:
        ax.set(xlim=(0, 1), ylim=(0, 1))
        ax.set_axis_off()
    with mpl.rc_context(STYLE):
        for n, (name, look) in enumerate(zip(propagations, LOOKS, strict=False)):
            y = 0.6 - 0.4 * (n // 2)
            keys[n % 2].plot([0.02, 0.12], [y, y], **look)
            keys[n % 2].text(0.15, y, name, va="center", fontsize=9)
    told = ". ".join(
        f"{name[0].upper()}{name[1:]}: {_told(propagation, -1)}" for name, propagation in propagations.items()
    )
    return picture(
        figure,
        f"The figure follows words through {_depth(propagations)} layers that are not trained "
        f"yet. The "
        f"gradient is sent back from the end, where its size is 1. These are the size and the "
        f"diversity at the end of the stack, and the gradient at its beginning. {told}.",
    )


def words_figure(propagation: Propagation, depth: int, name: str, words: Sequence[str]) -> Picture:
    """Draw the words at a depth, row by row, and the three curves up to that depth."""
    stream = propagation.streams[depth][0]
    size = float(propagation.signal[depth])
    figure, (left, right) = canvas(3.3, 2, layout=None)
    place(left, 0.85, 0.62, 3.0, 2.2)
    place(right, 4.75, 0.62, 2.85, 2.2)
    shown = (stream / size).clamp(-2.5, 2.5)[:, :CHANNELS]
    with mpl.rc_context(STYLE):
        at = [n - 0.5 for n in range(CHANNELS + 1)], [n - 0.5 for n in range(len(words) + 1)]
        left.pcolormesh(*at, shown.tolist(), cmap=SIGNED, vmin=-2.5, vmax=2.5)
        left.set(ylim=(len(words) - 0.5, -0.5), xticks=[0, CHANNELS - 1], xlabel="channel")
        left.set_yticks(range(len(words)), words)
        left.tick_params(length=0, labelsize=SMALL)
        left.spines[:].set_visible(False)
        left.set_title(f"words after layer {depth}, divided by {_said(size)}", fontsize=10)
        for values, look, y, label in (
            (propagation.signal, LOOKS[3], 0.36, "size"),
            (propagation.gradient, LOOKS[2], 0.24, "gradient"),
            (propagation.diversity, LOOKS[0], 0.12, "diversity of words"),
        ):
            look = look | ({"color": QUERY, "linestyle": "-"} if label[0] == "d" else {})
            _line(right, values[: depth + 1], **look)  # only the layers so far
            point = max(LOWEST, float(values[depth]))
            right.plot([depth], [point], "o", color=look["color"], markersize=7, clip_on=False)
            right.plot([0.06, 0.14], [y, y], transform=right.transAxes, **look)
            right.text(0.17, y, label, transform=right.transAxes, va="center", fontsize=SMALL)
        _log_axes(right, LOWEST, HIGHEST)
        right.set_xlim(0, len(propagation.signal) - 1)
        right.set_title(name, fontsize=10)
        right.set_xlabel("layer", fontsize=SMALL)
    return picture(
        figure,
        f"{name[0].upper()}{name[1:]}, after layer {depth} of {len(propagation.signal) - 1}: "
        f"{_told(propagation, depth)}.",
    )


def _told(propagation: Propagation, depth: int) -> str:
    """The three numbers at a depth; for the entire stack (-1), the gradient at its beginning."""
    back = propagation.gradient[0 if depth == -1 else depth]
    return (
        f"size {_said(propagation.signal[depth])}, gradient {_said(back)}, diversity "
        f"{_said(propagation.diversity[depth])}"
    )


def _said(value: float | Tensor) -> str:
    """The value with two digits, and with a power of ten only where it helps."""
    value = float(value)
    if 0 < value < TINY:
        return "under 1e-12"
    if value == 0 or not math.isfinite(value) or 0.001 <= abs(value) < 10_000:
        return f"{value:.2g}" if abs(value) < 100 else f"{value:.0f}"
    return f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e")


def _line(axes: Axes, values: Tensor, **look) -> None:
    """Draw a line over the layers, up to where it leaves the chart at the bottom."""
    logs = [math.log10(max(1e-300, value)) for value in values.tolist()]
    floor = math.log10(LOWEST)
    at = [n for n, log in enumerate(logs) if log >= floor]
    if not at:
        return
    xs, ys = [float(n) for n in at], [logs[n] for n in at]
    for beside, end in ((at[0] - 1, 0), (at[-1] + 1, len(at))):
        if 0 <= beside < len(logs):  # the crossing with the floor, between two layers
            inside = at[end - 1] if end else at[0]
            share = (logs[inside] - floor) / (logs[inside] - logs[beside])
            xs.insert(len(xs) if end else 0, inside + share * (beside - inside))
            ys.insert(len(ys) if end else 0, floor)
    axes.plot(xs, [10**y for y in ys], **look)


def _log_axes(axes: Axes, low: float, high: float) -> None:
    axes.set_yscale("log")
    ticks = [10.0**n for n in range(-10, 6, 2) if low <= 10.0**n <= high]
    labels = ["1" if t == 1 else "10" + str(round(math.log10(t))).translate(RAISED) for t in ticks]
    axes.set_yticks(ticks, labels)
    axes.minorticks_off()
    axes.set_ylim(low, high)
    axes.axhline(1, color=FAINT, linewidth=0.8, linestyle=":", zorder=0)
    axes.tick_params(labelsize=SMALL, length=2)


def _depth(propagations: Mapping[str, Propagation]) -> int:
    return max(len(propagation.signal) for propagation in propagations.values()) - 1


def _count(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


def _arrow(axes: Axes, points: list[tuple[float, float]], width: float = 1.4) -> None:
    xs, ys = zip(*points, strict=True)
    axes.plot(xs[:-1] + xs[-1:], ys, color=INK, linewidth=width, solid_joinstyle="round")
    axes.annotate("", points[-1], points[-2],
                  arrowprops=dict(arrowstyle="-|>", color=INK, lw=width, shrinkA=0, shrinkB=0))  # fmt: skip
