"""An explorer, and its frames: what a page without a kernel steps through."""

import gzip
import importlib
import json
from base64 import b64decode
from html import unescape

import ipywidgets as widgets
import pytest
import torch

from course.check.compare import compare_text, unzipped
from course.draw.explorer import MOST, Explorer, float_slider, slider, switch
from course.draw.picture import Picture
from tests.conftest import WORDS


def explorer(stops, **controls):
    def render(**state):
        return Picture(f"<svg>{state}</svg>", f"It is {state} </script>")

    return Explorer(render, stops, **controls)


def both(stops):
    return explorer(stops, n=slider("how many", 0, 4, 2), x=float_slider("x", 0.0, 1.0, 0.5, 0.1))


def test_the_picture_follows_every_control():
    shown = both({"n": range(5)})
    assert "{'n': 2, 'x': 0.5}" in unescape(shown.view.value)
    shown.controls["n"].value = 3
    assert "{'n': 3, 'x': 0.5}" in unescape(shown.view.value)
    shown.controls["x"].value = 0.7
    assert "{'n': 3, 'x': 0.7}" in unescape(shown.view.value)
    assert "{'n': 2, 'x': 0.5}" in shown.still.sentence, "what stands still has moved"


@pytest.mark.parametrize("n", [0, 4])
def test_an_explorer_answers_one_question(n):
    with pytest.raises(ValueError, match=f"expected one to three controls, got {n}"):
        explorer({}, **{f"c{i}": slider("n", 0, 4, 2) for i in range(n)})


@pytest.mark.parametrize(
    "stops",
    [
        pytest.param({}, id="none"),
        pytest.param({"x": [0.5]}, id="not the first control"),
        pytest.param({"x": [0.5], "n": [2]}, id="in another order"),
        pytest.param({"n": [0, 4]}, id="without the value now"),
        pytest.param({"n": range(5), "x": [0.0, 1.0]}, id="without the second's value now"),
        pytest.param({"n": range(5), "x": [n / 10 for n in range(9)]}, id="too many"),
    ],
)
def test_stops_that_no_page_can_show_are_refused(stops):
    with pytest.raises(ValueError, match=f"expected stops of the first .* at most {MOST} frames"):
        both(stops)


def test_frames_go_along_the_first_control_and_keep_the_others():
    frames = both({"n": [0, 2, 4]}).frames()
    assert [frame["alt"] for frame in frames] == [
        f"It is {{'n': {n}, 'x': 0.5}} </script>" for n in (0, 2, 4)
    ]


def test_frames_go_along_two_controls_the_second_fastest():
    shown = both({"n": [1, 2], "x": [0.0, 0.5, 1.0]})
    assert [frame["svg"] for frame in shown.frames()] == [
        f"<svg>{{'n': {n}, 'x': {x}}}</svg>" for n in (1, 2) for x in (0.0, 0.5, 1.0)
    ]
    assert shown.still.svg == shown.frames()[1 * 3 + 1]["svg"]


def stored(shown):
    """What a page is given of an explorer: the still figure, and its data."""
    html = shown._repr_mimebundle_()["text/html"]
    still, store = html.split('<script type="application/gzip" class="course-frames">')
    assert store.count("</script>") == 1 and store.endswith("</script>")
    return still, json.loads(gzip.decompress(b64decode(store.removesuffix("</script>"))))


def test_frames_are_drawn_only_where_they_are_stored(monkeypatch):
    monkeypatch.delenv("COURSE_STORED", raising=False)
    shown = both({"n": range(5)})
    assert shown._repr_mimebundle_()["text/html"] == shown.still._repr_html_()


def test_a_switch_begins_at_the_left_like_a_slider():
    assert not switch("training", True).indent


def test_the_frames_are_data_behind_the_still_figure(monkeypatch):
    monkeypatch.setenv("COURSE_STORED", "1")
    shown = explorer(
        {"t": [True, False], "f": ["one", "two"]},
        t=switch("training", True),
        f=widgets.Dropdown(options=["one", "two"], value="two"),
    )
    still, data = stored(shown)
    assert still == shown.still._repr_html_()
    assert data["frames"] == shown.frames()
    assert data["sliders"] == [
        {"label": "training", "stops": ["on", "off"], "at": 0},
        {"label": "f", "stops": ["one", "two"], "at": 1},
    ]
    numbers = stored(both({"n": range(5), "x": [0.0, 0.5, 1.0]}))[1]["sliders"]
    assert [each["stops"] for each in numbers] == [list("01234"), ["0", "0.5", "1"]]


def test_zipped_frames_are_compared_as_what_they_hold(monkeypatch):
    monkeypatch.setenv("COURSE_STORED", "1")

    def page(number):
        shown = Explorer(
            lambda n: Picture(f"<svg><text x='9.5'>{n * number:.2f}</text></svg>", "A number."),
            {"n": range(3)},
            n=slider("n", 0, 2, 0),
        )
        return shown._repr_mimebundle_()["text/html"]

    assert page(0.5) != page(0.505)
    assert compare_text(page(0.5), page(0.505)) is None, "0.50 or 0.51, and 1.00 or 1.01"
    assert "stored 1.00, computed 1.20" in compare_text(page(0.5), page(0.6)).message
    broken = page(0.5).replace("H4sI", "H4sJ")
    assert unzipped(broken) == broken and compare_text(page(0.5), broken)


WEIGHTS = torch.ones(6, 6).tril() / torch.arange(1, 7)[:, None]
ASKED = {  # an explorer that a kernel draws, and what its section asks about
    "00": (lambda c: c.stride_explorer(torch.arange(30).view(2, 3, 5)), ["step", "form"]),
    "01": (lambda c: c.merge_explorer("a b", "ab ab b", [(97, 98), (32, 256)]), ["merges"]),
    "02": (lambda c: c.window_explorer("Your journey starts with one step"), ["start"]),
    "04": (lambda c: c.weight_painter(torch.ones(8, 2)), ["weight", "column"]),
    "09": (lambda c: c.dropout_explorer(WEIGHTS, torch.rand(50, 6, 6), WORDS), ["p", "training"]),
}


@pytest.mark.parametrize("chapter", ASKED)
def test_book_and_decks_step_along_what_the_section_asks_about(chapter, monkeypatch):
    figures = importlib.import_module(f"chapters.ch{chapter}.figures")
    drawn = []

    def picture(figure, sentence):
        drawn.append(figure)
        return Picture("", sentence)

    monkeypatch.setattr(figures, "picture", picture)
    make, asked = ASKED[chapter]
    shown = make(importlib.import_module(f"chapters.ch{chapter}.explorer"))
    assert list(shown.stops) == asked
    first = list(shown.stops[asked[0]])
    ends = [shown.render(**shown.state | {asked[0]: first[n]}).sentence for n in (0, -1)]
    assert ends[0] != ends[1]
    assert not any(figure.get_layout_engine() for figure in drawn), "that doubles the time"
