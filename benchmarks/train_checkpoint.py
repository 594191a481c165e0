"""Train the GPT that comes with the course: `python -m benchmarks.train_checkpoint`.

It takes six minutes of one CPU. The play is cut into three parts: the first 81 % to train on, 9 % to
choose the weights on, and the last 10 %, on which the finished model is evaluated once.
"""

import sys
from functools import partial
from pathlib import Path

import torch

from attention.batches import split
from attention.checkpoint import CHECKPOINT, save_checkpoint
from attention.corpus import load_corpus
from attention.fitting import Evaluation, fit, muon
from attention.gpt import GPT, Config
from attention.tokenizers import CharTokenizer
from attention.training import batch_loss, evaluate

SEED, N_STEPS, BATCH_SIZE, LEARNING_RATE = 1337, 4500, 8, 2e-3
CONFIG = Config(65, 128, n_layer=3, n_head=4, n_embd=64, dropout=0.1)


def main(path: Path = CHECKPOINT, n_steps: int = N_STEPS) -> None:
    """Train, and write the checkpoint with its losses."""
    text = load_corpus()
    tokenizer = CharTokenizer(text)
    rest, test_ids = split(torch.tensor(tokenizer.encode(text)))
    train_ids, validation_ids = split(rest)
    torch.manual_seed(SEED)
    model = GPT(CONFIG)
    generator = torch.Generator().manual_seed(SEED)
    fit(
        model,
        partial(batch_loss, model, train_ids, BATCH_SIZE, CONFIG.block_size, generator),
        lambda: evaluate(model, validation_ids, CONFIG.block_size).mean,
        n_steps=n_steps,
        learning_rate=LEARNING_RATE,
        warm_up=n_steps // 10,
        eval_every=min(250, n_steps),
        on_eval=_say,
        optimizers=muon,
    )
    model.half().float()  # round the weights as the checkpoint stores them
    facts = {
        name: f"{evaluate(model, ids, CONFIG.block_size).mean:.4f}"
        for name, ids in (("validation", validation_ids), ("test", test_ids))
    }
    save_checkpoint(model, tokenizer, path, corpus="play", **facts)
    print(path, facts)


def _say(now: Evaluation) -> None:
    print(f"step {now.step}: train {now.train:.3f}, validation {now.validation:.3f}", flush=True)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
