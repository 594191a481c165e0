"""What the source notebooks show of chapter 01, text to tokens."""

import torch
from torch import Tensor

from attention.tokenizers import CharTokenizer
from chapters.chA3.source import Source

_TINY = "tinyshakespeare"


def _ids(text: str) -> Tensor:
    return torch.tensor(CharTokenizer(text).encode(text), dtype=torch.long)


def _there_and_back(text: str, phrase: str) -> str:
    tokenizer = CharTokenizer(text)
    return tokenizer.decode(tokenizer.encode(phrase))


SOURCES = [
    Source("S1.2", "length of the text", len, "1115394", _TINY),
    Source(
        "S1.2",
        "its beginning",
        lambda text: text[:100],
        "First Citizen:\nBefore we proceed any further",
        _TINY,
    ),
    Source("S1.2", "text[0:100] == text[:100]", lambda text: text[0:100] == text[:100], "True"),
    Source("S1.3", "size of the vocabulary", lambda text: CharTokenizer(text).vocab_size, "65"),
    Source(
        "S1.3",
        "the vocabulary",
        lambda text: "".join(CharTokenizer(text).vocab),
        "!$&',-.3:;?ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    ),
    Source(
        "S1.4",
        "encode('ball')",
        lambda text: CharTokenizer(text).encode("ball"),
        "[40, 39, 50, 50]",
    ),
    Source("S1.4", "decode of it", lambda text: _there_and_back(text, "ball"), "ball"),
    Source(
        "S1.4",
        "the round trip of a sentence",
        lambda text: _there_and_back(text, "this is a sentence"),
        "this is a sentence",
    ),
    Source(
        "S1.5", "the tensor's shape", lambda text: _ids(text).shape, "torch.Size([1115394])", _TINY
    ),
    Source("S1.5", "its type", lambda text: _ids(text).dtype, "torch.int64"),
    Source(
        "S1.5",
        "data[:10]",
        lambda text: _ids(text)[:10],
        "[18, 47, 56, 57, 58, 1, 15, 47, 58, 47]",
        _TINY,
    ),
    Source(
        "S1.6",
        "decode(data[:62])",
        lambda text: CharTokenizer(text).decode(_ids(text)[:62].tolist()),
        "First Citizen:\nBefore we proceed any further, hear me speak.",
        _TINY,
    ),
]
