"""Train the GPT that writes stories: `python -m benchmarks.train_stories`.

It takes about eight minutes of one CPU. The model reads 30,000 stories and is judged on others.
"""

import sys
from pathlib import Path

import torch
from torch import Tensor

from attention.bpe_tokenizer import BPETokenizer
from attention.checkpoint import STORIES, save_checkpoint
from attention.gpt import GPT, Config
from attention.stories import write_stories
from chapters.ch13.story_model import padded, story_scores, train_on_texts, word_tokenizer

SEED, N_STEPS, BATCH_SIZE, LEARNING_RATE = 1337, 4000, 32, 1e-2
N_TRAIN = 30_000


def start() -> tuple[GPT, BPETokenizer, Tensor, torch.Generator]:
    """The model before its first step, its tokenizer, the stories' ids, and what draws batches of them."""
    stories = write_stories(N_TRAIN, SEED)
    tokenizer = word_tokenizer("".join(stories[:2000]))
    ids = padded(tokenizer, stories)
    torch.manual_seed(SEED)
    model = GPT(Config(tokenizer.vocab_size, ids.shape[1], n_layer=3, n_head=2, n_embd=64))
    return model, tokenizer, ids, torch.Generator().manual_seed(SEED)


def main(path: Path = STORIES, n_steps: int = N_STEPS) -> None:
    """Train, and write the checkpoint with its scores."""
    model, tokenizer, ids, generator = start()
    held_out = padded(tokenizer, write_stories(300, SEED + 2))
    how = dict(learning_rate=LEARNING_RATE, eval_every=250, on_eval=print)
    train_on_texts(model, ids, held_out, n_steps, generator, BATCH_SIZE, **how)
    model.half().float()  # as it will be read
    facts = story_scores(model, tokenizer, write_stories(1000, SEED + 1), SEED)
    facts = {name: f"{value:.4f}" for name, value in facts.items()}
    save_checkpoint(model, tokenizer, path, corpus="stories", **facts)
    print(path, facts)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
