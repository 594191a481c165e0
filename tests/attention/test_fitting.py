"""The schedule, the two optimisers, and a fit that keeps the best weights and clips its steps."""

from functools import partial

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from attention.bigram import BigramLanguageModel
from attention.fitting import adamw, fit, muon, warm_up_and_cosine
from attention.gpt import GPT, Config
from attention.muon import Muon, orthogonalised
from attention.training import batch_loss, evaluate

pytestmark = pytest.mark.usefixtures("as_a_user")
SIZES = dict(n_steps=12, learning_rate=0.1)


def ids_of(length=200, seed=0):
    return torch.randint(7, (length,), generator=torch.Generator().manual_seed(seed))


def fitted(model, **changes):
    return on_blocks(model, ids_of(), ids_of(60, 1), **(SIZES | changes))


def on_blocks(model, train_ids, validation_ids, **how):
    loss = partial(batch_loss, model, train_ids, 3, 5, torch.Generator().manual_seed(0))
    return fit(model, loss, lambda: evaluate(model, validation_ids, 5).mean, **how)


def test_pytorchs_own_schedules_say_the_same():
    parts = [
        torch.optim.lr_scheduler.LinearLR(o := torch.optim.SGD([nn.Parameter(torch.zeros(1))], 1.0), 1 / 7, 1, 6),
        torch.optim.lr_scheduler.CosineAnnealingLR(o, 43),
    ]  # fmt: skip
    both = torch.optim.lr_scheduler.SequentialLR(o, parts, [7])
    for step in range(50):
        assert o.param_groups[0]["lr"] == pytest.approx(warm_up_and_cosine(step, 50, 7))
        o.step()
        both.step()
    assert warm_up_and_cosine(0, 50, 0) == 1  # without a warm-up, at once


def test_the_best_weights_are_kept():
    """Fitted to ids without any pattern, a table gets worse and worse on others."""
    torch.manual_seed(0)
    model = BigramLanguageModel(7)
    nn.init.zeros_(model.table.weight)
    history = fitted(model, n_steps=300, eval_every=4, learning_rate=0.05)
    best = min(evaluation.validation for evaluation in history)
    assert best < history[-1].validation - 0.01
    assert evaluate(model, ids_of(60, 1), 5).mean == pytest.approx(best, abs=1e-6)


def test_an_evaluation_has_the_mean_of_the_batches_since_the_last_one():
    each, whole = [], []
    for history, eval_every in ((each, 1), (whole, 3)):
        torch.manual_seed(0)
        history += fitted(BigramLanguageModel(7), n_steps=6, eval_every=eval_every)
    for n, evaluation in enumerate(whole):
        assert evaluation.train == pytest.approx(
            sum(one.train for one in each[3 * n : 3 * n + 3]) / 3
        )


def test_every_evaluation_is_handed_on_and_the_last_step_has_one():
    seen = []
    history = fitted(BigramLanguageModel(7), n_steps=7, eval_every=3, on_eval=seen.append)
    assert seen == history and [evaluation.step for evaluation in history] == [3, 6, 7]


def test_a_first_step_is_as_long_as_the_clip_allows():
    moved = []
    for clip in (0.01, 0.02):
        torch.manual_seed(0)
        model = BigramLanguageModel(7)
        before = model.table.weight.detach().clone()
        sgd = lambda model, rate: [torch.optim.SGD(model.parameters(), lr=rate)]  # noqa: E731
        fitted(model, n_steps=1, clip=clip, optimizers=sgd)
        moved.append((model.table.weight.detach() - before).norm().item())
    assert moved == pytest.approx([0.1 * 0.01, 0.1 * 0.02], rel=1e-3)


def test_both_optimisers_learn_a_pattern():
    ids = torch.arange(200) % 7
    for optimizers in (adamw, muon):
        torch.manual_seed(0)
        model = GPT(Config(7, 5, n_layer=1, n_head=2, n_embd=8))
        on_blocks(model, ids, ids, n_steps=60, learning_rate=0.01, optimizers=optimizers)
        assert evaluate(model, ids, 5).mean < 0.3, optimizers


def test_muon_gets_the_matrices_of_the_blocks_and_adamw_the_rest():
    model = GPT(Config(7, 5, n_layer=2, n_head=2, n_embd=8, norm="layer", bias=True))
    first, second = muon(model, 0.01)
    inner, rest = (part.param_groups[0]["params"] for part in (first, second))
    assert len(inner) == 8 and {p.ndim for p in inner} == {2}
    assert sum(p.numel() for p in (*inner, *rest)) == sum(p.numel() for p in model.parameters())
    assert any(p is model.lm_head.weight for p in rest)
    assert [part.param_groups[0]["lr"] for part in (first, second)] == [0.1, 0.01]
    assert muon(model, 0.01, times=4.0)[0].param_groups[0]["lr"] == 0.04


@pytest.mark.parametrize("shape", [(3, 5, 11), (11, 5), (7, 7)])
def test_orthogonalised_matrices_are_nearly_so(shape):
    """The same singular vectors; singular values from 0.68 to 1.13, or to 1.21 of tiny ones."""
    g = torch.randn(*shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    o = orthogonalised(g)
    values = torch.linalg.svdvals(o)
    assert values.min() > 0.68 and values.max() < 1.21
    u, s, v = torch.linalg.svd(g, full_matrices=False)
    middle = u.mT @ o @ v.mT
    off = middle - torch.diag_embed(middle.diagonal(dim1=-2, dim2=-1))
    assert off.abs().max() < 1e-6
    assert_close(orthogonalised(5 * g), o)


def test_a_step_puts_its_polynomial_on_the_singular_values():
    s = torch.tensor([0.6, 0.8], dtype=torch.float64)
    once = orthogonalised(s.diag(), n_steps=1).diagonal()
    assert_close(once, 3.4445 * s - 4.775 * s**3 + 2.0315 * s**5, atol=1e-5, rtol=0)


def test_muon_is_pytorchs_own():
    """Which computes in bfloat16: three digits."""
    weights = [torch.randn(6, 4, generator=torch.Generator().manual_seed(n)) for n in (0, 1)]
    draw = torch.Generator().manual_seed(2)
    grads = torch.randn(3, 2, 6, 4, generator=draw)  # others at each step: momentum matters
    ours, theirs = ([nn.Parameter(w.clone()) for w in weights] for _ in range(2))
    one = Muon(ours, lr=0.1)
    other = torch.optim.Muon(theirs, lr=0.1, weight_decay=0)
    for now in grads:
        for part, optimizer in ((ours, one), (theirs, other)):
            for p, grad in zip(part, now, strict=True):
                p.grad = grad.clone()
            optimizer.step()
    for a, b in zip(ours, theirs, strict=True):
        assert_close(a, b, atol=0.02, rtol=0)
