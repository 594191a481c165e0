"""Chapter 08: masks side by side, who notices when a position changes, and a curtain over a sentence."""

from collections.abc import Mapping, Sequence
from statistics import mean

import matplotlib as mpl
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from torch import Tensor

from chapters.ch08.leaking_twins import curtain
from course.draw.picture import (
    INK,
    LIGHT,
    QUERY,
    SEEN,
    SHADE,
    SMALL,
    STYLE,
    WIDTH,
    WRONG,
    Picture,
    canvas,
    headline,
    heat_map,
    name_rows,
    picture,
    place,
)

LEAK = SEEN  # a smaller change is rounding
OPEN, CLOSED, AHEAD = QUERY, LIGHT, WRONG


def mask_gallery(masks: Mapping[str, Tensor], words: Sequence[str]) -> Picture:
    """Draw square masks side by side (True: may look), with open cells in the future in red."""
    figure, axes = canvas(2.7, len(masks), layout=None)
    leaky = " and ".join(name for name, mask in masks.items() if _ahead(mask))
    headline(figure, f"A word sees its future, in red: {leaky}" if leaky else "No future is seen")
    side = (WIDTH - 0.75) / len(masks) - 0.1
    for n, (ax, (name, mask)) in enumerate(zip(axes, masks.items(), strict=True)):
        place(ax, 0.75 + n * (side + 0.1), 0.95, side, side)
        _squares(ax, mask, words, rows=n == 0)
        with mpl.rc_context(STYLE):
            ax.set_title(name, fontsize=9)
            ax.set_xlabel(_short_count(mask), fontsize=SMALL)
    said = "; ".join(f"{name}: {_count(mask, words)}" for name, mask in masks.items())
    return picture(
        figure,
        f"The figure shows {len(masks)} masks over the same {len(words)} words. Each row "
        f"is a word that looks, and each column is a word that it may look at. Open cells are blue, or red if they are in the future. {said}.",
    )


def leak_figure(
    weights: Mapping[str, Tensor], ripples: Mapping[str, Tensor], words: Sequence[str]
) -> Picture:
    """Draw the weights of each rule and, below them, its ripples: which output notices which word.

    Row i, column j of a ripple says how much output i changes when input j changes.
    """
    most = max(float(ripple.nan_to_num(0).max()) for ripple in ripples.values()) or 1.0
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 4.7), layout="constrained")
        axes = figure.subplots(2, len(weights), squeeze=False)
    headline(figure, _leak_title(weights, ripples))
    for n, name in enumerate(weights):
        for ax in axes[:, n]:
            ax.set_gid(f"rule {n}")  # both maps stay together on a narrow page
        ends = dict(rows=words if n == 0 else [""] * len(words), lean=True)
        _map(
            axes[0][n], weights[name], title=name, columns=[""] * len(words),
            row_axis="weights" if n == 0 else "", **ends,
        )  # fmt: skip
        _map(
            axes[1][n], ripples[name], high=1.25 * most, columns=words,
            row_axis="who notices" if n == 0 else "", column_axis="word that changed", **ends,
        )  # fmt: skip
        with mpl.rc_context(STYLE):
            axes[0][n].set_title(name, fontsize=9, weight="normal")
    said = " ".join(
        f"{name}: {_largest_weight_ahead(weights[name])}, and {_leak(ripples[name], words)}."
        for name in weights
    )
    return picture(
        figure,
        f"The top row shows the weights under {len(weights)} rules. The bottom row shows how much "
        f"each output changes when we change one word. {said}",
    )


def painted_figure(
    mask: Tensor, weights: Tensor, ripple: Tensor, words: Sequence[str]
) -> Picture:
    """Draw a mask, the weights under it, and the ripples."""
    figure, axes = canvas(3.3, 3, layout=None)
    for n, ax in enumerate(axes):
        place(ax, 0.85 + n * 2.35, 0.8, 2.2, 2.2)
    _squares(axes[0], mask, words, rows=True)
    with mpl.rc_context(STYLE):
        axes[0].set_title("mask")
        axes[0].set_xlabel("key (looked at)")
        axes[0].set_ylabel("query (who looks)")
    _map(axes[1], weights, title="weights", rows=[""] * len(words), columns=words)
    axes[1].set_xlabel("key (looked at)")
    _map(axes[2], ripple, title="who notices", rows=[""] * len(words), columns=words)
    axes[2].set_xlabel("word that changed")
    return picture(figure, painted_sentence(mask, ripple, words))


def painted_sentence(mask: Tensor, ripple: Tensor, words: Sequence[str]) -> str:
    """The sentence of `painted_figure`."""
    leak = _leak(ripple, words)
    return f"The mask has {_count(mask, words)}. {leak[0].upper()}{leak[1:]}."


def curtain_figure(words: Sequence[str], row: int, twin: Mapping, n_stories: int) -> Picture:
    """Draw a sentence behind its curtain, the mask, and the losses of the twin that is trained with it.

    `twin` has a `name`, a `diagonal` (None for no mask) and, for each seed, its loss in `training`, its
    loss `alone` (with no future to read), and how many of its `n_stories` are well `formed`.
    """
    figure, (line, square) = canvas(2.9, 2, layout=None)
    T = len(words)
    place(line, 0.05, 0.6, 3.5, 1.8)
    place(square, 4.9, 0.65, 1.9, 1.9)
    mask = curtain(T, twin["diagonal"])
    _squares(square, mask, words, rows=True)
    with mpl.rc_context(STYLE):
        for j, word in enumerate(words):
            _behind(line, j, word, row, bool(mask[row, j]))
        told = f"loss in training {mean(twin['training']):.4f}, with no future {mean(twin['alone']):.4f}"
        line.text(0, 1.75, f"its twin: {told}", fontsize=SMALL, va="center")
        line.set(xlim=(0, T), ylim=(2.2, -0.6))
        line.set_axis_off()
    headline(figure, f"{_mask_name(twin)}: what '{words[row]}' sees")
    return picture(figure, curtain_sentence(words, row, twin, n_stories))


def curtain_sentence(words: Sequence[str], row: int, twin: Mapping, n_stories: int) -> str:
    """The sentence of `curtain_figure` and of its explorer."""
    mask, name = curtain(len(words), twin["diagonal"]), _mask_name(twin)
    ahead = [repr(word) for word, seen in zip(words[row + 1 :], mask[row, row + 1 :], strict=True) if seen]
    leaks = f"and its future leaks: {' and '.join(ahead)}" if ahead else "and none of its future"
    return (
        f"With {name}, '{words[row]}' sees {int(mask[row].sum())} of {len(words)} words, {leaks}. "
        f"{_ahead(mask)} of the {int(mask.sum())} open cells of the mask are in the future. A twin trained with it "
        f"has a loss of {mean(twin['training']):.4f} in training and of {mean(twin['alone']):.4f} with no future to "
        f"read. Of its {n_stories} stories, {mean(twin['formed']):.0f} are well formed."
    )


def _mask_name(twin: Mapping) -> str:
    return twin["name"] if twin["diagonal"] is None else f"diagonal={twin['name']}"


def _behind(axes: Axes, j: int, word: str, row: int, seen: bool) -> None:
    """Draw a word of the sentence in its cell: open, with a red frame if it is in the future, or hidden."""
    leaks = seen and j > row
    if not seen:
        axes.add_patch(Rectangle((j, -0.5), 1, 1, color=SHADE, lw=0))
    elif leaks or j == row:
        axes.add_patch(Rectangle((j + 0.04, -0.48), 0.92, 0.96, fill=False, lw=2, edgecolor=WRONG if leaks else QUERY))
    axes.text(j + 0.5, 0, word if seen else "", ha="center", va="center", fontsize=11)
    note = "looks" if j == row else "leaks" if leaks else "to guess" if j == row + 1 else ""
    axes.text(j + 0.5, 0.8, note, ha="center", va="center", fontsize=SMALL)


def _squares(axes: Axes, mask: Tensor, words: Sequence[str], rows: bool) -> None:
    """Draw a mask as squares: blue where a row may look, but red where it may look at its future."""
    T = len(words)
    with mpl.rc_context(STYLE):
        for r in range(T):
            for c in range(T):
                colour = (AHEAD if c > r else OPEN) if mask[r, c] else CLOSED
                axes.add_patch(Rectangle((c - 0.46, r - 0.46), 0.92, 0.92, color=colour, lw=0))
        axes.set(xlim=(-0.5, T - 0.5), ylim=(T - 0.5, -0.5), aspect="equal")
        name_rows(axes, words if rows else [""] * T)
        axes.set_xticks(range(T), words, rotation=45, ha="right", rotation_mode="anchor")
        axes.tick_params(length=0, labelsize=SMALL, pad=1)
        axes.spines[:].set_visible(False)


def _map(axes: Axes, matrix: Tensor, *, columns: Sequence[str], **options) -> None:
    """Draw a heat map that marks each nan and every non-zero cell of the future."""
    matrix = matrix.detach()
    lost = matrix.isnan()
    heat_map(axes, matrix.nan_to_num(0), columns=columns, causal=True, **options)
    with mpl.rc_context(STYLE):
        axes.set_xticks(
            range(len(columns)), columns, rotation=45, ha="right", rotation_mode="anchor"
        )
        axes.tick_params(labelsize=SMALL, pad=1)
        for r, c in lost.nonzero().tolist():
            axes.add_patch(Rectangle((c - 0.5, r - 0.5), 1, 1, color=SHADE, lw=0, zorder=4))
            axes.text(c, r, "nan", ha="center", va="center", fontsize=SMALL, color=INK, zorder=5)


def _ahead(mask: Tensor) -> int:
    return int(mask.triu(1).sum())


def _short_count(mask: Tensor) -> str:
    return f"{int(mask.sum())} open,\n{_ahead(mask)} ahead"


def _count(mask: Tensor, words: Sequence[str]) -> str:
    blind = [word for word, row in zip(words, mask, strict=True) if not row.any()]
    says = f"{int(mask.sum())} of {mask.numel()} cells open, {_ahead(mask)} of them in the future"
    if blind:
        names = " and ".join(f"'{word}'" for word in blind)
        says += f", and no open cell for {names}"
    return says


def _leak_title(weights: Mapping[str, Tensor], ripples: Mapping[str, Tensor]) -> str:
    hidden = [n for n in weights if _most_ahead(weights[n]) <= LEAK < _most_ahead(ripples[n])]
    return (
        f"no weight ahead, but still a leak: {hidden[0]}"
        if hidden
        else "what looks ahead, and what leaks"
    )


def _most_ahead(matrix: Tensor) -> float:
    return float(matrix.triu(1).nan_to_num(0).max())


def _largest_weight_ahead(weights: Tensor) -> str:
    most = _most_ahead(weights)
    if most > LEAK:
        return f"the largest weight on a future word is {most:.4f}"
    return "no weight on a future word"


def _leak(ripple: Tensor, words: Sequence[str]) -> str:
    """Say which output notices most of a later word, and which outputs are nan."""
    ahead = ripple.triu(1).nan_to_num(0)
    row, column = divmod(int(ahead.argmax()), len(words))
    says = "no output notices its future"
    if float(ahead.max()) > LEAK:
        cells = int((ahead > LEAK).sum())
        says = (
            f"the future leaks into {cells} cell{'s' if cells > 1 else ''}. The largest leak is "
            f"{float(ahead.max()):.4f}, in the output of '{words[row]}' when '{words[column]}' changes"
        )
    lost = [
        word for word, gone in zip(words, torch.isnan(ripple).any(dim=-1), strict=True) if gone
    ]
    if lost:
        says += f"; the output of {' and '.join(repr(word) for word in lost)} is nan"
    return says
