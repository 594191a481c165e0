"""Chapter 06: change one number of W_q and watch a row of the attention weights."""

from collections.abc import Sequence

import ipywidgets as widgets
from torch import Tensor

from course.explorers.explorer import Explorer, float_slider
from course.figures.picture import Picture
from course.figures.projections import query_figure


def query_explorer(x: Tensor, W_q: Tensor, W_k: Tensor, words: Sequence[str]) -> Explorer:
    """Choose a number of W_q, add to it, and compare a word's weights before and after."""
    entries = [(r, c) for r in range(W_q.shape[0]) for c in range(W_q.shape[1])]

    def render(word: int, entry: tuple[int, int], change: float) -> Picture:
        return query_figure(x, W_q.detach(), W_k.detach(), words, word, entry, change)

    return Explorer(
        render,
        word=_choice("whose row", [(word, n) for n, word in enumerate(words)], 1),
        entry=_choice("number of W_q", [(f"W_q[{r}, {c}]", (r, c)) for r, c in entries], (2, 1)),
        change=float_slider("add to it", -6.0, 6.0, -4.0, 1.0),
    )


def _choice(label: str, options: Sequence[tuple], value) -> widgets.Dropdown:
    """A list to choose from, with room for its label."""
    return widgets.Dropdown(
        options=options, value=value, description=label,
        style={"description_width": "initial"}, layout=widgets.Layout(width="260px"),
    )  # fmt: skip
