"""Chapter 11: small models of each kind of position read on past the length they were trained at.

`python -m benchmarks.longer_texts` trains them, and stores longer.json.
"""

import json
from pathlib import Path

import torch
from torch import Tensor

STORED = Path(__file__).with_name("longer.json")
TRAINED, LONGER, BIN = 32, 128, 16  # positions: in training, in the reading, in one mean


def stored() -> dict[str, Tensor]:
    """What is stored: for each way of reading its losses, (seeds, 8)."""
    return {name: torch.tensor(rows) for name, rows in json.loads(STORED.read_text()).items()}
