"""Chapter 03: what a temperature does to the next character, and to a text."""

from collections.abc import Sequence

import torch
from torch import Tensor

from attention.sampling import draw, next_probabilities
from course.chapters.ch03.figures import sign, temperature_figure
from course.draw.explorer import Explorer, choice, float_slider
from course.draw.picture import Picture

WRITTEN = 56  # characters that fit in one line of the figure


def write(logits: Tensor, first: int, n_new: int, temperature: float, seed: int) -> list[int]:
    """`first` and `n_new` more ids, drawn from a (V, V) table of logits."""
    generator = torch.Generator().manual_seed(seed)
    ids = [first]
    for _ in range(n_new):
        probabilities = next_probabilities(logits[ids[-1]][None], temperature)
        ids.append(int(draw(probabilities, generator)))
    return ids


def temperature_explorer(
    logits: Tensor, vocab: Sequence[str], last: int, seed: int = 1337
) -> Explorer:
    """A character and a temperature: its next-character probabilities, and a line written so.

    `logits` is a table that doesn't change from machine to machine (counted, or untrained), so
    that the stored picture holds everywhere.
    """
    logits = logits.detach()

    def render(last: int, temperature: float) -> Picture:
        row = logits[last][None]
        ids = write(logits, last, WRITTEN - 1, temperature, seed)
        return temperature_figure(
            next_probabilities(row, temperature)[0],
            next_probabilities(row)[0],
            vocab,
            last,
            temperature,
            "".join(vocab[i] for i in ids),
        )

    shown = [(_label(character), i) for i, character in enumerate(vocab)]
    return Explorer(
        render,
        {"last": sorted({*range(0, len(vocab), 9), last})},
        last=choice("last character", shown, last),
        temperature=float_slider("temperature", 0.0, 3.0, 1.0, 0.1),
    )


def _label(character: str) -> str:
    """What the menu calls a character; no two have the same name."""
    return sign(character) if sign(character) != "\u25a1" else f"U+{ord(character):04X}"
