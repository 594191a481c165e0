"""Chapters 05, 08 and 10: drag a query among arrows, stretch it, and see which key it hears."""

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from chapters.ch05.figures import REACH, arrows_figure
from course.draw.live import Live


def six_arrows(size: float = 1.0) -> Tensor:
    """The arrows of chapter 05, times `size`: the first reaches furthest right, the third furthest up."""
    angles = torch.tensor([20.0, 70.0, 100.0, 170.0, 240.0, 310.0]).deg2rad()
    lengths = size * torch.tensor([1.2, 1.0, 1.6, 1.2, 1.4, 1.0])
    return lengths[:, None] * torch.stack([angles.cos(), angles.sin()], dim=1)


def arrows(
    words: Sequence[str], rows: Sequence[str], queries: Tensor, keys: Tensor, values: Tensor,
    row: int = 0,
) -> dict[str, Any]:
    """The state of threads.js: queries, named by `rows`, to drag among keys; query `row` is selected."""
    named = {"queries": queries, "keys": keys, "values": values}
    lists = {name: vectors.tolist() for name, vectors in named.items()}
    return {"words": list(words), "rows": list(rows), **lists, "row": row}


def query_explorer(keys: Tensor, words: Sequence[str]) -> Live:
    """Show a 2-D query among keys, which are also the values. You can drag the query and the keys.

    At first the query points to 250 degrees.
    """
    angle = math.radians(250)
    query = 2.0 * torch.tensor([math.cos(angle), math.sin(angle)])
    return Live(
        "threads", arrows_figure(query, keys, words),
        **arrows(words, ["query"], query[None], keys, keys),
        reach=REACH, scaled=False, causal=False, ground=False,
        controls={"ground": "shade where each word would win"},
    )
