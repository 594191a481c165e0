"""Chapters 05 to 10: scores, weights and contexts next to each other; a query among arrows."""

import math
from collections.abc import Sequence

import matplotlib as mpl
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from torch import Tensor

from course.draw.picture import (
    FAINT,
    KEY,
    OFF,
    PALE,
    PAPER,
    QUERY,
    SHADE,
    SIGNED,
    SMALL,
    STYLE,
    V_CELLS,
    VALUE,
    WIDTH,
    Picture,
    canvas,
    headline,
    heat_map,
    picture,
    place,
    row_sums,
    tint,
)

NUMBER = 0.3  # inches: narrower cells don't show their numbers
REACH = 2.5  # the plane of a query goes from -REACH to REACH


def attention_figure(
    scores: Tensor,
    weights: Tensor,
    contexts: Tensor,
    queries: Sequence[str] = (),
    keys: Sequence[str] = (),
    *,
    row: int | None = None,
    title: str = "",
    causal: bool = False,
) -> Picture:
    """Draw scores -> weights -> contexts. Rows are queries, columns are keys; `row`, if given, is marked.

    The shapes are (Tq, Tk), (Tq, Tk) and (Tq, Dv), without batch or heads. Scores of -inf are grey. The
    sum of each row is next to the weights. With `causal`, weights on the future are red. Without names
    of `keys`, those of the `queries` are used. Raises ValueError for other shapes.
    """
    shapes = tuple(scores.shape), tuple(weights.shape), tuple(contexts.shape)
    if [len(shape) for shape in shapes] != [2, 2, 2] or not (
        shapes[0] == shapes[1] and shapes[0][0] == shapes[2][0]
    ):
        raise ValueError(
            f"scores, weights, contexts: expected shapes (Tq, Tk), (Tq, Tk) and (Tq, Dv), got "
            f"{shapes[0]}, {shapes[1]} and {shapes[2]}; index the batch and the head first"
        )
    Tq, Tk = scores.shape
    scores, weights, contexts = (t.detach().float() for t in (scores, weights, contexts))
    queries = list(queries) or [str(t) for t in range(Tq)]
    keys = list(keys) or (queries if Tk == Tq else [str(t) for t in range(Tk)])
    Dv = contexts.shape[1]
    figure, axes, cell = _three_maps(queries, keys, Dv)
    digits = 2 if cell > NUMBER else None
    headline(figure, title or _finding(weights, queries, keys, row))
    blocked = scores == float("-inf")
    shown = scores.masked_fill(blocked, 0.0)
    heat_map(
        axes[0], shown, title=f"scores ({Tq}, {Tk})", row_axis="query (who looks)", rows=queries,
        columns=keys, column_axis="key (at whom)", digits=digits, **_signed(shown),
    )  # fmt: skip
    heat_map(
        axes[1], weights, title=f"weights ({Tq}, {Tk})", columns=keys,
        column_axis="key (at whom)", digits=digits, causal=causal,
    )  # fmt: skip
    heat_map(
        axes[2], contexts, title=f"contexts ({Tq}, {Dv})", column_axis="channel", digits=digits,
        **(_signed(contexts) | dict(colours=V_CELLS) if digits else _signed(contexts)),
    )  # fmt: skip
    with mpl.rc_context(STYLE):
        _block(axes[0], blocked)
        row_sums(axes[1], weights.sum(dim=-1).tolist(), weights.shape[1] - 0.4)
        for ax, colour in zip(axes, (KEY, KEY, VALUE), strict=True):
            for side, role in (("left", QUERY), ("bottom", colour)):
                ax.spines[side].set(visible=True, color=role, linewidth=3.5)
        for ax in axes[1:]:
            ax.set_yticks([])
        if max(map(len, keys)) > 2:
            for ax in axes[:2]:
                ax.set_xticks(range(Tk), keys, rotation=45, ha="right", rotation_mode="anchor")
        if row is not None:
            for ax, width in zip(axes, (Tk, Tk, Dv), strict=True):
                ax.add_patch(_frame(row, width))
    return picture(figure, _sentence(scores, weights, contexts, queries, keys, row))


def arrows_figure(
    query: Tensor,
    keys: Tensor,
    words: Sequence[str],
    reach: float = REACH,
    values: Tensor | None = None,
    scale: float = 1.0,
) -> Picture:
    """Draw a query among 2-D keys as arrows, and its weights as bars. `values` are drawn as dots; without
    them, the keys are also the values.

    Both axes of the plane go from -reach to reach.
    """
    scores = scale * (keys @ query)
    weights = torch.softmax(scores, dim=-1)
    context = weights @ (keys if values is None else values)
    length = float(query.norm())
    winner, last = int(weights.argmax()), int(weights.argmin())
    title = "equal weights for all"
    says = f"a query of length 0 asks nothing: every weight is {float(weights[0]):.4f}"
    if length:
        angle = round(math.degrees(math.atan2(float(query[1]), float(query[0])))) % 360
        title = f"{words[winner]} is heard most: {float(weights[winner]):.2f}"
        says = (
            f"the query at {angle}\N{DEGREE SIGN} with length {length:.2f} listens most to "
            f"'{words[winner]}', weight {float(weights[winner]):.4f}, and least to "
            f"'{words[last]}', weight {float(weights[last]):.4f}"
        )
    figure, (plane, bars) = canvas(4.2, 2)
    figure.set_layout_engine("none")
    with mpl.rc_context(STYLE):
        place(plane, 0.4, 0.35, 3.6, 3.6)
        place(bars, 4.75, 0.6, 2.95, 3.2)
        _plane(plane, query, keys, context, words, reach)
        if values is not None:
            plane.plot(*values.T.tolist(), "o", color=VALUE, markersize=4, zorder=4)
        colours = [QUERY if n == winner and length else PALE for n in range(len(words))]
        bars.barh(range(len(words)), weights.tolist(), color=colours)
        for n, (weight, score) in enumerate(zip(weights.tolist(), scores.tolist(), strict=True)):
            bars.text(weight + 0.015, n, f"{weight:.2f}", va="center", fontsize=SMALL)
            bars.text(1.34, n, f"{score:.2f}", va="center", ha="right", fontsize=SMALL)
        bars.text(1.34, -0.75, "score", ha="right", fontsize=SMALL)
        bars.set_yticks(range(len(words)), words)
        bars.set(xlim=(0, 1.36), ylim=(len(words) - 0.5, -1.1), xlabel="weight")
        bars.set_xticks([0, 0.5, 1])
        bars.tick_params(labelsize=9, length=2)
        bars.set_title(title)
    numbers = ", ".join(f"{value:.4f}" for value in context.tolist())
    return picture(figure, f"Among {len(words)} arrows {says}. The context is [{numbers}].")


def _plane(axes: Axes, query: Tensor, keys: Tensor, context: Tensor, words, reach: float) -> None:
    """Draw the arrows of the query (below the others), of the keys with their words, and of the context."""
    _arrow(axes, query.tolist(), QUERY, 4.0)
    for x, y in keys.tolist():
        _arrow(axes, (x, y), KEY, 1.8)
    for word, (x, y) in zip(words, _label_places(keys.tolist(), reach), strict=True):
        axes.text(
            x, y, word, ha="center", va="center", fontsize=9, zorder=5,
            bbox=dict(facecolor=tint(PAPER, 0.75), edgecolor="none", pad=0.6),
        )  # fmt: skip
    _arrow(axes, context.tolist(), VALUE, 2.6)
    axes.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    axes.axhline(0, color=FAINT, linewidth=0.5, zorder=0)
    axes.axvline(0, color=FAINT, linewidth=0.5, zorder=0)
    axes.tick_params(labelsize=SMALL, length=2)
    for colour, name in ((QUERY, "query"), (KEY, "keys"), (VALUE, "context")):
        axes.plot([], [], color=colour, linewidth=2.6, label=name)
    corners = {"lower left": (-1, -1), "upper left": (-1, 1), "lower right": (1, -1), "upper right": (1, 1)}
    tips = [*keys.tolist(), query.tolist()]
    far = {name: min(math.dist((reach * x, reach * y), tip) for tip in tips) for name, (x, y) in corners.items()}
    first = next((name for name in corners if far[name] > 0.7 * reach), max(far, key=far.get))
    axes.legend(loc=first, fontsize=SMALL, frameon=False, handlelength=1.2)


def _label_places(tips: Sequence[Sequence[float]], reach: float) -> list[tuple[float, float]]:
    """The positions of the arrows' words: just beyond the tips, or further down if two words would touch."""
    places = [(x + 0.11 * reach * x / r, y + 0.11 * reach * y / r) for x, y in tips if (r := math.hypot(x, y) or 1)]
    wide, high = 0.28 * reach, 0.1 * reach
    done: list[int] = []
    for n in sorted(range(len(places)), key=lambda n: -places[n][1]):
        x, y = places[n]
        while any(abs(x - places[m][0]) < wide and abs(y - places[m][1]) < 0.99 * high for m in done):
            y -= 0.1 * high
        places[n] = x, y
        done.append(n)
    return places


def _three_maps(
    queries: Sequence[str], keys: Sequence[str], Dv: int
) -> tuple[Figure, list[Axes], float]:
    """A figure, three axes whose cells have the same size, so that their rows are aligned, and that size."""
    Tq, Tk = len(queries), len(keys)
    left = 0.4 + 0.08 * max(map(len, queries))
    below = 0.45 + (0.06 * max(map(len, keys)) if max(map(len, keys)) > 2 else 0.0)
    cell = min(0.44, (WIDTH - left - 1.3) / (2 * Tk + max(Dv, 3)))
    places = [left, left + cell * Tk + 0.3, left + 2 * cell * Tk + 1.1]
    figure, axes = canvas(cell * Tq + below + 0.75, 3, layout=None)
    for ax, x, columns in zip(axes, places, (Tk, Tk, Dv), strict=True):
        place(ax, x, below, cell * columns, cell * Tq)
    return figure, axes, cell


def _finding(weights: Tensor, queries: Sequence[str], keys: Sequence[str], row: int | None) -> str:
    """A title that names the largest weight, its query and its key: in the marked row, or in all rows."""
    q, k = _largest(weights, row)
    return f"{queries[q]} gives {keys[k]} a weight of {float(weights[q, k]):.2f}, " + (
        "the largest of all" if row is None else "its largest"
    )


def _sentence(scores, weights, contexts, queries, keys, row: int | None) -> str:
    q, k = _largest(weights, row)
    allowed = scores[q] != float("-inf")
    least = int(weights[q].masked_fill(~allowed, float("inf")).argmin())
    parts = [
        f"Scores, weights and contexts of {len(queries)} queries, the rows, over {len(keys)} "
        f"keys, the columns.",
        f"The query '{queries[q]}' gives its largest weight, {float(weights[q, k]):.4f}, to "
        f"'{keys[k]}'",
    ]
    if len(keys) > 1 and bool(torch.all(weights[q] == weights[q, k])):
        parts[-1] = (
            f"The query '{queries[q]}' gives the same weight, {float(weights[q, k]):.4f}, to "
            f"every key"
        )
    elif least != k:
        among = "" if bool(allowed.all()) else " of those it may look at"
        parts[-1] += (
            f" and its smallest{among}, {float(weights[q, least]):.4f}, to '{keys[least]}'"
        )
    if contexts.shape[1] <= 4:
        numbers = ", ".join(f"{value:.4f}" for value in contexts[q].tolist())
        parts[-1] += f"; its context is [{numbers}]"
    parts[-1] += "."
    if blocked := int((scores == float("-inf")).sum()):
        parts.append(f"{blocked} of the {scores.numel()} scores are -inf.")
    sums = weights.sum(dim=-1)
    if bool(((sums - 1).abs() <= OFF).all()):
        parts.append("Every row of the weights sums to 1.")
    else:
        parts.append(
            f"The rows of the weights do not all sum to 1: their sums go from "
            f"{float(sums.min()):.2f} to {float(sums.max()):.2f}."
        )
    return " ".join(parts)


def _largest(weights: Tensor, row: int | None) -> tuple[int, int]:
    """Row and column of the largest weight, in one row or in all rows."""
    if row is not None:
        return row, int(weights[row].argmax())
    return divmod(int(weights.argmax()), weights.shape[1])


def _signed(matrix: Tensor) -> dict:
    """The options of a colour scale with 0 in its middle, for numbers that can be negative."""
    most = 1.3 * float(matrix.abs().max()) or 1.0  # times 1.3, so that no cell is too dark
    return dict(low=-most, high=most, colours=SIGNED)


def _block(axes: Axes, blocked: Tensor) -> None:
    for r, c in blocked.nonzero().tolist():
        axes.add_patch(Rectangle((c - 0.5, r - 0.5), 1, 1, color=SHADE, linewidth=0, zorder=4))
        axes.text(
            c, r, "\N{MINUS SIGN}\N{INFINITY}", ha="center", va="center", fontsize=SMALL, zorder=5
        )


def _frame(row: int, width: int) -> Rectangle:
    return Rectangle((-0.5, row - 0.5), width, 1, fill=False, edgecolor=QUERY, lw=2, zorder=6)


def _arrow(axes: Axes, end: Sequence[float], colour: str, width: float) -> None:
    axes.annotate(
        "", end, (0, 0),
        arrowprops=dict(arrowstyle="-|>", color=colour, lw=width, shrinkA=0, shrinkB=0),
    )  # fmt: skip
