"""Chapter 06: drag one word's query, or let a gradient step move all, and see which weights follow."""

from collections.abc import Sequence

from torch import Tensor

from chapters.ch05.figures import arrows_figure
from course.draw.live import Live

REACH = 2.2  # of the plane, both ways; at least six steps stay on it


def query_explorer(
    x: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor, words: Sequence[str], row: int = 1
) -> Live:
    """Draw the queries, keys and values of a head of size 2; you can drag the query of one word.

    A gradient step moves W_q and W_k so that the weight of the chosen word grows.
    """
    q, k, v = ((x @ W).detach() for W in (W_q, W_k, W_v))
    return Live(
        "threads",
        arrows_figure(q[row], k, words, reach=REACH, values=v, scale=q.shape[1] ** -0.5),
        words=list(words),
        rows=list(words),
        queries=q.tolist(),
        keys=k.tolist(),
        values=v.tolist(),
        row=row,
        gram=(x @ x.T).tolist(),
        target=len(words) - 1,
        rate=0.3,
        reach=REACH,
        scaled=True,
        causal=False,
        controls={"scaled": "divide by \N{SQUARE ROOT}2", "causal": "close the cells of the future"},
    )
