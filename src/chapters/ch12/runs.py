"""The losses of small GPTs with blocks wired in several ways, stored by `python -m benchmarks.wired_blocks`.

Each way and depth has the learning rate that suits it best (see `chapters.rates`).
"""

import json
from pathlib import Path

from chapters.rates import Losses, best_rates

STORED = Path(__file__).with_name("losses.json")
SEEDS = range(1, 6)


def stored() -> dict[str, dict[str, Losses]]:
    """All stored runs, {way: {depth: {rate: {seed: loss}}}}."""
    return json.loads(STORED.read_text(encoding="utf-8"))


def at_best_rates() -> dict[str, dict[str, tuple[str, list[float]]]]:
    """{way: {depth: (the rate that suits it best, the losses with that rate, seed by seed)}}."""

    def best(runs: Losses) -> tuple[str, list[float]]:
        rate = best_rates(runs, *SEEDS)[0]
        return rate, [*runs[rate].values()]

    return {way: {depth: best(runs) for depth, runs in own.items()} for way, own in stored().items()}
