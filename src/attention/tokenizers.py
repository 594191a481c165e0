"""Text to ids and back: one id per character, or byte pair encoding (BPE) on bytes.

In order: characters; the steps that BPE is made of, as small functions; the training, which is
these steps done quickly; the tokenizer that applies what was learnt.
"""

import json
import operator
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from math import inf
from pathlib import Path

import regex

Pair = tuple[int, int]


class CharTokenizer:
    """One id per character: the sorted characters of `text`, numbered from 0.

    >>> tokenizer = CharTokenizer("hello")
    >>> tokenizer.vocab
    ['e', 'h', 'l', 'o']
    >>> tokenizer.encode("hole")
    [1, 3, 2, 0]
    >>> tokenizer.decode([1, 3, 2, 0])
    'hole'

    Raises ValueError for an empty text.
    """

    def __init__(self, text: str):
        if not text:
            raise ValueError(
                "text: expected at least one character, got none; pass the text "
                "whose characters are to be the vocabulary"
            )
        self.vocab = sorted(set(text))
        self._ids = {character: i for i, character in enumerate(self.vocab)}

    @property
    def vocab_size(self) -> int:
        return len(self.vocab)

    def encode(self, text: str) -> list[int]:
        """The id of every character. Raises ValueError for a character not in the vocabulary."""
        try:
            return [self._ids[character] for character in text]
        except KeyError:
            position, c = next((i, c) for i, c in enumerate(text) if c not in self._ids)
            raise ValueError(
                f"text: expected the {self.vocab_size} characters of the vocabulary, got {c!r} "
                f"(U+{ord(c):04X}) at position {position}; build the tokenizer from text that "
                "holds it, replace it, or use BPETokenizer, which knows every character"
            ) from None

    def decode(self, ids: Iterable) -> str:
        """The text of the ids. Raises ValueError for an id outside the vocabulary."""
        return "".join(self.vocab[i] for i in _checked(ids, self.vocab_size))

    def __repr__(self) -> str:
        return f"CharTokenizer({self.vocab_size} characters)"


# GPT-2 first cuts a text into contractions, words, numbers, punctuation (each with the space
# before it) and other white space. Merges stay within a piece, so no token spans two words.
GPT2_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def split_pieces(text: str, pattern: str | None = GPT2_PATTERN) -> list[str]:
    """The pieces that `pattern` cuts the text into, in order; the whole text if it is None.

    >>> split_pieces("We're in Act 12!  Exit")
    ['We', "'re", ' in', ' Act', ' 12', '!', ' ', ' Exit']

    Raises ValueError for a pattern that leaves characters out.
    """
    if pattern is None:
        return [text]
    pieces = [match.group() for match in regex.finditer(pattern, text)]
    if sum(map(len, pieces)) < len(text):
        raise ValueError(
            f"pattern: expected one that matches all {len(text)} characters of the text, got one "
            f"that matches {sum(map(len, pieces))}, {pattern!r}; add `|.` with the flag `(?s)`"
        )
    return pieces


def count_pairs(ids: Sequence[int]) -> Counter[Pair]:
    """How often each pair of neighbours occurs; overlapping pairs count, so `aaa` has two.

    >>> count_pairs([1, 2, 3, 1, 2])
    Counter({(1, 2): 2, (2, 3): 1, (3, 1): 1})
    """
    return Counter(pairwise(ids))


def merge_pair(ids: Sequence[int], pair: Pair, new_id: int) -> list[int]:
    """A new list with every `pair` replaced by `new_id`, from left to right.

    >>> merge_pair([1, 1, 1, 2], (1, 1), 9)
    [9, 1, 2]
    """
    left, right = pair
    merged, i, last = [], 0, len(ids) - 1
    while i <= last:
        if ids[i] == left and i < last and ids[i + 1] == right:
            merged.append(new_id)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged


# Of pairs that are equally frequent the first in this order is merged, the order of Hugging Face
# `tokenizers`: bytes that print come before bytes that do not, and tokens in the order learnt.
_PRINTS = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
_BYTES_IN_ORDER = sorted(range(256), key=lambda byte: (byte not in _PRINTS, byte))


def learn_merges(pieces: Counter[bytes], n_merges: int) -> list[Pair]:
    """The pairs to merge, most frequent first; fewer than `n_merges` if the pieces run out.

    `pieces` says how often each piece occurs, so that equal pieces are merged only once. After a
    merge only the pieces with that pair are counted anew.

    >>> learn_merges(Counter([b"aaabdaaabac"]), 3)
    [(97, 97), (97, 98), (256, 257)]
    """
    words = [list(piece) for piece in pieces]
    times = list(pieces.values())
    counts: Counter[Pair] = Counter()
    holders: defaultdict[Pair, set[int]] = defaultdict(set)  # pair -> which words hold it
    for w, word in enumerate(words):
        for pair in pairwise(word):
            counts[pair] += times[w]
            holders[pair].add(w)

    place = [_BYTES_IN_ORDER.index(byte) for byte in range(256)]

    def entry(pair: Pair) -> tuple:  # the heap gives the smallest first
        return -counts[pair], place[pair[0]], place[pair[1]], pair

    heap = [entry(pair) for pair in counts]
    heapify(heap)
    merges: list[Pair] = []
    while heap and len(merges) < n_merges:
        count, *_, pair = heappop(heap)
        if -count != counts[pair]:  # out of date: later merges took some of its occurrences
            if counts[pair]:
                heappush(heap, entry(pair))
            continue
        new_id = 256 + len(merges)
        place.append(new_id)
        merges.append(pair)
        new_pairs = set()
        for w in holders.pop(pair):
            before, after = words[w], merge_pair(words[w], pair, new_id)
            for old in pairwise(before):
                counts[old] -= times[w]
            for new in pairwise(after):
                counts[new] += times[w]
                if new_id in new:
                    holders[new].add(w)
                    new_pairs.add(new)
            words[w] = after
        for new in new_pairs:
            heappush(heap, entry(new))
    return merges


class BPETokenizer:
    """Byte pair encoding: ids 0 to 255 are the bytes, id 256 + i is what merge number i made.

    `pairs` are the merges as pairs of ids, in the order learnt; after them come the special
    tokens. `pattern` cuts a text into pieces, each merged on its own (None: no cuts).

    >>> tokenizer = BPETokenizer([(97, 97), (97, 98), (256, 257)], ["<|end|>"])
    >>> tokenizer.encode("aaab")
    [258]
    >>> tokenizer.merges
    [(b'a', b'a'), (b'a', b'b'), (b'aa', b'ab')]
    >>> tokenizer.special_tokens
    {'<|end|>': 259}

    Raises ValueError for merges that no training can give and for special tokens that are empty
    or listed twice.

    Source: Gage 1994 (the algorithm); Sennrich, Haddow & Birch 2016 (merges within words only);
    Radford et al. 2019 (on bytes, with this pattern: GPT-2).
    """

    def __init__(
        self,
        pairs: Iterable,
        special_tokens: Iterable = (),
        pattern: str | None = GPT2_PATTERN,
    ):
        special_tokens = _checked_specials(special_tokens)
        self.pattern = pattern
        self.merges: list[tuple[bytes, bytes]] = []
        self._merged: dict[Pair, int] = {}  # pair -> the id it becomes
        self._tokens = [bytes([byte]) for byte in range(256)]  # id -> bytes
        self._cache: dict[str, list[int]] = {}
        for number, (left, right) in enumerate(pairs):
            new_id = len(self._tokens)
            left, right = _checked((left, right), new_id, f"merge {number}")
            token = self._tokens[left] + self._tokens[right]
            if (ids := self._merge(token)) != [left, right]:
                raise ValueError(
                    f"merge {number}: expected a new pair of neighbours, got ({left}, {right}), "
                    f"but the merges before it turn {token!r} into {ids}; give the merges of one "
                    "training, all of them and in their order"
                )
            self.merges.append((self._tokens[left], self._tokens[right]))
            self._merged[left, right] = new_id
            self._tokens.append(token)
        self.ranks = {token: i for i, token in enumerate(self._tokens)}
        self.special_tokens = {t: len(self.ranks) + i for i, t in enumerate(special_tokens)}
        self._tokens += [token.encode() for token in special_tokens]

    @classmethod
    def train(
        cls,
        text: str,
        vocab_size: int,
        special_tokens: Iterable = (),
        pattern: str | None = GPT2_PATTERN,
    ) -> "BPETokenizer":
        """A tokenizer with `vocab_size` ids: 256 bytes, the merges `text` gives, the specials.

        Without a pattern the whole text is one piece: fine for a page, slow for a book.

        >>> BPETokenizer.train("aaabdaaabac", 259, pattern=None).encode("aaabdaaabac")
        [258, 100, 258, 97, 99]

        Raises ValueError for an empty text, a lone surrogate, and a `vocab_size` that is too
        small for the bytes and special tokens or larger than the text can give.
        """
        special_tokens = _checked_specials(special_tokens)
        least = 256 + len(special_tokens)
        if not text:
            raise ValueError(
                "text: expected at least one character, got none; train on text "
                "like the text to be encoded"
            )
        if vocab_size < least:
            raise ValueError(
                f"vocab_size: expected at least {least} (256 bytes and {len(special_tokens)} "
                f"special tokens), got {vocab_size}; ask for {least} or more"
            )
        _check_utf8(text)
        pieces = Counter(piece.encode() for piece in split_pieces(text, pattern))
        pairs = learn_merges(pieces, vocab_size - least)
        most = least + len(pairs)
        if most < vocab_size:
            raise ValueError(
                f"vocab_size: expected at most {most}, got {vocab_size}; this text gives {most} "
                "tokens and then has no pair left to merge, so ask for fewer or pass more text"
            )
        return cls(pairs, special_tokens, pattern)

    @property
    def vocab_size(self) -> int:
        return len(self._tokens)

    def encode(self, text: str, special: bool = False) -> list[int]:
        """The ids of the text; a special token in it is ordinary text unless `special` is True.

        Raises ValueError for a lone surrogate, the only text that UTF-8 has no bytes for.
        """
        _check_utf8(text)
        if not (special and self.special_tokens):
            return self._encode_ordinary(text)
        longest_first = sorted(self.special_tokens, key=len, reverse=True)
        either = "|".join(map(regex.escape, longest_first))
        ids = []
        for i, part in enumerate(regex.split(f"({either})", text)):
            if i % 2:  # what the brackets matched: a special token
                ids.append(self.special_tokens[part])
            else:
                ids += self._encode_ordinary(part)
        return ids

    def _encode_ordinary(self, text: str) -> list[int]:
        """The ids of every piece in turn; short pieces come back often, so theirs are kept."""
        out = []
        for piece in split_pieces(text, self.pattern):
            ids = self._cache.get(piece)
            if ids is None:
                ids = self._merge(piece.encode())
                if len(piece) <= _CACHE_LENGTH:
                    if len(self._cache) >= _CACHE_PIECES:
                        self._cache.clear()
                    self._cache[piece] = ids
            out += ids
        return out

    def _merge(self, piece: bytes) -> list[int]:
        """The ids of one piece: of all pairs in it, merge the one learnt first; repeat."""
        ids = list(piece)
        while len(ids) > 1:
            pair = min(pairwise(ids), key=lambda pair: self._merged.get(pair, inf))
            if pair not in self._merged:
                break
            ids = merge_pair(ids, pair, self._merged[pair])
        return ids

    def decode_bytes(self, ids: Iterable) -> bytes:
        """The bytes of the ids. Raises ValueError for an id outside the vocabulary."""
        return b"".join(self._tokens[i] for i in _checked(ids, self.vocab_size))

    def decode(self, ids: Iterable) -> str:
        """The text of the ids; bytes that are not UTF-8, such as half an emoji, become U+FFFD.

        Raises ValueError for an id outside the vocabulary.
        """
        return self.decode_bytes(ids).decode(errors="replace")

    def save(self, path: str | os.PathLike) -> None:
        """Write the tokenizer as JSON; if that fails midway, an older file there is unharmed."""
        content = {
            "format": _FORMAT,
            "pattern": self.pattern,
            "special_tokens": list(self.special_tokens),
            "pairs": list(self._merged),
        }
        unfinished = Path(f"{os.fspath(path)}.{os.getpid()}.tmp")
        try:
            unfinished.write_text(json.dumps(content) + "\n", encoding="utf-8")
            os.replace(unfinished, path)
        finally:
            unfinished.unlink(missing_ok=True)

    @classmethod
    def load(cls, path: str | os.PathLike) -> "BPETokenizer":
        """The tokenizer that `save` wrote. Raises ValueError for a file it did not write."""
        data = Path(path).read_bytes()
        try:
            content = json.loads(data)
            if not isinstance(content, dict) or content.get("format") != _FORMAT:
                raise ValueError(f"format: expected {_FORMAT!r}, got something else")
            for key, kind in ("pairs", list), ("special_tokens", list), ("pattern", str | None):
                if not isinstance(content[key], kind):
                    raise ValueError(f"{key}: expected {kind}, got {content[key]!r}")
            regex.compile(content["pattern"] or "")
            return cls(content["pairs"], content["special_tokens"], content["pattern"])
        except (ValueError, TypeError, KeyError, RecursionError, regex.error) as error:
            raise ValueError(
                f"{str(path)!r}: expected a file that BPETokenizer.save wrote, got another or a "
                f"damaged one ({type(error).__name__}: {error}); save the tokenizer again"
            ) from error

    def __repr__(self) -> str:
        return (
            f"BPETokenizer(256 bytes + {len(self.merges)} merges + "
            f"{len(self.special_tokens)} special tokens = {self.vocab_size})"
        )


_FORMAT = "attention.BPETokenizer 1"
_CACHE_PIECES, _CACHE_LENGTH = 2**16, 64  # at most so many pieces of at most so many characters


def _checked(ids: Iterable, vocab_size: int, name: str = "ids") -> list[int]:
    """The ids as a list of plain ints; a list, a tensor or an array of one axis will do."""
    checked = []
    for position, value in enumerate(ids.tolist() if hasattr(ids, "tolist") else ids):
        try:
            i = -1 if isinstance(value, bool) else operator.index(value)
        except TypeError:
            i = -1
        if not 0 <= i < vocab_size:
            raise ValueError(
                f"{name}: expected integers from 0 to {vocab_size - 1}, got {value!r} at position "
                f"{position}; use the tokenizer that made them"
            )
        checked.append(i)
    return checked


def _checked_specials(special_tokens: Iterable) -> list[str]:
    if isinstance(special_tokens, str):
        raise ValueError(
            f"special_tokens: expected a list of strings, got the string "
            f"{special_tokens!r}; write [{special_tokens!r}]"
        )
    tokens = list(special_tokens)
    for i, token in enumerate(tokens):
        if not isinstance(token, str) or not token or token in tokens[:i]:
            raise ValueError(
                f"special_tokens: expected strings that are not empty and all different, got "
                f"{token!r} at position {i}; leave it out or change it"
            )
        _check_utf8(token)
    return tokens


def _check_utf8(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"text: expected characters that UTF-8 can encode, got half a surrogate pair, "
            f"{text[error.start]!a}, at position {error.start}; replace it or leave it out"
        ) from None
