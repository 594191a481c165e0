"""How soon a small GPT learns to look back, in worlds of several sizes.

Run: python benchmarks/story_worlds.py [STEPS]
Each world is that of attention.stories with fewer names or things, or with fewer or more gifts. In each, the
GPT of chapter 13 is trained with three seeds, and judged on other stories of the same world. The numbers are
means of the seeds, with the lowest and the highest.
"""

import sys
from unittest.mock import patch

import torch

from attention import stories
from attention.gpt import GPT, Config
from chapters.ch13.story_model import (
    exact_floor,
    mean_loss,
    padded,
    share_answered,
    train_on_texts,
    word_tokenizer,
)

SEEDS = (1337, 1338, 1339)
TOYS, FINDS = (dict([*things.items()][:2]) for things in (stories.TOYS, stories.FINDS))
WORLDS = {
    "as it is": dict(MOST_GIFTS=stories.MOST_GIFTS),
    "4 names of a kind, not 8": {
        name: getattr(stories, name)[:4] for name in ("GIRLS", "BOYS", "PETS")
    },
    "2 things of a kind, not 4": dict(TOYS=TOYS, FINDS=FINDS, DEEDS=TOYS | FINDS),
    "at most 1 gift, not 3": dict(MOST_GIFTS=1),
    "at most 6 gifts": dict(MOST_GIFTS=6),
}


def learned(seed: int, n_steps: int) -> tuple[float, float, float]:
    """Train a model; return the floor, its loss above the floor, and the share of questions it answers."""
    told = stories.write_stories(8000, seed)
    train, held_out = told[:-500], told[-500:]
    tokenizer = word_tokenizer("".join(train[:2000]))
    ids, judged = padded(tokenizer, train), padded(tokenizer, held_out)
    size = max(ids.shape[1], judged.shape[1])
    torch.manual_seed(seed)
    model = GPT(Config(tokenizer.vocab_size, size, n_layer=3, n_head=2, n_embd=64))
    draw = torch.Generator().manual_seed(seed)
    train_on_texts(model, ids, judged[:50], n_steps, draw, eval_every=n_steps)
    floor = exact_floor(tokenizer, held_out)
    return floor, mean_loss(model, judged) - floor, share_answered(model, tokenizer, held_out)


def main(n_steps: int = 200) -> None:
    print(f"{'after ' + str(n_steps) + ' steps':28}{'floor':>6}{'above it':>24}{'answered':>24}")
    for name, changes in WORLDS.items():
        with patch.multiple(stories, **changes):
            runs = [learned(seed, n_steps) for seed in SEEDS]
        floors, excess, answered = zip(*runs, strict=True)
        columns = [
            f"{sum(one) / len(one):.3f} ({min(one):.3f} to {max(one):.3f})"
            for one in (excess, answered)
        ]
        print(
            f"{name:28}{sum(floors) / len(floors):6.3f}{columns[0]:>24}{columns[1]:>24}",
            flush=True,
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
