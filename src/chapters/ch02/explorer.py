"""Chapter 02: move a window over a text and read its examples."""

from collections.abc import Sequence

from chapters.ch02.figures import window_figure
from course.draw.explorer import Explorer, slider
from course.draw.picture import Picture


def window_explorer(tokens: Sequence[str], block_size: int = 8, largest: int = 10) -> Explorer:
    """Show a window, with sliders for its start and length; the start can be too late, even past the end."""

    def render(start: int, block: int) -> Picture:
        return window_figure(tokens, start, block, room=largest + 1)

    return Explorer(
        render,
        {"start": range(len(tokens) + 1)},
        start=slider("start", 0, len(tokens), 5),
        block=slider("block size", 1, largest, block_size),
    )
