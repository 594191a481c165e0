"""Chapter 08: paint a mask, and see the weights and what leaks."""

from collections.abc import Sequence

import torch
from torch import Tensor

from attention.heads import attention_scores
from attention.properties import ripples
from course.chapters.ch08.figures import painted_figure
from course.draw.explorer import Explorer, choice, slider
from course.draw.picture import Picture

NOWHERE = -1  # the row's choice that paints nothing


def mask_painter(
    x: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor, words: Sequence[str]
) -> Explorer:
    """Flip a cell of a causal mask, or move its diagonal, and see the weights and the leak."""
    T = len(words)

    def weights(x: Tensor, mask: Tensor) -> Tensor:
        scores = attention_scores(x @ W_q, x @ W_k)
        return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)

    def render(diagonal: int, row: int, column: int) -> Picture:
        mask = torch.ones(T, T).tril(diagonal).bool()
        painted = None if row == NOWHERE else (row, column)
        if painted:
            mask[painted] = ~mask[painted]
        ripple = ripples(lambda x: weights(x, mask) @ (x @ W_v), x)
        return painted_figure(mask, weights(x, mask), ripple, words, painted)

    names = list(words)
    rows = [("paint nothing", NOWHERE), *((word, n) for n, word in enumerate(names))]
    return Explorer(
        render,
        row=choice("flip the cell in the row of", rows, NOWHERE),
        column=choice("and the column of", [(word, n) for n, word in enumerate(names)], T - 2),
        diagonal=slider("diagonal of the mask", -1, T - 1, 0),
    )
