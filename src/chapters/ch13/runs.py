"""The chapter's long runs, stored next to this file.

`python -m chapters.ch13.runs` measures how much each choice helps, in short paired runs: every model
has two blocks of width 48 and trains for 300 steps, and all models of one seed see the same batches. The
losses on the play's validation part go into `choices.json`. It takes five minutes of one CPU.

`python -m chapters.ch13.runs whole play`, or `whole tinyshakespeare`, or `whole "no
normalisation"`, trains the chapter's own GPT with five seeds, for `whole.json`. Each takes three
minutes.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attention.batches import cut_blocks, split
from attention.corpus import load_corpus
from attention.fitting import Evaluation, adamw, fit, muon
from attention.gpt import GPT, Block, CausalSelfAttention, Config, make_block
from attention.multi_head import merge_heads
from attention.tokenizers import CharTokenizer
from attention.training import batch_loss, cross_entropy, evaluate, evaluating

STORED = Path(__file__).with_name("choices.json")
SEEDS = (1, 2, 3, 4, 5)
PLAIN = Config(65, 32, n_layer=2, n_head=4, n_embd=48)
WHOLE = dict(n_steps=1200, batch_size=16, learning_rate=2e-3, warm_up=120, eval_every=100)
WHOLES = {  # a text, and what is changed
    "play": ("play", {}),
    "tinyshakespeare": ("tinyshakespeare", {}),
    "no normalisation": ("play", dict(norm="none", qk_norm=False)),
}
SIZES = dict(n_steps=300, batch_size=8, learning_rate=2e-3, warm_up=30, eval_every=300)


def own_start(block: Block) -> Block:
    """With PyTorch's own first weights instead of zeros."""
    for layer in (block.attention.out, block.mlp.out):
        layer.reset_parameters()
    return block


class NoWayAround(Block):
    """A block without residuals: its output replaces its input."""

    def forward(self, x: Tensor, cache=None) -> Tensor:
        return self.mlp(self.norm_2(self.attention(self.norm_1(x))))


class AttentionAlone(Block):
    """A block without its MLP."""

    def forward(self, x: Tensor, cache=None) -> Tensor:
        return x + self.attention(self.norm_1(x))


class MLPAlone(Block):
    """A block without attention, in which each token is processed by itself."""

    def forward(self, x: Tensor, cache=None) -> Tensor:
        return x + self.mlp(self.norm_2(x))


class EqualShares(CausalSelfAttention):
    """All scores are 0, as if a line had overwritten them, so each token receives the mean of its past."""

    def project(self, x: Tensor, start: int = 0) -> tuple[Tensor, Tensor, Tensor]:
        q, k, v = super().project(x, start)
        return 0 * q, k, v


class NoMask(CausalSelfAttention):
    """Every token attends to its future as well."""

    def forward(self, x: Tensor, cache=None) -> Tensor:
        return self.out(merge_heads(F.scaled_dot_product_attention(*self.project(x))))


def turned_into(block: type | None = None, attention: type | None = None) -> Callable:
    """A function that makes blocks of a different class, or with attention of a different class."""

    def make(config: Config) -> nn.Module:
        made = make_block(config)
        if block is NoWayAround:
            made = own_start(made)  # zeros would stay zeros
        made.__class__ = block or made.__class__
        made.attention.__class__ = attention or made.attention.__class__
        return made

    return make


CHOICES = {  # what is changed, and how: the configuration, the maker of blocks, the training
    "all of it": {},
    "no attention": dict(block=turned_into(MLPAlone)),
    "scores thrown away": dict(block=turned_into(attention=EqualShares)),
    "no MLP": dict(block=turned_into(AttentionAlone)),
    "no residual": dict(block=turned_into(NoWayAround)),
    "no positions": dict(config=dict(positions="none")),
    "learned positions": dict(config=dict(positions="learned")),
    "ALiBi": dict(config=dict(positions="alibi")),
    "no normalisation": dict(config=dict(norm="none", qk_norm=False)),
    "layer norm": dict(config=dict(norm="layer")),
    "no QK norm": dict(config=dict(qk_norm=False)),
    "one head": dict(config=dict(n_head=1)),
    "GELU": dict(config=dict(activation="gelu")),
    "no zeros at the start": dict(block=lambda config: own_start(make_block(config))),
    "AdamW for all": dict(training=dict(optimizers=adamw)),
    "no schedule": dict(training=dict(warm_up=0, constant=True)),
    "no mask": dict(block=turned_into(attention=NoMask)),
}


def losses(choice: str, seed: int, ids: tuple[Tensor, Tensor], **sizes) -> list[float]:
    """The validation loss of one run; without a mask, also the loss with only the past."""
    changes, (train_ids, validation_ids) = CHOICES[choice], ids
    config = replace(PLAIN, **changes.get("config", {}))
    torch.manual_seed(seed)
    model = GPT(config, changes.get("block", make_block))
    how = SIZES | changes.get("training", {}) | sizes
    if how.pop("constant", False):
        how["schedule"] = lambda *_: 1.0
    fit_blocks(model, train_ids, validation_ids, seed, **how)
    found = [evaluate(model, validation_ids, config.block_size).mean]
    if choice == "no mask":
        found.append(past_only(model, validation_ids, config.block_size))
    return [round(loss, 4) for loss in found]


def fit_blocks(
    model: GPT, train_ids: Tensor, validation_ids: Tensor, seed: int, batch_size: int, **how
) -> list[Evaluation]:
    """`fit` with Muon on random blocks that are as long as the model reads."""
    size, generator = model.config.block_size, torch.Generator().manual_seed(seed)
    loss = partial(batch_loss, model, train_ids, batch_size, size, generator)
    how = dict(optimizers=muon) | how
    return fit(model, loss, lambda: evaluate(model, validation_ids, size).mean, **how)


def past_only(model: nn.Module, ids: Tensor, block_size: int) -> float:
    """The loss on the ids if no ids come after the position that guesses."""
    x, y = cut_blocks(ids, torch.arange(0, len(ids) - block_size, block_size), block_size)
    with evaluating(model):
        guesses = [cross_entropy(model(x[:, : t + 1])[:, -1:], y[:, t : t + 1]) for t in range(block_size)]
    return torch.stack(guesses).mean().item()


def parts() -> tuple[Tensor, Tensor]:
    """The play's ids to train on, and those to choose on."""
    text = load_corpus()
    rest, _ = split(torch.tensor(CharTokenizer(text).encode(text)))
    return split(rest)


def whole(name: str, seed: int) -> dict[str, float]:
    """The losses of the chapter's own GPT, with the weights that were best on the validation part.

    For a long text, only the first 20,000 characters of that part are used to choose; more would take
    as long as training.
    """
    corpus, changes = WHOLES[name]
    text = load_corpus(corpus)
    tokenizer = CharTokenizer(text)
    rest, test_ids = split(torch.tensor(tokenizer.encode(text)))
    train_ids, validation_ids = split(rest)
    torch.manual_seed(seed)
    config = Config(tokenizer.vocab_size, 32, n_layer=2, n_head=4, n_embd=64)
    model = GPT(replace(config, **changes))
    fit_blocks(model, train_ids, validation_ids[:20_000], seed, **WHOLE)
    ids = {"train": train_ids[: len(test_ids)], "validation": validation_ids, "test": test_ids}
    return {name: round(evaluate(model, some, 32).mean, 4) for name, some in ids.items()}


def main(what: str = "choices", which: str = "play") -> None:
    """Run everything that isn't stored yet, and store it run by run."""
    stored = STORED.with_name(f"{what}.json")
    found = json.loads(stored.read_text()) if stored.exists() else {}
    for seed in SEEDS:
        for name in CHOICES if what == "choices" else (which,):
            runs = found.setdefault(name, {})
            if str(seed) not in runs:
                run = losses(name, seed, parts()) if what == "choices" else whole(name, seed)
                runs[str(seed)] = run
                print(seed, name, run, flush=True)
                stored.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:3])
