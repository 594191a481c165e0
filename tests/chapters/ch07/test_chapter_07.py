"""Chapter 07: the numbers that its figures and its explorer state."""

import math
import re

import pytest
import torch

from chapters.ch07.explorer import SCALES, scale_explorer
from chapters.ch07.figures import (
    cloud_figure,
    curves_of,
    entropies,
    jacobian_norms,
    scaling_figure,
)
from tests.chapters.conftest import says


@pytest.fixture
def vectors():
    draw = torch.Generator().manual_seed(3)
    return torch.randn(50, 256, generator=draw), torch.randn(50, 7, 256, generator=draw)


def slow_entropy(row: list[float]) -> float:
    return -sum(w * math.log(w) for w in row if w > 0)


def slow_norm(row: list[float]) -> float:
    cells = (
        (w if i == j else 0.0) - w * other
        for i, w in enumerate(row)
        for j, other in enumerate(row)
    )
    return math.sqrt(sum(cell**2 for cell in cells))


def slow_softmax(scores: list[float]) -> list[float]:
    shares = [math.exp(score - max(scores)) for score in scores]
    return [share / sum(shares) for share in shares]


def median(numbers: list[float]) -> float:
    return sorted(numbers)[(len(numbers) - 1) // 2]  # the lower one of two, as torch has it


def test_entropy_and_norm_are_those_of_the_definition():
    weights = torch.rand(3, 5, 7, generator=torch.Generator().manual_seed(1)).softmax(dim=-1)
    rows = [row.tolist() for row in weights.reshape(-1, 7)]
    assert entropies(weights).flatten().tolist() == pytest.approx(
        [slow_entropy(row) for row in rows], abs=1e-5
    )
    assert jacobian_norms(weights).flatten().tolist() == pytest.approx(
        [slow_norm(row) for row in rows], abs=1e-5
    )


def test_one_hot_rows_have_no_entropy_and_no_slope():
    one_hot = torch.eye(3)
    assert entropies(one_hot).tolist() == jacobian_norms(one_hot).tolist() == [0.0] * 3
    assert "-0" not in f"{float(entropies(one_hot)[0]):.2f}"


def test_curves_start_at_equal_weights_and_end_at_nothing():
    scores = torch.randn(101, 5, generator=torch.Generator().manual_seed(2))
    spreads, entropy, norm = curves_of(torch.tensor([0.0, 1.0, 1000.0]), scores)
    assert float(entropy[0]) == pytest.approx(math.log(5), abs=1e-5)
    assert float(norm[0]) == pytest.approx(math.sqrt(1 / 5 * (1 - 1 / 5)), abs=1e-5)
    rows = [slow_softmax(row) for row in scores.tolist()]
    assert float(entropy[1]) == pytest.approx(median(list(map(slow_entropy, rows))), abs=1e-5)
    assert float(norm[1]) == pytest.approx(median(list(map(slow_norm, rows))), abs=1e-5)
    assert float(entropy[2]) < 1e-3 and float(norm[2]) < 1e-3


def test_cloud_figure_states_the_spread_of_each_size(no_pixels):
    sentence = cloud_figure(
        {1: torch.tensor([-1.0, 0.0, 1.0]), 9: torch.tensor([-6.0, 0.0, 6.0])}
    ).sentence
    assert "without a scale, their standard deviation is 1.00 at d = 1, 6.00 at d = 9." in sentence
    assert "times 1/√d, it is 1.00 at d = 1, 2.00 at d = 9." in sentence


def test_scaling_figure_states_its_tensors(no_pixels):
    spreads = torch.tensor([0.0, 0.5, 1.0, 40.0])
    sentence = scaling_figure(
        torch.tensor([1, 4, 16, 64]),
        torch.tensor([0.9, 4.4, 15.0, 70.0]),
        torch.tensor([0.9, 1.1, 0.94, 1.09]),
        spreads,
        torch.tensor([2.0, 1.75, 1.5, 0.25]),
        torch.tensor([0.33, 0.35, 0.36, 0.03]),
    ).sentence
    assert "from 0.90 at d = 1 to 70 at d = 64" in sentence
    assert "stays between 0.90 and 1.10" in sentence
    assert "2.00 and 0.33 at a spread of 0 (equal weights)" in sentence
    assert "1.50 and 0.36 at a spread of 1, 0.25 and 0.03 at a spread of 40." in sentence


def check_sentence(sentence: str, q, k, d: int, name: str) -> str:
    """Every number of the sentence against a slow computation; the key that is named."""
    factor = {"1/d": 1 / d, "1/√d": 1 / math.sqrt(d), "1 (no scale)": 1.0}.get(name, math.sqrt(d))
    scores = torch.einsum("nd,ntd->nt", q[:, :d].double(), k[:, :, :d].double()) * factor
    rows = [slow_softmax(row) for row in scores.tolist()]
    flat = scores.flatten().tolist()
    mean = sum(flat) / len(flat)
    deviation = math.sqrt(sum((s - mean) ** 2 for s in flat) / (len(flat) - 1))
    law = factor * math.sqrt(d)
    assert deviation == pytest.approx(law, rel=0.25)  # the law itself
    says(sentence, f"With head size {d} and scale {name.split()[0]} = {factor:.4g},")
    says(sentence, f"have the standard deviation {deviation:.4g}; the law gives {law:.4g}.")
    entropy, norm = (median(list(map(measure, rows))) for measure in (slow_entropy, slow_norm))
    most, equal = math.log(7), math.sqrt(6) / 7
    says(
        sentence,
        f"Over many rows of 7 the median entropy is {entropy:f} (at most {most:f}), and the median norm",
    )
    says(sentence, f"norm of the Jacobian is {norm:f}, compared with {equal:f} for equal weights.")
    largest, key = re.search(r"its largest weight, ([\d.]+), to key (\d)\.", sentence).groups()
    best = [(max(row), row.index(max(row))) for row in rows]
    assert any(abs(w - float(largest)) <= 6e-3 and n == int(key) for w, n in best)
    return key


def test_explorer_starts_unscaled_with_a_typical_row(no_pixels, vectors):
    q, k = vectors
    before = q.clone(), k.clone()
    explorer = scale_explorer(q, k)
    state = explorer.state
    assert list(SCALES) == [name for name, _ in state["powers"]]
    assert (state["sizes"][state["size"]], list(SCALES)[state["power"]]) == (64, "1 (no scale)")
    key = check_sentence(explorer.still.sentence, q, k, 64, "1 (no scale)")
    assert state["row"].index(max(state["row"])) == int(key)
    rows = (torch.einsum("nd,ntd->nt", q[:, :64], k[:, :, :64]) / 8).tolist()
    assert min(math.dist(row, state["row"]) for row in rows) < 1e-5
    assert torch.equal(q, before[0]) and torch.equal(k, before[1])
