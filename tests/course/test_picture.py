"""Figures: SVG that is the same whenever it is drawn, lies on any page, and can be read there."""

import re
from base64 import b64decode
from itertools import combinations
from math import dist
from xml.etree import ElementTree

import matplotlib as mpl
import pytest
import torch
from matplotlib.colors import to_hex

from course.check.compare import SVG
from course.colours import COLOURS, CSS, DARK
from course.draw.parts import SHARED
from course.draw.picture import (
    DEEP,
    DEEP_ROLE,
    DEEP_WEIGHT,
    DEEP_X,
    K_CELLS,
    MAPS,
    Q_CELLS,
    QUERY,
    SIGNED,
    SMALL,
    STYLE,
    V_CELLS,
    WEIGHTS,
    WRONG,
    X_CELLS,
    canvas,
    cells,
    headline,
    heat_map,
    picture,
)
from course.draw.svg import ACROSS, LEAST, _size
from course.publish.page import output_html
from course.publish.worksheet import ASSETS
from tests.conftest import ROOT


def drawn(title="a < b & c", **options):
    figure, (left, right) = canvas(2.5, 2)
    heat_map(left, torch.tensor([[0.25, -0.75], [1.0, 0.0]]), title=title, **options)
    with mpl.rc_context(STYLE):
        right.plot([1, 2, 3], "o", color=QUERY)
    return picture(figure, 'It says "a < b".')


def test_equal_figures_give_equal_text():
    assert drawn() == drawn() != drawn(title="other")


def test_words_are_measured_once():
    drawn()
    before = _size.cache_info().misses
    assert drawn() and _size.cache_info().misses == before
    assert drawn(title="words that are new") and _size.cache_info().misses > before


def test_a_figure_is_text_and_shapes_alone():
    svg = drawn().svg
    found = list(ElementTree.fromstring(svg).iter())
    assert {element.tag.rpartition("}")[2] for element in found} == {"svg", "g", "path", "text"}
    words = {element.text for element in found if element.tag.endswith("text")}
    assert {"a < b & c", "0.25", "-0.75"} <= words
    assert not {"id", "clip-path"} & {name for element in found for name in element.attrib}
    assert '"' not in svg and "#" not in svg and "\n" not in svg


def test_only_code_is_in_the_letters_of_code():
    with mpl.rc_context(STYLE):
        figure, (axes,) = canvas(2)
        axes.text(0, 0, "x @ y", family="DejaVu Sans Mono")
        axes.text(0, 1, "plain")
    fonts = {
        text: group for group, text in re.findall(r"<g([^>]*)><text [^>]*>(x @ y|plain)<", picture(figure, "").svg)
    }  # fmt: skip
    assert "DejaVu Sans Mono" in fonts["x @ y"] and "font-family" not in fonts["plain"]


def test_each_of_several_axes_is_a_panel_and_those_of_one_name_are_one():
    assert drawn().svg.count("class='panel'") == 2
    with mpl.rc_context(STYLE):
        figure, (axes,) = canvas(2)
        axes.set_title("alone")
        assert "panel" not in picture(figure, "").svg
        figure, axes = canvas(2, 3)
        for name, ax in zip("abc", axes, strict=True):
            ax.set_gid("other" if name == "b" else "ends")
            ax.set_title(name)
    panels = re.findall(r"<g class='panel'>.*?(?=<g class='panel'>|$)", picture(figure, "").svg)
    assert [[t for t in "abc" if f">{t}<" in panel] for panel in panels] == [["a", "c"], ["b"]]


def test_a_title_and_the_names_of_rows_are_marked_for_a_narrow_page():
    svg = drawn(rows=["Your", "journey"]).svg
    assert re.findall(r"class='row'>(\w+)<", svg) == ["Your", "journey"] and "'title'" not in svg
    figure, (axes,) = canvas(2)
    axes.set_title("alone")
    assert "class='title'>alone<" in picture(figure, "").svg
    figure, _ = canvas(2, 2)
    headline(figure, "of both")
    assert "class='title'>of both<" in picture(figure, "").svg


def test_a_line_from_panel_to_panel_is_marked_for_a_page_that_stacks_them():
    figure, (left, right) = canvas(2, 2)
    with mpl.rc_context(STYLE):
        left.plot([0, 1], [0, 0], color=QUERY, gid=ACROSS)
        right.plot([0, 1], [0, 0], color=QUERY)
    assert len(re.findall(r"<path d='[^']*' class='across'/>", picture(figure, "").svg)) == 1


@pytest.mark.parametrize("angle", [0, 90])
@pytest.mark.parametrize("align, anchor", [("left", None), ("center", "middle"), ("right", "end")])
def test_words_are_anchored_where_they_are_aligned(align, anchor, angle):
    """In a font that is wider or narrower they still begin, end or have their middle there."""
    with mpl.rc_context(STYLE):
        figure, (axes,) = canvas(2)
        turned = {"rotation": angle, "rotation_mode": "anchor"}
        axes.text(0.5, 0.25, "here", ha=align, va="baseline", **turned)
    [(group, x, y)] = re.findall(
        r"<g([^>]*)><text x='([\d.]+)' y='([\d.]+)'[^>]*>here<", picture(figure, "").svg
    )
    place = axes.transData.transform((0.5, 0.25))
    assert (float(x), figure.bbox.height - float(y)) == pytest.approx(tuple(place), abs=0.51)
    assert anchor is None or f"text-anchor='{anchor}'" in group


def test_a_large_map_is_one_image_with_a_pixel_for_each_cell():
    svg = drawn(digits=None).svg
    (image,) = re.findall(r"<image x='[\d.]+' y='[\d.]+' width='([\d.]+)' height='([\d.]+)'", svg)
    assert float(image[0]) == pytest.approx(float(image[1]), abs=0.11) and float(image[0]) > 100


def test_on_its_own_a_picture_has_paper_and_colours_and_on_a_page_those_of_the_page():
    shown = drawn()
    alone = b64decode(SVG.search(shown.src)[1]).decode()
    assert f"--query:{QUERY}" in alone and "background:var(--paper)" in alone
    assert set(re.findall(r"var\(--(\w+)\)", alone)) <= COLOURS.keys()
    page = output_html({"output_type": "display_data", "data": {"text/html": shown._repr_html_()}})
    assert "<style" not in page and "<img" not in page and shown.svg[4:] in page
    assert '<svg role="img" aria-label="It says &quot;a &lt; b&quot;."' in page


def test_a_colour_without_a_role_is_refused():
    figure, (axes,) = canvas(2)
    axes.plot([1, 2], color="#123456")
    with pytest.raises(ValueError, match="expected a colour of colours.css, got #123456"):
        picture(figure, "")


def test_a_map_of_signed_numbers_is_clear_in_its_middle():
    for off in (0, 1e-9, -1e-9):
        assert SIGNED(0.5 + off) == SIGNED(0.5) and SIGNED(0.5)[3] == 0
    assert WEIGHTS(0.0)[3] == 0 and WEIGHTS(1.0)[3] == DEEP_WEIGHT
    assert SIGNED(0.0)[3] == SIGNED(1.0)[3] == DEEP


def test_the_cells_of_a_role_have_its_colour_for_both_signs():
    for tints, role in (
        (X_CELLS, "ink"),
        (Q_CELLS, "query"),
        (K_CELLS, "key"),
        (V_CELLS, "value"),
    ):
        ends = tints(0.0), tints(1.0)
        assert ends[0] == ends[1] and to_hex(ends[0][:3]) == COLOURS[role] and tints(0.5)[3] == 0


def test_the_future_of_a_causal_map_is_red_and_its_past_is_not():
    weights = torch.tensor([[0.6, 0.4, 0.0], [0.5, 0.5, 1e-7], [0.2, 0.3, 0.5]])
    figure, (axes,) = canvas(2)
    cells(axes, weights, causal=True)
    drawn = {
        to_hex(mesh.get_cmap()(1.0)[:3]): (~mesh.get_array().mask).nonzero()
        for mesh in axes.collections
    }
    assert [[*map(int, at)] for at in drawn[WRONG]] == [[0], [1]]
    assert len(drawn[QUERY][0]) == 8
    (box,) = axes.patches
    assert (box.get_xy(), to_hex(box.get_edgecolor())) == ((0.54, -0.46), WRONG)
    cells(axes, weights)
    assert len(axes.collections) == 1 and not axes.patches


STORED = [
    pytest.param(b64decode(svg).decode(), id=f"{path.name[:2]}-{number}")
    for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
    for number, svg in enumerate(SVG.findall(path.read_text(encoding="utf-8")))
]


def test_each_chapter_has_stored_figures():
    for path in sorted((ROOT / "notebooks").glob("[01]*.ipynb")):
        assert SVG.search(path.read_text(encoding="utf-8")), f"{path.name}: course refresh"


@pytest.mark.parametrize("svg", STORED)
def test_every_stored_figure_fills_the_column_and_can_be_read(svg):
    root = ElementTree.fromstring(svg)
    width = int(root.get("width"))
    assert width in (780, 440)  # 440 is the still of the writer, which is alive on a page
    smallest = min(float(g.get("font-size", "99")) for g in root.iter())
    assert smallest >= SMALL * 100 / 72 - 0.1
    least = float(re.search(r"--least:(\d+)px", svg)[1])
    assert LEAST <= smallest * least / width < LEAST + 0.1
    assert "id=" not in svg and not re.search(r"=\'#", svg)


# ---------------------------------------------------------------- the colours of the themes

PAPERS = {
    "light": "#ffffff",
    "rust": "#e1e1db",
    "coal": "#141617",
    "navy": "#161923",
    "ayu": "#0f1419",
}
CLEAR = [
    ("query", DEEP_WEIGHT),
    ("query", DEEP_ROLE),
    ("key", DEEP_ROLE),
    ("value", DEEP_ROLE),
    ("ink", DEEP_X),
    ("below", DEEP),
    ("above", DEEP),
    ("time", 0.42),
    ("wrong", 0.45),
    ("ink", 0.35),
]


def roles(theme):
    """The colours of a theme of the book: those of every page, and what it changes."""
    found = dict(COLOURS)
    for names, block in re.findall(
        r"html(?:\.|:is\()([\w., ()]+?)\)? \{([^}]*)\}", CSS.read_text()
    ):
        if theme in re.findall(r"\w+", names):
            found |= dict(re.findall(r"--([\w-]+): (#\w{6});", block))
    return found


def test_an_explorer_in_a_dark_jupyterlab_has_the_colours_of_the_dark_themes():
    dark = roles("navy")
    assert {role: (COLOURS | DARK)[role] for role in COLOURS} == {
        role: dark[role] for role in COLOURS
    }


def channels(colour):
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


def mixed(colour, paper, share):
    return [share * c + (1 - share) * p for c, p in zip(colour, paper, strict=True)]


def linear(rgb):
    shares = (v / 255 for v in rgb)
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares]


def luminance(rgb):
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear(rgb), strict=True))


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", PAPERS)
def test_every_role_can_be_read_on_the_page_and_ink_on_every_tint(theme):
    paper, found = channels(PAPERS[theme]), roles(theme)
    share = int(re.search(r"course-ask .*--key\) (\d+)%", CSS.read_text())[1]) / 100
    asks = mixed(channels(found["key"]), paper, share)
    for name in ("ink", "faint", "query", "key", "value", "batch", "time", "channel", "wrong"):
        assert contrast(channels(found[name]), paper) >= 4.5, name
        assert contrast(channels(found[name]), asks) >= 4.5, f"{name} in a prediction"
    for name, share in CLEAR:
        tint = mixed(channels(found[name]), paper, share)
        assert contrast(channels(found["ink"]), tint) >= 4.5, f"ink on {name}"
        if name in ("query", "key", "value", "wrong"):  # weights, roles, the future
            tint = mixed(channels(found[name]), asks, share)
            assert contrast(channels(found["ink"]), tint) >= 4.5, f"ink on {name} in a prediction"


BRIGHTER = float(
    re.search(r"figure image \{ filter: brightness\((.*?)\)", (ASSETS / "book.css").read_text())[1]
)
APART = 1.18  # the contrast of the weights 0.09 and 0.23; on a straight scale it would be 1.12


@pytest.mark.parametrize("theme", PAPERS)
@pytest.mark.parametrize("shade", [WEIGHTS, MAPS])
def test_two_weights_of_a_row_can_be_told_apart(theme, shade):
    paper, blue = channels(PAPERS[theme]), channels(roles(theme)["query"])
    if shade is MAPS:  # pixels keep their colour, and the book makes them brighter in the dark
        dark = theme in ("coal", "navy", "ayu")
        blue = [min(255, (BRIGHTER if dark else 1) * c) for c in channels(QUERY)]
    less, more = (mixed(blue, paper, shade(weight)[3]) for weight in (0.09, 0.23))
    assert contrast(less, more) >= APART
    assert contrast(*(mixed(blue, paper, DEEP * weight) for weight in (0.09, 0.23))) < APART


def test_the_explorers_shade_a_weight_as_the_figures_do():
    css, js = (path.read_text(encoding="utf-8") for path in SHARED)
    assert "live.shade = (weight) => Math.sqrt(weight || 0);" in js
    assert WEIGHTS(0.25)[3] == pytest.approx(DEEP_WEIGHT * 0.25**0.5, abs=2e-3)
    deep = {int(share) for share in re.findall(r"calc\((\d+)%? \* var\(--weight(?:, 0)?\)\)", css)}
    assert 100 * DEEP_WEIGHT in deep


# How someone without the cones for green sees linear RGB (Machado, Oliveira and Fernandes 2009, table 1).
DEUTERANOPIA = (
    (0.367322, 0.860646, -0.227968),
    (0.280085, 0.672501, 0.047413),
    (-0.011820, 0.042940, 0.968881),
)
XYZ = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def seen(colour):
    """CIELAB of a colour, as a deuteranope sees it."""
    seen = times(DEUTERANOPIA, linear(channels(colour)))
    light = times(XYZ, [min(1, max(0, c)) for c in seen])
    x, y, z = (
        c ** (1 / 3) if c > 0.008856 else 7.787 * c + 16 / 116
        for c in (part / white for part, white in zip(light, (0.95047, 1, 1.08883), strict=True))
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def test_grey_stays_grey_and_the_old_green_became_one():
    assert seen("#727272") == pytest.approx((48, 0, 0), abs=0.3)
    assert dist(seen("#00825f"), seen("#727272")) < 8  # the values and the axes, before


@pytest.mark.parametrize("theme", PAPERS)
def test_without_cones_for_green_the_roles_and_the_axes_still_differ(theme):
    found = roles(theme)
    for one, other in combinations(("query", "key", "value", "faint", "ink"), 2):
        assert dist(seen(found[one]), seen(found[other])) >= 20, (one, other)
    assert dist(seen(found["below"]), seen(found["above"])) >= 20


def test_red_is_the_colour_of_what_is_wrong_alone():
    red = {n for n, c in COLOURS.items() if channels(c)[0] > 2.5 * max(channels(c)[1:])}
    assert red == {"wrong"} and COLOURS["wrong"] == WRONG


@pytest.mark.parametrize(
    "path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda p: p.name[:2]
)
def test_two_figures_of_a_page_have_two_titles(path):
    drawn = (b64decode(svg).decode() for svg in SVG.findall(path.read_text(encoding="utf-8")))
    titles = [title for svg in drawn for title in re.findall(r"class='title'>([^<]*)<", svg)]
    assert sorted(titles) == sorted(set(titles))
