"""Ring attention over real processes: one process's result, both ways, and what a dead one does."""

import os
import re
import subprocess
import sys

import pytest
import torch

from attention.ring import ring_attention
from tests.conftest import ROOT


def started(n_processes: int, what: str) -> subprocess.CompletedProcess:
    """The processes have ended, with what they said; torchrun gives the others time to speak."""
    command = [
        sys.executable, "-m", "torch.distributed.run", "--standalone", "--monitor-interval", "3",
        f"--nproc-per-node={n_processes}", str(ROOT / "tests" / "ring_process.py"), what,
    ]  # fmt: skip
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
    return subprocess.run(command, capture_output=True, text=True, env=environment)


@pytest.mark.parametrize("n_processes", [1, 2, 3])
def test_a_ring_gives_what_one_process_gives(n_processes):
    found = started(n_processes, "compare")
    assert found.returncode == 0, found.stderr
    said = re.findall(r"process (\d) of \d, causal (\w+): equal", found.stdout)
    assert sorted(said) == sorted(
        (str(rank), kind) for rank in range(n_processes) for kind in ("True", "False")
    )


def test_the_others_end_with_a_sentence_if_one_dies():
    found = started(3, "dies")
    assert found.returncode != 0
    assert "it may have died: read what it said, and start all again" in found.stderr
    assert "equal" not in found.stdout


def test_uneven_parts_are_a_sentence():
    found = started(2, "uneven")
    assert found.returncode != 0
    assert "expected the same shapes in every process" in found.stderr
    assert "cut the text into equal parts" in found.stderr


def test_without_a_group_it_says_what_to_do():
    x = torch.zeros(1, 2, 3)
    with pytest.raises(RuntimeError, match="expected a process group, got none; start.*torchrun"):
        ring_attention(x, x, x)
