"""Writing with a cache: the prompt is read at once (prefill), then one id at a time (decode)."""

from collections.abc import Sequence

import torch
from jaxtyping import Int
from torch import Tensor

from attention.cache import Cache
from attention.gpt import GPT
from attention.sampling import draw, next_probabilities
from attention.training import evaluating


def generate_cached(
    model: GPT,
    ids: Int[Tensor, "B T"],
    n_new: int,
    generator: torch.Generator,
    temperature: float = 1.0,
    caches: Sequence[Cache] | None = None,
) -> Int[Tensor, "B T_new"]:
    """The ids with `n_new` more, as `generate` draws them, but every id is read once.

    `caches`, one for each block, may be windows; without them all positions are kept, and the
    result equals `generate` without a block size.
    """
    if ids.ndim != 2 or ids.shape[1] < 1:
        raise ValueError(
            f"ids: expected a batch of shape (B, T) with at least one position to go on from, got "
            f"{tuple(ids.shape)}; one sequence becomes a batch of one by ids[None]"
        )
    if n_new < 0:
        raise ValueError(f"n_new: expected 0 or more ids to add, got {n_new}")
    if caches is None:
        caches = [Cache(ids.shape[1] + n_new) for _ in model.blocks]
    if len(caches) != len(model.blocks) or any(cache.seen for cache in caches):
        raise ValueError(
            f"caches: expected {len(model.blocks)} that are empty, one for each block, got "
            f"{len(caches)} that have seen {[cache.seen for cache in caches]} positions"
        )
    with evaluating(model):
        room = caches[0].capacity
        for part in (ids[:, :room], *ids[:, room:].split(1, dim=1)):  # prefill
            if part.shape[1]:
                logits = model(part, caches)[:, -1]  # (B, V)
        for n in range(n_new):  # decode
            new = draw(next_probabilities(logits, temperature), generator)  # (B, 1)
            ids = torch.cat([ids, new], dim=1)  # (B, T + 1)
            if n + 1 < n_new:
                logits = model(new, caches)[:, -1]
    return ids
