"""Chapter 11: what its figures say, what its page says of the stored runs, and a run anew."""

import math
import re

import pytest
import torch
from benchmarks import longer_texts

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
from tests.chapters.conftest import cells_of
from tests.conftest import WORDS

ORDER = [3, 0, 4, 2, 1, 5]
PAGE = {cell.id: cell.source for cell in cells_of("11_where_am_i.ipynb")}
LOSSES = runs.stored()


# ---------------------------------------------------------------- figures


def test_the_orders_figure_counts_who_has_moved(no_pixels):
    assert (
        "'step' is last in both rows. Of the 5 words before it, 5 are at"
        in orders_figure(WORDS, ORDER).sentence
    )
    assert "the 5 words before it, 2 are" in orders_figure(WORDS, [1, 0, 2, 3, 4, 5]).sentence


@pytest.mark.parametrize("order", [ORDER, [1, 0, 2, 3, 4, 5], [5, 0, 1, 2, 3, 4]])
def test_the_pasts_figure_names_the_words_whose_past_is_the_same(no_pixels, order):
    same = [w for w in range(6) if {*order[: order.index(w) + 1]} == {*range(w + 1)}]
    said = pasts_figure(WORDS, order).sentence
    assert f"{len(same)} of the 6 words" in said
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
    assert "of the text. a 1.00, 1.25, 1.50, 2.75; b 2.00, 2.25, 2.50, 3.75." in said


# ---------------------------------------------------------------- the stored runs


def test_the_stored_runs_hold_five_seeds_of_every_kind():
    kinds = {name.split(",")[0] for name in LOSSES}
    assert kinds == set(POSITIONS)
    assert all(
        rows.shape == (len(longer_texts.SEEDS), runs.LONGER // runs.BIN)
        for rows in LOSSES.values()
    )


def within(name):
    return LOSSES[name][:, runs.TRAINED // runs.BIN - 1]


def rise(name):
    return LOSSES[name][:, -1] - within(name)


def test_what_the_page_says_of_reading_further():
    """In words: `course check` holds its numbers against those of the figure above."""
    for other in ("alibi", "sinusoidal", "learned, clipped"):
        gap = within(other) - within("rotary")
        assert (gap > 0).all() and gap.mean() == pytest.approx(0.1, abs=0.05)
    assert rise("alibi").max() < 0.04, "hardly changes"
    assert rise("rotary").min() > 0.5, "for every seed, by more than 0.5"
    for added in ("sinusoidal", "learned, clipped"):
        assert (LOSSES[added][:, 2] - within(added)).min() > 0.6, "at once"
        assert rise(added).mean() == pytest.approx(1, abs=0.15), "about a nat"
    assert (LOSSES["none"].diff(dim=1) > 0).all(), "with each word, even within the 32"
    assert all(rise(name).min() > 0 for name in LOSSES), "more context lowers no loss"


def test_what_the_page_says_of_stretching():
    gain = LOSSES["rotary"][:, -1] - LOSSES["rotary, base"][:, -1]
    assert gain.min() > 0.05, "with every seed"
    beyond = LOSSES["rotary, stretched"][:, 2:] - LOSSES["rotary"][:, 2:]
    assert (beyond > 0).all(), "Stretched rotary stays worse beyond 32"
    clipped, stretched = LOSSES["learned, clipped"], LOSSES["learned, stretched"]
    assert (stretched[:, :2] > clipped[:, :2]).all() and (stretched[:, 2:] < clipped[:, 2:]).all()


def test_the_page_says_how_the_models_were_trained():
    said = PAGE["longer-asks"]
    assert (
        f"{longer_texts.N_STEPS} steps on the text of chapter 03, a play, in blocks of {runs.TRAINED}"
        in said
    )
    assert f"blocks of {runs.LONGER}" in said and "five seeds" in said


def test_a_short_run_measures_every_way_and_the_same_again(monkeypatch):
    monkeypatch.setattr(longer_texts, "split", lambda ids: (ids, ids[:9000]))
    kinds = ("rotary", "learned")
    once = longer_texts.measure((1,), 2, kinds, lambda *told: None)
    again = longer_texts.measure((1,), 2, kinds[:1], lambda *told: None)
    assert again and again.items() <= once.items()
    names = ["rotary", "rotary, stretched", "rotary, base"]
    names += ["learned, clipped", "learned, stretched"]
    assert [*once] == names
    first = [once[name][0] for name in names]
    assert all(2 < loss < math.log(65) + 1 for losses in first for loss in losses)
    assert first[3][:2] != first[4][:2], "stretched, the first rows are others"
    assert first[0][0] == pytest.approx(first[2][0], abs=0.05), "a larger base moves them less"
