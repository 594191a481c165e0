"""Appendix A5: keys and values on their way round the ring."""

from chapters.chA5.figures import ring_figure
from course.draw.explorer import Explorer, slider, switch

N = 4  # processes


def ring_explorer() -> Explorer:
    """After how many hand-ons who has whose keys, and which blocks are computed."""
    return Explorer(
        lambda step, causal: ring_figure(N, step, causal),
        {"step": list(range(N)), "causal": [False, True]},
        step=slider("hand-ons", 0, N - 1, 0),
        causal=switch("causal mask", False),
    )
