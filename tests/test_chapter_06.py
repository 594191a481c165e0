"""Chapter 06: the numbers in its figures and its explorer, and what its exercises leave alone."""

import html
import re

import pytest
import torch
import torch.nn.functional as F

from course.chapters.ch06.explorer import query_explorer
from course.chapters.ch06.figures import head_figure
from course.learn.exercises import known, load
from course.learn.verdict import judge
from tests.conftest import WORDS, X, answer


@pytest.fixture
def matrices():
    draw = torch.Generator().manual_seed(123)
    return [torch.rand(3, 2, generator=draw) for _ in range(3)]


def reference(x, W_q, W_k, W_v):
    """The weights and the output of a head, by PyTorch's own function."""
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    weights = F.scaled_dot_product_attention(q[None], k[None], torch.eye(len(x))[None])[0]
    return weights, F.scaled_dot_product_attention(q[None], k[None], v[None])[0]


def test_the_head_figure_says_what_pytorch_computes(matrices):
    weights, out = reference(X, *matrices)
    sentence = head_figure(X, *matrices, WORDS).sentence
    assert f"the largest weight is {weights[1].max():.4f}, for 'journey'" in sentence
    assert "[" + ", ".join(f"{number:.4f}" for number in out[1].tolist()) + "]" in sentence
    assert "0.2264" in sentence and "[0.3061, 0.8210]" in sentence


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


def said(sentence: str, pattern: str) -> list[str]:
    found = re.search(pattern, sentence)
    assert found, (pattern, sentence)
    return list(found.groups())


def agrees(sentence, matrices, word, entry, change):
    """Compare every number of the explorer's sentence with PyTorch's own attention."""
    W_q, W_k, W_v = matrices
    edited = W_q.clone()
    edited[entry] += change
    before, _ = reference(X, W_q, W_k, W_v)
    after, _ = reference(X, edited, W_k, W_v)
    assert f"W_q[{entry[0]}, {entry[1]}] is changed by {change:+.2f} to" in sentence
    (now,) = said(sentence, r" to (-?\d+\.\d\d)\. The")
    assert float(now) == pytest.approx(float(edited[entry]), abs=0.0051)
    name, query = said(sentence, r"query of '(\w+)' becomes \[([^]]+)\]")
    assert name == WORDS[word]
    wanted = (X @ edited)[word].tolist()
    assert [float(n) for n in query.split(", ")] == pytest.approx(wanted, abs=0.0051)
    verb, best, is_now, was = said(
        sentence, r"it (\w+) prefers '(\w+)', with the weight ([\d.]+) \(before: ([\d.]+)\)"
    )
    best = WORDS.index(best)
    assert float(after[word, best]) == pytest.approx(float(after[word].max()), abs=1e-6)
    assert (verb == "still") == (best == int(before[word].argmax()))
    assert float(is_now) == pytest.approx(float(after[word, best]), abs=0.0051)
    assert float(was) == pytest.approx(float(before[word, best]), abs=0.0051)
    rows, moved = said(sentence, r"Of the (\d) rows, (\d) changed")
    assert (int(rows), int(moved)) == (6, sum((after - before).abs().amax(dim=-1) > 0.005))


@pytest.mark.parametrize("control", ["word", "entry", "change"])
def test_every_control_moves_through_its_range(matrices, control):
    W_q, W_k, W_v = matrices
    untouched = W_q.clone()
    explorer = query_explorer(X, W_q, W_k, WORDS)
    widget = explorer.controls[control]
    if control == "change":
        values = [widget.min + widget.step * n for n in range(13)]
        assert values[-1] == widget.max
    else:
        values = [value for _, value in widget.options]
    shown = set()
    for value in values:
        widget.value = value
        caption = re.search(r"<figcaption>(.*?)</figcaption>", explorer.view.value)[1]
        sentence = html.unescape(caption)
        agrees(sentence, matrices, **explorer.state)
        shown.add(sentence)
    assert len(shown) == len(values)
    assert torch.equal(W_q, untouched)


def test_the_explorer_opens_before_any_change_and_first_moves_what_it_asks_about(matrices):
    explorer = query_explorer(X, *matrices[:2], WORDS)
    assert next(iter(explorer.state.items())) == ("change", 0.0)
    sentence = explorer.still.sentence
    assert "still prefers 'journey'" in sentence and "0 changed by more" in sentence


@pytest.mark.parametrize("id", [id for id in known() if id[:2] in ("06", "09")])
def test_the_exercises_leave_the_random_state_alone(id):
    state = torch.get_rng_state()
    assert judge(load(id), load(id).reference.function).status == "passed"
    assert torch.equal(torch.get_rng_state(), state)


def test_one_matrix_gives_the_scores_of_two_layers():
    query, key = (torch.nn.Linear(7, 3, bias=False) for _ in range(2))
    x = torch.randn(2, 5, 7)
    M = answer("06.one_matrix")(query.weight, key.weight)
    torch.testing.assert_close(x @ M @ x.mT, query(x) @ key(x).mT, rtol=1e-4, atol=1e-5)


def test_the_transplant_leaves_the_head_as_it_was():
    for inputs in load("06.transplant").fixed:
        head, *matrices, x = inputs
        before = {name: tensor.clone() for name, tensor in head.state_dict().items()}
        twins, own = answer("06.transplant")(*inputs)
        torch.testing.assert_close(twins, reference(x, *matrices)[1])
        torch.testing.assert_close(own, head(x))
        assert all(torch.equal(before[name], now) for name, now in head.state_dict().items())


def test_just_two_of_the_eight_heads_are_deaf():
    exercise = load("06.is_deaf")
    heads = {inputs[0].__name__: n for n, inputs in enumerate(exercise.fixed)}
    assert len(heads) == 8, "the exercise says eight"
    deaf = {name for name, n in heads.items() if exercise.reference.outcome(n).value}
    assert deaf == {"head_two", "head_four"}
