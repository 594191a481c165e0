"""Chapter 16: choose a check, or two, and see which patients they find."""

from chapters.ch16.checks import SIX
from chapters.ch16.examine import table
from chapters.ch16.figures import matrix_figure
from course.draw.explorer import Explorer, choice

CHECKS = [*SIX, "equals"]
NO_SECOND = "none"


def checks_explorer() -> Explorer:
    """Show every patient of the attention ward, and which of them one or two checks find."""

    def render(check: str, second: str):
        chosen = [check] if second in (NO_SECOND, check) else [check, second]
        return matrix_figure(table(), chosen)

    return Explorer(
        render,
        {"check": CHECKS},
        check=choice("check", CHECKS, "order"),
        second=choice("and a second one", [NO_SECOND, *CHECKS], NO_SECOND),
    )
