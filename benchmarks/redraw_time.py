"""CPU time of a redraw, for every explorer that a kernel draws, at each of its stops.

Run: python benchmarks/redraw_time.py
The aim is a tenth of a second; 13's, which writes a text first, shows it piece by piece. The peer is what any figure has to do at least: two empty axes.
"""

import statistics
import time
from collections import Counter

import torch

from attention.bpe import split_pieces
from attention.corpus import load_corpus
from attention.fast_bpe import learn_merges
from attention.gpt import MLP, CausalSelfAttention
from attention.masks import causal_mask
from chapters.ch00.explorer import stride_explorer
from chapters.ch01.explorer import merge_explorer
from chapters.ch02.explorer import window_explorer
from chapters.ch04.explorer import weight_painter
from chapters.ch09.explorer import dropout_explorer
from chapters.ch11.explorer import rotary_dial
from chapters.ch12.depth import WiredBlock, propagate
from chapters.ch12.explorer import PLACES, depth_explorer
from chapters.ch14.explorer import film_explorer, growth_explorer
from chapters.ch14.film import grown
from chapters.ch14.handcrafted_induction import handcrafted_induction
from chapters.ch14.tasks import repeated_strings
from chapters.ch15.explorer import cache_calculator
from chapters.ch16.explorer import checks_explorer
from chapters.chA5.explorer import ring_explorer
from course.draw.picture import canvas, picture

AIM = 0.1  # seconds
SENTENCE = "Your journey starts with one step"


def seconds(work) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def stack(residual: bool, place: str):
    """What becomes of six words on their way through 32 layers."""
    layers = [
        WiredBlock(CausalSelfAttention(32, 4), MLP(32, "relu"), 32, residual=residual, place=place)
        for _ in range(32)
    ]
    return propagate(layers, *torch.randn(2, 1, 6, 32))


def main() -> None:
    text = load_corpus("play")
    pairs = learn_merges(Counter(piece.encode() for piece in split_pieces(text)), 256)
    weights = causal_mask(6) / torch.arange(1, 7)[:, None]
    strings = repeated_strings(4, 10, 27, torch.Generator())
    two_heads = grown(handcrafted_induction(27, 64), strings, strings)
    explorers = {
        "00": stride_explorer(torch.arange(30).view(2, 3, 5)),
        "01": merge_explorer(SENTENCE, text, pairs),
        "02": window_explorer(SENTENCE),
        "04": weight_painter(torch.randn(8, 2)),
        "09": dropout_explorer(weights, torch.rand(1000, 6, 6), SENTENCE.split()),
        "11": rotary_dial([1.0, 0.5], [0.8, -0.4]),
        "12": depth_explorer(
            {(r, place): stack(r, place) for r in (True, False) for place in PLACES.values()},
            SENTENCE.split(),
        ),
        "14": film_explorer(),
        "14 grown": growth_explorer([{"step": step, **two_heads} for step in (0, 10)]),
        "15": cache_calculator(),
        "16": checks_explorer(),
        "A5": ring_explorer(),
    }
    for name, explorer in explorers.items():
        times, peers = [], []
        for control, values in explorer.stops.items():
            for value in values:
                state = explorer.state | {control: value}
                times.append(seconds(lambda: explorer.render(**state)))  # noqa: B023
                peers.append(seconds(lambda: picture(canvas(3, 2)[0], "")))
        middle, largest, peer = statistics.median(times), max(times), statistics.median(peers)
        says = "" if middle < AIM else "  above the aim"
        print(
            f"{name}  {middle * 1000:4.0f} ms, at most {largest * 1000:4.0f}, "
            f"{middle / peer:.2f} of two empty axes ({peer * 1000:.0f} ms){says}"
        )


if __name__ == "__main__":
    main()
