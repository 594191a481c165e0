"""Arrows in a plane: what the explorers of chapters 05, 06, 08 and 10 that draw threads have in common."""

import itertools
import math
import re

import pytest
import torch

from attention.heads import attention_scores, attention_weights
from attention.masks import causal_mask
from attention.multi_head import merge_heads, split_heads
from tests.chapters.live import Shown
from tests.conftest import WORDS


def is_a_mix(point, points):
    """Whether one row of shares could mix it: it lies in a triangle of three of them."""
    for corners in itertools.combinations(points, 3):
        system = torch.tensor([[*corner, 1.0] for corner in corners], dtype=torch.float64).T
        shares = torch.linalg.solve(system, torch.tensor([*point, 1.0], dtype=torch.float64))
        if bool((shares > -1e-9).all()):
            return True
    return False


class Threads(Shown):
    """A plane in which an arrow is dragged, beside the weights that follow."""

    DEAF = False  # whether the word that is dragged isn't heard
    LOOK = """() => {
        const area = el.querySelector(".hull"), blend = el.querySelector(".mix[r]"), grip = el.querySelector(".handle");
        const moved = (e) => numbers(e.getAttribute("transform")), at = new DOMPoint(...moved(blend));
        const near = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => area.isPointInFill(
            new DOMPoint(at.x + 0.5 * Math.cos(n), at.y + 0.5 * Math.sin(n))));
        return {
            weights: all("tbody tr:not(.scores)", (tr) => all("td[data-value]", value, tr)),
            doors: all("[data-cell]", (e) => [pressed(e), wrong(e), e.disabled]),
            printed: all("tbody tr", (tr) => all("td", text, tr)),
            mix: JSON.parse(blend.dataset.value),
            inside: area.isPointInFill(at) || near.includes(true),
            threads: [".thread:not(.second)", ".thread.second"].map((kind) => all(kind, attribute("stroke-width"))),
            from: all(".thread", (e) => numbers(e.getAttribute("d")).slice(0, 2)),
            held: all("tbody tr:not(.scores)", (tr) => [tr.matches(".held"), tr.querySelector("th button")?.ariaPressed]),
            grip: moved(grip), told: grip.getAttribute("aria-valuetext"),
            reached: all("[data-cell][tabindex='0']", (e) => e.dataset.cell),
            stuck: el.querySelector(".top button")?.disabled,
            ground: all(".ground", (e) => [
                e.checkVisibility(), e.matches(".held"), e.isPointInFill(new DOMPoint(...moved(grip)))]),
        };
    }"""

    @property
    def hand(self):
        """Of which arrow, and of which kinds, is what is under the hand."""
        pulled = self.state.get("pulled")
        if pulled is None:
            return self.state["row"], ("queries",)
        return pulled, ("queries", "keys", "values")  # a whole word

    def truth(self):
        """Scores and weights as the table has them, the context of its row, and the open cells."""
        q, k, v = (
            torch.tensor(self.state[name], dtype=torch.float64)
            for name in ("queries", "keys", "values")
        )
        if "two" in self.state:  # a row for each channel of the one context
            H = 1 + self.state["two"]
            parts = [split_heads(part[None], H) for part in (q, k, v)]
            scores = attention_scores(*parts[:2])
            weights = attention_weights(scores)
            lines = [each[0, :, 0].repeat_interleave(2 // H, dim=0) for each in (scores, weights)]
            open_ = torch.ones(2, len(k), dtype=torch.bool)
            return *lines, merge_heads(weights @ parts[2])[0, 0], open_
        mask = causal_mask(len(k))[: len(q)]
        if "mask" in self.state:
            mask = torch.tensor(self.state["mask"])
        elif not self.state["causal"]:
            mask = torch.ones(len(q), len(k), dtype=torch.bool)
        scores = attention_scores(q, k, scale=None if self.state["scaled"] else 1.0)
        late = self.state.get("late", False)
        weights = attention_weights(scores) * mask if late else attention_weights(scores, mask)
        return scores, weights, (weights @ v)[self.state["row"]], mask

    def drag(self, *places):
        """Press on the handle, go to each place (shares of the plane's box), and compare there."""
        start = self.el.locator(".grip").first.bounding_box()
        self.page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
        self.page.mouse.down()
        box = self.el.locator("svg").first.bounding_box()
        for right, down in places:
            x, y = box["x"] + right * box["width"], box["y"] + down * box["height"]
            self.page.mouse.move(x, y)
            unit = (180 - 26) / self.state["reach"]  # threads.js: SIZE / 2 - EDGE
            query = [(right - 0.5) * 360 / unit, (0.5 - down) * 360 / unit]
            self.put(query)
            self.agrees()
        self.page.mouse.up()

    def put(self, query):
        """What the page should have when the hand has pulled its arrow here."""
        far, (which, kinds) = max(1.0, math.hypot(*query) / self.state["reach"]), self.hand
        for kind in kinds:
            self.state[kind] = [list(arrow) for arrow in self.state[kind]]
            self.state[kind][which] = [x / far for x in query]

    def aim(self, angle, length):
        """What the page should have when the arrow under the hand points there, in degrees."""
        radians = math.radians(angle)
        self.put([length * math.cos(radians), length * math.sin(radians)])

    def winner(self, degrees, may):
        """The key, of those that it may look at, with the largest score if the query is turned so far."""
        x, y = self.state["queries"][self.state["row"]]
        angle = math.atan2(y, x) + math.radians(degrees)
        scores = [
            math.cos(angle) * a + math.sin(angle) * b if there else -math.inf
            for (a, b), there in zip(self.state["keys"], may, strict=True)
        ]
        return scores.index(max(scores))

    def compare(self, seen):
        """Everything that the page shows, against torch on the state that it should have."""
        row, reach, (which, _) = self.state["row"], self.state["reach"], self.hand
        scores, weights, mix, mask = self.truth()
        two, late, masked = (self.state.get(name, False) for name in ("two", "late", "mask"))
        close = dict(atol=1e-6, rtol=0)
        torch.testing.assert_close(
            torch.tensor(seen["weights"], dtype=torch.float64), weights, **close
        )
        torch.testing.assert_close(torch.tensor(seen["mix"], dtype=torch.float64), mix, **close)
        unit = (180 - 26) / reach
        place = lambda x, y: [180 + x * unit, 180 - y * unit]  # noqa: E731
        assert seen["grip"] == pytest.approx(place(*self.state["queries"][which]), abs=1e-3)
        may, length = mask[row].tolist(), math.hypot(*self.state["queries"][which])
        best = int(scores[row].where(mask[row], -torch.inf).argmax())
        held_ = [
            [self.state["ground"], length > 0 and j == best] for j in range(len(seen["ground"]))
        ]
        assert [each[:2] for each in seen["ground"]] == held_, "the dark sector is the winner's"
        if (
            self.state.get("ground")
            and 0 < length < 0.9 * reach
            and best == self.winner(-1, may) == self.winner(1, may)
        ):
            assert seen["ground"][best][2], "the query is in it"
        open_ = mask[row].nonzero().flatten().tolist()
        thin = self.state["values"] != self.first().state["values"]  # any hull may be
        assert seen["inside"] or two or late or thin or len(open_) < 3, "the mix has left the hull"
        held = ["two" in self.state or t == row for t in range(len(weights))]
        many = len(self.state["queries"]) > 1  # each row has a button
        assert seen["held"] == [[is_, str(is_).lower() if many else None] for is_ in held]
        wide = (0.6 + 22 * weights).where(mask, 0)
        first, second = seen["threads"]
        assert first == pytest.approx(wide[row].tolist(), abs=1e-4)
        assert second == pytest.approx(
            (wide[1] if two else 0 * wide[0]).tolist()[: len(second)], abs=1e-4
        )
        x, y = self.state["queries"][0 if "two" in self.state else row]
        feet = [place(x, 0), place(0, y)] if two else [place(x, y), []]
        for n, begins in enumerate(seen["from"]):
            part, j = divmod(n, mask.shape[1])
            assert begins == (pytest.approx(feet[part], abs=1e-3) if mask[row, j] else [])
        rows = [*range(len(weights)), *((0, 1) if "two" in self.state else (row,))]
        wanted = [*weights.tolist(), *scores[rows[len(weights) :]].tolist()]
        for n, (t, line, numbers) in enumerate(zip(rows, seen["printed"], wanted, strict=True)):
            shut = ~mask[t] & torch.tensor(not late or n < len(weights))
            cells, sums = line[: len(numbers)], line[len(numbers) :]
            for text, number, none in zip(cells, numbers, shut.tolist(), strict=True):
                assert (
                    text == "\u2013" if none else float(text) == pytest.approx(number, abs=0.00501)
                )
            assert [float(text) for text in sums] == pytest.approx(
                [sum(numbers)] * len(sums), abs=0.00501
            )
            assert len(sums) == bool(masked and n < len(weights)), "a row of a mask has its sum"
        if "two" in self.state:
            outside = "outside of the hull" in seen["says"]
            assert outside != is_a_mix(mix.tolist(), self.state["keys"])
            assert two or not outside, "one row of shares is a mix"
        if masked:
            ahead = torch.ones_like(mask).triu(1)
            only = mask & (mask.sum(dim=1, keepdim=True) == 1)
            states = torch.stack([mask, mask & ahead, only], dim=-1)
            assert seen["doors"] == states.flatten(0, 1).tolist()
            total = float(re.search(r"The row sums to (\d\.\d{4})\.", seen["says"])[1])
            assert total == pytest.approx(float(weights[row].sum()), abs=6e-5)
        if "gram" in self.state:
            share, word = weights[row, self.state["target"]].item(), WORDS[self.state["target"]]
            told = f"is {abs(math.log(share)):.4f}." if share else f"'{word}' can't be heard"
            assert told in seen["says"] and (share or seen["stuck"])
        said = re.findall(r"'(\w+)', weight (\d\.\d{4})", seen["says"])
        assert len(said) == min(2, len(open_)) or "length 0 asks nothing" in seen["says"]
        lines = [weights[0], weights[1]] if two else [weights[row]] * 2
        for (word, number), line, wanted in zip(
            said, lines, (max, max if two else min), strict=False
        ):
            share = wanted(float(line[j]) for j in open_)
            assert float(number) == pytest.approx(share, abs=6e-5)
            assert float(line[WORDS.index(word)]) == pytest.approx(share, abs=1e-9)
        numbers = [float(x) for x in re.search(r"\[(.*)\]", seen["says"])[1].split(", ")]
        assert numbers == pytest.approx(mix.tolist(), abs=6e-5)
        return seen

    def any_state(self, luck):
        """A state that hands could lead to: arrows all over the plane, some of length 0, any cells."""
        first = self.first().state

        def arrow():
            angle, length = (
                luck.uniform(0, 2 * math.pi),
                first["reach"] * luck.choice([0, 0.1, 1, luck.random()]),
            )
            return [length * math.cos(angle), length * math.sin(angle)]

        state = {
            "queries": [arrow() for _ in first["queries"]],
            "row": luck.randrange(len(first["queries"])),
        }
        state |= {
            key: luck.random() < 0.5
            for key in ("scaled", "causal", "late", "two", "ground")
            if key in first["controls"]
        }
        if "gram" in first:
            state |= {"keys": [arrow() for _ in WORDS], "target": luck.randrange(6)}
        if "ground" in first and "gram" not in first:
            state["keys"] = state["values"] = [arrow() for _ in WORDS]
        if "mask" in first:
            pulled = {
                key: [list(each) for each in first[key]] for key in ("queries", "keys", "values")
            }
            for key in pulled:
                pulled[key][first["pulled"]] = state["queries"][0]
            mask = [[luck.random() < 0.5 for _ in WORDS] for _ in WORDS]
            for row in mask:
                row[luck.randrange(6)] = True
            state |= pulled | {"mask": mask}
        return state
