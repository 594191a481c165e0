"""Chapter 06: the three roles of a word; x projected to them, and mixed by their weights."""

import textwrap
from collections.abc import Sequence

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch
from torch import Tensor

from attention.heads import attention_scores, attention_weights
from course.draw.picture import (
    FAINT,
    INK,
    K_CELLS,
    KEY,
    Q_CELLS,
    QUERY,
    SMALL,
    STYLE,
    V_CELLS,
    VALUE,
    WIDTH,
    X_CELLS,
    Picture,
    headline,
    heat_map,
    picture,
    sheet,
    tint,
)
from course.draw.svg import ACROSS

TINTS = {INK: X_CELLS, QUERY: Q_CELLS, KEY: K_CELLS, VALUE: V_CELLS}  # {a role's colour: its cells' colours}
CELL, GAP = 0.335, 0.28  # inches: a cell's side, the room between neighbours


ROLES = (  # a role, its colour, the question it answers, and what happens to it
    ("query", QUERY, "what am I looking for?", "meets every word's key and gives six scores"),
    ("key", KEY, "how can I be found?", "meets the query of every word"),
    ("value", VALUE, "what do I hand over?", "is mixed with the other values, using the weights"),
)


def roles_figure(word: str, x: Tensor) -> Picture:
    """Draw one word's vector x, (C,), above the three vectors made from it, a panel for each."""
    figure, (above, *below) = sheet(3.0, 1 + len(ROLES))
    headline(figure, "One word has three roles")
    branch, top, width, apart = 1.72, 1.32, 2.45, 2.65  # inches: where the line branches, the boxes
    numbers = "  ".join(f"{number:.2f}" for number in x.tolist())
    put = dict(ha="center", va="center")
    with mpl.rc_context(STYLE):
        above.text(WIDTH / 2, 2.46, word, weight="bold", fontsize=12, **put)
        above.text(WIDTH / 2, 2.2, f"x = [{numbers}]", fontsize=SMALL, **put)
        above.text(WIDTH / 2, 1.97, "private: no other word sees it", fontsize=SMALL, color=FAINT, **put)
        above.plot([WIDTH / 2] * 2, [1.86, branch], color=INK, linewidth=1.8, gid=ACROSS)
        for n, (axes, (role, colour, asks, then)) in enumerate(zip(below, ROLES, strict=True)):
            left = 0.025 + n * apart
            middle = left + width / 2
            ends = max(left - 0.1, 0.025 + width / 2), min(left + apart - 0.1, WIDTH - 0.025 - width / 2)
            axes.plot(ends, [branch] * 2, color=INK, linewidth=1.8, gid=ACROSS)
            _arrow(axes, [(middle, branch), (middle, top + 0.02)], colour)
            axes.text(middle + 0.12, 1.52, f"x @ W_{role[0]}", va="center", fontsize=SMALL)
            axes.add_patch(
                FancyBboxPatch(
                    (left, 0.1), width, top - 0.1, boxstyle="round,pad=0,rounding_size=0.08",
                    facecolor=tint(colour, 0.18), edgecolor=colour, linewidth=1.6,
                )  # fmt: skip
            )
            axes.text(middle, 1.1, role, weight="bold", fontsize=12, **put)
            axes.text(middle, 0.8, asks, weight="bold", **put)
            for line, text in enumerate(textwrap.wrap(then, 26)):
                axes.text(middle, 0.5 - 0.2 * line, text, fontsize=SMALL, **put)
    return picture(
        figure,
        f"Three arrows lead from x, the vector of '{word}', to three boxes. "
        + " ".join(f"The {role}: {asks} It {then}." for role, _, asks, then in ROLES),
    )


def head_figure(
    x: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor, words: Sequence[str], row: int = 1
) -> Picture:
    """Draw x -> q, k, v -> weights -> mix, with each weight in its query's row and its key's column.

    The sentence is about one `row`. A narrow page has three panels: the queries made from x, the
    weights, and the mixed values. The arrow of the values runs through all of them.
    """
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    weights = attention_weights(attention_scores(q, k))
    out = weights @ v
    (T, C), D, Dv = x.shape, q.shape[1], v.shape[1]
    floor, high = 0.82, T * CELL
    middle, above = floor + high / 2, floor + high + 0.42
    widths = (C, D, T, Dv, Dv)
    gaps = (0.62, 0.9, GAP, GAP + 0.14, GAP + 0.14)
    lefts = [sum(gaps[: n + 1]) + sum(widths[:n]) * CELL for n in range(5)]
    figure, panels = sheet(above + D * CELL + 0.86, 3)
    for axes, name in zip(panels, ("made", "weighed", "mixed"), strict=True):
        axes.set_gid(name)
    made, weighed, mixed = panels
    headline(figure, "x is projected three times, and the weights mix the values")
    parts = (
        ("x", x, INK), ("q", q, QUERY), ("weights", weights, None), ("v", v, VALUE),
        ("out", out, VALUE),
    )  # fmt: skip
    homes = made, made, weighed, mixed, mixed
    for left, home, (name, matrix, colour) in zip(lefts, homes, parts, strict=True):
        _matrix(home, left, floor, matrix, colour, words if name == "x" else ())
        rows, columns = matrix.shape
        place = left + columns * CELL / 2
        put = dict(ha="center", weight="bold", color=colour or INK)
        if name == "weights":
            says = f"weights ({T}, {T}) = softmax(q kᵀ / √{D})"
            home.text(place, floor - 0.2, says, ha="center", weight="bold", color=INK)
        else:
            home.text(place, floor + high + 0.1, f"{name} ({rows}, {columns})", **put)
    _matrix(weighed, lefts[2], above, k.T, KEY, (), words)
    beside = lefts[2] + T * CELL + 0.12
    key_is = f"kᵀ ({D}, {T})\na column\nis one\nword's key"
    weighed.text(beside, above + D * CELL / 2, key_is, va="center", color=KEY, weight="bold")
    for home, left, sign in ((weighed, lefts[3], "@"), (mixed, lefts[4], "=")):
        place = left - (GAP + 0.14) / 2
        home.text(place, middle, sign, ha="center", va="center", fontsize=14, color=INK)
    right = lefts[0] + C * CELL
    centre = lefts[0] + C * CELL / 2
    _arrow(made, [(right + 0.08, middle), (lefts[1] - 0.08, middle)], QUERY)
    made.text((right + lefts[1]) / 2, middle + 0.09, f"W_q ({C}, {D})", ha="center", color=QUERY)
    level = above + D * CELL / 2
    _arrow(made, [(centre, floor + high + 0.32), (centre, level), (lefts[2] - 0.08, level)], KEY)
    made.text(right + 0.1, level + 0.09, f"W_k ({C}, {D})", color=KEY)
    under, end = 0.24, lefts[3] + Dv * CELL / 2
    first, last = lefts[2] - 0.08, lefts[3] - 0.2
    line = dict(color=VALUE, linewidth=1.8)
    made.plot([centre, centre, first], [floor - 0.08, under, under], **line)
    made.text(right + 0.1, under + 0.09, f"W_v ({C}, {Dv})", color=VALUE)
    weighed.plot([first, last], [under, under], **line)
    _arrow(mixed, [(last, under), (end, under), (end, floor - 0.08)], VALUE)
    (most, then), (best, other) = (each.tolist() for each in weights[row].topk(2))
    mixes = ", ".join(f"{number:.4f}" for number in out[row].tolist())
    return picture(
        figure,
        f"x, {T} words by {C} channels, is projected three times: by W_q to queries of shape "
        f"({T}, {D}), by W_k to keys, drawn transposed as ({D}, {T}), by W_v to values of shape "
        f"({T}, {Dv}). Each weight is where the row of its query meets the column of its key. In "
        f"the row of '{words[row]}' the largest weight is {most:.4f}, for '{words[best]}', "
        f"and the next is {then:.4f}, for '{words[other]}'; that row mixes the values to [{mixes}].",
    )


def _matrix(panel: Axes, left, bottom, matrix: Tensor, colour, rows=(), columns=()) -> None:
    """Draw a heat map with its corner at this point of a panel, framed in the colour of its role."""
    figure = panel.figure
    width, height = figure.get_size_inches()
    down, across = matrix.shape
    place = [left / width, bottom / height, across * CELL / width, down * CELL / height]
    with mpl.rc_context(STYLE):
        axes = figure.add_axes(place, gid=panel.get_gid())
    if colour is None:
        heat_map(axes, matrix)
    else:
        reach = float(matrix.abs().max())
        heat_map(axes, matrix, low=-reach, high=reach, colours=TINTS[colour])
    axes.set_xticks([] if not columns else range(across), columns or None)
    axes.set_yticks([] if not rows else range(down), rows or None)
    axes.tick_params(axis="x", labeltop=True, labelbottom=False, rotation=40)
    axes.spines[:].set(visible=True, color=colour or INK, linewidth=1.8 if colour else 1.0)


def _arrow(axes, points: Sequence[tuple[float, float]], colour: str) -> None:
    """Draw a line through the points with a tip at the last one."""
    if len(points) > 2:
        axes.plot(*zip(*points[:-1], strict=True), color=colour, linewidth=1.8)
    tip = dict(arrowstyle="-|>", color=colour, linewidth=1.8, shrinkA=0, shrinkB=0)
    axes.annotate("", xy=points[-1], xytext=points[-2], arrowprops=tip)
