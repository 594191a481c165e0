"""Chapter 14: maps with the right keys outlined, five seeds, and the effect of ablating each head."""

from collections.abc import Mapping, Sequence
from itertools import product

import matplotlib as mpl
import torch
from matplotlib.patches import Rectangle
from torch import Tensor

from course.draw.picture import (
    FAINT,
    INK,
    KEY,
    LIGHT,
    MAPS,
    QUERY,
    SMALL,
    STYLE,
    VALUE,
    WIDTH,
    Picture,
    canvas,
    cells,
    headline,
    name_rows,
    picture,
    place,
)

FETCHES = 3  # head 1.1, which fetches owners, among the six heads of the story model
Places = Sequence[tuple[int, int]]  # (row, key)


def maps_figure(
    maps: Mapping[str, Tensor],
    rows: Sequence[str],
    right: Sequence[Places] = (),
    *,
    title: str,
    columns: int = 2,
    names: tuple[str, str] = ("query", "key"),
    keys: Sequence[str] = (),
    high: float = 1.0,
    colours=MAPS,
) -> Picture:
    """Draw maps side by side, `columns` in a line; `right` holds the cells to outline in each map."""
    keys, right = keys or rows, [*right, *[()] * (len(maps) - len(right))]
    lines = -(-len(maps) // columns)
    wide = WIDTH / columns
    side = min(wide - 0.55, 3.3 if lines == 1 else 1.45)  # low enough for a slide
    tall = side * len(rows) / len(keys) + 0.72
    figure, _ = canvas(lines * tall + 0.36, layout=None)
    figure.clear()
    headline(figure, title)
    with mpl.rc_context(STYLE):
        for n, ((name, weights), places) in enumerate(zip(maps.items(), right, strict=True)):
            axes = figure.add_subplot(lines, columns, n + 1)
            left, low = n % columns * wide + 0.45, (lines - 1 - n // columns) * tall + 0.42
            place(axes, left + (wide - 0.55 - side) / 2, low, side, tall - 0.72)
            cells(axes, weights, digits=None, low=-high if colours is not MAPS else 0.0,
                  high=high, colours=colours)  # fmt: skip
            for row, key in places:
                axes.add_patch(
                    Rectangle((key - 0.5, row - 0.5), 1, 1, fill=False, ec=KEY, lw=1.2)
                )
            axes.set_title(name, fontsize=10)
            axes.set_xticks(range(len(keys)), keys)
            name_rows(axes, rows)
            axes.tick_params(length=0, labelsize=SMALL, pad=2)
            axes.set_xlabel(names[1], labelpad=2)
            if max(map(len, rows)) <= 2:  # longer words leave no room for a label, and need none
                axes.set_ylabel(names[0], labelpad=2)
            axes.spines[:].set_color(FAINT)
            axes.spines[:].set_visible(True)
    said = [
        f"{name}: {_mean([float(weights[place]) for place in places]):.2f}"
        for (name, weights), places in zip(maps.items(), right, strict=True)
        if places
    ]
    outlined = f" Mean weight of the outlined cells: {'; '.join(said)}." if said else ""
    return picture(
        figure,
        f"{'A map' if len(maps) == 1 else f'{len(maps)} maps'}, rows by {names[0]}, columns by "
        f"{names[1]}: {'; '.join(maps)}.{outlined}"
        + (" The shade of a cell is the root of its weight." if colours is MAPS else ""),
    )


def seeds_figure(
    found: Mapping[str, Sequence[Mapping[str, float]]], by_hand: float, longest: int
) -> Picture:
    """Draw accuracy by period, {model: [{period: accuracy}]}; periods up to `longest` were in training."""
    figure, (axes,) = canvas(3.3)
    periods = [int(period) for period in next(iter(found.values()))[0]]
    colours = dict(zip(found, (QUERY, KEY), strict=True))
    with mpl.rc_context(STYLE):
        axes.axvspan(min(periods) - 1.5, longest + 1, color=LIGHT, lw=0)
        axes.text(longest + 0.8, 0.5, "in training", ha="right", fontsize=SMALL)
        axes.axhline(by_hand, color=VALUE, linewidth=1.6)
        axes.text(periods[-1] + 0.9, by_hand + 0.02, "by hand", color=VALUE, weight="bold")
        for name, runs in found.items():
            for period in periods:
                dots = [run[str(period)] for run in runs]
                axes.plot([period] * len(dots), dots, "o", color=colours[name], alpha=0.7, ms=5)
            last = _mean([run[str(periods[-1])] for run in runs])
            axes.text(periods[-1] + 0.9, last, name, color=colours[name], weight="bold", va="center")
        axes.plot(periods, [1 / period for period in periods], "--", color=INK, linewidth=1)
        axes.text(longest + 1.3, 0.1, "a guess among the string's letters", fontsize=SMALL)
        axes.set_xticks(periods)
        axes.set_xlim(min(periods) - 1.5, periods[-1] + 5)
        axes.set_ylim(-0.05, 1.1)
        axes.set_xlabel("period: letters until the string is repeated")
        axes.set_ylabel("share right, on held-out strings")
        axes.set_title("Two layers learn it; one layer doesn't")
    said = ". ".join(
        f"{name[0].upper()}{name[1:]}: "
        + ", ".join(f"{_between([run[str(period)] for run in runs])} at {period}" for period in periods)
        for name, runs in found.items()
    )
    return picture(
        figure,
        f"Accuracy on held-out strings by their period, with a dot for each of {len(runs)} seeds. {said}. "
        f"By hand: {by_hand:.2f} at every period. Periods up to {longest} were in training.",
    )


def effects_figure(scores: Tensor, effects: Tensor, named: Sequence[tuple[int, int]]) -> Picture:
    """Draw for each head of a model (L, H) the score of its map, and how much the loss rises without it."""
    figure, (axes,) = canvas(3.4)
    high = effects.max().item()
    with mpl.rc_context(STYLE):
        right, above = 0.0, 0.0  # the position of the last label
        for place in sorted(product(*map(range, scores.shape)), key=lambda place: scores[place]):
            score, loss = scores[place].item(), effects[place].item()
            loud = place in named
            axes.plot(
                score, loss, "o", color=QUERY if loud else FAINT, markersize=7 if loud else 5
            )
            below = score - right < 0.015 and abs(loss - above) < 0.06 * high
            axes.text(
                score + 0.003, loss + (-0.02 if below else 0.02) * high, f"{place[0]}.{place[1]}",
                fontsize=SMALL, weight="bold" if loud else "normal", va="top" if below else "bottom",
            )  # fmt: skip
            right, above = score, loss
        axes.set_xlim(0, scores.max().item() * 1.12)
        axes.set_ylim(0, high * 1.15)
        axes.set_xlabel("previous-token score of its map")
        axes.set_ylabel("rise of the loss without the head, nats")
        axes.set_title("The look of a map says little about how much the head matters")
    said = ", and ".join(
        f"head {layer}.{head} has the score {scores[layer, head]:.2f} and costs {effects[layer, head]:.2f}"
        for layer, head in named
    )
    return picture(
        figure,
        f"The {scores.numel()} heads of the checkpoint: from left to right the score of the map, from bottom to "
        f"top the rise of the loss without the head. {said[0].upper()}{said[1:]}.",
    )


def received_figure(curves: Mapping[str, Tensor]) -> Picture:
    """Draw the mean weight that each key receives from the rows that may look at it: {name: (T,)}."""
    figure, (axes,) = canvas(3.0)
    colours = (FAINT, QUERY, VALUE)
    with mpl.rc_context(STYLE):
        for (name, curve), colour in zip(curves.items(), colours, strict=False):
            axes.plot(range(len(curve)), curve.tolist(), "o-", color=colour, markersize=3, label=name)
        axes.set_ylim(0, None)
        axes.set_xlabel("key, from the first to the last")
        axes.set_ylabel("mean weight of its column")
        axes.legend(frameon=False, fontsize=SMALL)
        axes.set_title("In a causal map, columns differ even with equal shares")
    said = ". ".join(
        f"{name}: {curve[0]:.2f} at the first key, {curve[len(curve) // 2]:.2f} at key "
        f"{len(curve) // 2}, {curve[-1]:.2f} at the last" for name, curve in curves.items()
    )  # fmt: skip
    return picture(figure, f"The mean weight that a key receives from the rows that may look at it. {said}.")


def film_figure(film: Sequence[Mapping], now: int) -> Picture:
    """Draw frame `now` of a stored film: the loss, the words that fit, and the map of head 1.1."""
    frame, steps = film[now], [each["step"] for each in film]
    figure, (loss, shares, head) = canvas(3.1, 3)
    lines = {
        "form": [each["fits"]["form"] for each in film],
        "thing": [each["fits"]["thing"] for each in film],
        "owner": [each["fits"]["owner"] for each in film],
        "1.1 on it": [each["looks"]["owner"][FETCHES] for each in film],
        "no slip": [each["no slip"] for each in film],
    }
    with mpl.rc_context(STYLE):
        loss.semilogy(steps, [each["excess"] for each in film], color=INK)
        loss.set_yticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
        loss.minorticks_off()
        for (name, line), look in zip(lines.items(), (f"{FAINT} -", f"{KEY} -", f"{QUERY} -", f"{QUERY} :", f"{INK} --"), strict=True):
            colour, style = look.split()
            shares.plot(steps, line, style, color=colour, label=name)
        for axes, title in ((loss, "loss above the floor"), (shares, "right words and stories")):
            axes.axvline(frame["step"], color=INK, lw=1)
            axes.set_xlabel("step")
            axes.set_title(title, fontsize=10)
        shares.set_ylim(-0.02, 1.02)
        shares.legend(frameon=False, fontsize=SMALL, loc="upper left", bbox_to_anchor=(1, 1), handlelength=1.2)
        cells(head, _unpacked(frame["maps"][FETCHES]), digits=None)
        head.set(xticks=[], yticks=[], xlabel="key", ylabel="query")
        head.set_title("map of head 1.1", fontsize=10)
    headline(figure, "Form comes first, then the things, and last the owners")
    said = ", ".join(f"{name} {line[now]:.2f}" for name, line in [*lines.items()][:4])
    return picture(
        figure,
        f"Step {frame['step']}: the loss is {frame['excess']:.2f} above the floor, and {frame['answered']:.2f} of the "
        f"questions are answered. Of the stories that the model writes, {frame['well formed']:.0%} are well formed "
        f"and {frame['no slip']:.0%} have no slip. Probability of the right words, and the weight of head 1.1 on "
        f"the owner: {said}.",
    )


def growth_figure(film: Sequence[Mapping], now: int = -1) -> Picture:
    """Draw frame `now` of a film of two heads, one in each layer: the loss, the scores, and both maps."""
    frame, steps = film[now], [each["step"] for each in film]
    figure, (loss, shares, first, second) = canvas(2.6, 4, width_ratios=(3, 3, 2, 2))
    lines = {"right answers": "right", "previous token": "previous", "induction": "induction"}
    with mpl.rc_context(STYLE):
        loss.plot(steps, [each["loss"] for each in film], color=INK)
        for (name, key), colour in zip(lines.items(), (FAINT, KEY, QUERY), strict=True):
            shares.plot(steps, [each[key] for each in film], color=colour, label=name)
        for axes, title in ((loss, "loss"), (shares, "answers and scores")):
            axes.axvline(frame["step"], color=INK, lw=1)
            axes.set_xlabel("step")
            axes.set_title(title, fontsize=10)
        loss.set_ylim(bottom=0)
        shares.set_ylim(-0.02, 1.02)
        shares.legend(frameon=False, fontsize=SMALL, loc="lower right", handlelength=1.2)
        for axes, signs, title in zip((first, second), frame["maps"], ("layer 0", "layer 1"), strict=True):
            cells(axes, _unpacked(signs), digits=None)
            axes.set(xticks=[], yticks=[], xlabel="key", ylabel="query")
            axes.set_title(title, fontsize=10)
    headline(figure, f"Two heads after {frame['step']} steps")
    said = ", ".join(f"{name} {frame[key]:.2f}" for name, key in lines.items())
    return picture(
        figure,
        f"Step {frame['step']}: the loss is {frame['loss']:.2f} nats. Share of right answers, previous-token score "
        f"of layer 0 and induction score of layer 1: {said}.",
    )


def _unpacked(signs: str) -> Tensor:
    """The weights (T, T) of a causal map, from a text with a sign for the root of each (`film.packed`)."""
    T = int((2 * len(signs)) ** 0.5)
    weights = torch.zeros(T, T)
    weights[torch.ones(T, T).tril().bool()] = torch.tensor([int(sign, 36) / 35 for sign in signs])
    return weights.square()


def _between(numbers: Sequence[float]) -> str:
    low, high = f"{min(numbers):.2f}", f"{max(numbers):.2f}"
    return low if low == high else f"{low} to {high}"


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


def task_figure(reads: Sequence[str], says: Sequence[str | None]) -> Picture:
    """Draw the tokens that a model reads, and below each the next token, or None if it can't be known."""
    figure, (axes,) = canvas(1.35, layout=None)
    place(axes, 0.75, 0.02, WIDTH - 0.85, 0.95)
    with mpl.rc_context(STYLE):
        for row, (name, tokens) in enumerate({"reads": reads, "next": says}.items()):
            axes.text(-0.15, row, name, ha="right", va="center", fontsize=12, weight="bold")
            for t, token in enumerate(tokens):
                look = dict(facecolor=LIGHT if row == 0 else "none", ec=KEY if row and token else FAINT)
                axes.add_patch(Rectangle((t + 0.06, row - 0.4), 0.88, 0.8, **look))
                axes.text(t + 0.5, row, token or "?", ha="center", va="center", fontsize=12)
        axes.set(xlim=(0, len(reads)), ylim=(1.5, -0.5))
        axes.set_axis_off()
    headline(figure, "What the model reads, and what comes next")
    known = [token for token in says if token]
    return picture(
        figure,
        f"The model reads {' '.join(reads)}. After {len(says) - len(known)} of these {len(reads)} digits the "
        f"next one can't be known, which a question mark shows. Then it is {', '.join(known)}.",
    )
