"""Train small GPTs with blocks wired in several ways, for the table of losses in chapter 12.

`python -m benchmarks.wired_blocks` takes about half an hour, and writes losses.json.
"""

import math
from itertools import product

import torch

from attention.batches import split
from attention.corpus import load_corpus
from attention.gpt import GPT, MLP, CausalSelfAttention, Config, start_as_identity
from attention.tokenizers import CharTokenizer
from attention.training import evaluate, train
from benchmarks.stored_runs import search
from chapters.ch12.depth import WiredBlock, scale_outputs
from chapters.ch12.runs import SEEDS, STORED

DEPTHS, N_STEPS = (2, 8), 200
RATES = (1.5e-3, 3e-3, 6e-3)
WAYS = {
    "no residual, no norm": dict(residual=False, place="none"),
    "no residual, norm before": dict(residual=False),
    "residual, no norm": dict(place="none"),
    "residual, norm after": dict(place="after"),
    "residual, norm before": {},
    "the same, outputs times 1/\u221a(2L)": dict(start="scaled"),
    "the same, outputs start at 0": dict(start="zero"),
}


def wired(config: Config, start: str = "", **how) -> WiredBlock:
    """Return a block for `GPT(config, block=...)` with this wiring and its parts' own first weights."""
    C = config.n_embd
    attention = CausalSelfAttention(C, config.n_head, positions=config.positions)
    block = WiredBlock(attention, MLP(C, config.activation), C, **how)
    if start == "scaled":
        scale_outputs(block, 1 / math.sqrt(2 * config.n_layer))
    elif start == "zero":
        start_as_identity(block)
    return block


def final_loss(
    way: str, n_layer: int, seed: int, n_steps: int, rate: float, ids: torch.Tensor, V: int
) -> float:
    """Train a GPT; return its loss on held-back text, which is nan if training broke down."""
    train_ids, val_ids = split(ids)
    config = Config(V, 16, n_layer, n_head=4, n_embd=32, positions="learned", activation="relu")
    torch.manual_seed(seed)
    model = GPT(config, block=lambda config: wired(config, **WAYS[way]))
    train(
        model, train_ids, n_steps=n_steps, batch_size=16, block_size=16, learning_rate=rate,
        generator=torch.Generator().manual_seed(seed),
    )  # fmt: skip
    return evaluate(model, val_ids, 16).mean


def main() -> None:
    """Make all runs that aren't stored yet."""
    text = load_corpus("play")
    tokenizer = CharTokenizer(text)
    ids, V = torch.tensor(tokenizer.encode(text)), len(tokenizer.vocab)
    for n_layer, way in product(DEPTHS, WAYS):

        def run(rate: float, seed: int, n_layer: int = n_layer, way: str = way) -> float:
            return round(final_loss(way, n_layer, seed, N_STEPS, rate, ids, V), 4)

        search(STORED, [way, str(n_layer)], RATES, SEEDS, run)


if __name__ == "__main__":
    main()
