"""Chapter 07: choose a scale and a head size, and see whether softmax stays open."""

import torch
from torch import Tensor

from chapters.ch07.figures import HIGHEST, LOWEST, curves_of, typical, weights_figure
from course.draw.live import Live

SCALES = {  # {name of the scale: its power of d}
    "1/d": -1.0,
    "1/\N{SQUARE ROOT}d": -0.5,
    "1 (no scale)": 0.0,
    "\N{SQUARE ROOT}d (divided by 1/\N{SQUARE ROOT}d)": 0.5,
}


def scale_explorer(q: Tensor, k: Tensor, d: int = 64) -> Live:
    """Show how scale and head size change the spread of the scores, and with it the weights and the slope.

    q is (rows, D) and k is (rows, keys, D), both with variance 1. The row that is shown is a typical one at
    head size d. For other sizes it is stretched to the spread that the law gives, the root of the size.
    """
    scores = (k[..., :d] @ q[:, :d, None])[..., 0]  # (rows, keys)
    draw = torch.Generator().manual_seed(0)
    steps = [LOWEST * 2 ** (n / 2) for n in range(35) if LOWEST * 2 ** (n / 2) <= HIGHEST]
    curves = curves_of(torch.tensor([0.0, *steps]), torch.randn(2000, k.shape[1], generator=draw))
    sizes = [4**n for n in range(6) if 4**n <= q.shape[-1]]
    return Live(
        "softmax", weights_figure(scores, d, 1.0, "1", curves),
        row=(scores[typical(scores)] / d**0.5).tolist(),
        names=[str(key) for key in range(k.shape[1])], sizes=sizes, size=sizes.index(d),
        powers=list(SCALES.items()), power=list(SCALES).index("1 (no scale)"),
    )
