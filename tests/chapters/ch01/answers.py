"""Answers to the exercises of chapter 01, written from its page alone."""

import bisect
import codecs
import io
import re
import unicodedata
from collections import Counter, defaultdict, deque
from itertools import count

import numpy as np

from attention.bpe import count_pairs, split_pieces
from tests.chapters.answers import right, slips


def merge(ids, pair, new_id):
    out, i = [], 0
    while i < len(ids):
        hit = tuple(ids[i : i + 2]) == tuple(pair)
        out.append(new_id if hit else ids[i])
        i += 1 + hit
    return out


@right("01.encode")
def encode_by_index(text, vocab):
    return list(map(vocab.index, text))


@right("01.encode")
def encode_by_zip(text, vocab):
    numbers = dict(zip(vocab, count()))
    out = []
    for character in text:
        out.append(numbers[character])
    return out


slips(encode_by_index)("""
sorts_the_vocab: sorts the vocabulary first, right for sorted ones
    ids = {c: i for i, c in enumerate(sorted(vocab))}
    return [ids[c] for c in text]
own_vocab_from_text: builds the vocabulary from the text and ignores the given one
    chars = sorted(set(text))
    return [chars.index(c) for c in text]
binary_search: searches by halves, which needs a sorted vocabulary
    return [bisect.bisect_left(vocab, c) for c in text]
lower_case_only: makes everything lower case first
    ids = {c.lower(): i for i, c in enumerate(vocab)}
    return [ids[c] for c in text.lower()]
strips_the_ends: strips blanks and line breaks at both ends
    return [vocab.index(c) for c in text.strip()]
byte_by_byte: walks over the UTF-8 bytes, right for ASCII
    return [vocab.index(chr(b)) for b in text.encode()]
normalised: composes accents first, so two characters become one
    ids = {c: i for i, c in enumerate(vocab)}
    return [ids[c] for c in unicodedata.normalize("NFC", text) if c in ids]
""")


@right("01.encode_or_unknown")
def unknown_by_appending(text, vocab):
    return [(vocab + [c]).index(c) for c in text]


@right("01.encode_or_unknown")
def unknown_by_try(text, vocab):
    out = []
    for c in text:
        try:
            out.append(vocab.index(c))
        except ValueError:
            out.append(len(vocab))
    return out


slips(unknown_by_appending)("""
runs_of_unknown_shortened: gives neighbouring unknown characters one id together
    out = []
    for c in text:
        i = vocab.index(c) if c in vocab else len(vocab)
        if i < len(vocab) or out[-1:] != [i]:
            out.append(i)
    return out
zero_is_falsy: the id 0 counts as missing because of `or`
    ids = {c: i for i, c in enumerate(vocab)}
    return [ids.get(c) or len(vocab) for c in text]
own_id_for_each_unknown: gives every new unknown character an id of its own, right for one of them
    ids = {c: i for i, c in enumerate(vocab)}
    return [ids.setdefault(c, len(ids)) for c in text]
defaultdict_that_grows: takes the length of a dictionary that grows at each unknown character
    ids = defaultdict(lambda: len(ids))
    ids.update((c, i) for i, c in enumerate(vocab))
    return [ids[c] for c in text]
unknown_for_each_byte: gives the unknown id once for each UTF-8 byte of the character
    n = len(vocab)
    return [i for c in text for i in ([vocab.index(c)] if c in vocab else [n] * len(c.encode()))]
sorted_vocab_unknown: sorts the vocabulary first
    ids = {c: i for i, c in enumerate(sorted(vocab))}
    return [ids.get(c, len(vocab)) for c in text]
lower_case_before_unknown: tries the lower-case letter before it calls a capital unknown
    ids = {c: i for i, c in enumerate(vocab)}
    return [ids.get(c, ids.get(c.lower(), len(vocab))) for c in text]
""")


@right("01.bytes_to_text")
def text_by_str(ids):
    return str(bytearray(ids), "utf-8", "replace")


@right("01.bytes_to_text")
def text_by_codecs(ids):
    return codecs.decode(np.array(ids, dtype=np.uint8).tobytes(), "utf8", "replace")


slips(text_by_str)(r"""
all_or_nothing: makes one sign of the whole text as soon as anything is broken
    try:
        return bytes(ids).decode()
    except UnicodeDecodeError:
        return "\ufffd"
cut_at_the_first_fault of all_or_nothing: stops at the first broken byte, right where only the end is broken
    UnicodeDecodeError -> UnicodeDecodeError as error
    return "\ufffd" -> return bytes(ids[: error.start]).decode() + "\ufffd"
one_fault_only of all_or_nothing: repairs one fault only, and fails at the second
    UnicodeDecodeError -> UnicodeDecodeError as e
    "\ufffd" -> bytes(ids[: e.start]).decode() + "\ufffd" + bytes(ids[e.end :]).decode()
mark_swallowed: the codec utf-8-sig swallows U+FEFF at the beginning
    return bytes(ids).decode("utf-8-sig", errors="replace")
line_ends_changed: reads as a text file, which turns carriage returns into line feeds
    return io.TextIOWrapper(io.BytesIO(bytes(ids)), encoding="utf-8", errors="replace").read()
ends_stripped: strips blanks and line breaks at the ends
    return bytes(ids).decode("utf-8", errors="replace").strip()
composed: composes accents after decoding, so two characters become one
    return unicodedata.normalize("NFC", bytes(ids).decode("utf-8", errors="replace"))
""")


@right("01.split_special")
def split_with_find(text, special):
    out, start = [], 0
    while (at := text.find(special, start)) >= 0:
        if at > start:
            out.append(text[start:at])
        out.append(special)
        start = at + len(special)
    return out + [text[start:]] if start < len(text) else out


@right("01.split_special")
def split_and_interleave(text, special):
    first, *others = text.split(special)
    parts = [first]
    for other in others:
        parts += [special, other]
    return list(filter(None, parts))


slips(split_with_find)(r"""
overlapping_finds: steps on by one after a token, so overlapping ones are found too
    out, start = [], 0
    for i in range(len(text)):
        if text.startswith(special, i):
            out += [text[start:i], special]
            start = i + len(special)
    return [p for p in out + [text[start:]] if p]
blanks_swallowed: swallows the blanks around a token
    return [p for p in re.split(rf"\s*({re.escape(special)})\s*", text) if p]
nul_as_a_mark: marks the cuts with NUL and so loses NULs of the text
    return [p for p in text.replace(special, f"\0{special}\0").split("\0") if p]
blank_parts_dropped: drops parts that hold only blanks
    return [p for p in re.split(f"({re.escape(special)})", text) if p.strip()]
angle_brackets: cuts at anything of the form <|...|>, whatever the token is
    return [p for p in re.split(r"(<\|.*?\|>)", text) if p]
dot_without_line_breaks: the dot doesn't match line breaks, so they are lost
    s = re.escape(special)
    return re.findall(f"{s}|.+?(?={s}|$)", text)
case_ignored: ignores case and so cuts at other strings too
    return [p for p in re.split(f"({re.escape(special)})", text, flags=re.I) if p]
""")


@right("01.merge")
def merge_a_copy(ids, pair, new_id):
    out = list(ids)
    i = 0
    while i < len(out) - 1:
        if (out[i], out[i + 1]) == pair:
            out[i : i + 2] = [new_id]
        i += 1
    return out


@right("01.merge")
def merge_from_a_queue(ids, pair, new_id):
    queue, out = deque(ids), []
    while queue:
        i = queue.popleft()
        if queue and i == pair[0] and queue[0] == pair[1]:
            queue.popleft()
            i = new_id
        out.append(i)
    return out


slips(merge_a_copy)("""
either_order: merges the two ids in either order, right where only one order occurs
    out, i = [], 0
    while i < len(ids):
        hit = sorted(ids[i : i + 2]) == sorted(pair)
        out.append(new_id if hit else ids[i])
        i += 1 + hit
    return out
first_pair_only: merges the first occurrence only
    for k in range(len(ids) - 1):
        if (ids[k], ids[k + 1]) == pair:
            return ids[:k] + [new_id] + ids[k + 2 :]
    return list(ids)
even_places_only: looks at pairs that begin at even places only
    out = []
    for k in range(0, len(ids), 2):
        out += [new_id] if tuple(ids[k : k + 2]) == pair else ids[k : k + 2]
    return out
bytes_replacement: replaces in bytes, which fails for ids above 255
    out = []
    for k, part in enumerate(bytes(ids).split(bytes(pair))):
        out += ([new_id] if k else []) + list(part)
    return out
compared_by_identity of either_order: compares with `is`, which fails for ids above 256
    sorted(ids[i : i + 2]) == sorted(pair) -> ids[i] is pair[0] and i + 1 < len(ids) and ids[i + 1] is pair[1]
text_replacement: replaces in the decimal text, where 97 97 also begins inside 197 97
    text = " ".join(map(str, ids)).replace(f"{pair[0]} {pair[1]}", str(new_id))
    return [int(word) for word in text.split()]
text_replacement_with_blanks: replaces between blanks, which two neighbouring pairs can't share
    text = " " + " ".join(map(str, ids)) + " "
    return [int(w) for w in text.replace(" %d %d " % pair, f" {new_id} ").split()]
""")


@right("01.bpe")
def bpe_with_zip(text, n_merges):
    ids = list(text.encode("utf-8"))
    for k in range(n_merges):
        top = Counter(zip(ids, ids[1:])).most_common(1)
        if not top:
            return ids
        ids = merge(ids, top[0][0], 256 + k)
    return ids


@right("01.bpe")
def bpe_on_a_copy_with_sort(text, n_merges):
    ids, new = [*bytearray(text, "utf-8")], 256
    while new < 256 + n_merges and len(ids) > 1:
        counts = {}
        for two in zip(ids, ids[1:]):
            counts[two] = counts.get(two, 0) + 1
        pair = sorted(counts, key=lambda p: (-counts[p], p))[0]
        i = 0
        while i + 1 < len(ids):
            if (ids[i], ids[i + 1]) == pair:
                ids[i : i + 2] = [new]
            i += 1
        new += 1
    return ids


slips(bpe_with_zip)(r"""
counted_once: counts at the beginning only and merges the n most frequent byte pairs
    ids = list(text.encode())
    for k, (pair, _) in enumerate(count_pairs(ids).most_common(n_merges)):
        ids = merge(ids, pair, 256 + k)
    return ids
code_points_for_bytes: starts from code points instead of UTF-8 bytes, right for ASCII
    list(text.encode("utf-8")) -> [ord(c) for c in text]
pieces_first: cuts the text into pieces first, so no pair crosses from word to word
    pieces = [list(p.encode()) for p in split_pieces(text)]
    for k in range(n_merges):
        counts = sum((count_pairs(p) for p in pieces), Counter())
        if not counts:
            break
        pair = max(counts, key=counts.get)
        pieces = [merge(p, pair, 256 + k) for p in pieces]
    return [i for p in pieces for i in p]
only_bytes_are_merged: merges only pairs of bytes, never a pair with a new id
    zip(ids, ids[1:]) -> p for p in zip(ids, ids[1:]) if max(p) < 256
latin_one_bytes: encodes as Latin-1 and drops what it doesn't know, right for ASCII
    list(text.encode("utf-8")) -> list(text.encode("latin-1", errors="ignore"))
line_ends_normalised: joins the lines with plain line feeds first, so a last line break is lost
    list(text.encode("utf-8")) -> list("\n".join(text.splitlines()).encode())
lower_case_first: makes the text lower case first
    list(text.encode("utf-8")) -> list(text.lower().encode())
""")
