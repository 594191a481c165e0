"""The chapter's runs of five seeds, stored in `seeds.json` by `python -m benchmarks.two_layers`."""

from pathlib import Path

STORED = Path(__file__).with_name("seeds.json")
