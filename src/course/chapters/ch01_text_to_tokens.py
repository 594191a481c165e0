"""Chapter 01, text to tokens: its exercises and its quiz."""

import re
from collections import Counter
from itertools import pairwise

from attention.tokenizers import count_pairs
from course.exercise import Exercise, Law, Mistake
from course.quiz import Option, Question
from course.sources import Source

# 1. Encode


def encode(text, vocab):
    ids = {character: i for i, character in enumerate(vocab)}
    return [ids[character] for character in text]


ENCODE = Exercise(
    id="01.encode",
    asks="Return the list of positions in vocab of the characters of text.",
    reference=encode,
    inputs=[("a", ["a", "b"]), ("ba", ["a", "b", "c"]), ("ball", list("\nabcl")), ("", ["a"])],
    mistakes=[
        Mistake(
            lambda text, vocab: [ord(c) for c in text],
            "these are the characters' numbers in Unicode. An id is the place of the character in "
            "`vocab`, counted from 0.",
        ),
        Mistake(
            lambda text, vocab: [vocab.index(c) + 1 for c in text],
            "every id is one too large: the first entry of `vocab` has the id 0.",
        ),
        Mistake(
            lambda text, vocab: [sorted(set(text)).index(c) for c in text],
            "you built a new vocabulary from this one text, so the same letter gets other ids in "
            "another text. Use the `vocab` that came in.",
        ),
        Mistake(
            lambda text, vocab: [vocab.index(c) for c in sorted(set(text))],
            "each character comes once and in alphabetical order: go through `text` itself, in "
            "its own order.",
        ),
    ],
    laws=[
        Law(
            "there has to be one id per character",
            lambda ids, text, vocab: len(ids) == len(text),
        ),
        Law(
            "looking the ids up in vocab has to give the text back",
            lambda ids, text, vocab: "".join(vocab[i] for i in ids) == text,
        ),
    ],
    hints=(
        "For one character the id is its place in `vocab`. What does Python offer for that?",
        "A dictionary from character to place is built once with `enumerate(vocab)` and is fast "
        "to look things up in.",
        "`ids = {character: i for i, character in enumerate(vocab)}`, then a list over the text.",
    ),
)

# 2. Unknown characters


def encode_or_unknown(text, vocab):
    ids = {character: i for i, character in enumerate(vocab)}
    return [ids.get(character, len(vocab)) for character in text]


def _raises_key_error(text, vocab):
    return encode(text, vocab)


def _raises_value_error(text, vocab):
    return [vocab.index(c) for c in text]


def _with_default(default):
    def wrong(text, vocab):
        return [vocab.index(c) if c in vocab else default for c in text]

    return wrong


ENCODE_OR_UNKNOWN = Exercise(
    id="01.encode_or_unknown",
    asks="As encode, but a character that is not in vocab gets the id len(vocab).",
    reference=encode_or_unknown,
    inputs=[
        ("?", ["a", "b"]),
        ("a?b", ["a", "b"]),
        ("caf\u00e9", list("acf")),
        ("ab", list("ab")),
    ],
    mistakes=[
        Mistake(
            _raises_key_error,
            "a dictionary raises KeyError for a key it doesn't have. `ids.get(character, default)` "
            "returns the default instead.",
        ),
        Mistake(
            _raises_value_error,
            "`list.index` raises ValueError for what isn't in the list. Ask first, or use a "
            "dictionary's `get`.",
        ),
        Mistake(
            lambda text, vocab: [vocab.index(c) for c in text if c in vocab],
            "you leave unknown characters out, so the reader can't tell that something is "
            "missing. Each of them has to become the id `len(vocab)`.",
        ),
        Mistake(
            _with_default(-1),
            "-1 is no id: in a table it would silently pick the last row. Use `len(vocab)`, the "
            "first number that is free.",
        ),
        Mistake(
            _with_default(0),
            "0 already belongs to the first character of `vocab`: decoding would put that "
            "character there. Use a number that is free.",
        ),
    ],
    laws=[
        Law(
            "there has to be one id per character, unknown ones too",
            lambda ids, text, vocab: len(ids) == len(text),
        ),
        Law(
            "every unknown character has to get the id len(vocab)",
            lambda ids, text, vocab: all(
                i == len(vocab) for i, c in zip(ids, text, strict=True) if c not in vocab
            ),
        ),
    ],
    hints=(
        "Which numbers do the known characters use? Which is the first one left over?",
        "A dictionary's `get` takes a second argument for keys that aren't there.",
        "`ids.get(character, len(vocab))`.",
    ),
)

# 3. One merge


def merge(ids, pair, new_id):
    merged = []
    i = 0
    while i < len(ids):
        if tuple(ids[i : i + 2]) == pair:
            merged.append(new_id)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged


def _merge_overlapping(ids, pair, new_id):
    merged = []
    for i in range(len(ids)):
        if tuple(ids[i : i + 2]) == pair:
            merged.append(new_id)
        elif i == 0 or tuple(ids[i - 1 : i + 1]) != pair:
            merged.append(ids[i])
    return merged


def _merge_keeps_second(ids, pair, new_id):
    return [new_id if tuple(ids[i : i + 2]) == pair else ids[i] for i in range(len(ids))]


def _merge_first_only(ids, pair, new_id):
    for i in range(len(ids) - 1):
        if (ids[i], ids[i + 1]) == pair:
            return ids[:i] + [new_id] + ids[i + 2 :]
    return ids[:]


def _merge_loses_last(ids, pair, new_id):
    merged = []
    i = 0
    while i < len(ids) - 1:
        if (ids[i], ids[i + 1]) == pair:
            merged.append(new_id)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged


def _merge_looks_past_the_end(ids, pair, new_id):
    merged = []
    i = 0
    while i < len(ids):
        if ids[i] == pair[0] and ids[i + 1] == pair[1]:
            merged.append(new_id)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged


def _merge_either_order(ids, pair, new_id):
    merged = []
    i = 0
    while i < len(ids):
        if set(ids[i : i + 2]) == set(pair) and len(ids[i : i + 2]) == 2:
            merged.append(new_id)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged


def _merge_in_place(ids, pair, new_id):
    i = 0
    while i < len(ids) - 1:
        if (ids[i], ids[i + 1]) == pair:
            ids[i : i + 2] = [new_id]
        i += 1
    return ids


MERGE = Exercise(
    id="01.merge",
    asks="Return a new list in which every pair of neighbours became new_id, from left to right.",
    reference=merge,
    inputs=[
        ([1, 2], (1, 2), 9),
        ([1, 2, 3], (1, 2), 9),
        ([1, 1, 1], (1, 1), 9),
        ([2, 1, 1, 2], (1, 2), 9),
        ([1, 2, 5, 1, 2, 4], (1, 2), 9),
        ([3], (1, 2), 9),
    ],
    mistakes=[
        Mistake(
            _merge_overlapping,
            "in 1, 1, 1 you use the middle 1 twice. After a merge, go on behind both of its ids.",
        ),
        Mistake(
            _merge_keeps_second,
            "the right half of each pair is still there: new_id stands for both ids, so skip two.",
        ),
        Mistake(_merge_first_only, "you stop after the first pair. Merge every one of them."),
        Mistake(
            _merge_loses_last,
            "the last id gets lost when it isn't part of a pair: the loop ends one place early.",
        ),
        Mistake(
            _merge_looks_past_the_end,
            "right, until the last id is the first half of the pair: no `ids[i + 1]` stands behind "
            "it. Ask whether there is one, or compare a slice: `ids[i : i + 2]` is just shorter.",
        ),
        Mistake(
            lambda ids, pair, new_id: ids[:],
            "nothing was merged. A list never equals a tuple: compare `tuple(ids[i : i + 2])` with "
            "`pair`.",
        ),
        Mistake(
            _merge_either_order,
            "you also merge the pair the other way round. (1, 2) and (2, 1) are two pairs.",
        ),
        Mistake(
            _merge_in_place,
            "you changed the list that came in. Whoever passed it still needs it: build a new one.",
        ),
    ],
    laws=[
        Law(
            "the pair mustn't stand in the result any more",
            lambda merged, ids, pair, new_id: pair not in pairwise(merged),
        ),
        Law(
            "writing the pair back for new_id has to give the ids again",
            lambda merged, ids, pair, new_id: (
                [i for m in merged for i in (pair if m == new_id else (m,))] == ids
            ),
        ),
    ],
    hints=(
        "Walk through the list with an index. What do you look at, and how far do you go on?",
        "If the pair starts at i, append new_id and go on at i + 2; else append ids[i] and go on "
        "at i + 1. Mind the last id.",
        "`while i < len(ids):` and `if tuple(ids[i : i + 2]) == pair:`. A slice past the end is "
        "just shorter.",
    ),
)

# 4. Byte pair encoding


def bpe(text, n_merges):
    ids = list(text.encode())
    for new_id in range(256, 256 + n_merges):
        counts = count_pairs(ids)
        pair = max(counts, key=counts.get)
        ids = merge(ids, pair, new_id)
    return ids


def _bpe_one_count(text, n_merges):
    ids = list(text.encode())
    common = [pair for pair, _ in Counter(pairwise(ids)).most_common(n_merges)]
    for new_id, pair in enumerate(common, 256):
        ids = merge(ids, pair, new_id)
    return ids


def _bpe_rarest(text, n_merges):
    ids = list(text.encode())
    for new_id in range(256, 256 + n_merges):
        counts = Counter(pairwise(ids))
        ids = merge(ids, min(counts, key=counts.get), new_id)
    return ids


def _bpe_same_id(text, n_merges):
    ids = list(text.encode())
    for _ in range(n_merges):
        counts = Counter(pairwise(ids))
        ids = merge(ids, max(counts, key=counts.get), 256)
    return ids


def _bpe_from_257(text, n_merges):
    ids = list(text.encode())
    for new_id in range(257, 257 + n_merges):
        counts = Counter(pairwise(ids))
        ids = merge(ids, max(counts, key=counts.get), new_id)
    return ids


def _bpe_one_more(text, n_merges):
    return bpe(text, n_merges + 1)


def _bpe_no_merges(text, n_merges):
    return list(text.encode())


BPE = Exercise(
    id="01.bpe",
    asks="Return the ids of text after n_merges merges of its most frequent pair, ids from 256 on.",
    reference=bpe,
    inputs=[
        ("abab", 1),
        ("aaab", 1),
        ("ababab", 2),
        ("aaabdaaabac", 3),
    ],  # the rule for ties is free
    mistakes=[
        Mistake(
            _bpe_one_count,
            "you counted the pairs once, at the start. After a merge there are new pairs, with the "
            "new id in them: count again before each merge.",
        ),
        Mistake(_bpe_rarest, "you merge the rarest pair. The most frequent one saves the most."),
        Mistake(
            _bpe_same_id,
            "every merge gets the id 256, so they can't be told apart. Give each the next number.",
        ),
        Mistake(
            _bpe_from_257, "your first new id is 257. The bytes are 0 to 255, so 256 is free."
        ),
        Mistake(_bpe_one_more, "you merge once too often: n_merges merges, not one more."),
        Mistake(
            _bpe_no_merges,
            "these are the bytes; nothing is merged yet. (What `most_common(1)[0]` holds is a pair "
            "*and* its count.)",
        ),
    ],
    laws=[
        Law(
            "all ids have to be whole numbers: `list(text.encode())` is where to start",
            lambda ids, text, n: all(type(i) is int for i in ids),
        ),
        Law(
            "no id may be 256 + n_merges or more",
            lambda ids, text, n: max(ids) < 256 + n,
        ),
        Law(
            "each merge has to make the list shorter",
            lambda ids, text, n: len(ids) <= len(text.encode()) - n,
        ),
    ],
    hints=(
        "Three things happen again and again: count the pairs, choose one, merge it.",
        "`list(text.encode())` gives the bytes, `count_pairs(ids)` counts the pairs. "
        "`max(counts, key=counts.get)` is the most frequent.",
        "A loop `for new_id in range(256, 256 + n_merges):` around the three steps, with your own "
        "`merge` for the last.",
    ),
)

# 5. Bytes back to text


def bytes_to_text(ids):
    return bytes(ids).decode("utf-8", errors="replace")


BYTES_TO_TEXT = Exercise(
    id="01.bytes_to_text",
    asks="Return the text whose UTF-8 bytes are the ids; bytes that form no character become U+FFFD.",
    reference=bytes_to_text,
    inputs=[
        ([97],),
        ([195, 169],),
        (list("na\u00efve \U0001f600".encode()),),
        ([240, 159],),
        ([],),
    ],
    mistakes=[
        Mistake(
            lambda ids: "".join(chr(i) for i in ids),
            "you made a character of every single byte. In UTF-8 \u00e9 is two bytes, 195 and 169, "
            "and an emoji four: join the bytes first, then decode.",
        ),
        Mistake(
            lambda ids: "".join(bytes([i]).decode("utf-8", errors="replace") for i in ids),
            "each byte is decoded on its own (or as ASCII, which knows no others), but half of a "
            "character is none. Decode all bytes together, as UTF-8.",
        ),
        Mistake(
            lambda ids: bytes(ids).decode("utf-8"),
            "right for whole characters, but half an emoji raises UnicodeDecodeError. A model may "
            'well generate one: see `errors="replace"`.',
        ),
        Mistake(
            lambda ids: bytes(ids).decode("utf-8", errors="ignore"),
            "broken bytes vanish without a trace. They should show, as U+FFFD: "
            '`errors="replace"`.',
        ),
        Mistake(lambda ids: bytes(ids), "these are bytes still. `.decode()` makes text of them."),
        Mistake(
            lambda ids: str(bytes(ids)),
            "`str` of bytes gives their Python notation, with a b in front. Use `.decode()`.",
        ),
    ],
    hints=(
        "`bytes(ids)` turns a list of numbers into bytes. What turns bytes into text?",
        "`.decode()` does, all at once. What should happen when the bytes stop in the middle of a "
        "character?",
        '`bytes(ids).decode("utf-8", errors="replace")`.',
    ),
)

# 6. Special tokens


def split_special(text, special):
    parts = re.split(f"({re.escape(special)})", text)
    return [part for part in parts if part]


SPLIT_SPECIAL = Exercise(
    id="01.split_special",
    asks="Cut text at every special token, keep the token as a part of its own, drop empty parts.",
    reference=split_special,
    inputs=[
        ("a<|end|>b", "<|end|>"),
        ("a<|end|>", "<|end|>"),
        ("the end > < <|end|><|end|>ends", "<|end|>"),
        ("nothing", "<|end|>"),
    ],
    mistakes=[
        Mistake(
            lambda text, special: [p for p in text.split(special) if p],
            "the special tokens themselves are gone. They have to stay in the list: `re.split` "
            "keeps what it matched if the pattern stands in round brackets.",
        ),
        Mistake(
            lambda text, special: [p for p in re.split(f"({special})", text) if p],
            "in a regular expression `|` means or, so `<|end|>` matches `<` or `end` or `>`. "
            "`re.escape(special)` takes the characters literally.",
        ),
        Mistake(
            lambda text, special: re.split(f"({re.escape(special)})", text),
            "almost: where a special token stands first, last or next to another, an empty part "
            "is left over.",
        ),
    ],
    laws=[
        Law(
            "the parts joined have to be the text again",
            lambda parts, text, special: "".join(parts) == text,
        ),
        Law("no part may be empty", lambda parts, text, special: all(parts)),
    ],
    hints=(
        "`re.split` cuts at a pattern. What does it do with what it matched?",
        "With round brackets around the pattern the matches stay in the list. But what does `|` "
        "mean in a pattern?",
        '`re.split(f"({re.escape(special)})", text)`, then leave out the empty parts.',
    ),
)

EXERCISES = [ENCODE, ENCODE_OR_UNKNOWN, MERGE, BPE, BYTES_TO_TEXT, SPLIT_SPECIAL]

QUIZ = (
    Question(
        "Why is the vocabulary sorted before the characters are numbered?",
        (
            Option(
                "So that the same text gives the same ids on every run.",
                "A set has no order of its own; in another run it may come out differently, and "
                "ids from yesterday would mean other letters today.",
                right=True,
            ),
            Option(
                "Because a model learns faster from sorted ids.",
                "To a model an id is a name, not a size. Any numbering serves, if it stays.",
            ),
            Option(
                "So that frequent characters get small ids.",
                "Sorting goes by the characters' numbers in Unicode, not by how often they occur.",
            ),
        ),
    ),
    Question(
        "A character tokenizer built from this corpus meets the character \u00e9. What should it do?",
        (
            Option(
                "Leave it out.",
                "Then decode(encode(text)) is another text, and nobody is told.",
            ),
            Option(
                "Say which character, where, and what to do about it.",
                "An error at the edge is cheap. A wrong id deep inside a model is not.",
                right=True,
            ),
            Option(
                "Give it the id 0.",
                "That is the id of the line break: the text would come back with a line break.",
            ),
        ),
    ),
    Question(
        "Byte-level BPE has no unknown characters. Why?",
        (
            Option(
                "Its training corpus holds every character there is.",
                "No corpus does. It needs none: it never looks at characters.",
            ),
            Option(
                "Every text is a sequence of bytes, and all 256 bytes are in the vocabulary.",
                "At worst a character falls back to its one to four bytes.",
                right=True,
            ),
            Option(
                "It replaces characters it doesn't know.",
                "It would then fail the round trip, which holds for every text.",
            ),
        ),
    ),
    Question(
        "You double the number of merges. What do you pay, and what do you get?",
        (
            Option(
                "A larger vocabulary, and shorter sequences.",
                "The table of vectors grows with the vocabulary; the length shrinks, and by less "
                "and less with every merge.",
                right=True,
            ),
            Option(
                "Longer sequences, and a smaller vocabulary.",
                "The other way round: every merge adds an id and shortens the text.",
            ),
            Option(
                "Half the sequence length.",
                "The first merges save the most. The curve in the explorer flattens.",
            ),
        ),
    ),
    Question(
        "Why is the text cut into pieces before pairs are counted?",
        (
            Option(
                "Because the pairs of a long text can't be counted.",
                "They can; it only takes longer.",
            ),
            Option(
                "So that no token reaches across the end of a word or into punctuation.",
                "Else `dog.`, `dog!` and `dog?` become three tokens that share nothing.",
                right=True,
            ),
            Option(
                "So that the text can be decoded again.",
                "Decoding works with or without the cuts: the tokens just follow each other.",
            ),
        ),
    ),
)

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
