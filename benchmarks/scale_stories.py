"""How the loss above the floor falls with the size of a GPT, and with the steps of its training.

`python -m benchmarks.scale_stories` trains every model. All runs take about 25 minutes of one CPU.
`chapters.ch13.scale_stories` reads the runs.
"""

from collections.abc import Sequence
from functools import cache, partial
from itertools import product
from operator import itemgetter

import torch

from attention.bpe_tokenizer import BPETokenizer
from attention.gpt import GPT
from attention.training import evaluating, token_losses
from benchmarks.ablate_stories import texts, train
from benchmarks.stored_runs import add, load, search
from chapters.ch13.ablate_stories import Scores
from chapters.ch13.scale_stories import (
    BUDGETS,
    MIDDLE,
    SEEDS,
    STORED,
    WIDTHS,
    best_rate,
    configure,
)
from chapters.ch13.story_model import PADDING, exact_floor, padded
from chapters.ch14.story_heads import guesses

RATES, BATCH_SIZE = (1e-2, 2e-2, 4e-2, 8e-2), 16


@cache
def owners(tokenizer: BPETokenizer, stories: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return, for each owner's name that a story has decided, the story and the position before it."""
    found = [guess for guess in guesses(tokenizer, stories) if guess.kind == "owner"]
    return [guess.story for guess in found], [guess.position for guess in found]


def scores(model: GPT, tokenizer: BPETokenizer, stories: Sequence[str]) -> dict[str, float]:
    """Return the loss above the floor, its part at owners' names, and the share of these that are guessed.

    At an owner's name only one token is possible. So the floor is 0 there, and all of the loss is above it.
    """
    ids, places = padded(tokenizer, stories), owners(tokenizer, tuple(stories))
    x, y = ids[:, :-1].clamp(min=0), ids[:, 1:]
    with evaluating(model):
        logits = [model(some) for some in x.split(100)]
    costs = [token_losses(*both) for both in zip(logits, y.clamp(min=0).split(100), strict=True)]
    costs = torch.cat(costs).masked_fill(y == PADDING, 0.0)
    likeliest = torch.cat([some.argmax(dim=-1) for some in logits])
    n_tokens = int((y != PADDING).sum())
    return {
        "excess": costs.sum().item() / n_tokens - exact_floor(tokenizer, stories),
        "owners": costs[places].sum().item() / n_tokens,
        "named": (likeliest == y)[places].double().mean().item(),
    }


def run(width: int, n_steps: int, learning_rate: float, seed: int) -> Scores:
    """Train a model; return its loss above the floor on `choosing` stories, and its scores on others."""
    tokenizer, ids, _, judging = texts()
    torch.manual_seed(seed)
    model = GPT(configure(width, tokenizer.vocab_size, ids.shape[1]))
    choosing = train(model, learning_rate, seed, n_steps, BATCH_SIZE)
    found = {"choosing": choosing} | scores(model, tokenizer, judging)
    return {name: round(score, 4) for name, score in found.items()}


def main() -> None:
    """Make all runs that aren't stored yet; for each width, first those that choose its rate."""
    for width in WIDTHS:
        keys, one = [str(width), str(MIDDLE)], partial(run, width, MIDDLE)
        search(STORED, keys, RATES, SEEDS, one, itemgetter("choosing"))
        rate = best_rate(load(STORED), width)
        for n_steps, seed in product(BUDGETS, SEEDS):
            own = load(STORED)[str(width)].get(str(n_steps), {}).get(rate, {})
            if str(seed) not in own:
                one = run(width, n_steps, float(rate), seed)
                add(STORED, str(width), str(n_steps), rate, str(seed), run=one)


if __name__ == "__main__":
    torch.set_num_threads(1)  # so that the runs don't depend on how many CPUs there are
    main()
