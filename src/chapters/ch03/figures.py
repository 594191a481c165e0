"""Chapter 03: tables of next-character probabilities, losses and their floors, temperature."""

import math
from collections.abc import Mapping, Sequence
from functools import cache

import matplotlib as mpl
import torch
from matplotlib.font_manager import findfont
from matplotlib.ft2font import FT2Font
from torch import Tensor

from course.draw.picture import (
    FAINT,
    INK,
    LIGHT,
    QUERY,
    SMALL,
    STYLE,
    Picture,
    canvas,
    headline,
    heat_map,
    name_rows,
    picture,
    place,
)

MONO = "DejaVu Sans Mono"


@cache
def _drawable() -> frozenset[int]:
    """The codes of the characters in both fonts: that of the figures and that of the written line."""
    fonts = (FT2Font(findfont(name)) for name in (*STYLE["font.family"], MONO))
    return frozenset.intersection(*(frozenset(font.get_charmap()) for font in fonts))


def sign(character: str) -> str:
    """A character as it can be drawn: signs replace the space, the line break and unknown glyphs."""
    shown = {" ": "\u2423", "\n": "\u21b5"}.get(character, character)
    return shown if ord(shown) in _drawable() and shown.isprintable() else "\u25a1"


def tables_figure(
    tables: Mapping[str, Tensor], vocab: Sequence[str], frequent: Tensor, title: str
) -> Picture:
    """Draw tables of probabilities (V, V) side by side; `frequent` says how often each id occurs.

    The shade is the square root of the probability, on one scale from 0 to 1, so that small
    probabilities show. Only frequent characters have labels, as many as fit. The sentence
    compares every table with the last one.
    """
    places: list[int] = []
    apart = max(3, len(vocab) // 13)
    for i in frequent.argsort(descending=True, stable=True).tolist():
        if all(abs(i - other) >= apart for other in places):
            places.append(i)
    labels = [sign(vocab[i]) for i in places]
    figure, axes = canvas(3.4, len(tables))
    for n, (ax, (name, table)) in enumerate(zip(axes, tables.items(), strict=True)):
        heat_map(ax, table, title=name, digits=None, column_axis="next character")
        with mpl.rc_context(STYLE):
            ax.set_xticks(places, labels)
            ax.set_yticks(places, labels)
            ax.tick_params(labelsize=SMALL)
            ax.set_ylabel("last character" if n == 0 else "")
            ax.spines[:].set_visible(True)
            ax.spines[:].set_color(FAINT)
    headline(figure, title)
    *others, (last, goal) = tables.items()
    share = (frequent / frequent.sum()).to(goal.dtype)
    moved = []
    for name, table in others:
        moved.append(f"{(share @ (table - goal).abs().sum(dim=1) / 2).item():.2f} for '{name}'")
    return picture(
        figure,
        f"{len(tables)} tables, {len(vocab)} by {len(vocab)}, with a row for each last character "
        f"and a column for each next character. A stronger blue means a higher probability (the "
        f"colours show its square root). Compare a row with the row of the same character in "
        f"'{last}'. To make the two rows equal, a share of the probability has to move to other "
        f"columns. The mean of this share over the text is {', '.join(moved)}.",
    )


def losses_figure(
    runs: Mapping[str, Sequence[float]], floors: Mapping[str, float], final: Sequence[float]
) -> Picture:
    """Draw batch losses step by step, each run's `final` loss on the full text, and levels to compare."""
    figure, (axes,) = canvas(3.8)
    steps = max(map(len, runs.values()))
    with mpl.rc_context(STYLE):
        for (name, losses), full, colour in zip(
            runs.items(), final, (FAINT, QUERY, INK), strict=False
        ):
            axes.plot(range(len(losses)), losses, color=colour, linewidth=0.7)
            axes.plot([len(losses)], [full], "o", color=colour, clip_on=False, zorder=3)
            place = int(len(losses) * 0.55)
            near = sum(losses[place : place + 20]) / max(1, len(losses[place : place + 20]))
            axes.text(place, near + 0.33, name, color=colour, ha="center", weight="bold")
        for name, level in floors.items():
            lowest = level == min(floors.values())
            axes.axhline(level, color=INK if lowest else FAINT, linewidth=1.6 if lowest else 1)
            axes.text(
                steps * 1.02, level, f"{name}\n{level:.2f}", va="center",
                weight="bold" if lowest else "normal",
            )  # fmt: skip
        axes.set_xlim(0, steps)
        axes.set_xlabel("training step")
        axes.set_ylabel("loss of the batch, nats per character")
        axes.set_title("A batch loss can be below the floor, but the full loss can't")
    levels = ", ".join(f"{name} {level:.4f}" for name, level in floors.items())
    ends = " and ".join(
        f"{full:.1f} for {name}"
        for name, full in zip(runs, final, strict=True)
    )
    return picture(
        figure,
        f"The loss of each batch, step by step, compared with {levels}. After {steps} steps the "
        f"loss on the whole training part is {ends}. Dots mark these "
        "losses. The losses of single batches lie above and below them.",
    )


def noise_figure(losses: Tensor, full: float) -> Picture:
    """Draw how the losses of batches spread around the loss on the whole text, for one frozen model."""
    figure, (axes,) = canvas(2.9)
    below = (losses < full).double().mean().item()
    # A bin ends where `full` is. If the model can't guess anything wrong, the losses have no spread.
    width = 3 * losses.std().item() / 20 or 0.01
    first = math.floor((losses.min().item() - full) / width)
    last = max(first + 1, math.ceil((losses.max().item() - full) / width))
    edges = [full + n * width for n in range(first, last + 1)]
    with mpl.rc_context(STYLE):
        _, _, bars = axes.hist(losses.tolist(), bins=edges, color=FAINT)
        for left, bar in zip(edges, bars, strict=False):
            if left < full - width / 2:
                bar.set_facecolor(QUERY)
        axes.axvline(full, color=INK, linewidth=2)
        top = axes.get_ylim()[1]
        axes.set_ylim(0, top * 1.18)
        axes.text(
            full, top * 1.08, f" the loss on the whole text, {full:.4f}", weight="bold",
        )  # fmt: skip
        axes.set_xlabel("loss of one batch, nats per character")
        axes.set_ylabel("batches")
        axes.set_title("One model, many batches: about half the losses look too good")
    return picture(
        figure,
        f"The losses of {len(losses)} batches with one unchanged model have the mean "
        f"{losses.mean():.2f} and the standard deviation {losses.std():.3f}, and go from "
        f"{losses.min():.2f} to {losses.max():.2f}. The model's loss on the whole text is "
        f"{full:.4f}; a share of {below:.2f} of the batches lies below it.",
    )


def temperature_figure(
    probabilities: Tensor, plain: Tensor, vocab: Sequence[str], last: int, temperature: float,
    written: str, seed: int,
) -> Picture:  # fmt: skip
    """Draw the next character's probabilities at a temperature and, outlined, at 1, and a written text."""
    order = plain.argsort(descending=True, stable=True)[:20].tolist()
    best = int(probabilities.argmax())
    entropy = -torch.xlogy(probabilities.double(), probabilities.double()).sum()
    choices = entropy.exp().item()
    line = "".join(c if c == " " else sign(c) for c in written)
    figure, (axes,) = canvas(3.6)
    with mpl.rc_context(STYLE):
        places = range(len(order))
        axes.bar(places, probabilities[order].tolist(), color=QUERY, width=0.75)
        axes.bar(
            places, plain[order].tolist(), width=0.75, facecolor="none", edgecolor=INK, linewidth=1
        )
        axes.set_xticks(places, [sign(vocab[i]) for i in order], parse_math=False)
        axes.tick_params(axis="x", length=0)
        axes.set_ylim(0, 1.22)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
        axes.set_xlabel("next character, the most likely first; outlined: temperature 1")
        axes.set_ylabel("probability")
        axes.set_title(
            f"After {sign(vocab[last])} at temperature {temperature:.1f}: like "
            f"{choices:.1f} equal choices", parse_math=False,
        )  # fmt: skip
        axes.text(
            0.5, 0.92, line, ha="center", va="center", transform=axes.transAxes,
            family=MONO, fontsize=9.5, parse_math=False,
            bbox={"facecolor": LIGHT, "edgecolor": "none", "pad": 4},
        )  # fmt: skip
    return picture(
        figure,
        f"After '{sign(vocab[last])}' at temperature {temperature:.1f} the most likely next "
        f"character is '{sign(vocab[best])}', with probability {probabilities[best]:.3f}. The "
        f"choice is as uncertain as a choice among {choices:.1f} equally likely characters. A text written at this "
        f"temperature with seed {seed}: '{line}'",
    )


def costs_figure(x: Tensor, y: Tensor, shares: Tensor, vocab: Sequence[str]) -> Picture:
    """Draw the probability and the cost of each target in y (T,) after x (T,), by `shares` (V, V)."""
    chances = shares[x, y].double()
    costs = -chances.log()
    loss, most = costs.mean().item(), costs.max().item()
    figure, (likely, dear) = canvas(1.15 + 0.3 * len(x), 2, layout=None, sharey=True)
    headline(figure, "The mean of the costs is the loss")
    rows = range(len(x))
    with mpl.rc_context(STYLE):
        for n, (axes, title, values, high) in enumerate(
            ((likely, "probability p of the target", chances, 1), (dear, "cost, \u2212ln p", costs, most))
        ):
            place(axes, 0.75 + 3.85 * n, 0.35, 2.9, 0.3 * len(x))
            axes.barh(rows, values.tolist(), color=QUERY if n else FAINT, height=0.62)
            for row, value in zip(rows, values.tolist(), strict=True):
                axes.text(1.03 * high, row, f"{value:.{3 - n}f}", va="center", fontsize=12)
            axes.set(xlim=(0, 1.25 * high), ylim=(len(x) - 0.5, -0.5), xticks=[])
            axes.set_title(title, fontsize=12)
            axes.tick_params(axis="y", length=0, labelleft=True, labelsize=12)
            axes.spines[:].set_visible(False)
        name_rows(likely, [f"{sign(vocab[i])} \u2192 {sign(vocab[j])}" for i, j in zip(x, y, strict=True)])
        dear.axvline(loss, color=INK, linewidth=1.6, linestyle="--")
        dear.text(loss, len(x) - 0.35, f"mean {loss:.2f}", fontsize=12, ha="center", va="top", weight="bold")
    best, worst = int(costs.argmin()), int(costs.argmax())
    name = lambda n: f"'{sign(vocab[y[n]])}' after '{sign(vocab[x[n]])}'"  # noqa: E731
    return picture(
        figure,
        f"{len(x)} guesses of the table, one for each position of a block. The cheapest is {name(best)}, "
        f"with probability {chances[best]:.3f} and cost {costs[best]:.2f}. The most expensive is {name(worst)}, with "
        f"probability {chances[worst]:.3f} and cost {costs[worst]:.2f}. The mean cost, {loss:.2f}, is the loss "
        f"of this block.",
    )
