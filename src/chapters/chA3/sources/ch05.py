"""What the source notebooks show of chapter 05, attention without weights."""

import torch
from torch import Tensor

from attention.heads import attention_scores, attention_weights
from chapters.chA3.source import Source

_SCORES = """tensor([[0.9995, 0.9544, 0.9422, 0.4753, 0.4576, 0.6310],
        [0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865],
        [0.9422, 1.4754, 1.4570, 0.8296, 0.7154, 1.0605],
        [0.4753, 0.8434, 0.8296, 0.4937, 0.3474, 0.6565],
        [0.4576, 0.7070, 0.7154, 0.3474, 0.6654, 0.2935],
        [0.6310, 1.0865, 1.0605, 0.6565, 0.2935, 0.9450]])"""

WORDS = torch.tensor(
    [
        [0.43, 0.15, 0.89],  # Your
        [0.55, 0.87, 0.66],  # journey
        [0.57, 0.85, 0.64],  # starts
        [0.22, 0.58, 0.33],  # with
        [0.77, 0.25, 0.10],  # one
        [0.05, 0.80, 0.55],  # step
    ]
)


def _scores() -> Tensor:
    return attention_scores(WORDS, WORDS, scale=1.0)


def _by_hand() -> Tensor:
    return sum(a * b for a, b in zip(WORDS[0], WORDS[1], strict=True))


def _by_sum() -> tuple[Tensor, Tensor]:
    shares = _scores()[1] / _scores()[1].sum()
    return shares, shares.sum()


def _softmax_twice() -> tuple[Tensor, ...]:
    exps = _scores()[1].exp()
    hand, built_in = exps / exps.sum(), _scores()[1].softmax(dim=0)
    return hand, hand.sum(), built_in, built_in.sum()


SOURCES = [
    Source(
        "S3.1",
        "the six words as vectors of three numbers",
        lambda text: WORDS,
        "[[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64], [0.22, 0.58, 0.33], "
        "[0.77, 0.25, 0.10], [0.05, 0.80, 0.55]]",
    ),
    Source(
        "S3.2",
        "the scores of the second word with all six, by a loop of dot products",
        lambda text: torch.stack([WORDS[1].dot(word) for word in WORDS]),
        "tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865])",
    ),
    Source(
        "S3.3",
        "one dot product by hand and by torch.dot",
        lambda text: (_by_hand(), WORDS[0].dot(WORDS[1])),
        "tensor(0.9544)\ntensor(0.9544)",
    ),
    Source(
        "S3.4",
        "the scores divided by their sum",
        lambda text: _by_sum(),
        "Attention weights: tensor([0.1455, 0.2278, 0.2249, 0.1285, 0.1077, 0.1656])\n"
        "Sum: tensor(1.0000)",
    ),
    Source(
        "S3.5",
        "softmax by hand and by torch.softmax",
        lambda text: _softmax_twice(),
        "Naive Softmax Weights: tensor([0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581])\n"
        "Sum: tensor(1.)\n"
        "PyTorch Softmax Weights: tensor([0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581])\n"
        "Sum: tensor(1.)",
    ),
    Source(
        "S3.6",
        "the context vector of the second word",
        lambda text: _scores()[1].softmax(dim=0) @ WORDS,
        "Context Vector: tensor([0.4419, 0.6515, 0.5683])",
    ),
    Source(
        "S3.7",
        "all 36 scores, by a double loop and by one product",
        lambda text: _scores(),
        _SCORES,
    ),
    Source(
        "S3.8",
        "softmax of every row, and the row sums",
        lambda text: (attention_weights(_scores()), attention_weights(_scores()).sum(dim=-1)),
        """tensor([[0.2098, 0.2006, 0.1981, 0.1242, 0.1220, 0.1452],
        [0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581],
        [0.1390, 0.2369, 0.2326, 0.1242, 0.1108, 0.1565],
        [0.1435, 0.2074, 0.2046, 0.1462, 0.1263, 0.1720],
        [0.1526, 0.1958, 0.1975, 0.1367, 0.1879, 0.1295],
        [0.1385, 0.2184, 0.2128, 0.1420, 0.0988, 0.1896]])
All row sums: tensor([1.0000, 1.0000, 1.0000, 1.0000, 1.0000, 1.0000])""",
    ),
    Source(
        "S3.9",
        "the contexts of all six words by one product",
        lambda text: (
            _scores().shape,
            (_scores() @ WORDS).shape,
            attention_weights(_scores()) @ WORDS,
        ),
        """torch.Size([6, 6])
torch.Size([6, 3])
All Context Vectors:
 tensor([[0.4421, 0.5931, 0.5790],
        [0.4419, 0.6515, 0.5683],
        [0.4431, 0.6496, 0.5671],
        [0.4304, 0.6298, 0.5510],
        [0.4671, 0.5910, 0.5266],
        [0.4177, 0.6503, 0.5645]])""",
    ),
]
