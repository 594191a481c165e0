"""A GPT on stories: batches that begin where a story begins, its scores, and the stories it writes."""

import random
from collections import Counter, defaultdict
from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from attention.bpe import split_pieces
from attention.bpe_tokenizer import BPETokenizer
from attention.cache import Cache
from attention.fast_bpe import learn_merges
from attention.generation import generate
from attention.gpt import GPT
from attention.stories import judge
from attention.training import cross_entropy, evaluating, token_losses

PADDING = -100  # where a story has ended
START = "\n"  # the line break before a story
ANSWER = ["It", "is", "the", "thing", "name"]  # what follows a question mark, up to the answer


def word_tokenizer(text: str) -> BPETokenizer:
    """Byte pair encoding with every merge that the text gives: each of its words becomes one token."""
    pieces = Counter(piece.encode() for piece in split_pieces(text))
    return BPETokenizer(learn_merges(pieces, n_merges=10_000))


def padded(tokenizer: BPETokenizer, stories: Sequence[str]) -> Int[Tensor, "N T"]:
    """The ids of each story after a line break, filled up with PADDING to the longest of them."""
    rows = [torch.tensor(tokenizer.encode(START + story)) for story in stories]
    return pad_sequence(rows, batch_first=True, padding_value=PADDING)


def story_loss(
    model: GPT, ids: Int[Tensor, "N T"], batch_size: int, generator: torch.Generator
) -> Float[Tensor, ""]:
    """The loss on a random batch of whole stories; padding doesn't count."""
    some = ids[torch.randint(len(ids), (batch_size,), generator=generator)]
    some = some[:, : int((some != PADDING).sum(dim=1).max())]  # (batch_size, the longest of them)
    return cross_entropy(model(some[:, :-1].clamp(min=0)), some[:, 1:], padding=PADDING)


def excess_loss(model: GPT, tokenizer: BPETokenizer, stories: Sequence[str]) -> tuple[float, float]:
    """The lowest loss possible on these stories, and how far the model is above it, in nats per token."""
    floor = -sum(judge(story).log_probability for story in stories)
    total, n_tokens = 0.0, 0
    with evaluating(model):
        for some in padded(tokenizer, stories).split(100):
            x, y = some[:, :-1].clamp(min=0), some[:, 1:]
            real = y != PADDING
            total += token_losses(model(x), y.clamp(min=0))[real].sum().item()
            n_tokens += int(real.sum())
    return floor / n_tokens, (total - floor) / n_tokens


def share_answered(model: GPT, tokenizer: BPETokenizer, stories: Sequence[str]) -> float:
    """The share of the questions in these stories whose answer is the likeliest token there."""
    ids = padded(tokenizer, stories)
    (mark,) = tokenizer.encode("?")
    answers = (ids == mark).roll(len(ANSWER), dims=1)[:, 1:]  # True where the answer is the target
    with evaluating(model):
        likeliest = torch.cat([model(x).argmax(dim=-1) for x in ids[:, :-1].clamp(min=0).split(100)])
    return (likeliest == ids[:, 1:])[answers].double().mean().item()


def told_by(
    model: GPT, tokenizer: BPETokenizer, n: int, generator: torch.Generator, **how
) -> list[str]:
    """n stories that the model writes, each from a line break to the next; `how` is as in `generate`."""
    size = model.config.block_size
    ids = torch.tensor([tokenizer.encode(START)]).expand(n, -1)
    caches = [Cache(size) for _ in model.blocks]
    written = generate(model, ids, size - 1, generator, caches=caches, **how)
    texts = (tokenizer.decode(row) for row in written[:, 1:])
    return [text[: text.find("\n") + 1] or text for text in texts]


def look_up(
    seen: Sequence[int], tokenizer: BPETokenizer, n: int, n_stories: int, seed: int
) -> list[str]:
    """Stories by a table of n tokens: each next token followed the last n - 1 somewhere in `seen`.

    They begin as a story in `seen` does, and end with a line break (Shannon, 1948, section 3).
    """
    rng, (end,) = random.Random(seed), tokenizer.encode(START)
    after = defaultdict(list)
    for i in range(len(seen) - n + 1):
        after[tuple(seen[i : i + n - 1])].append(seen[i + n - 1])
    begins = [context for context in after if context[0] == end]
    texts = []
    for _ in range(n_stories):
        ids = list(rng.choice(begins))
        while ids[-1] != end:
            ids.append(rng.choice(after[tuple(ids[1 - n :])]))
        texts.append(tokenizer.decode(ids[1:]))
    return texts


def story_scores(
    model: GPT, tokenizer: BPETokenizer, stories: Sequence[str], seed: int, n: int = 200
) -> dict[str, float]:
    """What `judge` says of n stories by the model, and the model's loss and answers on given ones."""
    floor, excess = excess_loss(model, tokenizer, stories)
    told = [judge(text) for text in told_by(model, tokenizer, n, torch.Generator().manual_seed(seed))]
    return {
        "floor": floor,
        "excess": excess,
        "well formed": sum(one.well_formed for one in told) / n,
        "no slip": sum(one.well_formed and not one.slips for one in told) / n,
        "answered": share_answered(model, tokenizer, stories),
    }
