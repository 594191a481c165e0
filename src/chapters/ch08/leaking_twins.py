"""Twins of one GPT, each trained with a different mask, stored by `python -m benchmarks.leaking_twins`.

The mask of a twin is `tril(diagonal=k)`, or none at all. All twins of a seed begin with the same weights
and see the same batches of stories (chapter 13). `twins.json` holds for each of them its loss as training
measures it, its loss without any future to read, and what `judge` finds in the stories that it writes.
"""

import json
from pathlib import Path

import torch
from jaxtyping import Bool
from torch import Tensor

STORED = Path(__file__).with_name("twins.json")
DIAGONALS = {"-1": -1, "0": 0, "1": 1, "2": 2, "no mask": None}
N_STORIES = 100  # that each twin writes


def curtain(T: int, diagonal: int | None) -> Bool[Tensor, "T T"]:
    """`tril(diagonal)` as booleans, True where a row may look; None hides nothing.

    >>> curtain(3, 1).int().tolist()
    [[1, 1, 0], [1, 1, 1], [1, 1, 1]]
    """
    everywhere = torch.ones(T, T, dtype=torch.bool)
    return everywhere if diagonal is None else everywhere.tril(diagonal)


def stored() -> dict[str, dict[str, dict]]:
    """The runs, {diagonal: {seed: what is measured}}."""
    return json.loads(STORED.read_text(encoding="utf-8"))
