"""The bigram model: the next id from the last id alone, learned or counted.

Counting gives the exact floor: no bigram model can have a lower loss on those ids.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class BigramLanguageModel(nn.Module):
    """A table of logits: row i holds a score for every id that may follow id i."""

    def __init__(self, vocab_size: int):
        super().__init__()
        self.table = nn.Embedding(vocab_size, vocab_size)

    def forward(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T V"]:
        """The logits of the next id, for every position. Raises ValueError unless ids are (B, T)."""
        if ids.ndim != 2:
            raise ValueError(
                f"ids: expected a batch of shape (B, T), got {tuple(ids.shape)}; one sequence "
                f"becomes a batch of one by ids[None]"
            )
        return self.table(ids)  # (B, T) -> (B, T, V)


def bigram_counts(ids: Int[Tensor, " N"], vocab_size: int) -> Int[Tensor, "V V"]:
    """How often id j follows id i, in row i and column j.

    >>> bigram_counts(torch.tensor([0, 1, 0, 1, 1]), 2).tolist()
    [[0, 2], [1, 1]]
    """
    if len(ids) < 2 or int(ids.max()) >= vocab_size or int(ids.min()) < 0:
        raise ValueError(
            f"ids: expected at least two ids from 0 to {vocab_size - 1}, got {len(ids)} ids; "
            f"use the vocabulary that encoded them"
        )
    ids = ids.long()  # narrower integers would overflow in the next line
    pairs = ids[:-1] * vocab_size + ids[1:]  # (N - 1,)
    counts = torch.bincount(pairs, minlength=vocab_size**2)  # (V * V,)
    return counts.view(vocab_size, vocab_size)


def counted_loss(
    counts: Int[Tensor, "V V"], seen: Int[Tensor, "V V"], smoothing: float = 0.0
) -> float:
    """The mean loss, in nats per token, on `counts` of a table counted on `seen`.

    The table's probabilities are (seen + smoothing) / their row sum. A pair that was never seen
    has probability 0 and an infinite loss, unless `smoothing` is above 0.
    """
    table = seen.double() + smoothing
    totals = table.sum(dim=1, keepdim=True).clamp(min=1e-300)  # (V, 1); a row never seen stays 0
    log_probabilities = (table / totals).log()
    happened = counts > 0
    return float(-(counts * log_probabilities)[happened].sum() / counts.sum())


def bigram_floor(ids: Int[Tensor, " N"], vocab_size: int) -> float:
    """The lowest loss that any bigram model can have on these ids, in nats per token.

    It is the entropy of the next id given the last, - sum n_ij / n log(n_ij / n_i): the loss of
    the table of relative frequencies (Shannon, 1951, equation 1 with N = 2).
    """
    counts = bigram_counts(ids, vocab_size)
    return counted_loss(counts, counts)
