"""The benchmark of losses trains both models alike; its numbers are measured by hand, on a quiet machine."""

import importlib.util
import sys
from itertools import count
from types import SimpleNamespace

import pytest
import torch

from tests.conftest import ROOT

NANO = """
from dataclasses import dataclass
import torch
from torch import nn

@dataclass
class GPTConfig:
    vocab_size: int
    block_size: int
    n_layer: int
    n_head: int
    n_embd: int
    dropout: float
    bias: bool

class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        print("number of parameters")
        self.table = nn.Embedding(config.vocab_size, config.vocab_size)

    def configure_optimizers(self, weight_decay, learning_rate, betas, device_type):
        print("using fused AdamW")
        return torch.optim.AdamW(self.parameters(), lr=learning_rate, betas=betas)

    def forward(self, ids, targets):
        logits = self.table(ids)
        return logits, nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
"""


@pytest.fixture(scope="module")
def bench():
    spec = importlib.util.spec_from_file_location("gpt_loss", ROOT / "benchmarks/gpt_loss.py")
    module = sys.modules["gpt_loss"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    threads = torch.get_num_threads()
    yield module
    torch.set_num_threads(threads)
    del sys.modules["gpt_loss"]


@pytest.mark.parametrize("name", ["ours", "nanogpt", "constant", "own-start"])
def test_a_recipe_learns_something_in_its_time(bench, tmp_path, capsys, name, monkeypatch):
    monkeypatch.setattr(torch, "set_num_threads", lambda n: None)  # parallel threads would wait
    seconds = count(0, 0.05)  # a clock on which a step takes equally long on every machine
    clock = SimpleNamespace(process_time=lambda: next(seconds))
    monkeypatch.setattr(bench, "time", clock)
    (tmp_path / "model.py").write_text(NANO)
    text = "to be or not to be, that is the question. " * 40
    run = bench.one_run(bench.RECIPES[name], 1, str(tmp_path), text, 0.5)
    assert run["steps"] >= 8 and run["parameters"] > 0
    assert 0 < run["loss"] < 4
    assert capsys.readouterr().out == ""  # otherwise the parent wouldn't read JSON


def test_the_rate_rises_and_falls_with_the_time_that_is_spent(bench):
    def rates(name):
        recipe = bench.RECIPES[name]
        return [bench.share_of_rate(recipe, spent) for spent in (0, 0.025, 0.05, 0.5, 0.999)]

    first, rising, top, middle, last = rates("ours")
    assert 0 < first < rising < top == 1 > middle > last < 1e-3
    assert rates("nanogpt")[-1] == pytest.approx(0.1, abs=1e-3)  # as in nanoGPT's code
    assert rates("constant")[2:] == [1, 1, 1]


def test_the_table_pairs_the_seeds(bench, capsys):
    def runs(*losses):
        return [dict(loss=loss, steps=3, parameters=1000) for loss in losses]

    bench.table(["nanogpt", "ours"], {"nanogpt": runs(2.0, 1.9), "ours": runs(1.7, 1.5)})
    _, nano, ours = capsys.readouterr().out.splitlines()
    assert nano.split()[:2] == ["1.950", "0.071"] and "+0.350 ± 0.071" in nano
    assert ours.split()[:2] == ["1.600", "0.141"] and "+" not in ours


def test_without_nanogpt_it_says_what_it_expects(bench, tmp_path):
    with pytest.raises(SystemExit, match="expected nanoGPT's model.py there"):
        bench.nanogpt_module(str(tmp_path))
