"""What stories need: each variant is what its name says, the command can go on, and its runs are all there."""

from statistics import fmean

import pytest
import torch
from benchmarks import ablate_stories, train_stories
from benchmarks.ablate_stories import RATES, ROWS, make_model
from benchmarks.play_choices import EqualShares, own_start, turned_into
from benchmarks.stored_runs import load, next_run

from attention.fitting import Evaluation
from attention.gpt import Config
from attention.stories import write_stories
from chapters.ch13.ablate_stories import MEASURES, SEEDS, judged, stored
from chapters.ch13.story_model import padded
from chapters.rates import best_rates, by_seed

V, T = 11, 7
TINY = Config(V, T, n_layer=3, n_head=2, n_embd=12)
STORIES = write_stories(20)


def variant(row, seed=0, **changes):
    """A small model of this row, which already computes something."""
    config = ROWS[row].get("config", {}) | changes
    block = ROWS[row].get("block", ablate_stories.make_block)
    model = make_model(TINY, seed, block, **config).eval()
    for each in model.blocks:
        own_start(each)
    return model


def logits_at_the_end(row, ids, **changes):
    with torch.no_grad():
        return variant(row, **changes)(torch.tensor([ids]))[0, -1]


# ---------------------------------------------------------------- the variants


@pytest.mark.parametrize("row", ROWS)
def test_only_without_attention_does_a_token_ignore_its_past(row):
    one, other = (logits_at_the_end(row, [*past, 5]) for past in ([1, 2, 3, 4], [9, 8, 7, 6]))
    assert torch.allclose(one, other, atol=1e-6) == (row == "no attention")


@pytest.mark.parametrize("row", [row for row in ROWS if row.startswith("averages")])
def test_the_average_has_equal_weights_in_every_block_and_head(row):
    _, weights = variant(row).forward_with_weights(torch.arange(T)[None])
    equal = torch.ones(T, T).tril() / torch.arange(1, T + 1)[:, None]
    torch.testing.assert_close(weights, equal.expand(3, 1, 2, T, T))


def test_an_average_has_no_rotary_positions():
    """Rotary positions act only on the scores, so it is the average of a model without positions."""
    block = turned_into(attention=EqualShares)
    rotary, none = (make_model(TINY, 0, block, positions=how) for how in ("rotary", "none"))
    for model in (rotary, none):
        torch.manual_seed(1)
        for each in model.blocks:
            own_start(each)
    ids = torch.arange(T)[None]
    torch.testing.assert_close(rotary(ids), none(ids), rtol=0, atol=0)
    assert not torch.allclose(rotary(ids), variant("the whole model")(ids))


@pytest.mark.parametrize("row", ROWS)
def test_one_block_knows_the_order_of_the_past_only_by_positions(row):
    one, other = (logits_at_the_end(row, [*past, 5], n_layer=1) for past in ([1, 2, 3], [3, 1, 2]))
    ordered = row not in ("no attention", "averages, no positions", "no positions")
    assert torch.allclose(one, other, atol=1e-5) != ordered


def test_one_layer_and_one_head_are_one():
    models = {row: variant(row) for row in ROWS}
    assert [row for row in ROWS if len(models[row].blocks) == 1] == ["one layer"]
    assert [row for row in ROWS if models[row].blocks[0].attention.n_head == 1] == ["one head"]


@pytest.mark.parametrize("row", ROWS)
def test_a_pair_begins_with_the_same_weights(row):
    changes = ROWS[row]
    block = changes.get("block", ablate_stories.make_block)
    own = make_model(TINY, 3, block, **changes.get("config", {})).state_dict()
    whole, other = (make_model(TINY, seed).state_dict() for seed in (3, 4))
    alone = {"position_embedding.weight"} if "learned positions" in row else set()
    assert own.keys() - whole.keys() == alone
    assert all(torch.equal(own[name], whole[name]) for name in own.keys() - alone)
    assert not torch.equal(own["lm_head.weight"], other["lm_head.weight"])


# ---------------------------------------------------------------- the command


@pytest.fixture
def small(tokenizer, monkeypatch, tmp_path):
    """A few stories to learn from, and nothing stored."""
    texts = (tokenizer, padded(tokenizer, STORIES), STORIES[:3], STORIES[3:5])
    monkeypatch.setattr(ablate_stories, "texts", lambda: texts)
    monkeypatch.setattr(ablate_stories, "STORED", tmp_path / "ablations.json")


def test_a_run_is_scored_on_both_sets_and_repeats(small, monkeypatch):
    monkeypatch.setattr(train_stories, "told_by", lambda *args: [*STORIES[:3], *["?"] * 197])
    first, again = (ablate_stories.run("one layer", 0.01, 1, 2) for _ in range(2))
    assert first.keys() == {"choosing", *MEASURES}
    assert first == again and first["excess"] != first["choosing"]
    assert first["no slip"] == 0.015  # three stories of 200


def test_a_seed_gives_the_weights_and_the_batches(small, monkeypatch):
    seen = []
    monkeypatch.setattr(train_stories, "told_by", lambda *args: [*STORIES[:3], *["?"] * 197])
    done = [Evaluation(1000, 1.0, 1.0)]
    train = lambda model, *args, **how: seen.append((model, args, how)) or done  # noqa: E731
    monkeypatch.setattr(ablate_stories, "train_on_texts", train)
    for seed in (1, 2):
        ablate_stories.run("whole, 1,000 steps", 0.01, seed)
    (one, args, how), (other, other_args, _) = seen
    assert how == dict(learning_rate=0.01, eval_every=1000) and args[2] == 1000
    assert not torch.equal(one.lm_head.weight, other.lm_head.weight)
    draws = [torch.rand(1, generator=each[3]) for each in (args, other_args)]
    assert draws[0] != draws[1]


def test_the_rate_is_chosen_on_other_stories_and_only_then_come_the_other_seeds(
    small, monkeypatch
):
    made = []

    def run(row, rate, seed):
        made.append((row, rate, seed))
        return dict.fromkeys(MEASURES, seed) | {"choosing": abs(rate - 0.004)}

    monkeypatch.setattr(ablate_stories, "run", run)
    ablate_stories.main("one head")
    first, second, *others = SEEDS
    rates = [*RATES, 0.0025]  # since 0.005 is the lowest of RATES
    chosen = [(rate, first) for rate in rates] + [(0.005, second), (0.0025, second)]
    assert made == [("one head", *each) for each in chosen + [(0.005, seed) for seed in others]]
    found = load(ablate_stories.STORED)
    assert judged(found) == {"one head": dict.fromkeys(MEASURES, [*SEEDS])}
    del found["one head"]["0.005"][str(SEEDS[-1])]
    assert judged(found) == {}, "not finished"


def test_a_row_that_nobody_knows_is_refused_before_any_training(small):
    with pytest.raises(ValueError, match="row: expected one of .*'one leg'; did you mean"):
        ablate_stories.main("one leg")


# ---------------------------------------------------------------- the stored runs

JUDGED = judged(stored())


def test_every_run_has_all_scores_and_every_finished_row_has_all_seeds():
    assert JUDGED.keys() == ROWS.keys()
    assert all(len(values) == len(SEEDS) for own in JUDGED.values() for values in own.values())
    for row, runs in stored().items():
        assert set(map(str, RATES)) <= runs.keys(), row
        scores = [scores.keys() for own in runs.values() for scores in own.values()]
        assert all(keys == {"choosing", *MEASURES} for keys in scores), row


@pytest.mark.parametrize("row", ROWS)
def test_the_rate_of_a_row_is_the_best_and_not_at_the_edge(row):
    found = by_seed(stored()[row], "choosing")
    assert next_run(found, RATES, SEEDS) is None
    best, *others = best_rates(found, *SEEDS[:2])
    assert others and best == best_rates(found, *SEEDS)[0]
    assert min(map(float, found)) < float(best) < max(map(float, found))


def test_an_average_gives_form_and_only_attention_in_several_layers_keeps_the_facts():
    """With every seed: what the page says of its figure."""
    whole, nothing, learned, mean, no_positions, average, one_layer, one_head, longer = (
        JUDGED.values()
    )
    for own in (whole, learned, mean, average, one_layer):
        assert min(own["well formed"]) > 0.9
    assert max(nothing["well formed"] + nothing["no slip"]) == 0 and min(nothing["excess"]) > 1
    assert min(whole["no slip"]) >= 0.8 and max(average["no slip"] + one_layer["no slip"]) < 1 / 3
    assert min(learned["no slip"]) > 0.7 > 0.34 > max(mean["no slip"])
    assert min(learned["answered"]) > 0.99 > 0.86 > max(mean["answered"])
    assert min(whole["answered"]) > max(average["answered"]) > max(one_layer["answered"])
    assert (
        max(whole["excess"])
        < 0.004
        < 0.02
        < min(average["excess"] + mean["excess"] + one_layer["excess"])
    )
    assert max(average["excess"] + one_layer["excess"]) < 0.03
    middle = no_positions["no slip"]
    assert min(middle) < 0.2 and max(middle) >= 0.85, "it depends on the seed"
    said = [f"{fmean(own['no slip']):.0%}" for own in (whole, average, mean, learned)]
    assert said == ["86%", "28%", "27%", "76%"]
    assert min(longer["no slip"]) > 0.85 and max(longer["excess"]) < 0.003
    lost = [share < 1 / 3 for share in one_head["no slip"]]
    assert lost.count(True) == 1, "one seed in five, as bad as with one layer"
    assert all(share >= 0.8 for share in one_head["no slip"] if share > 1 / 3)
