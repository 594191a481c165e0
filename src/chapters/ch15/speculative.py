"""Speculative decoding: a small model drafts some ids, and the large one checks them in one pass.

The ids have exactly the distribution that the large model alone would give them (Leviathan and others,
2023, algorithm 1 and appendix A.1).
"""

from collections import Counter, defaultdict
from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attention.cache import Cache
from attention.sampling import next_probabilities

Draw = Callable[[Float[Tensor, " V"]], int]  # draws an id, or 0 or 1, with these probabilities
Guess = Callable[[list[int], int], Float[Tensor, "N V"]]


class Reader:
    """A GPT with caches: the probabilities of the next id after each of the last `n` ids.

    It reads only ids that it hasn't read, and forgets those that have changed. All ids except the last
    `n` have to be the same as in the last call.
    """

    def __init__(self, model: nn.Module, capacity: int, temperature: float = 1.0):
        self.model, self.temperature = model.eval(), temperature
        self.caches = [Cache(capacity) for _ in model.blocks]

    @torch.no_grad()
    def __call__(self, ids: list[int], n: int = 1) -> Float[Tensor, "N V"]:
        """The probabilities (n, V) of the next id after each of the last n ids."""
        for cache in self.caches:
            cache.seen = min(cache.seen, len(ids) - n)  # what comes after is overwritten
        unread = torch.tensor([ids[self.caches[0].seen :]])
        return next_probabilities(self.model(unread, self.caches)[0, -n:], self.temperature)


class Table:
    """A draft that costs no training: it counts which id follows the last n - 1, and falls back.

    Its probabilities are those of `chapters.ch13.ngrams.ngram_probabilities` with `interpolate`.
    """

    def __init__(self, seen: list[int], n: int, vocab_size: int, smoothing: float):
        self.vocab_size, self.added = vocab_size, smoothing * vocab_size
        self.after = defaultdict(Counter)  # the ids before -> how often each id came next
        for i, id in enumerate(seen):
            for length in range(min(n, i + 1)):
                self.after[tuple(seen[i - length : i])][id] += 1
        self.n = n

    def __call__(self, ids: list[int], n: int = 1) -> Float[Tensor, "N V"]:
        """The probabilities (n, V) of the next id after each of the last n ids."""
        return torch.stack([self._row(ids[:end]) for end in range(len(ids) - n + 1, len(ids) + 1)])

    def _row(self, ids: list[int]) -> Float[Tensor, " V"]:
        row = torch.full((self.vocab_size,), 1 / self.vocab_size)
        for length in range(min(self.n, len(ids) + 1)):
            counts = self.after.get(tuple(ids[len(ids) - length :]), Counter())
            row *= self.added
            row[list(counts)] += torch.tensor([*counts.values()], dtype=row.dtype)
            row /= counts.total() + self.added
        return row


def accepted(
    drafted: list[int], small: Float[Tensor, "K V"], large: Float[Tensor, "K1 V"], draw: Draw
) -> list[int]:
    """The drafted ids up to the first that is refused, and one more id.

    An id is accepted with probability min(1, large / small). A refused id is replaced by one drawn in
    proportion to max(0, large - small). If none is refused, one more id is drawn from `large`.
    """
    for i, drafted_id in enumerate(drafted):
        keep = (large[i, drafted_id] / small[i, drafted_id]).clamp(max=1.0)
        if not draw(torch.stack([1 - keep, keep])):
            missing = (large[i] - small[i]).clamp(min=0.0)
            return [*drafted[:i], draw(missing / missing.sum())]
    return [*drafted, draw(large[len(drafted)])]


def speculate(
    large: Guess, small: Guess, ids: list[int], n_new: int, n_drafted: int, draw: Draw
) -> tuple[list[int], int]:
    """The ids with `n_new` more, and how many passes of the large model that took.

    In each round `small` drafts up to `n_drafted` ids, one by one, and `large` reads them all at once.
    """
    ids, end, passes = list(ids), len(ids) + n_new, 0
    while len(ids) < end:
        drafted, rows = [], []
        for _ in range(min(n_drafted, end - len(ids) - 1)):
            rows.append(small(ids + drafted, 1)[0])
            drafted.append(draw(rows[-1]))
        checked = large(ids + drafted, len(drafted) + 1)
        passes += 1
        ids += accepted(drafted, torch.stack(rows) if rows else checked[:0], checked, draw)
    return ids, passes


def drawn_by(generator: torch.Generator) -> Draw:
    """A function that draws with this generator."""
    return lambda probabilities: int(torch.multinomial(probabilities, 1, generator=generator))
