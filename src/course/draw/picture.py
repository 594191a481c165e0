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

QUERY, KEY, VALUE = COLOURS["query"], COLOURS["key"], COLOURS["value"]  # one colour per role
BATCH, TIME, CHANNEL = COLOURS["batch"], COLOURS["time"], COLOURS["channel"]  # or per axis B, T, C
INK, FAINT, PAPER = COLOURS["ink"], COLOURS["faint"], COLOURS["paper"]
WRONG = COLOURS["wrong"]  # the only red, for what is wrong
WIDTH = 7.8  # inches: the width of the book's column
SMALL = 9  # points: the smallest text, 12.5 pixels in that column
DEEP = 0.6  # the most colour in a cell of signed numbers, so that the number can be read
DEEP_WEIGHT, DEEP_ROLE, DEEP_X = 0.63, 0.4, 0.3  # for a weight, a role, and x, which has no role


def tint(colour: str, share: float) -> tuple[float, float, float, float]:
    """A transparent layer of a colour for areas, on paper of any colour."""
    return to_rgba(colour, share)


SHADE, LIGHT, PALE = tint(INK, 0.16), tint(INK, 0.07), tint(QUERY, 0.35)  # for areas


def shades(*colours: str, deep: float = DEEP) -> LinearSegmentedColormap:
    """A colour map from transparent to a colour; with two, the first is for the lower half."""
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
    """A colour map that shades a weight by its square root: 0.09 and 0.23 differ, 0 is clear."""
    return LinearSegmentedColormap.from_list(
        "roots", [tint(colour, deep * (n / 254) ** 0.5) for n in range(255)], N=255
    )


WEIGHTS = roots(QUERY, DEEP_WEIGHT)
MAPS = roots(QUERY, 1.0)  # for maps without numbers in the cells
FUTURE = roots(WRONG, 0.45)  # for weights on later positions
SIGNED = shades(COLOURS["below"], COLOURS["above"])  # for scores, and for cells without numbers
# q, k and v have the colour of their role, x has ink; a shade shows the size, the text the sign.
X_CELLS = shades(INK, INK, deep=DEEP_X)
Q_CELLS, K_CELLS, V_CELLS = (shades(role, role, deep=DEEP_ROLE) for role in (QUERY, KEY, VALUE))

STYLE = dict(
    mpl.rc_params_from_file(Path(__file__).with_suffix(".mplstyle"), use_default_template=False)
)
STYLE |= dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor"), INK)
STYLE |= dict.fromkeys(("xtick.color", "ytick.color"), INK)
# In JupyterLab's dark themes a picture's paper is dark. A picture's style can't ask for the theme,
# but it can read this number: 0 in the light theme, and not set outside of JupyterLab. A notebook
# that isn't trusted loses the style, so its pictures keep white paper until their cells are run.
THEME = "var(--jp-shadow-base-lightness, 0)"
IN_THE_DARK = f"filter: invert(calc({THEME} / 32)) hue-rotate(calc({THEME} * 5.625deg))"
OFF = 5e-3  # a row sum further than this from 1 is marked
SEEN = 1e-5  # a smaller weight on a later position is rounding


@dataclass(frozen=True)
class Picture:
    """A drawn figure, ready to show: in HTML with alt text, in plain text as its sentence."""

    svg: str = field(repr=False)  # its colours are CSS variables, which the page sets
    sentence: str

    def __repr__(self) -> str:
        return textwrap.fill(f"[figure] {self.sentence}", 96)

    @property
    def src(self) -> str:
        """The picture with its own paper and colours, as a data URI: it needs no page or file."""
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

    The height is in inches. For one panel, write `figure, (axes,) = canvas(3)`; for two, `figure,
    (left, right) = canvas(3, 2)`. `layout=None` doesn't move the axes, which saves time.
    """
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, height), layout=layout)
        axes = figure.subplots(1, columns, squeeze=False, **subplots)[0]
    return figure, list(axes)


def sheet(height: float, panels: int = 1, width: float = WIDTH) -> tuple[Figure, list[Axes]]:
    """Return a figure that fills the column, and for each panel axes over all of it, in inches."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(width, height))
        axes = [figure.add_axes((0, 0, 1, 1)) for _ in range(panels)]
    for each in axes:
        each.set(xlim=(0, width), ylim=(0, height))
        each.set_axis_off()
    return figure, axes


def headline(figure: Figure, finding: str) -> None:
    """Write the finding of a figure with several axes, or of a sheet, as a title above all of it."""
    with mpl.rc_context(STYLE):
        figure.suptitle(finding, fontsize=11, weight="bold")


def name_rows(axes: Axes, names: Sequence[str]) -> None:
    """Name the rows of a map; a narrow page repeats the names next to each panel that it moves."""
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
    """Write the sum of each row at `x`, next to a heat map, and mark a sum that is nan or not 1."""
    for row, total in enumerate(sums):
        marked = not abs(total - 1) <= OFF  # true for nan as well
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
    """Draw a matrix with its numbers in the cells; `look` holds the options of `cells`."""
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
    """Draw the cells of a heat map, replacing what its axes showed before.

    Without `colours`, cells are weights, shaded by their square roots as in all figures and
    explorers. With `colours`, all maps of a figure share one `low` and `high`. `lean` writes .25
    instead of 0.25, for narrow cells. In a `causal` map, weights on later positions are red.
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
    clip = TransformedPath(axes.patch.get_path(), axes.transAxes)  # shared, which is faster
    middle = dict(ha="center", va="center", fontsize=SMALL, clip_path=clip)
    with mpl.rc_context(STYLE):
        for r, row in enumerate(values):
            for c, value in enumerate(row):
                text = f"{value:.{digits}f}"
                text = text.replace("0.", ".", 1) if lean and abs(value) < 1 else text
                axes.text(c, r, text, **middle)
