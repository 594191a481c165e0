"""The chapter's runs on the play: `python -m benchmarks.play_choices` stores them next to this file.

`choices.json` has the losses of short runs in which one choice is changed, all with one learning rate.
`tuned.json` has each choice's losses with several rates (see `chapters.rates`). `whole.json` has the losses
of the chapter's own GPT. `benchmarks/gpt_loss.py` made `two_minutes.json`.
"""

import json
from pathlib import Path

from chapters.rates import best_rates

STORED = Path(__file__).with_name("choices.json")
SEEDS = (1, 2, 3, 4, 5)


def at_best_rates() -> dict[str, dict[str, float]]:
    """The loss of each choice with its best rate, {choice: {seed: loss}}."""
    found = json.loads(STORED.with_name("tuned.json").read_text())
    return {choice: runs[best_rates(runs, *SEEDS)[0]] for choice, runs in found.items()}
