"""What the source notebooks show of chapter 10, multi head."""

import torch
from torch import Tensor

from attention.multi_head import MultiHeadWrapper
from chapters.chA3.source import Source
from chapters.chA3.sources.ch05 import WORDS


def two_heads() -> Tensor:
    """The output of two heads for two copies of the six words, seed 123."""
    _ = torch.manual_seed(123)
    wrapper = MultiHeadWrapper(n_embd=3, n_head=2, head_size=2, block_size=6)
    return wrapper(torch.stack((WORDS, WORDS)))


SOURCES = [
    Source(
        "S3.22",
        "two causal heads in a list, their outputs side by side, seed 123, on two copies of the "
        "six words",
        lambda text: (two_heads().shape, two_heads()),
        """torch.Size([2, 6, 4])
        [[[-0.4519,  0.2216,  0.4772,  0.1063],
         [-0.5874,  0.0058,  0.5891,  0.3257],
         [-0.6300, -0.0632,  0.6202,  0.3860],
         [-0.5675, -0.0843,  0.5478,  0.3589],
         [-0.5526, -0.0981,  0.5321,  0.3428],
         [-0.5299, -0.1081,  0.5077,  0.3493]],

        [[-0.4519,  0.2216,  0.4772,  0.1063],
         [-0.5874,  0.0058,  0.5891,  0.3257],
         [-0.6300, -0.0632,  0.6202,  0.3860],
         [-0.5675, -0.0843,  0.5478,  0.3589],
         [-0.5526, -0.0981,  0.5321,  0.3428],
         [-0.5299, -0.1081,  0.5077,  0.3493]]]""",
    ),
]
