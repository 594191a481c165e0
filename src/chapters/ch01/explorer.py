"""Chapter 01: learn merges one by one and see how a sentence and the corpus shrink."""

from collections.abc import Sequence

from attention.bpe import split_pieces
from attention.bpe_tokenizer import BPETokenizer
from chapters.ch01.figures import merges_figure
from course.draw.explorer import Explorer, slider
from course.draw.picture import Picture

APART = "\U0010ffff"  # separates pieces, so that no pair reaches across two of them


def corpus_lengths(text: str, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """The number of tokens in a text after 0, 1, 2, ... merges.

    The corpus becomes one long string with one character for each id, so str.replace can merge
    from left to right at the speed of C. Ids stay far below the surrogates at 0xD800.
    """
    pieces = split_pieces(text)
    ids = APART.join(piece.encode().decode("latin-1") for piece in pieces)
    lengths = [len(ids) - len(pieces) + 1]
    for n, (left, right) in enumerate(pairs):
        ids = ids.replace(chr(left) + chr(right), chr(256 + n))
        lengths.append(len(ids) - len(pieces) + 1)
    return lengths


def merge_explorer(sentence: str, text: str, pairs: Sequence[tuple[int, int]]) -> Explorer:
    """Show the sentence's tokens and the length of the corpus, with a slider for the number of merges."""
    lengths = corpus_lengths(text, pairs)

    def render(merges: int) -> Picture:
        tokenizer = BPETokenizer(pairs[:merges])
        tokens = [tokenizer.decode([i]) for i in tokenizer.encode(sentence)]
        newest = tokenizer.decode([255 + merges]) if merges else None
        return merges_figure(tokens, merges, lengths, newest)

    n, now = len(pairs), min(64, len(pairs))
    stops = sorted({*range(0, n + 1, max(1, n // 16)), now})
    return Explorer(render, {"merges": stops}, merges=slider("merges", 0, n, now))
