"""Chapter 13: its figures' sentences, its stored runs and its checkpoint."""

import json
import re
from dataclasses import replace
from statistics import fmean
from types import SimpleNamespace

import pytest
import torch
from benchmarks import play_choices, play_tables, train_checkpoint
from benchmarks.stored_runs import next_run
from IPython.core.events import EventManager

from attention.batches import split
from attention.checkpoint import CHECKPOINT, load_checkpoint
from attention.corpus import load_corpus
from attention.fitting import Evaluation
from attention.gpt import GPT, Config, make_block
from attention.tokenizers import CharTokenizer
from attention.training import evaluate
from chapters.ch13 import ngrams, runs
from chapters.ch13.figures import (
    choices_figure,
    curve_figure,
    levels_figure,
    needs_figure,
    parts_figure,
    scaling_figure,
)
from chapters.rates import best_rates
from course.draw import explorer
from course.draw.explorer import _after_the_cell, follow
from tests.conftest import ROOT

pytestmark = pytest.mark.usefixtures("as_a_user")
CHOICES = json.loads(runs.STORED.read_text())


def parts():
    tokenizer = CharTokenizer(load_corpus())
    rest, test_ids = split(torch.tensor(tokenizer.encode(load_corpus())))
    return *split(rest), test_ids


# ---------------------------------------------------------------- the checkpoint


@pytest.fixture
def checkpoint(as_a_user):
    return load_checkpoint(CHECKPOINT)


def test_the_checkpoint_is_small_and_has_the_loss_that_it_says(checkpoint):
    model, tokenizer, facts = checkpoint
    assert CHECKPOINT.stat().st_size < 1_000_000
    assert model.config == train_checkpoint.CONFIG
    assert tokenizer.vocab == CharTokenizer(load_corpus()).vocab
    _, validation_ids, test_ids = parts()
    for name, ids in (("validation", validation_ids), ("test", test_ids)):
        loss = evaluate(model, ids, model.config.block_size).mean
        assert loss == pytest.approx(float(facts[name]), abs=2e-3), name


def test_a_short_training_makes_such_a_file(tmp_path, capsys):
    """The command of the checkpoint, for two steps."""
    train_checkpoint.main(tmp_path / "gpt.safetensors", n_steps=2)
    model, _, facts = load_checkpoint(tmp_path / "gpt.safetensors")
    assert model.config == train_checkpoint.CONFIG and 3 < float(facts["test"]) < 4.5
    assert "step 2:" in capsys.readouterr().out


# ---------------------------------------------------------------- the stored runs


def test_every_choice_has_every_seed():
    assert CHOICES.keys() == play_choices.CHOICES.keys()
    for name, found in CHOICES.items():
        assert found.keys() == set(map(str, runs.SEEDS)), name
        assert {len(losses) for losses in found.values()} == {1 + (name == "no mask")}


def test_the_stored_runs_are_those_of_the_command():
    """Two of them begin as they should: after eight steps nothing has drifted apart yet."""
    ids = play_choices.parts()
    eight = dict(n_steps=8, warm_up=2, eval_every=8)
    plain, unmasked = (
        play_choices.losses(name, 1, ids, **eight) for name in ("all of it", "no mask")
    )
    assert len(plain) == 1 and len(unmasked) == 2
    assert all(2 < loss < 5 for loss in (*plain, *unmasked))
    assert play_choices.losses("all of it", 1, ids, **eight) == plain
    assert play_choices.losses("all of it", 2, ids, **eight) != plain


@pytest.mark.parametrize("choice", play_choices.CHOICES)
def test_only_a_missing_mask_lets_the_future_in(choice):
    torch.manual_seed(0)
    changes = play_choices.CHOICES[choice]
    config = replace(play_choices.PLAIN, **changes.get("config", {}))
    model = GPT(config, changes.get("block", make_block)).eval()
    for block in model.blocks:
        play_choices.own_start(block)
    ids = torch.randint(65, (2, 9), generator=torch.Generator().manual_seed(0))
    changed = ids.clone()
    changed[:, 5:] = (ids[:, 5:] + 1) % 65
    same = torch.allclose(model(changed)[:, :5], model(ids)[:, :5], atol=1e-5)
    assert same == (choice != "no mask")


def test_what_is_taken_away_is_gone():
    """Equal shares don't depend on queries, and without a residual a block forgets its input."""
    torch.manual_seed(0)
    x = torch.randn(1, 6, 48)
    for name in ("averages, no positions", "averages, learned positions"):
        attention = play_choices.CHOICES[name]["block"](play_choices.PLAIN).attention
        _, weights = attention.forward_with_weights(x)
        torch.testing.assert_close(weights[0, 0, 3], torch.tensor([0.25] * 4 + [0.0] * 2))
    without = play_choices.CHOICES["no residual"]["block"](play_choices.PLAIN)
    torch.nn.init.zeros_(without.mlp.out.weight)
    assert not without(x).any()
    alone = play_choices.CHOICES["no attention"]["block"](play_choices.PLAIN)
    play_choices.own_start(alone)
    torch.testing.assert_close(alone(x)[:, 3:4], alone(x[:, 3:4]))


class KnowsMore(torch.nn.Module):
    """The loss of guess t in a window is t."""

    def forward(self, ids):
        t = torch.arange(ids.shape[1]).double()
        one = torch.log(torch.exp(t) - 1).clamp(min=-1e9)  # ln(e^one + e^0) - 0 is t
        return torch.stack([torch.zeros_like(t), one], dim=-1).expand(len(ids), -1, -1)


def test_a_sliding_window_counts_each_guess_once_and_with_nearly_the_whole_window():
    """17 ids, windows of 8: the first counts 0 to 7, and the two after it only 4 to 7."""
    loss = play_choices.sliding_loss(KnowsMore(), torch.zeros(17, dtype=torch.long), 8, stride=4)
    assert loss == pytest.approx((sum(range(8)) + 2 * sum(range(4, 8))) / 16)
    blocks = evaluate(KnowsMore(), torch.zeros(17, dtype=torch.long), 8).mean
    assert blocks == pytest.approx(3.5)


WHOLE = json.loads(runs.STORED.with_name("whole.json").read_text())


def test_a_model_that_reads_more_before_it_guesses_has_a_lower_loss():
    """Of every run, by as much as the page says; a table always has its whole context."""
    found = {
        name: [run for run in own.values() if "test, sliding" in run]
        for name, own in WHOLE.items()
    }
    assert len(found["play"]) == len(runs.SEEDS)
    for run in (run for own in found.values() for run in own):
        assert 0.03 < run["test"] - run["test, sliding"] < 0.05


def test_two_tables_of_the_play_are_better_than_the_gpt_and_a_third_only_than_its_blocks():
    tables = json.loads(ngrams.STORED.read_text())["play"]
    four, five, six = (tables["falls back"][n]["test"] for n in ("4", "5", "6"))
    for run in WHOLE["play"].values():
        assert six < five < run["test, sliding"] < four < run["test"]
    leads = [
        tables["counts"]["4"]["test"] - fmean(run[part] for run in WHOLE["play"].values())
        for part in ("test", "test, sliding")
    ]
    assert leads == pytest.approx([0.04, 0.08], abs=5e-3)


TUNED_RUNS = json.loads(runs.STORED.with_name("tuned.json").read_text())
TUNED = runs.at_best_rates()


@pytest.mark.parametrize("choice", TUNED_RUNS)
def test_the_rate_of_a_choice_is_the_best_and_not_at_the_edge(choice):
    found = TUNED_RUNS[choice]
    assert next_run(found, play_choices.RATES, runs.SEEDS) is None
    best, *_ = best_rates(found, *runs.SEEDS)
    assert TUNED[choice] == found[best] and TUNED[choice].keys() == set(map(str, runs.SEEDS))
    assert min(map(float, found)) < float(best) < max(map(float, found))


def rises(choice, than="all of it"):
    return [TUNED[choice][str(seed)] - TUNED[than][str(seed)] for seed in runs.SEEDS]


def rings(choice):
    return [CHOICES[choice][str(s)][0] - CHOICES["all of it"][str(s)][0] for s in runs.SEEDS]


def test_every_choice_but_the_mask_is_tuned():
    assert list(TUNED) == [choice for choice in play_choices.CHOICES if choice != "no mask"]


def test_what_removal_costs_at_the_best_rates():
    """As the page says, and in this order for every seed."""
    said = {"no positions": 0.19, "no residual": 0.16, "no MLP": 0.04, "AdamW for all": 0.08}
    for choice, rise in said.items():
        assert fmean(rises(choice)) == pytest.approx(rise, abs=5e-3), choice
        assert min(rises(choice)) > 0, choice
    assert max(rises("no positions", "no attention")) < 0 < min(rises("no positions", "no MLP"))


def test_choosing_is_worth_more_where_positions_need_no_scores():
    for positions, (own, average) in {"no": (0.19, 0.22), "learned": (0.06, 0.24)}.items():
        pair = f"{positions} positions", f"averages, {positions} positions"
        found = [fmean(rises(row)) for row in pair]
        assert found == pytest.approx([own, average], abs=5e-3), positions
        assert min(rises(pair[1], than=pair[0])) > 0


def test_one_rate_for_all_was_too_low_and_misled():
    """It made Muon look better, the schedule worse, and nearly all losses higher."""
    higher = [CHOICES[row][str(s)][0] > TUNED[row][str(s)] for row in TUNED for s in runs.SEEDS]
    assert sum(higher) > 0.9 * len(higher)
    assert max(rises("AdamW for all")) < 0.1 < min(rings("AdamW for all"))
    assert max(rings("no schedule")) < 0 < min(rises("no schedule"))
    assert fmean(rises("no schedule")) == pytest.approx(0.02, abs=5e-3)


def test_some_choices_do_not_help_in_so_short_a_training():
    for row in ("no QK norm", "no zeros at the start"):
        assert abs(fmean(rises(row))) < 0.01, row
    for row in ("layer norm", "one head", "GELU", "no normalisation"):
        assert 0.015 < -fmean(rises(row)) < 0.045 and max(rises(row)) < 0, row


# ---------------------------------------------------------------- figures and the explorer


def test_the_parts_stand_end_to_end_in_their_order():
    drawn = parts_figure({"train": 8000, "validation": 500, "test": 1500}, "stories")
    bars = re.findall(r"<path d='M ([\d.]+) [\d.]+ L ([\d.]+) ", drawn.svg)
    ends = [(float(left), float(right)) for left, right in bars if left != right][:3]
    (a, b), (c, d), (e, f) = ends
    assert (b, d) == (c, e) and (b - a) / (f - a) == pytest.approx(0.8, abs=0.01)
    assert "stories: train 8,000 (to learn from), validation 500 (to choose on)" in drawn.sentence


def test_the_levels_name_the_best_table_and_the_floor_and_ask_what_is_unknown():
    tables = {"ln V": 4.17, "after 3": 1.55, "after 4": 1.72}
    asks, says = (levels_figure(tables, {"a GPT": loss}, None, "token") for loss in (None, 1.5234))
    assert ">?</text>" in asks.svg and "a GPT" not in asks.sentence
    assert "per token" in says.sentence and "a GPT 1.52" in says.sentence
    assert says.sentence.endswith("the best table, after 3.")
    both = levels_figure(tables, {"a GPT": 1.52}, 1.25, "token")
    assert both.sentence.endswith("table, after 3, and the dashed line marks the floor, 1.25.")
    assert both.svg.count("stroke-dasharray") > says.svg.count("stroke-dasharray")


def test_the_choices_are_differences_on_the_same_seed():
    told = {"all": {"1": 2.0, "2": 3.0}, "more": {"1": 1.9, "2": 2.9}}
    told["less"] = {"1": 2.5, "2": 3.1}
    first = {"all": {"1": [4.0], "2": [6.0]}, "more": {"1": [5.0], "2": [6.0]}}
    first["less"] = {"1": [3.0], "2": [6.6]}
    drawn = choices_figure(told, first, "all")
    assert "mean of 2 pairs" in drawn.sentence
    assert "its best learning rate: less +0.30, more -0.10. Dots" in drawn.sentence
    assert drawn.sentence.endswith("with one rate for all rows: less -0.20, more +0.50.")
    assert drawn.svg.count(">+0.30</text>") == 1


def test_the_curve_names_its_lowest_look():
    history = [
        Evaluation(*numbers) for numbers in ((100, 3.0, 2.5), (200, 2.0, 1.84), (300, 1.5, 2.04))
    ]
    sentence = curve_figure(history, 1.61, 1.25).sentence
    assert "step 300, after 3 evaluations, the loss is 1.50 on the batches and 2.04 on" in sentence
    assert "lowest validation loss was 1.84, at step 200" in sentence
    assert sentence.endswith("Lines show the best table at 1.61 and the floor at 1.25.")
    assert curve_figure(history, 1.61, None).sentence.endswith("the best table at 1.61.")


def test_the_needs_are_means_with_a_dot_for_each_seed_and_a_line_through_the_whole_model():
    measures = ("well formed", "no slip", "answered")
    whole = {"excess": [0.01, 0.02]} | dict.fromkeys(measures, [0.9, 1.0])
    less = {"excess": [0.2, 0.4]} | dict.fromkeys(measures, [0.0, 0.5])
    drawn = needs_figure({"whole": whole, "less": less}, "Less is worse")
    assert drawn.sentence.startswith("Less is worse. ") and "as means of 2 seeds" in drawn.sentence
    assert "whole 0.015 (0.010 to 0.020), 95% (90% to 100%)" in drawn.sentence
    assert drawn.sentence.endswith("less 0.300 (0.200 to 0.400)" + ", 25% (0% to 50%)" * 3 + ".")
    assert drawn.svg.count(">25%</text>") == 3 and drawn.svg.count(">0.300</text>") == 1
    dots = re.findall(r"<g fill='var\(--key\)'[^>]*>(.*?)</g>", drawn.svg)
    assert [each.count("<path") for each in dots] == [2] * 4


def test_the_scaling_has_means_dots_for_the_seeds_and_a_line_that_falls_by_half():
    losses = {2000: {100: [0.4, 0.6], 200: [0.2, 0.3]}, 8000: {100: [0.3, 0.3], 200: [0.1, 0.1]}}
    drawn = scaling_figure(losses, "It falls")
    assert drawn.sentence.startswith("It falls. Models with 2,000 and 8,000 parameters")
    assert "2 seeds: with 100 steps 0.500, 0.300; with 200 steps 0.250, 0.100." in drawn.sentence
    assert "at most 40% of their mean apart" in drawn.sentence
    assert all(
        f">{name}</text>" in drawn.svg for name in ("100 steps", "200 steps", "2,000", "8,000")
    )
    for colour in ("query", "key"):  # of each number of steps
        dots = re.findall(rf"<g fill='var\(--{colour}\)'[^>]*>(.*?)</g>", drawn.svg)
        assert sum(each.count("<path") for each in dots) == 8, "each loss in both panels"
    dashed = re.findall(r"stroke-dasharray[^>]*><path d='(M \S+ (\S+) L \S+ (\S+))'", drawn.svg)
    (_, *left), (path, *right) = dashed
    assert drawn.svg.count(path) == 2, "the smaller model's loss is halved by twice the steps"
    drops = [float(end) - float(start) for start, end in (left, right)]
    assert drops[0] == pytest.approx(2 * drops[1], abs=0.2), "four times the parameters"


def test_what_was_followed_goes_once_the_cell_has_ended():
    """The next cell draws the same curve to stay."""
    events, ended = EventManager(None, {"post_run_cell": None}), []
    _after_the_cell(events, lambda: ended.append(True))
    events.trigger("post_run_cell", "result")
    assert ended == [True]
    events.trigger("post_run_cell", "result")
    assert ended == [True]


@pytest.mark.parametrize("stays", [False, True])
def test_what_was_followed_stays_where_no_cell_draws_it_again(monkeypatch, stays):
    events, views = EventManager(None, {"post_run_cell": None}), []
    monkeypatch.delenv("COURSE_HEADLESS", raising=False)
    monkeypatch.setattr(explorer, "get_ipython", lambda: SimpleNamespace(events=events))
    monkeypatch.setattr(explorer, "display", views.append)
    follow(lambda told: levels_figure({"a": 1.0}, {}, None, "token"), stays)("news")
    events.trigger("post_run_cell", "result")
    assert bool(views[0].value) == stays


def test_follow_is_silent_where_nobody_looks(monkeypatch, capsys):
    monkeypatch.setenv("COURSE_HEADLESS", "1")
    follow(lambda told: pytest.fail("drawn"))("news")
    monkeypatch.delenv("COURSE_HEADLESS")
    seen = []
    watch = follow(
        lambda told: seen.append(list(told)) or levels_figure({"a": 1.0}, {}, None, "token")
    )
    watch(1)
    watch(2)
    assert seen == [[1], [1, 2]]


# ---------------------------------------------------------------- what stands in two places


TWO_MINUTES = json.loads(runs.STORED.with_name("two_minutes.json").read_text())


def test_the_two_minutes_are_those_of_the_benchmarks_runs():
    """Each stored loss, to 1e-4, with its steps and its model's size, is one of the benchmark's lines."""
    lines = map(json.loads, (ROOT / "benchmarks" / "gpt_loss.jsonl").read_text().splitlines())
    told = {(round(run["loss"], 4), run["steps"], run["parameters"]) for run in lines}
    for name, own in TWO_MINUTES.items():
        found = {
            (*pair, own["parameters"]) for pair in zip(own["loss"], own["steps"], strict=True)
        }
        assert found <= told and len(found) >= 2, name
        recipe = {"nanoGPT": 12, "batches": 32}  # of gpt_loss.py
        assert own["batch"] == next((n for k, n in recipe.items() if name.startswith(k)), 16)
    nano, ours = (TWO_MINUTES[name]["loss"] for name in ("nanoGPT's code, width 64", "this GPT"))
    assert all(theirs - loss > 0.25 for theirs, loss in zip(nano, ours, strict=True))


def test_the_larger_rate_helps_most_in_the_run_with_most_steps():
    """By 0.10 to 0.21, as the page says."""
    small, large = (TWO_MINUTES["nanoGPT's code, width 64" + rate] for rate in ("", ", rate 4e-3"))
    gains = [one - other for one, other in zip(small["loss"], large["loss"], strict=True)]
    assert min(gains) == pytest.approx(0.10, abs=5e-3) and max(gains) == pytest.approx(
        0.21, abs=5e-3
    )
    assert gains.index(max(gains)) == large["steps"].index(max(large["steps"]))


def test_no_design_choice_beats_a_default_by_as_much_as_config_says():
    others = ["GELU for squared ReLU", "width 64 for 96"]
    others += ["no QK norm", "learned positions for rotary"]
    for name in others:
        pairs = zip(TWO_MINUTES[name]["loss"], TWO_MINUTES["this GPT"]["loss"], strict=False)
        gaps = [other - ours for other, ours in pairs]
        assert sum(gaps) / len(gaps) > -0.02, name
    assert "better by 0.02" in Config.__doc__


def test_the_steps_of_the_benchmark_are_those_that_the_page_tells():
    lines = (ROOT / "benchmarks" / "gpt_loss.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    faster = [f"{run['steps']:,}" for run in found if run["name"] == "nanogpt-rate"]
    page = (ROOT / "notebooks" / "13_a_small_gpt.ipynb").read_text("utf-8")
    assert "{}, {} and {} steps".format(*faster) in page
    ours = [run["steps"] for run in found if run["name"] == "ours"]
    assert round(sum(ours) / len(ours), -2) == 1100


def test_the_stored_tables_are_those_of_the_text():
    """Recomputed where it is quick; the longest are found with the same function."""
    stored = json.loads(ngrams.STORED.read_text())["play"]
    train, validation, test = parts()
    for kind, falls_back in (("counts", False), ("falls back", True)):
        assert list(stored[kind]) == [str(n) for n in range(1, play_tables.LONGEST[kind] + 1)]
        for n in (1, 2, 3):
            row = stored[kind][str(n)]
            for part, ids in (("validation", validation), ("test", test)):
                loss = ngrams.ngram_loss(ids, train, n, 65, row["smoothing"], falls_back)
                assert loss == pytest.approx(row[part], abs=1e-4), (kind, n, part)


def test_tables_that_fall_back_turn_up_at_eight():
    """The validation part chooses 7 for the play, and 4 among the plain tables."""
    stored = json.loads(ngrams.STORED.read_text())["play"]
    best = {kind: min(rows, key=lambda n: rows[n]["validation"]) for kind, rows in stored.items()}
    assert best == {"counts": "4", "falls back": "7"}
    assert stored["falls back"]["8"]["test"] > stored["falls back"]["7"]["test"]
