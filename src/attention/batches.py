"""Turn ids into examples: hold some back, cut blocks, shift the targets by one."""

import torch
from jaxtyping import Int
from torch import Tensor

Ids = Int[Tensor, " N"]
Batch = Int[Tensor, "B T"]


def split(
    ids: Ids, train_fraction: float = 0.9
) -> tuple[Int[Tensor, " N_train"], Int[Tensor, " N_rest"]]:
    """The first part of the ids, to train on, and the rest, to judge the model on.

    The cut is not shuffled: the model is judged on text that it has never seen.

    Raises ValueError for a fraction that is not between 0 and 1, or that leaves a part empty.
    """
    n = int(train_fraction * len(ids)) if 0 < train_fraction < 1 else 0
    if not 0 < n < len(ids):
        raise ValueError(
            f"train_fraction: expected a number between 0 and 1 that leaves some of the "
            f"{len(ids)} ids in each part, got {train_fraction}; 0.9 is usual"
        )
    return ids[:n], ids[n:]


def cut_blocks(ids: Ids, starts: Int[Tensor, " B"], block_size: int) -> tuple[Batch, Batch]:
    """Inputs x and targets y of the blocks that begin at `starts`: y[b, t] follows x[b, t].

    >>> x, y = cut_blocks(torch.arange(10), torch.tensor([0, 4]), 3)
    >>> x.tolist(), y.tolist()
    ([[0, 1, 2], [4, 5, 6]], [[1, 2, 3], [5, 6, 7]])

    Raises ValueError for a start whose block would reach past the end. (A slice would be short
    or empty instead, without an error.)
    """
    _check_block(ids, block_size)
    last = len(ids) - block_size - 1
    bad = starts[(starts < 0) | (starts > last)]
    if len(bad):
        raise ValueError(
            f"starts: expected positions from 0 to {last} (there are {len(ids)} ids, a block has "
            f"{block_size} and its targets reach one further), got {int(bad[0])}; draw them from "
            f"the same ids that you cut"
        )
    where = starts[:, None] + torch.arange(block_size, device=starts.device)  # (B, T)
    return ids[where], ids[where + 1]


def get_batch(
    ids: Ids, batch_size: int, block_size: int, generator: torch.Generator
) -> tuple[Batch, Batch]:
    """A batch of blocks with random starts: inputs x and targets y, both (B, T).

    >>> x, y = get_batch(torch.arange(100), 4, 8, torch.Generator().manual_seed(1337))
    >>> bool((y == x + 1).all())
    True

    Raises ValueError for a batch size or block size below 1, and for too few ids for one block.
    """
    if batch_size < 1:
        raise ValueError(f"batch_size: expected 1 or more sequences, got {batch_size}")
    _check_block(ids, block_size)
    starts = torch.randint(len(ids) - block_size, (batch_size,), generator=generator)
    return cut_blocks(ids, starts, block_size)


def _check_block(ids: Tensor, block_size: int) -> None:
    if ids.ndim != 1 or ids.is_floating_point():
        raise ValueError(
            f"ids: expected a 1-D tensor of integers, got {ids.dtype} of shape {tuple(ids.shape)}; "
            f"pass the whole text as torch.tensor(tokenizer.encode(text))"
        )
    if block_size < 1:
        raise ValueError(f"block_size: expected 1 or more positions, got {block_size}")
    if len(ids) < block_size + 1:
        raise ValueError(
            f"ids: expected at least {block_size + 1} (a block of {block_size} and the target of "
            f"its last position), got {len(ids)}; use a longer text or a smaller block"
        )
