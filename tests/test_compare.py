"""Laws and examples of the comparison: what passes, and beside it what must not."""

import re
from base64 import b64encode
from decimal import Decimal
from io import BytesIO

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from course.check.compare import _extent, compare_image, compare_text, excerpt

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


# Images: figures of matplotlib, at the densities that a course uses.

WEIGHTS = np.random.default_rng(0).dirichlet(np.ones(4), size=4)


def encode(figure, dpi, **options):
    file = BytesIO()
    figure.savefig(file, format="png", dpi=dpi, **options)
    return b64encode(file.getvalue()).decode()


def heat_map(changes=(), labels=True, title="one row per query"):
    figure = Figure(figsize=(4, 3))
    axes = figure.subplots()
    weights = WEIGHTS.copy()
    for at, change in changes:
        weights[at] += change
    axes.imshow(weights, cmap="Blues", vmin=0, vmax=1)
    if labels:
        for (row, column), weight in np.ndenumerate(weights):
            axes.text(column, row, f"{weight:.4f}", ha="center", va="center")
    axes.set_title(title)
    return figure


def bars(change=0.0):
    figure = Figure(figsize=(4, 3))
    axes = figure.subplots()
    axes.bar(range(4), [0.2, 0.5 + change, 0.3, 0.4])
    axes.set_ylim(0, 1)
    return figure


def curve(factor=1.0, **style):
    figure = Figure(figsize=(4, 3))
    axes = figure.subplots()
    x = np.linspace(0, 1, 50)
    axes.plot(x, factor * np.exp(-3 * x), **style)
    axes.set_ylim(0, 1.5)
    return figure


TURNED = [((i, i), 1e-4) for i in range(4)] + [((0, 3), 1e-4), ((3, 0), -1e-4)]


@pytest.mark.parametrize("dpi", [80, 100, 200])
@pytest.mark.parametrize(
    ("stored", "computed"),
    [
        pytest.param(heat_map(), heat_map(), id="the same"),
        pytest.param(heat_map(), heat_map(TURNED), id="six digits turned"),
        pytest.param(
            heat_map(labels=False), heat_map([((2, 2), 0.01)], False), id="colour by 0.01"
        ),
        pytest.param(heat_map(title="loss 2.31"), heat_map(title="loss 2.32"), id="title's digit"),
        pytest.param(bars(), bars(3e-4), id="bar within a pixel"),
        pytest.param(curve(), curve(1.001), id="curve by a thousandth"),
    ],
)
def test_images_that_look_the_same(dpi, stored, computed):
    assert compare_image(encode(stored, dpi), encode(computed, dpi)) is None


@pytest.mark.parametrize("dpi", [80, 100, 200])
@pytest.mark.parametrize(
    ("stored", "computed", "message"),
    [
        pytest.param(heat_map(), Figure(figsize=(4, 3)), "an area around pixel", id="empty"),
        pytest.param(heat_map(), heat_map([((2, 2), 0.04)]), "an area", id="labelled cell"),
        pytest.param(heat_map(labels=False), heat_map([((2, 2), 0.04)], False), "area", id="cell"),
        pytest.param(heat_map(), heat_map(title="the future is hidden"), "pixels", id="title"),
        pytest.param(bars(), bars(0.01), "a stroke of", id="bar by 0.01"),
        pytest.param(curve(), curve(1.05), "pixels changed", id="curve by 0.05"),
        pytest.param(curve(), curve(alpha=0), "pixels changed", id="curve gone"),
        pytest.param(curve(), curve(color="C1"), "pixels changed", id="curve's colour"),
        pytest.param(curve(ls=":"), curve(1.05, ls=":"), "pixels changed", id="dots"),
    ],
)
def test_images_that_do_not(dpi, stored, computed, message):
    deviation = compare_image(encode(stored, dpi), encode(computed, dpi))
    assert deviation.excess == float("inf")
    assert re.search(message, deviation.message)


def test_images_of_another_size_or_transparency():
    deviation = compare_image(encode(bars(), 100), encode(bars(), 101))
    assert deviation.message == "image of (400, 300) pixels became (404, 303)"
    clear = encode(bars(), 100, transparent=True)
    assert "an area" in compare_image(encode(bars(), 100), clear).message


def test_images_inside_html():
    page = '<img width="400" src="data:image/png;base64,{}" alt="0.1250"><script>["{}"]</script>'
    same, turned, other = (encode(heat_map(c), 100) for c in ([], TURNED, [((2, 2), 0.3)]))
    assert compare_text(page.format(same, same), page.format(turned, same)) is None
    for wrong in (page.format(other, same), page.format(same, other)):
        deviation = compare_text(page.format(same, same), wrong)
        assert deviation.message.startswith("image: an area")
    deviation = compare_text(page.format(same, same), page.format(same, ""))
    assert deviation.message == "line 1: text differs"
    assert len(deviation.stored) < 80
    assert compare_text(page.format(same, same), page.replace("400", "401").format(same, same))


def test_svg_is_text_with_numbers():
    path = '<path d="M 10.5 20.3 L {} 30.1"/>'
    assert compare_text(path.format("11.10"), path.format("11.11")) is None
    assert compare_text(path.format("11.10"), path.format("14.10")) is not None


@pytest.mark.parametrize("step", [(0, 1), (1, 0), (1, 1), (1, -1)])
def test_the_extent_of_pixels_is_that_of_the_longest_run_that_touches(step):
    down, across = step
    run = {(40 + n * down, 40 + n * across) for n in range(7)}
    corner = {(0, 0), (0, 1), (1, 0)}
    assert _extent(run | corner) == 7
    assert _extent(corner) == 2
    assert _extent(set()) == 0
