"""Chapter 08: draw a curtain, or paint a mask, and see what leaks; drag a word that must not be heard."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from attention.heads import attention_scores
from attention.masks import causal_mask
from attention.properties import ripples
from chapters.ch05.explorer import arrows, six_arrows
from chapters.ch05.figures import REACH, arrows_figure
from chapters.ch08.figures import curtain_figure, painted_figure
from chapters.ch08.leaking_twins import DIAGONALS, N_STORIES, stored
from course.draw.live import Live

BEFORE = (  # the end of a story
    "Then the drum Moss beat tired it, so it gave it to Mira. Now it was the drum Mira beat. "
    "At night the stars came out. Whose is the drum?"
)
ANSWER = ["It", "is", "the", "drum", "Mira", "beat", "."]


def curtain_explorer(row: int = 3, diagonal: str = "0") -> Live:
    """Show a curtain over a sentence of a story, and the stored twin that was trained with this mask.

    `diagonal` is a name in `leaking_twins.DIAGONALS`, and `row` is the position of the word that looks.
    """
    at, twins = [*DIAGONALS].index(diagonal), curtain_twins()
    return Live(
        "curtain", curtain_figure(ANSWER, row, twins[at], N_STORIES),
        words=ANSWER, before=BEFORE, row=row, at=at, twins=twins, n_stories=N_STORIES,
    )


def curtain_twins() -> list[dict]:
    """The stored scores of each twin, seed by seed, and the text that its first seed wrote."""
    found = []
    for name, diagonal in DIAGONALS.items():
        runs = [*stored()[name].values()]
        training, alone, formed = (
            [run[score] for run in runs] for score in ("training", "without future", "well formed")
        )
        text = dict(text=runs[0]["text"], read=runs[0]["read to"])
        scores = dict(training=training, alone=alone, formed=formed)
        found.append(dict(name=name, diagonal=diagonal) | scores | text)
    return found


def mask_painter(
    x: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor, words: Sequence[str],
    masks: Mapping[str, Tensor], name: str = "causal",
) -> Live:
    """Open and close the cells of a mask, beginning with one of `masks`, and see the weights and the leak."""
    mask = masks[name]

    def weights(x: Tensor) -> Tensor:
        scores = attention_scores(x @ W_q, x @ W_k)
        return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)

    ripple = ripples(lambda x: weights(x) @ (x @ W_v), x)
    return Live(
        "mask", painted_figure(mask, weights(x), ripple, words), words=list(words),
        x=x.tolist(), W_q=W_q.tolist(), W_k=W_k.tolist(), W_v=W_v.tolist(), mask=mask.tolist(),
        presets={name: each.tolist() for name, each in masks.items()},
    )


def future_explorer(words: Sequence[str]) -> Live:
    """Show who hears whom under a mask, before softmax or after it; you drag the last word.

    Each word's arrow is its query, its key and its value. At first the last word but one looks.
    """
    x, past = six_arrows(), len(words) - 1
    return Live(
        "threads", arrows_figure(x[past - 1], x[:past], words[:past], scale=2**-0.5),
        **arrows(words, words, x, x, x, past - 1), pulled=past, mask=causal_mask(len(words)).tolist(), late=False,
        reach=REACH, scaled=True, controls={"late": "the mask comes after softmax"},
    )
