"""Chapter 10: one head or two among arrows; channels cut into heads, rightly and wrongly."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from attention.heads import attention_scores, attention_weights
from attention.masks import causal_mask
from attention.multi_head import split_heads
from chapters.ch05.explorer import arrows, six_arrows
from chapters.ch05.figures import REACH, arrows_figure
from chapters.ch10.figures import views_figure
from course.draw.live import Live

WIDTH = 12


def split_by_view(x: Tensor, n_head: int) -> Tensor:
    """The wrong split: a view straight to (B, H, T, D)."""
    B, T, C = x.shape
    return x.reshape(B, n_head, T, C // n_head)


def shares(q: Tensor, k: Tensor, n_head: int, split) -> Tensor:
    """In row t, column s, the share of output t that comes from word s, as the mean over the heads."""
    T, C = q.shape
    whose = split(torch.arange(T)[:, None].expand(T, C)[None], n_head)[0, ..., 0]  # (H, T)
    scores = attention_scores(*(split(part[None], n_head)[0] for part in (q, k)))
    weights = attention_weights(scores, causal_mask(T))  # (H, T, T)
    return (weights @ F.one_hot(whose, T).to(weights.dtype)).mean(dim=0)


def heads_explorer(words: Sequence[str], n_head: int = 2, row: int = 2, seed: int = 0) -> Live:
    """Show the right and the wrong view side by side; choose the number of heads and an output."""
    generator = torch.Generator().manual_seed(seed)
    q, k = torch.randn(2, len(words), WIDTH, generator=generator, dtype=torch.float64).round(decimals=2)
    views = [shares(q, k, n_head, split) for split in (split_heads, split_by_view)]
    return Live(
        "heads", views_figure(*views, words, n_head, row, WIDTH),
        words=list(words), q=q.tolist(), k=k.tolist(),
        choices=[n for n in range(1, 7) if WIDTH % n == 0], heads=n_head, row=row,
    )


def two_heads_explorer(words: Sequence[str]) -> Live:
    """Show a query among keys, which are also the values: one head for both channels, or one for each.

    The query points to the upper right, because no word is both farthest right and highest.
    """
    keys, query = six_arrows(1.5), torch.tensor([1.6, 1.6])
    return Live(
        "threads", arrows_figure(query, keys, words, scale=2**-0.5),
        **arrows(words, ["channel 0", "channel 1"], query[None], keys, keys), two=False, reach=REACH, scaled=True,
        controls={"two": "two heads, one for each channel"},
    )
