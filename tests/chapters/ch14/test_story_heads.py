"""Chapter 14: which head of the story model fetches what, on stories that the page doesn't use."""

import json

import pytest
import torch
from benchmarks import story_film

from attention.gpt import GPT, Config
from attention.stories import GIRLS, judge, write_stories
from attention.training import evaluating
from chapters.ch13.story_model import START
from chapters.ch14 import film
from chapters.ch14.attention_only import make_attention_only
from chapters.ch14.explorer import film_explorer, growth_explorer
from chapters.ch14.figures import _unpacked, film_figure, growth_figure
from chapters.ch14.handcrafted_induction import handcrafted_induction
from chapters.ch14.interventions import ablated, patched
from chapters.ch14.story_heads import carried, guesses, looks, renamed, share_fitting, still_named
from chapters.ch14.tasks import fit_task, repeated_strings

pytestmark = pytest.mark.usefixtures("as_a_user")
SOME = write_stories(60, seed=7)
TOLD = (
    "Once there was a kite Mira flew and a lamp Omar lit. They lived by the lake with a dog called "
    "Pip. Then the lamp Omar lit bored him, so he gave it to Pip. Now it was the lamp Pip lit. It "
    "was a good day. Whose is the kite? It is the kite Mira flew.\n"
)


def test_every_word_that_is_decided_has_its_kind(trained):
    _, tokenizer = trained
    assert judge(TOLD).well_formed
    words = [tokenizer.decode([i]).strip() for i in tokenizer.encode(START + TOLD)]
    found = [
        (words[g.position], g.kind, *(tokenizer.decode([i]).strip() for i in g.fits))
        for g in guesses(tokenizer, [TOLD])
    ]
    assert [each for each in found if each[1] != "form"] == [
        ("Mira", "deed", "flew"), ("Omar", "deed", "lit"), ("lamp", "owner", "Omar"),
        ("Omar", "deed", "lit"), ("bored", "her", "him"), ("so", "she", "he"), ("the", "thing", "lamp"),
        ("lamp", "owner", "Pip"), ("Pip", "deed", "lit"), ("the", "thing", "kite"),
        ("kite", "owner", "Mira"), ("Mira", "deed", "flew"),
    ]  # fmt: skip
    form = [each[2] for each in found if each[1] == "form"]
    assert form[:4] == ["Once", "there", "was", "a"] and "Pip" not in form and "?" in form
    free = "kite Mira lamp Omar lake dog Pip Then lamp bored Pip It kite"  # and the line break
    assert len(found) == len(words) - 1 - len([*free.split(), "\n"])


def test_head_1_1_fetches_the_owner_and_form_stays_without_it(trained):
    model, tokenizer = trained
    found = looks(model, tokenizer, SOME)
    for kind, head in {
        "owner": (1, 1),
        "thing": (1, 0),
        "her": (1, 0),
        "she": (0, 1),
        "deed": (1, 0),
    }.items():
        assert found[kind].argmax() == 2 * head[0] + head[1] and found[kind].max() > 0.45
    assert min(share_fitting(model, tokenizer, SOME).values()) > 0.99
    with ablated(model, 1, 1):
        without = share_fitting(model, tokenizer, SOME)
    assert without["owner"] < 0.45 and without["form"] > 0.99 and without["she"] > 0.99
    with ablated(model, 2, 1):
        assert min(share_fitting(model, tokenizer, SOME).values()) > 0.99, "it is spare"


def test_it_alone_carries_a_name_to_the_answer(trained):
    model, tokenizer = trained
    pairs = list(renamed(write_stories(300, seed=8), seed=1))
    assert len(pairs) > 10
    for story, name, other_story, other in pairs:
        assert story.count(name) == 1 and other_story == story.replace(name, other) != story
        assert (name in GIRLS) == (other in GIRLS)
    shares = carried(model, tokenizer, pairs)
    assert shares.shape == (3, 2, len(pairs)) and shares[1, 1].min() > 0.95
    rest = shares.mean(dim=-1)
    rest[1, 1] = 0
    assert rest.abs().max() < 0.1
    both = carried(model, tokenizer, [(a, n, a, m) for a, n, _, m in pairs])
    assert torch.isnan(both).all(), "the same story has nothing to bring back"


# ---------------------------------------------------------------- the stored film

FILM = json.loads(film.STORED.read_text())


def test_block_0_is_not_needed_at_the_name_but_at_the_end(trained):
    model, tokenizer = trained
    pairs = list(renamed(write_stories(200, seed=8), 1))
    at_name, at_end = (still_named(model, tokenizer, pairs, place) for place in ("name", "end"))
    assert len(at_name) == len(pairs) and at_name.mean() > 0.9 and at_end.mean() < 0.5
    story, name, *_ = pairs[0]  # the same with one head patched inside the other
    ids, answer = torch.tensor([tokenizer.encode(START + story)]), tokenizer.encode(f" {name}")[0]
    zeros, at = torch.zeros(3, 1, 2, 1, 32), (ids[0] == answer).nonzero()[:1, 0]
    for place, own in ((at, at_name[0]), (torch.tensor([-1]), at_end[0])):
        with (
            patched(model, 0, 0, zeros, place),
            patched(model, 0, 1, zeros, place),
            evaluating(model),
        ):
            torch.testing.assert_close(own, model(ids)[0, -1].softmax(dim=-1)[answer])


def test_the_film_opens_on_its_first_frame_and_shows_each():
    explorer = film_explorer()
    assert explorer.still.sentence.startswith("Step 0: ")
    for frame in FILM[:: len(FILM) // 3]:
        told = explorer.render(step=frame["step"]).sentence
        assert told.startswith(f"Step {frame['step']}: "), told


def test_the_film_has_all_its_frames_and_is_small():
    assert [frame["step"] for frame in FILM] == [
        film.EVERY * n for n in range(story_film.N_FRAMES)
    ]
    assert film.STORED.stat().st_size < 200_000


def test_form_comes_before_the_owners_and_head_1_1_with_them():
    def since(share):
        return next(n for n, frame in enumerate(FILM) if share(frame) > 0.9)

    form, thing, owner = (
        since(lambda frame, k=kind: frame["fits"][k]) for kind in ("form", "thing", "owner")
    )
    assert form < thing < owner
    early, late = FILM[form], FILM[-1]
    assert early["answered"] < 0.1 and late["answered"] > 0.95
    assert early["no slip"] == 0 and late["no slip"] > 0.5 and late["well formed"] > 0.9
    assert early["looks"]["owner"][3] < 0.1 and late["looks"]["owner"][3] > 0.4


def test_a_frame_is_what_the_model_shows(trained, monkeypatch):
    model, tokenizer = trained
    other = TOLD.replace("the kite Mira flew.\n", "the kite Omar flew.\n")
    told = [TOLD, other, "Once upon a time"]
    monkeypatch.setattr(story_film, "told_by", lambda *args: told)
    monkeypatch.setattr(story_film, "JUDGED", len(told))
    frame = story_film.frame(model, tokenizer, SOME[:10])
    assert frame["answered"] == 1 and abs(frame["excess"]) < 0.05
    ids = torch.tensor([tokenizer.encode(START + story_film.TOLD)])
    own = model.forward_with_weights(ids)[1][1, 0, 1]
    torch.testing.assert_close(_unpacked(frame["maps"][3]), own, atol=0.03, rtol=0)
    stored = [{"step": n, **frame} for n in (0, 10)]
    sentence = film_figure(stored, 1).sentence
    assert "Step 10: the loss is" in sentence
    assert "67% are well formed and 33% have no slip" in sentence


@pytest.mark.weekly
def test_the_film_is_that_of_the_command():
    """Its first frames, trained anew; other processors end a little elsewhere."""
    for found, stored in zip(story_film.frames(4), FILM, strict=False):
        assert found["excess"] == pytest.approx(stored["excess"], rel=0.1)


# ---------------------------------------------------------------- a film that is taken while a model learns


def test_a_camera_takes_a_frame_every_so_many_steps_and_changes_nothing():
    def trained(**how):
        torch.manual_seed(1)
        model = GPT(Config(27, 64, n_layer=2, n_head=1, n_embd=8), make_attention_only)
        draw = torch.Generator().manual_seed(1)
        fit_task(
            model, lambda: repeated_strings(2, 5, 27, draw), n_steps=20, learning_rate=3e-3, **how
        )
        return model

    taken, watched = [], []
    task = repeated_strings(5, 10, 27, torch.Generator().manual_seed(2))
    model = trained(on_step=film.camera(taken, task, task, watched.append))
    assert [frame["step"] for frame in taken] == [0, 10, 20] and watched == taken
    for own, other in zip(model.parameters(), trained().parameters(), strict=True):
        assert torch.equal(own, other)
    assert taken[-1] == {"step": 20, **film.grown(model, task, task)}
    explorer = growth_explorer(taken)
    assert explorer.still.sentence.startswith("Step 0: ")
    assert explorer.render(step=20).sentence == growth_figure(taken).sentence


def test_a_frame_of_heads_that_are_set_by_hand():
    task = repeated_strings(5, 10, 27, torch.Generator().manual_seed(2))
    frame = film.grown(handcrafted_induction(27, 64), task, task)
    assert min(frame[name] for name in ("right", "previous", "induction")) > 0.99 > frame["loss"]
    first, second = (_unpacked(signs) for signs in frame["maps"])
    assert first[5, 4] > 0.99 and second[12, 3] > 0.99
    assert (
        "right answers 1.00, previous token 1.00, induction 1.00"
        in growth_figure([frame | {"step": 0}]).sentence
    )
