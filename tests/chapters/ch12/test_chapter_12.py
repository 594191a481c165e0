"""Chapter 12: the numbers that its figures and its explorer state, and those that are stored."""

import json
import math
from itertools import pairwise

import pytest
import torch
from benchmarks import wired_blocks
from benchmarks.stored_runs import next_run

from attention.corpus import load_corpus
from attention.gpt import MLP, Block, CausalSelfAttention
from attention.tokenizers import CharTokenizer
from chapters.ch12 import runs
from chapters.ch12.depth import Propagation
from chapters.ch12.explorer import PLACES, depth_explorer
from chapters.ch12.figures import LOWEST, block_figure, depth_figure, words_figure
from course.draw.picture import picture
from tests.conftest import WORDS

pytestmark = pytest.mark.usefixtures("no_pixels")


def made(signal, gradient, diversity):
    """A propagation of words that are as large as is said, over as many depths."""
    streams = [torch.full((1, len(WORDS), 20), float(size)) for size in signal]
    return Propagation(*(torch.tensor(each) for each in (signal, gradient, diversity)), streams)


FADES = made([1.0, 1e-3, 1e-13], [2e-14, 0.04, 1.0], [0.9, 0.25, 0.0])
GROWS = made([1.0, 30.0, 54321.0], [250.0, 9.0, 1.0], [0.9, 0.8, 0.7])


def block_of(norm="rms", bias=False, n_embd=12):
    attention = CausalSelfAttention(n_embd, 3, bias=bias)
    return Block(attention, MLP(n_embd, bias=bias), n_embd, norm)


def test_the_block_figure_counts_what_is_learnt():
    said = block_figure(block_of()).sentence
    assert "576 in attention, 1,152 in the MLP, 24 in the two norms" in said  # 4, 8 C^2, 2 C


def test_the_depth_figure_says_what_arrives():
    said = depth_figure({"fades": FADES, "grows": GROWS}).sentence
    assert "through 2 layers" in said
    assert "Fades: size under 1e-12, gradient under 1e-12, diversity 0." in said
    assert "Grows: size 5e4, gradient 250, diversity 0.7." in said


def test_a_line_ends_where_it_leaves_the_chart(monkeypatch):
    lines = []
    monkeypatch.setattr(
        "matplotlib.axes.Axes.plot", lambda axes, xs, ys, *_, **__: lines.append((xs, ys))
    )
    depth_figure({"fades": made([1.0, 1e-8, 1e-12], [1e-12, 1e-8, 1.0], [1.0, 1.0, 1.0])})
    *drawn, _legend = lines
    for (xs, ys), expected in zip(drawn, ([0, 1, 1.5], [0.5, 1, 2], [0, 1, 2]), strict=True):
        assert xs == pytest.approx(expected)
        assert min(ys) >= LOWEST * 0.999


def test_the_words_figure_has_nothing_of_the_layers_to_come(monkeypatch):
    monkeypatch.setattr("chapters.ch12.figures.picture", picture)
    one, other = (
        made([1.0, 30.0, late], [250.0, 9.0, late], [0.9, 0.8, late]) for late in (0.5, 0.2)
    )
    shown = [words_figure(each, 1, "grows", WORDS).svg for each in (one, other)]
    assert shown[0] == shown[1]
    assert words_figure(one, 2, "grows", WORDS).svg != words_figure(other, 2, "grows", WORDS).svg


def test_the_words_figure_says_the_depth_that_it_shows():
    said = words_figure(FADES, 1, "no residual, no norm", WORDS).sentence
    assert (
        said
        == "No residual, no norm, after layer 1 of 2: size 0.001, gradient 0.04, diversity 0.25."
    )


def test_the_explorer_goes_through_depths_and_ways(monkeypatch):
    ways = [(residual, place) for residual in (True, False) for place in PLACES.values()]
    propagations = {way: FADES if way == (False, "before") else GROWS for way in ways}
    explorer = depth_explorer(propagations, WORDS)
    assert explorer.still.sentence.startswith(
        "No residual, norm before, after layer 0 of 2: size 1,"
    )
    assert (
        list(explorer.stops) == ["depth", "residual"] and not explorer.controls["residual"].value
    )
    explorer.controls["residual"].value = True
    explorer.controls["depth"].value = 2
    assert "Residual, norm before, after layer 2 of 2: size 5e4" in explorer.view.value
    monkeypatch.setattr("chapters.ch12.figures.picture", picture)
    svg = explorer.render(depth=1, residual=False, place="after").svg
    assert "no residual, norm after" in svg and all(word in svg for word in WORDS)
    del propagations[True, "none"]
    with pytest.raises(ValueError, match="expected a propagation for each"):
        depth_explorer(propagations, WORDS)


# ---------------------------------------------------------------- what is stored


@pytest.fixture(scope="module")
def stored():
    return json.loads(runs.STORED.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def ids():
    text = load_corpus("play")
    tokenizer = CharTokenizer(text)
    return torch.tensor(tokenizer.encode(text)), tokenizer.vocab_size


def test_all_runs_are_stored(stored):
    assert list(stored) == list(wired_blocks.WAYS)
    for by_depth in stored.values():
        assert list(by_depth) == [str(depth) for depth in wired_blocks.DEPTHS]
        for losses in by_depth.values():
            assert next_run(losses, wired_blocks.RATES, runs.SEEDS) is None, (
                "run python -m benchmarks.wired_blocks"
            )


def test_the_command_makes_what_is_missing_each_at_its_best_rate(tmp_path, monkeypatch):
    made = []

    def loss(way, n_layer, seed, n_steps, rate, *text):
        made.append((way, n_layer, seed, rate))
        return abs(rate - (0.012 if n_layer == 8 else 0.003)) + seed / 1e4

    for module in (runs, wired_blocks):
        monkeypatch.setattr(module, "STORED", tmp_path / "losses.json")
    monkeypatch.setattr(wired_blocks, "WAYS", dict.fromkeys(["one", "other"], {}))
    monkeypatch.setattr(wired_blocks, "final_loss", loss)
    wired_blocks.main()
    assert len({*made}) == len(made)
    assert {rate for _, n_layer, _, rate in made if n_layer == 8} == {
        *wired_blocks.RATES,
        0.012,
        0.024,
    }
    assert {rate for _, n_layer, _, rate in made if n_layer == 2} == {*wired_blocks.RATES}
    own = [seed / 1e4 for seed in runs.SEEDS]
    found = {"2": ("0.003", own), "8": ("0.012", own)}
    assert runs.at_best_rates() == dict.fromkeys(["one", "other"], found)
    whole, made[:] = runs.STORED.read_text(), []
    wired_blocks.main()
    assert not made and runs.STORED.read_text() == whole


def test_what_the_page_says_of_the_stored_losses(ids):
    found = runs.at_best_rates()

    def mean(way, depth):
        return sum(found[way][depth][1]) / len(runs.SEEDS)

    text, V = ids
    counts = torch.bincount(text[: int(0.9 * len(text))], minlength=V) + 1.0
    frequencies = -(counts / counts.sum()).log()[text[int(0.9 * len(text)) :]].mean().item()
    blind, others = list(wired_blocks.WAYS)[:2], list(wired_blocks.WAYS)[2:]
    for way in blind:  # without residuals
        assert all(abs(loss - frequencies) < 0.02 for loss in found[way]["8"][1])
        assert all(loss < frequencies - 0.2 for loss in found[way]["2"][1])
    losses = [mean(way, "8") for way in others]
    assert all(later < one - 0.02 for one, later in pairwise(losses[:4]))
    assert losses[3] == pytest.approx(losses[4], abs=0.01)
    rates = [float(found[way]["8"][0]) for way in others]
    assert rates == sorted(rates) and (rates[0], rates[-1]) == (0.0015, 0.012)


@pytest.mark.parametrize("way", ["no residual, norm before", "residual, norm before"])
def test_a_stored_loss_comes_out_again(way, stored, ids):
    loss = wired_blocks.final_loss(way, 2, 1, wired_blocks.N_STEPS, 3e-3, *ids)
    assert math.isclose(loss, stored[way]["2"]["0.003"]["1"], abs_tol=0.05)
