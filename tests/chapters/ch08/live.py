"""The live explorers of chapter 08: a curtain over a sentence, a mask to paint, and a word of the future."""

import pytest
import torch

from attention.heads import attention_scores
from attention.masks import causal_mask, window_mask
from attention.properties import ripples
from chapters.ch08.explorer import curtain_explorer, future_explorer, mask_painter
from chapters.ch08.figures import curtain_sentence, painted_sentence
from tests.chapters.live import BOX, HELD, SLIDER, Shown
from tests.chapters.threads import Threads
from tests.conftest import WORDS, X, matrices

MASKS = {
    "causal": causal_mask(6),
    "everywhere": torch.ones(6, 6, dtype=torch.bool),
    "diagonal=-1": causal_mask(6).tril(-1),
    "window of 3": window_mask(6, 3),
}


class Future(Threads):
    """A word that is dragged where it must not be heard, before softmax or after it."""

    NAME = "08 future"
    DEAF = True  # the arrow is the key of a word that isn't heard
    CONTROLS = {
        "": [((BOX, 0), {"late": True}), ((HELD, 3), {"row": 3})],
    }  # fmt: skip

    @staticmethod
    def live():
        return future_explorer(WORDS)

    def stir(self):
        self.el.locator(BOX).check()
        self.el.locator("[data-cell='4 5']").click()  # a cell of the future: red
        yield


class Painter(Shown):
    """The explorer of chapter 08."""

    NAME = "08"
    LOOK = """() => {
        return {
            weights: all("[data-cell]", value), open: all("[data-cell]", pressed),
            sums: all("td:not(:has(> button)):last-child[data-value]", value).slice(0, 6),
            table: all("table + table td[data-value]", value), wrong: all("table + table td[data-value]", wrong),
            reached: all("[data-cell][tabindex='0']", (e) => e.dataset.cell),
            presets: all(".presets button", pressed),
        };
    }"""

    @staticmethod
    def live():
        return mask_painter(X, *matrices(), WORDS, MASKS)

    def compare(self, seen):
        """Everything that the page shows, against torch on the mask that it should have."""
        mask = torch.tensor(self.state["mask"])
        x, W_q, W_k, W_v = (
            torch.tensor(self.state[name], dtype=torch.float64)
            for name in ("x", "W_q", "W_k", "W_v")
        )

        def weights(x):
            scores = attention_scores(x @ W_q, x @ W_k)
            return torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1)

        table = ripples(lambda x: weights(x) @ (x @ W_v), x)
        close = dict(abs=1e-6, nan_ok=True)
        assert seen["weights"] == pytest.approx(weights(x).view(-1).tolist(), **close)
        assert seen["sums"] == pytest.approx(weights(x).sum(dim=-1).tolist(), **close)
        assert seen["table"] == pytest.approx(table.reshape(-1).tolist(), **close)
        assert seen["open"] == mask.view(-1).tolist()
        assert seen["wrong"] == (table.triu(1) > 1e-5).reshape(-1).tolist()
        assert seen["presets"] == [torch.equal(mask, each) for each in MASKS.values()]
        assert seen["says"] == painted_sentence(mask, table, WORDS)
        return seen


class Curtain(Shown):
    """The curtain of chapter 08."""

    NAME = "08 curtain"
    CONTROLS = {
        "": [
            ((SLIDER, 0, "=2"), {"at": 2}), ((HELD, 5), {"row": 5}), ((SLIDER, 0, "=4"), {"at": 4}),
            ((HELD, 6), {"row": 6}), ((SLIDER, 0, "=0"), {"at": 0}), ((HELD, 0), {"row": 0}),
        ],
    }  # fmt: skip
    LOOK = """() => {
        const seen = (e) => e.checkVisibility({ visibilityProperty: true }), edge = el.querySelector(".handle");
        const middle = (e) => { const { left, width } = e.getBoundingClientRect(); return left + width / 2; };
        return {
            words: all(".word", (e) => [text(e.children[0]), seen(e.children[0]), wrong(e), text(e.children[1])]),
            before: all(".word", (e) => middle(e) < middle(edge)),
            edge: [edge.ariaValueNow, edge.ariaValueText], slider: all("input", (e) => [e.value, e.getAttribute("aria-valuetext")]),
            mask: all(".mask tbody td", (e) => [text(e), wrong(e)]),
            rows: all(".mask tbody tr", (e) => [e.matches(".held"), pressed(e.querySelector("button"))]),
            twin: all(".twin td[data-value]", (e) => [value(e), text(e)]),
            bars: all(".twin td[data-value]", (e) => Number(e.style.getPropertyValue("--weight"))),
            written: all("samp > *", text),
        };
    }"""

    @staticmethod
    def live():
        return curtain_explorer()

    def compare(self, seen):
        """Everything that the page shows, against torch and the stored runs."""
        words, row, at = self.state["words"], self.state["row"], self.state["at"]
        twin, honest = self.state["twins"][at], self.state["twins"][1]
        T, k = len(words), twin["diagonal"]
        mask = torch.ones(T, T).tril(T if k is None else k).bool()
        ahead = mask & torch.ones(T, T).triu(1).bool()
        line = zip(words, mask[row].tolist(), ahead[row].tolist(), strict=True)
        assert [each[:3] for each in seen["words"]] == [list(each) for each in line]
        notes = ["leak!" if leaks else "" for leaks in ahead[row].tolist()]
        notes[row + 1 : row + 2] = ["answer!" if ahead[row].any() else "to guess"][: T - 1 - row]
        notes[row] = "looks"
        assert [each[3] for each in seen["words"]] == notes
        assert seen["before"] == mask[row].tolist(), "the edge is behind the last that is seen"
        name = "no mask" if k is None else f"diagonal={k}"
        assert seen["edge"] == [f"{at}", name] and seen["slider"] == [[f"{at}", name]]
        signs = [
            ["!" if leaks else "\u2713" if is_ else "\u2013", leaks]
            for is_, leaks in zip(mask.view(-1).tolist(), ahead.view(-1).tolist(), strict=True)
        ]
        assert seen["mask"] == signs
        assert seen["rows"] == [[t == row] * 2 for t in range(T)]
        most = max(max(each["alone"]) for each in self.state["twins"])
        cells = [
            (one[what], what) for what in ("training", "alone", "formed") for one in (twin, honest)
        ]
        for (number, told), bar, (runs, what) in zip(
            seen["twin"], seen["bars"], cells, strict=True
        ):
            mean = sum(runs) / len(runs)
            assert number == pytest.approx(mean)
            assert bar == pytest.approx(mean / (100 if what == "formed" else most))
            digits = 0 if what == "formed" else 4
            low, high = min(runs), max(runs)
            assert told == f"{mean:.{digits}f}\n({low:.{digits}f}\u2013{high:.{digits}f})"
        assert seen["written"] == [twin["text"][: twin["read"]], twin["text"][twin["read"] :]]
        assert seen["says"] == curtain_sentence(words, row, twin, 100)
        return seen

    def stir(self):
        change = "e => { e.value = 2; e.dispatchEvent(new Event('input')); }"
        self.el.locator(SLIDER).evaluate(change)
        yield
