"""Chapter 13: losses next to the best table and the floor, effects of choices, and trainings."""

from collections.abc import Mapping, Sequence

import matplotlib as mpl
from matplotlib.axes import Axes

from attention.fitting import Evaluation
from course.draw.picture import (
    FAINT,
    INK,
    KEY,
    PAPER,
    QUERY,
    SMALL,
    STYLE,
    VALUE,
    Picture,
    canvas,
    headline,
    name_rows,
    picture,
    place,
    tint,
)

PURPOSE = {"train": "to learn from", "validation": "to choose on", "test": "to judge on"}


def parts_figure(sizes: Mapping[str, int], unit: str) -> Picture:
    """Draw the parts of a corpus, {part: size}, one after another, and what each part is for."""
    figure, (axes,) = canvas(1.25, layout=None)
    place(axes, 0.9, 0.05, 1.9, 0.8)  # narrow enough for bars and numbers on a phone
    total, at = sum(sizes.values()), 0
    with mpl.rc_context(STYLE):
        for n, (name, size) in enumerate(sizes.items()):
            colour = {"train": QUERY, "test": VALUE}.get(name, KEY)
            axes.barh(n, size, left=at, height=0.66, color=colour)
            for x, text in ((1.05, f"{size:,}"), (1.45, PURPOSE[name])):
                axes.text(x * total, n, text, va="center", fontsize=SMALL)
            at += size
        axes.set_yticks(range(len(sizes)), [*sizes])
        axes.tick_params(axis="y", length=0)
        axes.set(xlim=(0, total), ylim=(len(sizes) - 0.5, -0.5), xticks=[])
        axes.spines[:].set_visible(False)
        axes.set_title(f"Three parts, in {unit}", loc="left")
    said = ", ".join(f"{name} {size:,} ({PURPOSE[name]})" for name, size in sizes.items())
    return picture(figure, f"The sizes of the three parts, in {unit}: {said}.")


def levels_figure(
    tables: Mapping[str, float], models: Mapping[str, float | None], floor: float | None, unit: str
) -> Picture:
    """Draw bars for the losses of tables, which are counted, and of models (None if it isn't known yet)."""
    rows = [*tables.items(), *models.items()]
    high = max(loss for _, loss in rows if loss is not None)
    best = min(tables, key=tables.get)
    figure, (axes,) = canvas(0.9 + 0.33 * len(rows))
    with mpl.rc_context(STYLE):
        for n, (name, loss) in enumerate(rows):
            colour = QUERY if name in models else FAINT
            axes.barh(n, loss or 0, color=colour, height=0.66)
            axes.text(
                high * 1.03, n, "?" if loss is None else f"{loss:.2f}", va="center", fontsize=SMALL,
                weight="bold" if name in models else "normal",
            )  # fmt: skip
        axes.axvline(tables[best], color=VALUE, linewidth=1.6)
        if floor is not None:
            axes.axvline(floor, color=INK, linewidth=1.6, linestyle="--")
        axes.set_yticks(range(len(rows)), [name for name, _ in rows])
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlim(0, high * 1.12)
        axes.set_xlabel(f"loss, nats per {unit}")
        axes.set_title(_levels_title(rows, floor))
    said = ", ".join(f"{name} {loss:.2f}" for name, loss in rows if loss is not None)
    dashed = "" if floor is None else f", and the dashed line marks the floor, {floor:.2f}"
    return picture(figure, f"Losses in nats per {unit}, the lower the better: {said}. The solid line marks "
                   f"the best table, {best}{dashed}.")  # fmt: skip


def _levels_title(rows: Sequence[tuple[str, float | None]], floor: float | None) -> str:
    if None in dict(rows).values():
        return "Between the best table and the floor" if floor else "The table to beat"
    name, loss = min(rows, key=lambda row: row[1])
    return f"The lowest loss is {loss:.2f}: {name}"


def choices_figure(
    tuned: Mapping[str, Mapping[str, float]],
    first: Mapping[str, Mapping[str, Sequence[float]]],
    plain: str,
) -> Picture:
    """Draw how much each change raises the plain model's loss, with the best rates and with one rate for all.

    `tuned` is {change: {seed: loss}}, and `first` is {change: {seed: [loss]}}. Pairs have the same seed.
    """
    found = {
        name: [own[seed] - tuned[plain][seed] for seed in own]
        for name, own in tuned.items() if name != plain
    }  # fmt: skip
    before = {
        name: _mean([first[name][seed][0] - first[plain][seed][0] for seed in first[plain]])
        for name in found
    }
    order = sorted(found, key=lambda name: -_mean(found[name]))
    figure, (axes,) = canvas(1.1 + 0.27 * len(order))
    with mpl.rc_context(STYLE):
        axes.axvline(0, color=INK, linewidth=1)
        high = max(map(max, (*found.values(), [*before.values()])))
        low = min(map(min, (*found.values(), [*before.values()])))
        for n, name in enumerate(order):
            _change(axes, n, found[name], before[name])
            axes.text(high + 0.03 * (high - low), n, _signed(_mean(found[name])), va="center",
                      fontsize=SMALL)  # fmt: skip
        axes.set_yticks(range(len(order)), order)
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(order) - 0.4, -0.6)
        axes.set_xlim(low - 0.03 * (high - low), high + 0.14 * (high - low))
        axes.set_xlabel("change in the validation loss")
        axes.set_title("Dots: each row with its best rate. Rings: one rate for all")
    n_seeds, told = len(tuned[plain]), [f"{name} {_signed(_mean(found[name]))}" for name in order]
    rings = ", ".join(f"{name} {_signed(before[name])}" for name in order)
    return picture(
        figure,
        f"The numbers show how much each change raises the loss, in nats per character, as the mean of {n_seeds} "
        f"pairs of runs, in which each row has its best learning rate: {', '.join(told)}. Dots further right are "
        f"worse. The rings show the same differences with one rate for all rows: {rings}.",
    )


def _change(axes: Axes, n: int, now: Sequence[float], before: float) -> None:
    """Draw row n: a dot for each seed at the best rate, their mean, and a ring for the mean with one rate."""
    colour = KEY if _mean(now) > 0 else VALUE
    axes.plot([before, _mean(now)], [n, n], color=FAINT, linewidth=1.6, zorder=0)
    axes.plot([before], [n], "o", markerfacecolor=PAPER, markeredgecolor=INK, markersize=6.5)
    axes.plot(now, [n] * len(now), "o", color=colour, markersize=4, alpha=0.7)
    axes.plot([_mean(now)] * 2, [n - 0.33, n + 0.33], color=INK, linewidth=2)


MEASURES = {  # {measure: (title of its panel, its unit)}
    "excess": ("above the floor", "nats per token"),
    "well formed": ("well formed", "of the stories"),
    "no slip": ("no slip", "of the stories"),
    "answered": ("answered", "of the questions"),
}


def needs_figure(rows: Mapping[str, Mapping[str, Sequence[float]]], finding: str) -> Picture:
    """Draw a panel for each measure of the models, {row: {measure: [its value, seed by seed]}}.

    The first row is the whole model; its mean is a line through all rows.
    """
    figure, panels = canvas(1.3 + 0.35 * len(rows), len(MEASURES), sharey=True)
    headline(figure, finding)
    with mpl.rc_context(STYLE):
        for axes, name in zip(panels, MEASURES, strict=True):
            _panel_of_needs(axes, name, {row: own[name] for row, own in rows.items()})
        name_rows(panels[0], list(rows))
    said = "; ".join(
        f"{row} {', '.join(_with_ends(name, own[name]) for name in MEASURES)}" for row, own in rows.items()
    )
    return picture(
        figure,
        f"{finding}. Each model has four numbers, as means of {len(next(iter(rows.values()))['excess'])} seeds, "
        f"with the lowest and the highest. "
        f"The first is how far its loss is above the floor, in nats per token. The others are shares: of "
        f"well-formed stories, of stories without a slip, and of right answers. {said}.",
    )


def _panel_of_needs(axes: Axes, name: str, values: Mapping[str, Sequence[float]]) -> None:
    """Draw a dot for each seed, and the mean of each row as a mark and as a number."""
    high = max(map(max, values.values())) if name == "excess" else 1
    whole = next(iter(values))
    for n, (row, own) in enumerate(values.items()):
        colour, mean = VALUE if row == whole else KEY, _mean(own)
        axes.plot(own, [n] * len(own), "o", color=colour, markersize=6, alpha=0.7)
        axes.plot([mean] * 2, [n - 0.3, n + 0.3], color=INK, linewidth=2)
        axes.text(1.11 * high, n, _share_or_loss(name, mean), va="center", fontsize=11, weight="bold")
    axes.axvline(_mean(values[whole]), color=VALUE, linewidth=1.6)
    title, counted = MEASURES[name]
    axes.set(xlim=(-0.06 * high, 1.06 * high), ylim=(len(values) - 0.5, -0.5), xlabel=counted)
    axes.set_xticks(*([[0]] if name == "excess" else ([0, 1], ["0%", "100%"])))
    axes.set_title(title)
    axes.tick_params(axis="y", length=0)


Losses = Mapping[int, Mapping[int, Sequence[float]]]  # {parameters: {steps: [a loss for each seed]}}


def scaling_figure(losses: Losses, finding: str) -> Picture:
    """Draw the loss above the floor against parameters, a line for each number of steps, and against steps.

    Both axes are logarithmic. The dashed lines fall by half with every doubling.
    """
    by_steps = {steps: {size: losses[size][steps] for size in losses} for steps in _steps(losses)}
    colours = dict(zip(by_steps, (QUERY, KEY, VALUE), strict=False))
    figure, (left, right) = canvas(3.9, 2, layout=None, sharey=True)
    headline(figure, finding)
    with mpl.rc_context(STYLE):
        _lines(left, {f"{n} steps": line for n, line in by_steps.items()}, [*colours.values()])
        _lines(right, {f"{n:,}": line for n, line in losses.items()}, [FAINT] * len(losses))
        _dots(left, right, losses, colours)
        left.set(xlabel="parameters of the blocks", ylabel="nats per token above the floor")
        right.set(xlabel="steps of training")
        for axes, x, title in ((left, 0.75, "Larger models"), (right, 4.75, "Longer trainings")):
            place(axes, x, 0.6, 2.6, 2.65)  # narrow enough for a phone
            axes.set_title(title)
    return picture(figure, _scaling_sentence(by_steps, finding, _widest(losses)))


def _scaling_sentence(by_steps: Losses, finding: str, widest: float) -> str:
    """The means, for each number of steps from the smallest model to the largest, and their spread."""
    lines = [*by_steps.values()]
    said = "; ".join(
        f"with {steps} steps {', '.join(f'{_mean(own):.3f}' for own in line.values())}"
        for steps, line in by_steps.items()
    )
    sizes = [f"{size:,}" for size in lines[0]]
    n_seeds = len(next(iter(lines[0].values())))
    return (
        f"{finding}. Models with {', '.join(sizes[:-1])} and {sizes[-1]} parameters in their blocks have these "
        f"losses above the floor, in nats per token, as means of {n_seeds} seeds: {said}. Left: a line for each "
        f"number of steps. Right: a line for each model. The dots are the seeds. The dashed lines fall by half "
        f"with every doubling. The seeds of one model lie at most {widest:.0%} of their mean apart."
    )


def _lines(
    axes: Axes, lines: Mapping[str, Mapping[int, Sequence[float]]], colours: Sequence[str]
) -> None:
    """Draw a line through the means of each {x: [value of each seed]}, and one that falls by half."""
    for line, colour in zip(lines.values(), colours, strict=True):
        axes.plot([*line], [*map(_mean, line.values())], color=colour, linewidth=2)
    xs, first = [*line], _mean(next(iter(lines.values()))[min(line)])
    axes.plot(xs, [first * xs[0] / x for x in xs], "--", color=FAINT, linewidth=1.2)
    axes.set(xscale="log", yscale="log", xlim=(xs[0] / 1.15, xs[-1] * (xs[-1] / xs[0]) ** 0.35))
    apart = [after >= 2 * x for x, after in zip(xs, [*xs[1:], 2 * xs[-1]], strict=True)]
    axes.set_xticks(xs, [_thousands(x) if far else "" for x, far in zip(xs, apart, strict=True)])
    axes.yaxis.set_major_locator(mpl.ticker.LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.tick_params(labelleft=True)
    axes.minorticks_off()
    _name_ends(axes, {name: _mean(line[xs[-1]]) for name, line in lines.items()}, xs[-1])


def _dots(left: Axes, right: Axes, losses: Losses, colours: Mapping[int, str]) -> None:
    """Draw a dot for each seed in both panels, in the colour of its number of steps."""
    for size, row in losses.items():
        for steps, own in row.items():
            for axes, x in ((left, size), (right, steps)):
                axes.plot([x] * len(own), own, "o", color=colours[steps], markersize=4)


def _name_ends(axes: Axes, ends: Mapping[str, float], x: float) -> None:
    """Write the names of lines after their last points; names that would touch move apart."""
    low = 0.0
    for name in sorted(ends, key=ends.get):
        low = max(ends[name], low * 1.25)
        axes.annotate(
            name, (x, low), (6, 0), textcoords="offset points", va="center", fontsize=SMALL
        )


def _thousands(n: int) -> str:
    return f"{n / 1000:.0f}k" if n >= 2000 else str(n)


def _steps(losses: Losses) -> list[int]:
    return list(next(iter(losses.values())))


def _widest(losses: Losses) -> float:
    """The largest difference between two seeds of a model, as a share of their mean."""
    return max((max(own) - min(own)) / _mean(own) for line in losses.values() for own in line.values())


def _share_or_loss(name: str, value: float) -> str:
    return f"{value:.3f}" if name == "excess" else f"{value:.0%}"


def _with_ends(name: str, values: Sequence[float]) -> str:
    low, mean, high = (_share_or_loss(name, value) for value in (min(values), _mean(values), max(values)))
    return f"{mean} ({low} to {high})"


def _signed(number: float) -> str:
    return f"{round(number, 2) + 0.0:+.2f}"  # + 0.0: no minus before a 0


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


def curve_figure(history: Sequence[Evaluation], best_table: float, floor: float | None) -> Picture:
    """Draw a training's losses on batches and on the validation part, and lines for best table and floor."""
    figure, (axes,) = canvas(3.2)
    steps = [evaluation.step for evaluation in history]
    levels = {"the best table": (best_table, VALUE)} | ({} if floor is None else {"the floor": (floor, INK)})
    with mpl.rc_context(STYLE):
        for name, colour, losses in (
            ("validation", QUERY, [evaluation.validation for evaluation in history]),
            ("batches", KEY, [evaluation.train for evaluation in history]),
        ):
            axes.plot(steps, losses, "o-", color=colour, markersize=4)
            axes.text(steps[-1] * 1.015, losses[-1], name, color=colour, weight="bold", va=(
                "bottom" if losses[-1] == max(history[-1][1:]) else "top"))  # fmt: skip
        for name, (loss, colour) in levels.items():
            axes.hlines(loss, 0, steps[-1], colour, linewidth=1.6, linestyle="-" if colour == VALUE else "--")
            below = name == "the floor"  # where there is no curve
            axes.text(
                steps[-1], loss * (0.98 if below else 1.02), name, color=colour, fontsize=SMALL,
                ha="right", va="top" if below else "bottom",
            )  # fmt: skip
        axes.set_xlim(0, steps[-1] * 1.16)
        axes.set_xlabel("training step")
        axes.set_ylabel("loss, nats per token")
        axes.set_yscale("log")
        axes.set_ylim(bottom=0.85 * axes.get_ylim()[0])
        axes.yaxis.set_major_locator(mpl.ticker.LogLocator(subs=(1, 2, 3, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_locator(mpl.ticker.NullLocator())
        axes.set_title("The loss while the model trains")
    last = history[-1]
    best = min(history, key=lambda evaluation: evaluation.validation)
    said = " and ".join(f"{name} at {loss:.2f}" for name, (loss, _) in levels.items())
    return picture(
        figure,
        f"At step {last.step}, after {len(history)} evaluations, the loss is {last.train:.2f} on the batches "
        f"and {last.validation:.2f} on the validation part. The lowest validation loss was "
        f"{best.validation:.2f}, at step {best.step}. Lines show {said}.",
    )


def finetune_figure(
    curves: Mapping[str, Mapping[str, Sequence[Mapping[int, float]]]], floors: Mapping[str, float], finding: str
) -> Picture:
    """Draw a panel for each text, {text: {start: [{steps: bits per byte}]}}; dashed lines are floors."""
    figure, panels = canvas(3.1, len(curves))
    with mpl.rc_context(STYLE):
        for axes, (text, starts) in zip(panels, curves.items(), strict=True):
            for (start, runs), colour in zip(starts.items(), (QUERY, KEY), strict=False):
                for curve in runs:
                    axes.plot([*curve], [*curve.values()], color=tint(colour, 0.4), linewidth=1)
                mean = _mean_curve(runs)
                axes.plot([*mean], [*mean.values()], "o-", color=colour, markersize=4, label=start)
            if text in floors:
                axes.axhline(floors[text], color=INK, linewidth=1.2, linestyle="--")
            axes.set(yscale="log", xlabel="training step")
            axes.set_title(text, fontsize=10)
            axes.yaxis.set_major_locator(mpl.ticker.LogLocator(subs=(1, 2, 5)))
            axes.yaxis.set_major_formatter("{x:g}")
            axes.minorticks_off()
        panels[0].set_ylabel("bits per byte")
        panels[-1].legend(frameon=False, fontsize=SMALL)
    headline(figure, finding)
    said = "; ".join(_finetune_said(text, curves[text], floors.get(text)) for text in curves)
    return picture(figure, f"{finding}. Validation losses in bits per byte, as means of the seeds: {said}.")


def _mean_curve(runs: Sequence[Mapping[int, float]]) -> dict[int, float]:
    return {step: _mean([curve[step] for curve in runs]) for step in runs[0]}


def _finetune_said(text: str, starts: Mapping[str, Sequence[Mapping[int, float]]], floor: float | None) -> str:
    """A text's mean losses before the first step and after the last."""
    means = {start: _mean_curve(runs) for start, runs in starts.items()}
    said = [f"{start} {mean[0]:.2f} and then {mean[max(mean)]:.2f}" for start, mean in means.items()]
    return f"{text}, {', '.join(said)}" + ("" if floor is None else f", floor {floor:.2f}")
