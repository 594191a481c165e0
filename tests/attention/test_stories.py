"""The rules of the stories: what they write they read, every probability is exact, and slips are found."""

import math

import pytest
import torch

from attention import stories
from attention.corpus import load_corpus
from attention.stories import SLIPS, judge, tell, write_stories

STORY = (
    "Once there was a kite Mira flew and a lamp Omar lit. They lived by the sea with a dog called Pip. "
    "Soon the kite Mira flew bored her, so she gave it to Pip. Now it was the kite Pip flew. "
    "It was a good day. Whose is the kite? It is the kite Pip flew. And the lamp? It is the lamp Omar lit.\n"
)


def every_story(path=()):
    """Each text with its probability, whatever is chosen at each choice."""
    tale, pieces, chosen, piece = tell(), [], list(path), None
    try:
        while True:
            _, fit = tale.send(piece)
            if len(fit) > 1 and not chosen:
                for one in fit:
                    yield from every_story((*path, one))
                return
            piece = chosen.pop(0) if len(fit) > 1 else fit[0]
            pieces.append(piece)
    except StopIteration:
        yield "".join(pieces), judge("".join(pieces)).log_probability


def test_no_text_comes_about_in_two_ways_and_the_probabilities_add_up_to_1(monkeypatch):
    small = dict(GIRLS=["Mira"], BOYS=["Omar"], PETS=["Pip"], PLACES=["sea"], WHEN=["Soon"])
    small |= dict(TOYS={"kite": "flew"}, FINDS={"lamp": "lit", "map": "read"}, MOST_GIFTS=2)
    small["ENDINGS"] = ["It was a good day."]
    small["DEEDS"] = small["TOYS"] | small["FINDS"]
    for name, value in small.items():
        monkeypatch.setattr(stories, name, value)
    texts, log_p = zip(*every_story(), strict=True)
    assert len(set(texts)) == len(texts) > 1000
    assert math.isclose(sum(map(math.exp, log_p)), 1)


def test_no_word_of_a_kind_begins_another():
    for words in SLIPS.values():
        assert [w for w in words for other in words if w != other and other.startswith(w)] == []


def test_every_story_is_read_as_one_and_their_mean_log_probability_is_the_entropy_of_the_rules():
    ln = math.log
    begin = ln(8) + ln(16) + ln(4) + ln(8) + ln(6) + ln(2) + ln(8)
    gift = 3 * ln(2)  # which thing, bored or tired, and to which of two others
    last = gift + ln(3)  # after the third gift the story ends
    second = gift + ln(6) + last / 2
    exact = begin + ln(3) + gift + ln(6) + second / 2 + ln(2) + ln(2)
    stories = write_stories(5000)
    told = [judge(story) for story in stories]
    for story, judged in zip(stories, told, strict=True):
        assert judged.well_formed and not judged.slips and judged.read_to == len(story)
    found = torch.tensor([-judged.log_probability for judged in told])
    assert abs(found.mean() - exact) < 4 * found.std() / len(found) ** 0.5


@pytest.mark.parametrize(
    ("old", "new", "kind", "fit"),
    [
        ("kite Mira flew bored", "kite Zoe flew bored", "owner", ("Mira",)),
        ("kite Mira flew and", "kite Mira lit and", "deed", ("flew",)),
        ("Soon the kite", "Soon the drum", "thing", ("kite", "lamp")),
        ("bored her", "bored him", "her", ("her",)),
        ("so she gave", "so he gave", "she", ("she",)),
        ("gave it to Pip", "gave it to Mira", "name", ("Omar", "Pip")),
        ("Now it was the kite", "Now it was the lamp", "same", ("kite",)),
        ("is the kite Pip", "is the kite Mira", "answer", ("Pip",)),
        ("is the lamp Omar", "is the lamp Pip", "answer", ("Omar",)),
    ],
)
def test_a_word_that_contradicts_the_story_is_a_slip(old, new, kind, fit):
    assert judge(STORY).log_probability > -math.inf and old in STORY
    judged = judge(STORY.replace(old, new))
    slip = judged.slips[0]
    assert judged.well_formed and judged.log_probability == -math.inf
    assert (slip.kind, set(slip.fit)) == (kind, set(fit))
    assert STORY.replace(old, new)[slip.start :].startswith(slip.word)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("", 0),
        (STORY[:-1], len(STORY) - 1),
        (STORY + "Once", len(STORY)),
        (STORY.replace("bored", "pleased"), STORY.index("bored")),
        (STORY.replace("Mira", "Paul"), STORY.index("Mira")),
        (
            STORY.replace("Soon the kite Mira flew", "Soon the kite flew"),
            STORY.index("Mira flew bored"),
        ),
    ],
)
def test_a_text_that_breaks_the_form_is_read_up_to_there(text, read):
    judged = judge(text)
    assert not judged.well_formed and judged.read_to == read


def test_a_seed_gives_the_same_stories_and_another_seed_others():
    assert write_stories(3) == write_stories(5)[:3] != write_stories(3, seed=1)
    with pytest.raises(ValueError, match="n: expected 1 story or more, got 0"):
        write_stories(0)


def test_stories_are_a_corpus():
    text = load_corpus("stories")
    assert text.startswith(write_stories(1)[0]) and text.count("\n") == 4000
