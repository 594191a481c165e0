"""The story checkpoint trained on another small text, next to models that start from random weights.

`python -m benchmarks.finetune` trains both on every text of chapter 13; with names of texts, it trains only
on these. All runs take about 20 minutes of one CPU. `chapters.ch13.finetune` reads the runs.
"""

import math
import sys
from collections.abc import Sequence
from functools import partial
from itertools import product
from operator import itemgetter

import torch

from attention.bpe_tokenizer import BPETokenizer
from attention.gpt import GPT
from attention.stories import write_stories
from benchmarks.stored_runs import search
from benchmarks.train_stories import shares
from chapters.ch13.finetune import (
    CHANGED,
    SEEDS,
    SIZES,
    STARTS,
    STORED,
    TEXTS,
    Run,
    begin,
    changed,
    texts,
    tokens_per_byte,
    train,
)
from chapters.ch13.story_model import mean_loss, padded, told_by

RATES, N_TOLD = (5e-3, 1e-2, 2e-2), 50


def bits_per_byte(model: GPT, tokenizer: BPETokenizer, some: Sequence[str]) -> float:
    """Return the model's loss on these texts in bits per byte, whatever the tokenizer."""
    nats = mean_loss(model, padded(tokenizer, some))
    return nats * tokens_per_byte(tokenizer, some) / math.log(2)


def run(text: str, start: str, rate: float, seed: int) -> Run:
    """Train a model; return its losses on the text and on old stories, and the scores of its stories."""
    parts = texts(text)
    model, tokenizer = begin(start, parts, seed)
    curve = train(model, tokenizer, parts, rate, seed)
    found: Run = {
        "choosing": min(curve.values()),
        "test": bits_per_byte(model, tokenizer, parts["test"]),
    }
    if start == "checkpoint":
        found["old"] = bits_per_byte(model, tokenizer, write_stories(SIZES["test"], 14))
    if text in CHANGED:
        told = told_by(model, tokenizer, N_TOLD, torch.Generator().manual_seed(seed))
        found |= shares([changed(story, text, back=True) for story in told])
    found = {name: round(number, 4) for name, number in found.items()}
    return found | {"validation": [round(loss, 4) for loss in curve.values()]}


def main(names: Sequence[str] = TEXTS) -> None:
    """Make all runs that aren't stored yet, until the best rate of each start has all seeds."""
    for text, start in product(names, STARTS):
        one = partial(run, text, start)
        search(STORED, [text, start], RATES, SEEDS, one, itemgetter("choosing"))


if __name__ == "__main__":
    torch.set_num_threads(1)  # so that the runs don't depend on how many CPUs there are
    main(sys.argv[1:] or TEXTS)
