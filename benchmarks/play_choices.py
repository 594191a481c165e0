"""The runs of chapter 13 on the play.

`python -m benchmarks.play_choices` measures how much each choice helps, in short paired runs: every model
has two blocks of width 48 and trains for 300 steps, and all models of one seed see the same batches. The
losses on the play's validation part go into `choices.json`. It takes five minutes of one CPU.

`python -m benchmarks.play_choices tuned` repeats these runs, each choice with its best learning rate (see
`chapters.rates`), for `tuned.json`. It takes ten minutes. With names of choices, it trains only these.

`python -m benchmarks.play_choices whole play`, or `whole tinyshakespeare`, or `whole "no
normalisation"`, trains the chapter's own GPT with five seeds, for `whole.json`. Each takes three
minutes.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import product

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attention.batches import cut_blocks, split
from attention.corpus import load_corpus
from attention.fitting import Evaluation, adamw, fit, muon
from attention.gpt import GPT, Block, CausalSelfAttention, Config, make_block
from attention.multi_head import merge_heads
from attention.tokenizers import CharTokenizer
from attention.training import batch_loss, cross_entropy, evaluate, evaluating, token_losses
from benchmarks.stored_runs import add, load, search
from chapters.ch13.runs import SEEDS, STORED

PLAIN = Config(65, 32, n_layer=2, n_head=4, n_embd=48)
WHOLE = dict(n_steps=1200, batch_size=16, learning_rate=2e-3, warm_up=120, eval_every=100)
WHOLES = {  # a text, and what is changed
    "play": ("play", {}),
    "tinyshakespeare": ("tinyshakespeare", {}),
    "no normalisation": ("play", dict(norm="none", qk_norm=False)),
}
SIZES = dict(n_steps=300, batch_size=8, learning_rate=2e-3, warm_up=30, eval_every=300)
RATES = (4e-3, 8e-3, 1.6e-2, 3.2e-2)
TUNED = SIZES | dict(optimizers=partial(muon, times=2.5))


def own_start(block: Block) -> Block:
    """Return the block with PyTorch's own first weights instead of zeros."""
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
    """All scores are 0, so each token receives the mean of its past, and rotary positions have no effect."""

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
    "no MLP": dict(block=turned_into(AttentionAlone)),
    "no residual": dict(block=turned_into(NoWayAround)),
    "no positions": dict(config=dict(positions="none")),
    "averages, no positions": dict(block=turned_into(attention=EqualShares)),
    "learned positions": dict(config=dict(positions="learned")),
    "averages, learned positions": dict(
        config=dict(positions="learned"), block=turned_into(attention=EqualShares)
    ),
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


def losses(
    choice: str, seed: int, ids: tuple[Tensor, Tensor], base: Mapping = SIZES, **sizes
) -> list[float]:
    """The validation loss of one run; without a mask, also the loss with only the past."""
    changes, (train_ids, validation_ids) = CHOICES[choice], ids
    config = replace(PLAIN, **changes.get("config", {}))
    torch.manual_seed(seed)
    model = GPT(config, changes.get("block", make_block))
    how = base | changes.get("training", {}) | sizes
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
        guesses = [
            cross_entropy(model(x[:, : t + 1])[:, -1:], y[:, t : t + 1]) for t in range(block_size)
        ]
    return torch.stack(guesses).mean().item()


def sliding_loss(model: nn.Module, ids: Tensor, size: int, stride: int = 4) -> float:
    """The loss on the ids if each guess sees at least `size` - `stride` of the ids before it.

    The model reads a window of `size` ids, which moves by `stride`, and only the last guesses of each
    window count. (In the first window all of them count.)
    """
    x, y = cut_blocks(ids, torch.arange(0, len(ids) - size, stride), size)
    with evaluating(model):
        pairs = zip(x.split(256), y.split(256), strict=True)
        each = torch.cat([token_losses(model(some), targets) for some, targets in pairs])
    return torch.cat([each[0], each[1:, -stride:].flatten()]).double().mean().item()


def parts() -> tuple[Tensor, Tensor]:
    """Return the play's ids to train on, and those to choose on."""
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
    found = {name: evaluate(model, some, 32).mean for name, some in ids.items()}
    found["test, sliding"] = sliding_loss(model, test_ids, 32)
    return {name: round(loss, 4) for name, loss in found.items()}


def tune(*choices: str) -> None:
    """Make all runs of these choices, or of every one, that aren't in `tuned.json` yet."""
    ids = parts()
    for choice in choices or [choice for choice in CHOICES if choice != "no mask"]:

        def run(rate: float, seed: int, choice: str = choice) -> float:
            (loss,) = losses(choice, seed, ids, TUNED, learning_rate=rate)
            return loss

        search(STORED.with_name("tuned.json"), [choice], RATES, SEEDS, run)


def main(what: str = "choices", which: str = "play") -> None:
    """Run everything that isn't stored yet, and store it run by run."""
    path = STORED.with_name(f"{what}.json")
    for seed, name in product(SEEDS, CHOICES if what == "choices" else (which,)):
        if str(seed) not in load(path).get(name, {}):
            run = losses(name, seed, parts()) if what == "choices" else whole(name, seed)
            add(path, name, str(seed), run=run)


if __name__ == "__main__":
    tune(*sys.argv[2:]) if sys.argv[1:2] == ["tuned"] else main(*sys.argv[1:3])
