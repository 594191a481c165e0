"""Find the learning rate that suits a model best in the runs that a chapter stores, {rate: {seed: loss}}."""

import math
from collections.abc import Mapping

Losses = Mapping[str, Mapping[str, float]]  # rates and seeds are strings, as in JSON


def best_rates(losses: Losses, *seeds: int) -> list[str]:
    """The rates that were tried with all these seeds, the one with the lowest mean loss first."""
    totals = {
        rate: math.fsum(own[str(seed)] for seed in seeds)
        for rate, own in losses.items()
        if all(str(seed) in own for seed in seeds)
    }
    return sorted(totals, key=lambda rate: (math.isnan(totals[rate]), totals[rate]))


def by_seed(runs: Mapping[str, Mapping[str, Mapping]], score: str) -> Losses:
    """Select one score of each run: {rate: {seed: score}}."""
    return {rate: {seed: run[score] for seed, run in own.items()} for rate, own in runs.items()}
