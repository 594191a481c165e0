"""A tokenizer of byte pair encoding: trained on a text, with special tokens, for any text."""

from collections import Counter
from collections.abc import Iterable

import regex

from attention.bpe import GPT2_PATTERN, Pair, split_pieces
from attention.fast_bpe import apply_merges, learn_merges
from attention.tokenizers import checked_ids


class BPETokenizer:
    """Byte pair encoding: ids 0 to 255 are the bytes, id 256 + i is what merge number i made.

    `pairs` are the merges as pairs of ids, in the order learned; after them come the special
    tokens. `pattern` cuts a text into pieces, each merged on its own (None: no cuts).

    >>> tokenizer = BPETokenizer([(97, 97), (97, 98), (256, 257)], ["<|end|>"])
    >>> tokenizer.encode("aaab")
    [258]
    >>> tokenizer.merges
    [(b'a', b'a'), (b'a', b'b'), (b'aa', b'ab')]
    >>> tokenizer.special_tokens
    {'<|end|>': 259}

    Raises ValueError for merges of ids that don't exist yet, and for special tokens that are empty or
    listed twice.
    """

    def __init__(
        self, pairs: Iterable, special_tokens: Iterable = (), pattern: str | None = GPT2_PATTERN
    ):
        special_tokens = _checked_specials(special_tokens)
        self.pattern = pattern
        self.merges: list[tuple[bytes, bytes]] = []
        self._new_ids: dict[Pair, int] = {}  # pair -> the id it becomes
        self._tokens = [bytes([byte]) for byte in range(256)]  # id -> bytes
        for number, (left, right) in enumerate(pairs):
            new_id = len(self._tokens)
            left, right = checked_ids((left, right), new_id, f"merge {number}")
            self.merges.append((self._tokens[left], self._tokens[right]))
            self._new_ids[left, right] = new_id
            self._tokens.append(self._tokens[left] + self._tokens[right])
        self.ranks = {token: i for i, token in enumerate(self._tokens)}
        self.special_tokens = {t: len(self.ranks) + i for i, t in enumerate(special_tokens)}
        self._tokens += [token.encode() for token in special_tokens]
        self._special = _any_of(special_tokens)

    @classmethod
    def train(
        cls,
        text: str,
        vocab_size: int,
        special_tokens: Iterable = (),
        pattern: str | None = GPT2_PATTERN,
    ) -> "BPETokenizer":
        """A tokenizer with `vocab_size` ids: 256 bytes, the merges `text` gives, the specials.

        A special token in the text ends a piece, and nothing is learned from it.

        >>> BPETokenizer.train("aaabdaaabac", 259, pattern=None).encode("aaabdaaabac")
        [258, 100, 258, 97, 99]

        Raises ValueError for a `vocab_size` that is too small for the bytes and special tokens or
        larger than the text can give.
        """
        special_tokens = _checked_specials(special_tokens)
        text.encode()  # raises UnicodeEncodeError, with the position, before anything is cut
        parts = regex.split(_any_of(special_tokens), text)[::2]  # the text between the tokens
        pieces = Counter(p.encode() for part in parts for p in split_pieces(part, pattern))
        least = 256 + len(special_tokens)
        pairs = learn_merges(pieces, vocab_size - least)
        if vocab_size != least + len(pairs):
            few = f"at least {least} (256 bytes and {len(special_tokens)} special tokens)"
            many = f"at most {least + len(pairs)} (this text gives no more tokens)"
            expected = few if vocab_size < least else many
            raise ValueError(f"vocab_size: expected {expected}, got {vocab_size}")
        return cls(pairs, special_tokens, pattern)

    @property
    def vocab_size(self) -> int:
        return len(self._tokens)

    @property
    def pairs(self) -> list[Pair]:
        """The merges as pairs of ids, in the order learned: what a tokenizer can be built from again."""
        return list(self._new_ids)

    def encode(self, text: str, special: bool = False) -> list[int]:
        """The ids of the text; a special token in it is ordinary text unless `special` is True.

        Raises ValueError for a lone surrogate, the only text that UTF-8 has no bytes for.
        """
        text.encode()  # as in train
        if not special:
            return self._encode_ordinary(text)
        ids: list[int] = []
        for i, part in enumerate(regex.split(self._special, text)):
            ids += [self.special_tokens[part]] if i % 2 else self._encode_ordinary(part)
        return ids

    def _encode_ordinary(self, text: str) -> list[int]:
        pieces = split_pieces(text, self.pattern)
        ids = {piece: apply_merges(piece.encode(), self._new_ids) for piece in set(pieces)}
        return [i for piece in pieces for i in ids[piece]]

    def decode_bytes(self, ids: Iterable) -> bytes:
        """The bytes of the ids. Raises ValueError for an id outside the vocabulary."""
        return b"".join(self._tokens[i] for i in checked_ids(ids, self.vocab_size))

    def decode(self, ids: Iterable) -> str:
        """The text of the ids; bytes that are not UTF-8, such as half an emoji, become U+FFFD."""
        return self.decode_bytes(ids).decode(errors="replace")

    def __repr__(self) -> str:
        return (
            f"BPETokenizer(256 bytes + {len(self.merges)} merges + "
            f"{len(self.special_tokens)} special tokens = {self.vocab_size})"
        )


def _any_of(special_tokens: Iterable[str]) -> regex.Pattern:
    """Matches each of the tokens, the longest that fits; nothing if there are none."""
    longest_first = sorted(special_tokens, key=len, reverse=True)
    return regex.compile(f"({'|'.join(map(regex.escape, longest_first)) or '(?!)'})")


def _checked_specials(special_tokens: Iterable) -> list[str]:
    tokens = list(special_tokens)
    if isinstance(special_tokens, str) or "" in tokens or len(set(tokens)) < len(tokens):
        raise ValueError(
            f"special_tokens: expected a list of strings, all different and none empty, got {tokens}"
        )
    return tokens
