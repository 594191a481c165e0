"""A Picture is a figure with the sentence that says what it shows; the sentence is its alt text.

The palette, the fonts and the heat map that every figure shares are here too.
"""

import base64
import html
import io
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from PIL import Image
from torch import Tensor

from course.colours import COLOURS

QUERY, KEY, VALUE = COLOURS["query"], COLOURS["key"], COLOURS["value"]  # one colour a role
BATCH, TIME, CHANNEL = COLOURS["batch"], COLOURS["time"], COLOURS["channel"]  # or an axis: B, T, C
INK, FAINT = COLOURS["ink"], COLOURS["faint"]
SHADE, LIGHT, PALE = COLOURS["shade"], COLOURS["light"], COLOURS["pale"]  # of areas
WEIGHTS = LinearSegmentedColormap.from_list("weights", ["white", PALE, QUERY])
SIGNED = mpl.colormaps["RdBu_r"]  # only for numbers with a sign

STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    "axes.labelcolor": INK,
    "figure.facecolor": "white",
    "svg.hashsalt": "attention",
}
OFF = 5e-3  # a row sum further than this from 1 is marked
DPI = 144  # twice the size at which it is shown, for sharp screens


@dataclass(frozen=True)
class Picture:
    """A drawn figure, ready to show: in HTML with alt text, in plain text as its sentence."""

    png: bytes = field(repr=False)
    sentence: str
    width: int  # as shown, in CSS pixels

    def __repr__(self) -> str:
        return textwrap.fill(f"[figure] {self.sentence}", 96)

    @property
    def src(self) -> str:
        """The image as a data URI: it needs no file beside the notebook."""
        return "data:image/png;base64," + base64.b64encode(self.png).decode("ascii")

    def _repr_html_(self) -> str:
        sentence = html.escape(self.sentence)
        return (
            f'<figure class="course-figure"><img src="{self.src}" alt="{sentence}" '
            f'width="{self.width}"><figcaption>{sentence}</figcaption></figure>'
        )


def picture(figure: Figure, sentence: str) -> Picture:
    """Render a figure as a PNG of 256 colours on white; equal figures give equal bytes."""
    agg = FigureCanvasAgg(figure)
    figure.set_dpi(DPI)
    with mpl.rc_context(STYLE):
        agg.draw()  # savefig would draw twice, once to lay out
    image = Image.fromarray(np.asarray(agg.buffer_rgba())[..., :3])
    small = io.BytesIO()
    image.quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(
        small, format="PNG"
    )
    return Picture(small.getvalue(), " ".join(sentence.split()), image.width // 2)


def canvas(
    width: float, height: float, columns: int = 1, layout: str | None = "constrained", **subplots
) -> tuple[Figure, list[Axes]]:
    """Return a figure of this size in inches and the list of its axes from left to right.

    Of one panel: `figure, (axes,) = canvas(6, 3)`; of two: `figure, (left, right) = canvas(6, 3, 2)`.
    `layout=None` leaves the axes where they are put, which saves a third of the drawing time.
    """
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout=layout)
        axes = figure.subplots(1, columns, squeeze=False, **subplots)[0]
    return figure, list(axes)


def row_sums(
    axes: Axes, sums: Sequence[float], x: float, fontsize: float = 7.5, plain: str = INK
) -> None:
    """The sum of each row at `x`, behind a heat map; one that is not 1, or nan, is marked."""
    for row, total in enumerate(sums):
        off = not abs(total - 1) <= OFF  # nan is off too
        axes.text(
            x, row, f"sum {total:.2f}", va="center", fontsize=fontsize,
            color=CHANNEL if off else plain, weight="bold" if off else "normal",
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
    low: float = 0.0,
    high: float = 1.0,
    colours=WEIGHTS,
    digits: int | None = 2,
) -> None:
    """Draw a matrix with its numbers in the cells; all of a figure's maps share one scale."""
    with mpl.rc_context(STYLE):
        values = matrix.detach().tolist()
        axes.imshow(values, cmap=colours, vmin=low, vmax=high, aspect="equal")
        axes.set_title(title)
        axes.set_xticks(range(matrix.shape[1]), list(columns) or range(matrix.shape[1]))
        axes.set_yticks(range(matrix.shape[0]), list(rows) or range(matrix.shape[0]))
        axes.tick_params(length=0, labelsize=8)
        axes.set_xlabel(column_axis)
        axes.set_ylabel(row_axis)
        axes.spines[:].set_visible(False)
        if digits is None:
            return
        for r, row in enumerate(values):
            for c, value in enumerate(row):
                red, green, blue, _ = colours((value - low) / (high - low))
                dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.55
                text = f"{value:.{digits}f}"
                axes.text(
                    c, r, text, ha="center", va="center", fontsize=7.5,
                    color="white" if dark else INK,
                )  # fmt: skip
