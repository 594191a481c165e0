"""Chapter 00: walk through a tensor and see where each step lands in memory."""

from torch import Tensor

from chapters.ch00.figures import walk_figure
from course.draw.explorer import Explorer, choice, slider
from course.draw.picture import Picture


def stride_explorer(x: Tensor) -> Explorer:
    """An explorer of three forms of x that share its memory, with a slider in reading order."""
    B, T, C = x.shape
    forms = {
        "x": x,
        "x.transpose(-2, -1)": x.transpose(-2, -1),
        f"x.view({B}, {C}, {T})": x.view(B, C, T),
    }

    def render(form: str, step: int) -> Picture:
        return walk_figure(x, forms[form], form, step)

    names = list(forms)
    return Explorer(
        render,
        {"step": range(12), "form": names},
        step=slider("visit (in reading order)", 0, x.numel() - 1, 8),
        form=choice("form", names, names[1]),
    )
