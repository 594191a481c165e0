"""The answers of the exercises, on larger inputs than their records try, against other code.

Chapters 04, 06, 09 and 10 have such tests beside those of their records and figures.
"""

import math
import random
from collections import Counter

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Categorical
from torch.testing import assert_close

from attention import masks, properties
from attention.averaging import mean_past_tril
from attention.batches import cut_blocks, get_batch, split
from attention.bigram import bigram_counts, bigram_floor, counted_loss
from attention.corpus import load_corpus
from attention.tokenizers import CharTokenizer
from tests.conftest import answer

pytestmark = pytest.mark.usefixtures("as_a_user")


def draw(*shape):
    return torch.randn(*shape, dtype=torch.float64)


# ---------------------------------------------------------------- 00: shapes


def test_six_shapes_are_what_pytorch_says():
    x, column, w = draw(2, 5, 3), draw(2, 5, 1), draw(3, 4)
    found = x[1], x.sum(1), x.mean(-1, keepdim=True), x + column, x @ w, x @ x.mT
    assert answer("00.six_shapes")() == [tuple(part.shape) for part in found]


def test_centre_and_swap_are_numpys():
    x = draw(3, 7, 11)
    centred = x.numpy() - np.average(x.numpy(), axis=2)[:, :, None]
    assert_close(answer("00.centre")(x), torch.from_numpy(centred))
    swapped = np.einsum("btc->bct", x.numpy()).copy()
    assert_close(answer("00.swap_last_two")(x), torch.from_numpy(swapped))


def test_close_is_allclose():
    said = []
    for exponent in range(-9, 0):
        a = draw(5)
        b = a * (1 + draw(5) * 10.0**exponent)
        said.append(answer("00.close")(a, b, 1e-4, 1e-6))
        assert said[-1] == torch.allclose(a, b, rtol=1e-4, atol=1e-6)
    assert {True, False} == set(said)


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


# ---------------------------------------------------------------- 01: tokens


def test_encoding_is_the_tokenizers():
    text = load_corpus("play")
    tokenizer = CharTokenizer(text)
    vocab = sorted(set(text))
    assert answer("01.encode")(text[:2000], vocab) == tokenizer.encode(text[:2000])
    assert answer("01.encode_or_unknown")("a\N{SNOWMAN}b", vocab) == [
        vocab.index("a"), len(vocab), vocab.index("b"),
    ]  # fmt: skip


def test_merging_is_replacing_in_a_string():
    for _ in range(100):
        ids = [random.randint(0, 2) for _ in range(40)]
        text = "".join(map(chr, ids)).replace("\x00\x01", "\x09").replace("\x02\x02", "\x08")
        merged = answer("01.merge")(answer("01.merge")(ids, (0, 1), 9), (2, 2), 8)
        assert merged == list(map(ord, text))


def test_pairs_are_merged_from_the_most_frequent_on():
    text = load_corpus("play")[:3000]
    ids = text
    for new in range(256, 276):
        pairs = Counter(zip(ids, ids[1:], strict=False))
        (first, second), _ = pairs.most_common(1)[0]  # of equal ones the first that came up
        ids = ids.replace(first + second, chr(new))
    assert answer("01.bpe")(text, 20) == list(map(ord, ids))


def test_special_tokens_come_out_whole():
    for _ in range(100):
        parts = random.choices(["ab", "<|end|>", "|", " "], k=6)
        text = "".join(parts)
        found = answer("01.split_special")(text, "<|end|>")
        assert "".join(found) == text
        assert [part for part in found if part != "<|end|>"] == [
            part for part in text.split("<|end|>") if part
        ]
        assert found.count("<|end|>") == parts.count("<|end|>")


# ---------------------------------------------------------------- 02: batches


def test_cutting_is_the_packages():
    ids = torch.randint(65, (500,))
    for ours, theirs in zip(answer("02.hold_back")(ids, 0.8), split(ids, 0.8), strict=True):
        assert torch.equal(ours, theirs)
    for start in (0, 17, 491):
        x, y = cut_blocks(ids, torch.tensor([start]), 8)
        ours = answer("02.cut")(ids, start, 8)
        assert torch.equal(ours[0], x[0]) and torch.equal(ours[1], y[0])
    with pytest.raises(ValueError):
        answer("02.cut")(ids, 492, 8)


def test_every_example_is_a_window_of_the_text():
    ids = torch.arange(100, 200)
    x, y = cut_blocks(ids, torch.tensor([3, 60]), 7)
    windows = [ids[s : s + n + 1].tolist() for s in (3, 60) for n in range(1, 8)]
    assert answer("02.examples")(x, y) == [(window[:-1], window[-1]) for window in windows]


def test_the_packages_batch_is_right():
    assert answer("02.is_right")(get_batch)
    assert not answer("02.is_right")(lambda *given: get_batch(*given)[::-1])


# ---------------------------------------------------------------- 03: losses


def test_losses_are_minus_the_log_of_the_targets_probability():
    logits, targets = draw(3, 5, 7), torch.randint(7, (3, 5))
    probabilities = logits.exp() / logits.exp().sum(-1, keepdim=True)
    losses = torch.tensor(
        [
            [-math.log(probabilities[b, t, targets[b, t]]) for t in range(5)]
            for b in range(3)
        ],
        dtype=torch.float64,
    )  # fmt: skip
    assert_close(answer("03.each_loss")(logits, targets), losses)
    assert_close(answer("03.batch_loss")(logits, targets), losses.mean())


def test_the_lowest_loss_is_the_floor():
    ids = torch.randint(13, (999,)) * torch.randint(2, (999,))
    lowest = answer("03.lowest_loss")(bigram_counts(ids, 13))
    assert_close(lowest, bigram_floor(ids, 13), rtol=0, atol=1e-9)


def test_the_best_smoothing_is_that_of_the_packages_loss():
    ids = torch.randint(9, (400,)) * torch.randint(2, (400,))
    counts, held_back = bigram_counts(ids[:300], 9), bigram_counts(ids[300:], 9)
    ks = [0.01, 30.0, 1.0, 0.3, 5.0]
    best = min(ks, key=lambda k: counted_loss(held_back, counts, smoothing=k))
    assert answer("03.best_smoothing")(counts, held_back, ks) == best


def test_blocks_in_strides_are_slices():
    ids = torch.arange(23)
    for block_size, stride in ((3, 3), (5, 2), (4, 7)):
        x, y = answer("02.strided_blocks")(ids, block_size, stride)
        assert torch.equal(y, x + 1) and int(y.max()) <= 22 < int(x[-1, 0]) + stride + block_size
        assert x[:, 0].tolist() == list(range(0, int(x[-1, 0]) + 1, stride))


def test_a_key_wins_where_some_of_many_queries_finds_it():
    angles = torch.linspace(0, 2 * math.pi, 3601)
    queries = torch.stack([angles.cos(), angles.sin()], dim=-1).double()
    said = []
    for _ in range(300):
        keys = draw(random.randint(2, 7), 2)
        winners = set((queries @ keys.T).argmax(dim=-1).tolist())
        said += [answer("05.can_win")(keys, j) == (j in winners) for j in range(len(keys))]
    assert sum(said) / len(said) > 0.995  # an arc may be narrower than a step


@pytest.mark.parametrize(("spread", "wanted"), [(0.07, 0.013), (1.7, 0.25), (3.0, 2.9)])
def test_one_batch_less_is_not_enough(spread, wanted):
    n = answer("03.batches_needed")(spread, wanted)
    assert spread / math.sqrt(n) <= wanted < spread / math.sqrt(n - 1)


# ---------------------------------------------------------------- 05: attention by hand


def test_attention_without_weights_is_pytorchs():
    x = draw(11, 5)
    assert_close(answer("05.dot")(x[0].tolist(), x[1].tolist()), float(torch.dot(x[0], x[1])))
    scores = 300 * draw(2, 3, 5, 7)
    assert_close(answer("05.stable_softmax")(scores), torch.softmax(scores, dim=-1))


def test_a_lead_makes_a_ratio():
    for ratio in (0.01, 0.5, 3.0, 1000.0):
        lead = answer("05.score_lead")(ratio)
        first, second = torch.softmax(torch.tensor([lead, 0.0], dtype=torch.float64), 0)
        assert_close(float(first / second), ratio)


def test_weights_lie_in_the_simplex():
    is_weights, simplex = answer("05.is_weights"), torch.distributions.constraints.simplex
    rows = [torch.softmax(draw(9), 0) for _ in range(5)]
    rows += [rows[0] * 1.01, torch.tensor([1.5, -0.5]), torch.tensor([float("nan"), 1.0])]
    assert [is_weights(row) for row in rows] == [bool(simplex.check(row)) for row in rows]
    assert [is_weights(row) for row in rows] == [True] * 5 + [False] * 3


# ---------------------------------------------------------------- 07: scale


def test_variances_are_those_of_draws():
    q, k = 1.5 * draw(100_000, 12), 0.5 * draw(100_000, 12)
    measured = float(((q * k).sum(-1) * 0.3).var())
    assert_close(answer("07.score_variance")(12, 2.25, 0.25, 0.3), measured, rtol=0.03, atol=0)
    x, drawn = 2 * torch.randn(2000, 24), []
    for _ in range(60):
        query, key = nn.Linear(24, 6, bias=False), nn.Linear(24, 6, bias=False)
        with torch.no_grad():
            drawn.append(float((query(x) * key(x.roll(1, 0))).sum(-1).square().mean()))
    expected = answer("07.default_variance")(4.0, 24, 6)
    assert_close(float(np.mean(drawn)), expected, rtol=0.1, atol=0)


def test_scaled_weights_are_what_pytorch_mixes_with():
    x, W_q, W_k = draw(2, 9, 5), draw(5, 3), draw(5, 3)
    weights = F.scaled_dot_product_attention(
        x @ W_q, x @ W_k, torch.eye(9).double().expand(2, 9, 9)
    )
    assert_close(answer("07.scaled_weights")(x, W_q, W_k), weights)


def test_jacobian_entropy_and_difference_are_the_libraries():
    scores = draw(8)
    jacobian = torch.autograd.functional.jacobian(lambda s: torch.softmax(s, -1), scores)
    assert_close(answer("07.softmax_jacobian")(scores), jacobian)
    weights = torch.softmax(draw(3, 4, 6), -1)
    heard = answer("07.words_heard")(weights)
    assert_close(heard.log(), Categorical(probs=weights).entropy())
    a, b = draw(9), draw(9)
    runs = [dict(zip(random.sample(range(9), 9), range(9), strict=True)) for _ in range(2)]
    mean, error = answer("07.paired_difference")(
        {seed: float(a[seed]) for seed in runs[0]}, {seed: float(b[seed]) for seed in runs[1]}
    )
    difference = a.numpy() - b.numpy()
    assert_close(mean, float(difference.mean()))
    assert_close(error, float(difference.std(ddof=1) / math.sqrt(9)))


# ---------------------------------------------------------------- 08: masks


def test_masked_weights_are_what_pytorch_mixes_with():
    T = 9
    q, k, eye = draw(2, T, 5), draw(2, T, 5), torch.eye(T).double().expand(2, T, T)
    scores = q @ k.mT * 5**-0.5
    weights = F.scaled_dot_product_attention(q, k, eye, is_causal=True)
    assert_close(answer("08.causal_weights")(scores), weights)
    mask = masks.causal_mask(T)
    assert_close(answer("08.mask_weights")(torch.softmax(scores, -1), mask), weights)
    assert_close(answer("08.safe_weights")(scores, mask), weights)
    closed = mask.clone()
    closed[4] = False
    safe = answer("08.safe_weights")(scores, closed)
    assert not safe[:, 4].any()
    assert_close(safe[:, 5:], weights[:, 5:])


def test_the_detector_agrees_with_the_packages():
    x = draw(2, 7, 3)
    for forward in (mean_past_tril, lambda x: x.flip(1), lambda x: x.roll(-1, 1), lambda x: x):
        assert answer("08.no_future_leak")(forward, x) == properties.no_future_leak(forward, x)


def test_masks_are_the_packages():
    lengths, T = torch.tensor([1, 4, 7]), 7
    joint = masks.causal_mask(T) & masks.padding_mask(lengths, T)
    assert torch.equal(answer("08.joint_mask")(lengths, T), joint)
    given = {
        "sdpa": joint,
        "mha": ~joint,
        "additive": masks.to_additive(joint),
        "ones": joint.long(),
    }
    for convention, mask in given.items():
        assert torch.equal(answer("08.as_allowed")(mask, convention), joint), convention
