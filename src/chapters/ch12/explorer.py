"""Chapter 12: go down a stack of blocks, with or without residuals and norms."""

from collections.abc import Mapping, Sequence
from itertools import product

from chapters.ch12.depth import Propagation
from chapters.ch12.figures import words_figure
from course.draw.explorer import Explorer, choice, slider, switch
from course.draw.picture import Picture

PLACES = {"no norm": "none", "norm after": "after", "norm before": "before"}


def depth_explorer(
    propagations: Mapping[tuple[bool, str], Propagation], words: Sequence[str]
) -> Explorer:
    """Show what is left of the words after each layer. `propagations` has one for each (residual, place)."""
    if missing := set(product((True, False), PLACES.values())) - set(propagations):
        raise ValueError(f"expected a propagation for each of (residual, place), got none for {missing}")
    n_layer = min(len(propagation.signal) for propagation in propagations.values()) - 1

    def render(depth: int, residual: bool, place: str) -> Picture:
        way = next(name for name, value in PLACES.items() if value == place)
        name = f"{'residual' if residual else 'no residual'}, {way}"
        return words_figure(propagations[residual, place], depth, name, words)

    return Explorer(
        render,
        {"depth": [n for n in (0, 1, 2, 4, 8, 16, 32) if n <= n_layer], "residual": [False, True]},
        depth=slider("layer", 0, n_layer, 0),
        residual=switch("residual", False),
        place=choice("norm", PLACES.items(), "before"),
    )
