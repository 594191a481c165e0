"""Chapter 00's figures and explorer say what is true of the tensors they show."""

import html
import re

import pytest
import torch

from chapters.ch00 import figures
from chapters.ch00.explorer import stride_explorer
from chapters.ch00.figures import (
    axes_figure,
    axis_names,
    indices_figure,
    mixing_figure,
    strides_figure,
    sums_figure,
)
from course.draw.picture import Picture

X = torch.randint(0, 10, (2, 3, 5), generator=torch.Generator().manual_seed(1337))
WORDS = [["Your", "journey", "starts"], ["with", "one", "step"]]
FORMS = {
    "x": X.clone(),
    "x.transpose(-2, -1)": X.transpose(-2, -1).contiguous(),
    "x.view(2, 5, 3)": X.clone().reshape(2, 5, 3),
}  # copies: nothing here knows the strides that the explorer reads
STEP = re.compile(
    r"(?P<name>x(?:\.\w+\([-\d, ]+\))?) has the strides \((?P<strides>[\d, ]+)\)\. Its entry "
    r"\[(?P<index>[\d, ]+)\], visit (?P<step>\d+) in reading order, is the (?P<value>\d) at place "
    r"(?P<place>\d+) in memory: (?P<sum>.+?) = (?P<total>\d+)\."
)


def integers(text):
    return [int(part) for part in re.findall(r"-?\d+", text)]


@pytest.fixture
def quick(monkeypatch):
    """No image, and no row of memory, which is the same in every state: 90 states in seconds."""
    monkeypatch.setattr(figures, "picture", lambda figure, says: Picture("", says))
    monkeypatch.setattr(figures, "_memory", lambda axes, x: None)


def test_every_stop_of_every_walk(quick):
    explorer = stride_explorer(X)
    memory = X.flatten().tolist()
    form, step = explorer.controls["form"], explorer.controls["step"]
    assert list(form.options) == list(FORMS) and (step.min, step.max) == (0, 29)
    for name, copy in FORMS.items():
        form.value = name
        places = []
        for n in range(step.min, step.max + 1):
            step.value = n
            says = html.unescape(explorer.view.value.rpartition("<figcaption>")[2])
            found = STEP.match(says)
            index, strides = integers(found["index"]), integers(found["strides"])
            assert (found["name"], int(found["step"])) == (name, n)
            assert copy[tuple(index)] == copy.flatten()[n] == int(found["value"])
            assert memory[int(found["place"])] == int(found["value"])
            assert found["place"] == found["total"]
            assert integers(found["sum"]) == [
                number for pair in zip(index, strides, strict=True) for number in pair
            ]
            places.append(int(found["place"]))
            jumps = sorted({b - a for a, b in zip(places, places[1:], strict=False)})
            walked = re.search(r"jumps by (.*?)\.", says)
            assert integers(walked[1] if walked else "") == jumps
            assert ("mix positions" in says) == (name == "x.view(2, 5, 3)")
        assert sorted(places) == list(range(30))


def test_the_transpose_walks_across_the_positions(quick):
    explorer = stride_explorer(X)
    places = [
        int(STEP.match(explorer.render("x.transpose(-2, -1)", n).sentence)["place"])
        for n in (0, 1, 2, 3, 8, 9, 10, 11)
    ]
    assert places == [0, 5, 10, 1, 12, 3, 8, 13]


def test_a_picture_changes_with_each_control():
    render = stride_explorer(X).render
    pictures = {render("x", 0).svg, render("x", 1).svg, render("x.view(2, 5, 3)", 1).svg}
    assert len(pictures) == 3
    assert render("x", 1).svg in pictures


def test_an_axis_keeps_its_name_while_its_size_and_stride_stay():
    assert axis_names(X, X) == ["B", "T", "C"]
    assert axis_names(X, X.transpose(-2, -1)) == ["B", "C", "T"]
    assert axis_names(X, X.transpose(0, 1)) == ["T", "B", "C"]
    assert axis_names(X, X.view(2, 5, 3)) == ["B", "", ""]


def test_the_legend_names_sizes_and_a_row():
    says = axes_figure(X, WORDS).sentence
    for part in ("2 pages", "3 rows", "5 columns", f"'with', x[1, 0], is {X[1, 0].tolist()}"):
        assert part in says


def test_an_index_is_drawn_with_what_it_takes_and_the_shape_that_is_left():
    says = indices_figure(X, "x[1, 0]", "x[:, 0]", "x[:, 0:1]").sentence
    assert "Of the 30 numbers of x, x[1, 0] takes 5 and has the shape (5,)" in says
    assert "x[:, 0] takes 10 and has the shape (2, 5)" in says
    assert says.endswith("x[:, 0:1] takes 10 and has the shape (2, 1, 5).")


def test_each_sum_keeps_two_axes_and_adds_up_the_numbers_of_the_third():
    says = sums_figure(X).sentence
    for dim, index in enumerate([(slice(None), 0, 0), (0, slice(None), 0), (0, 0)]):
        shape, added = tuple(X.sum(dim=dim).shape), X[index].tolist()
        made = f"{' + '.join(map(str, added))} = {sum(added)}"
        assert f"with dim={dim} the shape is {shape}, and the first number is {made}" in says
    assert f"one number for each word: {X.sum(dim=2).tolist()}." in says


def test_a_matrix_on_the_right_mixes_channels_and_one_on_the_left_mixes_words():
    right, left = (
        torch.tensor([[1, 0]] * 3 + [[1, 1], [1, 0]]),
        torch.ones(3, 3, dtype=torch.int64),
    )
    says = mixing_figure(X[0], right, left, WORDS[0]).sentence
    assert f"'Your' becomes [{int(X[0, 0].sum())}, {int(X[0, 0, 3])}]" in says
    assert f"the first row becomes {X[0].sum(dim=0).tolist()}" in says
    other = mixing_figure(X[0], right, left.tril(), WORDS[0]).sentence
    assert f"the first row becomes {X[0, 0].tolist()}" in other


@pytest.mark.parametrize("shape", [(2, 3, 5), (2, 5, 3), (1, 7, 2)])
def test_the_strides_are_products_of_the_sizes_behind(shape):
    _, T, C = shape
    says = strides_figure(torch.zeros(shape, dtype=torch.int64)).sentence
    assert f"B {T * C}, T {C}, C 1." in says
    assert f"number {T * C} b + {C} t + 1 c" in says
