"""Chapter 09: what a causal attention module is made of, and row sums under dropout."""

from collections.abc import Sequence

import matplotlib as mpl
import torch
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch
from torch import Tensor

from course.draw.picture import (
    FAINT,
    INK,
    KEY,
    QUERY,
    SMALL,
    STYLE,
    VALUE,
    Picture,
    canvas,
    headline,
    heat_map,
    picture,
    place,
    row_sums,
    sheet,
    tint,
)
from course.draw.svg import ACROSS

MEMBER = tint(INK, 0.06)  # the colour of members that aren't learned


def anatomy_figure(
    x: Tensor, query: Tensor, key: Tensor, value: Tensor, mask: Tensor, dropout: float
) -> Picture:
    """Draw the module as a path from x to out: boxes are its members, and text is what each call computes.

    `query`, `key` and `value` are the layers' weights, (D, C); `mask` is (block, block).
    """
    (B, T, C), Dv = x.shape, value.shape[0]
    figure, (made, weighed, mixed) = sheet(4.1, 3)
    headline(figure, "Three layers are learned, the mask isn't, and dropout acts only in training")
    for axes in (made, weighed, mixed):
        axes.set(xlim=(0, 8.5))
    with mpl.rc_context(STYLE):
        _tensor(made, 0.45, 2.0, "x", (B, T, C), INK)
        layers = (
            ("query", query, QUERY, 2.9),
            ("key", key, KEY, 2.0),
            ("value", value, VALUE, 0.6),
        )
        for name, weight, colour, y in layers:
            says = f"{name}: Linear\n{weight.numel()} numbers"
            _box(made, 1.65, y, says, tint(colour, 0.3))
            _arrow(made, [(0.86, 2.0), (1.06, y)], FAINT)
            _arrow(made, [(2.23, y), (2.45, y)], colour)
            _tensor(made, 2.85, y, name[0], (B, T, weight.shape[0]), colour)
        _tensor(weighed, 4.05, 2.0, "scores", (B, T, T), INK)
        _arrow(weighed, [(3.25, 2.78), (3.62, 2.2)], QUERY)
        _arrow(weighed, [(3.25, 2.0), (3.62, 2.0)], KEY)
        says = f"mask: buffer\n{tuple(mask.shape)}, cut\nto ({T}, {T})"
        _box(weighed, 5.25, 2.0, says, MEMBER, height=0.68)
        _tensor(weighed, 6.45, 2.0, "weights", (B, T, T), INK)
        weighed.text(5.85, 2.62, "softmax: rows sum to 1", ha="center", fontsize=SMALL, color=INK)
        for left, right in ((4.48, 4.67), (5.83, 6.02)):
            _arrow(weighed, [(left, 2.0), (right, 2.0)], INK)
        _box(mixed, 7.65, 2.0, f"dropout\np = {dropout:g}", MEMBER)
        _tensor(mixed, 7.65, 0.6, "out", (B, T, Dv), INK)
        _arrow(mixed, [(6.88, 2.0), (7.07, 2.0)], INK)
        _arrow(mixed, [(7.65, 1.68), (7.65, 0.86)], INK)
        _arrow(mixed, [(3.25, 0.6), (7.22, 0.6)], VALUE, gid=ACROSS)
        mixed.text(7.75, 1.25, "@ v", fontsize=9, va="center")
        notes = (
            (made, 1.65, 3.45, "learned, saved, moved"),
            (weighed, 5.25, 3.0, "moved, not saved,\nnot learned"),
            (mixed, 7.65, 2.6, "acts only in training"),
        )
        for axes, left, y, note in notes:
            axes.text(left, y, note, ha="center", va="center", fontsize=SMALL, style="italic")
        legend = "box: a member of the module\nno box: computed on each call"
        weighed.text(5.25, 1.05, legend, ha="center", fontsize=SMALL, color=INK)
    learned = query.numel() + key.numel() + value.numel()
    return picture(
        figure,
        f"The figure shows the path from x, ({B}, {T}, {C}), to out, ({B}, {T}, {Dv}). Three Linear "
        f"layers make queries, keys and values; their {learned} numbers are learned and saved. The "
        f"mask, {mask.numel()} entries for up to {mask.shape[0]} positions, is a buffer: it moves "
        f"with the module, but is neither learned nor saved. Here its ({T}, {T}) corner is used. "
        f"Dropout with p = {dropout:g} acts on the weights, but only in training.",
    )


def row_sums_figure(
    weights: Tensor,
    noise: Tensor,
    p: float,
    words: Sequence[str],
    draw: int = 0,
    training: bool = True,
) -> Picture:
    """Draw dropout on (T, T) weights: one draw with its row sums, and their spread over all draws.

    `noise` is (N, T, T), uniform from 0 to 1; a weight stays if its noise is p or more.
    """
    after = weights.expand_as(noise)
    if training:
        after = after * (noise >= p) / (1 - p)
    sums = after.sum(dim=-1)  # (N, T)
    mean, silent = sums.mean(dim=0), (sums == 0).float().mean(dim=0)
    low, high = torch.quantile(sums, torch.tensor([0.05, 0.95]), dim=0)
    T, mine = len(words), sums[draw].tolist()
    figure, (left, right) = canvas(3.4, 2, layout=None)
    place(left, 0.8, 0.75, 2.3, 2.3)  # so the rows of both panels are level
    place(right, 4.6, 0.75, 2.7, 2.3)
    mode = "training" if training else "evaluation"
    heat_map(
        left, after[draw], title=f"weights after dropout, {mode}, p = {p:g}", rows=words,
        columns=words, row_axis="query (who looks)", column_axis="key (at whom)",
    )  # fmt: skip
    with mpl.rc_context(STYLE):
        left.tick_params(axis="x", rotation=30)
        row_sums(left, mine, T - 0.35, off=INK)  # not red, because it isn't a mistake
        places = range(T)
        edge = max(2.2, 1.04 * float(high.max()), 1.04 * max(mine))
        right.axvline(1, color=FAINT, linewidth=1)
        right.hlines(places, low.tolist(), high.tolist(), color=FAINT, linewidth=4)
        right.plot(mean.tolist(), places, "o", color=QUERY, markersize=6)
        right.plot(mine, places, "x", color=INK, markersize=7, markeredgewidth=2)
        for t, share in enumerate(silent.tolist()):
            right.text(edge * 1.02, t, f"{share:.0%}", va="center", fontsize=SMALL)
        right.text(edge * 1.02, T - 0.1, "silent", va="center", fontsize=SMALL)
        right.set_xticks([n / 2 for n in range(int(edge * 2) + 1)])
        right.set(xlim=(-0.04 * edge, edge * 1.15), ylim=(T - 0.5, -0.5), yticks=[])
        right.set_xlabel(f"row sum: mean (dot), this draw (x),\n5 to 95% of {len(noise)} draws (bar)",
                         fontsize=SMALL)  # fmt: skip
        right.tick_params(labelsize=SMALL, length=2)
        right.set_title("row sums are 1 on average" if training else "every row sums to 1")
    shown = ", ".join(f"{total:.2f}" for total in mine)
    if not training:
        says = f"In evaluation mode dropout does nothing, whatever p is. The rows sum to [{shown}]."
    else:
        says = (
            f"In training with p = {p:g}, in draw {draw + 1}, the rows sum to [{shown}]. Over "
            f"{len(noise)} draws their means lie between {float(mean.min()):.2f} and "
            f"{float(mean.max()):.2f}. '{words[0]}' doesn't hear any word in "
            f"{float(silent[0]):.0%} of the draws, and '{words[-1]}' in {float(silent[-1]):.0%}."
        )
    return picture(figure, says)


def _tensor(axes: Axes, x: float, y: float, name: str, shape: tuple, colour: str) -> None:
    """Draw a tensor on the path: its name above its shape."""
    axes.text(x, y + 0.09, name, ha="center", va="center", weight="bold", color=colour)
    axes.text(x, y - 0.12, str(shape), ha="center", va="center", fontsize=SMALL, color=colour)


def _box(
    axes: Axes, x: float, y: float, says: str, colour, height: float = 0.5
) -> None:
    """Draw a member of the module."""
    axes.add_patch(
        FancyBboxPatch(
            (x - 0.52, y - height / 2),
            1.04,
            height,
            boxstyle="round,pad=0.05",
            facecolor=colour,
            edgecolor=INK,
            linewidth=1,
        )  # fmt: skip
    )
    axes.text(x, y, says, ha="center", va="center", fontsize=SMALL)


def _arrow(
    axes: Axes, points: list[tuple[float, float]], colour: str, gid: str | None = None
) -> None:
    tip = dict(arrowstyle="-|>", color=colour, linewidth=1.5, shrinkA=0, shrinkB=0)
    axes.annotate("", xy=points[1], xytext=points[0], arrowprops=tip).arrow_patch.set_gid(gid)
