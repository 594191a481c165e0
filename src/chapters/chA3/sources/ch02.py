"""What the source notebooks show of chapter 02, batches and targets."""

import torch
from torch import Tensor

from attention.batches import cut_blocks, split
from attention.tokenizers import CharTokenizer
from chapters.chA3.source import Source

_TINY = "tinyshakespeare"


def _ids(text: str) -> Tensor:
    return torch.tensor(CharTokenizer(text).encode(text), dtype=torch.long)


def _examples(x: Tensor, y: Tensor) -> str:
    """Each context of each row with its target."""
    lines = [
        f"{row[: t + 1].tolist()} -> {target[t].item()}"
        for row, target in zip(x, y, strict=True)
        for t in range(len(row))
    ]
    return "\n".join(lines)


def _first_block(text: str) -> tuple[Tensor, Tensor]:
    return _ids(text)[:8], _ids(text)[1:9]


def _two_parts(text: str) -> bool:
    return sum(map(len, split(_ids(text)))) == len(_ids(text))


def _ninth_starts(text: str) -> tuple[Tensor, ...]:
    ids = _ids(text)
    train = ids[: int(0.9 * len(ids))]
    _ = torch.manual_seed(1337)
    starts = [torch.randint(len(ids) - 8, (4,)) for _ in range(9)][-1]
    first = starts[0]
    return starts, first, train[:10], train[first : first + 8], train[first + 1 : first + 9]


def _batch(text: str) -> tuple[Tensor, Tensor]:
    """The next batch of the part to train on, from the state that torch's generator is in."""
    ids = _ids(text)
    train = ids[: int(0.9 * len(ids))]
    return cut_blocks(train, torch.randint(len(train) - 8, (4,)), 8)


def _fifteenth_batch(text: str) -> tuple[object, ...]:
    _ = torch.manual_seed(1337)
    x, y = [_batch(text) for _ in range(15)][-1]
    return x.shape, y.shape, x, y


def _batch_after_the_table(text: str) -> str:
    _ = torch.manual_seed(1337)
    _ = torch.randn(65, 65)  # as many numbers as a bigram table has
    return _examples(*_batch(text))


SOURCES = [
    Source(
        "S1.7",
        "nine tenths to train on, the rest to judge with; together all",
        _two_parts,
        "True",
        _TINY,
    ),
    Source(
        "S1.8",
        "one block of 8 inputs, and the targets one place further",
        _first_block,
        """tensor([18, 47, 56, 57, 58,  1, 15, 47])
        tensor([47, 56, 57, 58,  1, 15, 47, 58])""",
        _TINY,
    ),
    Source(
        "S1.9",
        "the eight examples in one block",
        lambda text: _examples(*(part[None] for part in _first_block(text))),
        """Input: tensor([18]) - Target: 47
        Input: tensor([18, 47]) - Target: 56
        Input: tensor([18, 47, 56]) - Target: 57
        Input: tensor([18, 47, 56, 57]) - Target: 58
        Input: tensor([18, 47, 56, 57, 58]) - Target: 1
        Input: tensor([18, 47, 56, 57, 58,  1]) - Target: 15
        Input: tensor([18, 47, 56, 57, 58,  1, 15]) - Target: 47
        Input: tensor([18, 47, 56, 57, 58,  1, 15, 47]) - Target: 58""",
        _TINY,
    ),
    Source(
        "S1.10",
        "the bound for the starts, len(data) - block_size",
        lambda text: len(_ids(text)) - 8,
        "1115386",
        _TINY,
    ),
    Source(
        "S1.11",
        "batch size 4, block size 8; (batch_size,) is a tuple",
        lambda text: (4,).__repr__(),
        "(4,)",
    ),
    Source(
        "S1.12",
        "four random starts and the block at the first: the ninth draw after the seed. A clean "
        "run of its cell draws [1078327, 453969, 41646, 671252], and the first block is empty",
        _ninth_starts,
        """tensor([978324, 638409, 104713,  75569])
        tensor(978324)
        tensor([18, 47, 56, 57, 58,  1, 15, 47, 58, 47])
        tensor([12,  0,  0, 28, 39, 45, 43, 10])
        tensor([ 0,  0, 28, 39, 45, 43, 10,  0])""",
        _TINY,
    ),
    Source(
        "S1.13",
        "a batch and its shapes: the fifteenth draw after the seed, left over in x and y. A clean "
        "run of the source's cell prints the shape (8,) and the block of S1.8",
        _fifteenth_batch,
        """torch.Size([4, 8])
        torch.Size([4, 8])
        tensor([[47, 58,  1, 57, 43, 43, 51, 57],
                [43, 50,  1, 51, 43,  1, 58, 53],
                [39, 50, 50,  1, 42, 43, 57, 54],
                [ 1, 54, 56, 39, 63,  1, 63, 53]])
        tensor([[58,  1, 57, 43, 43, 51, 57,  1],
                [50,  1, 51, 43,  1, 58, 53,  1],
                [50, 50,  1, 42, 43, 57, 54, 39],
                [54, 56, 39, 63,  1, 63, 53, 59]])""",
        _TINY,
    ),
    Source(
        "S1.14",
        "the examples of a batch, 22 of its 32: the first batch after a later cell had set the "
        "seed and made a table of 65 x 65 random numbers",
        _batch_after_the_table,
        """Input: tensor([6]) - Target: 0
        Input: tensor([6, 0]) - Target: 21
        Input: tensor([ 6,  0, 21]) - Target: 44
        Input: tensor([ 6,  0, 21, 44]) - Target: 1
        Input: tensor([ 6,  0, 21, 44,  1]) - Target: 61
        Input: tensor([ 6,  0, 21, 44,  1, 61]) - Target: 43
        Input: tensor([ 6,  0, 21, 44,  1, 61, 43]) - Target: 1
        Input: tensor([ 6,  0, 21, 44,  1, 61, 43,  1]) - Target: 61
        Input: tensor([58]) - Target: 52
        Input: tensor([58, 52]) - Target: 43
        Input: tensor([58, 52, 43]) - Target: 57
        Input: tensor([58, 52, 43, 57]) - Target: 57
        Input: tensor([58, 52, 43, 57, 57]) - Target: 2
        Input: tensor([58, 52, 43, 57, 57,  2]) - Target: 1
        Input: tensor([58, 52, 43, 57, 57,  2,  1]) - Target: 57
        Input: tensor([58, 52, 43, 57, 57,  2,  1, 57]) - Target: 43
        Input: tensor([1]) - Target: 59
        Input: tensor([ 1, 59]) - Target: 52
        Input: tensor([ 1, 59, 52]) - Target: 39
        Input: tensor([ 1, 59, 52, 39]) - Target: 41
        Input: tensor([ 1, 59, 52, 39, 41]) - Target: 46
        Input: tensor([ 1, 59, 52, 39, 41, 46]) - Target: 47""",
        _TINY,
    ),
]
