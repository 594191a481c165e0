"""What the source notebooks show of chapter 00, start here."""

import torch
import torch.nn.functional as F
from torch import Tensor

from chapters.chA3.source import Source

S4_3 = """
tensor([[[5, 7, 2, 0, 5],
         [3, 5, 0, 4, 0],
         [2, 0, 7, 6, 0]],

        [[8, 1, 4, 9, 5],
         [3, 6, 2, 0, 2],
         [1, 6, 5, 9, 4]]])

tensor([[[5, 3, 2],
         [7, 5, 0],
         [2, 0, 7],
         [0, 4, 6],
         [5, 0, 0]],

        [[8, 3, 1],
         [1, 6, 6],
         [4, 2, 5],
         [9, 0, 9],
         [5, 2, 4]]])
"""


def _digits() -> Tensor:
    _ = torch.manual_seed(1337)
    return torch.randint(0, 10, (2, 3, 5))


SOURCES = [
    Source(
        "S0.1",
        "torch and torch.nn.functional are imported; nothing is printed",
        lambda text: F.softmax(torch.zeros(2), dim=0),
    ),
    Source(
        "S1.1",
        "whether PyTorch can use a GPU of this machine",
        lambda text: type(torch.cuda.is_available()).__name__,
        figure="False",
        why_not="the answer is a fact about the machine that runs the cell, not about the course: "
        "stored, it would be wrong on every machine with a GPU; the cell prints the answer's type",
    ),
    Source(
        "S4.3",
        "thirty digits of shape (2, 3, 5) after seed 1337, and their transpose",
        lambda text: (_digits(), _digits().transpose(-2, -1)),
        figure=S4_3,
    ),
]
