"""The play is what it promises to be, and every bad text gets a sentence."""

import hashlib
import os
import string

import pooch
import pytest

from attention import corpus
from attention.corpus import load_corpus

ALPHABET = set("\n !$&',-.3:;?" + string.ascii_letters)


@pytest.fixture(scope="module")
def play():
    return load_corpus("play")


def test_the_play_has_exactly_the_65_characters(play):
    assert len(ALPHABET) == 65
    assert set(play) == ALPHABET
    assert len(play) >= 100_000


def test_no_passage_of_200_characters_is_there_twice(play):
    passages = [play[start : start + 200] for start in range(len(play) - 199)]
    assert len(set(passages)) == len(passages)


def test_the_play_is_laid_out_as_speeches(play):
    speeches = play.rstrip("\n").split("\n\n")
    assert len(speeches) > 1000
    for speech in speeches:
        speaker, *lines = speech.split("\n")
        assert speaker.endswith(":") and lines and all(lines), speech
        assert len(speaker) < 20 and max(map(len, lines)) < 80, speech


def test_the_running_sentence_is_the_first_line(play):
    assert play.startswith("FENN:\nYour journey starts with one step")


def test_a_path_gives_the_text_unchanged(tmp_path):
    path = tmp_path / "own.txt"
    text = "caf\u00e9\r\n\U0001f600 tabs\tand all"
    path.write_bytes(text.encode())
    assert load_corpus(path) == load_corpus(str(path)) == text
    path.write_bytes("\ufeffone step".encode())
    assert load_corpus(path) == "one step", "a byte order mark is no character"
    path.write_text("ab")
    assert load_corpus(path) == "ab"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty"),
        (b"ab\0cd", "byte 2 is NUL"),
        (b"\0abcd", "byte 0 is NUL"),
        (b"abc\xff\xfe", "byte 0xff at offset 3"),
        ("h\u00e9".encode("latin-1"), "byte 0xe9 at offset 1"),
        (b"a", "at least 2 characters, got 1"),
        (b"zzz", "at least 2 different characters, got only 'z'"),
    ],
)
def test_bad_text_is_refused_with_its_place(tmp_path, data, message):
    path = tmp_path / "bad.txt"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=message):
        load_corpus(path)
    assert path.read_bytes() == data


def test_a_path_may_begin_with_the_home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))  # on Windows
    (tmp_path / "own.txt").write_text("one step")
    assert load_corpus("~/own.txt") == "one step"
    data = b"a small stand-in"
    (tmp_path / "tinyshakespeare.txt").write_bytes(data)
    monkeypatch.setattr(corpus, "TINYSHAKESPEARE_SHA256", hashlib.sha256(data).hexdigest())
    monkeypatch.setattr(corpus, "_download", None)  # it is there: no download
    monkeypatch.setenv("ATTENTION_DATA", "~")
    assert load_corpus("tinyshakespeare") == data.decode()


def test_a_corpus_shorter_than_a_block_is_refused(tmp_path):
    path = tmp_path / "short.txt"
    path.write_text("\u00e9\u00e8" * 4, encoding="utf-8")  # of 16 bytes
    with pytest.raises(ValueError, match="expected at least 9 characters, got 8"):
        load_corpus(path, min_length=9)
    assert load_corpus(path, min_length=8) == "\u00e9\u00e8" * 4


def test_a_path_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is nothing at .*none.txt"):
        load_corpus(tmp_path / "none.txt")
    with pytest.raises(FileNotFoundError, match="there is nothing at '~nobody-of-this-name/"):
        load_corpus("~nobody-of-this-name/own.txt")
    with pytest.raises(FileNotFoundError, match="there is a folder at"):
        load_corpus(tmp_path)


def test_tinyshakespeare_from_the_folder_in_attention_data():
    if not os.path.isfile(
        os.path.join(os.environ.get("ATTENTION_DATA", ""), "tinyshakespeare.txt")
    ):
        pytest.skip("ATTENTION_DATA names no folder with tinyshakespeare.txt")
    text = load_corpus("tinyshakespeare")
    assert len(text) == 1115394
    assert set(text) == ALPHABET


def test_a_wrong_file_in_attention_data_is_refused(tmp_path, monkeypatch):
    (tmp_path / "tinyshakespeare.txt").write_text("First Citizen:")
    monkeypatch.setenv("ATTENTION_DATA", str(tmp_path))
    with pytest.raises(ValueError, match="expected a file with SHA-256 86c4e6aa9db7"):
        load_corpus("tinyshakespeare")
    assert corpus.TINYSHAKESPEARE_SHA256.endswith(
        "c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed"
    )


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.delenv("ATTENTION_DATA", raising=False)
    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / name)
    return tmp_path


def serve(monkeypatch, folder, data):
    """Let the download come from a file on this disk."""
    (folder / "served.txt").write_bytes(data)
    monkeypatch.setattr(corpus, "TINYSHAKESPEARE_URL", "https://127.0.0.1:1/served.txt")

    def download(url, output_file, pooch):
        with open(output_file, "wb") as file:
            file.write(data)

    monkeypatch.setattr("pooch.core.choose_downloader", lambda url, progressbar=False: download)


def test_a_download_is_kept_for_the_next_time(empty_cache, monkeypatch):
    data = b"a small stand-in"
    monkeypatch.setattr(corpus, "TINYSHAKESPEARE_SHA256", hashlib.sha256(data).hexdigest())
    serve(monkeypatch, empty_cache, data)
    monkeypatch.setenv("ATTENTION_DATA", str(empty_cache))  # a folder without the file
    assert load_corpus("tinyshakespeare") == data.decode()
    monkeypatch.setattr("pooch.core.choose_downloader", None)  # now any download would fail
    assert load_corpus("tinyshakespeare") == data.decode()


def test_a_download_with_the_wrong_hash_is_thrown_away(empty_cache, monkeypatch):
    serve(monkeypatch, empty_cache, b"something else")
    with pytest.raises(ValueError, match="is not the expected file .* name that folder in"):
        load_corpus("tinyshakespeare")
    assert not list(empty_cache.rglob("tinyshakespeare.txt"))


def test_a_failed_download_says_what_to_do(empty_cache, monkeypatch):
    monkeypatch.setattr(corpus, "TINYSHAKESPEARE_URL", "http://127.0.0.1:1/input.txt")
    with pytest.raises(ConnectionError, match="could not download .* the corpus 'play'"):
        load_corpus("tinyshakespeare")
    assert not list(empty_cache.rglob("tinyshakespeare.txt"))
