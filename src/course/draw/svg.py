"""Turn matplotlib's drawing into plain SVG: text stays text, colours are roles, numbers are short.

matplotlib's own SVG is three times as long, and its ids and its style sheet would affect the page
around it. Nothing is clipped, so parts of a drawing outside of its axes are visible.
"""

import base64
import html
import io
import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby

import matplotlib.image
import numpy as np
from matplotlib.backend_bases import GraphicsContextBase, RendererBase
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Affine2D, Transform

from course.colours import COLOURS

DPI = 100  # CSS pixels in an inch: a figure of 7.8 inches fills the column of the book
ROW_NAME = "row"  # the gid of a text that names a row of a map
ACROSS = (
    "across"  # the gid of a line between two panels: a narrow page, which stacks panels, hides it
)
LEAST = 12  # CSS pixels of a figure's smallest text, wherever it is shown
SANS, MONO = "DejaVu Sans,Verdana,sans-serif", "DejaVu Sans Mono,Menlo,Consolas,monospace"
COMMANDS = {Path.MOVETO: "M", Path.LINETO: "L", Path.CURVE3: "Q", Path.CURVE4: "C"}
ROLES = {colour.lower(): f"var(--{role})" for role, colour in COLOURS.items()}
_STATED = ";".join(f"--{role}:{colour}" for role, colour in COLOURS.items())
ON_PAPER = f"<style>:root{{{_STATED};background:var(--paper)}}</style>"  # for a picture on its own


def draw(figure: Figure) -> str:
    """Return a figure as one <svg>, with attributes in single quotes, which JSON doesn't escape."""
    renderer = Renderer(*figure.bbox.size)
    renderer.title = figure._suptitle or (figure.axes[0].title if len(figure.axes) == 1 else None)
    figure.draw(renderer)
    return renderer.svg()


class Renderer(RendererBase):
    """Collects what artists draw. Neighbours that look alike share a group.

    Each of several axes is a group of the class `panel`; axes with the same gid share one. A narrow
    page (panels.js) stacks the panels, breaks the title into lines, and names each map's rows.
    """

    title: Text | None = None  # of the whole figure

    def __init__(self, width: float, height: float) -> None:
        super().__init__()
        self.width, self.height = width, height
        self.flip = Affine2D().scale(1, -1).translate(0, height)
        self.parts: list[tuple[int, str, str]] = []  # panel or 0, look, element
        self.panel = self.depth = 0  # of the axes that are drawn now
        self.across = False  # whether the current artist is a line between panels
        self.panels: list[str | int] = []
        self.smallest = math.inf  # font size so far, in pixels

    def svg(self) -> str:
        panel = "<g class='panel'>{}</g>" if len(self.panels) > 1 else "{}"
        parts = sorted(self.parts, key=lambda part: part[0])
        body = "".join(
            panel.format(_grouped(own)) if number else _grouped(own)
            for number, own in groupby(parts, key=lambda part: part[0])
        )
        least = math.ceil(LEAST / self.smallest * self.width)
        size = f"style='--least:{least}px' width='{self.width:.0f}' viewBox='0 0 {self.width:.0f} {self.height:.0f}'"
        return f"<svg xmlns='http://www.w3.org/2000/svg' {size} font-family='{SANS}'>{body}</svg>"

    def open_group(self, s: str, gid: str | None = None) -> None:
        self.across = gid == ACROSS
        if s != "axes":
            return
        self.depth += 1  # axes within axes belong to the same panel
        name = gid or len(self.panels)
        if self.depth == 1:
            if name not in self.panels:
                self.panels.append(name)
            self.panel = self.panels.index(name) + 1

    def close_group(self, s: str) -> None:
        self.across = False
        if s == "axes":
            self.depth -= 1
            self.panel = self.panel if self.depth else 0

    def draw_path(
        self, gc: GraphicsContextBase, path: Path, transform: Transform, rgbFace=None
    ) -> None:
        alpha = gc.get_alpha() if gc.get_forced_alpha() else None
        edge, width = gc.get_rgb(), gc.get_linewidth()
        look = _attributes(fill="none" if rgbFace is None else _role(rgbFace))
        own = _clear("fill", rgbFace, alpha)
        if self.across:
            own += _attributes(**{"class": ACROSS})
        if width and edge[3]:
            look += _attributes(stroke=_role(edge), stroke_width=f"{width:.2g}")
            own += _clear("stroke", edge, alpha)
            if dashes := gc.get_dashes()[1]:
                look += _attributes(stroke_dasharray=" ".join(f"{d:.1f}" for d in dashes))
            if gc.get_capstyle() == "round":
                look += _attributes(stroke_linecap="round")
        elif rgbFace is None:
            return
        steps = path.iter_segments(transform + self.flip, simplify=False)
        line = [
            "z" if code == Path.CLOSEPOLY else f"{COMMANDS[code]} {_numbers(points)}"
            for points, code in steps
        ]
        self._add(look, f"<path d='{' '.join(line)}'{own}/>")

    def draw_text(
        self, gc, x: float, y: float, s: str, prop: FontProperties, angle: float, ismath=False,
        mtext=None,
    ) -> None:  # fmt: skip
        """Anchor a text where it is aligned, so that another font's width doesn't move it."""
        along = {"left": 0.0, "center": 0.5, "right": 1.0}[mtext.get_ha() if mtext else "left"]
        length = self.get_text_width_height_descent(s, prop, ismath)[0] * along
        turn = np.deg2rad(angle)
        x, y = x + length * np.cos(turn), y - length * np.sin(turn)
        look = _attributes(fill=_role(gc.get_rgb()))
        pixels = self.points_to_pixels(prop.get_size_in_points())
        self.smallest = min(self.smallest, pixels)
        look += _attributes(font_size=f"{pixels:.4g}")
        if along:
            look += _attributes(text_anchor="middle" if along == 0.5 else "end")
        if prop.get_weight() in ("bold", 700):
            look += _attributes(font_weight="bold")
        if prop.get_style() == "italic":
            look += _attributes(font_style="italic")
        if "Mono" in prop.get_family()[0]:
            look += _attributes(font_family=MONO)
        where = f"x='{x:.1f}' y='{y:.1f}'"
        if mtext and (mtext is self.title or mtext.get_gid() == ROW_NAME):
            where += _attributes(**{"class": "title" if mtext is self.title else ROW_NAME})
        if angle:
            where += f" transform='rotate({-angle:.1f} {x:.1f} {y:.1f})'"
        self._add(look, f"<text {where}>{html.escape(s, quote=False)}</text>")

    def draw_image(self, gc, x: float, y: float, im: np.ndarray, transform=None) -> None:
        """Draw a map with a pixel for each cell, its first row on top (`interpolation="none"`)."""
        (left, top), (right, bottom) = (transform + self.flip).transform([(0, 0), (1, 1)]) + (
            x,
            -y,
        )
        file = io.BytesIO()
        matplotlib.image.imsave(file, im, format="png", metadata={"Software": None})
        look = _attributes(
            x=f"{left:.1f}", y=f"{top:.1f}", width=f"{right - left:.1f}",
            height=f"{bottom - top:.1f}", preserveAspectRatio="none",
            style="image-rendering:pixelated",
            href="data:image/png;base64," + base64.b64encode(file.getvalue()).decode("ascii"),
        )  # fmt: skip
        self._add("", f"<image{look}/>")

    def _add(self, look: str, what: str) -> None:
        self.parts.append((self.panel, look, what))

    def get_text_width_height_descent(
        self, s: str, prop: FontProperties, ismath: bool
    ) -> tuple[float, float, float]:
        return _size(s, prop.copy(), ismath)

    def points_to_pixels(self, points: float) -> float:
        return points * DPI / 72

    def get_canvas_width_height(self) -> tuple[float, float]:
        return self.width, self.height

    def option_scale_image(self) -> bool:
        return True

    def option_image_nocomposite(self) -> bool:
        return True


def _grouped(parts: Iterable[tuple[int, str, str]]) -> str:
    groups = groupby(parts, key=lambda part: part[1])
    return "".join(f"<g{look}>{''.join(part[2] for part in same)}</g>" for look, same in groups)


@lru_cache(maxsize=4096)
def _size(text: str, font: FontProperties, math: bool) -> tuple[float, float, float]:
    """Measure each text once: a figure that is drawn again repeats most of its texts."""
    return RendererBase.get_text_width_height_descent(Renderer(0, 0), text, font, math)


def _numbers(values: Sequence[float]) -> str:
    return " ".join(f"{value:.1f}" for value in np.ravel(values))


def _clear(name: str, rgb: Sequence[float] | None, alpha: float | None) -> str:
    """A colour's opacity, which isn't part of `look`: it varies too much to form groups."""
    share = 1 if rgb is None else (*rgb, 1)[3] if alpha is None else alpha
    return "" if share == 1 else _attributes(**{f"{name}_opacity": f"{share:.2f}"})


def _role(rgb: Sequence[float]) -> str:
    """A colour's CSS variable. Raises ValueError without a role: dark pages couldn't change it."""
    if (colour := to_hex(rgb[:3])) not in ROLES:
        raise ValueError(
            f"expected a colour of colours.css, got {colour}: take one by its name from "
            "course.draw.picture, and draw within `mpl.rc_context(STYLE)`"
        )
    return ROLES[colour]


def _attributes(**named: str) -> str:
    return "".join(f" {name.replace('_', '-')}='{value}'" for name, value in named.items())
