"""An explorer is state -> picture: a few controls, a pure `render`, and `observe` between them.

No `interact`, no Output widget: those hang or fail where notebooks run without a person. Where
there is no kernel the first picture stands still in the same place, with its sentence.
"""

from collections.abc import Callable, Sequence

import ipywidgets as widgets

from course.figures.picture import Picture


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
        bundle["text/plain"] = repr(self)
        return bundle


def slider(label: str, low: int, high: int, value: int, step: int = 1) -> widgets.IntSlider:
    """An integer slider with room for its label."""
    return widgets.IntSlider(value, low, high, step, description=label, **_ROOM)


def float_slider(label: str, low: float, high: float, value: float, step: float):
    """A slider of real numbers with room for its label."""
    return widgets.FloatSlider(value, min=low, max=high, step=step, description=label, **_ROOM)


def choice(label: str, options: Sequence, value) -> widgets.Dropdown:
    """A list to choose from: values, or pairs of a name and a value."""
    return widgets.Dropdown(options=list(options), value=value, description=label, **_ROOM)


def switch(label: str, value: bool) -> widgets.Checkbox:
    """A box to tick."""
    return widgets.Checkbox(value, description=label, indent=False)


_ROOM = {
    "style": {"description_width": "initial"},
    "layout": widgets.Layout(width="420px"),
}
