"""What readers found in the exercises, case by case: each is closed, as one of a class."""

import re
import unicodedata

import nbformat
import numpy as np
import pytest
import torch
import torch.nn.functional as F

from course.learn.exercises import load
from course.learn.verdict import judge
from tests.conftest import ROOT


def told(id, answer):
    return judge(load(id), answer)


# ---------------------------------------------------------------- right by the luck of kind inputs


def mean_of_the_first_sequence(x):
    return x[:1].cumsum(dim=1).expand_as(x) / torch.arange(1, x.shape[1] + 1)[:, None]


def exponentials(scores):
    kept = torch.tril(scores.exp())
    return kept / kept.sum(dim=-1, keepdim=True)


def by_rows_of_a_triangle(mask):
    return mask / torch.arange(1, mask.shape[-2] + 1)[:, None]


def one_maximum(scores):
    shares = (scores - scores.max()).exp()
    return shares / shares.sum(dim=-1, keepdim=True)


def shared_out_again(scores, mask):
    kept = scores.softmax(dim=-1) * mask
    return (kept / kept.sum(dim=-1, keepdim=True)).nan_to_num()


KIND = {
    "a sorted vocabulary": (
        "01.encode",
        lambda text, vocab: [sorted(vocab).index(c) for c in text],
    ),
    "letters without accents": (
        "01.encode",
        lambda text, vocab: [vocab.index(c) for c in unicodedata.normalize("NFKD", text)],
    ),
    "ASCII": ("01.bpe", lambda text, n: list(map(ord, text))),
    "one unknown character": (
        "01.encode_or_unknown",
        lambda text, vocab: [
            vocab.index(c) if c in vocab else len(vocab) + text.index(c) for c in text
        ],
    ),
    "one special token": ("01.split_special", lambda text, special: list(text.partition(special))),
    "a word as special token": (
        "01.split_special",
        lambda text, special: [p for p in re.split(f"({special})", text) if p],
    ),
    "floats": ("05.dot", lambda a, b: sum(x * y for x, y in zip(a, b, strict=True))),
    "small scores": ("08.causal_weights", exponentials),
    "scores of one size": ("05.stable_softmax", one_maximum),
    "scores that don't underflow": ("08.safe_weights", shared_out_again),
    "triangular masks": ("04.weights_from_mask", by_rows_of_a_triangle),
    "a batch whose first sequence is typical": ("04.mean_past", mean_of_the_first_sequence),
    "square sizes": (
        "06.attend",
        lambda x, W_q, W_k, W_v: (x @ W_q @ (x @ W_k).mT).softmax(-1) @ x,
    ),
}


@pytest.mark.parametrize("luck", KIND)
def test_a_wrong_answer_never_passes_because_the_inputs_were_kind(luck):
    id, answer = KIND[luck]
    assert told(id, answer).status in {"wrong", "known mistake"}


# ---------------------------------------------------------------- sentences that were not true


def causal_but_late_in_the_batch(x, w_qkv, w_out, n_head):
    """Causal, and wrong: the values are scaled."""
    B, T, C = x.shape
    q, k, v = (
        part.view(B, T, n_head, -1).transpose(1, 2) for part in (x @ w_qkv.T).chunk(3, dim=-1)
    )
    future = torch.ones(T, T).triu(1).bool()
    weights = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(future, -torch.inf).softmax(-1)
    return (weights @ (1.5 * v)).transpose(1, 2).reshape(B, T, C) @ w_out.T


def switches_the_module(module, x):
    return load("09.forward").reference.function(module.eval(), x)


UNTRUE = [  # id, answer, what must not be said
    ("10.multi_head", causal_but_late_in_the_batch, "when later words"),
    ("05.dot", lambda a, b: 3.0 * sum(x * y for x, y in zip(a, b, strict=True)), "roles"),
    (
        "03.batch_loss",
        lambda lo, t: F.cross_entropy(lo.flatten(0, 1), t.flatten()).exp(),
        "adding 1",
    ),
    ("09.forward", switches_the_module, "Where do the weights pass"),
    ("06.is_deaf", lambda attend, q, k, v: False, "grad_fn"),
    ("06.is_deaf", lambda attend, q, k, v: True, "if you turned"),
]


@pytest.mark.parametrize(("id", "answer", "untrue"), UNTRUE)
def test_no_hint_says_what_is_not_so(id, answer, untrue):
    found = told(id, answer)
    assert found.status in {"wrong", "known mistake"} and untrue not in found.sentence, (
        found.sentence
    )


def test_a_module_that_was_switched_is_said_to_be():
    assert "`module.eval()`" in told("09.forward", switches_the_module).sentence


def test_a_number_is_not_rounded_until_it_looks_right():
    def nearly(T):
        weights = torch.tril(torch.ones(T, T))
        weights = weights / weights.sum(dim=1, keepdim=True)
        return weights + 1e-5 * torch.ones(T, T).triu(1)

    said = told("04.averaging_weights", nearly).sentence
    assert "above the diagonal has to be 0, but you returned [[1.0, 1e-05], [0.5, 0.5]]" in said


# ---------------------------------------------------------------- right answers that were refused


def over_several_batches(get_batch):
    ids, starts = torch.arange(11), set()
    for seed in range(50):
        x, y = get_batch(ids, 20, 3, torch.Generator().manual_seed(seed))
        if x.shape != (20, 3) or not torch.equal(y, x + 1) or len(x.unique(dim=0)) == 1:
            return False
        starts |= set(x[:, 0].tolist())
    return starts == set(range(8))


def test_a_test_that_draws_several_batches_is_right():
    assert told("02.is_right", over_several_batches).status == "passed"


def test_a_bool_of_numpy_is_named_as_such():
    said = told(
        "00.close", lambda a, b, r, t: np.all((abs(a - b) <= t + r * abs(b)).numpy())
    ).sentence
    assert "expected a bool, got a numpy.bool" in said


STATED = {
    "00.close": "as a Python bool",
    "00.can_view": "as a Python bool",
    "02.hold_back": "a tuple of two tensors",
    "02.cut": "a tuple of two tensors",
    "03.batch_loss": "a tensor of shape ()",
    "03.lowest_loss": "as a float",
    "03.batches_needed": "an int",
    "07.score_variance": "as a float",
    "10.widths": "a tuple of two ints",
}


@pytest.mark.parametrize("id", STATED)
def test_the_type_that_an_answer_must_have_is_in_the_statement(id):
    [path] = (ROOT / "notebooks").glob(f"{id[:2]}_*.ipynb")
    cells = nbformat.read(path, 4).cells
    place = next(
        n for n, c in enumerate(cells) if c.metadata.get("course", {}).get("exercise") == id
    )
    assert STATED[id] in cells[place - 1].source


# ---------------------------------------------------------------- the chapter's own mistakes


def triangle(T):
    return torch.tril(torch.ones(T, T))


def fading_without_keepdim(T, decay):
    age = torch.arange(T)[:, None] - torch.arange(T)
    shares = torch.tril(decay ** age.clamp(min=0).float())
    return shares / shares.sum(dim=1)


def transposed_batch(x, W_q, W_k, W_v):
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    return (q @ k.T / k.shape[-1] ** 0.5).softmax(dim=-1) @ v


def size_of_the_batch(scores):
    T = scores.shape[0]
    return scores.masked_fill(triangle(T) == 0, -torch.inf).softmax(dim=-1)


OWN = [
    ("04.mean_past", lambda x: triangle(x.shape[1]) / triangle(x.shape[1]).sum(1) @ x, "keepdim"),
    ("04.fading_weights", fading_without_keepdim, "keepdim"),
    ("06.attend", transposed_batch, "`.T`"),
    ("08.causal_weights", size_of_the_batch, "`shape[-1]`"),
]


@pytest.mark.parametrize(("id", "answer", "word"), OWN)
def test_the_mistake_that_a_chapter_warns_of_is_recognised(id, answer, word):
    found = told(id, answer)
    assert found.status == "known mistake" and word in found.sentence, found.sentence
