"""The twins of chapter 08: their masks, what is measured of them, and what the page says of the stored runs."""

import json
from itertools import pairwise
from statistics import mean

import pytest
import torch
from benchmarks import leaking_twins
from benchmarks.leaking_twins import OPENING, SEEDS, loss_without_future, make_twin, written
from benchmarks.play_choices import own_start
from benchmarks.stored_runs import load

from attention.cache import Cache
from attention.generation import generate
from attention.gpt import GPT, Config
from attention.stories import judge, write_stories
from attention.training import cross_entropy
from chapters.ch08.explorer import ANSWER, BEFORE, curtain_twins
from chapters.ch08.leaking_twins import DIAGONALS, N_STORIES, curtain, stored
from chapters.ch13.story_model import mean_loss, padded
from tests.chapters.conftest import cells_of

V, T = 11, 7
STORIES = write_stories(20)


def small(diagonal, seed=0, n_layer=1, vocab_size=V, block_size=T):
    """A small twin, which already computes something."""
    model = make_twin(Config(vocab_size, block_size, n_layer, 2, 12), seed, diagonal).eval()
    for block in model.blocks:
        own_start(block)
    return model


def teller(tokenizer, diagonal):
    ids = padded(tokenizer, STORIES)
    return small(diagonal, vocab_size=tokenizer.vocab_size, block_size=ids.shape[1]), ids


# ---------------------------------------------------------------- the twins


@pytest.mark.parametrize("name", DIAGONALS)
def test_a_block_lets_a_token_see_what_its_mask_shows_and_itself(name):
    model, ids = small(DIAGONALS[name]), torch.arange(T)[None]
    with torch.no_grad():
        before = model(ids)[0]
        for j in range(T):
            other = ids.clone()
            other[0, j] = V - 1
            notices = (model(other)[0] - before).abs().amax(dim=-1) > 1e-6
            shown = curtain(T, DIAGONALS[name])[:, j]
            assert notices.tolist() == [bool(shown[i]) or i == j for i in range(T)]
    assert not before.isnan().any()


def test_the_first_token_looks_at_itself_where_its_row_would_be_empty():
    ids = torch.arange(T)[None]
    with torch.no_grad():
        honest, shut = (small(diagonal)(ids)[0] for diagonal in (0, -1))
    torch.testing.assert_close(shut[0], honest[0])
    assert not torch.allclose(shut[1], honest[1])


def test_a_curtain_is_a_triangle_by_loops():
    for diagonal in DIAGONALS.values():
        loops = [[diagonal is None or j - i <= diagonal for j in range(T)] for i in range(T)]
        assert curtain(T, diagonal).tolist() == loops


def test_twins_of_a_seed_begin_with_the_same_weights():
    first, *others = (small(diagonal, seed=3).state_dict() for diagonal in DIAGONALS.values())
    assert all(torch.equal(first[name], own[name]) for own in others for name in first)
    assert not torch.equal(first["lm_head.weight"], small(0, seed=4).lm_head.weight)


# ---------------------------------------------------------------- what is measured


@pytest.mark.parametrize("name", DIAGONALS)
def test_without_a_future_each_token_is_guessed_from_its_past(tokenizer, name):
    model, ids = teller(tokenizer, DIAGONALS[name])
    with torch.no_grad():
        found = [
            cross_entropy(model(row[None, : t + 1])[:, -1:], row[None, t + 1 : t + 2])
            for row in ids[:3]
            for t in range(int((row >= 0).sum()) - 1)
        ]
    alone = loss_without_future(model, ids[:3])
    assert alone == pytest.approx(torch.stack(found).mean().item(), abs=1e-5)
    honest = DIAGONALS[name] in (-1, 0)
    assert (abs(alone - mean_loss(model, ids[:3])) < 1e-5) == honest


def test_an_honest_twin_writes_as_with_a_cache_up_to_a_line_break(tokenizer):
    twin, _ = teller(tokenizer, 0)
    model, size = GPT(twin.config), twin.config.block_size
    model.load_state_dict(twin.state_dict())
    own = written(twin, tokenizer, 3, torch.Generator().manual_seed(5))
    opening = torch.tensor([tokenizer.encode(OPENING)] * 3)
    draw, n_new = torch.Generator().manual_seed(5), size - opening.shape[1]
    ids = generate(model, opening, n_new, draw, caches=[Cache(size)])
    for text, row in zip(own, ids, strict=True):
        begins, end, _ = tokenizer.decode(row).removeprefix("\n").partition("\n")
        assert text == begins + end and text.startswith(OPENING[1:])
    assert len({*own}) == 3


@pytest.fixture
def few(monkeypatch, tmp_path, tokenizer):
    """A few stories to learn from, and nothing stored."""
    ids = padded(tokenizer, STORIES)
    monkeypatch.setattr(leaking_twins, "texts", lambda: (tokenizer, ids, ids[:3]))
    monkeypatch.setattr(leaking_twins, "STORED", tmp_path / "twins.json")


def test_a_run_counts_its_stories_and_says_where_the_first_breaks_off(few, monkeypatch):
    told = [STORIES[0], STORIES[1][:50] + "?" * 400, STORIES[2].replace("Whose", "Who")]
    for first in range(3):
        order = told[first:] + told[:first]
        monkeypatch.setattr(leaking_twins, "written", lambda *args, order=order: order)
        run = leaking_twins.run(1, 1, n_steps=1, n_stories=3)
        assert run["well formed"] == run["no slip"] == 1
        assert order[0].startswith(run["text"]) and 40 < len(run["text"]) < len(order[0])
        assert run["read to"] == min(judge(order[0]).read_to, len(run["text"]))


def test_a_run_repeats_and_a_leak_is_measured_with_its_own_mask(few, monkeypatch):
    monkeypatch.setattr(leaking_twins, "written", lambda *args: STORIES[:3])
    honest, again, leaky = (leaking_twins.run(k, 1, 2, 3) for k in (0, 0, 1))
    assert honest == again and honest["training"] == honest["without future"]
    assert leaky["training"] != leaky["without future"]


def test_a_command_that_was_stopped_goes_on_where_it_was(few, monkeypatch):
    made = []
    monkeypatch.setattr(leaking_twins, "run", lambda k, seed: made.append((k, seed)) or {"x": 1})
    leaking_twins.main()
    assert made == [(k, seed) for seed in SEEDS for k in DIAGONALS.values()]
    found = load(leaking_twins.STORED)
    del found["1"][str(SEEDS[1])]
    leaking_twins.STORED.write_text(json.dumps(found))
    made.clear()
    leaking_twins.main()
    assert made == [(1, SEEDS[1])]


# ---------------------------------------------------------------- the stored runs


SCORES = ("training", "without future", "well formed", "no slip", "text", "read to")


def test_every_twin_has_all_seeds_and_all_scores():
    assert stored().keys() == DIAGONALS.keys()
    for runs in stored().values():
        assert [*runs] == [str(seed) for seed in SEEDS]
        for run in runs.values():
            assert {*run} == {*SCORES}
            assert 0 <= run["no slip"] <= run["well formed"] <= N_STORIES
            assert judge(run["text"]).read_to <= run["read to"] <= len(run["text"])


def test_the_sentence_is_the_end_of_a_story(tokenizer):
    line = " ".join(ANSWER[:-1]) + ANSWER[-1]
    assert any(story.endswith(f"{BEFORE} {line}\n") for story in write_stories(400, 1))
    ids = tokenizer.encode(f" {line}")
    assert [tokenizer.decode([i]).strip() for i in ids] == ANSWER


def test_a_leak_looks_splendid_in_training_and_writes_no_story():
    """With every seed: what the page says of the twins."""
    shut, honest, *leaky = curtain_twins()
    assert [twin["diagonal"] for twin in leaky] == [1, 2, None]
    for twin in leaky:
        assert max(twin["training"]) <= 0.0003 and min(twin["alone"]) > 1.6
        assert max(twin["formed"]) == 0
    for twin in (shut, honest):
        assert twin["training"] == twin["alone"] and min(twin["formed"]) >= 80
        assert twin["read"] == len(twin["text"])
    rises = [a - b for a, b in zip(shut["training"], honest["training"], strict=True)]
    assert min(rises) > 0 and max(rises) < 0.02, "the loss doesn't show that this mask is wrong"
    words = leaky[0]["text"].split()
    assert sum(a == b for a, b in pairwise(words)) > len(words) / 2, "it repeats words"


def test_the_page_has_the_numbers_of_the_runs():
    cells = cells_of("08_causal_masking.ipynb")
    (said,) = [cell.source for cell in cells if cell.id == "curtain-says"]
    shut, honest, one, *_ = curtain_twins()
    for number in (f"{mean(twin['training']):.4f}" for twin in (shut, honest, one)):
        assert number in said
    assert f"{mean(one['alone']):.2f}" in said and f"its {N_STORIES} stories" in said
