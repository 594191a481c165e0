"""The live explorers of chapter 06: six queries among keys and values, and one head in six beats."""

import math
import re

import pytest
import torch

from attention.heads import attention_scores, attention_weights
from chapters.ch06.explorer import head_explorer, query_explorer
from tests.chapters.live import BOX, HELD, SLIDER, Shown
from tests.chapters.threads import Threads
from tests.conftest import WORDS, X, matrices

LAID_OUT = [  # W_q, W_k, W_v of chapter 06
    torch.tensor(matrix)
    for matrix in (
        [[-2.0, 4.0], [-2.0, -4.0], [3.0, 0.0]],
        [[4.0, -3.0], [4.0, 4.0], [-3.0, 0.0]],
        [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]],
    )
]


class Projected(Threads):
    """Six queries, keys and values, as three matrices project them."""

    NAME = "06"
    CONTROLS = {
        "": [
            ((BOX, 0), {"scaled": False}), ((BOX, 1), {"causal": True}), ((HELD, 3), {"row": 3}),
            (("select", 0, "=4"), {"target": 4}), ((HELD, 1), {"row": 1}), ((BOX, 0), {"scaled": True}),
        ],
    }  # fmt: skip

    @staticmethod
    def live():
        return query_explorer(X, *matrices(), WORDS)

    def stir(self):
        self.drag((0.48, 0.95))
        self.el.locator(BOX).nth(1).check()
        yield


class Beats(Shown):
    """One head in six beats, in chapter 06."""

    NAME = "06 six"
    CONTROLS = {
        "": [
            ((SLIDER, 0, "=9"), {"step": 9}), ((".bar button", 0), {"step": 6}), ((".presets button", 1), {"head": "random"}),
            (("[data-cell]", 30), {"cell": ["v", 3, 0]}), ((".presets button", 0), {"head": "laid out"}),
        ],
        "a number in its table": [  # it is let go where another is filled
            ((SLIDER, 0, "=18"), {"step": 18}), (("[data-cell='table 1 4']", 0), {"cell": ["table", 1, 4]}),
            ((SLIDER, 0, "=20"), {"step": 20}), ((SLIDER, 0, "=26"), {"step": 26}), ((SLIDER, 0, "=7"), {"step": 7}),
            ((".bar button", 4), {"step": 30}), ((".bar button", 5), {"step": 36, "cell": None}),
            (("[data-cell='out 2 1']", 0), {"cell": ["out", 2, 1]}), ((SLIDER, 0, "=33"), {"step": 33}),
            ((SLIDER, 0, "=6"), {"step": 6, "cell": None}), ((SLIDER, 0, "=0"), {"step": 0}),
        ],
    }  # fmt: skip
    LOOK = """() => {
        const kinds = (e) => [...e.querySelectorAll("path")].map((path) => path.getAttribute("class"));
        const tips = (e) => [...e.querySelectorAll("path")].map((path) => path.getAttribute("d").split("L")[1].split(" ").map(Number));
        return {
            cells: all("[data-cell]", (e) => ({
                place: e.dataset.cell, there: !e.disabled, value: value(e), text: text(e), lit: e.matches(".lit"),
                held: pressed(e), tab: e.tabIndex, weight: Number(e.style.getPropertyValue("--weight")), kinds: kinds(e), tips: tips(e),
                label: e.getAttribute("aria-label"),
            })),
            beats: all(".bar button", pressed), heads: all(".presets button", pressed),
            slider: [el.querySelector("input").value, el.querySelector("input").getAttribute("aria-valuetext")],
            names: all(".names", (list) => all(".now", text, list)), now: all(".formula .now", text),
            told: text(el.querySelector(".says p")), sum: text(el.querySelector(".sum")),
            threads: all(".threads path", attribute("stroke-width")), ticks: all(".tick", text),
        };
    }"""
    NAMES = ["project", "compare", "score", "scale", "softmax", "add"]

    @staticmethod
    def live():
        return head_explorer(X, {"laid out": LAID_OUT, "random": matrices()}, WORDS, row=0)

    def tables(self):
        """What the head computes, in float64, by the functions of the package."""
        double = lambda rows: torch.tensor(rows, dtype=torch.float64)  # noqa: E731
        found = {name: double(W) for name, W in self.state["heads"][self.state["head"]].items()}
        found["x"] = x = double(self.state["x"])
        for name in "qkv":
            found[name] = x @ found[f"W_{name}"]
        found["scores"] = attention_scores(found["q"], found["k"], scale=1.0)
        found["scaled"] = attention_scores(found["q"], found["k"])
        found["weights"] = attention_weights(found["scaled"])
        found["out"] = found["weights"] @ found["v"]
        return found | {"again": found["q"], "kT": found["k"].T, "values": found["v"]}

    def rows_done(self, beat):
        """How many rows of this beat, 1 to 6, are done."""
        return max(0, min(6, self.state["step"] - 6 * (beat - 1)))

    def stands(self, row):
        """What a row of the table holds: None, or the name of a beat."""
        done = [self.NAMES[b - 1] for b in (2, 3, 4, 5) if self.rows_done(b) > row]
        return done[-1] if done else None

    def there(self, name, row):
        if name == "table":
            return self.stands(row) is not None
        if name in ("q", "again", "k", "v", "out"):
            return self.rows_done(6 if name == "out" else 1) > row
        return {"kT": self.state["step"] > 6, "values": self.state["step"] > 30}.get(name, True)

    def focus(self, found):
        """Which number is explained: the pressed one if it's there, else one of the row in hand."""
        if self.state["cell"] and self.there(*self.state["cell"][:2]):
            return tuple(self.state["cell"])
        row, beat = self.row_and_beat()
        best = int(found["weights"][row].argmax())
        name = ("x", "q", "table", "table", "table", "table", "out")[beat]
        return name, row, best if name == "table" else 0

    def row_and_beat(self):
        step = self.state["step"]
        return (step - 1) % 6 if step else 0, math.ceil(step / 6)

    def sources(self, name, row, column):
        """The numbers that a number is made of."""
        across = lambda of, n, r: {(of, r, c) for c in range(n)}  # noqa: E731
        down = lambda of, n, c: {(of, r, c) for r in range(n)}  # noqa: E731
        if name in ("q", "again", "k", "v"):
            return across("x", 3, row) | down(f"W_{'q' if name == 'again' else name}", 3, column)
        if name in ("kT", "values"):
            return {("k", column, row) if name == "kT" else ("v", row, column)}
        if name == "out":
            return across("table", 6, row) | down("values", 6, column)
        if name == "table" and self.stands(row) in ("compare", "score"):
            pair = across("q", 2, row) | across("again", 2, row)
            return pair | down("kT", 2, column)
        return (
            across("table", 6, row) if name == "table" and self.stands(row) == "softmax" else set()
        )

    def arithmetic(self, found, name, row, column):
        """How a number is computed, written out."""
        asks = f"'{WORDS[row]}'"
        whole = lambda n: f"{n:.0f}" if n == round(n) else f"{n:.2f}"  # noqa: E731
        close = lambda text: f"({text})" if text.startswith("-") else text  # noqa: E731

        def products(a, b, say="{:.2f}".format):
            pairs = zip(a.tolist(), b.tolist(), strict=True)
            first = "{:.2f}".format
            return [
                f"{close(first(m)) if n else first(m)}\u00b7{close(say(b))}"
                for n, (m, b) in enumerate(pairs)
            ]

        if name in ("q", "again", "k", "v"):
            letter = "q" if name == "again" else name
            parts = products(found["x"][row], found[f"W_{letter}"][:, column], whole)
            return f"{letter} of {asks}: {' + '.join(parts)} = {found[letter][row, column]:.2f}"
        if name == "out":
            parts = products(found["weights"][row], found["v"][:, column])
            return f"context of {asks}: {' + '.join(parts)} = {found['out'][row, column]:.2f}"
        if name != "table":
            value = found[name][row, column].item()
            return {
                "x": f"x of {asks}, as given = {value:.2f}",
                "kT": f"the key of '{WORDS[column]}', turned into a column = {value:.2f}",
                "values": f"the value of {asks} = {value:.2f}",
            }.get(name) or f"training can change it = {whole(value)}"
        pair, level = f"{asks} with '{WORDS[column]}'", self.stands(row)
        parts = products(found["q"][row], found["k"][column])
        score, scaled, weight = (found[n][row, column] for n in ("scores", "scaled", "weights"))
        if level == "compare":
            each = (found["q"][row] * found["k"][column]).tolist()
            both = [f"{part} = {n:.2f}" for part, n in zip(parts, each, strict=True)]
            return f"{pair}: {' and '.join(both)}"
        if level == "score":
            return f"score of {pair}: {' + '.join(parts)} = {score:.2f}"
        if level == "scale":
            return f"scaled score of {pair}: {score:.2f} / \u221a2 = {scaled:.2f}"
        powers = [f"{n:.2f}" for n in found["scaled"][row].exp().tolist()]
        return (
            f"weight of {pair}: e^{scaled:.2f} = {powers[column]}, and {powers[column]} / "
            f"({' + '.join(powers)}) = {weight:.2f}"
        )

    def sentence(self, found):
        row, beat = self.row_and_beat()
        best = int(found["weights"][row].argmax())
        word, most, weight = WORDS[row], WORDS[best], f"{found['weights'][row, best]:.2f}"
        return (
            "Each of the 6 words has a vector x. The head has three matrices.",
            f"Three matrices turn the x of '{word}' into a query, a key and a value. No other word is needed.",
            f"The query of '{word}' meets every key: number times number. Arrows that point the same way fit.",
            f"The products are added. A score says how well a key fits the query of '{word}'.",
            f"Each score of '{word}' is divided by \u221a2, the root of the head size.",
            f"Softmax turns the row of '{word}' into weights that sum to 1. '{most}' has the largest, {weight}.",
            f"The weights of '{word}' mix the values into its context. '{most}' gives the largest share, {weight}.",
        )[beat]

    def compare(self, seen):
        """Everything that the page shows, against torch on the state that it should have."""
        found, (row, beat) = self.tables(), self.row_and_beat()
        focus = self.focus(found)
        lit = self.sources(*focus)
        kind = {"compare": "scores", "score": "scores", "scale": "scaled", "softmax": "weights"}
        largest = found["scores"].abs().max().item()
        longest = {name: found[name].norm(dim=1).max().item() for name in "qk"}
        for one in seen["cells"]:
            name, *place = one["place"].split()
            r, c = map(int, place)
            level = self.stands(r) if name == "table" else None
            assert one["there"] == self.there(name, r), one
            assert one["lit"] == ((name, r, c) in lit), one
            assert one["held"] == ((name, r, c) == focus) == (one["tab"] == 0), one
            arrows = [found["k"][c], found["q"][r]] if level == "compare" else []
            assert one["kinds"] == ["key", "query"][: len(arrows)]
            for tip, arrow, of in zip(one["tips"], arrows, "kq"[: len(arrows)], strict=True):
                x, y = (0.9 * arrow / longest[of]).tolist()
                assert tip == pytest.approx([x, -y], abs=1e-6)
            if not one["there"]:
                assert one["text"] == "" and one["label"] == "not yet"
                continue
            value = found[kind[level] if level else name][r, c].item()
            assert one["value"] == pytest.approx(value, abs=1e-6)
            told = one["text"].replace("\u2212", "-")
            assert told == "" if arrows else float(told) == pytest.approx(value, abs=0.00501)
            assert one["label"].endswith(one["text"]), "the name has what is read"
            if level:
                share = value**0.5 if level == "softmax" else abs(value) / largest
                assert one["weight"] == pytest.approx(share, abs=1e-6)
        mine = focus[1] if focus[0] == "out" else row
        wide = [0.6 + 14 * w for w in found["weights"][mine].tolist()] if beat == 6 else []
        assert seen["threads"] == pytest.approx(wide, abs=1e-4)
        assert seen["beats"] == [b == beat for b in range(1, 7)]
        assert seen["heads"] == [name == self.state["head"] for name in self.state["heads"]]
        says = f"{self.NAMES[beat - 1]}, row of '{WORDS[row]}'" if beat else "begin"
        assert seen["slider"] == [f"{self.state['step']}", says]
        assert seen["names"] == [[WORDS[row]] if beat else []] * 3
        part = {
            1: "q k\u1d40 v",
            2: "q k\u1d40",
            3: "q k\u1d40",
            4: "/ \u221a2",
            5: "softmax( )",
            6: "v",
        }
        assert " ".join("".join(seen["now"]).split()) == part.get(beat, "").replace("q k", "qk")
        assert seen["told"] == self.sentence(found)
        told, wanted = seen["sum"].replace("\u2212", "-"), self.arithmetic(found, *focus)
        figures = re.compile(r"-?\d+(?:\.\d+)?")
        digits = lambda number: "#" * (1 + len(number[0].partition(".")[2]))  # noqa: E731
        bare = lambda text: figures.sub(digits, re.sub(r"\((-[\d.]+)\)", r"\1", text))  # noqa: E731
        assert bare(told) == bare(wanted), (told, wanted)
        ours, theirs = (list(map(float, figures.findall(each))) for each in (told, wanted))
        assert ours == pytest.approx(theirs, abs=0.01001)
        return seen

    def stir(self):
        for name in ("3 score", "6 add"):
            self.el.get_by_role("button", name=name).click()
            yield
