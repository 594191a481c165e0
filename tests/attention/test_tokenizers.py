"""Laws of the tokenizers, then equality with Hugging Face `tokenizers` and OpenAI's `tiktoken`."""

import json
import os
import pickle
import re
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import tiktoken
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from attention import bpe, fast_bpe
from attention.bpe import count_pairs, merge_pair, split_pieces
from attention.bpe_tokenizer import BPETokenizer
from attention.corpus import load_corpus
from attention.tokenizers import CharTokenizer

CORPORA = ["play", "tinyshakespeare"]
SIZES = [300, 2048]  # the merges of a size begin with those of every smaller one
END = "<|end|>"
AWKWARD = [
    "", " ", "   ", "\n\n \n", " a", "a ", "a  b", "don't we'll I'M", "x1234 56", "...?!",
    "é e\u0301", "naïve café", "👩‍👩‍👧 🏳️‍🌈", "日本語のテキスト", "שלום",
    "\x00\x1c\x85\u2028\u00a0\u3000x", "\r\n\t",
    "a" * 99, "a" * 100, "ab" * 300, " " * 257, END, f"one {END}{END} two{END}", "<|end|<|end|>>",
]  # fmt: skip

# Characters that Python's own table knows: on those all versions of Unicode here agree.
# Text with many repeats and spaces is where merges meet; every other text is anything at all.
any_text = st.text(st.characters(exclude_categories=["Cs", "Cn"]))
busy_text = st.text("abt he'", max_size=60)
texts = st.one_of(any_text, busy_text)


@cache
def corpus(name: str) -> str:
    if name == "tinyshakespeare":
        folder = Path(os.environ.get("ATTENTION_DATA", "")).expanduser()
        if not (folder / "tinyshakespeare.txt").is_file():
            pytest.skip("ATTENTION_DATA names no folder with tinyshakespeare.txt")
    return load_corpus(name)


@cache
def ours(name: str, vocab_size: int) -> BPETokenizer:
    return BPETokenizer.train(corpus(name), vocab_size)


@cache
def hf_merges(text: str, vocab_size: int) -> list[tuple[bytes, bytes]]:
    """What Hugging Face learns, its printable stand-ins turned back into bytes."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator([text], trainer)
    hidden = sorted(set(range(256)) - {ord(c) for c in alphabet})
    byte = {c: ord(c) if ord(c) < 256 else hidden[ord(c) - 256] for c in alphabet}
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    return [tuple(bytes(byte[c] for c in part) for part in merge) for merge in merges]


def tiktoken_of(tokenizer: BPETokenizer) -> tiktoken.Encoding:
    return tiktoken.Encoding(
        "ours",
        pat_str=tokenizer.pattern,
        mergeable_ranks=tokenizer.ranks,
        special_tokens=tokenizer.special_tokens,
    )


@pytest.fixture(scope="module")
def play() -> BPETokenizer:
    return BPETokenizer.train(corpus("play"), 512, [END, "<|user|>"])


@given(st.text(min_size=1))
def test_char_round_trip(text):
    tokenizer = CharTokenizer(text)
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text
    assert set(ids) == set(range(tokenizer.vocab_size))


@pytest.fixture(params=["char", "bpe"])
def seven(request):
    """A tokenizer whose 7 highest ids decode to the letters a to g."""
    if request.param == "char":
        return CharTokenizer("abcdefg")
    return BPETokenizer([], list("abcdefg"))


def test_a_tokenizer_says_its_sizes_and_can_be_kept(seven):
    said = {
        "CharTokenizer(7 characters)",
        "BPETokenizer(256 bytes + 0 merges + 7 special tokens = 263)",
    }
    assert repr(seven) in said
    again = pickle.loads(pickle.dumps(seven))
    assert repr(again) == repr(seven) and again.encode("bad") == seven.encode("bad")


@pytest.mark.parametrize("bad", [-1, 7, 2**70, True, False, 1.0, None, "a", [1]])
def test_decode_refuses(seven, bad):
    last = seven.vocab_size - 1
    bad = seven.vocab_size if bad == 7 else bad
    says = f"ids: expected integers from 0 to {last}, got {bad!r} at position 2; use"
    with pytest.raises(ValueError, match=re.escape(says)):
        seven.decode([last, last, bad, -5])


def test_decode_takes_every_kind_of_integers(seven):
    ids = [seven.vocab_size - 7 + i for i in (0, 6, 3)]
    assert seven.decode(ids) == "agd"
    assert seven.decode(iter(ids)) == "agd"
    assert seven.decode(np.array(ids, dtype=np.int16)) == "agd"
    assert seven.decode(torch.tensor(ids)) == "agd"
    assert seven.decode([torch.tensor(ids[0]), np.int64(ids[1]), ids[2]]) == "agd"
    assert seven.decode([]) == ""


def test_ties_are_resolved_in_the_order_of_gpt2s_bytes():
    """Bytes that print come first: 188 of them, without the space (220) and the soft hyphen (255)."""
    ranks = {byte: bpe.tie_order((byte, byte)) for byte in range(256)}
    assert sorted(ranks.values()) == [(rank, rank) for rank in range(256)]
    known = {0x21: 0, 0x7E: 93, 0xA1: 94, 0xAC: 105, 0xAE: 106, 0xFF: 187}
    known |= {0: 188, 0x0A: 198, 0x20: 220, 0x7F: 221, 0xAD: 255}
    assert {byte: ranks[byte][0] for byte in known} == known


def test_count_pairs_counts_overlaps():
    assert count_pairs([7, 7, 7, 5]) == {(7, 7): 2, (7, 5): 1}
    assert count_pairs([7]) == count_pairs([]) == {}


def test_merge_pair_goes_from_left_to_right_and_changes_nothing():
    ids = [2, 1, 1, 1, 3, 1]
    assert merge_pair(ids, (1, 1), 9) == [2, 9, 1, 3, 1]
    assert ids == [2, 1, 1, 1, 3, 1] and merge_pair([], (1, 1), 9) == []


@given(st.lists(st.integers(0, 3)), st.integers(0, 3), st.integers(0, 3))
def test_merge_pair_can_be_undone_and_leaves_no_pair(ids, left, right):
    merged = merge_pair(ids, (left, right), 9)
    undone = [i for new in merged for i in ((left, right) if new == 9 else (new,))]
    assert undone == ids
    assert (left, right) not in count_pairs(merged)


def test_split_pieces_keeps_every_character():
    text = "We'll  meet\n\nat 12!"
    assert split_pieces(text) == ["We", "'ll", " ", " meet", "\n", "\n", "at", " 12", "!"]
    assert split_pieces(text, None) == [text]
    assert split_pieces("abcab", "(a)(b)|c") == ["ab", "c", "ab"], (
        "whole matches, not their groups"
    )


any_piece = st.one_of(
    st.binary(min_size=1, max_size=9), st.text("ab \x80", min_size=1, max_size=25)
)


@given(st.dictionaries(any_piece, st.integers(1, 5), max_size=6))
def test_merges_are_learnt_as_defined(pieces):
    pieces = {p if isinstance(p, bytes) else p.encode(): n for p, n in pieces.items()}
    assert fast_bpe.learn_merges(pieces, 50) == bpe.learn_merges(pieces, 50)


@given(st.text("ab ", max_size=80), st.text("ab ", max_size=40), st.integers(0, 30))
def test_merges_are_applied_as_defined(taught, text, n_merges):
    merges = bpe.learn_merges({taught.encode(): 1}, n_merges)
    new_ids = {pair: 256 + i for i, pair in enumerate(merges)}
    fast = fast_bpe.apply_merges(text.encode(), new_ids)
    assert fast == bpe.apply_merges(text.encode(), new_ids)


class Counted(dict):
    """Merges that count how often they are asked for."""

    asked = 0

    def get(self, *key):
        self.asked += 1
        return super().get(*key)

    def __contains__(self, key):
        self.asked += 1
        return super().__contains__(key)


def test_the_work_for_a_long_piece_grows_no_faster_than_the_piece():
    text = corpus("play")[:8000].encode()
    pairs = bpe.learn_merges(Counter(p.encode() for p in split_pieces(text.decode())), 60)
    asked = []
    for piece in (text[:2000], text):
        new_ids = Counted((pair, 256 + i) for i, pair in enumerate(pairs))
        fast_bpe.apply_merges(piece, new_ids)
        asked.append(new_ids.asked / len(piece))
    assert asked[1] < 1.2 * asked[0] < 1.2 * 5  # by the definition it would be fourfold


def test_a_text_without_cuts_is_not_counted_anew(monkeypatch):
    """Each merge visits only its own positions: those of all merges together are few."""
    text, looked = corpus("play")[:8000].encode(), []
    monkeypatch.setattr(
        fast_bpe, "sorted", lambda found: looked.extend(found) or sorted(found), raising=False
    )
    assert len(fast_bpe.learn_merges({text: 1}, 100)) == 100
    assert len(looked) < 3 * len(text)  # and not 100 times as many


@given(text=busy_text)
def test_the_pattern_of_the_training_is_the_tokenizers_own(text):
    pairs = [(97, 98), (256, 32), (257, 257)]
    assert BPETokenizer(pairs, pattern=None).encode("ab ab ") == [258]
    assert BPETokenizer(pairs).encode("ab ab ") == [256, 32, 256, 32]  # cut before each space
    for tokenizer in (BPETokenizer(pairs, pattern=p) for p in (None, r"(?s)\w+|.")):
        assert tokenizer.decode(tokenizer.encode(text)) == text
    long = "ab " * 4
    assert BPETokenizer.train(long, 260, pattern=None).encode(long) == [259]


def test_special_tokens_are_text_unless_asked_for(play):
    assert play.vocab_size == 512 and play.special_tokens == {END: 510, "<|user|>": 511}
    text = f"one{END}<|user|> two"
    assert all(i < 510 for i in play.encode(text))
    assert play.encode(text, special=True) == [
        *play.encode("one"), 510, 511, *play.encode(" two"),
    ]  # fmt: skip
    assert play.decode_bytes([510, 97]) == b"<|end|>a"


def test_special_tokens_come_from_any_iterable_and_have_bytes():
    made = (
        BPETokenizer([], iter(["<a>", "<b>"])),
        BPETokenizer.train("aa", 258, iter(["<a>", "<b>"])),
    )
    assert all(one.special_tokens == {"<a>": 256, "<b>": 257} for one in made)
    with pytest.raises(UnicodeEncodeError):
        BPETokenizer([], ["<\udc00>"])


def test_the_longest_special_token_wins():
    tokenizer = BPETokenizer([], ["<a>", "<a><b>", "(|.)\n"])
    assert tokenizer.encode("<a><b><a>(|.)\n<b", special=True) == [257, 256, 258, 60, 98]
    assert BPETokenizer([(97, 98)]).encode("ab", special=True) == [256]  # there are none


@pytest.mark.parametrize("vocab_size", SIZES)
@pytest.mark.parametrize("name", CORPORA)
def test_merges_equal_hugging_face(name, vocab_size):
    assert ours(name, vocab_size).merges == hf_merges(corpus(name), vocab_size)


@settings(max_examples=40)
@given(texts)
def test_merges_equal_hugging_face_on_any_text(text):
    pieces = Counter(piece.encode() for piece in split_pieces(text))
    vocab_size = 256 + len(fast_bpe.learn_merges(pieces, 30))
    if text:
        assert BPETokenizer.train(text, vocab_size).merges == hf_merges(text, vocab_size)


@pytest.mark.parametrize("vocab_size", SIZES)
@pytest.mark.parametrize("name", CORPORA)
def test_encode_equals_tiktoken(name, vocab_size):
    tokenizer = ours(name, vocab_size)
    assert tokenizer.encode(corpus(name)) == tiktoken_of(tokenizer).encode_ordinary(corpus(name))


@pytest.fixture(scope="module")
def play_tiktoken(play) -> tiktoken.Encoding:
    return tiktoken_of(play)


@given(texts)
def test_encode_equals_tiktoken_on_any_text(play, play_tiktoken, text):
    assert play.encode(text) == play_tiktoken.encode_ordinary(text)


@pytest.mark.parametrize("text", AWKWARD)
def test_encode_equals_tiktoken_on_awkward_text(play, play_tiktoken, text):
    assert play.encode(text) == play_tiktoken.encode_ordinary(text)
    assert play.encode(text, special=True) == play_tiktoken.encode(text, allowed_special="all")


def test_nothing_is_learnt_from_a_special_token():
    text = f"one{END}" * 5
    assert BPETokenizer.train(text, 259, [END]).merges == [(b"n", b"e"), (b"o", b"ne")]
    with pytest.raises(ValueError, match="at most 259 .* got 260"):
        BPETokenizer.train(text, 260, [END])


@given(st.lists(st.integers(0, 511)))
def test_decode_equals_tiktoken(play, play_tiktoken, ids):
    assert play.decode_bytes(ids) == play_tiktoken.decode_bytes(ids)
    assert play.decode(ids) == play_tiktoken.decode(ids)


def test_a_tokenizer_is_built_again_from_its_pairs():
    text = "the thin thing that they thought"
    first = BPETokenizer(fast_bpe.learn_merges(Counter(map(str.encode, split_pieces(text))), 9))
    again = BPETokenizer(first.pairs)
    assert len(first.pairs) == 9 and again.merges == first.merges
    assert again.encode(text) == first.encode(text)
