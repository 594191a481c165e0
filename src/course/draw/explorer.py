"""An explorer is state -> picture: a few controls, a pure `render`, and `observe` between them.

No `interact`, no Output widget: those hang or fail where notebooks run without a person. Where
there is no kernel the first picture stands still in the same place, with its sentence; the book
and the slides step through a few more, the frames.
"""

import json
import os
from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as widgets

from course.draw.picture import Picture


class Explorer(widgets.VBox):
    """Controls above a picture that follows them.

    `render` takes the controls' values by name and returns a Picture. At most three controls: an
    explorer answers one question.
    """

    def __init__(self, render: Callable[..., Picture], **controls: widgets.ValueWidget):
        if not 1 <= len(controls) <= 3:
            raise ValueError(f"expected one to three controls, got {len(controls)}")
        self.render = render
        self.controls = controls
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
        if os.environ.get("COURSE_STORED"):  # refresh and check set it; a live page needs none
            bundle["text/html"] += self._frames_html()
        bundle["text/plain"] = repr(self)
        return bundle

    def frames(self) -> list[dict[str, str]]:
        """Pictures along the first control, the others as they are; one is what stands still."""
        name, control = next(iter(self.controls.items()))
        frames = []
        for label, value in _stops(control):
            shown = self.render(**self.state | {name: value})
            frames.append({"value": label, "svg": shown.svg, "alt": shown.sentence})
        return frames

    def _frames_html(self) -> str:
        """The frames for a page's script, after the still picture; nothing shows without one."""
        name, control = next(iter(self.controls.items()))
        data = {"label": control.description or name, "frames": self.frames()}
        if not data["frames"]:
            return ""
        text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
        return f'<script type="application/json" class="course-frames">{text}</script>'


N_FRAMES = 8


def _stops(control: widgets.ValueWidget) -> list[tuple[str, Any]]:
    """Labels and values to stop at: a list's options, or evenly spaced ones with today's."""
    if hasattr(control, "options"):
        pairs = [o if isinstance(o, tuple) else (o, o) for o in _items(control.options)]
        chosen = _spread(len(pairs), [value for _, value in pairs].index(control.value))
        return [(str(pairs[i][0]), pairs[i][1]) for i in chosen]
    if not hasattr(control, "min"):
        return []
    step = control.step or 1
    count = round((control.max - control.min) / step) + 1
    chosen = _spread(count, round((control.value - control.min) / step))
    whole = isinstance(control.value, int)
    values = [control.min + i * step for i in chosen]
    values = values if whole else [round(value, 10) for value in values]
    return [(f"{value:g}", value) for value in values]


def _items(options: Sequence | dict) -> Sequence:
    return tuple(options.items()) if isinstance(options, dict) else options


def _spread(count: int, present: int) -> list[int]:
    """At most N_FRAMES of `count` places, evenly spaced, the nearest one moved to `present`."""
    if count <= N_FRAMES:
        return list(range(count))
    places = [round(i * (count - 1) / (N_FRAMES - 1)) for i in range(N_FRAMES)]
    places[min(range(N_FRAMES), key=lambda i: abs(places[i] - present))] = present
    return places


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
