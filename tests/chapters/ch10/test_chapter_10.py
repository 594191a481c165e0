"""Chapter 10: the numbers that its figures and its explorer state."""

import math
import re

import pytest
import torch
import torch.nn.functional as F

from attention.heads import attention_scores, attention_weights
from attention.multi_head import merge_heads, split_heads
from chapters.ch10.explorer import heads_explorer, shares, split_by_view, two_heads_explorer
from chapters.ch10.figures import (
    merge_figure,
    ribbon_figure,
    shares_figure,
    stack_figure,
    views_sentence,
)
from course.draw.picture import picture
from tests.conftest import WORDS

T = len(WORDS)
pytestmark = pytest.mark.usefixtures("no_pixels")
QK = torch.randn(2, T, 12, generator=torch.Generator().manual_seed(4))


def test_the_shares_figure_draws_what_is_heard_only_if_it_is_given(monkeypatch):
    monkeypatch.setattr("chapters.ch10.figures.picture", picture)
    values, shares = torch.arange(24.0).view(6, 4), torch.eye(6)[[0, 2]]
    out = torch.cat([shares[0] @ values[:, :2], shares[1] @ values[:, 2:]])
    asks, says = (shares_figure(values, shares, WORDS, "step", *given) for given in ((), (out,)))
    assert asks.svg.count(">?</text>") == 4 and "result" not in asks.sentence
    assert ">?</text>" not in says.svg and says.sentence.endswith("The result is [0, 1, 10, 11].")
    assert "Head 0 takes 1 of 'Your'. Head 1 takes 1 of 'starts'." in says.sentence
    one = shares_figure(values, torch.tensor([[0.5, 0, 0.5, 0, 0, 0]]), WORDS, "step")
    assert "All channels take 0.5 of 'Your' and 0.5 of 'starts'." in one.sentence


def numbers(pattern: str, sentence: str) -> list[int]:
    found = re.search(pattern, sentence)
    assert found, (pattern, sentence)
    return [int(group.replace(",", "")) for group in found.groups()]


def by_counting(view: str, n_head: int) -> set[tuple[int, int]]:
    """Which output hears which word, on integers: a right cut keeps the word, a wrong one reads on."""
    heard = set()
    for head in range(n_head):
        whose = range(T) if view == "right" else [(head * T + row) // n_head for row in range(T)]
        heard |= {(t, whose[row]) for t in range(T) for row in range(t + 1)}
    return heard


@pytest.mark.parametrize("n_head", [1, 2, 3, 4, 6])
def test_the_explorer_says_who_is_heard(n_head):
    right, wrong = by_counting("right", n_head), by_counting("wrong", n_head)
    for row in range(T):
        both = [shares(*QK, n_head, split) for split in (split_heads, split_by_view)]
        sentence = views_sentence(*both, WORDS, n_head, row, 12)
        cut = numbers(r"^(\d+) channels are cut into (\d+) heads? of (\d+)\. ", sentence)
        assert cut == [12, n_head, 12 // n_head]
        told = re.search(
            r"right view, the output of '(\w+)' is mixed from (.*); .* from (.*), (\d+) of",
            sentence,
        )
        assert told[1] == WORDS[row]
        for heard, says in ((right, told[2]), (wrong, told[3])):
            found = {
                WORDS.index(word): float(x) for word, x in re.findall(r"'(\w+)' ([\d.]+)", says)
            }
            assert {(row, s) for s in found} == {pair for pair in heard if pair[0] == row}
            assert sum(found.values()) == pytest.approx(1, abs=4e-4)
        later = [[(t, s) for t, s in heard if s > t] for heard in (right, wrong)]
        assert int(told[4]) == sum(t == row for t, _ in later[1])
        found = numbers(r"Of the (\d+) pairs .*, (\d+) leak .* view and (\d+) with", sentence)
        assert found == [15, *map(len, later)]


def test_one_head_alone_does_no_harm_under_the_wrong_view():
    harmless = [n for n in (1, 2, 3, 4, 6) if by_counting("wrong", n) == by_counting("right", n)]
    assert harmless == [1]
    explorer = heads_explorer(WORDS)
    assert explorer.state["heads"] == 2, "with one it would open on the answer"
    assert "into 2 heads of 6" in explorer.still.sentence


@pytest.mark.parametrize("n_head", [1, 2, 3, 4, 6])
def test_the_right_view_is_what_pytorch_computes(n_head):
    draw = torch.Generator().manual_seed(n_head)
    q, k = torch.randn(2, T, 12, generator=draw)
    heads = [part.view(1, T, n_head, -1).transpose(1, 2) for part in (q, k)]
    each_word = torch.eye(T).expand(1, n_head, T, T)  # as values: the output is the shares
    theirs = F.scaled_dot_product_attention(*heads, each_word, is_causal=True).mean(dim=1)[0]
    torch.testing.assert_close(shares(q, k, n_head, split_heads), theirs)


@pytest.mark.parametrize("n_head", [1, 2, 3, 6])
def test_ribbon_figure_counts_the_rows_that_went_astray(n_head):
    x = torch.arange(6.0 * T).view(T, 6)
    sentence = ribbon_figure(x, n_head, WORDS).sentence
    rows = [(h, t, (h * T + t) // n_head) for h in range(n_head) for t in range(T)]
    astray, n_rows = numbers(r"(\d+) of the (\d+) rows belong", sentence)
    assert (astray, n_rows) == (sum(word != t for _, t, word in rows), n_head * T)
    row, head, away = numbers(r"Row (\d+) of head (\d+), .* (\d+) (?:later|earlier)", sentence)
    place, holds = re.search(
        r"should belong to '(\w+)', holds numbers of '(\w+)'", sentence
    ).groups()
    assert place == WORDS[row] and (head, row, WORDS.index(holds)) in rows
    assert away == max(word - t for _, t, word in rows)
    wrong = x.view(n_head, T, 6 // n_head)
    assert f"with strides {wrong.stride()}" in sentence
    assert torch.equal(wrong[head, row] // 6, torch.full((6 // n_head,), WORDS.index(holds)))


def test_ribbon_figure_works_inside_a_larger_tensor():
    x = torch.arange(48.0).view(2, T, 4)[1]
    assert ribbon_figure(x, 2, WORDS).sentence == ribbon_figure(x.clone(), 2, WORDS).sentence


def test_two_heads_find_the_word_on_the_right_and_the_one_on_top():
    state = two_heads_explorer(WORDS).state
    keys, query = torch.tensor(state["keys"]), torch.tensor(state["queries"])
    best = [WORDS[n] for n in keys.argmax(dim=0)]
    assert best == ["Your", "starts"] and not state["two"], "with two it would open on the answer"

    def heard(query):
        q, k = split_heads(query[None], 2), split_heads(keys[None], 2)
        return attention_weights(attention_scores(q, k))[0, :, 0]

    weights = heard(query)
    assert [WORDS[n] for n in weights.argmax(dim=1)] == best
    context, mix = weights @ keys, attention_weights(attention_scores(query, keys)) @ keys
    assert bool((context.diagonal() > mix[0] + 0.5).all()), "both of its numbers are larger"
    up = heard(torch.tensor([[0.0, 2.0]]))
    torch.testing.assert_close(up[0], torch.full((T,), 1 / T))


@pytest.mark.parametrize(("H", "T_", "D"), [(3, 5, 4), (2, 7, 3)])
def test_the_merge_has_a_cell_for_each_number_and_names_all_shapes(monkeypatch, H, T_, D):
    monkeypatch.setattr("chapters.ch10.figures.picture", picture)
    heads, w_out = torch.zeros(H, T_, D), torch.zeros(H * D, H * D)
    merged = merge_heads(heads[None])[0]
    drawn = merge_figure(heads, w_out)
    shapes = [tuple(x.shape) for x in (heads, merged, w_out, merged @ w_out)]
    for name, shape in zip(("", "concat ", "W_O ", "out "), shapes, strict=True):
        assert f">{name}{shape}</text>" in drawn.svg and str(shape) in drawn.sentence
    assert (
        drawn.svg.count("<path") == sum(map(math.prod, shapes)) + 2 * H
    )  # and an arrow for each head
    assert f"a sum of {H * D} products, {D} for each head" in drawn.sentence


def test_the_stack_has_the_weights_in_the_order_of_their_columns(monkeypatch):
    monkeypatch.setattr("chapters.ch10.figures.picture", picture)
    drawn = stack_figure(torch.zeros(5, 4), torch.zeros(18, 4), n_head=3)
    names = [f"{role}, head {h}" for role in ("query", "key", "value") for h in range(3)]
    places = [drawn.svg.index(f">{name}</text>") for name in names]
    assert (
        places == sorted(places)
        and f"each (2, 4), below each other: {'; '.join(names)}." in drawn.sentence
    )
    for shape in ("x (5, 4)", "stack.T (4, 18)", "q, k, v (5, 18)"):
        assert f">{shape}</text>" in drawn.svg
    assert drawn.svg.count("<path") == 18 * 4 + 5 * 4 + 4 * 18 + 5 * 18
    with pytest.raises(ValueError, match=r"expected \(3 H D, 4\) for H = 2 heads, got \(9, 4\)"):
        stack_figure(torch.zeros(5, 4), torch.zeros(9, 4), n_head=2)
