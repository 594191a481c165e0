"""Chapter 06: step through a head in six beats; drag one query, or move all of them by a gradient step."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from chapters.ch05.explorer import arrows
from chapters.ch05.figures import arrows_figure
from chapters.ch06.figures import head_figure
from course.draw.live import Live

REACH = 2.2  # the plane goes from -REACH to REACH, so at least six steps stay on it


def head_explorer(
    x: Tensor, heads: Mapping[str, Sequence[Tensor]], words: Sequence[str], row: int = 1
) -> Live:
    """Step through a head, one row of x after the other: project, compare, score, scale, softmax, add.

    Each of the `heads` has W_q and W_k, (C, 2), and W_v, (C, Dv). The first head is shown at the beginning
    and in the still picture, whose sentence is about this `row`. Raises ValueError if there are no heads, or
    if queries and keys don't have size 2, because a plane can't show their arrows.
    """
    sizes = {W.shape[-1] for W_q, W_k, _ in heads.values() for W in (W_q, W_k)}
    if sizes != {2}:
        raise ValueError(
            f"heads: expected queries and keys of size 2, to be drawn as arrows, got {sorted(sizes)}; "
            "take W_q and W_k of shape (C, 2)"
        )
    first = next(iter(heads))
    names = "W_q", "W_k", "W_v"
    as_lists = {
        name: dict(zip(names, (W.tolist() for W in matrices), strict=True))
        for name, matrices in heads.items()
    }
    return Live(
        "beats", head_figure(x, *heads[first], words, row=row),
        words=list(words), x=x.tolist(), heads=as_lists, head=first, step=0, cell=None,
    )


def query_explorer(
    x: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor, words: Sequence[str], row: int = 1
) -> Live:
    """Draw the queries, keys and values of a head of size 2; you can drag the query of one word.

    A gradient step moves W_q and W_k so that the weight of the chosen word grows.
    """
    q, k, v = ((x @ W).detach() for W in (W_q, W_k, W_v))
    controls = {
        "scaled": "divide by \N{SQUARE ROOT}2",
        "causal": "close the future",
        "ground": "shade who would win",
    }
    return Live(
        "threads", arrows_figure(q[row], k, words, reach=REACH, values=v, scale=q.shape[1] ** -0.5),
        **arrows(words, words, q, k, v, row),
        gram=(x @ x.T).tolist(), target=len(words) - 1, rate=0.3,
        reach=REACH, scaled=True, causal=False, ground=False, controls=controls,
    )
