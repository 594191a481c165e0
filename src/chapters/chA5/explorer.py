"""Appendix A5: keys and values on their way round the ring."""

from chapters.chA5.figures import ring_figure
from course.draw.explorer import Explorer, slider, switch

N = 4  # processes


def ring_explorer() -> Explorer:
    """Show which process has which keys after each step, and which blocks are computed."""
    return Explorer(
        lambda step, causal: ring_figure(N, step, causal),
        {"step": list(range(N)), "causal": [False, True]},
        step=slider("step", 0, N - 1, 0),
        causal=switch("causal mask", False),
    )
