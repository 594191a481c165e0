"""The checkpoint on other small texts: words are exchanged and back, losses have one unit, and the runs are all there."""

import math

import pytest
import torch
from benchmarks import finetune
from benchmarks.finetune import bits_per_byte
from benchmarks.stored_runs import load

from attention.stories import judge, write_stories
from chapters.ch13.figures import finetune_figure
from chapters.ch13.finetune import (
    CHANGED,
    EVERY,
    N_STEPS,
    SEEDS,
    SIZES,
    STARTS,
    TEXTS,
    begin,
    best_rate,
    changed,
    exact_bits,
    judged,
    short_runs,
    stored,
    texts,
    tokens_per_byte,
)

SOME = write_stories(12, seed=8)
PARTS = {"train": SOME[:6], "validation": SOME[6:9], "test": SOME[9:]}


# ---------------------------------------------------------------- the texts


@pytest.mark.parametrize("kind", CHANGED)
def test_words_are_changed_and_changed_back(kind):
    for story in SOME:
        other = changed(story, kind)
        assert judge(other).log_probability == -math.inf, "the checkpoint never saw such a story"
        assert changed(other, kind, back=True) == story


def test_other_deeds_are_words_that_the_checkpoint_knows_and_other_names_are_not(trained):
    _, tokenizer = trained
    plain, deeds, names = (
        tokens_per_byte(tokenizer, some)
        for some in (SOME, *([changed(story, kind) for story in SOME] for kind in CHANGED))
    )
    assert deeds == pytest.approx(plain, rel=0.02) and names > 1.2 * plain


@pytest.mark.parametrize("name", TEXTS)
def test_the_parts_of_a_text_are_apart(name):
    parts = texts(name)
    assert {part: len(some) for part, some in parts.items()} == SIZES
    train, validation, test = map(set, parts.values())
    assert not train & validation and not train & test and not validation & test


def test_the_floor_is_that_of_the_rules():
    nats = -sum(judge(story).log_probability for story in SOME)
    for kind in CHANGED:
        other = [changed(story, kind) for story in SOME]
        n_bytes = sum(len(story.encode()) for story in other)
        assert exact_bits(other, kind) == pytest.approx(nats / n_bytes / math.log(2))


# ---------------------------------------------------------------- a run


def test_a_run_begins_with_the_checkpoint_or_at_random(trained):
    model, tokenizer = trained
    ids = torch.tensor([tokenizer.encode(SOME[0])])
    long = PARTS | {"test": [SOME[0] * 3]}
    checkpoint, _ = begin("checkpoint", long, seed=1)
    torch.testing.assert_close(checkpoint.eval()(ids), model(ids))
    assert checkpoint.config.block_size > model.config.block_size
    scratch, _ = begin("from scratch", PARTS, seed=1)
    loss = bits_per_byte(scratch, tokenizer, SOME)
    by_chance = math.log2(tokenizer.vocab_size) * tokens_per_byte(tokenizer, SOME)
    assert loss == pytest.approx(by_chance, rel=0.05)
    with pytest.raises(ValueError, match="start"):
        begin("elsewhere", PARTS, seed=1)


def test_short_runs_tell_each_evaluation():
    told = []
    curves = short_runs(PARTS, dict.fromkeys(STARTS, 1e-3), 1, 2, lambda all_: told.append(all_))
    assert [*curves] == [*STARTS] and told[-1] == curves
    assert [list(own) for (own,) in curves.values()] == [[0, 1, 2]] * 2
    assert [len(own) for own in told] == [1, 1, 2, 2] and len(told[0]["checkpoint"][0]) == 2
    assert curves["checkpoint"][0][0] < 0.2 < 2 < curves["from scratch"][0][0]


def test_the_command_goes_on_where_it_stopped(monkeypatch, tmp_path):
    made = []

    def one(text, start, rate, seed):
        made.append((text, start, rate, seed))
        return {"choosing": abs(rate - 1e-2) + 1, "test": 1.0, "validation": [2.0, 1.0]}

    monkeypatch.setattr(finetune, "STORED", tmp_path / "finetuned.json")
    monkeypatch.setattr(finetune, "run", one)
    finetune.main(["deeds"])
    assert len(made) == len(set(made)) and {start for _, start, *_ in made} == {*STARTS}
    assert best_rate(load(finetune.STORED), "deeds", "checkpoint") == "0.01"
    again = len(made)
    finetune.main(["deeds"])
    assert len(made) == again


# ---------------------------------------------------------------- the stored runs


@pytest.mark.parametrize("text", TEXTS)
def test_every_start_has_all_seeds_at_its_best_rate_and_that_isnt_the_last_one_tried(text):
    found = stored()
    for start, runs in judged(found, text).items():
        assert len(runs) == len(SEEDS)
        for one in runs:
            assert len(one["validation"]) == 1 + N_STEPS // EVERY
            assert one["choosing"] == min(one["validation"])
        tried = sorted(map(float, found[text][start]))
        assert tried[0] < float(best_rate(found, text, start)) < tried[-1]


def test_the_figure_says_the_means_and_the_floor():
    curves = {
        "deeds": {
            "checkpoint": [{0: 1.0, 9: 0.5}, {0: 3.0, 9: 0.7}],
            "from scratch": [{0: 4.0, 9: 2.0}],
        }
    }
    said = finetune_figure(curves, {"deeds": 0.25}, "It helps").sentence
    assert said.startswith("It helps. ")
    assert said.endswith(
        "deeds, checkpoint 2.00 and then 0.60, from scratch 4.00 and then 2.00, floor 0.25."
    )
