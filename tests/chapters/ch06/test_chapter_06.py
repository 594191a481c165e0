"""Chapter 06: the numbers in its figures and its explorer, and which heads of its exercise are deaf."""

import json

import pytest
import torch
import torch.nn.functional as F

from chapters.ch06.explorer import REACH, head_explorer, query_explorer
from chapters.ch06.figures import head_figure, roles_figure
from course.learn.exercises import load
from tests.chapters.conftest import cells_of
from tests.conftest import WORDS, X, matrices

PAGE = "06_queries_keys_values.ipynb"


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
    assert "the next is 0.2199, for 'starts'" in sentence
    other = head_figure(X, *matrices(), WORDS, row=4).sentence
    assert f"In the row of 'one' the largest weight is {weights[4].max():.4f}" in other
    assert "[" + ", ".join(f"{number:.4f}" for number in out[4].tolist()) + "]" in other


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


@pytest.fixture
def spread():
    """The matrices of the last explorer, as its cell writes them."""
    named = {"torch": torch, "x": X, "words": WORDS, "query_explorer": query_explorer}
    for name in ("cell-032", "cell-103"):
        source = next(cell.source for cell in cells_of(PAGE) if cell.id == name)
        exec(source.split("head_explorer")[0], named)
    return named["spread"]


def test_the_explorer_opens_before_the_query_is_turned_round(spread):
    explorer = query_explorer(X, *spread, WORDS)
    weights, out = reference(X, *spread)
    sentence = explorer.still.sentence
    assert f"listens most to 'Your', weight {weights[1, 0]:.4f}" in sentence
    assert "[" + ", ".join(f"{number:.4f}" for number in out[1].tolist()) + "]" in sentence
    q, k, v = (torch.tensor(explorer.state[name]) for name in ("queries", "keys", "values"))
    torch.testing.assert_close(F.scaled_dot_product_attention(q[None], k[None], v[None])[0], out)


def angle(vector):
    return float(torch.atan2(vector[..., 1], vector[..., 0]).rad2deg())


def test_the_keys_of_the_explorer_point_in_all_directions_and_stay_on_its_plane(spread):
    k = X @ spread[1]
    around = sorted(angle(key) % 360 for key in k)
    gaps = [b - a for a, b in zip(around, [*around[1:], around[0] + 360], strict=True)]
    assert max(gaps) < 150 and min(gaps) > 8
    lengths = torch.cat([k, X @ spread[0]]).norm(dim=-1)
    assert lengths.min() > 0.6 and lengths.max() < 2.0 < REACH


def test_opposite_the_query_a_long_key_beats_the_nearest(spread):
    """What the chapter says beside the explorer, and that no other row changes."""
    W_q, W_k, _ = spread
    q, k = X @ W_q, X @ W_k
    turned = q.clone()
    turned[1] *= -1
    before, after = ((each @ k.T / 2**0.5).softmax(dim=-1) for each in (q, turned))
    assert WORDS[int(before[1].argmax())] == "Your" and WORDS[int(after[1].argmax())] == "step"
    assert torch.equal(before[[0, 2, 3, 4, 5]], after[[0, 2, 3, 4, 5]])
    with_, step = WORDS.index("with"), WORDS.index("step")
    assert abs(angle(turned[1]) - angle(k[with_])) < 1
    assert k[step].norm() > 1.9 * k[with_].norm()


@pytest.fixture
def shown():
    """The state of the explorer that the page opens with."""
    output = next(cell for cell in cells_of(PAGE) if cell.id == "cell-032").outputs[0]
    data = output["data"]["text/html"].split(
        '<script type="application/json" class="course-live">'
    )[1]
    return json.loads(data.removesuffix("</script>"))["state"]


def test_the_page_opens_with_a_head_that_chooses_and_keeps_its_random_one(shown):
    """Each word gives more than 0.7 to one word, or to 'journey' and 'starts', which are alike."""
    assert shown["words"] == WORDS and shown["x"] == X.tolist()
    assert (shown["head"], shown["step"], shown["cell"]) == ("laid out", 0, None)
    heads = {
        name: [torch.tensor(each[W]) for W in ("W_q", "W_k", "W_v")]
        for name, each in shown["heads"].items()
    }
    for stored, drawn in zip(heads["random"], matrices(), strict=True):
        assert torch.equal(stored, drawn)
    weights, _ = reference(X, *heads["laid out"])
    alike = weights[:, 1] + weights[:, 2]
    assert bool((torch.maximum(weights.max(dim=1).values, alike) > 0.7).all())
    assert bool(((weights[:, 1] - weights[:, 2]).abs() < 0.02).all())
    best = [WORDS[n] for n in weights.argmax(dim=1).tolist()]
    assert best == ["journey", "Your", "Your", "Your", "step", "one"]
    assert reference(X, *heads["random"])[0].max() < 0.24


def test_the_head_explorer_has_every_matrix_and_a_still_of_the_first_head():
    explorer = head_explorer(X, {"a": matrices()[::-1], "b": matrices()}, WORDS, row=2)
    assert explorer.still == head_figure(X, *matrices()[::-1], WORDS, row=2)
    state = explorer.state
    assert state["head"] == "a" and [*state["heads"]] == ["a", "b"]
    for name, W in zip(("W_q", "W_k", "W_v"), matrices(), strict=True):
        assert torch.equal(torch.tensor(state["heads"]["b"][name]), W)


def test_just_two_of_the_eight_heads_are_deaf():
    exercise = load("06.is_deaf")
    heads = {inputs[0].__name__: n for n, inputs in enumerate(exercise.fixed)}
    heads = {name: n for name, n in heads.items() if name.startswith("head_")}
    assert len(heads) == 8, "the exercise says eight"
    deaf = {name for name, n in heads.items() if exercise.reference.outcome(n).value}
    assert deaf == {"head_two", "head_four"}
