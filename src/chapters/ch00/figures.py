"""Chapter 00: a tensor's axes in their colours, and its numbers as they lie in memory."""

from collections.abc import Sequence

import matplotlib as mpl
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle
from torch import Tensor

from course.draw.picture import (
    BATCH,
    CHANNEL,
    FAINT,
    INK,
    LIGHT,
    PAPER,
    SMALL,
    STYLE,
    TIME,
    WIDTH,
    Picture,
    canvas,
    headline,
    picture,
    place,
    tint,
)

AXES = {"B": BATCH, "T": TIME, "C": CHANNEL}  # the legend of every later figure
MEANS = {"B": "which sequence", "T": "which position", "C": "which channel"}


def axes_figure(x: Tensor, words: Sequence[Sequence[str]]) -> Picture:
    """Draw x of shape (B, T, C) as one page for each sequence, with every axis in its colour."""
    B, T, C = x.shape
    if [len(row) for row in words] != [T] * B:
        raise ValueError(f"words: expected {B} sequences of {T} words, got {words}")
    figure, axes = canvas(2.5, B + 3, layout=None)  # a panel for each page, and one for each name
    headline(figure, f"x has the shape ({B}, {T}, {C}): sequence, position, channel")
    apart = WIDTH / B
    with mpl.rc_context(STYLE):
        for b, (ax, page) in enumerate(zip(axes, x.tolist(), strict=False)):
            place(ax, b * apart + 0.35, 0.45, apart - 0.7, 1.7)
            _frame(ax, -3.7, C + 0.3, -T, 2.0)
            _page(ax, page, 0.0, 0.0, ("T", "C"), tints=[TIME_TINTS[0]] * T)
            ax.text(C / 2, 1.25, f"b = {b}", ha="center", color=BATCH, weight="bold", fontsize=11)
            for t, word in enumerate(words[b]):
                ax.text(-1.75, -t - 0.5, word, ha="right", va="center", fontsize=9.5)
        for n, (name, size) in enumerate(zip(AXES, (B, T, C), strict=True)):
            place(axes[B + n], 0.5 + n * 2.55, 0.05, 2.2, 0.3)
            axes[B + n].set_axis_off()
            axes[B + n].text(0, 0.5, f"{name} = {size}  {MEANS[name]}", va="center",
                             color=AXES[name], weight="bold")  # fmt: skip
    return picture(
        figure,
        f"x is drawn as {B} pages, one for each sequence (axis B). Each page has {T} rows, one "
        f"for each position (axis T), and {C} columns, one for each channel (axis C). The row of "
        f"'{words[-1][0]}', x[{B - 1}, 0], is {x[-1, 0].tolist()}.",
    )


def indices_figure(x: Tensor, *indices: str) -> Picture:
    """Draw which numbers of x (B, T, C) each index, such as "x[1, 0]", takes, and the shape of the result."""
    B, T, C = x.shape
    numbered = torch.arange(x.numel()).view(x.shape)
    figure, axes = canvas(1.55, len(indices), layout=None)
    headline(figure, "An index takes an axis away, and a slice keeps it")
    width, told = WIDTH / len(indices), []
    with mpl.rc_context(STYLE):
        for n, (ax, index) in enumerate(zip(axes, indices, strict=True)):
            taken = eval(index, {"x": numbered})
            place(ax, n * width + 0.08, 0.05, width - 0.16, 1.15)
            across = B * (C + 1) - 1
            _frame(ax, 0, across, -T - 1.9, 1.9)
            for number in numbered.flatten().tolist():
                b, t, c = _index(x.shape, number)
                face = TIME_TINTS[-1] if (taken == number).any() else LIGHT
                corner = b * (C + 1) + c, -t - 1
                ax.add_artist(Rectangle(corner, 1, 1, facecolor=face, ec=PAPER, lw=1))
            shape = tuple(taken.shape)
            ax.text(across / 2, 0.9, index, ha="center", va="center", weight="bold", fontsize=11)
            ax.text(across / 2, -T - 1.1, str(shape), ha="center", va="center", fontsize=11)
            told.append(f"{index} takes {taken.numel()} and has the shape {shape}")
    return picture(figure, f"Of the {x.numel()} numbers of x, {'; '.join(told)}.")


def sums_figure(x: Tensor) -> Picture:
    """Draw the sum of x over each axis in the axes that are left, and how its first number is computed."""
    sums = [x.sum(dim=dim) for dim in range(3)]
    added = [line.tolist() for line in (x[:, 0, 0], x[0, :, 0], x[0, 0])]
    made = [f"{' + '.join(map(str, line))} = {total[0, 0]}" for line, total in zip(added, sums, strict=True)]
    figure, axes = canvas(2.2, 3, layout=None)
    headline(figure, "Each sum lacks the axis that dim names")
    widths = [max(total.shape[1], 5) + 3 for total in sums]
    with mpl.rc_context(STYLE):
        for dim, (ax, name, total) in enumerate(zip(axes, AXES, sums, strict=True)):
            rows, columns = total.shape
            left, width = (WIDTH * part / sum(widths) for part in (sum(widths[:dim]), widths[dim]))
            place(ax, left, 0.05, width, 1.8)
            _frame(ax, columns / 2 - widths[dim] / 2 - 0.7, columns / 2 + widths[dim] / 2 - 0.7, -4.2, 2.2)
            _page(ax, total.tolist(), 0.0, 0.0, [other for other in AXES if other != name],
                  tints=[TIME_TINTS[0]] * rows)  # fmt: skip
            ax.add_artist(Rectangle((0, -1), 1, 1, fill=False, lw=2, ec=INK, zorder=3))
            ax.text(columns / 2, 1.4, f"dim={dim}: without {name}", ha="center", weight="bold", fontsize=11,
                    color=AXES[name])  # fmt: skip
            ax.text(columns / 2, -rows - 0.9, made[dim], ha="center", fontsize=10)
    told = "; ".join(
        f"with dim={dim} the shape is {tuple(total.shape)}, and the first number is {made[dim]}"
        for dim, total in enumerate(sums)
    )
    return picture(
        figure,
        f"Three sums of x, each drawn in the two axes that it keeps: {told}. The sum with dim=2 has one "
        f"number for each word: {sums[2].tolist()}.",
    )


def mixing_figure(x: Tensor, right: Tensor, left: Tensor, words: Sequence[str]) -> Picture:
    """Draw x (T, C), the vectors of a few words, times the matrix `right`, and the matrix `left` times x."""
    equations = {"x[0] @ w": (x, right, x @ right), "ones @ x[0]": (left, x, left @ x)}
    figure, axes = canvas(2.2, 2, layout=None)
    headline(figure, "On the right a matrix mixes channels, on the left it mixes words")
    names = max(map(len, words)) / 2 - 0.6  # the width that they need
    widths = [names * (n == 0) + sum(part.shape[1] for part in parts) + 3.4
              for n, parts in enumerate(equations.values())]  # fmt: skip
    tall = max(*x.shape, len(left))
    with mpl.rc_context(STYLE):
        for n, (ax, (title, parts)) in enumerate(zip(axes, equations.items(), strict=True)):
            place(ax, WIDTH * sum(widths[:n]) / sum(widths), 0.05, WIDTH * widths[n] / sum(widths), 1.8)
            begins = -names if n == 0 else 0.0
            _frame(ax, begins - 0.3, begins - 0.3 + widths[n], -tall - 0.2, 1.6)
            _equation(ax, tall, parts, [TIME_TINTS[0] if part is x else LIGHT for part in parts[:2]] + [TIME_TINTS[1]])
            ax.text((begins + widths[n]) / 2 - 0.5, 0.6, title, ha="center", weight="bold", fontsize=11)
        for t, word in enumerate(words):
            y = (len(words) - tall) / 2 - t - 0.5
            axes[0].text(-0.25, y, word, ha="right", va="center", fontsize=9.5)
    by_right, by_left = (parts[2][0].tolist() for parts in equations.values())
    return picture(
        figure,
        f"x[0] has a row for each of the words {', '.join(words)}. In x[0] @ w the row of '{words[0]}' becomes "
        f"{by_right}: each number mixes the channels of this word. In ones @ x[0] the first row becomes "
        f"{by_left}: each number mixes the same channel of all the words.",
    )


def strides_figure(x: Tensor) -> Picture:
    """Draw x's numbers in memory, and how far a step along each axis jumps from the first number."""
    figure, axes = _room(2.5)
    B, T, C = x.shape
    with mpl.rc_context(STYLE):
        _memory(axes, x)
        for name, stride in zip(AXES, x.stride(), strict=True):
            height = {"B": 3.1, "T": 1.7, "C": 0.75}[name]
            axes.add_artist(
                FancyArrowPatch(
                    (0.5, 0.06), (stride + 0.5, 0.06), arrowstyle="-|>", mutation_scale=11,
                    connectionstyle=f"arc3,rad={-min(0.9, 1.3 * height / stride)}",
                    color=AXES[name], linewidth=2, shrinkA=0, shrinkB=0,
                )
            )  # fmt: skip
        names = ", ".join(f"{n} {s}" for n, s in zip(AXES, x.stride(), strict=True))
        for n, (name, stride) in enumerate(zip(AXES, x.stride(), strict=True)):
            axes.text(
                17.2, 3.6 - 1.15 * n, f"one step along {name} jumps by {stride}",
                color=AXES[name], weight="bold", va="center",
            )  # fmt: skip
        _frame(axes, -0.3, x.numel() + 0.3, -3.0, 4.4)
        axes.set_title(f"The strides of x are {x.stride()}")
    return picture(
        figure,
        f"The {x.numel()} numbers of x lie in memory in one row, sequence after sequence, and "
        f"within each sequence position after position. A step along an axis jumps by its stride: "
        f"{names}. So x[b, t, c] is number {x.stride(0)} b + {x.stride(1)} t + {x.stride(2)} c.",
    )


def walk_figure(x: Tensor, form: Tensor, name: str, step: int) -> Picture:
    """Draw a walk through `form` in reading order, and the way that it takes through the memory of x.

    `form` shares x's memory. If an axis has the size and the stride of an axis of x, it keeps
    that axis's name and colour; otherwise it has neither.
    """
    if form.data_ptr() != x.data_ptr() or form.numel() != x.numel() or form.ndim != 3:
        raise ValueError("form: expected x, a transpose or a view with three axes, not a copy of x")
    places = [_address(form, n) for n in range(form.numel())]
    index, address = _index(form.shape, step), places[step]
    names = axis_names(x, form)
    figure, axes = _room(3.9)
    rows, columns = form.shape[1:]
    with mpl.rc_context(STYLE):
        for b, page in enumerate(form.tolist()):
            left, top = 4.2 + b * 14.0 + (5 - columns) / 2 * 1.35, 8.6
            tints = [
                [_tint(x, _address(form, (b * rows + r) * columns + c)) for c in range(columns)]
                for r in range(rows)
            ]
            _page(axes, page, left, top, names[1:], tints, cell=1.35)
            axes.text(left - 2.6, top - 0.7, f"b = {b}", ha="right", va="center",
                      color=BATCH, weight="bold", fontsize=11)  # fmt: skip
            if index[0] == b:
                corner = left + index[2] * 1.35, top - (index[1] + 1) * 1.35
                axes.add_artist(Rectangle(corner, 1.35, 1.35, fill=False, lw=2.4, ec=INK, zorder=3))
        _memory(axes, x)
        for n, place in enumerate(places[: step + 1]):
            axes.text(place + 0.5, 0.22, str(n), ha="center", fontsize=SMALL, color=FAINT)
        axes.text(-0.35, 0.3, "visit", ha="right", fontsize=SMALL, color=FAINT)
        axes.add_artist(Rectangle((address, -1), 1, 1, fill=False, lw=2.4, ec=INK, zorder=3))
        _sum(axes, form, names, index, address)
        _frame(axes, -1.9, x.numel() + 0.3, -4.4, 10.2)
        axes.set_title(f"{name}: shape {tuple(form.shape)}, strides {form.stride()}")
    steps = {b - a for a, b in zip(places, places[1 : step + 1], strict=False)}
    walked = f" The walk so far jumps by {_list(sorted(steps))}." if steps else ""
    terms = " + ".join(
        f"{i} \N{MULTIPLICATION SIGN} {s}" for i, s in zip(index, form.stride(), strict=True)
    )
    lost = ""
    if not all(names):
        lost = " Its rows mix positions, so its last two axes are neither T nor C."
    return picture(
        figure,
        f"{name} has the strides {form.stride()}. Its entry [{', '.join(map(str, index))}], visit "
        f"{step} in reading order, is the {int(form[index])} at place {address} in memory: "
        f"{terms} = {address}.{walked}{lost}",
    )


def _room(height: float) -> tuple[Figure, Axes]:
    """One pair of axes that fills the figure; a computed layout would double the drawing time."""
    figure, (axes,) = canvas(height, layout=None)
    axes.set_position((0.01, 0.01, 0.98, 1 - 0.3 / height))
    return figure, axes


def axis_names(x: Tensor, form: Tensor) -> list[str]:
    """The name of each axis of `form`, from x's axis with the same size and stride, or ''."""
    known = {(x.shape[n], x.stride(n)): name for n, name in enumerate(AXES)}
    return [known.get((form.shape[n], form.stride(n)), "") for n in range(form.ndim)]


TIME_TINTS = [tint(TIME, share) for share in (0.12, 0.27, 0.42)]  # for the numbers of a position


def _tint(x: Tensor, address: int) -> tuple[float, ...]:
    """The tint of the position that the number at this address belongs to."""
    t = address // x.stride(1) % x.shape[1]
    return TIME_TINTS[t % len(TIME_TINTS)]


def _index(shape: Sequence[int], n: int) -> tuple[int, ...]:
    """The index of the n-th entry in reading order: the last axis runs fastest."""
    index = []
    for size in reversed(shape):
        n, i = divmod(n, size)
        index.append(i)
    return tuple(reversed(index))


def _address(form: Tensor, n: int) -> int:
    """The address in memory of the n-th entry in reading order."""
    index = _index(form.shape, n)
    return sum(i * stride for i, stride in zip(index, form.stride(), strict=True))


def _page(axes: Axes, page, left: float, top: float, names, tints, cell: float = 1.0) -> None:
    """Draw a matrix of digits in tinted cells, with rows and columns numbered in their colours."""
    for r, row in enumerate(page):
        tint = tints[r]
        for c, value in enumerate(row):
            x, y = left + c * cell, top - (r + 1) * cell
            face = tint[c] if isinstance(tint, list) else tint
            axes.add_artist(Rectangle((x, y), cell, cell, facecolor=face, ec=PAPER, lw=1.2))
            axes.text(x + cell / 2, y + cell / 2, str(value), ha="center", va="center",
                      fontsize=10)  # fmt: skip
        axes.text(left - 0.2, top - (r + 0.5) * cell, _label(names[0], r), ha="right", va="center",
                  fontsize=SMALL, weight="bold", color=AXES.get(names[0], FAINT))  # fmt: skip
    for c in range(len(page[0])):
        label = _label(names[1], c) if c == 0 else str(c)
        axes.text(left + (c + 0.5) * cell, top + 0.2, label, ha="center", va="bottom",
                  fontsize=SMALL, weight="bold", color=AXES.get(names[1], FAINT))  # fmt: skip


def _equation(axes: Axes, tall: int, parts: Sequence[Tensor], faces: Sequence[tuple[float, ...]]) -> None:
    """Draw two matrices and their product, and frame the numbers that give the product's first number."""
    x = 0.0
    for n, (part, face) in enumerate(zip(parts, faces, strict=True)):
        rows, columns = part.shape
        top = (rows - tall) / 2
        for r, row in enumerate(part.tolist()):
            for c, value in enumerate(row):
                corner = x + c, top - r - 1
                axes.add_artist(Rectangle(corner, 1, 1, facecolor=face, ec=PAPER, lw=1.2))
                axes.text(corner[0] + 0.5, corner[1] + 0.5, str(value), ha="center", va="center", fontsize=10)
        wide, high = ((columns, 1), (1, rows), (1, 1))[n]
        axes.add_artist(Rectangle((x, top - high), wide, high, fill=False, lw=2, ec=INK, zorder=3))
        x += columns + 1.2
        if n < 2:
            axes.text(x - 0.6, -tall / 2, "@="[n], ha="center", va="center", fontsize=12, weight="bold")


def _label(name: str, n: int) -> str:
    return f"{name.lower() or '?'} = {n}" if name or n == 0 else str(n)


def _memory(axes: Axes, x: Tensor) -> None:
    """Draw x's numbers in one row from address 0, tinted by position, bracketed by sequence."""
    B, T, C = x.shape
    for address, value in enumerate(x.flatten().tolist()):
        axes.add_artist(
            Rectangle((address, -1), 1, 1, facecolor=_tint(x, address), ec=PAPER, lw=1)
        )
        axes.text(address + 0.5, -0.5, str(value), ha="center", va="center", fontsize=9)
        if address % C == 0:
            axes.text(address + 0.5, -1.5, str(address), ha="center", va="center",
                      fontsize=SMALL, color=FAINT)  # fmt: skip
    for b in range(B):
        first, last = b * T * C, (b + 1) * T * C
        axes.plot([first + 0.15, last - 0.15], [-2.05, -2.05], color=BATCH, linewidth=2)
        axes.text((first + last) / 2, -2.65, f"b = {b}", ha="center", va="center", color=BATCH,
                  fontsize=9, weight="bold")  # fmt: skip


def _sum(axes: Axes, form: Tensor, names, index, address: int) -> None:
    """Write the sum that turns an index into an address, each term in its axis's colour."""
    x = 8.0
    for n, (i, stride) in enumerate(zip(index, form.stride(), strict=True)):
        text = f"{i} \N{MULTIPLICATION SIGN} {stride}"
        axes.text(x, -3.8, text, ha="center", va="center", weight="bold", fontsize=11,
                  color=AXES.get(names[n], FAINT))  # fmt: skip
        axes.text(x + 1.9, -3.8, "+" if n < 2 else f"=  place {address}", va="center",
                  ha="left" if n == 2 else "center", fontsize=11)  # fmt: skip
        x += 3.8


def _frame(axes: Axes, left: float, right: float, bottom: float, top: float) -> None:
    axes.set(xlim=(left, right), ylim=(bottom, top))
    axes.set_axis_off()


def _list(numbers: Sequence[int]) -> str:
    *first, last = map(str, numbers)
    return f"{', '.join(first)} or {last}" if first else last
