"""Which learning rate suits a model: all are tried with one seed, the best two with a second, the best with all.

Rates and seeds are texts where runs are stored, {rate: {seed: loss}}.
"""

import math
from collections.abc import Mapping, Sequence

Losses = Mapping[str, Mapping[str, float]]


def best_rates(losses: Losses, *seeds: int) -> list[str]:
    """The rates that were tried with all these seeds, the one with the lowest mean loss first."""
    totals = {
        rate: math.fsum(own[str(seed)] for seed in seeds)
        for rate, own in losses.items()
        if all(str(seed) in own for seed in seeds)
    }
    return sorted(totals, key=lambda rate: (math.isnan(totals[rate]), totals[rate]))


def next_run(losses: Losses, rates: Sequence[float], seeds: Sequence[int]) -> tuple[str, int] | None:
    """The rate and the seed of the run that is needed next, or None if all runs are there.

    If the best rate so far is the lowest or the highest, half or twice that rate is tried as well.

    >>> next_run({"0.1": {"1": 5.0}, "0.2": {"1": 4.0}}, [0.1, 0.2], [1, 2, 3])
    ('0.4', 1)
    """
    first, second, *_ = seeds
    tried = sorted({*rates, *map(float, losses)})
    by_one, by_two = best_rates(losses, first), best_rates(losses, first, second)
    wanted = [(str(rate), first) for rate in tried]
    wanted += [(_inside(rate, tried), first) for rate in by_one[:1] + by_two[:1]]
    wanted += [(rate, second) for rate in by_one[:2]]
    wanted += [(rate, seed) for rate in by_two[:1] for seed in seeds]
    return next((run for run in wanted if str(run[1]) not in losses.get(run[0], {})), None)


def _inside(rate: str, tried: Sequence[float]) -> str:
    """The rate, or the next one if it is at the edge of those that were tried."""
    edges = {tried[0]: tried[0] / 2, tried[-1]: 2 * tried[-1]}
    return str(edges.get(float(rate), float(rate)))
