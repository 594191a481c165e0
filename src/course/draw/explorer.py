"""An explorer turns its state into a picture: controls, a pure `render`, and `observe` to link them.

It uses neither `interact` nor an Output widget, which hang or fail where notebooks run headlessly.
Where there is no kernel, the first picture is shown with its sentence. The book and the slides can
step through further pictures, the frames.
"""

import gzip
import json
import os
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import ipywidgets as widgets
from IPython import get_ipython
from IPython.core.events import EventManager
from IPython.display import display

from course.draw.picture import Picture

MOST = 40  # frames of one explorer


class Explorer(widgets.VBox):
    """Controls above a picture, which is drawn again when one of them changes.

    `render` takes the controls' values by name and returns a Picture. There are at most three, as an
    explorer answers one question, about the first control. `stops` are the values of that control,
    and of the second if the question needs two, for which the book and the slides have a frame.
    """

    def __init__(
        self,
        render: Callable[..., Picture],
        stops: Mapping[str, Sequence],
        **controls: widgets.ValueWidget,
    ):
        if not 1 <= len(controls) <= 3:
            raise ValueError(f"expected one to three controls, got {len(controls)}")
        self.render = render
        self.controls = controls
        self.stops = {name: list(values) for name, values in stops.items()}
        first = [list(controls)[:n] for n in (1, 2)]
        today = all(self.state.get(name) in values for name, values in self.stops.items())
        if list(stops) not in first or not today or prod(map(len, self.stops.values())) > MOST:
            raise ValueError(
                f"expected stops of the first one or two controls, with their present values, "
                f"and at most {MOST} frames, got {self.stops} for {self.state}"
            )
        self.still = render(**self.state)
        self.view = widgets.HTML(self.still._repr_html_())
        for control in controls.values():
            control.observe(self._redraw, names="value")
        super().__init__([*controls.values(), self.view])

    @property
    def state(self) -> dict:
        """The controls' values by name."""
        return {name: control.value for name, control in self.controls.items()}

    def _redraw(self, change) -> None:
        self.view.value = self.render(**self.state)._repr_html_()

    def __repr__(self) -> str:
        return f"[explorer: {', '.join(self.controls)}] {self.still.sentence}"

    def _repr_mimebundle_(self, **kwargs) -> dict:
        bundle = super()._repr_mimebundle_(**kwargs)
        bundle["text/html"] = self.still._repr_html_()
        if os.environ.get("COURSE_STORED"):  # set by refresh and check; live pages need no frames
            bundle["text/html"] += self._frames_html()
        bundle["text/plain"] = repr(self)
        return bundle

    def frames(self) -> list[dict[str, str]]:
        """A picture for each stop, or each pair of stops; other controls keep their values."""
        states = [
            dict(zip(self.stops, each, strict=True)) for each in product(*self.stops.values())
        ]
        shown = [self.render(**self.state | state) for state in states]
        return [{"svg": picture.svg, "alt": picture.sentence} for picture in shown]

    def _frames_html(self) -> str:
        """The frames as data for the page's script, after the still picture; the data are invisible.

        The frames are very similar, so that zipping makes them twenty times smaller.
        """
        sliders = [
            {
                "label": self.controls[name].description or name,
                "stops": [_said(value) for value in values],
                "at": values.index(self.controls[name].value),
            }
            for name, values in self.stops.items()
        ]
        text = json.dumps({"sliders": sliders, "frames": self.frames()}, ensure_ascii=False)
        data = b64encode(gzip.compress(text.encode(), mtime=0)).decode("ascii")
        return f'<script type="application/gzip" class="course-frames">{data}</script>'


def _said(value: Any) -> str:
    """The label of a stop on a slider of the page."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return value if isinstance(value, str) else f"{value:g}"


def follow(draw: Callable[[Sequence], Picture], stays: bool = False) -> Callable[[Any], None]:
    """Return a function that takes one piece of news and draws a new picture of all news so far.

    The picture disappears when the cell ends, because the next cell draws the final one, unless it
    `stays`. Where a notebook runs headlessly, nothing is drawn.
    """
    told: list[Any] = []
    if os.environ.get("COURSE_HEADLESS"):
        return told.append
    view = widgets.HTML()
    display(view)
    if (shell := get_ipython()) and not stays:
        _after_the_cell(shell.events, lambda: setattr(view, "value", ""))

    def watch(news: Any) -> None:
        told.append(news)
        view.value = draw(told)._repr_html_()

    return watch


def _after_the_cell(events: EventManager, end: Callable[[], None]) -> None:
    """Call `end` once, when the cell that is running has ended."""

    def ended(*_) -> None:
        events.unregister("post_run_cell", ended)
        end()

    events.register("post_run_cell", ended)


def slider(label: str, low: int, high: int, value: int, step: int = 1) -> widgets.IntSlider:
    """An integer slider with room for its label."""
    return widgets.IntSlider(value, low, high, step, description=label, **_WITH_LABEL)


def float_slider(label: str, low: float, high: float, value: float, step: float):
    """A slider of real numbers with room for its label."""
    return widgets.FloatSlider(
        value, min=low, max=high, step=step, description=label, **_WITH_LABEL
    )


def choice(label: str, options: Sequence, value) -> widgets.Dropdown:
    """A list to choose from: values, or pairs of a name and a value."""
    return widgets.Dropdown(options=list(options), value=value, description=label, **_WITH_LABEL)


def switch(label: str, value: bool) -> widgets.Checkbox:
    """A box to tick."""
    return widgets.Checkbox(value, description=label, indent=False)


_WITH_LABEL = {
    "style": {"description_width": "initial"},
    "layout": widgets.Layout(width="420px"),
}
