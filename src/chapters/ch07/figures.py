"""Chapter 07: how large scores become, and what that does to softmax's weights and slope."""

import math
from collections.abc import Mapping

import matplotlib as mpl
import torch
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from torch import Tensor

from course.draw.picture import (
    FAINT,
    INK,
    PALE,
    PAPER,
    QUERY,
    SMALL,
    STYLE,
    Picture,
    canvas,
    picture,
)

LOWEST, HIGHEST = 2.0**-6, 2.0**11  # standard deviations that the explorer can reach


def cloud_figure(scores: Mapping[int, Tensor]) -> Picture:
    """Draw the scores of each head size as a cloud of dots: unscaled, and times 1/sqrt(d).

    A bar spans one standard deviation to either side of 0. Both panels have the same axis.
    """
    figure, (left, right) = canvas(3.9, 2, sharey=True)
    sizes = list(scores)
    spreads = [
        [float((times * scores[d]).std()) for d, times in zip(sizes, factors, strict=True)]
        for factors in ([1.0] * len(sizes), [d**-0.5 for d in sizes])
    ]
    for axes, spread, colour in zip((left, right), spreads, (QUERY, INK), strict=True):
        with mpl.rc_context(STYLE):
            for place, (d, size) in enumerate(zip(sizes, spread, strict=True)):
                dots = (scores[d][:120] * size / scores[d].std()).tolist()
                beside = [place + 0.3 * ((n * 0.618) % 1 - 0.5) for n in range(len(dots))]
                places = [(x, y) for x, y in zip(beside, dots, strict=True)]
                axes.add_collection(  # a dot is a line without length, with round ends
                    LineCollection([[at, at] for at in places], color=colour, alpha=0.8,
                                   linewidth=3, capstyle="round")
                )  # fmt: skip
                axes.plot([place + 0.28] * 2, [-size, size], color=INK, linewidth=3)
                axes.text(place + 0.34, 0, f"{size:.1f}", va="bottom", fontsize=9)
            axes.axhline(0, color=FAINT, linewidth=0.8, zorder=0)
            axes.set_xticks(range(len(sizes)), [str(d) for d in sizes])
            axes.set(xlabel="head size d", xlim=(-0.4, len(sizes) - 0.2))
    with mpl.rc_context(STYLE):
        left.set(ylabel="score", title="No scale: the cloud grows with \N{SQUARE ROOT}d")
        right.set_title("Times 1/\N{SQUARE ROOT}d: the same cloud for every d")
    told = [
        ", ".join(f"{size:.2f} at d = {d}" for d, size in zip(sizes, spread, strict=True))
        for spread in spreads
    ]
    return picture(
        figure,
        f"Each dot is the score of a random query and key. Left, without a scale, their standard "
        f"deviation is {told[0]}. Right, times 1/\N{SQUARE ROOT}d, it is {told[1]}.",
    )


def scaling_figure(
    sizes: Tensor,
    variances: Tensor,
    scaled: Tensor,
    spreads: Tensor,
    entropies: Tensor,
    norms: Tensor,
) -> Picture:
    """Draw the variance of the scores against d; entropy and Jacobian norm against the scores' spread.

    `variances` and `scaled` belong to `sizes`. `entropies` and `norms` belong to `spreads`, the
    standard deviations of the scores. They are drawn relative to their first value, which belongs
    to equal weights (spread 0).
    """
    figure, (left, right) = canvas(3.9, 2)
    sizes, variances, scaled = sizes.tolist(), variances.tolist(), scaled.tolist()
    with mpl.rc_context(STYLE):
        left.plot(sizes, sizes, color=FAINT, linewidth=1, linestyle="--")
        left.plot(sizes, variances, "o", color=QUERY)
        left.plot(sizes, scaled, "s", color=INK)
        left.text(sizes[-2], sizes[-2] * 1.9, "no scale", color=QUERY, ha="right")
        left.text(sizes[-2], 2.0, "times 1/\N{SQUARE ROOT}d", color=INK, ha="right")
        left.text(sizes[1] * 1.5, sizes[1] * 0.85, "variance = d", color=FAINT, fontsize=9)
        left.set_xscale("log", base=2)
        left.set_yscale("log", base=2)
        left.set_xticks(sizes, [str(size) for size in sizes])
        left.set_yticks(sizes, [str(size) for size in sizes])
        left.set(xlabel="head size d", ylabel="variance of the scores")
        left.set_title("The variance of a score is d")
        _curves(right, spreads, entropies, norms)
        for size in (16, 64, 256, 1024):
            root = size**0.5
            if root <= float(spreads[-1]):
                right.axvline(root, ymax=0.75, color=FAINT, linewidth=0.8, linestyle=":", zorder=0)
                right.text(root * 0.98, 0.5, f"d = {size}", fontsize=SMALL, color=FAINT, rotation=90,
                           ha="right")  # fmt: skip
        right.set_title("Large scores: one weight, no slope")
    at = {float(s): n for n, s in enumerate(spreads.tolist())}
    ends = at.get(1.0, 1), len(spreads) - 1
    parts = [
        f"{float(entropies[n]):.2f} and {float(norms[n]):.2f} at a spread of {float(spreads[n]):g}"
        for n in (0, *ends)
    ]
    return picture(
        figure,
        f"Left: the variance of unscaled scores follows d, from {variances[0]:.2f} at d = "
        f"{sizes[0]} to {variances[-1]:.0f} at d = {sizes[-1]}; times 1/\N{SQUARE ROOT}d it stays "
        f"between {min(scaled):.2f} and {max(scaled):.2f}. Right: as the scores spread, the "
        f"entropy of a typical row of weights and the norm of softmax's Jacobian go to 0: they "
        f"are {parts[0]} (equal weights), {parts[1]}, {parts[2]}.",
    )


def weights_figure(
    scores: Tensor, d: int, scale: float, name: str, curves: tuple[Tensor, Tensor, Tensor]
) -> Picture:
    """Draw one row of weights as bars, and where the spread of the scores is on the `curves`.

    `scores` (rows, keys) are already scaled by `scale`, whose `name` is shown. `curves` are spreads,
    entropies and norms as in `scaling_figure`; two marks show the values for these scores.
    """
    weights = torch.softmax(scores, dim=-1)
    T = scores.shape[-1]
    spread, law = float(scores.std()), scale * d**0.5
    entropy, norm = float(entropies(weights).median()), float(jacobian_norms(weights).median())
    shown = typical(scores)
    row, row_scores = weights[shown].tolist(), scores[shown].tolist()
    digits = 2 if spread < 50 else 0
    figure, (bars, plane) = canvas(3.6, 2, layout=None)
    with mpl.rc_context(STYLE):
        bars.set_position([0.07, 0.16, 0.36, 0.68])
        plane.set_position([0.54, 0.16, 0.43, 0.68])
        best = row.index(max(row))
        bars.barh(range(T), row, color=[QUERY if n == best else PALE for n in range(T)])
        for n, (weight, score) in enumerate(zip(row, row_scores, strict=True)):
            bars.text(weight + 0.015, n, f"{weight:.2f}", va="center", fontsize=SMALL)
            bars.text(1.42, n, f"{score:.{digits}f}", va="center", ha="right", fontsize=SMALL)
        bars.text(1.42, -0.75, "score", ha="right", fontsize=SMALL)
        bars.set(xlim=(0, 1.45), ylim=(T - 0.5, -1.2), xlabel="weight", ylabel="key")
        bars.set_xticks([0, 0.5, 1])
        bars.set_yticks(range(T))
        bars.tick_params(labelsize=SMALL, length=2)
        bars.set_title(f"One row: largest weight {max(row):.2f}")
        _curves(plane, *curves)
        plane.set_xlim(LOWEST, HIGHEST)
        equal_entropy, equal_norm = float(curves[1][0]), float(curves[2][0])
        plane.axvline(spread, color=FAINT, linewidth=0.8, zorder=0)
        plane.plot([spread], [entropy / equal_entropy], "s", color=INK, markersize=8)
        plane.plot([spread], [norm / equal_norm], "o", color=QUERY, markersize=8)
        plane.set_title(f"d = {d}, scale {name}: spread {spread:.4g}")
    return picture(
        figure,
        f"With head size {d} and scale {name} = {scale:.4g}, all scores together have the standard "
        f"deviation {spread:.4g}; the law gives {law:.4g}. The row shown gives its largest weight, "
        f"{max(row):.2f}, to key {best}. Over many rows of {T} the median entropy is {entropy:.2f} "
        f"(at most {math.log(T):.2f}), and the median norm of the Jacobian is {norm:.2f}, compared "
        f"with {equal_norm:.2f} for equal weights.",
    )


def curves_of(spreads: Tensor, scores: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Spreads with the median entropy and Jacobian norm of the rows of softmax(spread * scores)."""
    weights = [torch.softmax(spread * scores, dim=-1) for spread in spreads]
    return (
        spreads,
        torch.stack([entropies(w).median() for w in weights]),
        torch.stack([jacobian_norms(w).median() for w in weights]),
    )


def entropies(weights: Tensor) -> Tensor:
    """The entropy of each row, in nats."""
    return -torch.xlogy(weights, weights).sum(dim=-1) + 0.0  # turns -0.0 into 0.0


def jacobian_norms(weights: Tensor) -> Tensor:
    """The Frobenius norm of diag(w) - w w^T for each row w, without building the matrix."""
    squares = weights.square().sum(dim=-1)
    cubes = weights.pow(3).sum(dim=-1)
    return (squares - 2 * cubes + squares.square()).clamp_min(0).sqrt()


def typical(scores: Tensor) -> int:
    """The row whose largest weight is nearest to the median; it is the same row for every scale."""
    largest = torch.softmax(scores / scores.std(), dim=-1).amax(dim=-1)
    return int((largest - largest.median()).abs().argmin())


def _curves(axes: Axes, spreads: Tensor, entropies: Tensor, norms: Tensor) -> None:
    """Draw both curves over the spreads above 0, relative to their values for equal weights."""
    x = spreads[1:].tolist()
    axes.plot(x, (entropies[1:] / entropies[0]).tolist(), color=INK, linewidth=2)
    axes.plot(x, (norms[1:] / norms[0]).tolist(), color=QUERY, linewidth=2)
    axes.set_xscale("log", base=2)
    axes.axhline(1, color=FAINT, linewidth=0.8, linestyle="--", zorder=0)
    ticks = [2.0**n for n in range(-6, 12, 2) if x[0] <= 2.0**n <= x[-1]]
    axes.set_xticks(ticks, [f"{t:g}" if t >= 1 else f"1/{1 / t:g}" for t in ticks])
    axes.set(ylim=(-0.05, 1.3), xlabel="standard deviation of the scores")
    axes.set_ylabel("relative to equal weights")
    axes.text(1.3, 0.52, "entropy", color=INK, ha="right", fontsize=9)
    axes.text(
        3.4, 1.09, "norm of the Jacobian", color=QUERY, fontsize=9,
        bbox=dict(facecolor=PAPER, edgecolor="none", pad=1),
    )  # fmt: skip
