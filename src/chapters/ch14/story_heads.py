"""Which head of a story model fetches what: where each head looks, and what its output carries."""

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention.bpe import split_pieces
from attention.bpe_tokenizer import BPETokenizer
from attention.gpt import GPT
from attention.stories import BOYS, GIRLS, tell
from attention.training import evaluating
from chapters.ch13.story_model import START, padded
from chapters.ch14.interventions import edited, head_outputs, patched

FORM = "form"  # a word that every story has at this position
KINDS = {"owner": "owner", "answer": "owner", "same": "thing", "deed": "deed", "her": "her", "she": "she"}
BACK = {"deed": 1, "her": 2, "she": 2}  # how far before a guess the word is that decides it (a thing, a
# name, a "her"); an owner and a thing have earlier copies, of which the last one decides


class Guess(NamedTuple):
    """A word that a story's past decides: the position before it, its kind, and the ids that fit."""

    story: int
    position: int
    kind: str
    fits: list[int]


def guesses(tokenizer: BPETokenizer, stories: Sequence[str]) -> Iterator[Guess]:
    """Yield a Guess for each word of the stories that the past or their form decides; each is one token.

    Words that a story can choose freely, such as the names at its beginning, are left out.
    """
    for n, story in enumerate(stories):
        chosen = {len(split_pieces((START + story[:at]).rstrip(" "))): piece for at, *piece in _pieces(story)}
        for t, token in enumerate(tokenizer.encode(START + story)[1:], 1):
            kind, fits = chosen.get(t, (FORM, []))
            if kind == FORM or kind in KINDS:
                ids = [tokenizer.encode(f" {word}")[0] for word in fits] or [token]
                yield Guess(n, t - 1, KINDS.get(kind, FORM), ids)


def _pieces(story: str) -> Iterator[tuple[int, str, Sequence[str]]]:
    """Yield the index, the kind and the list of fitting words for each word of the story from such a list."""
    tale, piece, at = tell(), None, 0
    with suppress(StopIteration):
        while True:
            kind, fit = tale.send(piece)
            piece = next(word for word in fit if story.startswith(word, at))
            if kind != "text":
                yield at, kind, fit
            at += len(piece)


def share_fitting(
    model: GPT, tokenizer: BPETokenizer, stories: Sequence[str]
) -> dict[str, float]:
    """For each kind of word, the mean probability that the model gives to the words that fit."""
    found = defaultdict(list)
    with evaluating(model):
        chances = model(padded(tokenizer, stories).clamp(min=0)).softmax(dim=-1)
    for n, position, kind, fits in guesses(tokenizer, stories):
        found[kind].append(chances[n, position, fits].sum().item())
    return {kind: sum(own) / len(own) for kind, own in found.items()}


def looks(
    model: GPT, tokenizer: BPETokenizer, stories: Sequence[str]
) -> dict[str, Float[Tensor, "L H"]]:
    """For each kind of word, the mean weight of every head on the word that decides it."""
    ids, found = padded(tokenizer, stories), defaultdict(list)
    _, maps = model.forward_with_weights(ids.clamp(min=0))  # (L, B, H, T, T)
    for n, position, kind, fits in guesses(tokenizer, stories):
        if kind != FORM:
            copies = (ids[n, : position + 1] == fits[0]).nonzero()
            key = position - BACK[kind] if kind in BACK else int(copies[-1])
            found[kind].append(maps[:, n, :, position, key])
    return {kind: torch.stack(own).mean(dim=0) for kind, own in found.items()}


def renamed(stories: Sequence[str], seed: int) -> Iterator[tuple[str, str, str, str]]:
    """Yield stories up to the answer, each with a copy in which the first name is a different one.

    Each story asks whose the first thing is, which nobody has given away, and has the first name once.
    Each result is (story, name, other story, other name).
    """
    rng = random.Random(seed)
    for story in stories:
        thing, name = re.match(r"Once there was a (\w+) (\w+) ", story).groups()
        before, asked, _ = story.partition(f" Whose is the {thing}? It is the {thing}")
        if asked and before.count(name) == 1:
            other = rng.choice([each for each in (GIRLS if name in GIRLS else BOYS) if each != name])
            whole = before + asked
            yield whole, name, whole.replace(name, other), other


def carried(
    model: GPT, tokenizer: BPETokenizer, pairs: Sequence[tuple[str, str, str, str]]
) -> Float[Tensor, "L H B"]:
    """How much of the answer each head brings back with its outputs from the story with the first name.

    The model reads the story with the other name. 1 means that the head brings back all of the answer:
    the first name's logit minus the other name's is as large as in the story with the first name.
    """
    first, names, second, others = zip(*pairs, strict=True)
    clean, changed = (padded(tokenizer, texts).clamp(min=0) for texts in (first, second))
    ends = [len(tokenizer.encode(START + text)) - 1 for text in first]
    right, wrong = ([tokenizer.encode(f" {name}")[0] for name in some] for some in (names, others))

    def lead(ids: Int[Tensor, "B T"]) -> Float[Tensor, " B"]:
        with evaluating(model):
            last = model(ids)[range(len(ids)), ends]
        return last[range(len(ids)), right] - last[range(len(ids)), wrong]

    outputs, low, found = head_outputs(model, clean), lead(changed), []
    high = lead(clean)
    for layer, block in enumerate(model.blocks):
        for head in range(block.attention.n_head):
            with patched(model, layer, head, outputs):
                found.append((lead(changed) - low) / (high - low))
    return torch.stack(found).unflatten(0, (len(model.blocks), -1))


def still_named(
    model: GPT, tokenizer: BPETokenizer, pairs: Sequence[tuple[str, str, str, str]], place: str
) -> Float[Tensor, " B"]:
    """The probability of the right name if the heads of block 0 give 0 at one token of the story.

    The token is the first name if `place` is "name", and the last token if it is "end".
    """
    found = []
    for story, name, *_ in pairs:
        ids, answer = torch.tensor([tokenizer.encode(START + story)]), tokenizer.encode(f" {name}")[0]
        at = {"name": (ids[0] == answer).nonzero()[:1, 0], "end": torch.tensor([-1])}[place]

        def put(layer: int, outputs: Tensor, at: Tensor = at) -> Tensor:
            return outputs if layer else outputs.index_fill(2, at % outputs.shape[2], 0.0)

        with evaluating(model), edited(model, put):
            found.append(model(ids)[0, -1].softmax(dim=-1)[answer])
    return torch.stack(found)
