"""Chapter 07: choose a scale and a head size, and see whether softmax stays open."""

import torch
from torch import Tensor

from course.chapters.ch07.figures import HIGHEST, LOWEST, curves_of, weights_figure
from course.draw.explorer import Explorer, choice
from course.draw.picture import Picture

SCALES = {  # what is shown, and the power of d that it is
    "1/d": -1.0,
    "1/\N{SQUARE ROOT}d": -0.5,
    "1 (no scale)": 0.0,
    "\N{SQUARE ROOT}d (divided by 1/\N{SQUARE ROOT}d)": 0.5,
}


def scale_explorer(q: Tensor, k: Tensor) -> Explorer:
    """Scale and head size decide how far the scores spread; a row of weights and its slope follow.

    q is (rows, D) and k is (rows, keys, D), of variance 1; a head size d takes their first d
    numbers.
    """
    D = q.shape[-1]
    sizes = [4**n for n in range(6) if 4**n <= D]
    draw = torch.Generator().manual_seed(0)
    standard = torch.randn(2000, k.shape[1], generator=draw)
    steps = [LOWEST * 2 ** (n / 2) for n in range(35) if LOWEST * 2 ** (n / 2) <= HIGHEST]
    curves = curves_of(torch.tensor([0.0, *steps]), standard)

    def render(d: int, scale: str) -> Picture:
        factor = d ** SCALES[scale]
        scores = (k[..., :d] @ q[:, :d, None])[..., 0] * factor  # (rows, keys)
        return weights_figure(scores, d, factor, scale.split(" (")[0], curves)

    return Explorer(
        render,
        scale=choice("scale", [(name, name) for name in SCALES], "1 (no scale)"),
        d=choice("head size d", [(str(size), size) for size in sizes], min(64, D)),
    )
