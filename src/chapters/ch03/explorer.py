"""Chapter 03: what follows a character, and how a temperature changes that and a text."""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from attention.sampling import next_probabilities
from chapters.ch03.figures import sign, temperature_figure
from course.draw.live import Live

WRITTEN = 56  # characters that fit in one line of the figure


def temperature_explorer(
    counts: Tensor, vocab: Sequence[str], last: int, seed: int = 1337
) -> Live:
    """Show the logits of the character after `last`, which you can drag, and a line written with them.

    The (V, V) table `counts` says how often each id followed each other; the logits are its logarithms.
    """
    known = torch.where(counts.sum(dim=1, keepdim=True) > 0, counts, 1)  # a row of zeros becomes equal
    logits = known.double().log()
    plain = next_probabilities(logits[last][None])[0]
    line = "".join(vocab[i] for i in write(logits, last, WRITTEN, 1.0, seed))
    return Live(
        "softmax", temperature_figure(plain, plain, vocab, last, 1.0, line, seed),
        names=[_label(character) for character in vocab],
        counts=[[[j, int(row[j])] for j in row.nonzero()[:, 0].tolist()] for row in counts],
        last=last, temperature=1.0, moved={}, seed=seed, length=WRITTEN,
    )


def write(logits: Tensor, first: int, length: int, temperature: float, seed: int) -> list[int]:
    """Draw ids from a (V, V) table of logits, beginning with `first`, just as the page draws them."""
    random, ids = luck(seed), [first]
    while len(ids) < length:
        ends = next_probabilities(logits[ids[-1]][None], temperature)[0].cumsum(dim=0)
        ids.append(int(torch.searchsorted(ends, next(random), right=True)))
    return ids


def luck(seed: int) -> Iterator[float]:
    """Yield numbers from 0 to 1, the same for a seed as in softmax.js: mulberry32 (T. Ettinger)."""
    while True:
        seed = (seed + 0x6D2B79F5) % 2**32
        t = (seed ^ seed >> 15) * (seed | 1) % 2**32
        t ^= (t + (t ^ t >> 7) * (t | 61)) % 2**32
        yield (t ^ t >> 14) / 2**32


def _label(character: str) -> str:
    """The name of a character on the page; no two characters have the same."""
    return sign(character) if sign(character) != "\u25a1" else f"U+{ord(character):04X}"
