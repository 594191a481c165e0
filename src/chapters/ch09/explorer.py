"""Chapter 09: change dropout's probability and watch the row sums."""

from collections.abc import Sequence

from torch import Tensor

from chapters.ch09.figures import row_sums_figure
from course.draw.explorer import Explorer, float_slider, slider, switch
from course.draw.picture import Picture


def dropout_explorer(weights: Tensor, noise: Tensor, words: Sequence[str]) -> Explorer:
    """Show how far dropout pushes the sums of rows from 1; choose p, one of ten draws, and the mode."""

    def render(p: float, draw: int, training: bool) -> Picture:
        return row_sums_figure(weights, noise, p, words, draw - 1, training)

    return Explorer(
        render,
        {"p": [n / 10 for n in range(10)], "training": [True, False]},
        p=float_slider("p, share dropped", 0.0, 0.9, 0.5, 0.1),
        training=switch("training", True),
        draw=slider("draw", 1, 10, 1),
    )
