"""Chapter 14: its figures' sentences, its stored runs, and what it says of the checkpoint's heads."""

import json
from contextlib import ExitStack

import pytest
import torch
import torch.nn.functional as F
from benchmarks import two_layers

from attention.batches import cut_blocks, split
from attention.checkpoint import CHECKPOINT, load_checkpoint
from attention.corpus import load_corpus
from attention.training import cross_entropy, evaluating
from chapters.ch14 import runs
from chapters.ch14.figures import (
    effects_figure,
    maps_figure,
    received_figure,
    seeds_figure,
    task_figure,
)
from chapters.ch14.interventions import ablated, ablation_effects, mean_head_outputs
from chapters.ch14.patterns import previous_token_score, sink_score, uniform_weights
from chapters.ch14.tasks import repeated_strings, reversed_strings
from course.draw.picture import MAPS, SIGNED

pytestmark = pytest.mark.usefixtures("as_a_user")
STORED = json.loads(runs.STORED.read_text())
INSIDE = [str(period) for period in two_layers.HELD_OUT if period <= two_layers.PERIODS[1]]


# ---------------------------------------------------------------- the stored runs


def test_every_model_has_every_seed():
    assert STORED.keys() == two_layers.MODELS.keys()
    for own in STORED.values():
        assert own.keys() == set(map(str, two_layers.SEEDS))
        for run in own.values():
            assert run["accuracy"].keys() == set(map(str, two_layers.HELD_OUT))


def test_a_stored_run_is_that_of_the_command():
    """Trained anew, in a few seconds; other processors end a little elsewhere."""
    found, stored = (
        two_layers.judged(two_layers.grow(two_layers.MODELS["two layers"], 2)),
        STORED["two layers"]["2"],
    )
    assert found["accuracy"] == pytest.approx(stored["accuracy"], abs=0.15)
    assert found["accuracy"]["10"] > 0.98
    assert found["previous"] == pytest.approx(stored["previous"], abs=0.1)
    assert found["induction"] == pytest.approx(stored["induction"], abs=0.1)
    assert found["distance"] == 24, "what follows its own letter, in strings of period 25"


def test_another_seed_is_another_run():
    few = [two_layers.grow(two_layers.MODELS["one layer"], seed, n_steps=2) for seed in (1, 1, 2)]
    first, again, other = (model.lm_head.weight for model in few)
    assert torch.equal(first, again) and not torch.equal(first, other)


def test_two_layers_learn_it_and_one_never_does():
    for run in STORED["two layers"].values():
        assert min(run["accuracy"][period] for period in INSIDE) > 0.99
        assert run["accuracy"]["25"] < 0.9, "past the strings of training they get worse"
        assert run["induction"] > 0.9 and run["previous"] > 0.5 and run["distance"] == 24
    for run in STORED["one layer"].values():
        assert max(run["accuracy"].values()) < 0.4 and run["distance"] < 15
        assert run["induction"] < 0.2 and run["previous"] < 0.2


def test_the_two_models_have_nearly_as_many_parameters_and_heads():
    sizes = [
        sum(p.numel() for p in two_layers.grow(config, 1, n_steps=1).parameters())
        for config in two_layers.MODELS.values()
    ]
    assert max(sizes) < 1.02 * min(sizes)
    assert {config.n_layer * config.n_head for config in two_layers.MODELS.values()} == {2}


def test_no_held_out_string_was_in_training(monkeypatch):
    seen = set()

    def remember(*sizes):
        task = repeated_strings(*sizes)
        seen.update(map(tuple, task.x.tolist()))
        return task

    monkeypatch.setattr(two_layers, "repeated_strings", remember)
    monkeypatch.setattr(
        two_layers, "fit_task", lambda model, draw, n_steps, **_: [draw() for _ in range(n_steps)]
    )
    model = two_layers.grow(two_layers.MODELS["two layers"], 1)
    trained_on = set(seen)
    assert len(trained_on) > 7_000
    seen.clear()
    two_layers.judged(model)
    assert len(seen) > 1_000 and not seen & trained_on


# ---------------------------------------------------------------- the checkpoint's heads


@pytest.fixture
def trained(as_a_user):
    model, tokenizer, _ = load_checkpoint(CHECKPOINT)
    rest, _ = split(torch.tensor(tokenizer.encode(load_corpus())))
    _, ids = split(rest)  # not the part that the page looks at
    return model, *cut_blocks(ids, torch.arange(0, 40 * 128, 128), 128)


def test_the_clearest_map_is_not_the_head_that_costs_most(trained):
    model, x, y = trained

    def loss():
        with evaluating(model):
            return cross_entropy(model(x), y).item()

    effects = ablation_effects(model, loss)
    previous = previous_token_score(model.forward_with_weights(x)[1]).mean(dim=1)
    assert previous.argmax() == 4 + 3 and effects.argmax() == 2
    assert effects[0, 2] > 2 * effects[1, 3]
    assert (previous[1] > 0.15).all(), "in layer 1 all four look one back"


@pytest.mark.parametrize("way", ["0", "mean"])
def test_the_heads_of_layer_1_are_needed_together(trained, way):
    """All four cost more than three times what they cost one by one, with 0 and with the mean."""
    model, x, y = trained
    gives = None if way == "0" else mean_head_outputs(model, x)

    def loss():
        with evaluating(model):
            return cross_entropy(model(x), y).item()

    one_by_one, own = ablation_effects(model, loss, gives)[1].sum(), loss()
    with ExitStack() as all_four:
        for head in range(4):
            all_four.enter_context(ablated(model, 1, head, gives))
        together = loss() - own
    assert together > 3 * one_by_one > 0


def test_the_two_effects_differ_block_by_block(trained):
    """By three standard errors, on text that the page doesn't look at; so does each from 0."""
    model, x, y = trained

    def by_block():
        with evaluating(model):
            return F.cross_entropy(model(x).mT, y, reduction="none").mean(dim=1)

    rises, own = [], by_block()
    for layer, head in ((0, 2), (1, 3)):
        with ablated(model, layer, head):
            rises.append(by_block() - own)
    for rise in (*rises, rises[0] - rises[1]):
        assert rise.mean() > 3 * rise.std() / len(rise) ** 0.5


def test_the_checkpoint_has_no_sink(trained):
    model, x, _ = trained
    share = sink_score(model.forward_with_weights(x)[1], first_row=64).mean(dim=1)
    assert share.max() < sink_score(uniform_weights(128), first_row=64)


# ---------------------------------------------------------------- figures


def test_a_map_says_how_much_is_in_its_outlined_places():
    maps = {"even": uniform_weights(3), "own": torch.eye(3)}
    drawn = maps_figure(maps, list("abc"), [[(1, 0), (2, 0)], [(1, 1)]], title="Two")
    assert drawn.sentence == (
        "2 maps, rows by query, columns by key: even; own. Mean weight of the outlined cells: "
        "even: 0.42; own: 1.00. The shade of a cell is the root of its weight."
    )
    assert drawn.svg.count(">a</text>") == 4 and drawn.svg.count("class='panel'") == 2
    one = maps_figure({"own": torch.eye(3)}, list("abc"), title="One", columns=1)
    assert one.sentence == (
        "A map, rows by query, columns by key: own. The shade of a cell is the root of its weight."
    )


@pytest.mark.parametrize("colours, shows", [(MAPS, False), (SIGNED, True)])
def test_what_is_below_0_shows_in_a_map_of_two_signs(colours, shows):
    below, nothing = (
        maps_figure({"m": matrix}, list("ab"), title="", colours=colours, names=("x", "y"))
        for matrix in (-torch.eye(2), torch.zeros(2, 2))
    )
    assert (below.svg != nothing.svg) == shows
    assert "rows by x, columns by y" in below.sentence


def test_the_seeds_say_from_where_to_where():
    told = {"two layers": [{"5": 1.0, "9": 0.9}, {"5": 1.0, "9": 0.7}]}
    told["one layer"] = [{"5": 0.2, "9": 0.0}, {"5": 0.3, "9": 0.0}]
    sentence = seeds_figure(told, 1.0, 5).sentence
    assert "a dot for each of 2 seeds. Two layers: 1.00 at 5, 0.70 to 0.90 at 9." in sentence
    assert "One layer: 0.20 to 0.30 at 5, 0.00 at 9. By hand: 1.00 at every period." in sentence
    assert sentence.endswith("Periods up to 5 were in training.")


def test_the_effects_name_their_heads():
    scores, effects = torch.tensor([[0.1, 0.2]]), torch.tensor([[0.07, 0.02]])
    drawn = effects_figure(scores, effects, [(0, 1), (0, 0)])
    assert "The 2 heads of the checkpoint" in drawn.sentence
    assert "Head 0.1 has the score 0.20 and costs 0.02" in drawn.sentence
    assert "head 0.0 has the score 0.10 and costs 0.07." in drawn.sentence
    assert ">0.0</text>" in drawn.svg and ">0.1</text>" in drawn.svg


def test_what_a_key_receives_is_told_of_three_keys():
    sentence = received_figure({"even": torch.tensor([0.5, 0.25, 0.125])}).sentence
    assert "even: 0.50 at the first key, 0.25 at key 1, 0.12 at the last." in sentence


def test_the_task_asks_where_nothing_can_be_known():
    example = reversed_strings(1, 4, 10, torch.Generator().manual_seed(3))
    reads, follows = ([str(n) for n in row[0].tolist()] for row in (example.x, example.y))
    known = example.counts.tolist()
    drawn = task_figure(
        reads, [n if there else None for n, there in zip(follows, known, strict=True)]
    )
    assert known == [False] * 3 + [True] * 4 and follows[3:] == reads[3::-1]
    assert f"reads {' '.join(reads)}. After 3 of these 7 digits" in drawn.sentence
    assert drawn.sentence.endswith(f"Then it is {', '.join(follows[3:])}.")
    assert drawn.svg.count(">?</text>") == 3
