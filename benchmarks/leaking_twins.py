"""Twins of one GPT, each trained with a different mask, for chapter 08.

`python -m benchmarks.leaking_twins` takes about ten minutes of one CPU. `chapters.ch08.leaking_twins` says
what is measured, and reads the runs.
"""

from functools import cache
from itertools import product

import torch
import torch.nn.functional as F
from torch import Tensor

from attention.bpe_tokenizer import BPETokenizer
from attention.generation import generate
from attention.gpt import GPT, CausalSelfAttention, Config
from attention.multi_head import merge_heads
from attention.stories import judge, write_stories
from attention.training import evaluating
from benchmarks.play_choices import turned_into
from benchmarks.stored_runs import add, load
from benchmarks.train_stories import read
from chapters.ch08.leaking_twins import DIAGONALS, N_STORIES, STORED, curtain
from chapters.ch13.story_model import (
    PADDING,
    mean_loss,
    padded,
    train_on_texts,
)

SEEDS = (1337, 1338, 1339)
N_STEPS = 300
N_JUDGING, BATCH_SIZE, LEARNING_RATE = 50, 16, 1e-2
OPENING = "\nOnce there was a"  # which the twins continue
SHOWN = 32  # tokens of each twin's first story


class Curtained(CausalSelfAttention):
    """Attention with the mask `curtain`, in which the first token may always look at itself."""

    diagonal: int | None = 0

    def forward(self, x: Tensor, cache=None) -> Tensor:
        mask = curtain(x.shape[1], self.diagonal)
        mask[0, 0] = True  # a row that may not look anywhere would be nan
        return self.out(merge_heads(F.scaled_dot_product_attention(*self.project(x), mask)))


def make_twin(config: Config, seed: int, diagonal: int | None) -> GPT:
    """Return a GPT with this mask in every block; only the seed determines its weights."""
    torch.manual_seed(seed)
    model = GPT(config, turned_into(attention=Curtained))
    for block in model.blocks:
        block.attention.diagonal = diagonal
    return model


def loss_without_future(model: GPT, ids: Tensor) -> float:
    """Return the loss, in nats per token, if the model reads only the tokens before each guess."""
    total, n_tokens = 0.0, int((ids[:, 1:] != PADDING).sum())
    with evaluating(model):
        for t in range(1, ids.shape[1]):
            some = ids[ids[:, t] != PADDING, : t + 1]
            guess = model(some[:, :-1])[:, -1]
            total += F.cross_entropy(guess, some[:, -1], reduction="sum").item()
    return total / n_tokens


def written(model: GPT, tokenizer: BPETokenizer, n: int, generator: torch.Generator) -> list[str]:
    """Return n texts that continue OPENING up to a line break; the model rereads everything at each step."""
    opening = torch.tensor([tokenizer.encode(OPENING)] * n)
    ids = generate(model, opening, model.config.block_size - opening.shape[1], generator)
    texts = (tokenizer.decode(row) for row in ids[:, 1:])
    return [text[: text.find("\n") + 1] or text for text in texts]


@cache
def texts() -> tuple[BPETokenizer, Tensor, Tensor]:
    """Return the tokenizer, the ids to learn from, and those to judge on."""
    tokenizer, ids = read()
    return tokenizer, ids, padded(tokenizer, write_stories(N_JUDGING, 1))


def run(
    diagonal: int | None, seed: int, n_steps: int = N_STEPS, n_stories: int = N_STORIES
) -> dict:
    """Train a twin; return its losses, how many stories are good, and how far the first keeps to the form."""
    tokenizer, ids, judging = texts()
    config = Config(tokenizer.vocab_size, ids.shape[1], n_layer=2, n_head=2, n_embd=64)
    model, generator = make_twin(config, seed, diagonal), torch.Generator().manual_seed(seed)
    how = dict(learning_rate=LEARNING_RATE, eval_every=n_steps)  # the last weights are kept
    train_on_texts(model, ids, judging[:2], n_steps, generator, BATCH_SIZE, **how)
    stories = written(model, tokenizer, n_stories, torch.Generator().manual_seed(seed))
    told = [judge(story) for story in stories]
    text = tokenizer.decode(tokenizer.encode(stories[0])[:SHOWN])
    return {
        "training": round(mean_loss(model, judging), 4),
        "without future": round(loss_without_future(model, judging), 4),
        "well formed": sum(one.well_formed for one in told),
        "no slip": sum(one.well_formed and not one.slips for one in told),
        "text": text,
        "read to": min(told[0].read_to, len(text)),
    }


def main() -> None:
    """Make all runs that aren't stored yet, and store each as soon as it is done."""
    for seed, (name, diagonal) in product(SEEDS, DIAGONALS.items()):
        if str(seed) not in load(STORED).get(name, {}):
            add(STORED, name, str(seed), run=run(diagonal, seed))


if __name__ == "__main__":
    torch.set_num_threads(1)  # so that the runs don't depend on how many CPUs there are
    main()
