"""GPT-2's ids of a text, from the two files that come with its weights.

`merges.txt` lists the pairs in the order in which they were learned, and `vocab.json` gives each token
its id. Both write a byte as one printable character: bytes that are printable in Latin-1 as themselves, the
other 68 as U+0100, U+0101 and so on. So a space is "Ġ" and a line break "Ċ" (Radford et al., 2019).
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from attention.bpe import BYTES_IN_ORDER, PRINTING, Pair
from attention.bpe_tokenizer import BPETokenizer
from attention.tokenizers import checked_ids

_HIDDEN = BYTES_IN_ORDER[len(PRINTING) :]  # the bytes that aren't printable
LETTERS = {byte: chr(byte) for byte in PRINTING}
LETTERS |= {byte: chr(256 + i) for i, byte in enumerate(_HIDDEN)}
_BYTES = {letter: byte for byte, letter in LETTERS.items()}


def as_letters(token: bytes) -> str:
    """How GPT-2's files write these bytes.

    >>> as_letters(b" the")
    'Ġthe'
    """
    return "".join(LETTERS[byte] for byte in token)


def as_bytes(letters: str) -> bytes:
    """The bytes that GPT-2's files write with these letters.

    >>> as_bytes("Ġthe")
    b' the'
    """
    return bytes(_BYTES[letter] for letter in letters)


class GPT2Tokenizer:
    """A BPETokenizer whose ids are those of a vocabulary.

    Tokens of the vocabulary that are neither a byte nor the result of a merge are special.

    Raises ValueError for merges in another layout, and for a vocabulary that doesn't fit them.
    """

    def __init__(self, vocab: Mapping[str, int], merges: Iterable[str]):
        tokens, pairs = _merged(merges)
        specials = sorted(vocab.keys() - set(map(as_letters, tokens)))
        self._bpe = BPETokenizer(pairs, specials)
        named = [*map(as_letters, tokens), *specials]
        self._theirs = [vocab.get(name, -1) for name in named]  # our id -> theirs
        if sorted(self._theirs) != list(range(len(named))):
            raise ValueError(
                f"vocab: expected the ids 0 to {len(named) - 1}, one for each of 256 bytes, "
                f"{len(pairs)} merges and {len(specials)} special tokens, got {len(vocab)} tokens "
                f"with other ids; use the two files of one model"
            )
        self._ours = {theirs: i for i, theirs in enumerate(self._theirs)}

    @property
    def vocab_size(self) -> int:
        return len(self._theirs)

    def encode(self, text: str, special: bool = False) -> list[int]:
        """The ids of the text; a special token in it is ordinary text unless `special` is True."""
        return [self._theirs[i] for i in self._bpe.encode(text, special)]

    def decode(self, ids: Iterable) -> str:
        """The text of the ids; bytes that are not UTF-8, such as half an emoji, become U+FFFD."""
        return self._bpe.decode(self._ours[i] for i in checked_ids(ids, self.vocab_size))


def _merged(merges: Iterable[str]) -> tuple[list[bytes], list[Pair]]:
    """The bytes and then the result of each merge, and the merges as pairs of indices in that list."""
    tokens, pairs = [bytes([byte]) for byte in range(256)], []
    ids = {token: i for i, token in enumerate(tokens)}
    for merge in merges:
        try:
            left, right = map(as_bytes, merge.split(" "))
            pairs.append((ids[left], ids[right]))
        except (KeyError, ValueError):
            raise ValueError(
                f"merges: expected two tokens with a space between them, such as 'Ġ t', each a "
                f"byte or merged before, got {merge!r}; use the merges.txt of a GPT-2"
            ) from None
        ids[left + right] = len(tokens)
        tokens.append(left + right)
    return tokens, pairs


def read_tokenizer(folder: Path) -> GPT2Tokenizer:
    """The tokenizer of the folder's `vocab.json` and `merges.txt`."""
    vocab = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))
    lines = (folder / "merges.txt").read_text(encoding="utf-8").split("\n")
    merges = lines[1:] if lines[0].startswith("#version") else lines
    return GPT2Tokenizer(vocab, filter(None, merges))
