"""Chapter 04: the numbers that its figures and its explorer state."""

import pytest
import torch

from chapters.ch04.explorer import weight_painter
from chapters.ch04.figures import product_figure, rows_figure, sums_figure
from tests.chapters.conftest import says

ROWS = torch.tensor([[2.0, 7.0], [6.0, 4.0], [6.0, 5.0]])
X = torch.tensor([[1.0, -2.0], [3.0, 0.5], [-1.0, 4.0], [0.0, 2.5]])
MEANS = torch.ones(4, 4).tril() / torch.arange(1, 5)[:, None]


def mix(row, x):
    """The shares of one row of weights times the rows of x, added up by hand."""
    return [
        sum(w * v for w, v in zip(row, column, strict=True)) for column in zip(*x, strict=True)
    ]


def test_the_rows_figure_gives_three_matrices_whose_product_is_right(no_pixels):
    left = torch.tensor([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 2.0, 1.0]])
    result = [mix(row, ROWS.tolist()) for row in left.tolist()]
    told = rows_figure(left, ROWS).sentence
    for matrix in (left.tolist(), ROWS.tolist(), result):
        assert str(matrix).replace(".0", ".") in told, told


def test_the_sums_figure_ends_with_the_mean_of_all_rows(no_pixels):
    total = mix([1, 1, 1], ROWS.tolist())
    third = [value / 3 for value in total]
    wanted = f"becomes [{third[0]:f}, {third[1]:f}], a third of [{total[0]:f}, {total[1]:f}]."
    says(sums_figure(ROWS).sentence, wanted)


@pytest.mark.parametrize("row", [None, 0, 2])
def test_the_product_figure_gives_the_mean_of_the_marked_row(row, no_pixels):
    t = 3 if row is None else row
    a, b = mix(MEANS[t].tolist(), X.tolist())
    says(
        product_figure(MEANS, X, row).sentence,
        f"Row {t} of the weights sums to 1, so row {t} of the result, [{a:f}, {b:f}], "
        "is the mean of the rows it looks at.",
    )


def test_a_row_that_looks_ahead_or_sums_to_more_is_no_average(no_pixels):
    weights = MEANS.clone()
    weights[1, 3] = 0.25
    says(
        product_figure(weights, X, 1).sentence,
        "sums to 1.25, so row 1 of the result, [2, -0.125], is no longer an average. "
        "It takes 0.25 from its future.",
    )


def test_the_painter_opens_on_an_average_and_spoils_it(no_pixels):
    painter = weight_painter(torch.arange(16.0).view(8, 2))
    assert "is the mean of the rows it looks at." in painter.still.sentence
    spoilt = painter.render(**painter.state | {"weight": 0.75, "column": 1}).sentence
    says(spoilt, "Row 3 of the weights sums to 1.5, so row 3")
    assert "no longer an average" in spoilt and "future" not in spoilt
    says(painter.render(**painter.state | {"weight": 0.75, "column": 5}).sentence, "0.75 from its")
