"""Chapter 11: small models with each kind of positions read texts longer than those they were trained on.

`python -m benchmarks.longer_texts` trains the models, and stores their losses in longer.json.
"""

import json
from pathlib import Path

import torch
from torch import Tensor

STORED = Path(__file__).with_name("longer.json")
TRAINED, LONGER, BIN = 32, 128, 16  # positions: in training, in the longer texts, in one mean


def stored() -> dict[str, Tensor]:
    """The stored losses, (seeds, 8), of each way of reading."""
    return {name: torch.tensor(rows) for name, rows in json.loads(STORED.read_text()).items()}
