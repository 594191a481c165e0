"""Masks: to which keys each query attends. True means that it does, everywhere in this package.

Libraries disagree: `nn.MultiheadAttention` wants True where a query does NOT attend,
`~mask`; Hugging Face's tokenizers give 1 for a token and 0 for padding, `mask.long()`; others add 0
or -inf.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


def causal_mask(n_positions: int, n_queries: int | None = None) -> Bool[Tensor, "Tq T"]:
    """True where the key is not after the query: each position attends to itself and its past.

    With `n_queries`, only the rows of the last so many positions, which a model with a cache needs.

    >>> causal_mask(3).int().tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    >>> causal_mask(3, n_queries=1).int().tolist()
    [[1, 1, 1]]
    """
    if n_positions < 1:
        raise ValueError(f"n_positions: expected 1 or more positions, got {n_positions}")
    n_queries = n_positions if n_queries is None else n_queries
    if not 0 < n_queries <= n_positions:
        raise ValueError(
            f"n_queries: expected 1 to {n_positions} (all positions), got {n_queries}"
        )
    mask = torch.ones(n_queries, n_positions, dtype=torch.bool)
    return mask.tril(n_positions - n_queries)


def window_mask(n_positions: int, window: int) -> Bool[Tensor, "T T"]:
    """Causal, and no further back than `window` positions, the position itself counted.

    >>> window_mask(4, 2).int().tolist()
    [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    """
    if window < 1:
        raise ValueError(f"window: expected 1 or more positions, got {window}; 1 is only itself")
    return causal_mask(n_positions).triu(1 - window)


def sink_mask(n_positions: int, window: int, sinks: int) -> Bool[Tensor, "T T"]:
    """A window, and all positions also attend to the first `sinks` (Xiao et al., 2023).

    >>> sink_mask(5, 2, 1).int().tolist()[3:]
    [[1, 0, 1, 1, 0], [1, 0, 0, 1, 1]]
    """
    if sinks < 0:
        raise ValueError(f"sinks: expected 0 or more positions, got {sinks}")
    first = torch.arange(n_positions) < sinks  # (T,)
    return window_mask(n_positions, window) | (causal_mask(n_positions) & first)


def document_mask(documents: Int[Tensor, "*B T"]) -> Bool[Tensor, "*B T T"]:
    """Causal, and each position attends only to its own document, of several in one row.

    `documents` holds for each position the number of its document.

    >>> document_mask(torch.tensor([0, 0, 1])).int().tolist()
    [[1, 0, 0], [1, 1, 0], [0, 0, 1]]
    """
    same = documents[..., :, None] == documents[..., None, :]  # (*B, T, 1) == (*B, 1, T)
    return same & causal_mask(documents.shape[-1]).to(documents.device)


def padding_mask(lengths: Int[Tensor, " B"], n_positions: int) -> Bool[Tensor, "B 1 T"]:
    """True for the keys within each sequence's length, the same for all of its queries.

    Join it with another by `&`: (T, T) & (B, 1, T) -> (B, T, T).

    >>> padding_mask(torch.tensor([1, 3]), 3).int().tolist()
    [[[1, 0, 0]], [[1, 1, 1]]]
    """
    if lengths.ndim != 1:
        raise ValueError(
            f"lengths: expected one number for each sequence, (B,), got {tuple(lengths.shape)}; "
            f"lengths.flatten() may fix this"
        )
    if bool((lengths < 1).any()) or bool((lengths > n_positions).any()):
        raise ValueError(
            f"lengths: expected numbers from 1 to {n_positions}, got {lengths.tolist()}; an empty "
            f"sequence has nothing to attend to, so leave it out of the batch"
        )
    within = torch.arange(n_positions, device=lengths.device) < lengths[:, None]  # (B, T)
    return within[:, None, :]  # (B, 1, T)


def to_additive(
    mask: Bool[Tensor, "*B Tq Tk"], dtype: torch.dtype = torch.float32
) -> Float[Tensor, "*B Tq Tk"]:
    """The mask as numbers to add to the scores: 0 where it is True, -inf elsewhere."""
    zeros = torch.zeros(mask.shape, dtype=dtype, device=mask.device)
    return zeros.masked_fill(~mask, float("-inf"))
