"""What a GPT that writes stories needs: the same training with a part of the model taken out.

`python -m benchmarks.ablate_stories` trains every row of ROWS; with names of rows, it trains only these.
All rows take about two and a half hours of one CPU. `chapters.ch13.ablate_stories` reads the runs.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from operator import itemgetter

import torch

from attention.bpe_tokenizer import BPETokenizer
from attention.checks import choose
from attention.gpt import GPT, Config, make_block
from attention.stories import write_stories
from benchmarks.play_choices import EqualShares, MLPAlone, turned_into
from benchmarks.stored_runs import search
from benchmarks.train_stories import BATCH_SIZE, SEED, read, story_scores
from chapters.ch13.ablate_stories import SEEDS, STORED, Scores
from chapters.ch13.story_model import (
    exact_floor,
    padded,
    train_on_texts,
)

RATES, N_STEPS = (5e-3, 1e-2, 2e-2), 600
ROWS: dict[str, dict] = {  # what is changed: the configuration, the maker of blocks, the steps
    "the whole model": {},
    "no attention": dict(block=turned_into(MLPAlone)),
    "learned positions": dict(config=dict(positions="learned")),
    "averages, learned positions": dict(
        config=dict(positions="learned"), block=turned_into(attention=EqualShares)
    ),
    "no positions": dict(config=dict(positions="none")),
    "averages, no positions": dict(
        block=turned_into(attention=EqualShares)
    ),  # rotary positions change only scores
    "one layer": dict(config=dict(n_layer=1)),
    "one head": dict(config=dict(n_head=1)),
    "whole, 1,000 steps": dict(n_steps=1000),
}


def make_model(config: Config, seed: int, block: Callable = make_block, **changes) -> GPT:
    """Return a model with these changes; its first weights are those of the whole model, if that has them."""
    torch.manual_seed(seed)
    whole = GPT(config)
    model = GPT(replace(config, **changes), block)
    model.load_state_dict(whole.state_dict(), strict=False)
    return model


@cache
def texts() -> tuple[BPETokenizer, torch.Tensor, list[str], list[str]]:
    """Return the tokenizer, the ids to learn from, the stories to choose on, and those to judge on."""
    judging, choosing = (write_stories(1000, SEED + n) for n in (1, 2))
    return *read(), choosing, judging


def train(
    model: GPT, learning_rate: float, seed: int, n_steps: int, batch_size: int = BATCH_SIZE
) -> float:
    """Train a model, keep its last weights, and return its loss above the floor on `choosing` stories."""
    tokenizer, ids, choosing, _ = texts()
    held_out, generator = padded(tokenizer, choosing), torch.Generator().manual_seed(seed)
    how = dict(learning_rate=learning_rate, eval_every=n_steps)  # the last weights are kept
    history = train_on_texts(model, ids, held_out, n_steps, generator, batch_size, **how)
    return history[-1].validation - exact_floor(tokenizer, choosing)


def run(row: str, learning_rate: float, seed: int, n_steps: int = N_STEPS) -> Scores:
    """Train a model; return its loss above the floor on `choosing` stories, and its scores on others."""
    (tokenizer, ids, _, judging), changes = texts(), ROWS[row]
    config = Config(tokenizer.vocab_size, ids.shape[1], n_layer=3, n_head=2, n_embd=64)
    model = make_model(config, seed, changes.get("block", make_block), **changes.get("config", {}))
    scores = {"choosing": train(model, learning_rate, seed, changes.get("n_steps", n_steps))}
    scores |= story_scores(model, tokenizer, judging, seed)
    return {name: round(score, 4) for name, score in scores.items() if name != "floor"}


def main(*rows: str) -> None:
    """Make all runs of these rows, or of every row, that aren't stored yet."""
    for row in [choose("row", row, ROWS) for row in rows] or ROWS:
        search(STORED, [row], RATES, SEEDS, partial(run, row), itemgetter("choosing"))


if __name__ == "__main__":
    torch.set_num_threads(1)  # so that the runs don't depend on how many CPUs there are
    main(*sys.argv[1:])
