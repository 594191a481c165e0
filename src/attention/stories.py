"""Short stories from a world whose rules are known: two children, a pet, and two things to give away.

One program, `tell`, holds the rules: it yields the pieces that fit next, and is sent the one that comes.
`write_stories` sends it pieces at random, `judge` those of a text. All pieces that fit are equally
likely, and no text comes about in two ways, so the probability of each story is known exactly.
"""

import math
import random
import re
from collections.abc import Generator, Sequence
from contextlib import suppress
from typing import NamedTuple

GIRLS = ["Amara", "Hana", "Ines", "Lena", "Mira", "Noor", "Sofia", "Zoe"]
BOYS = ["Diego", "Emil", "Jun", "Kofi", "Luca", "Omar", "Ravi", "Tom"]
PETS = ["Bibi", "Coco", "Dot", "Fips", "Loki", "Moss", "Pip", "Rex"]
TOYS = {"ball": "kicked", "drum": "beat", "hoop": "rolled", "kite": "flew"}
FINDS = {"bell": "rang", "lamp": "lit", "map": "read", "ring": "wore"}
PLACES, WHEN = ["bridge", "forest", "lake", "mill", "river", "sea"], ["Later", "Soon", "Then"]
ENDINGS = ["At night the stars came out.", "It was a good day.", "They laughed all the way home."]
MOST_GIFTS = 3
DEEDS = TOYS | FINDS  # thing -> what is done with it
PRONOUNS = dict.fromkeys(GIRLS, ("she", "her")) | dict.fromkeys(BOYS, ("he", "him"))
PRONOUNS |= dict.fromkeys(PETS, ("it", "it"))  # name -> (as the subject, as the object)
SLIPS = {  # kind -> its words; one that doesn't fit breaks the story's facts, not its form
    **dict.fromkeys(("name", "owner", "answer"), GIRLS + BOYS + PETS),
    **dict.fromkeys(("thing", "same"), list(DEEDS)),
    "deed": list(DEEDS.values()),
    "she": ["she", "he", "it"],
    "her": ["her", "him", "it"],
}
Tale = Generator[tuple[str, Sequence[str]], str, list[str]]


def tell() -> Tale:
    """Yield (kind of the next piece, pieces that fit), and be sent one of them, to the end of a story."""
    one, first = yield from _say("Once there was a {thing} {name}", list(DEEDS), GIRLS + BOYS)
    sort, names = FINDS if one in TOYS else TOYS, BOYS if first in GIRLS else GIRLS
    _, two, second = yield from _say(
        " {deed} and a {thing} {name}", [DEEDS[one]], list(sort), names
    )
    home = " {deed}. They lived by the {place} with a {pet} called {name}."
    *_, third = yield from _say(home, [DEEDS[two]], PLACES, ["cat", "dog"], PETS)
    holders = {one: first, two: second}
    for n_gifts in range(MOST_GIFTS + 1):
        go_on = WHEN if n_gifts < MOST_GIFTS else []
        (word,) = yield from _say(" {next}", go_on + (ENDINGS if n_gifts else []))
        if word in ENDINGS:
            break
        (thing,) = yield from _say(" the {thing}", [one, two])
        (holders[thing],) = yield from _give(thing, holders[thing], [first, second, third])
    yield from _ask(one, two, holders)
    return []


def _give(thing: str, owner: str, people: list[str]) -> Tale:
    """The owner gives the thing to another, who then uses it."""
    (she, her), deed = PRONOUNS[owner], [DEEDS[thing]]
    gift = " {owner} {deed} {bored} {her}, so {she} gave it to {name}."
    others = [name for name in people if name != owner]
    *_, receiver = yield from _say(gift, [owner], deed, ["bored", "tired"], [her], [she], others)
    yield from _say(" Now it was the {same} {owner} {deed}.", [thing], [receiver], deed)
    return [receiver]


def _ask(one: str, two: str, holders: dict[str, str]) -> Tale:
    """A question or two, answered in a whole sentence: whose is which thing in the end?"""
    (asked,) = yield from _say(" Whose is the {thing}?", [one, two])
    rest = two if asked == one else one
    for thing, ends in ((asked, ["\n", " And the"]), (rest, ["\n"])):
        answer = " It is the {same} {answer} {deed}.{end}"
        *_, end = yield from _say(answer, [thing], [holders[thing]], [DEEDS[thing]], ends)
        if end == "\n":
            break
        yield from _say(" {same}?", [rest])
    return []


def _say(template: str, *fits: Sequence[str]) -> Tale:
    """Yield the template's pieces one by one, with what fits each {kind}; return what came there."""
    came, fits = [], iter(fits)
    for i, piece in enumerate(re.split(r"\{(\w+)\}", template)):
        if i % 2:
            came.append((yield piece, next(fits)))
        elif piece:
            yield "text", [piece]
    return came


def write_stories(n: int, seed: int = 0) -> list[str]:
    """The first n stories of a seed, each with a line break at its end.

    >>> write_stories(2) == write_stories(3)[:2]
    True
    """
    if n < 1:
        raise ValueError(f"n: expected 1 story or more, got {n}")
    rng = random.Random(seed)
    return ["".join(_pieces(rng)) for _ in range(n)]


def _pieces(rng: random.Random) -> Generator[str]:
    tale, piece = tell(), None
    with suppress(StopIteration):
        while True:
            _, fit = tale.send(piece)
            piece = rng.choice(fit) if len(fit) > 1 else fit[0]
            yield piece


class Slip(NamedTuple):
    """A word that contradicts the story: its kind, where it starts, and the words that would fit."""

    kind: str
    start: int
    word: str
    fit: tuple[str, ...]


class Judgement(NamedTuple):
    """What `judge` found: how many characters keep to the form, and the slips among them."""

    well_formed: bool
    slips: tuple[Slip, ...]
    log_probability: float  # in nats; -inf unless the story is well formed and has no slip
    read_to: int


def judge(text: str) -> Judgement:
    """Read a story by the rules. After a slip, it goes on as if a word that fits had stood there.

    >>> (story,) = write_stories(1)
    >>> judge(story).slips, judge(story[:40]).well_formed
    ((), False)
    """
    tale, piece, at, log_p, slips = tell(), None, 0, 0.0, []
    try:
        while True:
            kind, fit = tale.send(piece)
            found = [word for word in SLIPS.get(kind, fit) if text.startswith(word, at)]
            if not found:
                return Judgement(False, tuple(slips), -math.inf, at)
            (word,) = found  # no word of a kind begins another
            piece = word if word in fit else fit[0]
            slips += [] if word in fit else [Slip(kind, at, word, tuple(fit))]
            at, log_p = at + len(word), log_p - math.log(len(fit))
    except StopIteration:
        whole = at == len(text)
        return Judgement(whole, tuple(slips), log_p if whole and not slips else -math.inf, at)
