"""What readers found in the exercises, case by case, each as one of a class."""

import unicodedata

import nbformat
import pytest
import torch
import torch.nn.functional as F

from course.learn.exercises import load
from course.learn.verdict import judge
from tests.conftest import ROOT


def told(id, answer):
    return judge(load(id), answer)


# ---------------------------------------------------------------- right by the luck of kind inputs


def by_rows_of_a_triangle(mask):
    return mask / torch.arange(1, mask.shape[-2] + 1)[:, None]


KIND = {
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
    "triangular masks": ("04.weights_from_mask", by_rows_of_a_triangle),
    "square sizes": ("06.attend", lambda x, W_q, W_k, _: (x @ W_q @ (x @ W_k).mT).softmax(-1) @ x),
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


UNTRUE = [  # id, answer, what must not be said
    ("10.multi_head", causal_but_late_in_the_batch, "when later words"),
    ("05.dot", lambda a, b: 3.0 * sum(x * y for x, y in zip(a, b, strict=True)), "roles"),
    (
        "03.batch_loss",
        lambda lo, t: F.cross_entropy(lo.flatten(0, 1), t.flatten()).exp(),
        "adding 1",
    ),
]


@pytest.mark.parametrize(("id", "answer", "untrue"), UNTRUE)
def test_no_hint_says_what_is_not_so(id, answer, untrue):
    found = told(id, answer)
    assert found.status in {"wrong", "known mistake"} and untrue not in found.sentence, found


# ---------------------------------------------------------------- what a chapter warns of


def without_keepdim(T):
    return torch.ones(T, T).tril() / torch.ones(T, T).tril().sum(dim=1)


def fading_without_keepdim(T, decay):
    age = torch.arange(T)[:, None] - torch.arange(T)
    shares = torch.tril(decay ** age.clamp(min=0).float())
    return shares / shares.sum(dim=1)


def size_of_the_batch(scores):
    T = scores.shape[0]
    return scores.masked_fill(torch.ones(T, T).tril() == 0, -torch.inf).softmax(dim=-1)


def switches_the_module(module, x):
    return load("09.forward").reference.function(module.eval(), x)


WARNED = [
    ("04.mean_past", lambda x: without_keepdim(x.shape[1]) @ x, "keepdim"),
    ("04.fading_weights", fading_without_keepdim, "keepdim"),
    ("08.causal_weights", size_of_the_batch, "`shape[-1]`"),
    ("09.forward", switches_the_module, "`module.eval()`"),
]


@pytest.mark.parametrize(("id", "answer", "word"), WARNED)
def test_the_mistake_that_a_chapter_warns_of_is_recognised(id, answer, word):
    found = told(id, answer)
    assert found.status == "known mistake" and word in found.sentence, found.sentence


# ---------------------------------------------------------------- statements


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
