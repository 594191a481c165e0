"""The loss is PyTorch's, a step goes down, and an evaluation looks at every token."""

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from attention.bigram import BigramLanguageModel
from attention.training import cross_entropy, evaluate, minimize, train
from tests.attention.draws import draw, draw_ids, seeded


def ids_of(n, vocab_size=7, seed=0):
    return draw_ids(n, vocab_size=vocab_size, seed=seed)


@given(st.integers(1, 3), st.integers(1, 7), st.integers(2, 11), st.integers(0, 99))
def test_cross_entropy_is_pytorchs_own(B, T, V, seed):
    logits = 3 * draw(B, T, V, seed=seed)
    targets = ids_of(B * T, V, seed).view(B, T)
    expected = F.cross_entropy(logits.view(B * T, V), targets.view(B * T))
    assert_close(cross_entropy(logits, targets), expected)
    assert_close(cross_entropy(logits, targets), F.cross_entropy(logits.mT, targets))


def test_a_step_returns_the_loss_before_it_and_lowers_it():
    torch.manual_seed(0)
    model = BigramLanguageModel(7)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    x, y = ids_of(20).view(4, 5), ids_of(20, seed=1).view(4, 5)
    before, loss = cross_entropy(model(x), y).item(), lambda: cross_entropy(model(x), y)
    assert list(minimize(loss, model.parameters(), [optimizer], 1)) == [before]
    assert loss().item() < before


def test_steps_are_those_of_gradient_descent_with_a_schedule():
    """Three of them: a gradient that was kept from the step before would show."""
    torch.manual_seed(0)
    model = BigramLanguageModel(7)
    table = model.table.weight.detach().clone()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    batches = [[ids_of(20, seed=seed + n).view(4, 5) for n in (0, 9)] for seed in range(3)]
    drawn = iter(batches)

    def loss():
        x, y = next(drawn)
        return cross_entropy(model(x), y)

    shares = [1.0, 0.3, 2.0]
    list(minimize(loss, model.parameters(), [optimizer], 3, schedule=shares.__getitem__))
    for (x, y), share in zip(batches, shares, strict=True):
        leaf = table.clone().requires_grad_()
        (gradient,) = torch.autograd.grad(F.cross_entropy(leaf[x].mT, y), leaf)
        table -= 0.5 * share * gradient
    assert_close(model.table.weight.detach(), table)


def test_training_learns_what_follows_what():
    torch.manual_seed(0)
    ids = torch.arange(7).repeat(100)  # after i comes i + 1: the floor is 0
    model = BigramLanguageModel(7)
    sizes = dict(n_steps=300, batch_size=8, block_size=5, learning_rate=0.1)
    assert len(train(model, ids, generator=seeded(), **sizes)) == 300
    assert evaluate(model, ids, 5).mean < 0.05
    assert model(torch.arange(7)[None]).argmax(-1).tolist() == [[1, 2, 3, 4, 5, 6, 0]]


def test_the_generator_alone_decides_which_batches_come():
    def run(seed):
        torch.manual_seed(3)
        model = BigramLanguageModel(7)
        torch.manual_seed(seed)  # of the global generator
        sizes = dict(n_steps=5, batch_size=3, block_size=4, learning_rate=0.1)
        return train(model, ids_of(200), generator=seeded(4), **sizes)

    assert run(0) == run(1)


def test_evaluation_sees_every_block_once():
    torch.manual_seed(0)
    model = BigramLanguageModel(7)
    ids = ids_of(1 + 5 * 23)
    x, y = ids[:-1].view(23, 5), ids[1:].view(23, 5)
    each = torch.stack([cross_entropy(model(x[b : b + 1]), y[b : b + 1]) for b in range(23)])
    estimate = evaluate(model, ids, 5, batch_size=4)
    assert_close(estimate.mean, each.mean().item())
    assert_close(estimate.standard_error, (each.std() / 23**0.5).item())


def test_one_block_has_a_mean_and_no_spread():
    mean, error = evaluate(BigramLanguageModel(7), ids_of(6), 5)
    assert math.isfinite(mean) and math.isnan(error)
    assert all(map(math.isfinite, evaluate(BigramLanguageModel(7), ids_of(11), 5)))


def test_evaluation_keeps_no_graph_and_leaves_the_mode_as_it_was():
    class WithDropout(BigramLanguageModel):
        def forward(self, ids):
            assert not torch.is_grad_enabled()
            return F.dropout(super().forward(ids), 0.5, self.training)

    model = WithDropout(7)
    ids = ids_of(100)
    assert evaluate(model, ids, 5) == evaluate(model, ids, 5)  # no dropout while judging
    assert model.training
    with pytest.raises(IndexError):
        evaluate(model, ids + 7, 5)
    assert model.training
    model.eval()
    evaluate(model, ids, 5)
    assert not model.training


def test_training_shows_how_far_it_is_and_is_done_in_training_mode(capsys):
    sizes = dict(n_steps=2, batch_size=1, block_size=2, learning_rate=0.1)
    model = BigramLanguageModel(7).eval()
    train(model, ids_of(50), generator=seeded(), **sizes)
    assert "training: 100%" in capsys.readouterr().out and model.training


@given(st.integers(0, 99))
def test_padding_does_not_count(seed):
    logits, targets = draw(3, 5, 7, seed=seed), ids_of(15, seed=seed).view(3, 5)
    for n, row in zip((5, 3, 1), targets, strict=True):
        row[n:] = -100  # F.cross_entropy's own sign for "ignore this"
    logits[targets == -100] = float("nan")  # nobody looks there
    real = torch.where(targets[..., None] == -100, 0, logits)
    expected = F.cross_entropy(real.flatten(0, 1), targets.flatten())
    assert_close(cross_entropy(logits, targets, padding=-100), expected)
