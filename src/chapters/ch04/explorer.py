"""Chapter 04: paint one weight and watch its row."""

from torch import Tensor

from attention.masks import causal_mask
from chapters.ch04.figures import product_figure
from course.draw.explorer import Explorer, float_slider, slider
from course.draw.picture import Picture


def weight_painter(x: Tensor) -> Explorer:
    """Choose a weight and the cell it is put into, and see the row's sum and output change."""
    T = x.shape[0]
    ones = causal_mask(T).to(x)
    uniform = ones / ones.sum(dim=-1, keepdim=True)

    def render(weight: float, row: int, column: int) -> Picture:
        weights = uniform.clone()
        weights[row, column] = weight
        return product_figure(weights, x, row)

    return Explorer(
        render,
        {"weight": [0, 0.25, 0.5, 0.75, 1], "column": range(T)},
        weight=float_slider("weight", 0.0, 1.0, 0.25, 0.25),
        column=slider("column (looked at)", 0, T - 1, 1),
        row=slider("row (that looks)", 0, T - 1, 3),
    )
