"""Train small GPTs with blocks wired in several ways, for the table of losses in chapter 12.

Run: python -m chapters.ch12.runs   (about ten minutes; it writes losses.json next to this file)
"""

import json
import math
from pathlib import Path

import torch

from attention.batches import split
from attention.corpus import load_corpus
from attention.gpt import GPT, MLP, CausalSelfAttention, Config, start_as_identity
from attention.tokenizers import CharTokenizer
from attention.training import evaluate, train
from chapters.ch12.depth import WiredBlock, scale_outputs

STORED = Path(__file__).with_name("losses.json")
SEEDS, DEPTHS, N_STEPS = range(1, 6), (2, 8), 200
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
    """A block for `GPT(config, block=...)` with this wiring and the parts' own first weights."""
    C = config.n_embd
    attention = CausalSelfAttention(C, config.n_head, positions=config.positions)
    block = WiredBlock(attention, MLP(C, config.activation), C, **how)
    if start == "scaled":
        scale_outputs(block, 1 / math.sqrt(2 * config.n_layer))
    elif start == "zero":
        start_as_identity(block)
    return block


def final_loss(way: str, n_layer: int, seed: int, n_steps: int, ids: torch.Tensor, V: int) -> float:
    """The loss on held-back text after `n_steps` steps; nan if training broke down."""
    train_ids, val_ids = split(ids)
    config = Config(
        V, 16, n_layer, n_head=4, n_embd=32, positions="learned", activation="relu"
    )
    torch.manual_seed(seed)
    model = GPT(config, block=lambda config: wired(config, **WAYS[way]))
    train(
        model, train_ids, n_steps=n_steps, batch_size=16, block_size=16, learning_rate=3e-3,
        generator=torch.Generator().manual_seed(seed),
    )  # fmt: skip
    return evaluate(model, val_ids, 16).mean


def main() -> None:
    text = load_corpus("play")
    tokenizer = CharTokenizer(text)
    ids = torch.tensor(tokenizer.encode(text))
    found: dict[str, dict[str, list[float | None]]] = {}
    for n_layer in DEPTHS:
        for way in WAYS:
            losses = [final_loss(way, n_layer, seed, N_STEPS, ids, len(tokenizer.vocab)) for seed in SEEDS]
            print(n_layer, way, [f"{loss:.3f}" for loss in losses], flush=True)
            each = [round(loss, 4) if math.isfinite(loss) else None for loss in losses]
            found.setdefault(way, {})[str(n_layer)] = each
    STORED.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
