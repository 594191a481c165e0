"""What the source notebooks show of chapter 09, causal attention module."""

import torch
from torch import Tensor, nn

from attention.causal import CausalAttention
from attention.heads import attention_weights, scaled_dot_product_attention
from chapters.chA3.source import Source
from chapters.chA3.sources.ch05 import WORDS
from chapters.chA3.sources.ch06 import MASK, random_head, word_scores

_BUILD = "a dropout mask belongs to a build (T56): equal on x86 builds of torch, elsewhere others"


def dropped() -> tuple[Tensor, Tensor]:
    """Two draws of dropout after one seed: on ones, and on the causal weights of the six words."""
    weights = attention_weights(word_scores() * 2**-0.5, MASK[:6, :6])
    _ = torch.manual_seed(123)
    dropout = nn.Dropout(0.5)
    return dropout(torch.ones(6, 6)), dropout(weights)


def _twice() -> Tensor:
    return torch.stack((WORDS, WORDS))


def _module() -> CausalAttention:
    _ = torch.manual_seed(123)
    return CausalAttention(n_embd=3, head_size=2, block_size=6)


SOURCES = [
    Source(
        "S2.9",
        "a function that closes over its layers (T42) and makes its mask on each call (T44): "
        "only the shape of its output",
        lambda text: scaled_dot_product_attention(*random_head(), MASK).shape,
        "torch.Size([4, 8, 16])",
    ),
    Source(
        "S3.19",
        f"dropout with p = 0.5 on ones, seed 123; {_BUILD}",
        lambda text: dropped()[0],
        """[2., 2., 0., 2., 2., 0.], [0., 0., 0., 2., 0., 2.], [2., 2., 2., 2., 0., 2.],
        [0., 2., 2., 0., 0., 2.], [0., 2., 0., 2., 0., 2.], [0., 2., 2., 2., 2., 0.]""",
    ),
    Source(
        "S3.19",
        f"then on the masked weights; {_BUILD}",
        lambda text: dropped()[1],
        """[2.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.0000, 0.7582, 0.7366, 0.0000, 0.0000, 0.0000],
        [0.0000, 0.0000, 0.5587, 0.4206, 0.0000, 0.0000],
        [0.0000, 0.0000, 0.0000, 0.0000, 0.3068, 0.0000],
        [0.3115, 0.4183, 0.0000, 0.2839, 0.2178, 0.3588]""",
    ),
    Source(
        "S3.20",
        "a batch of two copies of one sequence (T57)",
        lambda text: _twice().shape,
        "torch.Size([2, 6, 3])",
    ),
    Source(
        "S3.21",
        "the module's output for that batch, seed 123",
        lambda text: (_module()(_twice()).shape, _module()(_twice())[0]),
        "torch.Size([2, 6, 2])",
    ),
]
