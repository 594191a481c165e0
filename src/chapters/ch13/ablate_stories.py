"""What a GPT that writes stories needs: the same training with a part of the model taken out.

`python -m benchmarks.ablate_stories` stores the runs in `ablations.json`. Runs of one seed see the same
batches and begin with the same weights, as far as the shapes agree. Each row uses the learning rate that
suits it best (see `chapters.rates`), by the mean loss on stories for `choosing`. Five seeds are then judged
on stories that no choice used.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from chapters.rates import best_rates, by_seed

STORED = Path(__file__).with_name("ablations.json")
SEEDS = (1337, 1338, 1339, 1340, 1341)
MEASURES = ("excess", "well formed", "no slip", "answered")
Scores = Mapping[str, float]
Runs = dict[str, dict[str, dict[str, Scores]]]  # {row: {learning rate: {seed: scores}}}


def stored() -> Runs:
    """All stored runs."""
    return json.loads(STORED.read_text())


def judged(found: Runs) -> dict[str, dict[str, list[float]]]:
    """Each measure of each row, seed by seed, at the row's best rate; unfinished rows are left out."""
    best = {row: best_rates(by_seed(runs, "choosing"), *SEEDS)[:1] for row, runs in found.items()}
    return {
        row: {name: [found[row][rate][str(seed)][name] for seed in SEEDS] for name in MEASURES}
        for row, rates in best.items()
        for rate in rates
    }
