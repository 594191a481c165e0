"""A Picture is a figure with the sentence that says what it shows; the sentence is its alt text.

The palette, the fonts and the heat map that every figure shares are here too.
"""

import base64
import html
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.transforms import TransformedPath
from torch import Tensor

from course.colours import COLOURS
from course.draw.svg import DPI, ON_PAPER, ROW_NAME, draw

QUERY, KEY, VALUE = COLOURS["query"], COLOURS["key"], COLOURS["value"]  # one colour a role
BATCH, TIME, CHANNEL = COLOURS["batch"], COLOURS["time"], COLOURS["channel"]  # or an axis: B, T, C
INK, FAINT, PAPER = COLOURS["ink"], COLOURS["faint"], COLOURS["paper"]
WRONG = COLOURS["wrong"]  # and nothing else is red
WIDTH = 7.8  # inches: what fills the column of the book
SMALL = 9  # points: the smallest text, 12.5 pixels in that column
DEEP = 0.6  # of a sign's colour in a cell at most, so that the number in it can be read
DEEP_WEIGHT, DEEP_ROLE, DEEP_X = 0.63, 0.4, 0.3  # of a weight, of a role, and of x, which has none


def tint(colour: str, share: float) -> tuple[float, float, float, float]:
    """A clear layer of a colour, for areas: it lies on any paper."""
    return to_rgba(colour, share)


SHADE, LIGHT, PALE = tint(INK, 0.16), tint(INK, 0.07), tint(QUERY, 0.35)  # of areas


def shades(*colours: str, deep: float = DEEP) -> LinearSegmentedColormap:
    """From clear to a colour; of two, the first below the middle. They lie on any paper."""
    ends = [(0, tint(colours[0], 0)), (1, tint(colours[0], deep))]
    if len(colours) == 2:
        below, above = colours
        ends = [
            (0, tint(below, deep)),
            (0.5, tint(below, 0)),
            (0.5, tint(above, 0)),
            (1, tint(above, deep)),
        ]
    return LinearSegmentedColormap.from_list("shades", ends, N=255)  # odd: 0 lies within a level


def roots(colour: str, deep: float) -> LinearSegmentedColormap:
    """The shade of a weight: its square root, so that 0.09 and 0.23 differ, and 0 still is clear."""
    return LinearSegmentedColormap.from_list(
        "roots", [tint(colour, deep * (n / 254) ** 0.5) for n in range(255)], N=255
    )


WEIGHTS = roots(QUERY, DEEP_WEIGHT)
MAPS = roots(QUERY, 1.0)  # without numbers that are to be read
FUTURE = roots(WRONG, 0.45)  # of weights on what comes later
SIGNED = shades(COLOURS["below"], COLOURS["above"])  # for scores, and numbers that aren't written
# q, k and v in their colours, x in none: the shade is the size of a number, its sign is written.
X_CELLS = shades(INK, INK, deep=DEEP_X)
Q_CELLS, K_CELLS, V_CELLS = (shades(role, role, deep=DEEP_ROLE) for role in (QUERY, KEY, VALUE))

STYLE = dict(
    mpl.rc_params_from_file(Path(__file__).with_suffix(".mplstyle"), use_default_template=False)
)
STYLE |= dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor"), INK)
STYLE |= dict.fromkeys(("xtick.color", "ytick.color"), INK)
# JupyterLab's dark themes turn a picture's paper dark; their names for themselves don't reach it, but
# this number of theirs does (0 in its light theme, and elsewhere there is none). A notebook that isn't
# trusted loses the style: its pictures keep white paper until their cells are run.
THEME = "var(--jp-shadow-base-lightness, 0)"
IN_THE_DARK = f"filter: invert(calc({THEME} / 32)) hue-rotate(calc({THEME} * 5.625deg))"
OFF = 5e-3  # a row sum further than this from 1 is marked
SEEN = 1e-5  # a smaller weight on the future is rounding


@dataclass(frozen=True)
class Picture:
    """A drawn figure, ready to show: in HTML with alt text, in plain text as its sentence."""

    svg: str = field(repr=False)  # its colours are CSS variables: the page around it has them
    sentence: str

    def __repr__(self) -> str:
        return textwrap.fill(f"[figure] {self.sentence}", 96)

    @property
    def src(self) -> str:
        """The picture on paper of its own, as a data URI: it needs no page and no file."""
        whole = self.svg.replace(">", f">{ON_PAPER}", 1)
        return "data:image/svg+xml;base64," + base64.b64encode(whole.encode()).decode("ascii")

    def _repr_html_(self) -> str:
        sentence = html.escape(self.sentence)
        return (
            f'<figure class="course-figure"><img src="{self.src}" alt="{sentence}" '
            f'style="{IN_THE_DARK}"><figcaption>{sentence}</figcaption></figure>'
        )


def picture(figure: Figure, sentence: str) -> Picture:
    """Draw a figure as SVG; equal figures give equal text."""
    figure.set_dpi(DPI)
    with mpl.rc_context(STYLE):
        return Picture(draw(figure), " ".join(sentence.split()))


def canvas(
    height: float, columns: int = 1, layout: str | None = "constrained", **subplots
) -> tuple[Figure, list[Axes]]:
    """Return a figure that fills the column, and the list of its axes from left to right.

    The height is in inches. Of one panel: `figure, (axes,) = canvas(3)`; of two: `figure, (left,
    right) = canvas(3, 2)`. `layout=None` leaves the axes where they are put, which saves time.
    """
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, height), layout=layout)
        axes = figure.subplots(1, columns, squeeze=False, **subplots)[0]
    return figure, list(axes)


def sheet(height: float, panels: int = 1, width: float = WIDTH) -> tuple[Figure, list[Axes]]:
    """A figure that fills the column, and axes over all of it, measured in inches, for each panel."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(width, height))
        axes = [figure.add_axes((0, 0, 1, 1)) for _ in range(panels)]
    for each in axes:
        each.set(xlim=(0, width), ylim=(0, height))
        each.set_axis_off()
    return figure, axes


def headline(figure: Figure, finding: str) -> None:
    """What a figure of several axes, or a sheet, shows, above all of it."""
    with mpl.rc_context(STYLE):
        figure.suptitle(finding, fontsize=11, weight="bold")


def name_rows(axes: Axes, names: Sequence[str]) -> None:
    """Name the rows of a map; a narrow page says the names again beside what it puts below."""
    axes.set_yticks(range(len(names)), names)
    for label in axes.get_yticklabels():
        label.set_gid(ROW_NAME)


def place(axes: Axes, x: float, y: float, width: float, height: float) -> None:
    """Put axes at a place of the figure, in inches from its lower left corner."""
    w, h = axes.figure.get_size_inches()
    axes.set_position((x / w, y / h, width / w, height / h))


def row_sums(
    axes: Axes, sums: Sequence[float], x: float, plain: str = INK, off: str = WRONG
) -> None:
    """The sum of each row at `x`, behind a heat map; one that is not 1, or nan, is marked."""
    for row, total in enumerate(sums):
        marked = not abs(total - 1) <= OFF  # nan is off too
        axes.text(
            x, row, f"sum {total:.2f}", va="center", fontsize=SMALL,
            color=off if marked else plain, weight="bold" if marked else "normal",
        )  # fmt: skip


def heat_map(
    axes: Axes,
    matrix: Tensor,
    *,
    title: str = "",
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    row_axis: str = "",
    column_axis: str = "",
    **look,
) -> None:
    """Draw a matrix with its numbers in the cells, which look as `cells` says."""
    with mpl.rc_context(STYLE):
        cells(axes, matrix, **look)
        axes.set_aspect("equal")
        axes.set_title(title)
        axes.set_xticks(range(matrix.shape[1]), list(columns) or range(matrix.shape[1]))
        name_rows(axes, list(rows) or range(matrix.shape[0]))
        axes.tick_params(length=0, labelsize=SMALL)
        axes.set_xlabel(column_axis)
        axes.set_ylabel(row_axis)
        axes.spines[:].set_visible(False)


def cells(
    axes: Axes,
    matrix: Tensor,
    *,
    low: float = 0.0,
    high: float = 1.0,
    colours: LinearSegmentedColormap | None = None,
    digits: int | None = 2,
    lean: bool = False,
    causal: bool = False,
) -> None:
    """Draw the cells of a heat map in place of what stood within its axes.

    Without `colours`, a cell is a weight, and its shade the square root: the same in all figures and
    explorers. Other maps of a figure share one scale. `lean` numbers fit in narrower cells: .25 for
    0.25. In a `causal` map a cell of the future with anything in it is red.
    """
    for artist in [*axes.collections, *axes.texts, *axes.patches]:
        artist.remove()
    values = matrix.detach().tolist()
    colours = colours or (MAPS if digits is None else WEIGHTS)
    if digits is None:
        axes.imshow(values, cmap=colours, vmin=low, vmax=high, interpolation="none")
        return
    rows_at, columns_at = ([n - 0.5 for n in range(size + 1)] for size in matrix.shape)
    ahead = matrix.detach().triu(1) > SEEN if causal else matrix.new_zeros(matrix.shape).bool()
    for there, shown in ((~ahead, colours), (ahead, FUTURE)):
        if bool(there.any()):
            part = matrix.detach().where(there, float("nan")).tolist()
            axes.pcolormesh(columns_at, rows_at, part, cmap=shown, vmin=low, vmax=high)
    for r, c in ahead.nonzero().tolist():
        box = (c - 0.46, r - 0.46), 0.92, 0.92
        axes.add_patch(Rectangle(*box, fill=False, edgecolor=WRONG, lw=1.6, zorder=6))
    axes.set_ylim(rows_at[-1], rows_at[0])
    clip = TransformedPath(axes.patch.get_path(), axes.transAxes)  # else each text makes its own
    middle = dict(ha="center", va="center", fontsize=SMALL, clip_path=clip)
    with mpl.rc_context(STYLE):
        for r, row in enumerate(values):
            for c, value in enumerate(row):
                text = f"{value:.{digits}f}"
                text = text.replace("0.", ".", 1) if lean and abs(value) < 1 else text
                axes.text(c, r, text, **middle)
