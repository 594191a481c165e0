"""Train the GPT that writes stories: `python -m benchmarks.train_stories`.

It takes about eight minutes of one CPU. The model reads 30,000 stories and is judged on others.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from attention.bpe_tokenizer import BPETokenizer
from attention.checkpoint import STORIES, save_checkpoint
from attention.gpt import GPT, Config
from attention.stories import judge, write_stories
from chapters.ch13.story_model import (
    exact_floor,
    mean_loss,
    padded,
    share_answered,
    told_by,
    train_on_texts,
    word_tokenizer,
)

SEED, N_STEPS, BATCH_SIZE, LEARNING_RATE = 1337, 4000, 32, 1e-2
N_TRAIN = 30_000


def read() -> tuple[BPETokenizer, Tensor]:
    """Return the tokenizer, and the ids of the stories to learn from."""
    stories = write_stories(N_TRAIN, SEED)
    tokenizer = word_tokenizer("".join(stories[:2000]))
    return tokenizer, padded(tokenizer, stories)


def start() -> tuple[GPT, BPETokenizer, Tensor, torch.Generator]:
    """Return the untrained model, its tokenizer, the stories' ids, and the generator that draws batches."""
    tokenizer, ids = read()
    torch.manual_seed(SEED)
    model = GPT(Config(tokenizer.vocab_size, ids.shape[1], n_layer=3, n_head=2, n_embd=64))
    return model, tokenizer, ids, torch.Generator().manual_seed(SEED)


def shares(told: Sequence[str]) -> dict[str, float]:
    """Return two shares of these stories: the well-formed ones, and those that also have no slip."""
    read = [judge(story) for story in told]
    return {
        "well formed": sum(one.well_formed for one in read) / len(read),
        "no slip": sum(one.well_formed and not one.slips for one in read) / len(read),
    }


def story_scores(
    model: GPT, tokenizer: BPETokenizer, stories: Sequence[str], seed: int, n: int = 200
) -> dict[str, float]:
    """Return the scores of n stories by the model, and its loss and share of answers on given stories."""
    floor = exact_floor(tokenizer, stories)
    return {
        "floor": floor,
        "excess": mean_loss(model, padded(tokenizer, stories)) - floor,
        **shares(told_by(model, tokenizer, n, torch.Generator().manual_seed(seed))),
        "answered": share_answered(model, tokenizer, stories),
    }


def main(path: Path = STORIES, n_steps: int = N_STEPS) -> None:
    """Train, and write the checkpoint with its scores."""
    model, tokenizer, ids, generator = start()
    held_out = padded(tokenizer, write_stories(300, SEED + 2))
    how = dict(learning_rate=LEARNING_RATE, eval_every=250, on_eval=print)
    train_on_texts(model, ids, held_out, n_steps, generator, BATCH_SIZE, **how)
    model.half().float()  # round the weights as the checkpoint stores them
    facts = story_scores(model, tokenizer, write_stories(1000, SEED + 1), SEED)
    facts = {name: f"{value:.4f}" for name, value in facts.items()}
    save_checkpoint(model, tokenizer, path, corpus="stories", **facts)
    print(path, facts)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
