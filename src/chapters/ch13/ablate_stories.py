"""What a GPT that writes stories needs: the same training with a part of the model taken out.

`python -m chapters.ch13.ablate_stories` trains every row of ROWS and writes each run into
`ablations.json` as soon as it is done, so you can stop the command and start it again. With names of
rows, it trains only these; two such commands may run side by side. All rows take about two and a half
hours of one CPU.

Runs of one seed see the same batches and begin with the same weights, as far as the shapes agree.
Each row has the learning rate that suits it best (see `chapters.rates`), by the mean loss on `choosing`
stories. Five seeds are then judged on stories that no choice saw.
"""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import torch

from attention.bpe_tokenizer import BPETokenizer
from attention.checks import choose
from attention.gpt import GPT, Config, make_block
from attention.stories import write_stories
from chapters.ch13.runs import EqualShares, MLPAlone, turned_into
from chapters.ch13.story_model import (
    exact_floor,
    padded,
    story_scores,
    train_on_texts,
    word_tokenizer,
)
from chapters.ch13.train_stories import BATCH_SIZE, N_TRAIN, SEED
from chapters.rates import best_rates, next_run
from course.files import write_text

STORED = Path(__file__).with_name("ablations.json")
SEEDS = (1337, 1338, 1339, 1340, 1341)
RATES, N_STEPS = (5e-3, 1e-2, 2e-2), 600
MEASURES = ("excess", "well formed", "no slip", "answered")
Scores = Mapping[str, float]
Runs = dict[str, dict[str, dict[str, Scores]]]  # {row: {learning rate: {seed: scores}}}
ROWS: dict[str, dict] = {  # what is changed: the configuration, the maker of blocks, the steps
    "the whole model": {},
    "no attention": dict(block=turned_into(MLPAlone)),
    "learned positions": dict(config=dict(positions="learned")),
    "averages, learned positions": dict(
        config=dict(positions="learned"), block=turned_into(attention=EqualShares)
    ),
    "no positions": dict(config=dict(positions="none")),
    "averages, no positions": dict(block=turned_into(attention=EqualShares)),  # rotary acts on scores
    "one layer": dict(config=dict(n_layer=1)),
    "one head": dict(config=dict(n_head=1)),
    "whole, 1,000 steps": dict(n_steps=1000),
}


def make_model(config: Config, seed: int, block: Callable = make_block, **changes) -> GPT:
    """A model with these changes; its weights are those of the whole model, as far as that has them."""
    torch.manual_seed(seed)
    whole = GPT(config)
    model = GPT(replace(config, **changes), block)
    model.load_state_dict(whole.state_dict(), strict=False)
    return model


@cache
def texts() -> tuple[BPETokenizer, torch.Tensor, list[str], list[str]]:
    """The tokenizer, the ids to learn from, the stories to choose on, and those to judge on."""
    stories = write_stories(N_TRAIN, SEED)
    tokenizer = word_tokenizer("".join(stories[:2000]))
    judging, choosing = (write_stories(1000, SEED + n) for n in (1, 2))
    return tokenizer, padded(tokenizer, stories), choosing, judging


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
    """Train one model. Its loss above the floor on `choosing` stories, and its scores on others."""
    (tokenizer, ids, _, judging), changes = texts(), ROWS[row]
    config = Config(tokenizer.vocab_size, ids.shape[1], n_layer=3, n_head=2, n_embd=64)
    model = make_model(config, seed, changes.get("block", make_block), **changes.get("config", {}))
    scores = {"choosing": train(model, learning_rate, seed, changes.get("n_steps", n_steps))}
    scores |= story_scores(model, tokenizer, judging, seed)
    return {name: round(score, 4) for name, score in scores.items() if name != "floor"}


def stored() -> Runs:
    """The runs so far."""
    return json.loads(STORED.read_text()) if STORED.exists() else {}


def losses(runs: Mapping[str, Mapping[str, Scores]]) -> dict[str, dict[str, float]]:
    """The losses on `choosing` stories, {rate: {seed: loss}}."""
    return {
        rate: {seed: scores["choosing"] for seed, scores in own.items()} for rate, own in runs.items()
    }


def judged(found: Runs) -> dict[str, dict[str, list[float]]]:
    """Each measure of each row, seed by seed, at its best rate; rows that aren't finished are left out."""
    best = {row: best_rates(losses(found.get(row, {})), *SEEDS)[:1] for row in ROWS}
    return {
        row: {name: [found[row][rate][str(seed)][name] for seed in SEEDS] for name in MEASURES}
        for row, rates in best.items()
        for rate in rates
    }


def main(*rows: str) -> None:
    """Make all runs of these rows, or of every row, that aren't stored yet."""
    for row in [choose("row", row, ROWS) for row in rows] or ROWS:
        while needed := next_run(losses(stored().get(row, {})), RATES, SEEDS):
            rate, seed = needed
            scores = run(row, float(rate), seed)
            found = stored()  # again, since another command may have written in the meantime
            found.setdefault(row, {}).setdefault(rate, {})[str(seed)] = scores
            write_text(json.dumps(found, indent=1) + "\n", STORED)
            print(row, rate, seed, scores, flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)  # so that the runs don't depend on how many CPUs there are
    main(*sys.argv[1:])
