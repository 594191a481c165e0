"""Chapter 06: the numbers in its figures and its explorer, and which heads of its exercise are deaf."""

import torch
import torch.nn.functional as F

from chapters.ch06.explorer import query_explorer
from chapters.ch06.figures import head_figure, roles_figure
from course.learn.exercises import load
from tests.conftest import WORDS, X, matrices


def reference(x, W_q, W_k, W_v):
    """The weights and the output of a head, by PyTorch's own function."""
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    weights = F.scaled_dot_product_attention(q[None], k[None], torch.eye(len(x))[None])[0]
    return weights, F.scaled_dot_product_attention(q[None], k[None], v[None])[0]


def test_the_head_figure_says_what_pytorch_computes():
    weights, out = reference(X, *matrices())
    sentence = head_figure(X, *matrices(), WORDS).sentence
    assert f"the largest weight is {weights[1].max():.4f}, for 'journey'" in sentence
    assert "[" + ", ".join(f"{number:.4f}" for number in out[1].tolist()) + "]" in sentence
    assert "0.2264" in sentence and "[0.3061, 0.8210]" in sentence


def test_the_roles_figure_draws_the_word_and_its_numbers():
    shown = roles_figure("journey", X[1])
    assert "x = [0.55  0.87  0.66]" in shown.svg and ">journey</text>" in shown.svg
    for role in ("query", "key", "value"):
        assert f">{role}</text>" in shown.svg and f"The {role}: " in shown.sentence


def test_the_head_figure_follows_other_sizes_and_negative_numbers():
    draw = torch.Generator().manual_seed(5)
    x, words = torch.randn(5, 4, generator=draw), ["a", "b", "c", "d", "e"]
    W_q, W_k, W_v = (torch.randn(4, D, generator=draw) for D in (3, 3, 7))
    weights, out = reference(x, W_q, W_k, W_v)
    sentence = head_figure(x, W_q, W_k, W_v, words).sentence
    best = int(weights[1].argmax())
    assert f"{weights[1, best]:.4f}, for '{words[best]}'" in sentence
    assert "5 words by 4 channels" in sentence and "shape (5, 3)" in sentence
    assert "(3, 5)" in sentence and "(5, 7)" in sentence
    assert ", ".join(f"{number:.4f}" for number in out[1].tolist()) in sentence


def test_the_explorer_opens_before_the_query_is_turned_round():
    explorer = query_explorer(X, *matrices(), WORDS)
    weights, out = reference(X, *matrices())
    sentence = explorer.still.sentence
    assert f"listens most to 'journey', weight {weights[1, 1]:.4f}" in sentence
    assert "[" + ", ".join(f"{number:.4f}" for number in out[1].tolist()) + "]" in sentence
    q, k, v = (torch.tensor(explorer.state[name]) for name in ("queries", "keys", "values"))
    torch.testing.assert_close(F.scaled_dot_product_attention(q[None], k[None], v[None])[0], out)


def test_opposite_the_keys_the_shortest_is_heard_best():
    """What the chapter says beside the explorer, and that no other row changes."""
    W_q, W_k, _ = matrices()
    q, k = X @ W_q, X @ W_k
    assert WORDS[int(k.norm(dim=-1).argmin())] == "one"
    turned = q.clone()
    turned[1] *= -1
    before, after = ((each @ k.T / 2**0.5).softmax(dim=-1) for each in (q, turned))
    assert WORDS[int(before[1].argmax())] == "journey" and WORDS[int(after[1].argmax())] == "one"
    assert torch.equal(before[[0, 2, 3, 4, 5]], after[[0, 2, 3, 4, 5]])
    assert bool((turned[1] @ k.T < 0).all())


def test_just_two_of_the_eight_heads_are_deaf():
    exercise = load("06.is_deaf")
    heads = {inputs[0].__name__: n for n, inputs in enumerate(exercise.fixed)}
    heads = {name: n for name, n in heads.items() if name.startswith("head_")}
    assert len(heads) == 8, "the exercise says eight"
    deaf = {name for name, n in heads.items() if exercise.reference.outcome(n).value}
    assert deaf == {"head_two", "head_four"}
