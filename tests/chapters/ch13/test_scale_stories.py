"""A loss against size and steps: what a run is, that the command can go on, and that its runs are all there."""

import pytest
import torch
from benchmarks import ablate_stories, scale_stories
from benchmarks.scale_stories import RATES, owners, scores
from benchmarks.stored_runs import load, next_run

from attention.gpt import GPT
from attention.stories import DEEDS, write_stories
from chapters.ch13.scale_stories import (
    BUDGETS,
    MEASURES,
    MIDDLE,
    SEEDS,
    WIDTHS,
    best_rate,
    configure,
    judged,
    n_parameters,
    stored,
    tried,
)
from chapters.ch13.story_model import exact_floor, mean_loss, padded

STORIES = write_stories(20)


@pytest.fixture
def small(tokenizer, monkeypatch, tmp_path):
    """A few stories to learn from, and nothing stored."""
    texts = (tokenizer, padded(tokenizer, STORIES), STORIES[:3], STORIES[3:5])
    for module in (ablate_stories, scale_stories):
        monkeypatch.setattr(module, "texts", lambda: texts)
    monkeypatch.setattr(scale_stories, "STORED", tmp_path / "scaling.json")
    return tokenizer


# ---------------------------------------------------------------- a run


@pytest.mark.parametrize("width", WIDTHS)
def test_the_parameters_of_the_blocks_are_counted(width):
    blocks = GPT(configure(width, 11, 7)).blocks
    assert len(blocks) == 3
    assert n_parameters(width) == sum(p.numel() for p in blocks.parameters())


def test_an_owner_is_a_name_that_came_before_after_a_thing(small):
    places = owners(small, tuple(STORIES))
    ids = padded(small, STORIES)
    for n, position in zip(*places, strict=True):
        thing, name = ids[n, position], ids[n, position + 1]
        said = small.decode(ids[n, : position + 1].tolist())
        assert small.decode([int(thing)]).strip() in DEEDS
        assert small.decode([int(name)]) in said
    gifts, answers = (
        sum(story.count(words) for story in STORIES) for words in ("gave", "It is the")
    )
    assert len(places[0]) == 2 * gifts + answers


def test_the_loss_above_the_floor_has_a_part_at_the_owners(small):
    torch.manual_seed(0)
    model = GPT(configure(8, small.vocab_size, 125))
    torch.nn.init.zeros_(model.lm_head.weight)  # every token has probability 1 / V
    found = scores(model, small, STORIES)
    assert found.keys() == set(MEASURES)
    ids = padded(small, STORIES)
    excess = mean_loss(model, ids) - exact_floor(small, STORIES)
    assert found["excess"] == pytest.approx(excess, abs=1e-5)
    share = len(owners(small, tuple(STORIES))[0]) / int((ids[:, 1:] >= 0).sum())
    ln_v = torch.tensor(small.vocab_size).log().item()
    assert found["owners"] == pytest.approx(share * ln_v, abs=1e-5)
    assert found["named"] == 0


def test_a_model_that_knows_the_names_has_no_loss_there(small):
    ids = padded(small, STORIES)
    rows, positions = owners(small, tuple(STORIES))

    class Knows(torch.nn.Module):
        def forward(self, x):
            right = ids[:, 1:].clamp(min=0)
            return 50.0 * torch.nn.functional.one_hot(right, small.vocab_size).float()

    found = scores(Knows(), small, STORIES)
    assert found["named"] == 1 and found["owners"] == pytest.approx(0, abs=1e-6)
    assert found["excess"] < 0, "it knows what the rules leave open, too"


def test_a_run_repeats_and_its_seed_gives_the_weights_and_the_batches(small, monkeypatch):
    one, again, other = (scale_stories.run(8, 2, 0.01, seed) for seed in (1, 1, 2))
    assert one == again != other and one.keys() == {"choosing", *MEASURES}
    seen = []
    monkeypatch.setattr(scale_stories, "train", lambda *args: seen.append(args) or 0.5)
    for seed in (1, 2):
        found = scale_stories.run(16, 3, 0.02, seed)
    (model, *args), (different, *_) = seen
    assert args == [0.02, 1, 3, scale_stories.BATCH_SIZE] and found["choosing"] == 0.5
    assert model.config.n_embd == 16
    assert not torch.equal(model.lm_head.weight, different.lm_head.weight)


# ---------------------------------------------------------------- the command


def test_each_size_has_its_best_rate_and_one_at_the_edge_asks_for_another(small, monkeypatch):
    made = []

    def run(width, n_steps, rate, seed):
        made.append((width, n_steps, rate, seed))
        best = 0.08 if width == 8 else 0.02
        return dict.fromkeys(MEASURES, seed) | {"choosing": abs(rate - best)}

    monkeypatch.setattr(scale_stories, "run", run)
    scale_stories.main()
    best = dict.fromkeys(WIDTHS, 0.02) | {8: 0.08}
    judged_on = {(w, steps, best[w], seed) for w in WIDTHS for steps in BUDGETS for seed in SEEDS}
    others = {*made} - judged_on
    assert judged_on < {*made} and len(made) == len({*made})
    assert {rate for w, _, rate, _ in made if w == 8} == {*RATES, 0.08, 0.16}
    assert {rate for w, _, rate, _ in made if w > 8} == {*RATES}
    assert all(steps == MIDDLE and seed in SEEDS[:2] for _, steps, _, seed in others)
    own = dict.fromkeys(MEASURES, [*SEEDS])
    assert judged(load(scale_stories.STORED)) == {w: dict.fromkeys(BUDGETS, own) for w in WIDTHS}


# ---------------------------------------------------------------- the stored runs

FOUND = stored()
JUDGED = judged(FOUND)
MEANS = {
    (width, steps): {name: sum(values) / len(values) for name, values in own.items()}
    for width, by_steps in JUDGED.items()
    for steps, own in by_steps.items()
}


def test_every_size_has_all_runs_and_all_scores():
    assert [*JUDGED] == [*WIDTHS] and all(
        [*by_steps] == [*BUDGETS] for by_steps in JUDGED.values()
    )
    for width in WIDTHS:
        losses, best = tried(FOUND, width), best_rate(FOUND, width)
        assert next_run(losses, RATES, SEEDS) is None, "run python -m benchmarks.scale_stories"
        assert float(best) not in (min(map(float, losses)), max(map(float, losses))), "at the edge"
        made = {(steps, best, seed) for steps in BUDGETS for seed in SEEDS}
        made |= {(MIDDLE, rate, int(seed)) for rate, own in losses.items() for seed in own}
        kept = {
            (int(steps), rate, int(seed)): own.keys()
            for steps, rates in FOUND[str(width)].items()
            for rate, seeds in rates.items()
            for seed, own in seeds.items()
        }
        assert kept == dict.fromkeys(made, {"choosing", *MEASURES}), width
    for own in (own for by_steps in JUDGED.values() for own in by_steps.values()):
        assert all(
            0 < part < whole for part, whole in zip(own["owners"], own["excess"], strict=True)
        )


def divided(*pairs):
    """By how much the mean loss above the floor is divided from the first of each pair to the second."""
    return [MEANS[one]["excess"] / MEANS[other]["excess"] for one, other in pairs]


def test_neither_twice_the_width_nor_twice_the_steps_has_one_effect():
    doubled = ((8, 16), (16, 32), (32, 64))
    by_size = divided(*[((a, n), (b, n)) for a, b in doubled for n in BUDGETS])
    assert round(min(by_size), 1) == 1.6 and round(max(by_size), 1) == 3.0
    longer = list(zip(BUDGETS, BUDGETS[1:], strict=False))
    by_steps = divided(*[((w, a), (w, b)) for w in WIDTHS for a, b in longer])
    assert round(min(by_steps), 1) == 1.4 and round(max(by_steps), 1) == 2.7
    first, steepest, last = divided(*[((a, 400), (b, 400)) for a, b in doubled])
    assert steepest > first + 0.5 and steepest > last + 1


def test_the_lines_bend_where_models_learn_to_look_back():
    """With every seed: what the page says of owners."""
    few, _, many = ([JUDGED[width][steps] for width in WIDTHS] for steps in BUDGETS)
    named = [own["named"] for own in many]
    assert max(named[0]) < 0.065 and min(named[1]) > 0.5
    assert all(0.73 < share < 0.78 for own in named[2:] for share in own)
    assert all(0.16 < part < 0.18 for part in many[0]["owners"])
    assert all(part < 0.045 for own in many[2:] for part in own["owners"])
    assert max(share for own in few[:3] for share in own["named"]) < 0.32
    assert all(0.47 < share < 0.67 for own in few[3:] for share in own["named"])
