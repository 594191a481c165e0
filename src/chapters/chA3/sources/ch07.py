"""What the source notebooks show of chapter 07, scaling and softmax."""

import torch
from torch import Tensor

from attention.heads import attention_scores
from chapters.chA3.source import Source
from chapters.chA3.sources.ch06 import random_head


def variances() -> tuple[Tensor, ...]:
    """Of keys, queries, scores and scaled scores: the third pair that is drawn after a head."""
    _ = random_head()
    k, q = [(torch.randn(4, 8, 16), torch.randn(4, 8, 16)) for _ in range(3)][-1]
    return k.var(), q.var(), attention_scores(q, k, scale=1.0).var(), attention_scores(q, k).var()


FIVE = torch.tensor([0.1, -0.2, 0.3, -0.2, 0.5])
SOURCES = [
    Source(
        "S1.30",
        "variances of k, of q, of their scores, and of the scaled scores: the third pair drawn "
        "after the head of S1.28 (T29)",
        lambda text: variances(),
        "1.0966 0.9416 16.1036 1.0065",
    ),
    Source(
        "S1.31",
        "softmax of five scores",
        lambda text: FIVE.softmax(dim=-1),
        "[0.1925, 0.1426, 0.2351, 0.1426, 0.2872]",
    ),
    Source(
        "S1.31",
        "softmax of eight times the scores: close to one-hot",
        lambda text: (FIVE * 8).softmax(dim=-1),
        "[0.0326, 0.0030, 0.1615, 0.0030, 0.8000]",
    ),
]
