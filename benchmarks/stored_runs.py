"""Store the runs of trainings for a chapter, each one as soon as it is made.

So a command can be stopped and started again, and two commands can run at the same time. To find the
learning rate that suits a model best, `search` tries all rates with one seed, the best two with a second,
and the best one with all. Rates and seeds are strings in a file, {rate: {seed: run}}.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from chapters.rates import Losses, best_rates
from course.files import write_text


def load(path: Path) -> dict[str, Any]:
    """Return the runs that are stored so far."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def add(path: Path, *keys: str, run: Any) -> None:
    """Store a run below these keys, and say so."""
    found = own = load(path)  # loaded again, because another command may have written since
    for key in keys[:-1]:
        own = own.setdefault(key, {})
    own[keys[-1]] = run
    write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", path)
    print(*keys, run, flush=True)


def search(
    path: Path,
    keys: Sequence[str],
    rates: Sequence[float],
    seeds: Sequence[int],
    run: Callable[[float, int], Any],
    loss: Callable[[Any], float] = lambda run: run,
) -> None:
    """Make the runs below these keys that aren't stored yet, until the best rate has all seeds.

    `loss` takes a run and returns the number by which rates are compared.
    """
    while True:
        own = load(path)
        for key in keys:
            own = own.get(key, {})
        losses = {rate: {s: loss(one) for s, one in runs.items()} for rate, runs in own.items()}
        if (needed := next_run(losses, rates, seeds)) is None:
            return
        rate, seed = needed
        add(path, *keys, rate, str(seed), run=run(float(rate), seed))


def next_run(
    losses: Losses, rates: Sequence[float], seeds: Sequence[int]
) -> tuple[str, int] | None:
    """Return the rate and the seed of the run that is needed next, or None if all runs are stored.

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
    """Return the rate, or half or twice the rate if it is the lowest or highest that was tried."""
    edges = {tried[0]: tried[0] / 2, tried[-1]: 2 * tried[-1]}
    return str(edges.get(float(rate), float(rate)))
