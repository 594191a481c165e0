"""The eighteen wrong attentions, each as an answer to an exercise, get the hint that names them.

`attention.properties` has checks that see them by what they do; chapter 16 has them as patients.
"""

import pytest
import torch

from course.learn.exercises import load
from course.learn.verdict import judge

INF = float("inf")


def lower(scores, diagonal=0):
    return torch.ones_like(scores).tril(diagonal).bool()


def fill(value, forbidden=lambda scores: ~lower(scores), dim=-1):
    """08.causal_weights with another value, mask or axis."""
    return lambda scores: scores.masked_fill(forbidden(scores), value).softmax(dim)


def scaled(factor):
    """07.scaled_weights with another factor, which may look at k and x."""
    return lambda x, W_q, W_k: ((x @ W_q) @ (x @ W_k).mT * factor(x @ W_k, x)).softmax(-1)


def multi_head(split=True, merge=True):
    """10.multi_head, perhaps with a view or a merge that forgets to transpose."""

    def answer(x, w_qkv, w_out, n_head):
        B, T, C = x.shape
        D = C // n_head
        parts = (x @ w_qkv.T).chunk(3, dim=-1)
        if split:
            q, k, v = (part.view(B, T, n_head, D).transpose(1, 2) for part in parts)
        else:
            q, k, v = (part.reshape(B, n_head, T, D) for part in parts)
        scores = (q @ k.mT * D**-0.5).masked_fill(torch.ones(T, T).triu(1).bool(), -INF)
        mixed = scores.softmax(-1) @ v
        return (mixed.transpose(1, 2) if merge else mixed).reshape(B, T, C) @ w_out.T

    return answer


def zeros(module, x):
    """09.forward whose scores are overwritten before the softmax."""
    T = x.shape[1]
    scores = torch.zeros(T, T).masked_fill(~module.mask[:T, :T], -INF)
    return module.dropout(scores.softmax(-1)) @ module.value(x)


WEIGHTS, SCALED, HEADS = "08.causal_weights", "07.scaled_weights", "10.multi_head"
EIGHTEEN = {  # the exercise, the answer, and words of the hint
    "no mask": (WEIGHTS, lambda s: s.softmax(-1), "aren't masked"),
    "float==('-inf')": (WEIGHTS, fill(float == ("-inf")), "exp(0) is 1"),  # noqa: E721
    "fill 0": (WEIGHTS, fill(0.0), "exp(0) is 1"),
    "times tril before softmax": (WEIGHTS, lambda s: (s * lower(s)).softmax(-1), "exp(0) is 1"),
    "mask after softmax": (WEIGHTS, lambda s: s.softmax(-1) * lower(s), "after softmax"),
    "+inf fill": (WEIGHTS, fill(INF), "+inf"),
    "triu kept": (WEIGHTS, fill(-INF, lambda s: lower(s, -1)), "upper triangle"),
    "inverted comparison": (WEIGHTS, fill(-INF, lower), "mask is inverted"),
    "tril(diagonal=1)": (WEIGHTS, fill(-INF, lambda s: ~lower(s, 1)), "one step too far"),
    "tril(diagonal=-1)": (WEIGHTS, fill(-INF, lambda s: ~lower(s, -1)), "leave out the diagonal"),
    "softmax dim=-2": (WEIGHTS, fill(-INF, dim=-2), "columns sum to 1"),
    "softmax dim=1": (WEIGHTS, fill(-INF, dim=1), "`dim=1`"),
    "no scale": (SCALED, scaled(lambda k, x: 1.0), "don't scale the scores"),
    "scale by C": (SCALED, scaled(lambda k, x: x.shape[-1] ** -0.5), "size of x"),
    "divide by head size": (SCALED, scaled(lambda k, x: 1 / k.shape[-1]), "without the root"),
    "view without transpose": (HEADS, multi_head(split=False), "straight to (B, H, T, D)"),
    "merge without transpose": (HEADS, multi_head(merge=False), "straight to (B, T, C)"),
    "scores overwritten by zeros": ("09.forward", zeros, "a plain mean of the values"),
}


def test_a_right_multi_head_passes():
    """Else the two wrong ones would be refused for another reason."""
    assert judge(load(HEADS), multi_head()).status == "passed" and len(EIGHTEEN) == 18


@pytest.mark.parametrize("name", EIGHTEEN)
def test_each_gets_the_hint_that_names_it(name, as_a_user):
    id, answer, words = EIGHTEEN[name]
    found = judge(load(id), answer)
    assert found.status == "known mistake" and words in found.sentence, found.sentence
