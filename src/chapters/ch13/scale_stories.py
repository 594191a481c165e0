"""How the loss above the floor falls with the size of a GPT, and with the steps of its training.

`python -m chapters.ch13.scale_stories` trains every model and writes each run into `scaling.json` as
soon as it is done, so you can stop the command and start it again. All runs take about 25 minutes of
one CPU.

Each size has the learning rate that suits it best with the middle number of steps (see `chapters.rates`), on
`choosing` stories. Three seeds are then judged, with each number of steps, on stories that no choice saw.
Each number of steps is a training of its own, with its own schedule.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import torch

from attention.bpe_tokenizer import BPETokenizer
from attention.gpt import GPT, Config
from attention.training import evaluating, token_losses
from chapters.ch13.ablate_stories import Scores, losses, texts, train
from chapters.ch13.counting import parameter_counts
from chapters.ch13.story_model import PADDING, exact_floor, padded
from chapters.ch14.story_heads import guesses
from chapters.rates import best_rates, next_run
from course.files import write_text

STORED = Path(__file__).with_name("scaling.json")
WIDTHS = (8, 16, 32, 48, 64)  # of three blocks with two heads each
BUDGETS = _, MIDDLE, _ = (100, 200, 400)  # steps
SEEDS = (1337, 1338, 1339)
RATES, BATCH_SIZE = (1e-2, 2e-2, 4e-2, 8e-2), 16
MEASURES = ("excess", "owners", "named")
Runs = dict[str, dict[str, dict[str, dict[str, Scores]]]]  # {width: {steps: {rate: {seed: scores}}}}


def configure(width: int, vocab_size: int = 491, block_size: int = 125) -> Config:
    """The model of this width; a block has 12 width² parameters, and its two norms have a few more."""
    return Config(vocab_size, block_size, n_layer=3, n_head=2, n_embd=width)


def n_parameters(width: int) -> int:
    """How many parameters the blocks have, without those of the tokens."""
    return parameter_counts(configure(width))["blocks"]


@cache
def owners(tokenizer: BPETokenizer, stories: Sequence[str]) -> tuple[list[int], list[int]]:
    """Where a name comes next that the story has decided: the stories, and the positions before it."""
    found = [guess for guess in guesses(tokenizer, stories) if guess.kind == "owner"]
    return [guess.story for guess in found], [guess.position for guess in found]


def scores(model: GPT, tokenizer: BPETokenizer, stories: Sequence[str]) -> dict[str, float]:
    """The loss above the floor, the part of it at owners' names, and the share of these names it guesses.

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
    """Train one model. Its loss above the floor on `choosing` stories, and its scores on others."""
    tokenizer, ids, _, judging = texts()
    torch.manual_seed(seed)
    model = GPT(configure(width, tokenizer.vocab_size, ids.shape[1]))
    choosing = train(model, learning_rate, seed, n_steps, BATCH_SIZE)
    found = {"choosing": choosing} | scores(model, tokenizer, judging)
    return {name: round(score, 4) for name, score in found.items()}


def stored() -> Runs:
    """The runs so far."""
    return json.loads(STORED.read_text()) if STORED.exists() else {}


def tried(found: Runs, width: int) -> dict[str, dict[str, float]]:
    """The losses on `choosing` stories of the runs that choose this width's rate, {rate: {seed: loss}}."""
    return losses(found.get(str(width), {}).get(str(MIDDLE), {}))


def best_rate(found: Runs, width: int) -> str:
    """The rate with the lowest mean loss of all seeds."""
    return best_rates(tried(found, width), *SEEDS)[0]


def judged(found: Runs) -> dict[int, dict[int, dict[str, list[float]]]]:
    """Each measure, seed by seed, of each width and number of steps, at the best rate of that width."""
    return {
        width: {steps: _by_measure(found[str(width)][str(steps)][rate]) for steps in BUDGETS}
        for width in WIDTHS
        for rate in [best_rate(found, width)]
    }


def _by_measure(own: Mapping[str, Scores]) -> dict[str, list[float]]:
    return {name: [own[str(seed)][name] for seed in SEEDS] for name in MEASURES}


def ensure(width: int, n_steps: int, rate: str, seed: int) -> None:
    """Make this run and store it, unless it is stored already."""
    found = stored()
    own = found.setdefault(str(width), {}).setdefault(str(n_steps), {}).setdefault(rate, {})
    if str(seed) not in own:
        own[str(seed)] = run(width, n_steps, float(rate), seed)
        write_text(json.dumps(found, indent=1) + "\n", STORED)
        print(width, n_steps, rate, seed, own[str(seed)], flush=True)


def main() -> None:
    """Make all runs that aren't stored yet, for each width first those that choose its rate."""
    for width in WIDTHS:
        while needed := next_run(tried(stored(), width), RATES, SEEDS):
            ensure(width, MIDDLE, *needed)
        for n_steps in BUDGETS:
            for seed in SEEDS:
                ensure(width, n_steps, best_rate(stored(), width), seed)


if __name__ == "__main__":
    torch.set_num_threads(1)  # so that the runs don't depend on how many CPUs there are
    main()
