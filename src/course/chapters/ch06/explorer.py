"""Chapter 06: change one number of W_q and watch a row of the attention weights."""

from collections.abc import Sequence

from torch import Tensor

from course.chapters.ch06.figures import query_figure
from course.draw.explorer import Explorer, choice, float_slider
from course.draw.picture import Picture


def query_explorer(x: Tensor, W_q: Tensor, W_k: Tensor, words: Sequence[str]) -> Explorer:
    """Choose a number of W_q, add to it, and compare a word's weights before and after."""
    entries = [(r, c) for r in range(W_q.shape[0]) for c in range(W_q.shape[1])]

    def render(word: int, entry: tuple[int, int], change: float) -> Picture:
        return query_figure(x, W_q.detach(), W_k.detach(), words, word, entry, change)

    return Explorer(
        render,
        change=float_slider("add to it", -6.0, 6.0, 0.0, 1.0),
        word=choice("whose row", [(word, n) for n, word in enumerate(words)], 1),
        entry=choice("number of W_q", [(f"W_q[{r}, {c}]", (r, c)) for r, c in entries], (2, 1)),
    )
