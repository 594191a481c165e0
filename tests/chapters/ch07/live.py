"""The live explorer of chapter 07: a row of scores, its scale and its weights."""

import math
import re

import pytest
import torch

from attention.heads import attention_weights
from chapters.ch07.explorer import SCALES, scale_explorer
from chapters.ch07.figures import entropies, jacobian_norms
from tests.chapters.bars import KEYS, Bars
from tests.chapters.live import SLIDER, stepped

SIZES = (60, 1024), (60, 8, 1024)


class Row(Bars):
    """The explorer of chapter 07."""

    NAME = "07"
    CONTROLS = {
        "": [((SLIDER, 0, "=1"), {"power": 1}), ((SLIDER, 1, "=2"), {"size": 2})],
    }  # fmt: skip
    SLOTS = 8
    PRESSED = [*((n, "ArrowUp") for n in range(8)), *((5, key) for key in KEYS)]
    LOOK = """() => {
        return {
            scores: all(".handle", value), gauges: all(".gauge", value),
            weights: all("rect.weight[data-value]", value), high: all("rect.weight[data-value]", attribute("height")),
            sliders: all("input", (e) => e.getAttribute("aria-valuetext")),
        };
    }"""

    @staticmethod
    def live():
        draw = torch.Generator().manual_seed(123)
        return scale_explorer(*(torch.randn(*size, generator=draw) for size in SIZES))

    def compare(self, seen):
        """Everything that the page shows, against torch on the state that it should have."""
        d, scale = (
            self.state["sizes"][self.state["size"]],
            SCALES[self.state["powers"][self.state["power"]][0]],
        )
        scores = torch.tensor(self.state["row"], dtype=torch.float64) * d ** (0.5 + scale)
        weights = attention_weights(scores[None])[0]
        entropy, norm = float(entropies(weights)), float(jacobian_norms(weights))
        assert seen["scores"] == pytest.approx(scores.tolist(), rel=1e-6, abs=1e-6)
        assert seen["weights"] == pytest.approx(weights.tolist(), abs=1e-6)
        assert seen["gauges"] == pytest.approx([entropy, norm], abs=1e-6)
        assert seen["high"] == pytest.approx([182 * w for w in weights.tolist()], abs=1e-3)
        assert seen["sliders"] == [self.state["powers"][self.state["power"]][0], f"{d}"]
        found = re.search(
            r"size (\d+), scale .+ = ([\d.]+): .* from (\S+) to (\S+)\. Key (\d) .* weight, ([\d.]+); the entropy is "
            r"([\d.]+), of ([\d.]+) at most, .* norm ([\d.]+), against ([\d.]+) for",
            seen["says"],
        )
        size, factor, low, high, key, largest, *measures = map(float, found.groups())
        assert size == d and factor == pytest.approx(d**scale, rel=1e-3)
        assert (low, high) == pytest.approx((float(scores.min()), float(scores.max())), abs=6e-3)
        assert float(weights[int(key)]) == pytest.approx(float(weights.max()), abs=1e-9)
        T = len(scores)
        wanted = [entropy, math.log(T), norm, math.sqrt(T - 1) / T]
        assert [largest, *measures] == pytest.approx([float(weights.max()), *wanted], abs=6e-5)
        return seen

    def at(self, n):
        """Where bar n stands."""
        return self.state["row"][n]

    def put(self, n, z):
        """What the page should have when bar n is here."""
        self.state["row"] = list(self.state["row"])
        self.state["row"][n] = max(-3, min(3, z))

    def pulled(self, down):
        """Where a bar stands that was pulled to this share of the plane's height."""
        return (115 - down * 230) / (91 / 3)  # softmax.js: middle of the bars, and their unit

    def nudge(self, n, key):
        """What the page should have when a key was pressed on bar n."""
        self.put(n, stepped(self.at(n), key, 0.01, 0.1))
