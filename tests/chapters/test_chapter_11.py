"""Chapter 11: what its figures say, what its page says of the stored runs, and a run anew."""

import math
import re

import pytest
import torch

from attention.gpt import POSITIONS
from attention.positions import alibi_bias, rotary_angles, rotate
from chapters.ch11 import runs
from chapters.ch11.explorer import rotary_dial
from chapters.ch11.figures import (
    dial_figure,
    distance_figure,
    longer_figure,
    orders_figure,
    pasts_figure,
    relative,
    spread,
)
from course.learn.exercises import load
from course.notebooks import read
from tests.conftest import ROOT, WORDS, answer

ORDER = [3, 0, 4, 2, 1, 5]
PAGE = {cell.id: cell.source for cell in read(ROOT / "notebooks" / "11_where_am_i.ipynb").cells}
LOSSES = runs.stored()


# ---------------------------------------------------------------- figures


def test_the_orders_figure_counts_who_has_moved(no_pixels):
    assert "'step' is last in both rows, and 5 of the 5" in orders_figure(WORDS, ORDER).sentence
    assert "and 2 of the 5" in orders_figure(WORDS, [1, 0, 2, 3, 4, 5]).sentence


@pytest.mark.parametrize("order", [ORDER, [1, 0, 2, 3, 4, 5], [5, 0, 1, 2, 3, 4]])
def test_the_pasts_figure_names_the_words_whose_past_is_the_same(no_pixels, order):
    same = [w for w in range(6) if {*order[: order.index(w) + 1]} == {*range(w + 1)}]
    said = pasts_figure(WORDS, order).sentence
    assert f"for {len(same)} of 6 words" in said
    assert re.findall(r"'(\w+)'", said) == [WORDS[w] for w in same]


@pytest.mark.parametrize("at", [(0, 0), (2, 0), (5, 3), (9, 2)])
def test_the_dial_says_the_score_of_the_package(no_pixels, at):
    q, k = [1.0, 0.0], [0.6, 0.7]
    angles = rotary_angles(torch.tensor(at), 2)
    turned = rotate(torch.tensor([q, k]), angles)
    score = float(re.search(r"the score is (-?\d\.\d{4})", dial_figure(q, k, *at).sentence)[1])
    assert score == pytest.approx(float(turned[0] @ turned[1]), abs=6e-5)


def test_the_dial_moves_both_first_and_does_not_open_on_its_answer(no_pixels):
    dial = rotary_dial([1.0, 0.0], [0.6, 0.7])
    assert [*dial.controls] == ["both", "distance"] and dial.state == {"both": 0, "distance": 2}
    scores = [dial.render(both, 2).sentence.split("score ")[1] for both in range(8)]
    assert len(set(scores)) == 1 and dial.render(0, 3).sentence.split("score ")[1] not in scores


def test_a_law_is_a_score_by_distance_alone(no_pixels):
    q = torch.randn(1, 6).expand(9, 6)
    turned = rotate(q, rotary_angles(torch.arange(9), 6))
    table = torch.randn(9, 6)
    schemes = {
        "rotary": turned @ turned.T,
        "ALiBi": alibi_bias(2, 9, 9)[1],
        "table": (q + table) @ (q + table).T,
    }
    assert [relative(scores) for scores in schemes.values()] == [True, True, False]
    by_hand = max(schemes["table"].diagonal(-d).std().item() for d in range(8))
    assert spread(schemes["table"]) == pytest.approx(by_hand)
    said = distance_figure(schemes).sentence
    assert "With rotary and ALiBi (blue) it" in said and f"{by_hand:.4f} for table" in said


def test_the_longer_figure_says_four_means_of_each(no_pixels):
    rows = torch.arange(16.0).view(2, 8) / 4
    said = longer_figure({"a": rows, "b": rows + 1}, 32, 16).sentence
    assert "of all are: a 1.00, 1.25, 1.50, 2.75; b 2.00, 2.25, 2.50, 3.75." in said


# ---------------------------------------------------------------- the stored runs


def test_the_stored_runs_hold_five_seeds_of_every_kind():
    kinds = {name.split(",")[0] for name in LOSSES}
    assert kinds == set(POSITIONS)
    assert all(
        rows.shape == (len(runs.SEEDS), runs.LONGER // runs.BIN) for rows in LOSSES.values()
    )


def within(name):
    return LOSSES[name][:, runs.TRAINED // runs.BIN - 1]


def rise(name):
    return LOSSES[name][:, -1] - within(name)


def test_what_the_page_says_of_reading_further():
    said = PAGE["longer-says"]
    assert f"rotary is best with a loss of {within('rotary').mean():.2f}" in said
    above = {
        kind: (within(kind) - within("rotary")).mean()
        for kind in ("alibi", "sinusoidal", "learned, clipped", "none")
    }
    none = above.pop("none")
    low, high = min(above.values()), max(above.values())
    assert f"{low:.2f} to {high:.2f} higher, and *none* is {none:.2f} higher" in said
    for other in ("alibi", "sinusoidal", "learned, clipped"):
        assert (within(other) > within("rotary")).all()
        assert (within(other) - within("rotary")).mean() == pytest.approx(0.1, abs=0.05)
    assert f"hardly changes: its loss is {rise('alibi').mean():.2f} higher" in said
    assert rise("alibi").max() < 0.04
    assert rise("rotary").min() > 0.5, "for every seed, by more than 0.5"
    for added in ("sinusoidal", "learned, clipped"):
        assert (LOSSES[added][:, 2] - within(added)).min() > 0.6, "at once"
        assert rise(added).mean() == pytest.approx(1, abs=0.15), "about a nat"
    assert (LOSSES["none"].diff(dim=1) > 0).all(), "with each word, even within the 32"
    assert all(rise(name).min() > 0 for name in LOSSES), (
        "more context doesn't lower the loss of any model"
    )
    above = (within("none") - within("rotary")).mean()
    assert f"*none* ends {above:.2f} above rotary" in PAGE["leak-says"]


def test_what_the_page_says_of_stretching():
    said = PAGE["further-says"]
    first = {name: f"{rows[:, 0].mean():.2f}" for name, rows in LOSSES.items()}
    assert f"{first['rotary, stretched']} instead of {first['rotary']}" in said
    assert (
        f"costs {float(first['rotary, base']) - float(first['rotary']):.2f} at the first" in said
    )
    gain = LOSSES["rotary"][:, -1] - LOSSES["rotary, base"][:, -1]
    assert f"gains about {gain.mean():.2f} at the last ones, with every seed" in said
    assert gain.min() > 0.05
    beyond = LOSSES["rotary, stretched"][:, 2:] - LOSSES["rotary"][:, 2:]
    assert (beyond > 0).all(), "Stretched rotary stays worse beyond 32"
    clipped, stretched = LOSSES["learned, clipped"], LOSSES["learned, stretched"]
    assert (stretched[:, :2] > clipped[:, :2]).all() and (stretched[:, 2:] < clipped[:, 2:]).all()


def test_the_page_says_how_the_models_were_trained():
    said = PAGE["longer-asks"]
    assert f"{runs.N_STEPS} steps on blocks of {runs.TRAINED} characters of the play" in said
    assert f"blocks of {runs.LONGER}" in said and "five seeds" in said


def test_a_short_run_measures_every_way_and_the_same_again(monkeypatch):
    monkeypatch.setattr(runs, "split", lambda ids: (ids, ids[:9000]))
    kinds = ("rotary", "learned")
    once = runs.measure((1,), 2, kinds, lambda *told: None)
    again = runs.measure((1,), 2, kinds[:1], lambda *told: None)
    assert again and again.items() <= once.items()
    names = [
        "rotary",
        "rotary, stretched",
        "rotary, base",
        "learned, clipped",
        "learned, stretched",
    ]
    assert [*once] == names
    first = [once[name][0] for name in names]
    assert all(2 < loss < math.log(65) + 1 for losses in first for loss in losses)
    assert first[3][:2] != first[4][:2], "stretched, the first rows are others"
    assert first[0][0] == pytest.approx(first[2][0], abs=0.05), "a larger base moves them less"


# ---------------------------------------------------------------- exercises


def test_the_shuffle_tests_inputs_hold_attentions_that_know_order_and_some_that_do_not():
    found = {}
    for forward, x in load("11.knows_order").inputs:
        if x.shape[1] > 4:
            found.setdefault(forward.__name__, answer("11.knows_order")(forward, x))
    blind = {"causal", "no_mask", "two_layers_without_a_mask", "mean_of_the_past", "itself_only"}
    blind |= {"blind_but_for_rounding", "blind_far_from_0"}
    assert {name for name, knows in found.items() if not knows} == blind
    assert len(found) > 2 * len(blind)


def test_converted_weights_keep_their_scores():
    torch.manual_seed(0)
    H, T, D, C = 3, 5, 6, 7
    x, w_q, w_k = torch.randn(T, C), torch.randn(H * D, C), torch.randn(H * D, C)
    angles, convert = rotary_angles(torch.arange(T), D), answer("11.to_half_split")

    def scores(w_q, w_k, interleaved):
        q, k = ((x @ w.T).view(T, H, D).transpose(0, 1) for w in (w_q, w_k))
        return rotate(q, angles, interleaved) @ rotate(k, angles, interleaved).mT

    torch.testing.assert_close(
        scores(convert(w_q, H), convert(w_k, H), False), scores(w_q, w_k, True)
    )


def test_the_penalties_are_the_packages():
    for start, n in ((0, 4), (5, 1), (2, 3)):
        slopes = torch.tensor([2.0**-4, 2.0**-8])
        torch.testing.assert_close(
            answer("11.penalties")(slopes, start, n), alibi_bias(2, n, start + n)
        )
