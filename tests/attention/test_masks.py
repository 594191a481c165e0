"""Masks are True where a query attends to a key; other conventions give the same attention."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.testing import assert_close

from attention.heads import scaled_dot_product_attention
from attention.masks import (
    causal_mask,
    document_mask,
    padding_mask,
    sink_mask,
    to_additive,
    window_mask,
)
from tests.attention.draws import draw

pytestmark = pytest.mark.usefixtures("as_a_user")


@pytest.mark.parametrize("T", [1, 2, 5, 7])
def test_causal_is_itself_and_before(T):
    mask = causal_mask(T)
    assert mask.dtype == torch.bool
    assert all(bool(mask[i, j]) == (j <= i) for i in range(T) for j in range(T))
    assert all(torch.equal(causal_mask(T, n), mask[-n:]) for n in range(1, T + 1))


@pytest.mark.parametrize("window", [1, 2, 3, 7, 99])
def test_a_window_reaches_so_far_back_and_no_further(window):
    mask = window_mask(7, window)
    assert all(bool(mask[i, j]) == (i - window < j <= i) for i in range(7) for j in range(7))


@pytest.mark.parametrize("window", [1, 2, 3, 99])
@pytest.mark.parametrize("sinks", [0, 1, 4, 99])
def test_all_attend_to_the_sinks(window, sinks):
    mask = sink_mask(7, window, sinks)
    for i in range(7):
        for j in range(7):
            assert bool(mask[i, j]) == (j <= i and (i - j < window or j < sinks))


def test_documents_in_one_row_are_as_if_each_were_alone():
    documents = torch.tensor([[0, 0, 0, 1, 1, 2, 2], [5, 5, 3, 3, 3, 3, 3]])
    q, k, v = draw(2, 7, 3), draw(2, 7, 3, seed=1), draw(2, 7, 3, seed=2)
    out = scaled_dot_product_attention(q, k, v, document_mask(documents))
    for b, cuts in enumerate(([0, 3, 5, 7], [0, 2, 7])):
        for start, end in zip(cuts, cuts[1:], strict=False):
            part = (x[b, start:end] for x in (q, k, v))
            alone = scaled_dot_product_attention(*part, causal_mask(end - start))
            assert_close(out[b, start:end], alone)


def test_padding_forbids_the_keys_beyond_each_length():
    mask = padding_mask(torch.tensor([2, 5]), 5)
    assert mask.shape == (2, 1, 5)
    assert mask.sum(-1).tolist() == [[2], [5]]
    assert padding_mask(torch.tensor([1]), 3).tolist() == [[[True, False, False]]]
    both = causal_mask(5) & mask
    assert both.shape == (2, 5, 5)
    q, k, v = draw(2, 5, 3), draw(2, 5, 3, seed=1), draw(2, 5, 3, seed=2)
    out = scaled_dot_product_attention(q, k, v, both)
    alone = scaled_dot_product_attention(q[:1, :2], k[:1, :2], v[:1, :2], causal_mask(2))
    assert_close(out[:1, :2], alone)


def test_every_convention_gives_the_same_attention():
    x, mask = draw(2, 5, 6), window_mask(5, 2)
    ours = scaled_dot_product_attention(x, x, x, mask)
    assert_close(F.scaled_dot_product_attention(x, x, x, attn_mask=mask), ours)
    additive = to_additive(mask, torch.float64)
    assert additive.dtype == torch.float64
    assert_close(F.scaled_dot_product_attention(x, x, x, attn_mask=additive), ours)
    scores = x @ x.mT / 6**0.5
    by_hand = scores.masked_fill(~mask, float("-inf")).softmax(-1) @ x
    assert_close(by_hand, ours)
    assert_close(scores.masked_fill(mask.long() == 0, float("-inf")).softmax(-1) @ x, ours)
    theirs = nn.MultiheadAttention(6, 1, bias=False, batch_first=True).double()
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.eye(6).repeat(3, 1))
        theirs.out_proj.weight.copy_(torch.eye(6))
    assert_close(theirs(x, x, x, attn_mask=~mask)[0], ours)


def test_what_is_forbidden_gets_minus_infinity():
    """Not the least number there is: it is swallowed when a score is added, and -inf isn't."""
    assert to_additive(causal_mask(2)).tolist() == [[0.0, -float("inf")], [0.0, 0.0]]
