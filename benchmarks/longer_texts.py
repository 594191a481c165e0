"""Losses of models with each kind of position beyond the length of their training, for chapter 11.

`python -m benchmarks.longer_texts` takes about six minutes of one CPU, and writes longer.json.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attention.batches import cut_blocks, split
from attention.corpus import load_corpus
from attention.gpt import GPT, POSITIONS, Config
from attention.tokenizers import CharTokenizer
from attention.training import evaluating, token_losses, train
from chapters.ch11.runs import BIN, LONGER, STORED, TRAINED

SEEDS, N_STEPS = (1, 2, 3, 4, 5), 600
STRETCH = LONGER // TRAINED


def trained(kind: str, seed: int, ids: Tensor, vocab_size: int, n_steps: int) -> GPT:
    """Return a GPT of two layers, trained on blocks of 32 characters."""
    torch.manual_seed(seed)
    model = GPT(Config(vocab_size, TRAINED, n_layer=2, n_head=4, n_embd=48, positions=kind))
    train(
        model,
        ids,
        n_steps=n_steps,
        batch_size=16,
        block_size=TRAINED,
        learning_rate=3e-3,
        generator=torch.Generator().manual_seed(seed),
    )
    return model


def by_position(model: nn.Module, ids: Tensor) -> list[float]:
    """Return the mean loss at the first 16 positions, the next 16, and so on to 128, in nats per character.

    A block begins every 16 characters, so that all means are over the same characters, except at the
    ends of the text.
    """
    x, y = cut_blocks(ids, torch.arange(0, len(ids) - LONGER, BIN), LONGER)
    with evaluating(model):
        parts = zip(x.split(64), y.split(64), strict=True)
        each = torch.cat(
            [token_losses(model(some), wanted) for some, wanted in parts]
        )  # (blocks, 128)
    return [round(loss, 4) for loss in each.mean(dim=0).view(-1, BIN).mean(dim=1).tolist()]


def ways(model: GPT) -> Iterator[tuple[str, GPT]]:
    """Yield each way to read beyond the trained length: its name, and the model changed for it."""
    kind = model.config.positions
    if kind == "learned":  # its table ends: repeat the last row, or spread the rows further apart
        model.config = replace(model.config, block_size=LONGER)
        table = model.position_embedding.weight.detach()  # (32, C)
        clipped = torch.cat([table, table[-1:].expand(LONGER - TRAINED, -1)])
        apart = F.interpolate(table.T[None], LONGER, mode="linear", align_corners=True)[0].T
        for name, rows in (("clipped", clipped), ("stretched", apart)):
            model.position_embedding = nn.Embedding.from_pretrained(rows)
            yield f"learned, {name}", model
        return
    yield kind, model
    if kind == "rotary":
        layers = [block.attention for block in model.blocks]
        size = layers[0].head_size
        for layer in layers:
            layer.rotary_stretch = STRETCH
        yield "rotary, stretched", model
        for layer in layers:  # the fastest pair is unchanged, the slowest turns a fourth as fast
            layer.rotary_stretch = 1.0
            layer.rotary_base *= STRETCH ** (size / (size - 2))
        yield "rotary, base", model


def measure(
    seeds: tuple[int, ...] = SEEDS,
    n_steps: int = N_STEPS,
    kinds: tuple[str, ...] = POSITIONS,
    told: Callable[..., None] = print,
) -> dict[str, list[list[float]]]:
    """Return the losses by position of each way of reading, for each seed."""
    text = load_corpus("play")
    tokenizer = CharTokenizer(text)
    ids, held_back = split(torch.tensor(tokenizer.encode(text)))
    found: dict[str, list[list[float]]] = {}
    for seed in seeds:
        for kind in kinds:
            model = trained(kind, seed, ids, tokenizer.vocab_size, n_steps)
            for name, way in ways(model):
                found.setdefault(name, []).append(by_position(way, held_back))
                told(name, seed, *found[name][-1])
    return found


if __name__ == "__main__":
    lines = (f'"{name}": {json.dumps(rows)}' for name, rows in measure().items())
    STORED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
