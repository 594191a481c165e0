"""Answers that state a formula, or what PyTorch allows: against what they count or speak of.

All other answers are held by the right ones in `answers`, which compute them in another way.
"""

import math
import random
import re

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from attention.gpt import GPT, MLP, NORMS, Block, CausalSelfAttention, Config
from attention.multi_head import MultiHeadAttention
from chapters.ch13.counting import forward_flops
from course.learn.exercises import load
from tests.conftest import answer

pytestmark = pytest.mark.usefixtures("as_a_user")


def n_parameters(module):
    return sum(parameter.numel() for parameter in module.parameters())


def test_a_view_is_possible_where_pytorch_allows_it():
    said = []
    for _ in range(2000):
        x = torch.empty(random.choices((1, 2, 3, 4), k=random.randint(1, 4)))
        for _ in range(random.randint(0, 3)):
            a, b = (random.randrange(x.ndim) for _ in "ab")
            step = random.choice([slice(None), slice(None, None, 2), slice(0, 2)])
            x = x.transpose(a, b)[(slice(None),) * b + (step,)]
            x = x.expand(*x.shape[:0], 2, *x.shape) if random.random() < 0.2 else x
        sizes = random.sample([*x.shape, 1], x.ndim + 1)
        new = tuple([math.prod(sizes[:2]), *sizes[2:]] if random.random() < 0.5 else sizes)
        try:
            possible = x.view(new) is not None
        except RuntimeError:
            possible = False
        said.append(answer("00.can_view")(tuple(x.shape), x.stride(), new))
        assert said[-1] == possible, (x.shape, x.stride(), new)
    assert {True, False} == set(said)


def test_variances_are_those_of_draws():
    q, k = 1.5 * torch.randn(100_000, 12), 0.5 * torch.randn(100_000, 12)
    measured = float(((q * k).sum(-1) * 0.3).var())
    assert_close(answer("07.score_variance")(12, 2.25, 0.25, 0.3), measured, rtol=0.03, atol=0)
    x, drawn = 2 * torch.randn(2000, 24), []
    for _ in range(60):
        query, key = nn.Linear(24, 6, bias=False), nn.Linear(24, 6, bias=False)
        with torch.no_grad():
            drawn.append(float((query(x) * key(x.roll(1, 0))).sum(-1).square().mean()))
    expected = answer("07.default_variance")(4.0, 24, 6)
    assert_close(sum(drawn) / len(drawn), expected, rtol=0.1, atol=0)


def test_saved_numbers_are_what_a_state_dict_holds():
    class Keeper(nn.Module):
        def __init__(self, how, C, D, block):
            super().__init__()
            self.layers = nn.ModuleList(nn.Linear(C, D, bias=False) for _ in range(3))
            mask = torch.ones(block, block)
            if how == "attribute":
                self.mask = mask
            else:
                self.register_buffer("mask", mask, persistent="False" not in how)

    for sizes in load("09.saved_numbers").inputs:
        for how, number in answer("09.saved_numbers")(*sizes).items():
            state = Keeper(how, *sizes).state_dict()
            assert sum(tensor.numel() for tensor in state.values()) == number


def test_modules_have_as_many_parameters_as_is_counted():
    for n_embd, n_head in [*load("10.count_parameters").fixed, (768, 12)]:
        module = MultiHeadAttention(n_embd, n_head, block_size=3)
        assert answer("10.count_parameters")(n_embd, n_head) == n_parameters(module)
    for norm in NORMS:
        for bias in (False, True):
            attention = CausalSelfAttention(12, 3, bias=bias)
            block = Block(attention, MLP(12, bias=bias), 12, norm)
            assert answer("12.count_block")(12, norm, bias) == n_parameters(block)


def test_every_weight_of_a_gpt_has_a_first_size():
    first_std, n_layer = answer("12.first_std"), 3
    model = GPT(
        Config(9, 8, n_layer, n_head=3, n_embd=12, positions="learned", bias=True, norm="layer")
    )
    found = {name: first_std(name, n_layer) for name, _ in model.named_parameters()}
    small = {name for name, std in found.items() if 0 < std < 0.02}
    assert len(small) == 2 * n_layer and all(name.endswith("out.weight") for name in small)
    nothing = {name for name in found if re.search(r"norm|bias$", name)}
    assert {name for name, std in found.items() if std == 0} == nothing


def test_the_operations_are_those_of_the_model():
    for n_tokens, T, n_layer, n_embd, vocab_size in load("13.count_flops").inputs:
        config = Config(vocab_size, T, n_layer=n_layer, n_head=1, n_embd=n_embd)
        work = sum(forward_flops(config, n_tokens // T, T).values())
        assert answer("13.count_flops")(n_tokens, T, n_layer, n_embd, vocab_size) == work
