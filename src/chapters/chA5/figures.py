"""Appendix A5: how keys and values go round a ring, and when each block is computed."""

from math import cos, pi, sin

import matplotlib as mpl
from matplotlib.patches import Circle, Rectangle

from course.draw.picture import (
    FAINT,
    INK,
    KEY,
    LIGHT,
    PALE,
    QUERY,
    SMALL,
    STYLE,
    Picture,
    canvas,
    picture,
)  # fmt: skip


def ring_figure(n_processes: int, step: int, causal: bool = False) -> Picture:
    """Draw where the keys of each part are after `step` steps, and the blocks that are computed by then."""
    n = n_processes
    holds = [(rank - step) % n for rank in range(n)]
    open_ = [[not causal or j <= i for j in range(n)] for i in range(n)]
    now = [i for i in range(n) if open_[i][holds[i]]]
    figure, (left, right) = canvas(3.9, 2)
    with mpl.rc_context(STYLE):
        for rank in range(n):
            angle = pi / 2 - 2 * pi * rank / n
            x, y = cos(angle), sin(angle)
            left.add_patch(Circle((x, y), 0.45, facecolor=PALE, edgecolor=QUERY, linewidth=1.5))
            left.text(x, y + 0.11, f"process {rank}", ha="center", va="center", fontsize=SMALL)
            left.text(x, y - 0.11, f"k, v of part {holds[rank]}", ha="center", va="center", fontsize=SMALL, weight="bold")
            if n > 1:
                begin, end = (angle - 2 * pi / n * share for share in ((0.31, 0.69) if n > 3 else (0.24, 0.76)))
                left.annotate(
                    "", (cos(end), sin(end)), (cos(begin), sin(begin)),
                    arrowprops={"arrowstyle": "-|>", "color": KEY, "linewidth": 2, "connectionstyle": "arc3,rad=-0.2"},
                )  # fmt: skip
        left.set(xlim=(-1.6, 1.6), ylim=(-1.5, 1.5), aspect="equal", xticks=[], yticks=[])
        left.set_title(f"After {step} step{'s' * (step != 1)}")
        left.spines[:].set_visible(False)
        for i in range(n):
            for j in range(n):
                done = any((i - s) % n == j for s in range(step))
                colour = QUERY if i in now and j == holds[i] else PALE if done else LIGHT
                if not open_[i][j]:
                    right.text(j, i, "closed", ha="center", va="center", fontsize=SMALL, color=FAINT)
                    continue
                right.add_patch(Rectangle((j - 0.46, i - 0.46), 0.92, 0.92, color=colour, linewidth=0))
        right.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5), aspect="equal")
        right.set_xticks(range(n), [f"part {j}" for j in range(n)])
        right.set_yticks(range(n), [f"process {i}" for i in range(n)])
        right.set(xlabel="keys", ylabel="queries", title="Blocks of scores")
        right.spines[:].set_color(INK)
        right.tick_params(labelsize=SMALL)
    where = "; ".join(f"process {rank} has part {part}" for rank, part in enumerate(holds))
    idle = n - len(now)
    waits = f", and {idle} of {n} processes {'has' if idle == 1 else 'have'} nothing to compute" if idle else ""
    return picture(
        figure,
        f"A ring of {n} processes after {step} step{'s' * (step != 1)}: {where}. Each process passes its "
        f"keys and values to the next. On the right, dark blocks are computed now{waits}; pale ones are "
        f"done, and grey ones are still to come.",
    )
