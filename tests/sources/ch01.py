"""What the source notebooks show of chapter 01, text to tokens."""

from tests.sources import Source

_TINY = "tinyshakespeare"
SOURCES = [
    Source("S1.2", "length of the text", "1115394", _TINY),
    Source("S1.2", "its beginning", "First Citizen:\nBefore we proceed any further", _TINY),
    Source("S1.2", "text[0:100] == text[:100]", "True"),
    Source("S1.3", "size of the vocabulary", "65"),
    Source(
        "S1.3",
        "the vocabulary",
        "!$&',-.3:;?ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    ),
    Source("S1.4", "encode('ball')", "[40, 39, 50, 50]"),
    Source("S1.4", "decode of it", "ball"),
    Source("S1.4", "the round trip of a sentence", "this is a sentence"),
    Source("S1.5", "the tensor's shape", "torch.Size([1115394])", _TINY),
    Source("S1.5", "its type", "torch.int64"),
    Source("S1.5", "data[:10]", "[18, 47, 56, 57, 58, 1, 15, 47, 58, 47]", _TINY),
    Source(
        "S1.6",
        "decode(data[:62])",
        "First Citizen:\nBefore we proceed any further, hear me speak.",
        _TINY,
    ),
]
