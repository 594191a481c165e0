"""Chapter 10: cut some channels into more or fewer heads, rightly or wrongly, and see who hears."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from attention.heads import scaled_dot_product_attention
from attention.masks import causal_mask
from attention.multi_head import merge_heads, split_heads
from course.chapters.ch10.figures import hearing_figure, leftover_figure
from course.draw.explorer import Explorer, choice, slider
from course.draw.picture import Picture

Cut = Callable[..., Tensor]


def split_by_view(x: Tensor, n_head: int) -> Tensor:
    """The wrong split: a view straight to (B, H, T, D)."""
    B, T, C = x.shape
    return x.reshape(B, n_head, T, C // n_head)


def merge_by_reshape(x: Tensor) -> Tensor:
    """The wrong merge: a reshape straight to (B, T, C)."""
    B, H, T, D = x.shape
    return x.reshape(B, T, H * D)


VIEWS: dict[str, tuple[str, Cut, Cut]] = {
    "view, then transpose": ("by view and transpose", split_heads, merge_heads),
    "wrong view when splitting": (
        "by a view straight to (B, H, T, D)", split_by_view, merge_heads,
    ),
    "wrong reshape when merging": (
        "and merged by a reshape without transpose", split_heads, merge_by_reshape,
    ),
    "wrong both times": (
        "by a view straight to (B, H, T, D) and merged the same way",
        split_by_view, merge_by_reshape,
    ),
}  # fmt: skip


def heads_explorer(words: Sequence[str], seed: int = 0) -> Explorer:
    """Heads against width, with a switch for the wrong view: who speaks, and who is heard."""
    T, widest = len(words), 24
    draw = torch.Generator().manual_seed(seed)
    x = torch.randn(T, widest, generator=draw, dtype=torch.float64)
    w_qkv = torch.rand(3, widest, widest, generator=draw, dtype=torch.float64) * 2 - 1
    w_out = torch.rand(widest, widest, generator=draw, dtype=torch.float64) * 2 - 1
    mask = causal_mask(T)

    def render(n_head: int, width: int, view: str) -> Picture:
        if width % n_head:
            return leftover_figure(width, n_head)
        says, split, merge = VIEWS[view]

        def forward(x: Tensor) -> Tensor:
            q, k, v = (split(x @ w[:width, :width] / width**0.5, n_head) for w in w_qkv)
            out = merge(scaled_dot_product_attention(q, k, v, mask))
            return out @ w_out[:width, :width] / width**0.5

        positions = torch.arange(float(T))[:, None].expand(T, width)[None]
        speaker = merge(split(positions, n_head))[0, :, :: width // n_head].T.int()
        batch = x[:, :width].expand(T + 1, T, width).clone()
        for j in range(T):  # sequence j has its word j changed, the last one none
            batch[j, j] = -batch[j, j].flip(-1) + 1
        outs = forward(batch)
        change = (outs[:-1] - outs[-1]).abs().amax(dim=-1).T  # (output i, input j)
        return hearing_figure(speaker, change, words, says, 4 * width**2 + width, width)

    return Explorer(
        render,
        {"n_head": range(1, 9)},
        n_head=slider("number of heads", 1, 8, 2),
        width=slider("width (n_embd)", 8, widest, 12, step=4),
        view=choice("heads are cut by", VIEWS, "wrong view when splitting"),
    )  # fmt: skip
