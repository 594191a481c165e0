"""The live explorers of chapter 10: cuts into heads by view, and one context of two heads."""

import pytest
import torch

from attention.heads import attention_scores, attention_weights
from attention.masks import causal_mask
from attention.multi_head import split_heads
from chapters.ch10.explorer import heads_explorer, shares, split_by_view, two_heads_explorer
from chapters.ch10.figures import views_sentence
from tests.chapters.live import BOX, Shown
from tests.chapters.threads import Threads
from tests.conftest import WORDS


class Two(Threads):
    """One query that one head asks, or two."""

    NAME = "10 two"
    CONTROLS = {
        "": [((BOX, 0), {"two": True})],
    }  # fmt: skip

    @staticmethod
    def live():
        return two_heads_explorer(WORDS)

    def stir(self):
        self.el.locator(BOX).check()
        yield


class Cuts(Shown):
    """The explorer of chapter 10."""

    NAME = "10"
    CONTROLS = {
        "": [
            ((".presets button", 2), {"heads": 3}), (("tr button", 4), {"row": 4}),
            ((".presets button", 0), {"heads": 1}), (("tr button", 7), {"row": 1}),
        ],
    }  # fmt: skip
    LOOK = """() => {
        const astray = (e) => e.matches(".astray, .wrong");
        return {
            heads: all(".presets button", pressed),
            views: all(".plane", (view) => {
                const here = (kind, read) => all(kind, read, view);
                return {
                    flows: here(".flow", value), late: here(".flow", astray),
                    high: here(".flow", (e) => 54 - attribute("y")(e)), at: here(".flow", attribute("x")),
                    piece: here(".piece", (e) => [attribute("x")(e), value(e)]),
                    digits: here("text.digit", (e) => Number(text(e))), words: here("text.word", text),
                    rows: here("tr button", pressed),
                    shares: here("td[data-value]", value), red: here("td[data-value]", astray),
                };
            }),
        };
    }"""

    @staticmethod
    def live():
        return heads_explorer(WORDS)

    def compare(self, seen):
        """Everything that the page shows, against torch on the state that it should have."""
        H, row, T = self.state["heads"], self.state["row"], len(WORDS)
        q, k = (torch.tensor(self.state[name], dtype=torch.float64)[None] for name in "qk")
        place = torch.arange(T * H)[:, None].expand(-1, 12 // H).reshape(1, T, 12)
        assert seen["heads"] == [n == H for n in (1, 2, 3, 4, 6)]
        both, wide, later = [], 60 / H, torch.arange(T)[:, None] < torch.arange(T)
        for view, split in zip(seen["views"], (split_heads, split_by_view), strict=True):
            pieces = split(place, H)[0, ..., 0]  # (H, T)
            whose = pieces // H
            mask = causal_mask(T)
            weights = attention_weights(attention_scores(*(split(x, H) for x in (q, k))), mask)[0]
            flat = lambda x: x.reshape(-1).tolist()  # noqa: E731
            assert view["flows"] == pytest.approx(flat(weights[:, row]), abs=1e-6)
            assert view["high"] == pytest.approx(flat(50 * weights[:, row]), abs=1e-3)
            assert view["late"] == flat(whose > row)
            assert view["at"] == pytest.approx(flat(pieces * wide + 0.5), abs=1e-3)
            gets = {round(p * wide, 1): h for h in range(H) for p in pieces[h].tolist()}
            assert {round(x - 0.5, 1): h for x, h in view["piece"]} == gets
            assert view["words"] == WORDS
            assert view["digits"] == ([h for h in range(H) for _ in range(T)] if H <= 4 else [])
            mine = shares(q[0], k[0], H, split)
            both.append(mine)
            assert view["shares"] == pytest.approx(flat(mine), abs=1e-6)
            assert view["red"] == flat((mine > 0) & later)
            assert view["rows"] == [t == row for t in range(T)]
        assert seen["says"] == views_sentence(*both, WORDS, H, row, 12)
        return seen
