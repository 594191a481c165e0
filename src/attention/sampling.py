"""Logits to the next id: probabilities, perhaps only of the most likely ids, and a sample of them."""

import torch
from jaxtyping import Float, Int
from torch import Tensor


def next_probabilities(
    logits: Float[Tensor, "B V"],
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Float[Tensor, "B V"]:
    """Softmax of logits / temperature: sharper below 1, flatter above 1, at 0 only the likeliest.

    `top_k` and `top_p` then keep only the likeliest ids, with `keep_top_k` and `keep_top_p`.

    >>> next_probabilities(torch.tensor([[1.0, 3.0]]), temperature=0)
    tensor([[0., 1.]])
    """
    if not 0 <= temperature < float("inf"):
        raise ValueError(
            f"temperature: expected 0 (always the likeliest id) or more, got {temperature}; 1 "
            f"samples from the model's own probabilities"
        )
    if temperature == 0:
        best = logits.argmax(dim=-1, keepdim=True)
        probabilities = torch.zeros_like(logits).scatter(-1, best, 1.0)
    else:
        probabilities = torch.softmax(logits / temperature, dim=-1)
    if top_k is not None:
        probabilities = keep_top_k(probabilities, top_k)
    return probabilities if top_p is None else keep_top_p(probabilities, top_p)


def keep_top_k(probabilities: Float[Tensor, "B V"], k: int) -> Float[Tensor, "B V"]:
    """Only the k likeliest ids of each row, rescaled to a sum of 1 (Fan et al., 2018).

    >>> keep_top_k(torch.tensor([[0.5, 0.3, 0.2]]), 2)
    tensor([[0.6250, 0.3750, 0.0000]])
    """
    vocab_size = probabilities.shape[-1]
    if not 1 <= k <= vocab_size:
        raise ValueError(
            f"top_k: expected 1 to {vocab_size} ids (the vocabulary), got {k}; None keeps all"
        )
    values, ids = probabilities.topk(k, dim=-1)  # (B, k)
    kept = torch.zeros_like(probabilities).scatter(-1, ids, values)
    return kept / kept.sum(dim=-1, keepdim=True)


def keep_top_p(probabilities: Float[Tensor, "B V"], p: float) -> Float[Tensor, "B V"]:
    """The fewest ids of each row whose probabilities sum to p or more, rescaled to a sum of 1.

    The likeliest stay; the one with which the sum reaches p is the last (Holtzman et al., 2020).

    >>> keep_top_p(torch.tensor([[0.5, 0.3, 0.2]]), 0.6)
    tensor([[0.6250, 0.3750, 0.0000]])
    """
    if not 0 < p <= 1:
        raise ValueError(f"top_p: expected a number above 0 and up to 1, got {p}; 1 keeps all")
    values, ids = probabilities.sort(dim=-1, descending=True, stable=True)  # (B, V)
    before = values.cumsum(dim=-1) - values  # what the likelier ones have between them
    kept = torch.zeros_like(values).scatter(-1, ids, values.masked_fill(before >= p, 0.0))
    return kept / kept.sum(dim=-1, keepdim=True)


def sample(probabilities: Float[Tensor, "B V"], generator: torch.Generator) -> Int[Tensor, "B 1"]:
    """One id for each row, sampled with these probabilities.

    Raises ValueError for a row that has a negative entry or does not sum to 1.
    """
    sums = probabilities.sum(dim=-1)  # (B,)
    bad = ((sums - 1).abs() > 1e-4) | (probabilities < 0).any(dim=-1) | sums.isnan()
    if bad.any():
        row = int(bad.nonzero()[0])
        raise ValueError(
            f"probabilities: expected rows that sum to 1 and have no negative entry, got a sum of "
            f"{float(sums[row]):.4f} in row {row}; did softmax run over the last axis?"
        )
    return torch.multinomial(probabilities, num_samples=1, generator=generator)
