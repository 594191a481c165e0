"""Parameters and operations by formula are those that PyTorch counts."""

from dataclasses import replace

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from attention.gpt import GPT, Config
from chapters.ch13.counting import forward_flops, parameter_counts, training_flops

pytestmark = pytest.mark.usefixtures("as_a_user")
PLAIN = Config(13, 17, n_layer=3, n_head=6, n_embd=36)
KINDS = [
    PLAIN,
    replace(PLAIN, n_kv_head=2, positions="learned"),
    replace(PLAIN, norm="layer", bias=True, tied=True, positions="sinusoidal"),
    replace(PLAIN, norm="none", n_layer=1, n_kv_head=1),
]


def counted(call) -> int:
    """What PyTorch counts. It has no formula for the CPU's fused attention: the plain one is used."""
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        call()
    return counter.get_total_flops()


@pytest.mark.parametrize("config", KINDS)
def test_the_parameters_are_those_of_the_model(config):
    model, counts = GPT(config), parameter_counts(config)
    assert sum(counts.values()) == sum(p.numel() for p in model.parameters())
    assert counts["blocks"] == sum(p.numel() for p in model.blocks.parameters())


@pytest.mark.parametrize("config", KINDS)
@pytest.mark.parametrize(("n_sequences", "length"), [(1, 1), (2, 11), (3, 7)])
def test_the_operations_are_those_that_pytorch_counts(config, n_sequences, length):
    model, ids = GPT(config), torch.zeros(n_sequences, length, dtype=torch.long)
    forward = sum(forward_flops(config, n_sequences, length).values())
    assert counted(lambda: model(ids)) == forward
    assert counted(lambda: model(ids).sum().backward()) == training_flops(
        config, n_sequences, length
    )


def test_nothing_takes_no_operations():
    with pytest.raises(ValueError, match="expected 1 or more of both, got 0 and 3"):
        forward_flops(PLAIN, 0, 3)
