"""A model writes: sample an id, append it, ask again; with a cache, every id is read once.

Reading the prompt is called prefill, and adding one id at a time decoding.
"""

from collections.abc import Iterator, Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attention.cache import Cache
from attention.sampling import next_probabilities, sample
from attention.tokenizers import CharTokenizer
from attention.training import evaluating


def generate(
    model: nn.Module,
    ids: Int[Tensor, "B T"],
    n_new: int,
    generator: torch.Generator,
    temperature: float = 1.0,
    block_size: int | None = None,
    *,
    top_k: int | None = None,
    top_p: float | None = None,
    caches: Sequence[Cache] | None = None,
) -> Int[Tensor, "B T_new"]:
    """The ids with `n_new` more, each sampled from the model's logits at the last position.

    `block_size` is the longest context the model takes; older ids are left out. With empty
    `caches`, one for each block of a GPT, the caches decide that. The model evaluates (no dropout)
    and is then again in the mode in which it came.
    """
    _check(model, ids, n_new, block_size, caches)
    unread = ids
    with evaluating(model):
        for _ in range(n_new):
            if caches is not None:
                logits = _read(model, unread, caches)
            else:
                logits = model(ids if block_size is None else ids[:, -block_size:])[:, -1]
            unread = sample(next_probabilities(logits, temperature, top_k, top_p), generator)
            ids = torch.cat([ids, unread], dim=1)  # (B, T + 1)
    return ids


def _read(model: nn.Module, ids: Tensor, caches: Sequence[Cache]) -> Float[Tensor, "B V"]:
    """The logits after these ids. If they don't fit into a window at once, it takes them one by one."""
    room = caches[0].capacity
    for part in (ids[:, :room], *ids[:, room:].split(1, dim=1)):
        if part.shape[1]:
            logits = model(part, caches)[:, -1]
    return logits


def _check(model: nn.Module, ids: Tensor, n_new: int, block_size: int | None, caches) -> None:
    if ids.ndim != 2 or ids.shape[1] < 1:
        raise ValueError(
            f"ids: expected a batch of shape (B, T) with at least one position to go on from, got "
            f"{tuple(ids.shape)}; one sequence becomes a batch of one by ids[None]"
        )
    if n_new < 0:
        raise ValueError(f"n_new: expected 0 or more ids to add, got {n_new}")
    if block_size is not None and block_size < 1:
        raise ValueError(
            f"block_size: expected 1 or more positions, got {block_size}; None sets no limit"
        )
    if caches is not None and [cache.seen for cache in caches] != [0] * len(model.blocks):
        raise ValueError(
            f"caches: expected {len(model.blocks)} that are empty, one for each block, got "
            f"{len(caches)} that have seen {[cache.seen for cache in caches]} positions"
        )


def stream(
    model: nn.Module,
    tokenizer: CharTokenizer,
    prompt: str,
    n_new: int,
    generator: torch.Generator,
    **how,
) -> Iterator[str]:
    """The characters that a GPT writes after the prompt, each as soon as it is sampled.

    `how` is a temperature, top_k or top_p. A text longer than the model's block is read from its
    last characters on. Raises ValueError for a prompt that is empty or has unknown characters.
    """
    if not prompt:
        raise ValueError(
            "prompt: expected at least one character, got none; to start from nothing, pass a line break"
        )
    ids = torch.tensor([tokenizer.encode(prompt)])  # (1, T)
    for _ in range(n_new):
        ids = generate(model, ids, 1, generator, block_size=model.config.block_size, **how)
        yield tokenizer.decode(ids[0, -1:])


def write(
    model: nn.Module,
    tokenizer: CharTokenizer,
    prompt: str,
    n_new: int,
    generator: torch.Generator,
    **how,
) -> str:
    """The prompt and what a GPT writes after it, as `stream` gives it."""
    return prompt + "".join(stream(model, tokenizer, prompt, n_new, generator, **how))
