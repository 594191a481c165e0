"""An explorer's frames: what a page without a kernel steps through."""

import json
import re
from html import unescape

import ipywidgets as widgets
import pytest

from course.draw.explorer import N_FRAMES, Explorer, float_slider, slider
from course.draw.picture import Picture


def explorer(**controls):
    def render(**state):
        return Picture(f"<svg>{state}</svg>", f"It is {state} </script>")

    return Explorer(render, **controls)


def test_the_picture_follows_every_control():
    shown = explorer(n=slider("n", 0, 4, 2), x=float_slider("x", 0.0, 1.0, 0.5, 0.1))
    assert "{'n': 2, 'x': 0.5}" in unescape(shown.view.value)
    shown.controls["n"].value = 3
    assert "{'n': 3, 'x': 0.5}" in unescape(shown.view.value)
    shown.controls["x"].value = 0.7
    assert "{'n': 3, 'x': 0.7}" in unescape(shown.view.value)
    assert "{'n': 2, 'x': 0.5}" in shown.still.sentence, "what stands still has moved"


@pytest.mark.parametrize("n", [0, 4])
def test_an_explorer_answers_one_question(n):
    with pytest.raises(ValueError, match=f"expected one to three controls, got {n}"):
        explorer(**{f"c{i}": slider("n", 0, 4, 2) for i in range(n)})


@pytest.mark.parametrize("value", (0.15, 0.35, 0.85))
def test_a_fine_slider_stops_where_it_stands(value):
    shown = explorer(x=float_slider("x", 0.0, 1.0, value, 0.05))
    assert shown.still.svg in [frame["svg"] for frame in shown.frames()]
    assert len(shown.frames()) == N_FRAMES


def test_as_many_options_as_frames_are_all_shown():
    options = list("abcdefgh")
    assert len(options) == N_FRAMES
    shown = explorer(k=widgets.Dropdown(options=options, value="b"))
    assert [frame["value"] for frame in shown.frames()] == options


def test_frames_go_along_the_first_control_and_keep_the_others():
    frames = explorer(
        n=slider("how many", 0, 4, 2), x=float_slider("x", 0.0, 1.0, 0.5, 0.1)
    ).frames()
    assert [frame["value"] for frame in frames] == ["0", "1", "2", "3", "4"]
    assert [frame["alt"] for frame in frames] == [
        f"It is {{'n': {n}, 'x': 0.5}} </script>" for n in range(5)
    ]


@pytest.mark.parametrize("value", (0, 1, 40, 333, 1000))
def test_frames_are_evenly_spaced_and_one_is_what_stands_still(value):
    shown = explorer(n=slider("n", 0, 1000, value))
    values = [int(frame["value"]) for frame in shown.frames()]
    assert len(set(values)) == N_FRAMES and values == sorted(values)
    assert value in values
    gaps = [b - a for a, b in zip(values, values[1:], strict=False)]
    assert max(gaps) <= 2 * 1000 / (N_FRAMES - 1)
    assert shown.still.svg in [frame["svg"] for frame in shown.frames()]


def test_frames_of_real_numbers_lie_on_their_steps():
    values = [
        frame["value"] for frame in explorer(x=float_slider("x", 0.0, 0.3, 0.1, 0.1)).frames()
    ]
    assert values == ["0", "0.1", "0.2", "0.3"]


def test_frames_of_a_list_are_its_options():
    pairs = widgets.Dropdown(options=[("one", 1), ("two", 2)], value=2, description="which")
    assert [frame["value"] for frame in explorer(k=pairs).frames()] == ["one", "two"]
    names = widgets.Dropdown(options=["a", "b", "c"], value="b")
    assert [frame["value"] for frame in explorer(k=names).frames()] == ["a", "b", "c"]
    many = widgets.SelectionSlider(options=list("abcdefghijklmnop"), value="d")
    values = [frame["value"] for frame in explorer(k=many).frames()]
    assert len(values) == N_FRAMES and "d" in values


def test_frames_are_drawn_only_where_they_are_stored(monkeypatch):
    monkeypatch.delenv("COURSE_STORED", raising=False)
    shown = explorer(n=slider("how many", 0, 2, 1))
    assert shown._repr_mimebundle_()["text/html"] == shown.still._repr_html_()


def test_the_frames_are_data_behind_the_still_figure(monkeypatch):
    monkeypatch.setenv("COURSE_STORED", "1")
    shown = explorer(n=slider("how many", 0, 2, 1))
    page = shown._repr_mimebundle_()["text/html"]
    still, store = page.split('<script type="application/json" class="course-frames">')
    assert still == shown.still._repr_html_()
    assert store.count("</script>") == 1, "a word of a sentence would end the data"
    data = json.loads(re.fullmatch(r"(.*)</script>", store)[1])
    assert data == {"label": "how many", "frames": shown.frames()}


def test_what_has_no_stops_has_no_frames(monkeypatch):
    monkeypatch.setenv("COURSE_STORED", "1")
    shown = explorer(t=widgets.Text("words", description="t"))
    assert shown.frames() == []
    assert "<script" not in shown._repr_mimebundle_()["text/html"]
