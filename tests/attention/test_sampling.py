"""From logits to new ids: the last position decides, and the temperature how boldly."""

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from attention.sampling import draw, generate, keep_top_k, keep_top_p, next_probabilities

pytestmark = pytest.mark.usefixtures("as_a_user")


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


class NextIsOneMore(nn.Module):
    """Sure that id + 1 follows, modulo 7; each position says so for itself."""

    def __init__(self):
        super().__init__()
        self.longest = 0

    def forward(self, ids):
        self.longest = max(self.longest, ids.shape[1])
        return 100.0 * nn.functional.one_hot((ids + 1) % 7, 7).float()


def test_the_last_position_decides():
    ids = generate(NextIsOneMore(), torch.tensor([[3, 0, 5], [1, 1, 2]]), 4, seeded())
    assert ids.tolist() == [[3, 0, 5, 6, 0, 1, 2], [1, 1, 2, 3, 4, 5, 6]]


def test_the_context_is_cropped_to_the_block():
    model = NextIsOneMore()
    ids = generate(model, torch.tensor([[0]]), 20, seeded(), block_size=5)
    assert model.longest == 5
    assert ids.tolist() == [[i % 7 for i in range(21)]]  # the newest positions are kept


@pytest.mark.parametrize("size", [0, -3])
def test_a_block_has_a_position(size):
    with pytest.raises(ValueError, match=f"block_size: expected 1 or more positions, got {size}"):
        generate(NextIsOneMore(), torch.tensor([[0]]), 2, seeded(), block_size=size)


@pytest.mark.parametrize("training", [True, False])
def test_generation_evaluates_and_leaves_the_mode_as_it_was(training):
    class Forgets(NextIsOneMore):
        def forward(self, ids):
            assert not self.training
            if len(ids) > 1:
                raise RuntimeError("too many")
            return super().forward(ids)

    model = Forgets().train(training)
    assert generate(model, torch.tensor([[3]]), 2, seeded()).tolist() == [[3, 4, 5]]
    assert model.training == training
    with pytest.raises(RuntimeError):
        generate(model, torch.tensor([[3], [4]]), 2, seeded())
    assert model.training == training


def test_the_input_is_left_as_it_was():
    ids = torch.tensor([[1, 2]])
    assert generate(NextIsOneMore(), ids, 3, seeded()).shape == (1, 5)
    assert ids.tolist() == [[1, 2]]
    assert generate(NextIsOneMore(), ids, 0, seeded()).tolist() == [[1, 2]]


def test_temperature_1_is_softmax_and_0_is_argmax():
    logits = torch.tensor([[1.0, 3.0, 2.0], [0.0, -1.0, -2.0]])
    assert_close(next_probabilities(logits), torch.softmax(logits, dim=-1))
    assert next_probabilities(logits, 0).tolist() == [[0, 1, 0], [1, 0, 0]]
    bold, even = next_probabilities(logits, 0.5), next_probabilities(logits, 5.0)
    assert bool((bold.max(-1).values > torch.softmax(logits, -1).max(-1).values).all())
    assert_close(next_probabilities(logits, 1e6), torch.full((2, 3), 1 / 3), atol=1e-5, rtol=0)
    assert bool((even.max(-1).values < bold.max(-1).values).all())


def test_draws_follow_the_probabilities():
    p = torch.tensor([[0.2, 0.5, 0.3]]).expand(30_000, 3)
    counts = torch.bincount(draw(p, seeded()).flatten(), minlength=3) / 30_000
    assert_close(counts, p[0], rtol=0, atol=0.015)


def test_an_impossible_id_is_never_drawn():
    assert draw(torch.tensor([[0.0, 1.0, 0.0]]).expand(99, 3), seeded()).unique().tolist() == [1]


def test_the_models_own_probabilities_are_drawn_from_unless_told():
    class HalfSure(NextIsOneMore):
        def forward(self, ids):
            return super().forward(ids) / 50

    half_sure = HalfSure()
    first = generate(half_sure, torch.tensor([[0]]), 50, seeded())
    assert torch.equal(first, generate(half_sure, torch.tensor([[0]]), 50, seeded(), 1.0))
    assert not torch.equal(first, generate(half_sure, torch.tensor([[0]]), 50, seeded(), 2.0))


@pytest.mark.parametrize("temperature", [-0.1, float("nan"), float("inf")])
def test_an_impossible_temperature_is_refused(temperature):
    with pytest.raises(ValueError, match="temperature: expected 0 .* or more, got"):
        next_probabilities(torch.zeros(1, 3), temperature)


@pytest.mark.parametrize(
    ("row", "total"), [([0.5, 0.2], "0.7000"), ([1.5, -0.5], "1.0000"), ([float("nan"), 1], "nan")]
)
def test_what_is_no_distribution_is_refused(row, total):
    with pytest.raises(ValueError, match=f"rows that sum to 1 .* got a sum of {total} in row 1"):
        draw(torch.tensor([[0.5, 0.5], row]), seeded())


def test_generation_needs_something_to_go_on_from():
    with pytest.raises(ValueError, match=r"at least one position to go on from, got \(1, 0\)"):
        generate(NextIsOneMore(), torch.zeros(1, 0, dtype=torch.long), 3, seeded())
    with pytest.raises(ValueError, match="n_new: expected 0 or more ids to add, got -1"):
        generate(NextIsOneMore(), torch.tensor([[0]]), -1, seeded())


ROWS = torch.tensor([[0.1, 0.4, 0.2, 0.3], [0.7, 0.1, 0.1, 0.1]], dtype=torch.float64)


def test_top_k_keeps_the_likeliest():
    assert_close(keep_top_k(ROWS, 2)[0], torch.tensor([0, 4, 0, 3]).double() / 7)
    assert (keep_top_k(ROWS, 3) > 0).sum(dim=-1).tolist() == [3, 3]  # of equals too, no more
    assert_close(keep_top_k(ROWS, 4), ROWS)
    assert_close(next_probabilities(ROWS.log(), top_k=1), next_probabilities(ROWS.log(), 0))


def test_top_p_keeps_the_fewest_that_have_p():
    assert_close(keep_top_p(ROWS, 0.5)[0], torch.tensor([0, 4, 0, 3]).double() / 7)
    assert_close(keep_top_p(ROWS, 0.5)[1], torch.tensor([1, 0, 0, 0]).double())
    assert_close(keep_top_p(ROWS, 0.75)[0], torch.tensor([0, 4, 2, 3]).double() / 9)
    assert_close(keep_top_p(ROWS, 1e-9), next_probabilities(ROWS.log(), 0))
    assert_close(keep_top_p(ROWS, 1.0), ROWS)


def test_what_is_kept_is_what_transformers_keep():
    transformers = pytest.importorskip("transformers")
    logits = torch.randn(5, 11, generator=seeded(3))
    for theirs, ours in (
        (transformers.TopKLogitsWarper(3), dict(top_k=3)),
        (transformers.TopPLogitsWarper(0.8), dict(top_p=0.8)),
    ):
        expected = theirs(None, logits / 0.7).softmax(dim=-1)
        assert_close(next_probabilities(logits, 0.7, **ours), expected)


def test_the_temperature_comes_before_both():
    logits = ROWS.log()
    cooler = next_probabilities(logits, 0.5)
    assert_close(next_probabilities(logits, 0.5, top_p=0.6), keep_top_p(cooler, 0.6))
    assert_close(
        next_probabilities(logits, 0.5, top_k=3, top_p=0.6), keep_top_p(keep_top_k(cooler, 3), 0.6)
    )


@pytest.mark.parametrize("k", [0, -1, 5])
def test_top_k_is_from_1_to_the_vocabulary(k):
    with pytest.raises(ValueError, match=f"top_k: expected 1 to 4 ids .*, got {k}"):
        next_probabilities(ROWS.log(), top_k=k)


@pytest.mark.parametrize("p", [0, -0.1, 1.1, float("nan")])
def test_top_p_is_a_share(p):
    with pytest.raises(ValueError, match=f"top_p: expected a number above 0 .*, got {p}"):
        next_probabilities(ROWS.log(), top_p=p)


def test_generate_draws_from_what_is_kept():
    flat = lambda ids: torch.arange(7.0).expand(*ids.shape, 7)  # noqa: E731

    class Flat(nn.Module):
        def forward(self, ids):
            return flat(ids)

    for kept in (dict(top_k=2), dict(top_p=0.8)):
        new = generate(Flat(), torch.zeros(20, 1).long(), 5, seeded(), **kept)[:, 1:]
        assert set(new.flatten().tolist()) == {5, 6}
