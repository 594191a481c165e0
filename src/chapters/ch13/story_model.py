"""A GPT on stories: batches that begin where a story begins, its scores, and the stories it writes."""

import os
import random
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache, partial

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from attention.bpe import split_pieces
from attention.bpe_tokenizer import BPETokenizer
from attention.cache import Cache
from attention.corpus import load_corpus
from attention.fast_bpe import learn_merges
from attention.fitting import Evaluation, fit, muon
from attention.generation import generate
from attention.gpt import GPT
from attention.stories import judge, write_stories
from attention.training import cross_entropy, evaluating, token_losses

PIECE = 250  # characters of a text that isn't a story; a story has about 380
MOST = 1000  # the most tokens of a story that a table writes
OFTEN = 10  # readings of a piece; with more, a GPT of this size may learn it by heart
PADDING = -100  # the target after the end of a story
START = "\n"  # the line break before a story
ANSWER = ["It", "is", "the", "thing", "name"]  # the words after a question mark, up to the answer


def load_texts(corpus: str | os.PathLike, n: int = 12_000, seed: int = 1337) -> list[str]:
    """n stories, or another corpus in pieces that end with a line and have about `PIECE` characters.

    The last twelfth of the stories comes from the next seed, so that a model which reads more stories of
    the first seed still hasn't read it.
    """
    if corpus == "stories":
        return write_stories(n - n // 12, seed) + write_stories(n // 12, seed + 1)
    text = load_corpus(corpus, min_length=24 * PIECE)
    return re.findall(rf"(?s).{{{PIECE},{2 * PIECE}}}?\n|.{{1,{2 * PIECE}}}", text)


def what_to_expect(texts: Sequence[str], n_train: int, n_steps: int, batch_size: int = 32) -> str:
    """Say what to expect of your own text: how long it is, and how often each piece will be read.

    >>> print(what_to_expect(["a line\\n"] * 120, 100, 600))
    Your text has 840 characters, and 600 steps read each piece of its training part 192.0 times.
    The GPT may learn much of it by heart. Expect its words and the look of its lines, few sentences
    that make sense, and a validation loss that rises again. A longer text helps more than more steps.
    """
    n, times = sum(map(len, texts)), n_steps * batch_size / n_train
    often = (
        "The GPT may learn much of it by heart. Expect its words and the look of its lines, few sentences\n"
        "that make sense, and a validation loss that rises again. A longer text helps more than more steps."
    )
    seldom = (
        "That isn't enough to learn much by heart. Expect words and the look of lines, few sentences that\n"
        "make sense, and a validation loss that still falls: more steps help."
    )
    return (
        f"Your text has {n:,} characters, and {n_steps} steps read each piece of its training part {times:.1f} "
        f"times.\n{often if times > OFTEN else seldom}"
    )


def word_tokenizer(text: str, n_merges: int = 512) -> BPETokenizer:
    """Learn a BPE tokenizer (chapter 01). Stories need fewer merges, after which each word is one token."""
    pieces = Counter(piece.encode() for piece in split_pieces(text))
    return BPETokenizer(learn_merges(pieces, n_merges))


def padded(tokenizer: BPETokenizer, stories: Sequence[str]) -> Int[Tensor, "N T"]:
    """The ids of each story after a line break, filled up with PADDING to the longest of them."""
    rows = [torch.tensor(tokenizer.encode(START + story)) for story in stories]
    return pad_sequence(rows, batch_first=True, padding_value=PADDING)


def story_loss(
    model: GPT, ids: Int[Tensor, "N T"], batch_size: int, generator: torch.Generator
) -> Float[Tensor, ""]:
    """The loss on a random batch of whole stories; padding doesn't count."""
    some = ids[torch.randint(len(ids), (batch_size,), generator=generator)]
    some = some[:, : int((some != PADDING).sum(dim=1).max())]  # (batch_size, length of the longest)
    return cross_entropy(model(some[:, :-1].clamp(min=0)), some[:, 1:], padding=PADDING)


def train_on_texts(
    model: GPT,
    ids: Int[Tensor, "N T"],
    held_out: Int[Tensor, "M S"],
    n_steps: int,
    generator: torch.Generator,
    batch_size: int = 32,
    learning_rate: float = 1e-2,
    **how,
) -> list[Evaluation]:
    """Train with `fit` and Muon on whole texts, and return the evaluations; `how` has options of `fit`."""
    loss = partial(story_loss, model, ids, batch_size, generator)
    how = dict(warm_up=n_steps // 50, optimizers=partial(muon, times=4.0)) | how
    judged = partial(mean_loss, model, held_out)
    return fit(model, loss, judged, n_steps=n_steps, learning_rate=learning_rate, **how)


def mean_loss(model: nn.Module, ids: Int[Tensor, "N T"]) -> float:
    """The model's loss on whole texts, in nats per token; padding doesn't count."""
    total, n_tokens = 0.0, 0
    with evaluating(model):
        for some in ids.split(100):
            x, y = some[:, :-1].clamp(min=0), some[:, 1:]
            real = y != PADDING
            total += token_losses(model(x), y.clamp(min=0))[real].sum().item()
            n_tokens += int(real.sum())
    return total / n_tokens


def exact_floor(tokenizer: BPETokenizer, stories: Sequence[str]) -> float:
    """The mean of -log p(token) by the rules that wrote these stories, in nats per token."""
    n_tokens = sum(len(tokenizer.encode(story)) for story in stories)
    return -sum(judge(story).log_probability for story in stories) / n_tokens


def share_answered(model: nn.Module, tokenizer: BPETokenizer, stories: Sequence[str]) -> float:
    """The share of the questions in these stories whose answer is the model's most likely token."""
    ids = padded(tokenizer, stories)
    (mark,) = tokenizer.encode("?")
    answers = (ids == mark).roll(len(ANSWER), dims=1)[:, 1:]  # True where the answer is the target
    with evaluating(model):
        likeliest = torch.cat([model(x).argmax(dim=-1) for x in ids[:, :-1].clamp(min=0).split(100)])
    return (likeliest == ids[:, 1:])[answers].double().mean().item()


def told_by(
    model: GPT, tokenizer: BPETokenizer, n: int, generator: torch.Generator, **how
) -> list[str]:
    """n stories that the model writes, each from a line break to the next; `how` are `generate`'s options."""
    size = model.config.block_size
    ids = torch.tensor([tokenizer.encode(START)]).expand(n, -1)
    caches = [Cache(size) for _ in model.blocks]
    written = generate(model, ids, size - 1, generator, caches=caches, **how)
    texts = (tokenizer.decode(row) for row in written[:, 1:])
    return [text[: text.find("\n") + 1] or text for text in texts]


def look_up(
    seen: Sequence[int], tokenizer: BPETokenizer, n: int, n_stories: int, seed: int, smoothing: float
) -> list[str]:
    """Stories by a table of n tokens that falls back to shorter ones, each from one line break to the next.

    Each token has the probability that `chapters.ch13.ngrams.ngram_probabilities` gives with `interpolate`:
    it is one that followed the last n - 1 tokens in `seen` (Shannon, 1948, section 3), or, with probability
    k V / (count + k V), one by the table of n - 1 tokens. A story has at most MOST tokens.
    """
    rng, (end,) = random.Random(seed), tokenizer.encode(START)
    ids, added = np.array(seen), smoothing * tokenizer.vocab_size

    @cache
    def following(context: tuple[int, ...]) -> np.ndarray:
        """The positions of the ids that follow this context."""
        if not context:
            return np.arange(len(ids))
        places = following(context[1:])
        places = places[places >= len(context)]
        return places[ids[places - len(context)] == context[0]]

    def draw(story: list[int]) -> int:
        for length in range(min(n - 1, len(story)), -1, -1):
            places = following(tuple(story[len(story) - length :]))
            if rng.random() * (len(places) + added) < len(places):
                return int(ids[rng.choice(places)])
        return rng.randrange(tokenizer.vocab_size)

    texts = []
    for _ in range(n_stories):
        story = [end]
        while len(story) == 1 or (story[-1] != end and len(story) <= MOST):
            story.append(draw(story))
        texts.append(tokenizer.decode(story[1:]))
    return texts
