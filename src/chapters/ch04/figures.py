"""Chapter 04: sums and means of the past as matrix products."""

from functools import cache

import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from course.draw.picture import (
    FAINT,
    INK,
    OFF,
    SMALL,
    TIME,
    X_CELLS,
    Picture,
    canvas,
    cells,
    headline,
    heat_map,
    picture,
    row_sums,
)


def rows_figure(left: Tensor, rows: Tensor) -> Picture:
    """Draw left @ rows = result: each row of the result is a mix of the rows of `rows`.

    >>> rows_figure(torch.tensor([[1.0, 1.0], [0.0, 2.0]]), torch.tensor([[3.0], [5.0]])).sentence[-28:]
    ' and A @ M is [[8.], [10.]].'
    """
    result = left @ rows
    sizes = [matrix.shape[1] for matrix in (left, rows, result)]
    figure, axes = canvas(2.4, 3, width_ratios=sizes)
    headline(figure, "Each row of A @ M is a mix of the rows of M")
    high = 1.5 * float(result.max())
    parts = (
        ("A", left, dict(high=1.5)),
        ("@  M", rows, dict(low=-high, high=high, colours=X_CELLS)),
        ("=  A @ M", result, dict(low=-high, high=high, colours=X_CELLS)),
    )
    for ax, (name, matrix, look) in zip(axes, parts, strict=True):
        title = f"{name} {tuple(matrix.shape)}"
        heat_map(ax, matrix, title=title, digits=0, **look, row_axis="" if ax in axes[1:] else "row t")
    a, m, product = (str(matrix.tolist()).replace(".0", ".") for matrix in (left, rows, result))
    return picture(figure, f"The product of two matrices. A is {a}, M is {m}, and A @ M is {product}.")


def sums_figure(rows: Tensor) -> Picture:
    """Draw three left matrices, which give the sum of all `rows`, the sum of the past, and its mean."""
    ones = torch.ones(len(rows), len(rows))
    below = ones.tril()
    figure, axes = canvas(2.5, 3)
    headline(figure, "The matrix on the left decides what each row takes")
    kinds = {
        "sum of all": ones,
        "sum of the past": below,
        "mean of the past": below / below.sum(dim=1, keepdim=True),
    }
    for ax, (title, left) in zip(axes, kinds.items(), strict=True):
        heat_map(ax, left, title=title, row_axis="position t", column_axis="takes from row", causal=True)
        for t, row in enumerate((left @ rows).tolist()):
            shown = ", ".join(f"{value:.4g}" for value in row)
            ax.text(len(rows) - 0.35, t, f"= [{shown}]", va="center", fontsize=SMALL, color=INK)
        ax.set_xlim(-0.5, len(rows) + 1.4)
    last = [(left @ rows)[-1].tolist() for left in kinds.values()]
    return picture(
        figure,
        f"Three matrices, each multiplied by the same three rows. A matrix of ones adds up "
        f"all rows. Ones on and below the diagonal add up the past. Divided by their row sums, "
        f"they average the past: the last row becomes "
        f"[{last[2][0]:.4g}, {last[2][1]:.4g}], a third of [{last[1][0]:.4g}, {last[1][1]:.4g}].",
    )


@cache
def _maps(T: int, C: int) -> tuple[Figure, list[Axes]]:
    """Three empty maps with their labels. Labels take longer to draw than cells, so we draw them once."""
    figure, axes = canvas(4.1, 3, layout=None, width_ratios=[T + 1.6, C + 1.0, C + 1.0])
    figure.subplots_adjust(left=0.06, right=0.99, bottom=0.12, top=0.85, wspace=0.14)
    heat_map(
        axes[0], torch.zeros(T, T), title="weights (T, T)", row_axis="position that looks (t)",
        column_axis="position looked at",
    )  # fmt: skip
    for ax, title in zip(axes[1:], ("@  x (T, C)", "=  out (T, C)"), strict=True):
        heat_map(ax, torch.zeros(T, C), title=title, column_axis="channel")
    return figure, axes


def product_figure(weights: Tensor, x: Tensor, row: int | None = None) -> Picture:
    """Draw weights @ x = out, with the sum of each row of weights, and mark `row` (by default the last)."""
    out = weights @ x
    T, C = x.shape
    sums = weights.sum(dim=-1)
    figure, axes = _maps(T, C)
    cells(axes[0], weights, causal=True)
    row_sums(axes[0], sums.tolist(), T - 0.3, plain=FAINT)
    axes[0].set_xlim(-0.5, T + 1.1)
    for ax, matrix in ((axes[1], x), (axes[2], out)):
        cells(ax, matrix, low=-2.0, high=2.0, colours=X_CELLS)
    row = T - 1 if row is None else row
    for ax, width in ((axes[0], T), (axes[2], C)):
        ax.add_artist(_frame(row, width))
    total = float(sums[row])
    kind = "the mean of the rows it looks at" if abs(total - 1) <= OFF else "no longer an average"
    headline(figure, f"Row {row} of the result is {kind}")
    future = float(weights[row, row + 1 :].sum())
    leak = f" It takes {future:.2f} from its future." if future > OFF else ""
    numbers = ", ".join(f"{value:.4f}" for value in out[row].tolist())
    return picture(
        figure,
        f"The weights times x. Row {row} of the weights sums to {total:.2f}, so row {row} of the "
        f"result, [{numbers}], is {kind}.{leak}",
    )


def _frame(row: int, width: int):
    from matplotlib.patches import Rectangle

    return Rectangle((-0.5, row - 0.5), width, 1, fill=False, edgecolor=TIME, linewidth=2)
