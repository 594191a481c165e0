"""Chapter 08: paint a mask, and see the weights and what leaks."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from attention.heads import attention_scores
from attention.properties import ripples
from course.chapters.ch08.figures import painted_figure
from course.draw.live import Live


def mask_painter(
    x: Tensor,
    W_q: Tensor,
    W_k: Tensor,
    W_v: Tensor,
    words: Sequence[str],
    masks: Mapping[str, Tensor],
    name: str = "causal",
) -> Live:
    """Open and close the cells of a mask, from one of `masks`; see the weights and the leak."""
    mask = masks[name]

    def weights(x: Tensor) -> Tensor:
        scores = attention_scores(x @ W_q, x @ W_k)
        return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)

    ripple = ripples(lambda x: weights(x) @ (x @ W_v), x)
    return Live(
        "mask",
        painted_figure(mask, weights(x), ripple, words),
        words=list(words),
        x=x.tolist(),
        W_q=W_q.tolist(),
        W_k=W_k.tolist(),
        W_v=W_v.tolist(),
        mask=mask.tolist(),
        presets={name: each.tolist() for name, each in masks.items()},
    )
