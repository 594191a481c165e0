"""The eighteen wrong attentions of the design, given as a learner's answer.

Each is refused by an exercise of its chapter, with the hint that names it. (test_properties.py
has the same eighteen as attentions, and which property sees which.)
"""

import pytest
import torch

from course.learn.exercises import load
from course.learn.verdict import judge

INF = float("inf")


def lower(scores, diagonal=0):
    T = scores.shape[-1]
    return torch.ones(T, T).tril(diagonal).bool()


def fill(value, forbidden=lambda scores: ~lower(scores), dim=-1):
    """08.causal_weights with another value, mask or axis."""
    return lambda scores: scores.masked_fill(forbidden(scores), value).softmax(dim)


def scaled(factor):
    """07.scaled_weights with another factor, which may look at k and x."""
    return lambda x, W_q, W_k: ((x @ W_q) @ (x @ W_k).mT * factor(x @ W_k, x)).softmax(-1)


def multi_head(wrong_split=False, wrong_merge=False):
    """10.multi_head with the view or the merge that forgets its transpose."""

    def answer(x, w_qkv, w_out, n_head):
        B, T, C = x.shape
        D = C // n_head
        parts = (x @ w_qkv.T).chunk(3, dim=-1)
        if wrong_split:
            q, k, v = (part.reshape(B, n_head, T, D) for part in parts)
        else:
            q, k, v = (part.view(B, T, n_head, D).transpose(1, 2) for part in parts)
        scores = (q @ k.mT * D**-0.5).masked_fill(~lower(x[..., :1] @ x[..., :1].mT), -INF)
        mixed = scores.softmax(-1) @ v
        mixed = mixed if wrong_merge else mixed.transpose(1, 2)
        return mixed.reshape(B, T, C) @ w_out.T

    return answer


def zeros(module, x):
    """09.forward whose scores are overwritten before the softmax."""
    T = x.shape[1]
    scores = torch.zeros(T, T).masked_fill(~module.mask[:T, :T], -INF)
    return module.dropout(scores.softmax(-1)) @ module.value(x)


# name: (exercise, answer, what its hint has to say)
EIGHTEEN = {
    "no mask": ("08.causal_weights", lambda s: s.softmax(-1), "nothing is masked"),
    "float==('-inf')": ("08.causal_weights", fill(float == ("-inf")), "exp(0) is 1"),  # noqa: E721
    "fill 0": ("08.causal_weights", fill(0.0), "exp(0) is 1"),
    "times tril before softmax": (
        "08.causal_weights",
        lambda s: (s * lower(s)).softmax(-1),
        "exp(0) is 1",
    ),
    "mask after softmax": (
        "08.causal_weights",
        lambda s: s.softmax(-1) * lower(s),
        "after softmax",
    ),
    "+inf fill": ("08.causal_weights", fill(INF), "+inf"),
    "triu kept": (
        "08.causal_weights",
        fill(-INF, lambda s: torch.ones_like(s[..., :, :]).tril(-1).bool()),
        "upper triangle",
    ),
    "inverted comparison": ("08.causal_weights", fill(-INF, lower), "turned round"),
    "tril(diagonal=1)": (
        "08.causal_weights",
        fill(-INF, lambda s: ~lower(s, 1)),
        "one step too far",
    ),
    "tril(diagonal=-1)": (
        "08.causal_weights",
        fill(-INF, lambda s: ~lower(s, -1)),
        "diagonal is missing",
    ),
    "softmax dim=-2": ("08.causal_weights", fill(-INF, dim=-2), "columns sum to 1"),
    "softmax dim=1": ("08.causal_weights", fill(-INF, dim=1), "`dim=1`"),
    "no scale": ("07.scaled_weights", scaled(lambda k, x: 1.0), "don't scale at all"),
    "scale by C": ("07.scaled_weights", scaled(lambda k, x: x.shape[-1] ** -0.5), "size of x"),
    "divide by head size": (
        "07.scaled_weights",
        scaled(lambda k, x: 1 / k.shape[-1]),
        "without the root",
    ),
    "view without transpose": (
        "10.multi_head",
        multi_head(wrong_split=True),
        "straight to (B, H, T, D)",
    ),
    "merge without transpose": (
        "10.multi_head",
        multi_head(wrong_merge=True),
        "straight to (B, T, C)",
    ),
    "scores overwritten by zeros": ("09.forward", zeros, "a plain mean of the values"),
}


def test_there_are_eighteen():
    assert len(EIGHTEEN) == 18


def test_a_right_multi_head_passes():
    """Else the two wrong ones would be refused for another reason."""
    found = judge(load("10.multi_head"), multi_head())
    assert found.status == "passed", found.sentence


@pytest.mark.parametrize("name", EIGHTEEN)
def test_each_is_refused_with_the_hint_that_names_it(name):
    id, answer, phrase = EIGHTEEN[name]
    found = judge(load(id), answer)
    assert found.status == "known mistake", found.sentence
    assert phrase in found.sentence
