"""Train the GPT that writes stories: `python -m chapters.ch13.train_stories`.

It takes about eight minutes of one CPU. The model reads 30,000 stories and is judged on others.
"""

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import torch

from attention.bpe_tokenizer import BPETokenizer
from attention.checkpoint import STORIES, save_checkpoint
from attention.fitting import muon, warm_up_and_cosine
from attention.gpt import GPT, Config
from attention.stories import write_stories
from attention.training import minimize
from chapters.ch13.story_model import padded, story_loss, story_scores, word_tokenizer

SEED, N_STEPS, BATCH_SIZE, LEARNING_RATE = 1337, 4000, 32, 1e-2
N_TRAIN = 30_000


def training(n_steps: int = N_STEPS) -> tuple[GPT, BPETokenizer, Iterator[float]]:
    """The model, its tokenizer and its training, whose losses come step by step."""
    stories = write_stories(N_TRAIN, SEED)
    tokenizer = word_tokenizer("".join(stories[:2000]))
    ids = padded(tokenizer, stories)
    torch.manual_seed(SEED)
    model = GPT(Config(tokenizer.vocab_size, ids.shape[1], n_layer=3, n_head=2, n_embd=64))
    generator = torch.Generator().manual_seed(SEED)
    steps = minimize(
        partial(story_loss, model, ids, BATCH_SIZE, generator),
        model.parameters(),
        muon(model, LEARNING_RATE, times=4.0),
        n_steps,
        schedule=lambda step: warm_up_and_cosine(step, n_steps, n_steps // 50),
        clip=1.0,
    )
    return model, tokenizer, steps


def main(path: Path = STORIES, n_steps: int = N_STEPS) -> None:
    """Train, and write the checkpoint with its scores."""
    model, tokenizer, steps = training(n_steps)
    for step, loss in enumerate(steps, 1):
        if step % 250 == 0:
            print(f"step {step}: {loss:.3f}", flush=True)
    model.half().float()  # as it will be read
    facts = story_scores(model, tokenizer, write_stories(1000, SEED + 1), SEED)
    facts = {name: f"{value:.4f}" for name, value in facts.items()}
    save_checkpoint(model, tokenizer, path, corpus="stories", **facts)
    print(path, facts)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
