"""You are here: the picture of the whole, with the part of one chapter lit."""

import re

import pytest
import torch
import torch.nn.functional as F

from attention.batches import get_batch
from course import content
from course.notebooks import chapters
from course.publish.here import here
from tests.conftest import ROOT

WHOLE = """<svg><a data-chapter="00" data-shape="x (T, C)"><rect/><text>a &amp; b</text></a>
<a data-chapter="A1" class="frame"><text>c</text></a></svg>"""


@pytest.fixture
def whole(monkeypatch):
    monkeypatch.setattr(content, "whole", lambda: WHOLE)


def test_the_part_of_a_chapter_is_lit_and_each_leads_to_its_page(whole):
    found = here("00_one.ipynb", ["index.md", "00_one.ipynb", "part/A1_b.ipynb"])
    assert '<a href="00_one.ipynb" tabindex="-1" data-here data-shape="x (T, C)"><rect/>' in found
    assert found.endswith("<p>x (T, C)</p></div>") and "<p>" not in here("A1_b.ipynb", [])
    assert '<a href="part/A1_b.ipynb" tabindex="-1" class="frame">' in found
    assert 'aria-label="You are here: a &amp; b"' in found
    assert '<a data-shape="x (T, C)"><rect/>' in here("A1_b.ipynb", ["A1_b.ipynb"]), (
        "without a page there is no link"
    )


def test_a_page_without_a_part_has_no_picture(whole, monkeypatch):
    assert here("01_two.ipynb", ["01_two.ipynb"]) == here("index.md", []) == ""
    monkeypatch.setattr(content, "whole", lambda: "")
    assert here("00_one.ipynb", ["00_one.ipynb"]) == ""


def test_each_part_leads_to_a_chapter_and_no_chapter_has_two():
    numbers = {path.name[:2] for path in chapters(ROOT) if not path.name.startswith("A")}
    parts = re.findall('<a data-chapter="(.*?)"', content.whole())
    assert len(set(parts)) == len(parts) and set(parts) <= numbers, parts


def test_the_shapes_below_the_picture_are_those_of_tensors():
    """Each axis has a size of its own, and what stands before an arrow is computed with."""
    sizes = {"B": 2, "T": 5, "C": 12, "H": 3, "D": 4, "V": 7, "N": 40, "1": 1}
    B, T, C, H, D, V, N, _ = sizes.values()
    ids, x, y = torch.arange(N) % V, torch.randn(B, T, C), torch.arange(B * T).view(B, T) % V
    square, one, project = torch.randn(T, T), x[0], torch.randn(C, D)
    logits = x @ torch.randn(C, V)
    rows = x.view(B, T, H, D).transpose(1, 2)
    last = logits[:, -1].softmax(dim=-1).multinomial(1)
    batch = get_batch(ids, B, T, torch.Generator().manual_seed(0))
    shown = {
        "00": [y, torch.randn(V, C)[y]], "01": [ids], "02": [ids, batch[0]],
        "03": [logits, y, F.cross_entropy(logits.flatten(0, 1), y.flatten())],
        "04": [square, x, square @ x], "05": [one, one.T, one @ one.T], "06": [one, one @ project],
        "07": [square, square / D**0.5], "08": [square, square.masked_fill(square < 0, 0)],
        "09": [x, x @ project], "10": [x, rows, rows.transpose(1, 2).flatten(2)],
        "11": [x, one, x + one], "12": [x, x + x @ torch.randn(C, C)], "13": [x, logits, last],
        "14": [rows @ rows.mT], "15": [rows, rows[:, :, -1:]], "16": [x, x],
    }  # fmt: skip
    for number, tensors in shown.items():
        (said,) = re.findall(f'data-chapter="{number}" data-shape="(.*?)"', content.whole())
        named = [
            tuple(sizes[axis] for axis in axes.split(", ") if axis)
            for axes in re.findall(r"\(([A-Z1, ]*)\)", said)
        ]
        assert named == [tuple(tensor.shape) for tensor in tensors], said
