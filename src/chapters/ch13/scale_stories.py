"""How the loss above the floor falls with the size of a GPT, and with the steps of its training.

`python -m benchmarks.scale_stories` stores the runs in `scaling.json`. Each size uses the learning rate that
suits it best with the middle number of steps (see `chapters.rates`), on stories for `choosing`. Three seeds
are then judged, with each number of steps, on stories that no choice used. Each number of steps is a separate
training, with its own schedule.
"""

import json
from pathlib import Path

from attention.gpt import Config
from chapters.ch13.ablate_stories import Scores
from chapters.ch13.counting import parameter_counts
from chapters.rates import Losses, best_rates, by_seed

STORED = Path(__file__).with_name("scaling.json")
WIDTHS = (8, 16, 32, 48, 64)  # of three blocks with two heads each
BUDGETS = _, MIDDLE, _ = (100, 200, 400)  # steps
SEEDS = (1337, 1338, 1339)
MEASURES = ("excess", "owners", "named")
Runs = dict[str, dict[str, dict[str, dict[str, Scores]]]]  # {width: {steps: {rate: {seed: scores}}}}


def configure(width: int, vocab_size: int = 491, block_size: int = 125) -> Config:
    """The model of this width; a block has 12 width² parameters, and its two norms have a few more."""
    return Config(vocab_size, block_size, n_layer=3, n_head=2, n_embd=width)


def n_parameters(width: int) -> int:
    """How many parameters the blocks have, without those of the tokens."""
    return parameter_counts(configure(width))["blocks"]


def stored() -> Runs:
    """All stored runs."""
    return json.loads(STORED.read_text())


def tried(found: Runs, width: int) -> Losses:
    """The losses, {rate: {seed: loss}}, of the runs that decide a width's rate, on stories for `choosing`."""
    return by_seed(found[str(width)][str(MIDDLE)], "choosing")


def best_rate(found: Runs, width: int) -> str:
    """The rate with the lowest mean loss over all seeds."""
    return best_rates(tried(found, width), *SEEDS)[0]


def judged(found: Runs) -> dict[int, dict[int, dict[str, list[float]]]]:
    """Each measure, seed by seed, of each width and number of steps, at the best rate of that width."""
    by_width = {width: (best_rate(found, width), found[str(width)]) for width in WIDTHS}
    return {
        width: {
            steps: {name: [own[str(steps)][rate][str(seed)][name] for seed in SEEDS] for name in MEASURES}
            for steps in BUDGETS
        }
        for width, (rate, own) in by_width.items()
    }
