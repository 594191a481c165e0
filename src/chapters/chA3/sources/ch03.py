"""What the source notebooks show of chapter 03, bigram baseline."""

from functools import cache

import torch
from torch import Tensor

from attention.batches import get_batch, split
from attention.bigram import BigramLanguageModel
from attention.generation import generate
from attention.tokenizers import CharTokenizer
from attention.training import train
from chapters.chA3.source import Source

_ROW_C = """\
-0.2060,  1.5973,  0.1185, -1.2549,  1.3024,  0.4760, -0.8871,  1.3709,
-1.9473, -0.8017, -1.3055, -0.4910,  0.4430,  0.2178, -0.3297, -0.0192,
 0.9225,  0.9187,  0.2998,  0.6106,  0.7791,  0.1237,  1.8620,  1.7080,
-1.6045,  0.3338, -2.0513,  0.5923,  0.4880, -1.4055, -0.6686, -0.4831,
-0.2298,  0.9043,  0.7631, -0.1606,  0.9156, -0.6908, -0.3065, -1.1809,
 0.8175, -2.0392,  0.1558, -0.2996, -0.5391, -0.3657,  0.8282, -0.4826,
 1.8330,  0.3421,  0.2154, -0.1029, -0.0946,  0.0070,  0.1484, -0.5403,
-1.9312, -0.7858, -0.6731, -0.0901,  0.2598, -0.5349,  0.5812, -0.5356,
-1.7944"""


def table() -> BigramLanguageModel:
    """The untrained model, seed 1337."""
    _ = torch.manual_seed(1337)
    return BigramLanguageModel(65)


def _logits(text: str) -> Tensor:
    ids = torch.tensor(CharTokenizer(text).encode(text))
    x, _ = get_batch(split(ids)[0], 4, 8, torch.Generator().manual_seed(1337))
    return table()(x)


@cache
def _after(text: str, n_steps: int, learning_rate: float) -> tuple[BigramLanguageModel, float]:
    """A table trained on the first part of the text, and the loss of the last batch."""
    ids, model = split(torch.tensor(CharTokenizer(text).encode(text)))[0], table()
    losses = train(
        model,
        ids,
        n_steps=n_steps,
        batch_size=32,
        block_size=8,
        learning_rate=learning_rate,
        generator=torch.Generator().manual_seed(1337),
    )
    return model, losses[-1]


def _sample(model: BigramLanguageModel, text: str, start: str, n_new: int) -> str:
    tokenizer = CharTokenizer(text)
    ids = torch.tensor([tokenizer.encode(start)])
    new = generate(model, ids, n_new, torch.Generator().manual_seed(1337))
    return tokenizer.decode(new[0].tolist())


SOURCES = [
    Source(
        "S1.15",
        "the bigram table's logits for a batch of 4 by 8",
        lambda text: _logits(text).shape,
        "torch.Size([4, 8, 65])",
    ),
    Source(
        "S1.16",
        "row 15 of the table, the character C, is what the model says after C",
        lambda text: table().table.weight[15],
        _ROW_C,
    ),
    Source(
        "S1.17",
        "logits and loss from one forward; a sample from the untrained table",
        lambda text: _sample(table(), text, "your", 20),
        "yourbM\n3LUZurpqB&W-Z XiS",
        corpus="tinyshakespeare",
        why_not="the model that wrote it was made, and the characters were drawn, without a seed "
        "of their own, so its table is not known",
    ),
    Source(
        "S1.17",
        "and a sample that begins with a line's end",
        lambda text: _sample(table(), text, "\n", 100),
        "iy!FvS-:\njbcGpE,GIoyeS?WsU'KWKwuK",
        corpus="tinyshakespeare",
        why_not="the same unseeded model",
    ),
    Source(
        "S1.18",
        "AdamW with learning rate 1e-3",
        lambda text: [round(_after(text, n, 1e-3)[1], 4) for n in (1, 2, 3)],
    ),
    Source(
        "S1.19",
        "the loss of the last batch of the training cell, called 1000 steps",
        lambda text: round(_after(text, 1000, 1e-3)[1], 2),
        "2.4422693252563477",
        corpus="tinyshakespeare",
        why_not="1000 steps from a random table leave the loss at 3.73, so the cell must have "
        "been run again and again on the same model; and the figure is one batch's loss, 0.0096 "
        "below the 2.4519 that no bigram can beat on the whole training part",
    ),
    Source(
        "S1.20",
        "a sample from the trained table",
        lambda text: _sample(_after(text, 1000, 0.03)[0], text, "your", 20),
        "yourd ke s bith main JUS",
        corpus="tinyshakespeare",
        trained=True,
        why_not="drawn without a seed from a table whose number of training steps is not known; "
        "text from a trained model also differs between machines",
    ),
    Source(
        "S1.20",
        "and one that begins with a line's end",
        lambda text: _sample(_after(text, 1000, 0.03)[0], text, "\n", 100),
        "ONRIULO:\nNequ hickn araroug,",
        corpus="tinyshakespeare",
        trained=True,
        why_not="the same table and no seed",
    ),
]
