"""Laws and examples of the comparison: what passes, and beside it what must not."""

import re
from base64 import b64decode, b64encode
from decimal import Decimal
from io import BytesIO

import matplotlib as mpl
import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from matplotlib.image import imsave

from course.check.compare import SHADE, SVG, compare_image, compare_text, excerpt
from course.draw.picture import KEY, QUERY, STYLE, canvas, heat_map, picture

SAME = [
    ("0.1250", "0.1251"),  # one unit of the last place, in both directions
    ("0.1251", "0.1250"),
    ("2.31", "2.32"),
    ("1234.5678", "1235.5"),  # a relative 1e-3
    ("tensor([-0.0000, 0.5000])", "tensor([0.0000, 0.5000])"),
    ("tensor([-0., 1.])", "tensor([0., 1.])"),
    ("-0", "0"),
    ("tensor([[ 0.1000,  0.2000],\n        [-0.0000,  0.4]])",
     "tensor([[0.1000, 0.2000],\n        [0.0000, 0.4]])"),
    ("0.1,\n        0.2", "0.1, 0.2"),  # torch breaks lines by the width of its numbers
    ("tensor([0.1], grad_fn=<A>)", "tensor([0.1],\n       grad_fn=<A>)"),
    ("tensor([6., 7.])", "tensor([6.0000, 6.9999])"),
    ("1.2345e-08", "1.2346e-08"),
    ("9.9999e-01", "1.0000"),
    ("1e-05", "1.0005e-05"),
    ("difference 0.0", "difference 2.98e-08"),
    ("0.3", "0.30000000000000004"),
    (".5", "0.5"),
    ("0.25%", "0.26%"),
    ("nan inf -inf", "nan inf -inf"),
    ("lr=1e-3, loss 2.3126\n", "lr=1e-3, loss 2.3127\n"),
    ('<rect width="12.50">', '<rect width="12.51">'),
]  # fmt: skip
DIFFERENT = [
    ("0.1250", "0.1252"),
    ("0.1250", "-0.1250"),
    ("0.5000", "0.5234"),
    ("0.5", "0.5234"),  # a rounded 0.5000
    ("6.", "7."),  # no place after the point to be one unit off
    ("vocabulary of 1024.", "vocabulary of 1025."),
    ("1e-05", "2e-05"),
    ("1.2345e-08", "1.2345e-07"),
    ("65", "66"),
    ("100000", "100001"),
    ("6", "6.0"),  # an integer became a float
    ("6.0", "6"),
    ("torch.Size([4, 8])", "torch.Size([4, 9])"),
    ("torch.Size([4, 8])", "torch.Size([8, 4])"),
    ("torch.Size([4, 8])", "torch.Size([4, 8, 1])"),
    ("1,115,394", "1,115,393"),
    ("2026-01-02", "2026-01-03"),
    ("12:30:05", "12:30:06"),
    ("torch 2.13.0", "torch 2.13.1"),
    ("torch 2.13.0", "torch 2.14.0"),
    ("float32", "float64"),
    ("x1", "x2"),
    ("3x3", "3x4"),
    ("h_0.5", "h_0.6"),
    ("0x7f01", "0x7f02"),
    ("#9999e1", "#9998e1"),  # a colour, not a float
    ("#000001", "#000002"),
    ("abc 4e82345719", "abc 4e82345718"),
    ("1.64x", "1.65x"),
    ("0.5", "nan"),
    ("nan", "0.5"),
    ("inf", "-inf"),
    ("loss 0.5", "Loss 0.5"),
    ("a  b", "a b"),
    ("To be,\nor not", "To be, or not"),
    ("abc", "abc\n"),
    ("5 heads", "5heads"),
    ("1 2", "12"),
    ("True", "False"),
    ("", "0.5"),
]


@pytest.mark.parametrize(("stored", "computed"), SAME)
def test_same(stored, computed):
    assert compare_text(stored, computed) is None


@pytest.mark.parametrize(("stored", "computed"), DIFFERENT)
def test_different(stored, computed):
    assert compare_text(stored, computed) is not None


@pytest.mark.parametrize("computed", ["0.4141", "0.4093"])
def test_a_tolerance_widens_for_floats_alone(computed):
    assert compare_text("0.4133 5", f"{computed} 5", rtol=1e-2) is None
    assert compare_text("0.4133 5", f"{computed} 5", atol=0.005) is None
    assert compare_text("0.4133 5", f"{computed} 6", rtol=1, atol=9) is not None
    assert compare_text("0.4133", "0.4341", rtol=1e-2) is not None
    assert compare_text("6.", "7.", atol=1.0) is None


def test_reports_the_largest_deviation_and_its_line():
    deviation = compare_text("a 0.50\nb 0.4133 c\nd 7.10", "a 0.52\nb 0.4933 c\nd 7.13")
    assert deviation.message == (
        "line 2: largest deviation 0.0800 (stored 0.4133, computed 0.4933, allowed 0.0004133)"
    )
    assert deviation.stored == repr("b 0.4133 c\n")
    assert deviation.computed == repr("b 0.4933 c\n")
    assert deviation.excess == pytest.approx(0.08 / 0.0004133)


def test_reports_where_text_differs():
    deviation = compare_text("one 1.0\ntwo three\n", "one  1.0\ntwo trees\n")
    assert deviation.message == "line 2: text differs"
    assert (deviation.stored, deviation.computed) == (repr("two three\n"), repr("two trees\n"))


def test_reports_an_integer_that_became_a_float():
    assert "allowed both integer or both float" in compare_text("[1]", "[1.0]").message


def test_excerpt_is_short_and_on_one_line():
    text = "first\n" + "x" * 1000 + "\nlast"
    assert excerpt(text, 500) == repr("x" * 72)
    assert excerpt(text, 2) == repr("first\n")
    assert excerpt(text, len(text)) == repr("last")


NUMBERLIKE = st.text("0123456789.eE+-,#x[]() \n")


@given(st.text() | NUMBERLIKE)
def test_law_text_equals_itself(text):
    assert compare_text(text, text) is None


@given(NUMBERLIKE, NUMBERLIKE)
def test_law_order_does_not_matter_to_exact_parts(left, right):
    """And nothing raises, whatever the text."""
    exact = [compare_text(*pair, rtol=0.0) for pair in [(left, right), (right, left)]]
    if not any(set(text) & set(".eE") for text in (left, right)):
        assert (exact[0] is None) == (exact[1] is None)


@given(
    st.sampled_from(
        ["{}", "x = {} done", "[{}, 3]", "torch.Size([2, {}])", "-{}", "{},000", "{}%"]
    ),
    st.integers(0, 10**30).map(str),
    st.data(),
)
def test_law_any_changed_digit_of_an_integer_fails(template, digits, data):
    at = data.draw(st.integers(0, len(digits) - 1))
    other = data.draw(st.sampled_from("0123456789"))
    assume(other != digits[at])
    changed = digits[:at] + other + digits[at + 1 :]
    assert compare_text(template.format(digits), template.format(changed)) is not None


@given(st.integers(-(10**6), 10**6), st.integers(1, 6), st.integers(-9999, 9999))
def test_law_a_float_passes_within_a_unit_or_a_thousandth_and_not_beyond(mantissa, places, steps):
    stored = Decimal(mantissa).scaleb(-places)
    computed = Decimal(mantissa + steps).scaleb(-places)
    near = abs(steps) <= 1 or abs(steps) * 1000 <= abs(mantissa)
    deviation = compare_text(f"tensor({stored:f})", f"tensor({computed:f})")
    assert (deviation is None) == near


@given(st.lists(st.sampled_from(["0.5", "-3", "7.", "1e-3"]), min_size=1), st.data())
def test_law_white_space_around_numbers_is_free(numbers, data):
    blank = st.sampled_from(["", " ", "\n   "])
    spaced = [data.draw(blank) + number + data.draw(blank) for number in numbers]
    assert compare_text(f"[{', '.join(numbers)}]", f"[{','.join(spaced)}]") is None


# Figures, as the cells of a notebook show them, and images.


def shown(change=0.0, title="bars", colour=QUERY):
    """A map with its numbers above bars; one of each is changed."""
    figure, (above, below) = canvas(3, 2)
    weights = torch.tensor([[0.25, 0.75], [0.5 + change, 0.5 - change]], dtype=torch.float64)
    heat_map(above, weights, title=title)
    with mpl.rc_context(STYLE):
        below.bar(range(3), [0.2, 0.5 + change, 0.3], color=colour)
        below.set_ylim(0, 1)
    return picture(figure, "A map and bars.")._repr_html_()


@pytest.mark.parametrize("change", [0.0, 1e-16, 1e-12, 1e-7])
def test_a_last_bit_is_not_seen_in_a_figure(change):
    assert compare_text(shown(), shown(change)) is None


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"change": 0.04}, "largest deviation"),  # a cell, its number and a bar
        ({"title": "bare"}, "text differs"),
        ({"colour": KEY}, "text differs"),
    ],
    ids=["change", "title", "colour"],
)
def test_what_is_seen_in_a_figure_is_compared(changed, message):
    assert message in compare_text(shown(), shown(**changed)).message


def inside(html, edit):
    """The HTML of a figure with its SVG edited."""
    return SVG.sub(
        lambda m: m[0].replace(m[1], b64encode(edit(b64decode(m[1]).decode()).encode()).decode()),
        html,
    )


def test_every_changed_digit_and_every_moved_place_is_red():
    stored = shown()
    svg = b64decode(SVG.search(stored)[1]).decode()
    numbers = [m for m in re.finditer(r"(?<=[ '>])\d+\.\d+(?=[ '<])", svg) if m[0] != "0.0"]
    assert len(numbers) > 60
    for number in numbers:
        moved = f"{float(number[0]) * 1.02 + 0.5:.{len(number[0].partition('.')[2])}f}"

        def edit(svg, number=number, moved=moved):
            return svg[: number.start()] + moved + svg[number.end() :]

        deviation = compare_text(stored, inside(stored, edit))
        assert deviation and number[0] in deviation.message, number


def test_a_figure_within_the_frames_of_an_explorer_is_compared():
    frames = (
        "{{\"svg\": \"\\u003csvg>\\u003ctext x='9.5'>{}\\u003c/text>\\u003cpath d='M {} 8.0'/>\"}}"
    )
    assert compare_text(frames.format("0.12", "60.0"), frames.format("0.12", "60.1")) is None
    assert compare_text(frames.format("0.12", "60.0"), frames.format("0.12", "61.0"))
    assert compare_text(frames.format("0.12", "60.0"), frames.format("0.15", "60.0"))


def test_damaged_frames_are_text():
    stored = 'class="course-frames">H4sI'
    assert compare_text(stored, stored) is None
    assert "text differs" in compare_text(stored, stored.replace("H4", "H5")).message


def pixels(change=0, shape=(6, 8, 4)):
    image, file = np.full(shape, 100, np.uint8), BytesIO()
    image[2, 3] += change
    imsave(file, image, format="png")
    return b64encode(file.getvalue()).decode()


def test_an_image_has_its_pixels():
    page = '<img width="400" src="data:image/png;base64,{}" alt="0.1250"><script>["{}"]</script>'
    for same in (0, SHADE):
        assert compare_image(pixels(), pixels(same)) is None
        assert compare_text(page.format(pixels(), ""), page.format(pixels(same), "")) is None
    off = compare_image(pixels(), pixels(SHADE + 1))
    assert off.message == "image: pixel (3, 2) changed by 3/255" and off.excess == float("inf")
    other = compare_image(pixels(), pixels(shape=(6, 9, 4)))
    assert other.message == "image: (8, 6) pixels became (9, 6)"
    for wrong in (page.format(pixels(9), pixels()), page.format(pixels(), pixels(9))):
        assert compare_text(page.format(pixels(), pixels()), wrong).message.startswith("image: p")
    lost = compare_text(page.format(pixels(), pixels()), page.format(pixels(), ""))
    assert lost.message == "line 1: text differs" and len(lost.stored) < 80
