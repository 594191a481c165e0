"""Chapter 05: turn a query among arrows, stretch it, and see who is heard."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from course.chapters.ch05.figures import arrows_figure
from course.draw.explorer import Explorer, float_slider, slider
from course.draw.picture import Picture


def query_explorer(keys: Tensor, words: Sequence[str]) -> Explorer:
    """Two sliders turn and stretch a 2-D query among the keys; weights and context follow."""

    def render(angle: int, length: float) -> Picture:
        turn = math.radians(angle)
        query = length * torch.tensor([math.cos(turn), math.sin(turn)])
        return arrows_figure(query, keys, words)

    angle = slider("angle of the query", 0, 350, 250)
    angle.step = 10
    return Explorer(
        render, angle=angle, length=float_slider("length of the query", 0.0, 3.0, 2.0, 0.25)
    )
