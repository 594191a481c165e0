"""The losses of tables that count n-grams, for chapter 13: `python -m benchmarks.play_tables play`.

Its arguments are names of texts, `play` or `tinyshakespeare`. The play takes a minute.
"""

import sys

import torch

from attention.batches import split
from attention.corpus import load_corpus
from attention.tokenizers import CharTokenizer
from benchmarks.stored_runs import add
from chapters.ch13.ngrams import STORED, best_smoothing, ngram_loss

AMONG = (0.01, 0.03, 0.1, 0.3, 1.0)  # the smoothings to choose from
LONGEST = {"counts": 5, "falls back": 8}  # the largest n of each kind of table


def table_losses(corpus: str) -> dict[str, dict[int, dict[str, float]]]:
    """Return, for each kind and n, the smoothing that the validation part chose, and two losses."""
    text = load_corpus(corpus)
    tokenizer = CharTokenizer(text)
    rest, test = split(torch.tensor(tokenizer.encode(text)))
    seen, validation = split(rest)
    found: dict[str, dict[int, dict[str, float]]] = {}
    for kind, longest in LONGEST.items():
        falls_back = kind == "falls back"
        for n in range(1, longest + 1):
            k = best_smoothing(validation, seen, n, tokenizer.vocab_size, AMONG, falls_back)
            losses = [
                round(ngram_loss(ids, seen, n, tokenizer.vocab_size, k, falls_back), 4)
                for ids in (validation, test)
            ]
            by_n = found.setdefault(kind, {})
            by_n[n] = dict(zip(("smoothing", "validation", "test"), (k, *losses), strict=True))
    return found


if __name__ == "__main__":
    for corpus in sys.argv[1:]:
        add(STORED, corpus, run=table_losses(corpus))
