"""The live explorer of chapter 14: a model, and the text that was typed."""

import math
import re

import pytest
import torch

from attention.checkpoint import CHECKPOINT, load_checkpoint
from chapters.ch14.explorer import head_scores, maps_sentence, model_explorer
from chapters.ch14.patterns import uniform_weights
from tests.chapters.live import Shown

MODEL, TOKENIZER, _ = load_checkpoint(CHECKPOINT)
SIGNS = {" ": "\u2423", "\n": "\u21b5"}


class Typed(Shown):
    """The explorer of chapter 14: a model, and the text that was typed."""

    NAME = "14"
    CONTROLS = {
        "": [
            ((".grid button", 7), {"block": 1, "head": 3}), (("textarea", 0, "=x"), {"text": "x"}),
            ((".grid button", 7, "ArrowUp"), {"block": 0}), ((".grid button", 3, "ArrowUp"), {}),
            ((".grid button", 3, "ArrowRight"), {}), ((".grid button", 3, "ArrowLeft"), {"head": 2}),
        ],
    }  # fmt: skip
    LOOK = """() => {
        const shades = (e) => e.width < 2 && !el.querySelector(".rows span") ? [] : [...e.getContext("2d")
            .getImageData(0, 0, e.width, e.height).data].filter((_, n) => n % 4 === 3);
        const rows = (kind) => all(`${kind} tbody tr`, (tr) => [tr.querySelector("th").textContent, all("td", text, tr)]);
        return {
            typed: el.querySelector("textarea").value,
            maps: all(".grid canvas", shades), large: shades(el.querySelector(".map canvas")),
            last: JSON.parse(el.querySelector(".map canvas").dataset.value),
            names: [all(".rows span", text), all(".columns span", text)],
            pressed: all(".grid button", (e) => [pressed(e), e.tabIndex]),
            scores: rows("table:not(.next)"), next: rows("table.next"),
            title: all(".title", text)[1], note: text(el.querySelector(".note")),
        };
    }"""

    @staticmethod
    def live():
        return model_explorer()

    def compare(self, seen):
        """Everything that the page shows, against torch on the state that it should have."""
        text, block, head = (self.state[name] for name in ("text", "block", "head"))
        assert seen["typed"] == text and seen["title"] == f"Block {block}, head {head}"
        chosen = [[n == 4 * block + head, 0 if n == 4 * block + head else -1] for n in range(12)]
        assert seen["pressed"] == chosen
        ids = TOKENIZER.encode("".join(c for c in text if c in TOKENIZER.vocab))[-128:]
        if not ids:
            assert seen["says"] == "Nothing is read." and not any(seen["maps"])
            assert {cell for _, row in seen["scores"] + seen["next"] for cell in row} == {"\u2013"}
            return seen
        logits, maps = MODEL.forward_with_weights(torch.tensor([ids]))
        maps, chances = maps[:, 0], logits[0, -1].softmax(dim=-1)
        shades = torch.tensor([*seen["maps"], seen["large"]]).view(13, len(ids), len(ids))
        wanted = 255 * torch.cat([maps.flatten(0, 1), maps[block, head][None]]).sqrt()
        assert (shades - wanted).abs().max() < 0.51, "half a shade, which rounding takes"
        assert seen["last"] == pytest.approx(maps[block, head, -1].tolist(), abs=1e-5)
        signs = [SIGNS.get(c, c) for c in TOKENIZER.decode(ids)]
        assert seen["names"] == [signs, signs]
        both = [head_scores(each, ids) for each in (maps[block, head], uniform_weights(len(ids)))]
        for (_, row), pair in zip(seen["scores"], zip(*both, strict=True), strict=True):
            for told, score in zip(row, pair, strict=True):
                none = math.isnan(score)
                assert told == "\u2013" if none else abs(float(told) - score) < 0.00501
        best = chances.topk(10)
        for (name, [told]), chance, i in zip(seen["next"], *best, strict=True):
            assert name == SIGNS.get(TOKENIZER.vocab[i], TOKENIZER.vocab[i])
            if told == "< 0.1 %":
                assert chance < 0.000501
                continue
            assert float(told.removesuffix(" %")) == pytest.approx(100 * chance.item(), abs=0.0501)
        vocab = [SIGNS.get(c, c) for c in TOKENIZER.vocab]
        told = maps_sentence(maps, ids, signs, chances, vocab, block, head)
        numbers = re.compile(r"\d+\.\d+")
        assert numbers.sub("", seen["says"]) == numbers.sub("", told)
        ours, theirs = ([float(x) for x in numbers.findall(each)] for each in (seen["says"], told))
        assert ours == pytest.approx(theirs, abs=0.1001 if ours[-1] != theirs[-1] else 0.01001)
        return seen
