"""The live explorer of chapter 07: every scale at every size."""

import random

import pytest

from chapters.ch07.explorer import SCALES
from tests.chapters.ch07.live import Row

pytestmark = pytest.mark.browser


def test_every_scale_at_every_size(live_table):
    row, luck = Row(live_table), random.Random(7)
    states = [
        {"power": power, "size": size}
        for power in range(len(SCALES))
        for size in range(len(row.state["sizes"]))
    ]
    others = [
        {"row": [luck.uniform(-3, 3) for _ in range(8)], **luck.choice(states)} for _ in range(40)
    ]
    same = {}
    for state, seen in zip(states + others, row.follow(states + others), strict=True):
        weights = [round(w, 5) for w in seen["weights"]]
        same.setdefault((state["power"], "row" in state), []).append(weights)
    alike = [
        all(each == found[0] for each in found) for (_, other), found in same.items() if not other
    ]
    assert alike == [scale == -0.5 for scale in SCALES.values()], "the answer to its question"
