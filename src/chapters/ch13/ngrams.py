"""N-grams predict the next id from the n - 1 before it, by counting; a language model has to beat them.

`python -m benchmarks.play_tables` stores the losses of such tables on a text in `tables.json`.
"""

from collections.abc import Sequence
from pathlib import Path

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

STORED = Path(__file__).with_name("tables.json")


def ngram_probabilities(
    ids: Int[Tensor, " M"],
    seen: Int[Tensor, " N"],
    n: int,
    vocab_size: int,
    smoothing: float,
    interpolate: bool = False,
) -> Float[Tensor, " rest"]:
    """The probability that an n-gram model counted on `seen` gives to each of ids[n - 1:].

    It is (count + k) / (count of the context + k V), where k is the smoothing. With `interpolate`, k V
    times the probability of the next shorter n-gram, interpolated as well, replaces k: an id never seen
    after this context was perhaps seen after a shorter one (MacKay & Peto, 1995).

    >>> ids = torch.tensor([0, 1, 0, 1, 1])
    >>> ngram_probabilities(ids, ids, 2, vocab_size=2, smoothing=1.0)
    tensor([0.7500, 0.5000, 0.7500, 0.5000], dtype=torch.float64)
    """
    if n < 1:
        raise ValueError(f"n: expected 1 or more, got {n}; 2 counts pairs")
    if not smoothing > 0:
        raise ValueError(
            f"smoothing: expected a number above 0, got {smoothing}; with 0, an n-gram that was "
            f"never seen would have an infinite loss"
        )
    for name, some in (("ids", ids), ("seen", seen)):
        if len(some) < n or int(some.max()) >= vocab_size or int(some.min()) < 0:
            raise ValueError(
                f"{name}: expected at least {n} ids from 0 to {vocab_size - 1}, got {len(some)} ids; "
                f"use the vocabulary that encoded them"
            )
    both, n_seen = torch.cat([seen, ids]).long(), len(seen)
    context = torch.zeros_like(both)  # a code for the ids before each id; at first of no ids
    p = torch.full(both.shape, 1 / vocab_size, dtype=torch.float64)
    added = smoothing * vocab_size
    for _ in range(n):
        whole = (context * vocab_size + both).unique(return_inverse=True)[1]
        lower = p if interpolate else 1 / vocab_size
        p = (_counts(whole, n_seen) + added * lower) / (_counts(context, n_seen) + added)
        context = F.pad(whole[:-1] + 1, (1, 0))  # now of one id more
    return p[n_seen + n - 1 :]


def ngram_loss(
    ids: Int[Tensor, " M"],
    seen: Int[Tensor, " N"],
    n: int,
    vocab_size: int,
    smoothing: float,
    interpolate: bool = False,
) -> float:
    """The mean of -log `ngram_probabilities`, in nats per token."""
    return -ngram_probabilities(ids, seen, n, vocab_size, smoothing, interpolate).log().mean().item()


def best_smoothing(
    validation: Int[Tensor, " M"],
    seen: Int[Tensor, " N"],
    n: int,
    vocab_size: int,
    among: Sequence[float],
    interpolate: bool = False,
) -> float:
    """The number in `among` whose loss on the validation ids is lowest.

    If you chose on the ids that you count, the smallest would always win. If you chose on the ids whose
    loss you report, that loss would be too good.
    """
    if not among:
        raise ValueError("among: expected at least one smoothing to choose from, got none")
    return min(among, key=lambda k: ngram_loss(validation, seen, n, vocab_size, k, interpolate))


def _counts(codes: Int[Tensor, " N"], n_seen: int) -> Float[Tensor, " N"]:
    """For each code, how often it occurs among the first n_seen codes."""
    return codes[:n_seen].bincount(minlength=int(codes.max()) + 1)[codes].double()
