"""The live explorer of chapter 03: the next character, by counts and a temperature."""

import math
import re

import pytest
import torch

from attention.bigram import bigram_counts
from attention.sampling import next_probabilities
from chapters.ch03.explorer import WRITTEN, temperature_explorer, write
from chapters.ch07.figures import entropies
from tests.chapters.bars import KEYS, Bars
from tests.chapters.live import SLIDER, stepped

TEXT = (
    "The quick king said: what did the queen ask of the wizard?\nOf the quiet wizard, sire.\n" * 9
    + "!"
)
VOCAB = sorted(set(TEXT))
COUNTS = bigram_counts(torch.tensor([VOCAB.index(c) for c in TEXT]), len(VOCAB))
MOST = math.ceil(math.log(COUNTS.max()))  # the largest logit that a bar of chapter 03 reaches


class Temperature(Bars):
    """The explorer of chapter 03."""

    NAME = "03"
    CONTROLS = {
        "": [
            ((SLIDER, 0, "=0.4"), {"temperature": 0.4}), (("select", 0, "=5"), {"last": 5}),
            ((".top button", 0), {"seed": 6}), (("select", 0, "=4"), {"last": 4, "moved": {}}),
            ((".handle", 0, "ArrowLeft"), lambda bars: bars.nudge(0, "ArrowLeft")), ((".top button", 1), {"moved": {}}),
        ],
    }  # fmt: skip
    SLOTS = 14
    PRESSED = [(12, key) for key in (*KEYS, *["ArrowDown"] * 30, *["ArrowRight"] * 2)]
    LOOK = """() => {
        return {
            counts: all(".handle", value), gauges: all(".gauge", value),
            told: el.querySelector(".handle").getAttribute("aria-valuetext"),
            names: all(".handle", (e) => e.getAttribute("aria-label")),
            grips: all(".grip", (e) => attribute("y")(e) + 4),
            weights: all("rect.weight[data-value]", value), plain: all(".plain", attribute("height")),
            marks: all(".gauge span", (e) => Number(text(e).split(": ")[1])),
            menu: el.querySelector("select").selectedIndex,
            slider: el.querySelector("input").getAttribute("aria-valuetext"),
        };
    }"""

    @staticmethod
    def live():
        return temperature_explorer(COUNTS, VOCAB, VOCAB.index(" "), seed=5)

    def logits(self):
        """The table that the page should have: as counted, with what was moved."""
        table = torch.zeros(len(VOCAB), len(VOCAB), dtype=torch.float64)
        for i, row in enumerate(self.state["counts"]):
            for j, n in row:
                table[i, j] = n
        was, now = table[self.state["last"]].clone(), table[self.state["last"]]
        for j, n in self.state["moved"].items():
            now[int(j)] = n
        known = torch.where(table.sum(dim=1, keepdim=True) > 0, table, 1)
        return was, now, known.log()

    def compare(self, seen):
        """Everything that the page shows, against torch on the state that it should have."""
        last, degree, moved, seed = (
            self.state[name] for name in ("last", "temperature", "moved", "seed")
        )
        was, now, logits = self.logits()
        p = next_probabilities(logits[last][None], degree)[0]
        plain = was / was.sum() if was.any() else torch.full_like(was, 1 / len(was))
        order = self.order()[:13]
        rest = [1 - float(each[order].sum()) for each in (p, plain)]
        close = dict(abs=1e-6)
        names = self.state["names"]
        assert seen["names"] == [f"logit of {names[j]}" for j in order]
        counts = now[order].tolist()
        assert seen["counts"] == pytest.approx(counts, rel=1e-6)
        unit = (188 - 24) / MOST  # softmax.js: BASE, TOP
        heights = [188 - math.log(n) * unit if n else 197 for n in counts]
        assert seen["grips"] == pytest.approx(heights, abs=1e-3)
        assert seen["weights"] == pytest.approx([*p[order].tolist(), rest[0]], **close)
        shares = [182 * share for share in (*plain[order].tolist(), rest[1])]
        assert seen["plain"] == pytest.approx(shares, abs=1e-3)
        open_, marks = (float(entropies(each)) for each in (p, plain))
        assert seen["gauges"] == pytest.approx([open_, math.exp(open_)], **close)
        assert seen["marks"] == pytest.approx([marks, math.exp(marks)], abs=0.06)
        assert (seen["menu"], seen["slider"]) == (last, f"{degree:.1f}")
        found = re.fullmatch(
            r"After '(.+?)' at temperature ([\d.]+)(?:, with (\d+) logits? moved,)? the most likely next character is "
            r"'(.+?)', with probability ([\d.]+)\. The choice is as uncertain as a choice among ([\d.]+) equally likely characters\. "
            r"A text written at this temperature with seed (\d+): '(.*)'", seen["says"],
        )  # fmt: skip
        says = found.groups()
        assert says[:3] == (names[last], f"{degree:.1f}", f"{len(moved)}" if moved else None)
        assert float(p[names.index(says[3])]) == pytest.approx(float(p.max()), abs=1e-9)
        assert float(says[4]) == pytest.approx(float(p.max()), abs=6e-4)
        assert float(says[5]) == pytest.approx(math.exp(open_), abs=0.06)
        ids = write(logits, last, WRITTEN, degree, seed)
        line = "".join(names[i].replace("\u2423", " ") for i in ids)
        assert (int(says[6]), says[7]) == (seed, line)
        return seen

    def order(self):
        """Which characters the bars stand for."""
        return self.logits()[0].argsort(descending=True, stable=True).tolist()

    def at(self, n):
        return float(self.logits()[1][self.order()[n]].log())

    def put(self, n, z):
        """What the page should have when bar n is here; below 0 its character comes never."""
        count = 0 if z < -1e-9 else math.exp(min(MOST, z))
        self.state["moved"] = self.state["moved"] | {f"{self.order()[n]}": count}

    def pulled(self, down):
        return (188 - down * 230) / ((188 - 24) / MOST)

    def nudge(self, n, key):
        z, falls = self.at(n), key.endswith(("Left", "Down"))
        if z > -math.inf:
            self.put(n, stepped(z, key, 0.01, 0.1))
        elif not falls:
            self.put(n, 0)
