"""Byte pair encoding (BPE) by its definition: cut, count pairs, merge the most frequent, repeat.

Source: Gage 1994 (the algorithm); Sennrich, Haddow & Birch 2016 (merges within words only);
Radford et al. 2019 (on bytes, with the pattern below: GPT-2). `fast_bpe` gives the same, only faster.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import inf

import regex

Pair = tuple[int, int]

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
    merged, i = [], 0
    while i < len(ids):
        if tuple(ids[i : i + 2]) == pair:
            merged.append(new_id)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged


def tie_order(pair: Pair) -> tuple[int, int]:
    """Of equally frequent pairs, the smallest in this order is merged.

    It is the order of Hugging Face `tokenizers`: bytes that print come before bytes that do not,
    and tokens in the order learned.
    """
    return _RANKS.get(pair[0], pair[0]), _RANKS.get(pair[1], pair[1])


# GPT-2 numbers the bytes in this order: first those that print, then the others.
PRINTING = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
BYTES_IN_ORDER = sorted(range(256), key=lambda byte: (byte not in PRINTING, byte))
_RANKS = {byte: rank for rank, byte in enumerate(BYTES_IN_ORDER)}


def learn_merges(pieces: Mapping[bytes, int], n_merges: int) -> list[Pair]:
    """The pairs to merge, most frequent first; fewer than `n_merges` if the pieces run out.

    `pieces` has the count of each piece. All pairs are counted again before each merge.

    >>> learn_merges({b"aaabdaaabac": 1}, 3)
    [(97, 97), (97, 98), (256, 257)]
    """
    split, times = [list(piece) for piece in pieces], list(pieces.values())
    merges: list[Pair] = []
    while len(merges) < n_merges:
        counts: Counter[Pair] = Counter()
        for ids, n in zip(split, times, strict=True):
            for pair, count in count_pairs(ids).items():
                counts[pair] += n * count
        if not counts:
            break
        best = min(counts, key=lambda pair: (-counts[pair], tie_order(pair)))
        split = [merge_pair(ids, best, 256 + len(merges)) for ids in split]
        merges.append(best)
    return merges


def apply_merges(ids: Sequence[int], new_ids: Mapping[Pair, int]) -> list[int]:
    """The ids of one piece: of all pairs in it, merge the one learned first; repeat.

    >>> apply_merges(list(b"aaab"), {(97, 97): 256, (97, 98): 257, (256, 257): 258})
    [258]
    """
    while len(ids) > 1:
        first = min(pairwise(ids), key=lambda pair: new_ids.get(pair, inf))
        if first not in new_ids:
            break
        ids = merge_pair(ids, first, new_ids[first])
    return list(ids)
