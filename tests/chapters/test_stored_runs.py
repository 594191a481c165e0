"""The runs that chapters have stored: none is stored twice, as after a merge that mixed two rows."""

import json
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.conftest import ROOT

FILES = sorted((ROOT / "src" / "chapters").glob("*/*.json"))
ALIKE = {  # what has to be the same twice, and how many such pairs there are
    "pair.json": 5,  # a causal model's loss, with and without the text that comes later, for each seed
    "ablations.json": 1,  # two seeds without attention agree to four digits
    "tables.json": 2,  # a table of single tokens has no shorter context to fall back on
}


def runs(found: dict | list | float) -> Iterator[tuple[float, ...]]:
    """The numbers of each dictionary or list, three or more, that holds nothing else."""
    inside = list(found.values()) if isinstance(found, dict) else found
    if not isinstance(inside, list):
        return
    if len(inside) > 2 and all(isinstance(each, int | float) for each in inside):
        yield tuple(inside)
    for each in inside:
        yield from runs(each)


def twice(found: dict | list) -> int:
    """How many runs are there once more; those of whole numbers are counts, which may agree."""
    counted = Counter(run for run in runs(found) if not all(float(x).is_integer() for x in run))
    return sum(n - 1 for n in counted.values())


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_no_run_is_stored_twice(path):
    assert twice(json.loads(path.read_text(encoding="utf-8"))) == ALIKE.get(path.name, 0)


def test_a_row_with_the_runs_of_another_is_noticed():
    row = {"1337": {"excess": 0.25, "well formed": 0.5, "answered": 1}}
    assert twice({"one": row, "other": {"1338": row["1337"]}}) == 1
    assert twice({"one": [1, 2, 3], "other": [1, 2, 3]}) == 0
    assert len(FILES) > 8
