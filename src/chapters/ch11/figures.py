"""Chapter 11: words in two orders, turned arrows, scores by distance, losses by position."""

import math
from collections.abc import Mapping, Sequence

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.patches import Arc, FancyBboxPatch, PathPatch, Rectangle
from matplotlib.path import Path
from torch import Tensor

from course.draw.picture import (
    FAINT,
    INK,
    KEY,
    LIGHT,
    PALE,
    QUERY,
    SMALL,
    STYLE,
    VALUE,
    WIDTH,
    Picture,
    canvas,
    headline,
    picture,
    sheet,
)

SAME = 1e-4  # scores that differ by less are equal up to rounding


# ---------------------------------------------------------------- the order of the words


def orders_figure(words: Sequence[str], order: Sequence[int]) -> Picture:
    """Draw the words in order and shuffled; in both rows the last word looks at all others."""
    figure, (axes,) = sheet(3.1)
    wide = (WIDTH - 0.2) / len(words)
    lines = {"in order": list(range(len(words))), "shuffled": list(order)}
    with mpl.rc_context(STYLE):
        for row, (name, places) in enumerate(lines.items()):
            y = 1.85 - 1.5 * row
            axes.text(0.1, y - 0.2, name, va="center", fontsize=SMALL)
            for t, word in enumerate(places):
                x, last = 0.1 + t * wide, t == len(words) - 1
                _word(axes, words[word], x, y, wide - 0.12, QUERY if last else KEY)
                if not last:
                    _look(axes, 0.1 + (t + 0.5) * wide, 0.1 + (len(words) - 0.5) * wide, y + 0.42)
    moved = [words[place] for t, place in enumerate(order) if place != t]
    return picture(
        figure,
        f"The same {len(words)} words appear twice, in order and shuffled. '{words[order[-1]]}' is "
        f"last in both rows. Of the {len(words) - 1} words before it, {len(moved)} are at a different "
        f"position in the second row.",
    )


def _word(axes: Axes, word: str, x: float, y: float, width: float, colour: str) -> None:
    box = FancyBboxPatch(
        (x, y), width, 0.4, boxstyle="round,pad=0,rounding_size=0.06", facecolor=LIGHT,
        edgecolor=colour, linewidth=2,
    )  # fmt: skip
    axes.add_patch(box)
    axes.text(x + width / 2, y + 0.2, word, ha="center", va="center")


def _look(axes: Axes, left: float, right: float, y: float) -> None:
    """Draw half an ellipse above the words, from the last one back to another."""
    high = 0.25 + 0.6 * (right - left) / WIDTH
    axes.add_patch(
        Arc(((left + right) / 2, y), right - left, 2 * high, theta1=0, theta2=180, color=QUERY,
            linewidth=1.4, alpha=0.6)
    )  # fmt: skip


def pasts_figure(words: Sequence[str], order: Sequence[int]) -> Picture:
    """Draw which words one causal layer mixes into each position, in two orders, a square for each word."""
    figure, panels = canvas(3.2, 2)
    T = len(words)
    orders = {"in order": list(range(T)), "shuffled": list(order)}
    pasts = {
        name: {place: set(places[: t + 1]) for t, place in enumerate(places)}
        for name, places in orders.items()
    }
    same = [w for w in range(T) if pasts["in order"][w] == pasts["shuffled"][w]]
    for axes, (name, places) in zip(panels, orders.items(), strict=True):
        with mpl.rc_context(STYLE):
            for row, word in enumerate(places):
                for column in range(T):
                    heard = column in pasts[name][word]
                    colour = (QUERY if word in same else KEY) if heard else LIGHT
                    axes.add_patch(
                        Rectangle((column - 0.44, row - 0.44), 0.88, 0.88, color=colour, lw=0)
                    )
            axes.set(xlim=(-0.5, T - 0.5), ylim=(T - 0.5, -0.5), aspect="equal")
            axes.set_yticks(range(T), [words[word] for word in places])
            axes.set_xticks(range(T), words, rotation=45, ha="right", rotation_mode="anchor")
            axes.tick_params(length=0, labelsize=SMALL, pad=2)
            axes.spines[:].set_visible(False)
            axes.set_title(name)
            axes.set_xlabel("whose value is in it")
    panels[0].set_ylabel("output of layer 1")
    names = " and ".join(f"'{words[word]}'" for word in same)
    headline(figure, f"The past is the same in both orders for {names or 'no word'}")
    return picture(
        figure,
        f"The maps show, for each word, which words the first layer mixes into it. One map is for the "
        f"words in order, the other for the shuffled words. For {len(same)} of the {T} words, "
        f"{names or 'none'} (blue), both maps show the same words. For the others (orange) they show "
        f"different words.",
    )


# ---------------------------------------------------------------- the dial


def dial_figure(q: Sequence[float], k: Sequence[float], at_q: float, at_k: float) -> Picture:
    """Draw a query and a key turned by one radian for each position, and the score by distance."""
    figure, (dial, plane) = canvas(3.5, 2, layout=None)
    dial.set_position([0.02, 0.08, 0.42, 0.84])
    plane.set_position([0.56, 0.17, 0.37, 0.68])
    angles = [math.atan2(y, x) for x, y in (q, k)]
    lengths = [math.hypot(*arrow) for arrow in (q, k)]
    between = angles[0] - angles[1]

    def score(distance: float) -> float:
        return lengths[0] * lengths[1] * math.cos(between + distance)

    with mpl.rc_context(STYLE):
        reach = 1.25 * max(lengths)
        dial.add_patch(Arc((0, 0), 2 * reach, 2 * reach, color=FAINT, linewidth=1))
        for hour in range(12):
            a = hour * math.pi / 6
            dial.plot(
                [0.96 * reach * math.cos(a), reach * math.cos(a)],
                [0.96 * reach * math.sin(a), reach * math.sin(a)],
                color=FAINT, linewidth=1,
            )  # fmt: skip
        for angle, length, at, colour, name in zip(
            angles, lengths, (at_q, at_k), (QUERY, KEY), ("query", "key"), strict=True
        ):
            _arrow(dial, angle, length, colour, 0.35, dashed=True)
            _arrow(dial, angle + at, length, colour, 1.0)
            x, y = ((length + 0.24) * f(angle + at) for f in (math.cos, math.sin))
            dial.text(x, y, name, ha="center", va="center", fontsize=SMALL, color=INK)
        dial.set(
            xlim=(-1.12 * reach, 1.12 * reach), ylim=(-1.12 * reach, 1.12 * reach), aspect="equal"
        )
        dial.set_axis_off()
        steps = [-4 + n / 10 for n in range(81)]
        plane.plot(steps, [score(d) for d in steps], color=FAINT, linewidth=1.5)
        plane.axhline(0, color=FAINT, linewidth=0.8)
        plane.plot([at_q - at_k], [score(at_q - at_k)], "o", color=INK, markersize=8)
        high = 1.15 * lengths[0] * lengths[1]
        plane.set(
            xlim=(-4.2, 4.2), ylim=(-high, high), xlabel="distance: query's position minus key's"
        )
        plane.set_title(f"score {score(at_q - at_k):.4f}")
    return picture(
        figure,
        f"The query is at position {at_q:g} and is turned by {at_q:g} radians. The key is at "
        f"position {at_k:g} and is turned by {at_k:g}. The dashed arrows show the query and the "
        f"key before the turn. The distance is {at_q - at_k:g}, and the score is {score(at_q - at_k):.4f}.",
    )


def _arrow(
    axes: Axes, angle: float, length: float, colour: str, alpha: float, dashed=False
) -> None:
    tip = length * math.cos(angle), length * math.sin(angle)
    axes.plot(
        [0, tip[0]], [0, tip[1]], color=colour, linewidth=2 if dashed else 3, alpha=alpha,
        linestyle="--" if dashed else "-",
    )  # fmt: skip
    if not dashed:
        for side in (2.75, -2.75):  # the two strokes of the arrow's head
            axes.plot(
                [tip[0], tip[0] + 0.13 * math.cos(angle + side)],
                [tip[1], tip[1] + 0.13 * math.sin(angle + side)],
                color=colour, linewidth=3,
            )  # fmt: skip


# ---------------------------------------------------------------- score against distance


def distance_figure(schemes: Mapping[str, Tensor]) -> Picture:
    """Draw for each scheme the scores (T, T) of one query and one key by their distance, a dot for each.

    In row i, column j of the scores, the query is at position i and the key at position j, up to i.
    """
    figure, panels = canvas(2.6, len(schemes), layout=None)
    wide = 0.92 / len(schemes)
    for n, (axes, (name, scores)) in enumerate(zip(panels, schemes.items(), strict=True)):
        T = len(scores)
        low, high = float(scores.min()), float(scores.max())
        axes.set_position([0.05 + n * wide, 0.2, wide - 0.03, 0.66])
        law = relative(scores)
        pairs = [(i, j) for i in range(T) for j in range(i + 1)]
        dots = [(i - j, float(scores[i, j])) for i, j in pairs if j == 0 or not law]
        with mpl.rc_context(STYLE):
            places = [dot for dot in dots for _ in (Path.MOVETO, Path.LINETO)]
            axes.add_patch(  # a dot is a line without length, with round ends
                PathPatch(Path(places, [Path.MOVETO, Path.LINETO] * len(dots)), fill=False,
                          edgecolor=QUERY if law else KEY, alpha=0.9 if law else 0.45,
                          linewidth=4 if law else 2.5, capstyle="round")
            )  # fmt: skip
            if law:
                axes.plot(*zip(*dots, strict=True), color=QUERY, linewidth=0.8, alpha=0.5)
            edge = 0.08 * (high - low)
            axes.set(xlim=(-1, T), ylim=(low - edge, high + edge))
            axes.set_title(name)
            axes.set_xlabel("distance", fontsize=SMALL)
            axes.tick_params(labelsize=SMALL, length=2)
            axes.set_xticks([0, T // 2, T - 1])
            axes.set_yticks([])
    panels[0].set_ylabel("score")
    laws = [name for name, scores in schemes.items() if relative(scores)]
    said = ", ".join(f"{spread(scores):.4f} for {name}" for name, scores in schemes.items())
    return picture(
        figure,
        f"Each plot shows the score of one query and one key by their distance, for every pair of "
        f"positions. With {' and '.join(laws) or 'none'} (blue) it depends only on the distance. The "
        f"largest standard deviation of the scores at one distance is {said}.",
    )


def spread(scores: Tensor) -> float:
    """The largest standard deviation of the scores at one distance."""
    T = len(scores)
    return max(float(scores.diagonal(-d).std()) for d in range(T - 1))


def relative(scores: Tensor) -> bool:
    """True if the scores (T, T) depend only on the distance."""
    return spread(scores) < SAME


# ---------------------------------------------------------------- longer than trained


def longer_figure(losses: Mapping[str, Tensor], trained: int, step: int) -> Picture:
    """Draw the losses (seeds, bins of `step` positions) as mean lines, with the lowest and highest seed."""
    figure, (axes,) = canvas(3.9, layout=None)
    axes.set_position([0.08, 0.14, 0.7, 0.76])
    looks = zip((QUERY, VALUE, KEY, INK, FAINT), ("-", "-", "--", "-.", ":"), strict=True)
    ends = []
    with mpl.rc_context(STYLE):
        for (name, rows), (colour, dashes) in zip(losses.items(), looks, strict=False):
            middle = [(n + 0.5) * step for n in range(rows.shape[1])]
            mean, (low, high) = rows.mean(dim=0).tolist(), rows.aminmax(dim=0)
            axes.fill_between(middle, low.tolist(), high.tolist(), color=colour, alpha=0.15, lw=0)
            axes.plot(middle, mean, dashes, color=colour, linewidth=2)
            ends.append((mean[-1], name, colour))
        axes.axvspan(0, trained, facecolor=PALE, alpha=0.25, lw=0)
        top = axes.get_ylim()[1]
        axes.text(trained / 2, 0.93 * top + 0.07 * axes.get_ylim()[0], "trained", ha="center", va="top", fontsize=SMALL)
        axes.set(
            xlim=(0, middle[-1] + step / 2), xlabel="position in the text", ylabel="loss (nats)"
        )
        below = -math.inf
        for value, name, _ in sorted(ends):  # names that would touch move apart
            below = max(value, below + 0.055 * (top - axes.get_ylim()[0]))
            axes.text(middle[-1] + 0.7 * step, below, name, va="center", fontsize=SMALL)
        _, lowest, _ = min(ends)
        axes.set_title(f"Read on to {round(middle[-1] + step / 2)} characters: {lowest} has the lowest loss")
    said = "; ".join(
        f"{name} {rows[:, 0].mean():.2f}, {rows[:, trained // step - 1].mean():.2f}, "
        f"{rows[:, trained // step].mean():.2f}, {rows[:, -1].mean():.2f}"
        for name, rows in losses.items()
    )
    return picture(
        figure,
        f"Each model has four losses, as means over {len(rows)} seeds: at the first {step} positions, "
        f"at the last {step} of the {trained} trained positions, at the next {step}, and at the last "
        f"{step} of the text. {said}.",
    )
