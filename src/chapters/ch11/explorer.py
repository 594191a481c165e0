"""Chapter 11: the rotary dial. Move a query and a key together, or apart, and read the score."""

from collections.abc import Sequence

from chapters.ch11.figures import dial_figure
from course.draw.explorer import Explorer, slider
from course.draw.picture import Picture

DISTANCE = 2


def rotary_dial(q: Sequence[float], k: Sequence[float]) -> Explorer:
    """Show one pair of channels of a query and of a key, which each position turns by one radian."""

    def render(both: int, distance: int) -> Picture:
        return dial_figure(q, k, both + distance, both)

    return Explorer(
        render,
        {"both": range(8), "distance": range(5)},
        both=slider("both move on by", 0, 7, 0),
        distance=slider("the query is ahead by", 0, 4, DISTANCE),
    )
