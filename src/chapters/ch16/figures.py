"""Chapter 16: outputs that look alike, which check finds which patient, and a loss that is too good."""

from collections.abc import Mapping, Sequence

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from torch import Tensor

from course.draw.picture import (
    INK,
    LIGHT,
    QUERY,
    SIGNED,
    SMALL,
    STYLE,
    WIDTH,
    WRONG,
    Picture,
    canvas,
    headline,
    heat_map,
    picture,
    sheet,
)

N_CHANNELS = 12  # channels of an output that are shown
ROW, CELL, NAMES = 0.2, 0.17, 2.5  # of the matrix, in inches
PER_LINE, LINES = 46, 3  # of a text: characters in a line (so many fit on a phone), and lines


def outputs_figure(one: Tensor, other: Tensor) -> Picture:
    """Draw two outputs (T, C) side by side on one scale: the first channels of every position."""
    figure, axes = canvas(2.7, 2)
    shown = [out[:, :N_CHANNELS].detach() for out in (one, other)]
    most = max(out.abs().max().item() for out in shown)
    for ax, out, name in zip(axes, shown, "AB", strict=True):
        heat_map(ax, out, title=f"output of program {name}", row_axis="position",
                 column_axis="channel", low=-most, high=most, colours=SIGNED, digits=None)  # fmt: skip
    T, C = one.shape
    return picture(
        figure,
        f"The outputs of two programs on the same {T} words with the same weights, {N_CHANNELS} of "
        f"{C} channels: both have the shape ({T}, {C}), and numbers between {-most:.1f} and {most:.1f}.",
    )


def pair_figure(
    runs: Mapping[str, Mapping[str, Mapping]], names: tuple[str, str], alone: bool
) -> Picture:
    """Draw the losses of a right and a wrong model while they train, with a thin line for each seed."""
    kinds = {"usual": "with the entire block visible"} | ({"alone": "with only the past"} if alone else {})
    figure, axes = canvas(3.3, 2, sharey=True)
    said = []
    with mpl.rc_context(STYLE):
        for ax, (kind, title) in zip(axes, kinds.items(), strict=False):
            for name, colour in zip(names, (QUERY, WRONG), strict=True):
                ends = _curves(ax, runs[name].values(), kind, colour)
                said.append(f"{name} {min(ends):.2f} to {max(ends):.2f} {title}")
                side = 1 if sum(ends) / len(ends) > 2.2 or name == names[0] else -1
                ax.text(ax.get_xlim()[1], sum(ends) / len(ends) + 0.09 * side, name, color=colour,
                        ha="right", va="bottom" if side > 0 else "top", weight="bold")  # fmt: skip
            ax.set(xlabel="training step", ylim=(1.4, 3.1), title=title)
        axes[0].set_ylabel("loss, nats per character")
        if not alone:
            axes[1].set_axis_off()
    n = len(runs[names[0]])
    return picture(
        figure,
        f"Losses on text that was held back, while {n} pairs of models train on the same batches. At "
        f"the end: {'; '.join(said)}.",
    )


def _curves(ax: Axes, runs: Sequence[Mapping], kind: str, colour: str) -> list[float]:
    """Draw a line for each run, and return the last loss of each."""
    for run in runs:
        ax.plot(run["step"], run[kind], color=colour, linewidth=1.4, alpha=0.8)
    return [run[kind][-1] for run in runs]


def matrix_figure(rows: Mapping[str, Mapping[str, bool]], chosen: Sequence[str]) -> Picture:
    """Draw patients by checks: a square is red where a chosen check finds something."""
    checks = list(next(iter(rows.values())))
    caught = [fault for fault, row in rows.items() if not all(row[name] for name in chosen)]
    half = (len(rows) + 1) // 2  # in two columns, to fit on a slide
    height = 1.42 + ROW * half
    figure, columns = sheet(height, 2)
    lefts = 0.0, WIDTH / 2
    with mpl.rc_context(STYLE):
        for ax, left in zip(columns, lefts, strict=True):
            for c, name in enumerate(checks):
                x = left + NAMES + 0.2 + (c + 0.5) * CELL
                ax.text(x, height - 1.16, name, ha="center", va="bottom", rotation=90, fontsize=SMALL,
                        weight="bold" if name in chosen else "normal")  # fmt: skip
        for n, (fault, row) in enumerate(rows.items()):
            ax, left, y = columns[n >= half], lefts[n >= half], height - 1.54 - ROW * (n % half)
            found = fault in caught
            ax.text(left + NAMES, y + ROW / 2 - 0.03, fault, ha="right", va="center", fontsize=SMALL,
                    color=WRONG if found else INK)  # fmt: skip
            for c, name in enumerate(checks):
                colour = WRONG if name in chosen and not row[name] else LIGHT
                ax.add_patch(Rectangle((left + NAMES + 0.23 + c * CELL, y), CELL - 0.04, ROW - 0.05, color=colour, lw=0))
    headline(figure, f"{' and '.join(chosen)}: {len(caught)} of {len(rows)} patients")
    missed = [fault for fault in rows if fault not in caught]
    return picture(
        figure,
        f"A red square means that a chosen check finds something in the patient of its row. "
        f"{' and '.join(chosen)} {'find' if len(chosen) > 1 else 'finds'} something in {len(caught)} of {len(rows)}"
        + (f"; not in {', '.join(missed)}." if 0 < len(missed) < 16 else "."),
    )


def differs_figure(differ: Mapping[str, Tensor], texts: Tensor) -> Picture:
    """Draw patients by positions (T,) of a packed row; a square is red where one differs from our module.

    `texts` (T,) numbers the texts of the row; 0 is padding.
    """
    row, cell, names = 0.27, 0.5, 3.0  # inches
    height = 1.1 + row * len(differ)
    figure, (ax,) = sheet(height)
    put = dict(ha="center", va="center", fontsize=10)
    begins = [n for n in range(len(texts)) if n == 0 or texts[n] != texts[n - 1]]
    with mpl.rc_context(STYLE):
        ax.text(WIDTH / 2, height - 0.2, "Which positions differ tells the faults apart", ha="center",
                va="center", fontsize=11, weight="bold")  # fmt: skip
        for first, end in zip(begins, [*begins[1:], len(texts)], strict=True):
            name = f"text {texts[first]}" if texts[first] else "padding"
            left, right = (names + 0.25 + n * cell for n in (first, end))
            ax.text((left + right) / 2, height - 0.52, name, **put)
            ax.plot([left + 0.05, right - 0.09], [height - 0.66] * 2, color=INK, linewidth=1.2)
        for n in range(len(texts)):
            ax.text(names + 0.48 + n * cell, height - 0.84, str(n), **put)
        for n, (fault, wrong) in enumerate(differ.items()):
            y = height - 1.24 - row * n
            ax.text(names, y + row / 2 - 0.03, fault, ha="right", va="center", fontsize=10)
            for place, off in enumerate(wrong.tolist()):
                ax.add_patch(Rectangle((names + 0.25 + place * cell, y), cell - 0.04, row - 0.05,
                                       color=WRONG if off else LIGHT, lw=0))  # fmt: skip
    listed = (
        f"{fault} {' '.join(str(n) for n in wrong.nonzero().flatten().tolist()) or 'none'}"
        for fault, wrong in differ.items()
    )
    return picture(
        figure,
        f"A row of {len(texts)} positions that belong to the texts {' '.join(map(str, texts.tolist()))}, where 0 is "
        f"padding. Positions at which each patient differs from our module: {'; '.join(listed)}.",
    )


def texts_figure(texts: Mapping[str, str], wrong: str) -> Picture:
    """Draw the beginnings of texts, each under the name of its model, with signs for line breaks."""
    lines: list[tuple[str, str, bool]] = []
    for name, text in texts.items():
        signs = text.replace("\n", "\u21b5")
        lines.append((name, WRONG if name == wrong else QUERY, True))
        lines += [(signs[n : n + PER_LINE], INK, False) for n in range(0, min(len(signs), LINES * PER_LINE), PER_LINE)]
    height = 0.2 + 0.27 * len(lines)
    figure, (ax,) = sheet(height)
    with mpl.rc_context(STYLE):
        for n, (line, colour, name) in enumerate(lines):
            ax.text(0.1, height - 0.25 - 0.27 * n, line, color=colour, fontsize=10 if name else SMALL,
                    weight="bold" if name else "normal", family=None if name else "DejaVu Sans Mono")  # fmt: skip
    said = ". ".join(f"{name}: {text[:60]!r}" for name, text in texts.items())
    return picture(figure, f"Texts written by the two models of one pair. {said}.")
