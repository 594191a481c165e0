"""A right model and one with the fault `float == ("-inf")`, stored by `python -m benchmarks.sick_pair`."""

from pathlib import Path

STORED = Path(__file__).with_name("pair.json")
