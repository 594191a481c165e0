"""Words in a deep stack: the definitions by loops, the law of each wiring, and Block's own."""

import math

import pytest
import torch
from torch.testing import assert_close

from attention.cache import Cache
from attention.gpt import MLP, Block, CausalSelfAttention, start_as_identity
from chapters.ch12.depth import (
    PLACES,
    WiredBlock,
    propagate,
    residual_wiring,
    rms,
    scale_outputs,
    token_diversity,
)
from tests.attention.draws import draw

pytestmark = pytest.mark.usefixtures("as_a_user")
B, T, C = 2, 5, 12


def parts(seed=0, activation="relu"):
    torch.manual_seed(seed)
    return CausalSelfAttention(C, 3).double(), MLP(C, activation).double()


def stack(n_layer, **how):
    return [WiredBlock(*parts(seed), C, **how).double() for seed in range(n_layer)]


def double(x):
    return 2 * x


def unit(x):
    return x / x.square().mean(dim=-1, keepdim=True).sqrt()


def test_wiring_is_what_its_formula_says():
    x = draw(B, T, C)
    assert_close(residual_wiring(x, double, unit), x + 2 * unit(x))
    assert_close(
        residual_wiring(x, double, unit, place="after"), unit(x)
    )  # x + 2 x, divided by its size
    assert_close(residual_wiring(x, double, unit, place="none"), 3 * x)
    assert_close(residual_wiring(x, double, unit, residual=False), 2 * unit(x))
    assert_close(residual_wiring(x, double, unit, residual=False, place="none"), 2 * x)


def test_with_its_defaults_it_is_a_block():
    ours, theirs = WiredBlock(*parts(), C).double(), Block(*parts(), C).double()
    x = draw(B, T, C)
    assert_close(ours(x), theirs(x))
    cache = Cache(T)
    assert_close(torch.cat([ours(x[:, :3], cache), ours(x[:, 3:], cache)], dim=1), ours(x))


def test_a_norm_after_leaves_words_of_size_1():
    for residual in (True, False):
        out = stack(3, residual=residual, place="after")[-1](draw(B, T, C))
        ones = torch.ones(B, T, dtype=torch.float64)
        assert_close(out.square().mean(dim=-1), ones, atol=1e-5, rtol=0)


def test_size_and_diversity_by_loops():
    x = draw(T, C)
    rows = x.tolist()
    squares = sum(value**2 for row in rows for value in row)
    assert rms(x).item() == pytest.approx(math.sqrt(squares / (T * C)))
    means = [sum(row[c] for row in rows) / T for c in range(C)]
    left = sum((row[c] - means[c]) ** 2 for row in rows for c in range(C))
    assert token_diversity(x).item() == pytest.approx(math.sqrt(left / squares))
    assert token_diversity(1000 * x).item() == pytest.approx(token_diversity(x).item())


def test_the_gradients_are_those_of_finite_differences():
    blocks, x, direction = stack(3), draw(1, 2, C), draw(1, 2, C, seed=1)
    found = propagate(blocks, x, direction)

    def end(first):
        for block in blocks:
            first = block(first)
        return (first * direction).sum().item()

    step, slopes = 1e-6, []
    for n in range(x.numel()):
        nudge = torch.zeros(x.numel(), dtype=torch.float64)
        nudge[n] = step
        slopes.append((end(x + nudge.view(x.shape)) - end(x - nudge.view(x.shape))) / (2 * step))
    assert found.gradient[0].item() == pytest.approx(rms(torch.tensor(slopes)).item(), rel=1e-5)
    assert_close(found.gradient[-1], rms(direction))


def test_a_passage_tells_every_depth_and_changes_nothing():
    blocks, x = stack(4), draw(B, T, C)
    before = x.clone()
    found = propagate(blocks, x, draw(B, T, C, seed=1))
    assert [len(column) for column in found] == [5, 5, 5, 5]
    assert torch.equal(x, before) and not x.requires_grad
    assert all(block.attention.out.weight.grad is None for block in blocks)
    after = x
    for n, block in enumerate(blocks, 1):
        after = block(after)
        assert_close(found.streams[n], after.detach())
        assert_close(found.signal[n], rms(after).detach())
        assert_close(found.diversity[n], token_diversity(after).detach())


def test_without_residuals_words_become_the_same_whatever_the_norm():
    x, direction = draw(1, 6, C), draw(1, 6, C, seed=1)
    for place in PLACES:
        lost = propagate(stack(24, residual=False, place=place), x, direction)
        kept = propagate(stack(24, place=place), x, direction)
        assert lost.diversity[-1] < 1e-3 < 0.05 < kept.diversity[-1], place
        assert (lost.signal[-1] > 0.05) == (place != "none")
    assert propagate(stack(24, residual=False, place="none"), x, direction).gradient[0] < 1e-6


def test_scaled_outputs_scale_what_a_block_adds_first():
    (block,) = stack(1, place="none")
    x = draw(B, T, C)
    heard = block.attention(x)
    torch.nn.init.zeros_(block.mlp.out.weight)
    scale_outputs(block, 0.25)
    assert_close(block(x), x + heard / 4)
    biased = Block(CausalSelfAttention(C, 3, bias=True), MLP(C, bias=True), C).double()
    scale_outputs(biased, 0.0)
    start = Block(CausalSelfAttention(C, 3, bias=True), MLP(C, bias=True), C).double()
    start_as_identity(start)
    assert torch.equal(biased(x), x) and torch.equal(start(x), x)
